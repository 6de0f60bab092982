//! One side of a connection: a state machine without I/O, clock or randomness.
//!
//! In: frames of the other side ([`Peer::handle_frame`]), the time ([`Peer::handle_timeout`]), and the
//! answers, requests and notifications that the program wants to send ([`Peer::respond`], [`Peer::request`],
//! [`Peer::notify`] and others). Out: events for the program ([`Peer::poll_event`]), frames to send
//! ([`Peer::poll_transmit`]), and the next deadline ([`Peer::poll_timeout`]).
//!
//! Call order: after each `handle_*`, call `poll_event` until it returns `None`, before you handle the next
//! frame, since events point into the frame. Then do the same with `poll_transmit`. Then wait for the next
//! frame or for the time that `poll_timeout` returns.
//!
//! A peer does not run the code behind tools, resources and prompts, does not know which of them exist, and
//! does not decide when to close a connection.
//!
//! Words: *our* requests are those that this peer sends. A *legacy* session begins with `initialize`; a
//! *modern* request (2026-07-28) describes itself in `_meta`. A *question* is an elicitation, sampling or
//! roots request of a server to its client. A *listen* is a `subscriptions/listen` request, which stays open.
//! A request of the other side is *open* until it is answered or cancelled, and *in flight* until it is
//! answered or, once cancelled, until the work for it has ended.

mod asking;
mod batch;
mod client;
mod config;
mod event;
mod hello;
mod inbound;
mod keep_alive;
mod listening;
mod logging;
mod outbound;
mod pool;
mod record;
mod server;
mod subscriptions;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

pub use config::{ClientConfig, EraChoice, Limits, ServerConfig};
pub use event::{Event, Request, RequestMeta, Route, SubscriptionNotice, Transmit, TransmitKind};
pub use inbound::CallKey;
pub use outbound::{RequestKey, RequestOptions};
pub use server::Client;
pub use subscriptions::Change;

use crate::codec::Encoder;
use crate::envelope::{self, Id, Malformed, Message, Params};
use crate::error::{Error, ErrorKind};
use crate::json::Span;
use crate::model::{CallToolResult, Content};
use crate::revision::{Feature, Revision};
use batch::Batches;
use inbound::{Answer, Inbound, Open};
use keep_alive::KeepAlive;
use outbound::Outbound;
use pool::Pool;
use subscriptions::Subscriptions;

/// The current time, supplied by the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Now {
    /// Time since some fixed moment; never goes back. Deadlines are measured with it.
    pub monotonic: Duration,
    /// Time since 1970-01-01 00:00 UTC; may jump. Expiry times that leave the process are measured with it.
    pub unix: Duration,
}

/// One side of a connection: a client or a server.
#[derive(Debug)]
pub struct Peer {
    role: Role,
    limits: Limits,
    batches: Batches,
    /// Whether the other side has closed its sending direction: no more messages will come in.
    ended: bool,
    events: VecDeque<Event>,
    inbound: Inbound,
    keep_alive: KeepAlive,
    outbound: Outbound,
    pool: Pool,
    subscriptions: Subscriptions,
    transmits: VecDeque<Transmit>,
}

#[derive(Debug)]
enum Role {
    Client(Box<client::Session>),
    Server(server::Session),
}

impl Peer {
    /// Creates the server's side of a connection.
    pub fn server(config: Arc<ServerConfig>) -> Self {
        let (limits, keep_alive) = (config.limits, config.keep_alive);
        Self::new(Role::Server(server::Session::new(config)), limits, keep_alive)
    }

    /// Creates the client's side of a connection. [`Self::connect`] starts the handshake.
    pub fn client(config: ClientConfig) -> Self {
        let (limits, keep_alive) = (config.limits, config.keep_alive);
        Self::new(Role::Client(Box::new(client::Session::new(config))), limits, keep_alive)
    }

