//! What a call tells the client beside its answer: progress at a bearable rate, log messages, changed resources.
//!
//! In: what the handler says. Out: signals for the connection, as many as it can take; what is left out is said
//! later. Whether the client wants a message is looked up before anything is serialised.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plainwire_proto::model::LogLevel;
use plainwire_proto::peer::{Change, Peer, RequestMeta};
use plainwire_proto::revision::Era;
use serde::Serialize;
use tokio::time::Instant;

use super::{Context, Signal, Signals};

impl Context {
    /// Tells the client how far the call is. Sent only if the client asked, and only while the value increases.
    ///
    /// `done` and `total` have the same unit, whatever it is. Never waits: of reports that come faster than
    /// [`crate::Server::progress_rate`] allows, or while 1,024 of a connection are still unsent, the newest is kept and
    /// goes out right before the answer, unless a newer one goes out earlier.
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

    /// Sends what is due, in order, without the lock: to send wakes whoever waits for it. If another thread is at it
    /// already, or this one further up, that takes it along.
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

    /// Sends the client a log message, if it wants messages of this level. Any value that has JSON is the data, text
    /// or a map with the parts of the message for instance.
    ///
    /// Only on a server that says [`crate::Server::logging`]. Never waits: while 1,024 messages of a connection are
    /// unsent, further ones are left out, and one message says later how many. No secrets and no personal data: the
    /// client may show it to anybody.
    pub fn log(&self, level: LogLevel, data: impl Serialize) {
        self.log_from(None, level, || serde_json::to_string(&data));
    }

    /// As [`Self::log`], in the name of a part of the server.
    pub fn log_as(&self, logger: &str, level: LogLevel, data: impl Serialize) {
        self.log_from(Some(logger), level, || serde_json::to_string(&data));
    }

    /// Tells every client that subscribed to the resource `uri` that it holds something else now; as
    /// [`crate::ServerHandle::notify_resource_updated`].
    pub fn notify_resource_updated(&self, uri: impl Into<String>) {
        self.inner.shared.bus.publish(&Change::Resource(uri.into()));
    }

    /// Lets the client go for `retry`: the connection on which it waits for this call ends, the call goes on, and the
    /// client comes back for what was said meanwhile. For work that takes longer than a connection should be held.
    ///
    /// Source: 2025-11-25 transports. Does nothing where the client could not come back: in other revisions, and
    /// on transports other than HTTP.
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
            Err(error) => return tracing::warn!("a log message has no JSON: {error}"),
        };
        if !it.signals.logs.has_room() {
            return it.left_out.note(level);
        }
        if let Some((level, data)) = it.left_out.take() {
            // Beyond the limit by one for each message that fits: what was left out is said before what comes next.
            it.signals.logs.unsent.fetch_add(1, Ordering::Relaxed);
            it.signals.send(Signal::Log { key: it.key, level, logger: None, data });
        }
        it.signals.send(Signal::Log { key: it.key, level, logger: logger.map(ToOwned::to_owned), data });
    }

    /// Says what is still unsaid when the call is about to be answered.
    pub(crate) fn say_the_rest(&self, peer: &mut Peer) {
        let it = &self.inner;
        // What is held is newer than what is due; what is due and not sent yet would come too late.
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

/// How many reports of progress a call may send: so many at once, then so many in a second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgressRate {
    pub(crate) burst: u32,
    pub(crate) per_second: u32,
}

impl Default for ProgressRate {
    /// 64 at once: a loop over a few dozen steps is shown in full. 50 in a second: more than anybody sees.
    fn default() -> Self {
        Self { burst: 64, per_second: 50 }
    }
}

/// The rate of one call, and the report that waits for its turn. Shared by the clones of its context.
#[derive(Debug)]
pub(super) struct Throttle {
    /// What may be sent and is not yet. Invariant: empty unless `sending`, except right before.
    due: VecDeque<Report>,
    held: Option<Report>,
    last: Instant,
    rate: ProgressRate,
    /// Whether somebody sends what is due.
    sending: bool,
    tokens: f64,
}

