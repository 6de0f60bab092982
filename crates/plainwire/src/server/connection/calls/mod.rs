//! The calls of one connection: looked up, started, stopped, answered.
//!
//! In: frames, and signals of running calls. Out: answers, through the peer. The pump reads and writes bytes.
//!
//! A call is first polled where its frame is read, and a call that ends at once never becomes a task. A call
//! that stays pending is spawned. If the first steps of an entry's calls were slow recently, its next calls
//! are spawned without a first poll here.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Poller, Poll};

use plainwire_proto::envelope::Id;
#[cfg(feature = "http")]
use plainwire_proto::envelope::{Malformed, Message};
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::frame::Frame;
use plainwire_proto::json::{Span, shorten};
use plainwire_proto::model::{CompleteRequest, Completion};
use plainwire_proto::peer::{CallKey, Event, Peer, Request, RequestMeta, RequestOptions};
use tokio::time::Sleep;

use super::changes::Changes;
use super::questions::Questions;
use crate::runtime::{Clock, Gate};
use crate::server::built::Built;
use crate::server::catalog::{Catalog, Entry};
use crate::server::context::{Channel, MAX_ANSWERS, Signal, client_of};
use crate::server::principal::Principal;
use crate::server::result::{Kind, Outcome, Refusal};

mod attached;
mod settling;
mod starting;
mod stopping;

#[cfg(feature = "http")]
pub(crate) use attached::Budget;
pub(crate) use attached::{Attached, Held};
use starting::{CallRequest, Starts};
#[cfg(feature = "http")]
pub(crate) use starting::{FirstStep, Start};
use stopping::CallTask;

/// The room that is reserved for the end of a message, in bytes.
const END_OF_MESSAGE: usize = 16;

/// The calls of one connection, with the peer that they answer through.
pub(crate) struct Calls {
    /// The attachments that each new call gets from the transport; set only while [`Self::attaching`] runs.
    attached: Attached,
    built: Arc<Built>,
    /// The newest catalog that this connection has used, of generation `seen`.
    catalog: Arc<Catalog>,
    changes: Changes,
    channel: Channel,
    clock: Clock,
    /// The gate of the runtime, which limits how many steps of calls run at a time; `None` before the first
    /// call.
    gate: Option<Arc<Gate>>,
    /// Whether the client stopped answering pings, so that the connection has to be closed.
    is_lost: bool,
    /// The requests that began or were cancelled; `None` if the owner of the calls does not ask for them.
    #[cfg(feature = "http")]
    news: Option<News>,
    pub(crate) peer: Peer,
    principal: Option<Arc<Principal>>,
    questions: Questions,
    /// The generation of `catalog`: the number by which a newer catalog is noticed.
    seen: u64,
    sleep: Option<Pin<Box<Sleep>>>,
    /// The calls that run as tasks.
    tasks: BTreeMap<CallKey, CallTask>,
}

/// The news of requests that the owner has not taken yet.
#[cfg(feature = "http")]
#[derive(Default)]
struct News {
    begun: Vec<CallKey>,
    cancelled: Vec<CallKey>,
    /// The memory that was claimed for the answers that the peer has taken.
    claimed: Vec<(CallKey, Held)>,
}

impl Calls {
    pub(crate) fn new(built: Arc<Built>, principal: Option<Arc<Principal>>) -> Self {
        let peer = Peer::server(Arc::clone(&built.config));
        let (seen, catalog) = built.shared.catalog();
        let changes = Changes::new(&built.shared.bus);
        Self {
            attached: Attached::default(),
            built,
            catalog,
            changes,
            channel: Channel::default(),
            clock: Clock::start(),
            gate: None,
            is_lost: false,
            #[cfg(feature = "http")]
            news: None,
            peer,
            principal,
            questions: Questions::default(),
            seen,
            sleep: None,
            tasks: BTreeMap::new(),
        }
    }

    /// Like [`Self::new`], for an owner that calls [`Self::take_begun`], [`Self::take_cancelled`] and
    /// [`Self::take_claimed`] after each message and each signal.
    #[cfg(feature = "http")]
    pub(crate) fn with_news(built: Arc<Built>, principal: Option<Arc<Principal>>) -> Self {
        let mut calls = Self::new(built, principal);
        calls.news = Some(News::default());
        calls
    }

    /// Returns whether the client has not answered pings for so long that the connection is to be closed.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Takes the next change that the client watches, and passes it to the peer.
    pub(crate) fn poll_change(&mut self, cx: &mut Poller<'_>) -> Poll<()> {
        self.changes.poll_next(cx).map(|change| self.peer.changed(&change))
    }

