//! State of one client connection: open requests, subscriptions and questions, updated by events of the peer
//! and commands of [`crate::Client`].
//!
//! A call is in one of two maps: in `waiting` while its request is open, and in `rounds` between two
//! requests. While the server restarts, the calls to make again are in `carried`.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use plainwire_proto::error::ErrorKind;
use plainwire_proto::json::shorten;
use plainwire_proto::model::{Capabilities, RawJson, ServerHello};
use plainwire_proto::peer::{CallKey, Event, Now, Peer, Request, RequestKey, SubscriptionNotice};
use plainwire_proto::revision::{Feature, Revision};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use super::listens::Listens;
use super::questions::{Held, QuestionOutcome, QuestionSource, Questions};
use super::restart::{CarriedOver, SET_LEVEL};
use super::rounds::{Call, Round};
use super::skipped_lines::SkippedLines;
use super::web_pages::Pages;
use super::{Command, Reply, legacy_questions};
use crate::client::known_tools::KnownTools;
use crate::client::{Asked, Cache, Notice, NoticeSender, Progress, Recorder, Stage};
use crate::error::{Error, Result};

/// The state of one client connection. The state of the protocol is in [`Peer`].
pub(crate) struct ConnectionState {
    pub(super) asked: Asked,
    /// The cache of results that the server allows to be used again; `None` if the program has turned it off.
    pub(super) cache: Option<Arc<Cache>>,
    /// The channel for the result of the first handshake; `None` after that handshake.
    hello: Option<oneshot::Sender<Result<ServerHello>>>,
    /// Whether the server did not answer a ping in time. The connection then ends.
    pub(super) is_lost: bool,
    /// Lines on the server's output before the end of the handshake that are no messages.
    skipped_lines: SkippedLines,
    pub(super) carried: CarriedOver,
    /// The channels of [`Command::Flush`], to report that all waiting frames are sent.
    pub(super) flushes: Vec<oneshot::Sender<()>>,
    pub(super) listens: Listens,
    pub(super) max_rounds: u32,
    notices: NoticeSender,
    pub(super) pages: Pages,
    pub(super) questions: Questions,
    /// The running handlers for questions of a legacy server, each with the permit to keep its question, by the key
    /// of the server's request: at most `MAX_QUESTIONS`.
    pub(super) requests: HashMap<CallKey, (AbortHandle, Held)>,
    /// The calls between two requests, while their questions are answered or they wait for a retry; by the
    /// call's ticket.
    pub(super) rounds: HashMap<u64, Round>,
    /// The revision that the first handshake agreed on; `None` before that.
    pub(super) revision: Option<Revision>,
    /// The capabilities that the server declared.
    server: Capabilities,
    /// The open request of each call, by the call's ticket: the number by which the client cancels the call.
    /// It stays the same when the request is made again.
    pub(super) tickets: HashMap<u64, RequestKey>,
    /// The recorders of traced requests that are not sent yet, by request id.
    unsent: HashMap<u64, Recorder>,
    /// The calls whose request is open, by the key of that request.
    pub(super) waiting: HashMap<RequestKey, Call>,
}