#[derive(Clone, Debug)]
struct Report {
    done: f64,
    total: Option<f64>,
    message: Option<String>,
}

impl Throttle {
    /// The rate of a call whose client wants progress.
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

    /// Takes the next report that is due. After the last one nobody sends any more: whoever comes later has to.
    fn next_due(&mut self) -> Option<Report> {
        let due = self.due.pop_front();
        self.sending = due.is_some();
        due
    }

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

/// The log messages of a connection: what its session wants, and how many are unsent. Shared by the connection, which
/// writes the level, and its calls.
#[derive(Debug, Default)]
pub(crate) struct Logs {
    /// The number of the level, which `logging/setLevel` changes while calls run.
    level: AtomicU8,
    unsent: AtomicUsize,
}

/// Unsent log messages per connection: as many as reports of progress.
const MAX_LOGS: usize = 1_024;

impl Logs {
    pub(crate) fn set_level(&self, level: LogLevel) {
        self.level.store(level as u8, Ordering::Relaxed);
    }

    /// Takes note that a message left the queue.
    pub(crate) fn taken(&self) {
        self.unsent.fetch_sub(1, Ordering::Relaxed);
    }

    /// Counts one more message, if there is room for it.
    fn has_room(&self) -> bool {
        let room = self.unsent.fetch_add(1, Ordering::Relaxed) < MAX_LOGS;
        if !room {
            self.taken();
        }
        room
    }
}

/// Which messages of a call are wanted.
#[derive(Debug)]
pub(super) enum LogGate {
    Closed,
    /// By the request itself.
    Request(LogLevel),
    /// By the session, at the time of the message.
    Session(Arc<Logs>),
}

impl LogGate {
    pub(super) fn of(meta: &RequestMeta, signals: &Signals) -> Self {
        let era = meta.revision.era();
        match (meta.log_level, era) {
            (None, _) => Self::Closed,
            (Some(level), Era::Modern) => Self::Request(level),
            (Some(level), Era::Legacy) => {
                signals.logs.set_level(level);
                Self::Session(Arc::clone(&signals.logs))
            }
        }
    }

    fn passes(&self, level: LogLevel) -> bool {
        match self {
            Self::Closed => false,
            Self::Request(least) => level >= *least,
            Self::Session(logs) => level as u8 >= logs.level.load(Ordering::Relaxed),
        }
    }
}

/// The messages of a call that there was no room for.
#[derive(Debug, Default)]
pub(super) struct LeftOut(Mutex<Option<(LogLevel, usize)>>);

impl LeftOut {
    fn note(&self, level: LogLevel) {
        let mut left_out = lock(&self.0);
        let (most, count) = left_out.unwrap_or((level, 0));
        *left_out = Some((most.max(level), count + 1));
    }

    /// Takes the sentence that says how many there were. Its level is that of the weightiest of them, so that it passes
    /// where they would have.
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
    use std::sync::mpsc;
    use std::task::{Poll, Wake, Waker};
    use std::thread;

    use plainwire_proto::model::{Capabilities, Implementation};
    use plainwire_proto::peer::{Event, Now, ServerConfig};
    use serde_json::json;

    use super::super::{Channel, ContextSource};
    use super::*;
    use crate::server::handler::OnCancel;

    const CALL: &str =
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":1}}}"#;

    /// The context of a call that wants progress.
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
            carried: RefCell::default(),
            frame: CALL,
            key,
            made: OnceCell::new(),
            max_questions: 1,
            meta,
            method: "tools/call",
            name: "t",
            on_cancel: OnCancel::default(),
            principal: None,
            progress: ProgressRate::default(),
            shared: &Arc::default(),
            session: None,
            channel,
        };
        source.get()
    }

    /// Reports progress itself, the first time that it is woken.
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
        // Without an owner: if it hangs, it hangs for good.
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
}