    /// Handles deadlines of the peer, as for pings and questions. Returns whether one may have passed.
    pub(crate) fn poll_deadlines(&mut self, cx: &mut Poller<'_>) -> bool {
        let at = self.peer.poll_timeout().and_then(|at| self.clock.instant(at));
        // Each frame moves the deadline. A timer for the old deadline is kept, and the new deadline is
        // noticed when it fires.
        let planned = self.sleep.as_ref().map(|sleep| sleep.deadline());
        let at = at.map(|at| planned.map_or(at, |planned| planned.min(at)));
        if !crate::runtime::poll_until(&mut self.sleep, at, cx) {
            return false;
        }
        self.sleep = None;
        self.peer.handle_timeout(self.clock.now());
        self.handle_events("", &mut Starts::Now);
        true
    }

    /// Returns the number of calls that run as tasks.
    pub(crate) fn running(&self) -> usize {
        self.tasks.len()
    }

    /// Returns whether the limit of requests in flight is reached, so that the next request would be refused.
    pub(crate) fn is_full(&self) -> bool {
        self.peer.in_flight() >= self.built.config.limits.in_flight
    }

    /// Returns whether the unsent answers are so large that no further call should start.
    pub(crate) fn is_backlogged(&self) -> bool {
        self.unsent_answers() > MAX_ANSWERS
    }

    /// Returns the size of all answers that the peer has not taken from their calls yet, in bytes.
    pub(crate) fn unsent_answers(&self) -> usize {
        self.channel.unsent_answers()
    }

    /// Records that the input has ended, so that open questions to the client fail.
    pub(crate) fn handle_end(&mut self) {
        self.peer.handle_end(self.clock.now());
        self.handle_events("", &mut Starts::Now);
    }

    /// Handles a frame, and starts the calls that it requests.
    pub(crate) fn handle_frame(&mut self, frame: Frame<'_>) {
        match frame {
            Frame::Line(bytes) => self.handle_line(bytes, &mut Starts::Now),
            Frame::TooLong(prefix) => {
                self.peer.handle_oversize(prefix, self.clock.now());
                self.handle_events("", &mut Starts::Now);
            }
        }
    }

