//! The calls of one connection: looked up, started, stopped, answered.
//!
//! A call is first polled right where its frame is read; what ends at once never becomes a task. What stays pending
//! is spawned, and so is, from the start, everything behind a name whose first step was slow of late.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context as Poller, Poll, Waker};

use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::frame::Frame;
use plainwire_proto::json::Span;
use plainwire_proto::peer::{CallKey, Event, Peer, Request, RequestMeta, RequestOptions};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::call::{self, Guarded, Work, Writing};
use super::questions::Questions;
use super::{Clock, spawn, unix};
use crate::catalog::{Entry, Pace};
use crate::context::{Context, ContextSource, Signal, Signals};
use crate::handler::{Call, Outcome, Rejected};
use crate::server::Built;

pub(super) struct Calls {
    built: Arc<Built>,
    clock: Clock,
    pub(super) peer: Peer,
    questions: Questions,
    queue: mpsc::UnboundedReceiver<Signal>,
    signals: Signals,
    tasks: BTreeMap<CallKey, Task>,
}

/// A call that is a task, with what it takes to stop it.
struct Task {
    abort: AbortHandle,
    context: Option<Context>,
}

/// What a frame asks to be called.
struct Wanted<'f> {
    arguments: &'f str,
    frame: &'f str,
    key: CallKey,
    meta: RequestMeta,
    method: &'static str,
    /// The tool or prompt, or the URI of the resource.
    name: &'f str,
    /// The resource; empty for anything else.
    uri: &'f str,
}

impl Calls {
    pub(super) fn new(built: Arc<Built>) -> Self {
        let (signals, queue) = Signals::new();
        let peer = Peer::server(Arc::clone(&built.config));
        let (clock, questions, tasks) = (Clock::start(), Questions::default(), BTreeMap::new());
        Self { built, clock, peer, questions, queue, signals, tasks }
    }

    /// Returns how many calls are tasks.
    pub(super) fn running(&self) -> usize {
        self.tasks.len()
    }

    /// Whether the table of requests is full, so that the next one would be refused.
    pub(super) fn is_full(&self) -> bool {
        self.peer.in_flight() >= self.built.config.limits.in_flight
    }

    /// Whether answers that wait to be taken are so large that nothing more should be begun.
    pub(super) fn is_backlogged(&self) -> bool {
        self.signals.is_backlogged()
    }

    /// Stops every call that still runs and answers it: the server is about to end.
    pub(super) fn give_up(&mut self) {
        let text = "expected the call to end while the server still served, but it is shutting down";
        for (key, task) in std::mem::take(&mut self.tasks) {
            task.stop();
            self.peer.respond_error(key, &Error::new(ErrorKind::Internal, text));
        }
    }

    /// Takes note that the client sends nothing more, so that nobody will answer questions.
    pub(super) fn handle_end(&mut self) {
        self.peer.handle_end(self.clock.now());
        self.handle_events("");
    }

