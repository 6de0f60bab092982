//! The calls of one connection: looked up, started, stopped, answered.
//!
//! A call is first polled right where its frame is read; what ends at once never becomes a task. What stays pending
//! is spawned, and so is, from the start, everything behind a name whose first step was slow of late.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context as Poller, Poll, Waker};
use std::time::Instant;

use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::frame::Frame;
use plainwire_proto::json::Span;
use plainwire_proto::peer::{CallKey, Event, Peer, Request, RequestMeta};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::call::{self, Guarded, Writing};
use super::{Clock, spawn};
use crate::catalog::Entry;
use crate::context::{Context, ContextSource, Signal, Signals};
use crate::handler::{Call, Outcome, Rejected};
use crate::server::Built;

pub(super) struct Calls {
    built: Arc<Built>,
    clock: Clock,
    pub(super) peer: Peer,
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
    uri: &'f str,
}

impl Calls {
    pub(super) fn new(built: Arc<Built>) -> Self {
        let (signals, queue) = Signals::new();
        let peer = Peer::server(Arc::clone(&built.config));
        Self { built, clock: Clock::start(), peer, queue, signals, tasks: BTreeMap::new() }
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
                Event::Ignored(why) => tracing::debug!("{why}"),
                _ => {}
            }
        }
    }

    fn handle_request(&mut self, frame: &str, key: CallKey, request: Request, meta: RequestMeta) {
        let built = Arc::clone(&self.built);
        let catalog = &built.catalog;
        let text = |span: Span| span.string(frame).unwrap_or_default();
        let json = |span: Option<Span>| span.map_or("{}", |span| span.text(frame));
        let wanted = |arguments| Wanted { arguments, frame, key, meta, uri: "" };
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
            Request::CallTool { name, arguments } => match catalog.tool(&text(name)) {
                Ok(entry) => return self.start(entry, &wanted(json(arguments))),
                Err(error) => error,
            },
            Request::GetPrompt { name, arguments } => match catalog.prompt(&text(name)) {
                Ok(entry) => return self.start(entry, &wanted(json(arguments))),
                Err(error) => error,
            },
            Request::ReadResource { uri } => {
                let uri = &*text(uri);
                match catalog.resource(uri) {
                    Ok((entry, variables)) => {
                        let arguments = variables.as_deref().unwrap_or("{}");
                        return self.start(entry, &Wanted { arguments, frame, key, meta, uri });
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
            frame: wanted.frame,
            key: wanted.key,
            made: OnceCell::new(),
            meta: wanted.meta,
            principal: self.built.principal.as_ref(),
            session: self.peer.session_client(),
            signals: &self.signals,
        };
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
        let mut running = match called {
            Ok(Ok(running)) => running,
            Ok(Err(Rejected(text))) => return self.reject(wanted, &text),
            Err(panic) => {
                let outcome = call::panicked(&entry.name, &*panic);
                return self.answer(wanted, &outcome);
            }
        };
        if entry.pace.is_slow() {
            let pace = Some(Arc::clone(&entry.pace));
            return self.spawn(entry, wanted, Guarded::new(&entry.name, running, pace), context);
        }
        let began = Instant::now();
        let polled = call::poll_guarded(&entry.name, &mut running, &mut Poller::from_waker(Waker::noop()));
        entry.pace.note(began.elapsed());
        match polled {
            // Polled again as a task, which is when its waker counts.
            Poll::Pending => self.spawn(entry, wanted, Guarded::new(&entry.name, running, None), context),
            Poll::Ready(outcome) => {
                if context.is_some() {
                    // What the call reported on its way goes out before its answer.
                    while let Ok(signal) = self.queue.try_recv() {
                        self.handle_signal(signal);
                    }
                }
                self.answer(wanted, &outcome);
            }
        }
    }

    fn spawn(&mut self, entry: &Entry, wanted: &Wanted<'_>, call: Guarded, context: Option<Context>) {
        let writing = self.writing(wanted);
        let timeout = entry.timeout.or(self.built.timeout);
        let task = spawn(call::run(wanted.key, call, timeout, entry.is_tool, writing, self.signals.clone()));
        self.tasks.insert(wanted.key, Task { abort: task.abort_handle(), context });
    }

    fn answer(&mut self, wanted: &Wanted<'_>, outcome: &Outcome) {
        if let Outcome::Error(error) = outcome {
            return self.peer.respond_error(wanted.key, error);
        }
        let writing = self.writing(wanted);
        let mut failed: Option<Error> = None;
        self.peer.respond(wanted.key, |out| failed = writing.write(outcome, out).err());
        debug_assert!(failed.is_none(), "errors were answered above");
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
    fn stop(&self) {
        if let Some(context) = &self.context {
            context.cancel();
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
