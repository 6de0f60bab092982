//! Panics of handlers: each is caught, and becomes one line of the log.
//!
//! In: code that may panic. Out: its result, or its panic. Rust's own hook would write the text of a panic to stderr
//! as it is, and that text may quote the other side. So a hook of this module records panics inside of [`catch`], and
//! the log writes them, escaped. The hook leaves other panics to Rust's own hook, and is not installed in a program
//! that has set a hook of its own.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, resume_unwind, set_hook, take_hook};
use std::sync::Once;
use std::thread;

/// A panic that was caught.
pub(crate) struct Panic {
    payload: Box<dyn Any + Send>,
    /// The panic as the hook has recorded it; `None` if the hook is not installed, or if the panic was logged already.
    seen: Option<Box<Seen>>,
}

/// A panic as the hook has recorded it.
struct Seen {
    /// The backtrace; `None` unless the environment (`RUST_BACKTRACE`) asks for it.
    backtrace: Option<Backtrace>,
    /// The place in the source, such as `src/main.rs:3:5`.
    place: String,
    text: String,
}

thread_local! {
    /// The number of calls of [`catch`] that this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// The panic that the hook has seen on this thread and that nothing has caught yet. On the heap, so that each call
    /// of [`catch`] takes only a pointer from here.
    static SEEN: Cell<Option<Box<Seen>>> = const { Cell::new(None) };
}

/// Runs `work`, and catches its panic.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    DEPTH.set(DEPTH.get() + 1);
    let done = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    let seen = SEEN.take();
    match done {
        Ok(done) => {
            // `work` has caught this panic itself, and the hook has written nothing.
            seen.iter().for_each(|seen| seen.log());
            Ok(done)
        }
        Err(payload) => Err(Panic { payload, seen }),
    }
}

/// Installs the hook, for a program whose log this library writes. A hook that the program has set stays.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    // With `panic = "abort"` nothing is caught, and after the hook no code runs that could log.
    if cfg!(panic = "abort") || thread::panicking() {
        return;
    }
    ONCE.call_once(|| {
        // Once a hook was taken, the next one is Rust's own.
        let (found, rusts) = (take_hook(), take_hook());
        // Rust's own hook has no data, so its type decides, and that is what the pointers beside the data tell apart.
        let is_rusts = std::ptr::eq(&raw const *found, &raw const *rusts);
        set_hook(if is_rusts { Box::new(move |info| see(info, &*rusts)) } else { found });
    });
}

/// The hook: records a panic that [`catch`] will catch, and leaves others to `rusts`, Rust's own hook.
fn see(info: &PanicHookInfo<'_>, rusts: &dyn Fn(&PanicHookInfo<'_>)) {
    if DEPTH.get() == 0 {
        return rusts(info);
    }
    let (earlier, seen) = (SEEN.take(), Seen::of(info));
    match earlier {
        None => SEEN.set(Some(Box::new(seen))),
        // The handler has caught the earlier one, or this is a panic while that one is under way: after such a panic
        // the process ends, so nothing is left for later.
        Some(earlier) => {
            earlier.log();
            seen.log();
        }
    }
}

impl Seen {
    fn of(info: &PanicHookInfo<'_>) -> Self {
        let backtrace = Some(Backtrace::capture()).filter(|it| it.status() == BacktraceStatus::Captured);
        let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        Self { backtrace, place, text: text(info.payload()).to_owned() }
    }

    /// Logs a panic that no caller of [`catch`] logs.
    fn log(&self) {
        let Self { backtrace, place, text } = self;
        tracing::error!(
            backtrace = backtrace.as_ref().map(tracing::field::display),
            "a handler panicked at {place}: {text}"
        );
    }
}

impl Panic {
    /// Continues the panic on this thread.
    pub(super) fn resume(mut self) -> ! {
        if DEPTH.get() > 0 {
            SEEN.set(self.seen.take());
        }
        // Elsewhere nothing is known to catch the panic, so it is logged here, by `drop`.
        let payload = std::mem::replace(&mut self.payload, Box::new(()));
        drop(self);
        resume_unwind(payload)
    }

    /// Logs that `name` has panicked.
    pub(crate) fn log(mut self, name: &str) {
        let text = text(&*self.payload);
        match self.seen.take().map(|seen| *seen) {
            Some(Seen { backtrace, place, .. }) => tracing::error!(
                backtrace = backtrace.as_ref().map(tracing::field::display),
                "{name} panicked at {place}: {text}"
            ),
            None => tracing::error!("{name} panicked: {text}"),
        }
    }
}

impl Drop for Panic {
    /// Logs a panic that nobody has logged: that of blocking work for which nobody waits any more.
    fn drop(&mut self) {
        self.seen.iter().for_each(|seen| seen.log());
    }
}

/// Returns the text of a panic.
fn text(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no text)")
}
