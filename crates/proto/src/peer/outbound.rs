//! The requests of this peer (*our* requests) that are not answered yet: ids, deadlines, progress.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{CallKey, Event, Now, Peer, Role, Route, TransmitKind, listening};
use crate::envelope::{self, Id, Params};
use crate::error::{Error, ErrorKind};
use crate::json::{Span, shorten, unquote};
use crate::revision::Feature;

/// The key of a request that this peer sent; its id on the wire is the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestKey(pub(super) u64);

impl RequestKey {
    /// Returns the id that the request has on the wire.
    pub fn id(self) -> u64 {
        self.0
    }
}

/// The deadlines of a request that this peer sends; [`Duration::MAX`] is no deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestOptions {
    /// Longest time to wait for the answer or for the next report of progress. Default 60 s: the usual
    /// timeout of clients.
    pub idle: Duration,
    /// Longest time to wait for the answer, regardless of progress. Default 10 min: no user watches for
    /// longer.
    pub hard: Duration,
}

impl RequestOptions {
    /// No deadlines, for requests that are meant to stay open.
    pub const UNLIMITED: Self = Self { idle: Duration::MAX, hard: Duration::MAX };
}

impl Default for RequestOptions {
    fn default() -> Self {
        Self { idle: Duration::from_secs(60), hard: Duration::from_secs(600) }
    }
}

#[derive(Debug)]
struct Waiting {
    /// The request of the other side on behalf of which this one was made; `None` if it was made for no
    /// request.
    call: Option<CallKey>,
    /// The monotonic time at which the request ends without an answer; progress moves it later, up to `hard`.
    deadline: Duration,
    /// The latest value that `deadline` can have.
    hard: Duration,
    /// Whether a question of the server has been answered since the idle deadline was last restarted: the server may need the
    /// whole idle time from then on.
    is_prolonged: bool,
    method: Box<str>,
    options: RequestOptions,
}

/// A request of this peer whose deadline has passed.
pub(super) struct Expired {
    /// Whether the deadline can be restarted: it is the idle deadline, not the hard one, and the idle time is
    /// not zero.
    pub(super) idle: bool,
    pub(super) key: RequestKey,
    /// Whether a question of the server was answered meanwhile.
    pub(super) prolonged: bool,
    pub(super) why: Error,
}

#[derive(Debug, Default)]
pub(super) struct Outbound {
    /// The requests in `waiting` that have a `call`: the call, and the number of the request.
    asked: BTreeSet<(CallKey, u64)>,
    /// The deadline and the number of each request in `waiting`.
    deadlines: BTreeSet<(Duration, u64)>,
    /// The number of the newest request; 0 before the first.
    last: u64,
    /// The requests that are not answered yet, by number.
    waiting: BTreeMap<u64, Waiting>,
}

impl Outbound {
    pub(super) fn open(
        &mut self,
        method: &str,
        call: Option<CallKey>,
        options: RequestOptions,
        now: Now,
    ) -> RequestKey {
        self.last += 1;
        let hard = now.monotonic.saturating_add(options.hard);
        let deadline = now.monotonic.saturating_add(options.idle).min(hard);
        self.deadlines.insert((deadline, self.last));
        let waiting = Waiting { call, deadline, hard, is_prolonged: false, method: method.into(), options };
        self.asked.extend(call.map(|call| (call, self.last)));
        self.waiting.insert(self.last, waiting);
        RequestKey(self.last)
    }

    /// Removes the request `key` and returns its method; `None` if it is not waiting for an answer.
    pub(super) fn close(&mut self, key: RequestKey) -> Option<Box<str>> {
        let waiting = self.waiting.remove(&key.0)?;
        if let Some(call) = waiting.call {
            self.asked.remove(&(call, key.0));
        }
        self.deadlines.remove(&(waiting.deadline, key.0));
        Some(waiting.method)
    }

    /// Returns the keys of the requests that this peer made on behalf of `call`, a request of the other side.
    pub(super) fn asked_for(&self, call: CallKey) -> Vec<RequestKey> {
        let asked = self.asked.range((call, 0)..=(call, u64::MAX));
        asked.map(|&(_, number)| RequestKey(number)).collect()
    }

    /// Returns the request of the other side on behalf of which this peer made its request `key`, if there is
    /// one.
    pub(super) fn call_of(&self, key: RequestKey) -> Option<CallKey> {
        self.waiting.get(&key.0)?.call
    }

    pub(super) fn first(&self) -> Option<RequestKey> {
        self.waiting.first_key_value().map(|(&number, _)| RequestKey(number))
    }