    fn new(role: Role, limits: Limits, keep_alive: Option<Duration>) -> Self {
        Self {
            role,
            limits,
            batches: Batches::default(),
            ended: false,
            events: VecDeque::new(),
            inbound: Inbound::default(),
            keep_alive: KeepAlive::new(keep_alive),
            outbound: Outbound::default(),
            pool: Pool::default(),
            subscriptions: Subscriptions::default(),
            transmits: VecDeque::new(),
        }
    }

    /// Handles a frame from the other side: the bytes of one message or one batch.
    pub fn handle_frame(&mut self, frame: &[u8], now: Now) {
        self.keep_alive.heard(now);
        let text = match std::str::from_utf8(frame) {
            Ok(text) => text,
            Err(error) => return self.refuse_bytes(frame, error.valid_up_to(), now),
        };
        if envelope::is_batch(text) {
            self.handle_batch(text, now);
        } else {
            self.handle_message(text, Span::whole(text), Answer::Alone, now);
        }
    }

    /// Like [`Self::handle_frame`], but for a message that [`crate::envelope::parse`] has already parsed. Its
    /// spans point into `text`.
    pub fn handle_parsed(&mut self, text: &str, parsed: Result<Message, Malformed>, now: Now) {
        self.keep_alive.heard(now);
        self.handle_outcome(text, parsed, Answer::Alone, now);
    }

    /// Refuses a frame over the limit `frame_in`. `prefix` is its beginning, from which the id is read.
    pub fn handle_oversize(&mut self, prefix: &[u8], now: Now) {
        self.keep_alive.heard(now);
        let limit = self.limits.frame_in;
        let error = Error::new(
            ErrorKind::InvalidRequest,
            format!("expected a message of at most {limit} bytes (limit `frame_in`), but found a longer one"),
        );
        let malformed = envelope::cut_off(readable(prefix), self.limits.depth, error);
        self.refuse(Answer::Alone, malformed, now);
    }

    /// Handles the passage of time: ends requests of this peer whose deadline has passed, with an error, and
    /// runs the keep-alive check. While a client works on a question, its own requests do not end at their
    /// idle deadline, and they have at least their idle time after its answer, unless their idle time is zero.
    pub fn handle_timeout(&mut self, now: Now) {
        self.check_silence(now);
        while let Some(expired) = self.outbound.expired(now) {
            // While this client works on a question of the server, the server may be waiting for the answer
            // to it before it sends anything for our request. After the answer, it has the idle time once more.
            let is_asked = matches!(self.role, Role::Client(_)) && self.inbound.len() > 0;
            if expired.idle && (is_asked || expired.prolonged) {
                self.outbound.touch(expired.key, now);
            } else {
                self.expire(expired.key, expired.why, now);
            }
        }
    }

    /// Returns the next event; `None` if there is none.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Returns the next frame to send, without a line break at its end; `None` if there is none.
    pub fn poll_transmit(&mut self) -> Option<Transmit> {
        self.transmits.pop_front()
    }

    /// Returns the monotonic time at which to call [`Self::handle_timeout`]; `None` if there is no deadline.
    pub fn poll_timeout(&self) -> Option<Duration> {
        [self.outbound.next_deadline(), self.silence_ends()].into_iter().flatten().min()
    }

    /// Takes back the buffer of a frame that was sent, to reuse it for a later frame.
    pub fn recycle(&mut self, buffer: Vec<u8>) {
        self.pool.give(buffer);
    }

    /// Answers the request `key`. `write` writes the value of `result`, usually with [`Self::encoder`].
    ///
    /// Sends nothing if the request was cancelled or was answered before. A result over the limit `frame_out`
    /// is replaced with an error. The questions asked on behalf of the request are withdrawn.
    pub fn respond(&mut self, key: CallKey, write: impl FnOnce(&mut Vec<u8>)) {
        let Some((open, route)) = self.close(key) else { return };
        let mut out = self.buffer();
        envelope::begin_result(&mut out, &open.id);
        write(&mut out);
        envelope::end(&mut out);
        let found = self.batches.gathered(open.answer) + out.len();
        if found > self.limits.frame_out {
            let limit = self.limits.frame_out;
            self.recycle(out);
            let text =
                format!("expected a result of at most {limit} bytes (limit `frame_out`), but found {found}");
            let error = Error::new(ErrorKind::Internal, text);
            return self.send_error(open.answer, route, Some(&open.id), &error, Some(open.revision));
        }
        self.send(open.answer, TransmitKind::Answer, route, out);
    }