impl ConnectionState {
    pub(crate) fn new(
        asked: Asked,
        cache: Option<Arc<Cache>>,
        max_rounds: u32,
        notices: NoticeSender,
        hello: oneshot::Sender<Result<ServerHello>>,
        skipped_lines: SkippedLines,
        tools: KnownTools,
    ) -> Self {
        Self {
            asked,
            cache,
            hello: Some(hello),
            is_lost: false,
            skipped_lines,
            carried: CarriedOver::new(tools),
            flushes: Vec::new(),
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

    pub(super) fn handle_command(&mut self, command: Command, peer: &mut Peer, now: Now) {
        match command {
            Command::Flush(sent) => self.flushes.push(sent),
            Command::Listen(ask) => self.listens.begin(*ask, &self.server, peer, now),
            Command::Notify { method, params } => peer.notify(&method, &params),
            // The caller gave up before the request was made.
            Command::Request(ask) if ask.answer.is_closed() => {}
            Command::Request(ask) => {
                if ask.method == SET_LEVEL {
                    self.carried.set_level = Some((ask.params.clone(), ask.options));
                }
                let until = now.monotonic.saturating_add(ask.options.hard);
                let key = peer.request(&ask.method, &ask.params, ask.options, now);
                self.wait(key, Call::new(*ask, until));
            }
            Command::SetLogLevel(level) => {
                self.carried.log_level = Some(level);
                peer.set_log_level(Some(level));
            }
            Command::SetRoots(roots) => {
                self.asked.set_roots(roots);
                if peer.revision().is_some_and(|revision| revision.has(Feature::RootsListChanged)) {
                    peer.notify("notifications/roots/list_changed", "{}");
                }
            }
            Command::Unlisten(ticket) => self.listens.unlisten(ticket, peer, now),
        }
    }

    /// Cancels the call with this ticket, because its caller has given up. Does nothing if the call has
    /// ended.
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
                    tracing::debug!("the server cancelled a question: {reason:?}");
                    self.pages.answered(key, &QuestionOutcome::Stopped);
                    if let Some((handler, _)) = self.requests.remove(&key) {
                        handler.abort();
                    }
                }
                Event::Connected(hello) => {
                    self.revision = Some(hello.revision);
                    self.server = hello.capabilities.clone();
                    self.greet(Ok(*hello));
                    self.restart(peer, now);
                }
                Event::Refused(error) => {
                    self.carried.failed = Some(error.message().to_owned());
                    self.greet(Err(Error::Rpc(error)));
                }
                Event::Result { request, result } => {
                    let raw = RawValue::from_string(result.text(frame).to_owned());
                    let raw = raw.map_err(|error| Error::Decode { message: error.to_string() });
                    self.settle(request, raw, frame.len(), peer, now);
                }
                Event::Failed { request, error } => {
                    self.pages.refused(&error);
                    let late = match *error.kind() {
                        ErrorKind::Late { is_idle } => {
                            let limit = if is_idle { "idle" } else { "hard" };
                            self.waiting.get(&request).map(|call| self.carried.late(call, limit))
                        }
                        _ => None,
                    };
                    let error = late.unwrap_or(Error::Rpc(error));
                    self.settle(request, Err(error), frame.len(), peer, now);
                }
                Event::InputRequired { request, result } => {
                    self.handle_questions(request, result, frame, peer, now);
                }
                Event::Progress { request, progress, total, message } => {
                    let Some(call) = self.waiting.get_mut(&request) else { continue };
                    if let Some(trace) = &call.ask.trace {
                        trace.note(Stage::Progress { bytes: frame.len() as u64, done: progress, total });
                    }
                    call.report(Progress { done: progress, total, message });
                }
                Event::ListChanged(list) => {
                    self.cache.as_ref().inspect(|cache| cache.list_changed(list));
                    self.listens.hear_list(list, peer, now);
                    self.notices.send(Notice::ListChanged(list), 0);
                }
                Event::SubscriptionNotice { request, news } => {
                    self.expire(&news);
                    self.listens.hear(request, news, peer, now);
                }
                Event::Notification { params: Some(span), .. }
                    if NoticeSender::is_too_large(span.text(frame).len()) =>
                {
                    tracing::debug!("a notification was dropped: it is larger than the queue of the program");
                }
                Event::Notification { method, params } => {
                    let method = method.string(frame).unwrap_or_default();
                    let notice = Notice::read(&method, params.map(|span| span.text(frame)));
                    match &notice {
                        Notice::ElicitationComplete { id } if !self.pages.complete(id) => {
                            tracing::debug!(
                                "the server reported a page as complete that is not open: {:?}",
                                shorten(id)
                            );
                            continue;
                        }
                        Notice::ResourceUpdated { uri } => {
                            self.cache.as_ref().inspect(|cache| cache.resource_changed(uri));
                            self.listens.hear_resource(uri, peer, now);
                        }
                        _ => {}
                    }
                    self.notices.send(notice, params.map_or(0, |span| span.text(frame).len()));
                }
                Event::Request { key, request: Request::Input { method, params }, meta } => {
                    for trace in self.waiting.values().filter_map(|call| call.ask.trace.as_ref()) {
                        trace.note(Stage::Asked { method: method.as_str() });
                    }
                    self.handle_request(key, method, params.map(|it| it.text(frame)), meta.revision, peer);
                }
                Event::Ignored(why) if self.hello.is_some() => self.skipped_lines.note(frame, &why),
                Event::Ignored(why) => self.skipped_lines.note_later(frame, &why),
                Event::Unresponsive => self.is_lost = true,
                Event::Initialized | Event::LogLevel(_) | Event::Request { .. } | Event::RootsChanged => {}
            }
        }
    }

    /// Handles a request that failed in transport and will get no answer. If it was part of the handshake,
    /// the handshake fails.
    #[cfg(feature = "http-client")]
    pub(super) fn fail(&mut self, request: RequestKey, error: Error, peer: &mut Peer, now: Now) {
        if self.waiting.contains_key(&request) || self.listens.has(request) {
            self.settle(request, Err(error), 0, peer, now);
        } else {
            // Before the handshake is complete, this is a request of the handshake. Afterwards it is a ping,
            // which has its own deadline.
            self.greet(Err(error));
        }
    }

    /// Handles a new session, or a broken stream that was opened again: clears the cache and renews the
    /// subscriptions.
    #[cfg(feature = "http-client")]
    pub(super) fn renewed(&mut self, peer: &mut Peer, now: Now) {
        self.cache.as_ref().inspect(|cache| cache.forget_all());
        self.listens.renewed(peer, now);
    }

    /// If `frame` is the request of a traced call, records in the trace that it was sent.
    pub(super) fn sent(&mut self, frame: &[u8]) {
        #[derive(Deserialize)]
        struct Numbered {
            id: Option<u64>,
            method: Option<serde::de::IgnoredAny>,
        }
        // Frames are parsed only while a traced request waits to be sent.
        if self.unsent.is_empty() {
            return;
        }
        let Ok(Numbered { id: Some(id), method: Some(_) }) = serde_json::from_slice(frame) else { return };
        if let Some(trace) = self.unsent.remove(&id) {
            trace.note(Stage::Sent { bytes: frame.len() as u64 });
        }
    }

    /// Removes from the cache the results that a change has made stale.
    fn expire(&self, news: &SubscriptionNotice) {
        let Some(cache) = &self.cache else { return };
        match news {
            SubscriptionNotice::ListChanged(list) => cache.list_changed(*list),
            SubscriptionNotice::ResourceUpdated(uri) => cache.resource_changed(uri),
            SubscriptionNotice::Acknowledged(_) | SubscriptionNotice::Ended => {}
        }
    }

    /// Handles the outcome of the next question handler that has ended. Pending if none has ended.
    pub(super) fn poll_questions(&mut self, peer: &mut Peer, now: Now, cx: &mut Context<'_>) -> Poll<()> {
        let (source, outcome) = ready!(self.questions.poll(cx));
        match source {
            QuestionSource::Request { key, revision } => {
                self.requests.remove(&key);
                self.pages.answered(key, &outcome);
                legacy_questions::respond(key, revision, outcome, peer);
            }
            QuestionSource::Round { ticket, index } => self.answered(ticket, index, outcome, peer, now),
        }
        Poll::Ready(())
    }

    /// Fails the handshake, the calls and the subscriptions that still wait, because the connection is over.
    pub(super) fn close(&mut self, why: &str) {
        let closed = || Error::Closed { why: why.to_owned() };
        self.greet(Err(closed()));
        for call in std::mem::take(&mut self.waiting).into_values() {
            let error = self.carried.lost(&call, why);
            let _ = call.ask.answer.send(Err(error));
        }
        for round in std::mem::take(&mut self.rounds).into_values() {
            let _ = round.call.ask.answer.send(Err(closed()));
        }
        self.give_up(why);
        self.listens.close(why);
    }

    /// Stores a call whose request was just made, until the answer to the request `key` arrives.
    pub(super) fn wait(&mut self, key: RequestKey, call: Call) {
        if let Some(trace) = &call.ask.trace {
            trace.note(Stage::Encoded { id: key.id() });
            self.unsent.insert(key.id(), trace.clone());
        }
        self.tickets.insert(call.ask.ticket, key);
        self.waiting.insert(key, call);
    }

    /// Reports the result of the first handshake to the builder of the client. Does nothing after that.
    fn greet(&mut self, outcome: Result<ServerHello>) {
        if let Some(hello) = self.hello.take() {
            let _ = hello.send(outcome.map_err(|error| self.skipped_lines.explain(error)));
        }
    }

    /// Passes an answer to the call or subscription that waits for it. `bytes` is the size of its frame, or 0
    /// if no frame arrived.
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
                self.carried.tools.learn(&call.ask.params, list.get());
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
}
