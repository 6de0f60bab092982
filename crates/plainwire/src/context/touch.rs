//! What a call tells the client beside its answer: progress at a bearable rate, log messages, changed resources.
//!
//! In: what the handler says. Out: signals for the connection, as many as it can take; what is left out is said
//! later. Whether the client wants a message is looked up before anything is serialised.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
        if throttle.takes_one() && it.signals.progress_has_room() {
            throttle.held = None;
            let Report { done, total, message } = report;
            it.signals.send(Signal::Progress { key: it.key, done, total, message });
        } else {
            throttle.held = Some(report);
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
        if let Some(Report { done, total, message }) =
            it.throttle.as_ref().and_then(|throttle| lock(throttle).held.take())
        {
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
    held: Option<Report>,
    last: Instant,
    rate: ProgressRate,
    tokens: f64,
}

#[derive(Debug)]
struct Report {
    done: f64,
    total: Option<f64>,
    message: Option<String>,
}

impl Throttle {
    /// The rate of a call whose client wants progress.
    pub(super) fn of(meta: &RequestMeta, rate: ProgressRate) -> Option<Mutex<Self>> {
        meta.meta.progress_token?;
        Some(Mutex::new(Self { held: None, last: Instant::now(), rate, tokens: rate.burst.into() }))
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