    pub(super) fn expired(&self, now: Now) -> Option<Expired> {
        let &(deadline, number) = self.deadlines.first()?;
        if deadline > now.monotonic {
            return None;
        }
        let waiting = self.waiting.get(&number)?;
        let idle = waiting.deadline != waiting.hard;
        let RequestOptions { idle: idle_time, hard: hard_time } = waiting.options;
        let (is_idle, time) = if idle { (true, idle_time) } else { (false, hard_time) };
        let limit = if is_idle { "idle deadline" } else { "deadline" };
        let text = format!("expected an answer to `{}`, but the {limit} of {time:?} passed", waiting.method);
        // With an idle time of zero, restarting the deadline would expire it again at once.
        let idle = idle && !idle_time.is_zero();
        let prolonged = waiting.is_prolonged;
        Some(Expired {
            idle,
            key: RequestKey(number),
            prolonged,
            why: Error::new(ErrorKind::Late { is_idle }, text),
        })
    }

    pub(super) fn next_deadline(&self) -> Option<Duration> {
        // `Duration::MAX` stands for "no deadline".
        self.deadlines.first().map(|&(deadline, _)| deadline).filter(|&deadline| deadline < Duration::MAX)
    }

    /// Returns the method of the request `key`; `None` if it is not waiting for an answer.
    pub(super) fn method(&self, key: RequestKey) -> Option<&str> {
        self.waiting.get(&key.0).map(|waiting| &*waiting.method)
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Restarts the idle deadline of a request, for example after progress; the hard deadline stays. Returns
    /// whether the request is still waiting for an answer.
    pub(super) fn touch(&mut self, key: RequestKey, now: Now) -> bool {
        let Some(waiting) = self.waiting.get_mut(&key.0) else { return false };
        self.deadlines.remove(&(waiting.deadline, key.0));
        waiting.deadline = now.monotonic.saturating_add(waiting.options.idle).min(waiting.hard);
        waiting.is_prolonged = false;
        self.deadlines.insert((waiting.deadline, key.0));
        true
    }

    /// Lets no request end at its present idle deadline: a question of the server was answered just now.
    pub(super) fn prolong(&mut self) {
        self.waiting.values_mut().for_each(|waiting| waiting.is_prolonged = true);
    }
}

/// The `resultType` of a result.
enum ResultType {
    Complete,
    InputRequired,
}

impl Peer {
    /// Sends a request. `params` is a JSON object. To the `_meta` of `params`, a client adds the members that the
    /// revision requires; a server adds nothing.
    ///
    /// A client always asks for progress, except in handshakes and `subscriptions/listen`. The answer comes
    /// as [`Event::Result`], [`Event::Failed`] or [`Event::InputRequired`].
    pub fn request(&mut self, method: &str, params: &str, options: RequestOptions, now: Now) -> RequestKey {
        let key = self.outbound.open(method, None, options, now);
        let mut out = self.buffer();
        envelope::begin_request(&mut out, &Id::Integer(key.0.into()), method);
        match &self.role {
            Role::Client(session) => session.write_params(&mut out, method, params, key),
            Role::Server(_) => crate::json::write::raw(&mut out, params),
        }
        envelope::end(&mut out);
        self.transmit(TransmitKind::Message, Route::Unsolicited, out);
        key
    }

    /// Sends a notification that belongs to no request; `params` is a JSON object.
    pub fn notify(&mut self, method: &str, params: &str) {
        self.notify_on(Route::Unsolicited, method, params);
    }

    /// Sends a notification beside the answer to the request `key`: on the stream of the request while the request
    /// is open, and otherwise like [`Self::notify`].
    pub fn notify_beside(&mut self, key: CallKey, method: &str, params: &str) {
        let route = if self.is_open(key) { Route::Request(key) } else { Route::Unsolicited };
        self.notify_on(route, method, params);
    }

    pub(super) fn notify_on(&mut self, route: Route, method: &str, params: &str) {
        let mut out = self.buffer();
        envelope::begin_notification(&mut out, method);
        crate::json::write::raw(&mut out, params);
        envelope::end(&mut out);
        self.transmit(TransmitKind::Message, route, out);
    }

