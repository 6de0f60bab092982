//! Notifications of a call to its client: progress at a limited rate, log messages, changed resources.
//!
//! In: calls of [`Context`] methods by the handler. Out: signals for the connection, up to its limits. Beyond
//! them, only the newest progress report and the number of left out log messages are sent, later. Whether the
//! client wants a message is checked before anything is serialized.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plainwire_proto::model::LogLevel;
use plainwire_proto::peer::{Change, Peer, RequestMeta};
use plainwire_proto::revision::Era;
use serde::Serialize;
use tokio::time::Instant;

use super::{Context, Signal, Signals};

impl Context {
    /// Reports the progress of the call. Sent only if the client asked for progress, and only if `done`
    /// increases.
    ///
    /// `done` and `total` have one unit of your choice. Never waits. If reports come faster than
    /// [`crate::Server::progress_rate`] allows, or 1,024 reports of the connection are unsent, only the
    /// newest is kept. It is sent right before the answer, unless a newer one can be sent earlier.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        let it = &self.inner;
        let Some(throttle) = &it.throttle else { return };
        let mut throttle = lock(throttle);
        let report = Report { done, total, message: message.map(ToOwned::to_owned) };
        if !throttle.takes_one() || !it.signals.progress_has_room() {
            throttle.held = Some(report);
            return;
        }
        throttle.held = None;
        throttle.due.push_back(report);
        drop(throttle);
        self.send_due();
    }

    /// Sends due reports in order, without holding the lock, since sending wakes the receiver. If another
    /// thread or an outer stack frame is already sending, it sends these reports too.
    fn send_due(&self) {
        let it = &self.inner;
        let Some(throttle) = &it.throttle else { return };
        if std::mem::replace(&mut lock(throttle).sending, true) {
            return;
        }
        loop {
            let due = lock(throttle).next_due();
            let Some(Report { done, total, message }) = due else { return };
            it.signals.send(Signal::Progress { key: it.key, done, total, message });
        }
    }

    /// Sends a log message to the client, if the client wants messages of this level. `data` is any value
    /// that serializes to JSON, for example text, or a map with the parts of the message.
    ///
    /// Has an effect only with [`crate::Server::logging`]. Never waits: if 1,024 messages of the connection
    /// are unsent, further ones are left out, and a later message says how many. Log no secrets and no
    /// personal data: the client may show the messages to anyone.
    pub fn log(&self, level: LogLevel, data: impl Serialize) {
        self.log_from(None, level, || serde_json::to_string(&data));
    }

    /// Like [`Self::log`], where `logger` names the part of the server that logs.
    pub fn log_as(&self, logger: &str, level: LogLevel, data: impl Serialize) {
        self.log_from(Some(logger), level, || serde_json::to_string(&data));
    }

    /// Notifies every client that subscribed to the resource `uri` that its contents have changed, like
    /// [`crate::ServerHandle::notify_resource_updated`].
    pub fn notify_resource_updated(&self, uri: impl Into<String>) {
        self.inner.bus.publish(&Change::Resource(uri.into()));
    }

    /// Closes the HTTP stream on which the client waits for this call. The call continues; the client
    /// reconnects after `retry` and gets the messages sent in the meantime. Use it for work that takes longer
    /// than a connection should stay open.
    ///
    /// Source: 2025-11-25 transports. Has no effect in other revisions and on transports other than HTTP,
    /// where clients can't reconnect.
    pub fn close_stream(&self, retry: Duration) {
        self.inner.signals.send(Signal::CloseStream { key: self.inner.key, retry });
    }

    fn log_from(
        &self,
        logger: Option<&str>,
        level: LogLevel,
        data: impl FnOnce() -> serde_json::Result<String>,
    ) {
        let it = &self.inner;
        if !it.log_gate.passes(level) {
            return;
        }
        let data = match data() {
            Ok(data) => data,
            Err(error) => return tracing::warn!("a log message can't be written as JSON: {error}"),
        };
        if !it.signals.logs.has_room() {
            return it.left_out.note(level);
        }
        if let Some((level, data)) = it.left_out.take() {
            // This extra message may exceed the limit by one. It is sent before the new message, because the
            // messages that were left out are older.
            it.signals.logs.unsent.fetch_add(1, Ordering::Relaxed);
            it.signals.send(Signal::Log { key: it.key, level, logger: None, data });
        }
        it.signals.send(Signal::Log { key: it.key, level, logger: logger.map(ToOwned::to_owned), data });
    }

    /// Sends the progress report that was held back and the number of left out log messages, right before the
    /// call is answered.
    pub(crate) fn send_held_back(&self, peer: &mut Peer) {
        let it = &self.inner;
        // A held report is newer than a due one. A report that is due but not yet sent would come after the
        // answer.
        let rest = it.throttle.as_ref().and_then(|throttle| {
            let mut throttle = lock(throttle);
            throttle.held.take().or_else(|| throttle.due.back().cloned())
        });
        if let Some(Report { done, total, message }) = rest {
            peer.progress(it.key, done, total, message.as_deref());
        }
        if let Some((level, data)) = it.left_out.take() {
            peer.log(it.key, level, None, &data);
        }
    }
}