    /// Answers the request `key` with an error. Sends nothing if the request was cancelled or was answered
    /// before.
    pub fn respond_error(&mut self, key: CallKey, error: &Error) {
        if let Some((open, route)) = self.close(key) {
            self.send_error(open.answer, route, Some(&open.id), error, Some(open.revision));
        }
    }

    /// Answers the request `key`, whose arguments violate the schema of its tool or prompt.
    ///
    /// Spec: since 2025-11-25 a tool reports this in its result, where the model can read it. In older
    /// revisions, and for requests other than tool calls, it is the error -32602.
    pub fn respond_invalid_arguments(&mut self, key: CallKey, message: &str) {
        if !self.inbound.answers_in_results(key) {
            return self.respond_error(key, &Error::new(ErrorKind::InvalidParams, message));
        }
        let encoder = self.encoder(key);
        let result = CallToolResult {
            content: vec![Content::text(message)],
            is_error: true,
            ..CallToolResult::default()
        };
        self.respond(key, |out| encoder.call_tool(out, &result));
    }

    /// Reports that the work for the request `key` has ended. A cancelled request is in flight until then.
    ///
    /// A request that was neither answered nor cancelled is answered with an error.
    pub fn finished(&mut self, key: CallKey) {
        let text = "expected the work to end with an answer, but found that it ended without one";
        self.respond_error(key, &Error::new(ErrorKind::Internal, text));
    }

    /// Sends progress of the request `key`, if the request is still open and carried a progress token.
    ///
    /// Spec: progress must increase each time. A value that does not increase is not sent. `message` is left
    /// out in 2024-11-05, which lacks it.
    pub fn progress(&mut self, key: CallKey, progress: f64, total: Option<f64>, message: Option<&str>) {
        let Some((token, revision)) = self.inbound.advance(key, progress) else { return };
        let mut out = self.pool.take();
        inbound::write_progress(
            &mut out,
            token,
            progress,
            total,
            message.filter(|_| revision.has(Feature::ProgressMessage)),
        );
        self.transmit(TransmitKind::Message, Route::Request(key), out);
    }

    /// Ends the HTTP stream of the open request `key` before its answer: the client connects again after
    /// `retry` to receive the answer and all other messages still to come. Does nothing in revisions without
    /// [`Feature::PrimedStreams`].
    ///
    /// Source: 2025-11-25 transports "Sending Messages to the Server" 6.
    pub fn close_stream(&mut self, key: CallKey, retry: Duration) {
        if self.inbound.revision(key).is_some_and(|revision| revision.has(Feature::PrimedStreams)) {
            self.transmit(TransmitKind::Close(retry), Route::Request(key), Vec::new());
        }
    }

    /// Returns the number of requests of the other side in flight, without `subscriptions/listen` requests.
    /// Cancelled requests count until the work for them has ended.
    pub fn in_flight(&self) -> usize {
        self.inbound.len() - self.subscriptions.listens()
    }

    /// Returns the id of the request `key`, as the other side chose it; `None` once it is answered or cancelled.
    pub fn request_id(&self, key: CallKey) -> Option<&Id> {
        self.inbound.get(key).map(|open| &open.id)
    }

    /// Returns whether the answer to the request `key` is still due.
    pub fn is_open(&self, key: CallKey) -> bool {
        self.inbound.get(key).is_some()
    }