    /// Ends a request of this peer without an event, and notifies the other side, except about a handshake.
    /// If an answer still comes, it is ignored.
    pub fn cancel(&mut self, request: RequestKey, reason: &str) {
        // The cancellation of a question goes to the stream on which it was asked.
        let route = self.outbound.call_of(request).map_or(Route::Unsolicited, Route::Request);
        // Spec: `initialize` is never cancelled. A server that did not answer `server/discover` may not know
        // cancellations.
        if self.outbound.close(request).is_some() && !self.is_handshake(request) {
            let reason = serde_json::Value::from(reason);
            let params = format!(r#"{{"requestId":{},"reason":{reason}}}"#, request.0);
            self.notify_on(route, "notifications/cancelled", &params);
        }
    }

    /// Drops the request of this peer with this id without notifying the other side. Returns its key, if its
    /// answer was still due.
    ///
    /// This is for transports that know that the answer is lost.
    pub fn abandon(&mut self, id: &Id) -> Option<RequestKey> {
        self.answered(id).map(|(request, _)| request)
    }

    pub(super) fn expire(&mut self, request: RequestKey, why: Error, now: Now) {
        self.cancel(request, why.message());
        self.handshake_is_overdue(request);
        self.settle(request, Err(why), now);
    }

    pub(super) fn handle_result(&mut self, frame: &str, id: &Id, result: Span, now: Now) {
        match self.answered(id) {
            Some((key, method)) => match self.check_result(frame, result, &method) {
                Ok(ResultType::Complete) if &*method == listening::METHOD => self.listening_ended(key),
                Ok(ResultType::Complete) => self.settle(key, Ok((frame, result)), now),
                Ok(ResultType::InputRequired) => {
                    self.events.push_back(Event::InputRequired { request: key, result });
                }
                Err(error) => self.settle(key, Err(error), now),
            },
            None if self.discovered_late(id, result.text(frame), now) => {}
            None if self.is_late_discovery(id) => {}
            None => self.note(&format!("answer to {id}, which was not asked")),
        }
    }

    pub(super) fn handle_error(&mut self, frame: &str, id: Option<&Id>, error: Span, now: Now) {
        let Some(id) = id else {
            return self.note(&format!("error without an id: {}", shorten(error.text(frame))));
        };
        match self.answered(id) {
            Some((key, method)) => {
                let error = Error::from_wire(error.text(frame), &method);
                self.settle(key, Err(error), now);
            }
            // A legacy server that was slow to start: the handshake has gone on without this answer.
            None if self.is_late_discovery(id) => {}
            None => self.note(&format!("error for {id}, which was not asked")),
        }
    }

    pub(super) fn handle_progress(&mut self, frame: &str, params: Params, now: Now) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Progress {
            progress_token: u64,
            progress: f64,
            total: Option<f64>,
            message: Option<String>,
        }
        let text = params.all.map_or("{}", |span| span.text(frame));
        // The program does not know the keys of the handshake and of automatic pings: no progress for them.
        let is_programs = |it: &Progress| {
            let request = RequestKey(it.progress_token);
            !self.is_handshake(request) && !self.keep_alive.is_ours(request)
        };
        match serde_json::from_str::<Progress>(text) {
            Ok(it) if is_programs(&it) && self.outbound.touch(RequestKey(it.progress_token), now) => {
                let request = RequestKey(it.progress_token);
                let (progress, total, message) = (it.progress, it.total, it.message);
                self.events.push_back(Event::Progress { request, progress, total, message });
            }
            Ok(it) => self.note(&format!("progress of {}, which is not waited for", it.progress_token)),
            Err(error) => self.note(&format!("progress that can't be read: {error}")),
        }
    }

    pub(super) fn answered(&mut self, id: &Id) -> Option<(RequestKey, Box<str>)> {
        let Id::Integer(number) = id else { return None };
        let key = RequestKey(u64::try_from(*number).ok()?);
        Some((key, self.outbound.close(key)?))
    }

    /// Checks that the result is an object, and returns its `resultType`.
    ///
    /// Spec: 2026-07-28 `basic/index` "ResultType": an absent type means `complete`; an unknown one is
    /// invalid, and so is `input_required` where `method` or the revision does not have it.
    fn check_result(&self, frame: &str, result: Span, method: &str) -> Result<ResultType, Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Typed<'t> {
            #[serde(borrow)]
            result_type: Option<&'t RawValue>,
        }
        let text = result.text(frame);
        let invalid = |text| Err(Error::new(ErrorKind::InvalidRequest, text));
        // Checked here because serde would also read a struct from an array.
        let Some(Ok(typed)) = text.starts_with('{').then(|| serde_json::from_str::<Typed<'_>>(text)) else {
            return invalid(format!("expected `result` to be an object, but found {}", shorten(text)));
        };
        match typed.result_type.map(RawValue::get) {
            None => Ok(ResultType::Complete),
            Some(kind) => match unquote(kind).as_deref() {
                Some("complete") => Ok(ResultType::Complete),
                // Spec: 2026-07-28 `mrtr` "Supported Requests".
                Some("input_required")
                    if matches!(method, "prompts/get" | "resources/read" | "tools/call")
                        && self.session_revision().is_some_and(|r| r.has(Feature::InputRequired)) =>
                {
                    Ok(ResultType::InputRequired)
                }
                _ => {
                    invalid(format!("expected `resultType` to be \"complete\", but found {}", shorten(kind)))
                }
            },
        }
    }

    /// Passes the outcome of a request of this peer to the handshake or to the keep-alive check, if they made
    /// the request; else to the program as an event.
    pub(super) fn settle(&mut self, request: RequestKey, answer: Result<(&str, Span), Error>, now: Now) {
        if self.is_handshake(request) {
            return self.handshake_answer(answer, now);
        }
        if self.keep_alive.is_ours(request) {
            return self.is_alive();
        }
        self.events.push_back(match answer {
            Ok((_, result)) => Event::Result { request, result },
            Err(error) => Event::Failed { request, error },
        });
    }
}