    /// When [`Self::handle_timeout`] wants to be called.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.peer.poll_timeout().map(|at| self.clock.instant(at))
    }

    /// Lets deadlines pass.
    pub(super) fn handle_timeout(&mut self) {
        self.peer.handle_timeout(self.clock.now());
        self.handle_events("");
    }

    pub(super) fn handle_frame(&mut self, frame: Frame<'_>) {
        match frame {
            Frame::Line(bytes) => {
                self.peer.handle_frame(bytes, self.clock.now());
                // What is no text has no event that points into it.
                self.handle_events(std::str::from_utf8(bytes).unwrap_or_default());
            }
            Frame::TooLong(prefix) => {
                self.peer.handle_oversize(prefix, self.clock.now());
                self.handle_events("");
            }
        }
    }

    /// Takes the next thing that a call has to say.
    pub(super) fn poll_signal(&mut self, cx: &mut Poller<'_>) -> Poll<()> {
        match self.queue.poll_recv(cx) {
            Poll::Ready(Some(signal)) => {
                self.handle_signal(signal);
                Poll::Ready(())
            }
            // The queue never closes: this side holds a sender.
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }

    fn handle_signal(&mut self, signal: Signal) {
        match signal {
            Signal::Ask { answer, question, ticket } => {
                let wait = self.built.ask_timeout;
                let options = RequestOptions { idle: wait, hard: wait };
                let now = self.clock.now();
                self.questions.ask(&mut self.peer, &question, (ticket, answer), options, now);
            }
            Signal::Done(key, answer) => {
                self.tasks.remove(&key);
                self.signals.answer_taken(&answer);
                match answer {
                    Ok(body) => self.peer.respond(key, |out| out.extend_from_slice(&body)),
                    Err(error) => self.peer.respond_error(key, &error),
                }
            }
            Signal::Ended(key) => {
                self.tasks.remove(&key);
                self.peer.finished(key);
            }
            Signal::Progress { key, done, total, message } => {
                self.signals.progress_taken();
                self.peer.progress(key, done, total, message.as_deref());
            }
            Signal::Withdraw(ticket) => self.questions.withdraw(&mut self.peer, ticket),
        }
    }

    fn handle_events(&mut self, frame: &str) {
        while let Some(event) = self.peer.poll_event() {
            match event {
                Event::Request { key, request, meta } => self.handle_request(frame, key, request, meta),
                Event::Cancelled { key, reason } => {
                    tracing::debug!("cancelled: {}", reason.unwrap_or_default());
                    match self.tasks.get(&key) {
                        Some(task) => task.stop(),
                        None => self.peer.finished(key),
                    }
                }
                Event::Failed { request, error } => self.questions.settle(request, Err(error)),
                Event::Ignored(why) => tracing::debug!("{why}"),
                Event::Result { request, result } => {
                    self.questions.settle(request, Ok(result.text(frame)));
                }
                Event::RootsChanged => self.signals.roots.changed(),
                _ => {}
            }
        }
    }

    fn handle_request(&mut self, frame: &str, key: CallKey, request: Request, meta: RequestMeta) {
        let built = Arc::clone(&self.built);
        let catalog = &built.catalog;
        let text = |span: Span| span.string(frame).unwrap_or_default();
        let json = |span: Option<Span>| span.map_or("{}", |span| span.text(frame));
        let wanted = |method, name, arguments| Wanted { arguments, frame, key, meta, method, name, uri: "" };
        let refused = match request {
            Request::List { list, cursor } => {
                let encoder = built.config.encoder(meta.revision);
                match catalog.page(list, cursor.map(text).as_deref(), encoder) {
                    Ok(page) => return self.peer.respond(key, |out| out.extend_from_slice(page)),
                    Err(error) => error,
                }
            }
            // Servers are not asked questions: the peer refuses them.
            Request::Input { .. } => return,
            Request::CallTool { name, arguments } => {
                let name = &*text(name);
                match catalog.tool(name) {
                    Ok(entry) => return self.start(entry, &wanted("tools/call", name, json(arguments))),
                    Err(error) => error,
                }
            }
            Request::GetPrompt { name, arguments } => {
                let name = &*text(name);
                match catalog.prompt(name) {
                    Ok(entry) => return self.start(entry, &wanted("prompts/get", name, json(arguments))),
                    Err(error) => error,
                }
            }
            Request::ReadResource { uri } => {
                let uri = &*text(uri);
                match catalog.resource(uri) {
                    Ok((entry, variables)) => {
                        let wanted = wanted("resources/read", uri, variables.as_deref().unwrap_or("{}"));
                        return self.start(entry, &Wanted { uri, ..wanted });
                    }
                    Err(error) => error,
                }
            }
        };
        self.peer.respond_error(key, &refused);
    }

    /// Calls the function behind `entry`, and polls it once unless that was slow before.
    fn start(&mut self, entry: &Entry, wanted: &Wanted<'_>) {
        let source = ContextSource {
            arguments: wanted.arguments,
            carried: RefCell::new(None),
            frame: wanted.frame,
            key: wanted.key,
            made: OnceCell::new(),
            max_questions: self.built.max_questions,
            meta: wanted.meta,
            method: wanted.method,
            name: wanted.name,
            principal: self.built.principal.as_ref(),
            session: self.peer.session_client(),
            signals: &self.signals,
        };
        if let Err(error) = self.admit(entry, &source) {
            return self.answer(wanted, &error);
        }
        let call = Call {
            arguments: wanted.arguments,
            context: &source,
            mime_type: entry.mime_type.as_deref(),
            schema: &entry.schema,
            uri: wanted.uri,
        };
        // The user's code may panic before its future exists: in `Deserialize`, or in a plain closure.
        let called = catch_unwind(AssertUnwindSafe(|| (entry.run)(&call)));
        let context = source.made.into_inner();
        let running = match called {
            Ok(Ok(running)) => running,
            Ok(Err(Rejected(text))) => return self.reject(wanted, &text),
            Err(panic) => return self.answer(wanted, &call::panicked(&entry.name, &*panic)),
        };
        let mut work = Work { context, running };
        if entry.pace.is_slow() {
            let pace = Some(Arc::clone(&entry.pace));
            return self.spawn(entry, wanted, work, pace);
        }
        let began = std::time::Instant::now();
        let polled = work.poll(&entry.name, &self.built.sealer, &mut Poller::from_waker(Waker::noop()));
        entry.pace.note(began.elapsed());
        match polled {
            // Polled again as a task, which is when its waker counts.
            Poll::Pending => self.spawn(entry, wanted, work, None),
            Poll::Ready(outcome) => {
                if work.context.is_some() {
                    // What the call reported on its way goes out before its answer.
                    while let Ok(signal) = self.queue.try_recv() {
                        self.handle_signal(signal);
                    }
                }
                self.answer(wanted, &outcome);
            }
        }
    }

    /// Takes what an earlier round left, and refuses clients that lack what `entry` needs.
    fn admit(&self, entry: &Entry, source: &ContextSource<'_>) -> Result<(), Outcome> {
        if let Some(state) = source.meta.request_state {
            let state = state.string(source.frame).unwrap_or_default();
            let responses = source.meta.input_responses.map_or("{}", |span| span.text(source.frame));
            let carried = self.built.sealer.open(&source.origin(), &state, responses, unix());
            source.carried.replace(Some(carried.map_err(Outcome::Error)?));
        }
        for &capability in &entry.requires {
            source.get().require(capability).map_err(|error| {
                if entry.is_tool { Outcome::tool_failed(error) } else { Outcome::refused(&error) }
            })?;
        }
        Ok(())
    }

    fn spawn(&mut self, entry: &Entry, wanted: &Wanted<'_>, work: Work, pace: Option<Arc<Pace>>) {
        let context = work.context.clone();
        let timeout = entry.timeout.or(self.built.timeout);
        let guarded = Guarded::new(entry, work, &self.built.sealer, timeout, pace);
        let task = spawn(call::run(wanted.key, guarded, self.writing(wanted), self.signals.clone()));
        self.tasks.insert(wanted.key, Task { abort: task.abort_handle(), context });
    }

    fn answer(&mut self, wanted: &Wanted<'_>, outcome: &Outcome) {
        let writing = self.writing(wanted);
        match writing.refusal(outcome) {
            Some(error) => self.peer.respond_error(wanted.key, &error),
            None => self.peer.respond(wanted.key, |out| writing.write(outcome, out)),
        }
    }

    fn reject(&mut self, wanted: &Wanted<'_>, text: &str) {
        if wanted.uri.is_empty() {
            self.peer.respond_invalid_arguments(wanted.key, text);
        } else {
            // Variables that do not fit make a URI that names nothing.
            self.peer.respond_error(wanted.key, &Error::resource_not_found(wanted.uri));
        }
    }

    fn writing(&self, wanted: &Wanted<'_>) -> Writing {
        let encoder = self.built.config.encoder(wanted.meta.revision).clone();
        Writing { cache_hint: self.built.config.cache_hint, encoder }
    }
}

impl Task {
    /// Stops the call. A step of it that runs gets the time to end: the task sees to that itself.
    fn stop(&self) {
        if let Some(context) = &self.context {
            context.cancel();
            if context.asking().has_steps() {
                return;
            }
        }
        self.abort.abort();
    }
}

impl Drop for Calls {
    /// A connection that ends takes its calls with it.
    fn drop(&mut self) {
        self.tasks.values().for_each(Task::stop);
    }
}