/// The rate of progress notifications of a call: `burst` at once, then `per_second`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgressRate {
    pub(crate) burst: u32,
    pub(crate) per_second: u32,
}

impl Default for ProgressRate {
    /// Returns a rate of 64 at once, so that a loop over a few dozen steps is shown in full, and then 50 a
    /// second, more than users can see.
    fn default() -> Self {
        Self { burst: 64, per_second: 50 }
    }
}

/// The limiter of one call's progress notifications, with the report that is held back. Shared by the clones
/// of its context.
#[derive(Debug)]
pub(super) struct Throttle {
    /// Reports that may be sent but are not yet. Invariant: empty unless `sending`, except right before
    /// sending begins.
    due: VecDeque<Report>,
    /// The newest report that could not be sent yet; `None` if a newer one was sent.
    held: Option<Report>,
    /// The time at which `tokens`, the number of reports that may be sent, was last updated.
    last: Instant,
    rate: ProgressRate,
    /// Whether a thread is sending due reports.
    sending: bool,
    /// The number of reports that may be sent now. Grows with time, up to `rate.burst`.
    tokens: f64,
}

#[derive(Clone, Debug)]
struct Report {
    done: f64,
    total: Option<f64>,
    message: Option<String>,
}

impl Throttle {
    /// Creates the throttle of a call; `None` if its client wants no progress.
    pub(super) fn of(meta: &RequestMeta, rate: ProgressRate) -> Option<Mutex<Self>> {
        meta.meta.progress_token?;
        Some(Mutex::new(Self {
            due: VecDeque::new(),
            held: None,
            last: Instant::now(),
            rate,
            sending: false,
            tokens: rate.burst.into(),
        }))
    }

    /// Takes the next due report. If there is none, resets `sending`, so that the next thread that reports
    /// progress sends its report itself.
    fn next_due(&mut self) -> Option<Report> {
        let due = self.due.pop_front();
        self.sending = due.is_some();
        due
    }

    /// Updates `tokens`, the number of reports that may be sent now, and takes one of them. Returns whether
    /// there was one.
    fn takes_one(&mut self) -> bool {
        let now = Instant::now();
        let gained = now.duration_since(self.last).as_secs_f64() * f64::from(self.rate.per_second);
        self.tokens = (self.tokens + gained).min(self.rate.burst.into());
        self.last = now;
        let takes = self.tokens >= 1.0;
        if takes {
            self.tokens -= 1.0;
        }
        takes
    }
}

/// The log level and the number of unsent log messages of a connection. Shared by the connection, which sets
/// the level, and its calls.
#[derive(Debug, Default)]
pub(crate) struct Logs {
    /// The lowest level of messages that the client wants, as a number. `logging/setLevel` changes it while
    /// calls run.
    level: AtomicU8,
    /// The number of log messages in the queue of signals to the connection.
    unsent: AtomicUsize,
}

/// The limit of unsent log messages per connection, equal to that of progress reports.
const MAX_LOGS: usize = 1_024;

impl Logs {
    pub(crate) fn set_level(&self, level: LogLevel) {
        self.level.store(level as u8, Ordering::Relaxed);
    }

    /// Subtracts a log message that left the queue from the number of unsent ones.
    pub(crate) fn taken(&self) {
        self.unsent.fetch_sub(1, Ordering::Relaxed);
    }

    /// Counts one more unsent log message, unless there are [`MAX_LOGS`] already. Returns whether it was
    /// counted.
    fn has_room(&self) -> bool {
        let room = self.unsent.fetch_add(1, Ordering::Relaxed) < MAX_LOGS;
        if !room {
            self.taken();
        }
        room
    }
}

/// The filter for the log messages of a call.
#[derive(Debug)]
pub(super) enum LogGate {
    /// Passes no log messages: the client wants none, or the server has no `logging` capability.
    Closed,
    /// Passes messages of at least the level that the request names in its `_meta`.
    Request(LogLevel),
    /// Passes messages of at least the level that the session (`logging/setLevel`) has at the time of the
    /// message.
    Session(Signals),
}