    fn handle_line<'f>(&mut self, bytes: &'f [u8], starts: &mut Starts<'f>) {
        self.peer.handle_frame(bytes, self.clock.now());
        // No event points into bytes that are not UTF-8.
        self.handle_events(std::str::from_utf8(bytes).unwrap_or_default(), starts);
    }

    /// Handles a message that was parsed already, with spans that point into `text`, and starts the call that
    /// it requests.
    #[cfg(feature = "http")]
    pub(crate) fn handle_parsed(&mut self, text: &str, parsed: Result<Message, Malformed>) {
        self.peer.handle_parsed(text, parsed, self.clock.now());
        self.handle_events(text, &mut Starts::Now);
    }

    /// Handles a batch like [`Self::handle_frame`], but starts no calls. Returns the calls to start.
    #[cfg(feature = "http")]
    pub(crate) fn record_batch<'f>(&mut self, bytes: &'f [u8]) -> Vec<Start<'f>> {
        let mut starts = Starts::Later(Vec::new());
        self.handle_line(bytes, &mut starts);
        starts.into_recorded()
    }

    /// Handles a message like [`Self::handle_parsed`], but starts no call. Returns the call to start.
    #[cfg(feature = "http")]
    pub(crate) fn record_parsed<'f>(
        &mut self,
        text: &'f str,
        parsed: Result<Message, Malformed>,
    ) -> Vec<Start<'f>> {
        let mut starts = Starts::Later(Vec::new());
        self.peer.handle_parsed(text, parsed, self.clock.now());
        self.handle_events(text, &mut starts);
        starts.into_recorded()
    }

    /// Returns the requests that came since the last call of this method, including answered ones.
    #[cfg(feature = "http")]
    pub(crate) fn take_begun(&mut self) -> Vec<CallKey> {
        self.news.as_mut().map(|news| std::mem::take(&mut news.begun)).unwrap_or_default()
    }

    /// Restores a session from a peer's `record`. Returns whether the record is valid and its revision is served.
    #[cfg(feature = "http")]
    pub(crate) fn restore(&mut self, record: &[u8]) -> bool {
        let restored = self.peer.restore_session(record);
        self.changes.follow(&self.peer);
        restored
    }

    /// Returns the requests that were cancelled since the last call of this method.
    #[cfg(feature = "http")]
    pub(crate) fn take_cancelled(&mut self) -> Vec<CallKey> {
        self.news.as_mut().map(|news| std::mem::take(&mut news.cancelled)).unwrap_or_default()
    }

    /// Returns the memory that was claimed for the answers that the peer has taken since the last call of this
    /// method. The owner keeps it until their bytes count elsewhere.
    #[cfg(feature = "http")]
    pub(crate) fn take_claimed(&mut self) -> Vec<(CallKey, Held)> {
        self.news.as_mut().map(|news| std::mem::take(&mut news.claimed)).unwrap_or_default()
    }

    /// Handles the next signal of a call, such as its answer, a log message or a question.
    pub(crate) fn poll_signal(&mut self, cx: &mut Poller<'_>) -> Poll<()> {
        match self.channel.poll_next(cx) {
            Poll::Ready(Some(signal)) => {
                self.handle_signal(signal);
                // Questions may end with their call; the peer's events for them are handled now.
                self.handle_events("", &mut Starts::Now);
                Poll::Ready(())
            }
            // The queue never closes: this side holds a sender.
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }

    fn handle_signal(&mut self, signal: Signal) {
        match signal {
            Signal::CloseStream { key, retry } => self.peer.close_stream(key, retry),
            Signal::Ask { answer, question, ticket } => {
                let wait = self.built.ask_timeout;
                let options = RequestOptions { idle: wait, hard: wait };
                let now = self.clock.now();
                self.questions.ask(&mut self.peer, &question, (ticket, answer), options, now);
            }
            Signal::Done { key, answer, claim } => {
                let task = self.tasks.remove(&key);
                if let Some(context) = task.and_then(|task| task.context) {
                    context.send_held_back(&mut self.peer);
                }
                self.channel.signals().answer_taken(&answer);
                match answer {
                    Ok(body) => self.peer.respond(key, |out| out.extend_from_slice(&body)),
                    Err(refusal) => self.refuse(key, &refusal),
                }
                // Without an owner that asks for it, the claim ends here: the transport counts the bytes.
                #[cfg(feature = "http")]
                if let (Some(news), Some(claim)) = (&mut self.news, claim) {
                    news.claimed.push((key, claim));
                }
                #[cfg(not(feature = "http"))]
                drop(claim);
            }
            Signal::Ended(key) => {
                self.tasks.remove(&key);
                self.peer.finished(key);
            }
            Signal::Log { key, level, logger, data } => {
                self.channel.signals().logs.taken();
                self.peer.log(key, level, logger.as_deref(), &data);
            }
            Signal::Progress { key, done, total, message } => {
                self.channel.signals().progress_taken();
                self.peer.progress(key, done, total, message.as_deref());
            }
            Signal::PageComplete { id, key } => {
                self.channel.signals().page_taken();
                let params = serde_json::json!({ "elicitationId": id }).to_string();
                self.peer.notify_beside(key, "notifications/elicitation/complete", &params);
            }
            Signal::Withdraw(ticket) => self.questions.withdraw(&mut self.peer, ticket),
        }
    }

    fn handle_events<'f>(&mut self, frame: &'f str, starts: &mut Starts<'f>) {
        while let Some(event) = self.peer.poll_event() {
            match event {
                Event::Request { key, request, meta } => {
                    self.handle_request(starts, frame, (key, request, meta));
                }
                Event::Cancelled { key, reason } => {
                    tracing::debug!("cancelled: {:?}", reason.unwrap_or_default());
                    #[cfg(feature = "http")]
                    self.news.iter_mut().for_each(|news| news.cancelled.push(key));
                    if self.stop(key).is_break() {
                        self.peer.finished(key);
                    }
                }
                Event::Failed { request, error } => self.questions.settle(request, Err(error)),
                Event::Ignored(why) => tracing::debug!("{why:?}"),
                Event::LogLevel(level) => self.channel.signals().logs.set_level(level),
                Event::Result { request, result } => {
                    self.questions.settle(request, Ok(result.text(frame)));
                }
                Event::RootsChanged => self.channel.signals().roots.changed(),
                Event::Unresponsive => self.is_lost = true,
                _ => {}
            }
        }
        self.changes.follow(&self.peer);
    }

    fn handle_request<'f>(
        &mut self,
        starts: &mut Starts<'f>,
        frame: &'f str,
        (key, request, meta): (CallKey, Request, RequestMeta),
    ) {
        #[cfg(feature = "http")]
        self.news.iter_mut().for_each(|news| news.begun.push(key));
        let catalog = self.catalog();
        let text = |span: Span| span.string(frame).unwrap_or_default();
        let json = |span: Option<Span>| span.map_or("{}", |span| span.text(frame));
        let id = self.peer.request_id(key).cloned().unwrap_or(Id::Integer(0));
        let wanted = |kind, name, arguments| CallRequest {
            arguments,
            cache: None,
            frame,
            id: id.clone(),
            key,
            kind,
            meta,
            name,
        };
        let plain = |span| Cow::Borrowed(json(span));
        let refused = match request {
            Request::List { list, cursor } => {
                let encoder = self.built.config.encoder(meta.revision);
                let client = || client_of(&meta, frame, self.peer.session_client());
                match catalog.page(list, cursor.map(text).as_deref(), encoder, client) {
                    Ok(page) => return self.peer.respond(key, |out| append(out, page)),
                    Err(error) => error,
                }
            }
            // Clients don't send such requests to servers: the peer refuses them.
            Request::Input { .. } => return,
            Request::CallTool { name, arguments } => {
                let name = text(name);
                match catalog.tool(&name) {
                    Ok(entry) => {
                        return self.begin(starts, entry, wanted(Some(Kind::Tool), name, plain(arguments)));
                    }
                    Err(error) => error,
                }
            }
            Request::Complete { params } => match completion(&catalog, json(params)) {
                Ok(Some(entry)) => {
                    return self.begin(starts, entry, wanted(None, Cow::default(), plain(params)));
                }
                Ok(None) => {
                    let nothing = Outcome::Completion(Completion::of(Vec::new()));
                    return self.answer(&wanted(None, Cow::default(), plain(None)), nothing, "");
                }
                Err(error) => error,
            },
            Request::GetPrompt { name, arguments } => {
                let name = text(name);
                match catalog.prompt(&name) {
                    Ok(entry) => {
                        return self.begin(starts, entry, wanted(Some(Kind::Prompt), name, plain(arguments)));
                    }
                    Err(error) => error,
                }
            }
            Request::Listen => {
                return self.peer.accept_listen(key, |uri| catalog.is_subscribable(uri).unwrap_or(false));
            }
            Request::Subscribe { uri } => match subscribable(&catalog, &text(uri)) {
                Ok(()) => return self.peer.subscribe(key, &text(uri)),
                Err(error) => error,
            },
            Request::Unsubscribe { uri } => return self.peer.unsubscribe(key, &text(uri)),
            Request::ReadResource { uri } => {
                let uri = text(uri);
                match catalog.resource(&uri) {
                    Ok((entry, variables)) => {
                        let variables = variables.map_or(plain(None), Cow::Owned);
                        let wanted = wanted(Some(Kind::Resource), uri, variables);
                        return self.begin(starts, entry, CallRequest { cache: entry.cache, ..wanted });
                    }
                    Err(error) => error,
                }
            }
        };
        self.peer.respond_error(key, &refused);
    }

    /// Returns the current catalog, as the message that is handled sees it.
    fn catalog(&mut self) -> Arc<Catalog> {
        #[cfg(feature = "http")]
        if let Some(selection) = &self.attached.selection {
            return selection.catalog(&self.built.shared);
        }
        if self.seen != self.built.shared.generation() {
            (self.seen, self.catalog) = self.built.shared.catalog();
        }
        Arc::clone(&self.catalog)
    }

    fn refuse(&mut self, key: CallKey, refusal: &Refusal) {
        match refusal {
            Refusal::Arguments(text) => self.peer.respond_invalid_arguments(key, text),
            Refusal::Error(error) => self.peer.respond_error(key, error),
        }
    }
}

/// Appends a page of a list, with room for the end of its message: without this room, a long page would be copied once
/// more when the buffer grows.
fn append(out: &mut Vec<u8>, page: &[u8]) {
    out.reserve(page.len() + END_OF_MESSAGE);
    out.extend_from_slice(page);
}

/// Finds the entry that completes the argument in `params`; `None` if the argument has no completion.
fn completion<'c>(catalog: &'c Catalog, params: &str) -> Result<Option<&'c Arc<Entry>>, Error> {
    catalog.completion(&CompleteRequest::parse(params)?)
}

fn subscribable(catalog: &Catalog, uri: &str) -> Result<(), Error> {
    if catalog.is_subscribable(uri)? {
        return Ok(());
    }
    let found = shorten(uri);
    let text = format!("expected `uri` to be a resource that can be subscribed to, but found {found:?}");
    Err(Error::new(ErrorKind::InvalidParams, text))
}