    /// Returns the number of requests that this peer sent and that are not answered yet.
    pub fn waiting(&self) -> usize {
        self.outbound.len()
    }

    /// Ends a request of the other side and withdraws the questions asked on behalf of it. Returns the
    /// request and the route for its answer, if the answer is still due.
    fn close(&mut self, key: CallKey) -> Option<(Open, Route)> {
        let open = self.inbound.close(key)?;
        self.withdraw(key);
        if matches!(self.role, Role::Client(_)) {
            self.outbound.prolong();
        }
        if open.is_listen {
            self.subscriptions.end(key);
            return Some((open, Route::Listen(key)));
        }
        Some((open, Route::Request(key)))
    }

    fn handle_message(&mut self, frame: &str, place: Span, answer: Answer, now: Now) {
        let parsed = envelope::parse(frame, place, self.limits.depth);
        self.handle_outcome(frame, parsed, answer, now);
    }

    fn handle_outcome(&mut self, frame: &str, parsed: Result<Message, Malformed>, answer: Answer, now: Now) {
        match parsed {
            Ok(Message::Request { id, method, params }) => {
                self.handle_request(frame, id, method, params, answer, now)
            }
            Ok(Message::Notification { method, params }) => {
                self.handle_notification(frame, method, params, now)
            }
            Ok(Message::Result { id, result }) => self.handle_result(frame, &id, result, now),
            Ok(Message::Error { id, error }) => self.handle_error(frame, id.as_ref(), error, now),
            Err(malformed) => self.refuse(answer, malformed, now),
        }
    }

    fn handle_request(
        &mut self,
        frame: &str,
        id: Id,
        method: Span,
        params: Params,
        answer: Answer,
        now: Now,
    ) {
        if self.inbound.holds(&id) {
            let text = format!("expected `id` to be new, but found {id}, which is in flight");
            let error = Error::new(ErrorKind::InvalidRequest, text);
            return self.send_error(answer, Route::Unsolicited, Some(&id), &error, self.error_revision());
        }
        match &mut self.role {
            Role::Server(_) => self.serve(frame, id, method, params, answer, now),
            Role::Client(_) => self.serve_as_client(frame, id, method, params, answer),
        }
    }

    fn handle_notification(&mut self, frame: &str, method: Span, params: Params, now: Now) {
        if let (Role::Client(_), Some(id)) = (&self.role, params.meta.subscription_id) {
            return self.handle_news(frame, id, method, params);
        }
        match &*method.string(frame).unwrap_or_default() {
            "notifications/cancelled" => self.handle_cancelled(frame, params.request_id, params),
            // This method is from LSP, and some guides to MCP describe it. It is accepted, but never sent.
            "$/cancelRequest" => self.handle_cancelled(frame, params.id, params),
            "notifications/progress" => self.handle_progress(frame, params, now),
            "notifications/initialized" => self.handle_initialized(),
            "notifications/roots/list_changed" => self.events.push_back(Event::RootsChanged),
            "notifications/tools/list_changed" => {
                self.events.push_back(Event::ListChanged(crate::cursor::List::Tools))
            }
            "notifications/prompts/list_changed" => {
                self.events.push_back(Event::ListChanged(crate::cursor::List::Prompts));
            }
            "notifications/resources/list_changed" => {
                self.events.push_back(Event::ListChanged(crate::cursor::List::Resources));
            }
            _ => self.events.push_back(Event::Notification { method, params: params.all }),
        }
    }

    fn handle_cancelled(&mut self, frame: &str, id: Option<Span>, params: Params) {
        let Some(id) = id.and_then(|span| Id::parse(span.text(frame))) else {
            return self.note("expected `requestId` of a cancellation to be a string or a whole number");
        };
        match self.inbound.cancel(&id) {
            Some((key, answer)) => {
                // No work is done for a listen, so nothing else would free its slot.
                if self.subscriptions.end(key) {
                    self.inbound.close(key);
                }
                self.events.push_back(Event::Cancelled { key, reason: inbound::reason(frame, params) });
                self.withdraw(key);
                self.batch_step(answer, None);
            }
            None if self.is_listening(&id) => self.handle_listening_cancelled(&id),
            // Spec: cancellations of unknown or finished requests are ignored.
            None => self.note(&format!("cancellation of {id}, which is not in flight")),
        }
    }