impl LogGate {
    pub(super) fn of(meta: &RequestMeta, signals: &Signals) -> Self {
        let era = meta.revision.era();
        match (meta.log_level, era) {
            (None, _) => Self::Closed,
            (Some(level), Era::Modern) => Self::Request(level),
            (Some(level), Era::Legacy) => {
                signals.logs.set_level(level);
                Self::Session(signals.clone())
            }
        }
    }

    fn passes(&self, level: LogLevel) -> bool {
        match self {
            Self::Closed => false,
            Self::Request(least) => level >= *least,
            Self::Session(signals) => level as u8 >= signals.logs.level.load(Ordering::Relaxed),
        }
    }
}

/// The highest level and the number of the log messages of a call that were left out; `None` if there are
/// none.
#[derive(Debug, Default)]
pub(super) struct LeftOut(Mutex<Option<(LogLevel, usize)>>);

impl LeftOut {
    fn note(&self, level: LogLevel) {
        let mut left_out = lock(&self.0);
        let (most, count) = left_out.unwrap_or((level, 0));
        *left_out = Some((most.max(level), count + 1));
    }

    /// Returns the level and the JSON text of a message that says how many messages were left out, and counts
    /// from 0 again. The level is the highest of those messages, so that a client that wants any of them also
    /// gets this one.
    fn take(&self) -> Option<(LogLevel, String)> {
        let (level, count) = lock(&self.0).take()?;
        Some((level, format!("\"{count} log messages were left out\"")))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::cell::{OnceCell, RefCell};
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, mpsc};
    use std::task::{Poll, Wake, Waker};
    use std::thread;

    use plainwire_proto::envelope::Id;
    use plainwire_proto::model::{Capabilities, Implementation};
    use plainwire_proto::peer::{Event, Now, ServerConfig};
    use serde_json::json;

    use super::super::{Channel, ContextSource, Headers, SignalSource};
    use super::*;
    use crate::server::context::on_cancel::OnCancel;

    const CALL: &str =
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":1}}}"#;

    /// Returns the context of a call that wants progress.
    fn context(channel: &Channel) -> Context {
        let info = Implementation::new("s", "1");
        let mut capabilities = Capabilities::default();
        capabilities.declare("tools", json!({}));
        let mut peer = Peer::server(Arc::new(ServerConfig::new(info, capabilities)));
        let mut events = Vec::new();
        for frame in [
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
            CALL,
        ] {
            peer.handle_frame(frame.as_bytes(), Now::default());
            events.extend(std::iter::from_fn(|| peer.poll_event()));
        }
        let Some(Event::Request { key, meta, .. }) = events.pop() else { panic!("{events:?}") };
        let source = ContextSource {
            arguments: "{}",
            bus: &Arc::default(),
            carried: RefCell::default(),
            frame: CALL,
            headers: &Headers::default(),
            id: &Id::Integer(2),
            key,
            made: OnceCell::new(),
            max_questions: 1,
            meta,
            method: "tools/call",
            name: "t",
            on_cancel: OnCancel::default(),
            principal: None,
            progress: ProgressRate::default(),
            session: None,
            states: &Arc::default(),
            queue: SignalSource::Channel(channel),
        };
        source.get()
    }

    /// A waker that reports progress the first time it is woken.
    struct Reports(Context, AtomicBool);

    impl Wake for Reports {
        fn wake(self: Arc<Self>) {
            if !self.1.swap(true, Ordering::SeqCst) {
                self.0.progress(2.0, None, None);
            }
        }
    }

    #[test]
    fn whoever_hears_of_progress_may_report_some_and_the_order_is_kept() {
        let (done, is_done) = mpsc::channel();
        // Detached: a thread that hangs can't be stopped.
        thread::spawn(move || {
            let mut channel = Channel::default();
            let context = context(&channel);
            let waker = Waker::from(Arc::new(Reports(context.clone(), AtomicBool::new(false))));
            assert!(channel.poll_next(&mut std::task::Context::from_waker(&waker)).is_pending());
            context.progress(1.0, None, None);
            context.progress(3.0, None, None);
            let mut cx = std::task::Context::from_waker(Waker::noop());
            let mut reports = Vec::new();
            while let Poll::Ready(Some(Signal::Progress { done, .. })) = channel.poll_next(&mut cx) {
                reports.push(done);
            }
            done.send(reports).expect("a test that waits");
        });
        assert_eq!(is_done.recv_timeout(Duration::from_secs(10)).expect("an end in time"), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn of_the_reports_of_complete_pages_1024_wait_until_they_are_sent() {
        let mut channel = Channel::default();
        let context = context(&channel);
        for _ in 0..1_100 {
            context.inner.signals.page_complete(context.inner.key, "page");
        }
        let waiting = std::iter::from_fn(|| channel.try_next()).count();
        assert_eq!(waiting, 1_024);
    }
}
