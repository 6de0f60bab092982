//! Who waits for what: events of the peer on one side, the program's wishes and waiting calls on the other.
//!
//! A call is in one of two places: in `waiting` while its request is open, and in `rounds` between two requests.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use plainwire_proto::json::shorten;
use plainwire_proto::model::{Capabilities, RawJson, ServerHello};
use plainwire_proto::peer::{CallKey, Event, News, Now, Peer, Request, RequestKey};
use plainwire_proto::revision::{Feature, Revision};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use super::before_greeting::Junk;
use super::listens::Listens;
use super::pages::Pages;
use super::questions::{End, Place, Questions};
use super::restart::{Kept, SET_LEVEL};
use super::rounds::{Call, Round};
use super::{Reply, Wish, requests};
use crate::client::{Asked, Cache, Notice, Progress, Recorder, Stage};
use crate::error::{Error, Result};

/// The state of a connection, beside the protocol's own.
pub(crate) struct Desk {
    pub(super) asked: Asked,
    /// Answers that may be used again, until something changes.
    pub(super) cache: Option<Arc<Cache>>,
    hello: Option<oneshot::Sender<Result<ServerHello>>>,
    /// Whether the server has not answered for so long that it is given up.
    pub(super) is_lost: bool,
    /// What came before the greeting.
    junk: Junk,
    pub(super) kept: Kept,
    pub(super) listens: Listens,
    pub(super) max_rounds: u32,
    notices: mpsc::Sender<Notice>,
    pub(super) pages: Pages,
    pub(super) questions: Questions,
    /// Handlers that think about a request of a legacy server: at most `MAX_QUESTIONS`.
    pub(super) requests: HashMap<CallKey, AbortHandle>,
    /// By ticket.
    pub(super) rounds: HashMap<u64, Round>,
    /// What was agreed on.
    pub(super) revision: Option<Revision>,
    server: Capabilities,
    pub(super) tickets: HashMap<u64, RequestKey>,
    /// Requests that are traced and not sent yet, by their id.
    unsent: HashMap<u64, Recorder>,
    pub(super) waiting: HashMap<RequestKey, Call>,
}

impl Desk {
    pub(crate) fn new(
        asked: Asked,
        cache: Option<Arc<Cache>>,
        max_rounds: u32,
        notices: mpsc::Sender<Notice>,
        hello: oneshot::Sender<Result<ServerHello>>,
    ) -> Self {
        Self {
            asked,
            cache,
            hello: Some(hello),
            is_lost: false,
            junk: Junk::default(),
            kept: Kept::default(),
            listens: Listens::default(),
            max_rounds,
            notices,
            pages: Pages::default(),
            questions: Questions::default(),
            requests: HashMap::new(),
            rounds: HashMap::new(),
            revision: None,
            server: Capabilities::default(),
            tickets: HashMap::new(),
            unsent: HashMap::new(),
            waiting: HashMap::new(),
        }
    }

    pub(super) fn grant(&mut self, wish: Wish, peer: &mut Peer, now: Now) {
        match wish {
            Wish::Listen(ask) => self.listens.begin(*ask, &self.server, peer, now),
            Wish::Notify { method, params } => peer.notify(&method, &params),
            // Taken back before it was made.
            Wish::Request(ask) if ask.answer.is_closed() => {}
            Wish::Request(ask) => {
                if ask.method == SET_LEVEL {
                    self.kept.set_level = Some((ask.params.clone(), ask.options));
                }
                let until = now.monotonic.saturating_add(ask.options.hard);
                let key = peer.request(&ask.method, &ask.params, ask.options, now);
                self.wait(key, Call::new(*ask, until));
            }
            Wish::SetLogLevel(level) => {
                self.kept.log_level = Some(level);
                peer.set_log_level(Some(level));
            }
            Wish::SetRoots(roots) => {
                self.asked.set_roots(roots);
                if peer.revision().is_some_and(|revision| revision.has(Feature::RootsListChanged)) {
                    peer.notify("notifications/roots/list_changed", "{}");
                }
            }
            Wish::Unlisten(ticket) => self.listens.unlisten(ticket, peer, now),
        }
    }