    /// Handles a malformed message. A malformed answer to an open request of this peer ends that request with
    /// an error. Anything else is reported for logs; a server, but not a client, also answers it with an
    /// error if its sender waits for an answer.
    fn refuse(&mut self, answer: Answer, malformed: Malformed, now: Now) {
        let Malformed { error, id, .. } = malformed;
        if malformed.is_answer
            && let Some((key, _)) = id.as_ref().and_then(|id| self.answered(id))
        {
            return self.settle(key, Err(error), now);
        }
        self.note(error.message());
        match self.role {
            Role::Server(_) if malformed.answer => {
                self.send_error(answer, Route::Unsolicited, id.as_ref(), &error, self.error_revision());
            }
            // Spec: 2026-07-28 stdio "Sending Messages": a client writes no answers. In older sessions a
            // malformed line from a server is usually log output, not a request.
            Role::Client(_) if malformed.answer => self.batch_step(answer, None),
            _ => {}
        }
    }

    fn refuse_bytes(&mut self, frame: &[u8], at: usize, now: Now) {
        let byte = frame.get(at).copied().unwrap_or_default();
        let text = format!("expected UTF-8, but found the byte 0x{byte:02x} at {at}");
        let error = Error::new(ErrorKind::Parse, text);
        let malformed = envelope::cut_off(readable(frame), self.limits.depth, error);
        self.refuse(Answer::Alone, malformed, now);
    }

    fn send_error(
        &mut self,
        answer: Answer,
        route: Route,
        id: Option<&Id>,
        error: &Error,
        revision: Option<Revision>,
    ) {
        let mut out = self.buffer();
        envelope::error(&mut out, id, error, revision);
        self.send(answer, TransmitKind::Error(error.kind().clone()), route, out);
    }

    fn send(&mut self, answer: Answer, kind: TransmitKind, route: Route, bytes: Vec<u8>) {
        match answer {
            Answer::Alone => self.transmit(kind, route, bytes),
            Answer::InBatch(_) => self.batch_step(answer, Some(bytes)),
        }
    }

    fn transmit(&mut self, kind: TransmitKind, route: Route, bytes: Vec<u8>) {
        self.transmits.push_back(Transmit { kind, route, bytes });
    }

    /// Reports `text` for logs, as [`Event::Ignored`].
    fn note(&mut self, text: &str) {
        self.events.push_back(Event::Ignored(text.to_owned()));
    }

    fn buffer(&mut self) -> Vec<u8> {
        self.pool.take()
    }

    fn error_revision(&self) -> Option<Revision> {
        match &self.role {
            Role::Client(session) => session.revision(),
            Role::Server(session) => session.error_revision(),
        }
    }

    fn session_revision(&self) -> Option<Revision> {
        match &self.role {
            Role::Client(session) => session.revision(),
            Role::Server(session) => session.revision(),
        }
    }
}

impl Peer {
    /// Returns the encoder for results of the request `key`, in the revision of that request; in the newest
    /// legacy revision if the request is no longer open.
    pub fn encoder(&self, key: CallKey) -> Encoder {
        let revision = self.inbound.revision(key).unwrap_or(Revision::NEWEST_LEGACY);
        match &self.role {
            Role::Client(_) => Encoder::new(revision, None),
            Role::Server(session) => session.encoder(revision).clone(),
        }
    }
}

/// Returns the beginning of `bytes`, up to the first invalid UTF-8, as text.
fn readable(bytes: &[u8]) -> &str {
    let end = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    std::str::from_utf8(&bytes[..end]).unwrap_or("")
}

#[cfg(test)]
mod tests;