    /// Takes a request back that nobody waits for any more.
    pub(super) fn cancel(&mut self, ticket: u64, peer: &mut Peer) {
        self.rounds.remove(&ticket);
        if let Some(key) = self.tickets.remove(&ticket) {
            self.waiting.remove(&key);
            self.unsent.remove(&key.id());
            peer.cancel(key, "the caller gave up");
        }
    }

    pub(super) fn handle_events(&mut self, peer: &mut Peer, frame: &str, now: Now) {
        while let Some(event) = peer.poll_event() {
            match event {
                Event::Cancelled { key, reason } => {
                    tracing::debug!("the server takes a question back: {reason:?}");
                    self.pages.answered(key, &End::Stopped);
                    if let Some(thinking) = self.requests.remove(&key) {
                        thinking.abort();
                    }
                }
                Event::Connected(hello) => {
                    self.revision = Some(hello.revision);
                    self.server = hello.capabilities.clone();
                    self.greet(Ok(*hello));
                    self.revive(peer, now);
                }
                Event::Refused(error) => {
                    self.kept.failed = Some(error.message().to_owned());
                    self.greet(Err(Error::Rpc(error)));
                }
                Event::Result { request, result } => {
                    let raw = RawValue::from_string(result.text(frame).to_owned());
                    let raw = raw.map_err(|error| Error::Decode { message: error.to_string() });
                    self.settle(request, raw, frame.len(), peer, now);
                }
                Event::Failed { request, error } => {
                    self.pages.refused(&error);
                    self.settle(request, Err(Error::Rpc(error)), frame.len(), peer, now);
                }
                Event::InputRequired { request, result } => {
                    self.handle_questions(request, result, frame, peer, now);
                }
                Event::Progress { request, progress, total, message } => {
                    let Some(call) = self.waiting.get_mut(&request) else { continue };
                    if let Some(trace) = &call.ask.trace {
                        trace.note(Stage::Progress { bytes: frame.len() as u64, done: progress, total });
                    }
                    if let Some(heard) = &mut call.ask.progress {
                        heard(Progress { done: progress, total, message });
                    }
                }
                Event::ListChanged(list) => {
                    self.cache.as_ref().inspect(|cache| cache.list_changed(list));
                    self.listens.hear_list(list, peer, now);
                    self.notice(Notice::ListChanged(list));
                }
                Event::News { request, news } => {
                    self.expire(&news);
                    self.listens.hear(request, news, peer, now);
                }
                Event::Notification { method, params } => {
                    let method = method.string(frame).unwrap_or_default();
                    let notice = Notice::read(&method, params.map(|span| span.text(frame)));
                    match &notice {
                        Notice::ElicitationComplete { id } if !self.pages.complete(id) => {
                            tracing::debug!("a page has ended that is not open: {:?}", shorten(id));
                            continue;
                        }
                        Notice::ResourceUpdated { uri } => {
                            self.cache.as_ref().inspect(|cache| cache.resource_changed(uri));
                            self.listens.hear_resource(uri, peer, now);
                        }
                        _ => {}
                    }
                    self.notice(notice);
                }
                Event::Request { key, request: Request::Input { method, params }, meta } => {
                    for trace in self.waiting.values().filter_map(|call| call.ask.trace.as_ref()) {
                        trace.note(Stage::Asked { method: method.as_str() });
                    }
                    self.handle_request(key, method, params.map(|it| it.text(frame)), meta.revision, peer);
                }
                Event::Ignored(why) if self.hello.is_some() => self.junk.note(frame, &why),
                Event::Ignored(why) => tracing::debug!("{why:?}"),
                Event::Unresponsive => self.is_lost = true,
                Event::Initialized | Event::LogLevel(_) | Event::Request { .. } | Event::RootsChanged => {}
            }
        }
    }

    /// Takes note that a request has no answer, and will get none.
    #[cfg(feature = "http-client")]
    pub(super) fn fail(&mut self, request: RequestKey, error: Error, peer: &mut Peer, now: Now) {
        if self.waiting.contains_key(&request) || self.listens.has(request) {
            self.settle(request, Err(error), 0, peer, now);
        } else {
            // Nothing else is asked before the greeting; afterwards this is a ping, which has its own deadline.
            self.greet(Err(error));
        }
    }

    /// Subscribes again what a server has forgotten.
    #[cfg(feature = "http-client")]
    pub(super) fn renewed(&mut self, peer: &mut Peer, now: Now) {
        self.cache.as_ref().inspect(|cache| cache.forget_all());
        self.listens.renewed(peer, now);
    }

    /// Takes note of a frame that goes out.
    pub(super) fn sent(&mut self, frame: &[u8]) {
        #[derive(Deserialize)]
        struct Numbered {
            id: Option<u64>,
            method: Option<serde::de::IgnoredAny>,
        }
        // Nothing is read unless something is traced.
        if self.unsent.is_empty() {
            return;
        }
        let Ok(Numbered { id: Some(id), method: Some(_) }) = serde_json::from_slice(frame) else { return };
        if let Some(trace) = self.unsent.remove(&id) {
            trace.note(Stage::Sent { bytes: frame.len() as u64 });
        }
    }

    /// What a subscription hears ends the freshness of what it is about.
    fn expire(&self, news: &News) {
        let Some(cache) = &self.cache else { return };
        match news {
            News::ListChanged(list) => cache.list_changed(*list),
            News::ResourceUpdated(uri) => cache.resource_changed(uri),
            News::Acknowledged(_) | News::Ended => {}
        }
    }

    /// Takes what was thought about questions.
    pub(super) fn poll_questions(&mut self, peer: &mut Peer, now: Now, cx: &mut Context<'_>) -> Poll<()> {
        let (place, end) = ready!(self.questions.poll(cx));
        match place {
            Place::Request { key, revision } => {
                self.requests.remove(&key);
                self.pages.answered(key, &end);
                requests::respond(key, revision, end, peer);
            }
            Place::Round { ticket, index } => self.answered(ticket, index, end, peer, now),
        }
        Poll::Ready(())
    }

    /// Tells everybody that the connection is over.
    pub(super) fn close(&mut self, why: &str) {
        let closed = || Error::Closed { why: why.to_owned() };
        self.greet(Err(closed()));
        for call in std::mem::take(&mut self.waiting).into_values() {
            let error = self.kept.lost(&call, why);
            let _ = call.ask.answer.send(Err(error));
        }
        for round in std::mem::take(&mut self.rounds).into_values() {
            let _ = round.call.ask.answer.send(Err(closed()));
        }
        self.give_up(why);
        self.listens.close(why);
    }

    pub(super) fn wait(&mut self, key: RequestKey, call: Call) {
        if let Some(trace) = &call.ask.trace {
            trace.note(Stage::Encoded { id: key.id() });
            self.unsent.insert(key.id(), trace.clone());
        }
        self.tickets.insert(call.ask.ticket, key);
        self.waiting.insert(key, call);
    }

    fn greet(&mut self, outcome: Result<ServerHello>) {
        if let Some(hello) = self.hello.take() {
            let _ = hello.send(outcome.map_err(|error| self.junk.explain(error)));
        }
    }

    /// Gives an answer to whoever waits for it. `bytes` is the size of its frame; without one there was none.
    fn settle(
        &mut self,
        request: RequestKey,
        answer: Result<RawJson>,
        bytes: usize,
        peer: &mut Peer,
        now: Now,
    ) {
        let Some(answer) = self.listens.settle(request, answer, peer, now) else { return };
        if let Some(call) = self.waiting.remove(&request) {
            if let ("tools/list", Ok(list)) = (&*call.ask.method, &answer) {
                self.kept.learn(list.get());
            }
            self.tickets.remove(&call.ask.ticket);
            self.unsent.remove(&request.id());
            if let Some(trace) = call.ask.trace.as_ref().filter(|_| bytes > 0) {
                trace.note(Stage::Answered { bytes: bytes as u64 });
            }
            let is_retried = call.is_retried();
            let _ = call.ask.answer.send(answer.map(|raw| Reply { is_retried, raw }));
        }
    }

    /// A full queue means that nobody reads notices: the newest is dropped, and the log says so.
    fn notice(&self, notice: Notice) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.notices.try_send(notice) {
            tracing::debug!("a notification was dropped: nobody reads them");
        }
    }
}
