//! A child process and its process group, from the start until no process of the group is left.
//!
//! In: a child that was started. Out: its exit status, and the shutdown of its group. A thread waits for the
//! child. As soon as the child has ended, this thread reaps it and ends the processes left in its group.
//! Dropping a [`Process`] shuts it down on another thread.

use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{io, thread};

use super::group::Group;
use super::last_words::{LastWords, with_last_words};
use super::slot::{INPUT_CLOSED, OUTPUT_CLOSED};
#[cfg(unix)]
use super::watchdog::{Watch, watch};

/// The time between SIGTERM and SIGKILL. 2 s: the group had its grace period before.
const TERM_WAIT: Duration = Duration::from_secs(2);

/// The grace period and the [`TERM_WAIT`] of a server that never completed the handshake. If a server ends
/// without a shutdown and leaves processes behind, they also get this time between SIGTERM and SIGKILL: they
/// may hold its output open.
const HASTE: Duration = Duration::from_millis(300);

/// Time limit for the end of a process after SIGKILL: the system may be busy with it.
const KILL_WAIT: Duration = Duration::from_secs(1);

/// The longest wait for the exit status and for the end of stderr: both may come a moment after the end of
/// stdout, by which the client notices that the process ends.
const AFTERWARDS: Duration = Duration::from_millis(300);

/// The shortest and the longest pause between two checks whether a process has ended. The pause doubles each
/// time.
const STEPS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// A child process, with its process group. Dropping this value shuts the process down.
#[derive(Debug)]
pub(crate) struct Process {
    /// The shutdown, which may not have begun yet; `None` once it is done.
    ending: Option<Ending>,
    shared: Arc<SharedChild>,
    last_words: Option<Arc<LastWords>>,
}

/// The state of a child, shared by the owner of the [`Process`] and the thread that waits for the child.
#[derive(Debug)]
struct SharedChild {
    group: Group,
    state: Mutex<ChildState>,
}

#[derive(Debug)]
struct ChildState {
    child: Child,
    /// Whether SIGTERM was sent to the child's process group.
    is_asked: bool,
    /// Whether nothing is left to end: the child was reaped, and its group has no process left or got
    /// SIGKILL.
    is_over: bool,
    /// Whether the child was reaped. After that, its process id may belong to another process.
    is_reaped: bool,
    /// The exit status of the child; `None` while it runs.
    status: Option<ExitStatus>,
    term_wait: Duration,
}

impl SharedChild {
    fn state(&self) -> MutexGuard<'_, ChildState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends SIGTERM to the group, unless it was sent before or the child was reaped.
    fn ask(&self) {
        let mut state = self.state();
        if !std::mem::replace(&mut state.is_asked, true) && !state.is_reaped {
            self.group.ask();
        }
    }

    fn kill(&self) {
        let mut state = self.state();
        if !state.is_reaped {
            self.group.kill(&mut state.child);
        }
    }
}

impl Process {
    /// Takes ownership of a child that was just started as the leader of its group.
    ///
    /// # Errors
    /// If no thread can be started. The child is killed then.
    pub(super) fn new(child: Child, grace: Duration) -> io::Result<Self> {
        let group = Group::of(&child);
        #[cfg(unix)]
        let watch = watch(group.0, grace);
        let state = ChildState {
            child,
            is_asked: false,
            is_over: false,
            is_reaped: false,
            status: None,
            term_wait: HASTE,
        };
        let shared = Arc::new(SharedChild { group, state: Mutex::new(state) });
        let kept = Arc::clone(&shared);
        let keeper = thread::Builder::new().name("plainwire-child".to_owned());
        let keeps = keeper.spawn(move || {
            keep(
                &kept,
                #[cfg(unix)]
                watch,
            );
        });
        if let Err(error) = keeps {
            shared.kill();
            let _ = shared.state().child.wait();
            return Err(error);
        }
        Ok(Self { ending: Some(Ending::new(Arc::clone(&shared), grace)), shared, last_words: None })
    }

    /// Sets the source of the last lines of stderr, which explain the end of the process.
    pub(super) fn set_last_words(&mut self, last_words: Arc<LastWords>) {
        self.last_words = Some(last_words);
    }

    /// Returns a view of the process, by which an error can say how the process ended.
    pub(super) fn exit_view(&self) -> ExitView {
        ExitView { shared: Arc::clone(&self.shared), last_words: self.last_words.clone() }
    }

    /// Returns the last lines on stderr, escaped; `None` if there are none or they are not kept.
    pub(super) fn stderr(&self) -> Option<String> {
        self.last_words.as_deref().and_then(LastWords::text)
    }

    /// Shuts the process down after its input was closed: it gets its grace period, then SIGTERM, then
    /// SIGKILL.
    ///
    /// Cancel safe: a thread continues the shutdown.
    pub(crate) async fn end(mut self) {
        while let Some(pause) = self.ending.as_mut().and_then(|ending| ending.step(Instant::now())) {
            tokio::time::sleep(pause).await;
        }
        self.ending = None;
        let began = Instant::now();
        // The last output on stderr has to be passed on before this program may exit.
        while self.last_words.as_deref().is_some_and(|last_words| !last_words.is_whole())
            && began.elapsed() < AFTERWARDS
        {
            tokio::time::sleep(STEPS.0).await;
        }
    }

    /// Like [`Self::end`], but with short waits, for a server that never completed the handshake: it has
    /// nothing to finish.
    pub(crate) async fn end_soon(mut self) {
        if let Some(ending) = &mut self.ending {
            ending.grace = ending.grace.min(HASTE);
            ending.term_wait = HASTE;
        }
        self.end().await;
    }
}

/// A read-only view of the end of a process. It neither stops the process nor keeps it alive.
pub(super) struct ExitView {
    shared: Arc<SharedChild>,
    last_words: Option<Arc<LastWords>>,
}

impl ExitView {
    /// Adds to `why` the exit status, if the process has ended or ends in a moment, and its last lines on
    /// stderr. If `why` says that the server closed its input or output, the exit status replaces these words.
    pub(super) async fn explain(&self, why: &str) -> String {
        let began = Instant::now();
        let mut pause = STEPS.0;
        let last_words = self.last_words.as_deref();
        let is_known = || self.shared.state().status.is_some() && last_words.is_none_or(LastWords::is_whole);
        while !is_known() && began.elapsed() < AFTERWARDS {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(STEPS.1);
        }
        let of_pipe = why.strip_prefix(INPUT_CLOSED).or(why.strip_prefix(OUTPUT_CLOSED));
        let ended = match (self.shared.state().status, of_pipe) {
            // Which of its pipes was seen closed first is chance, and says nothing more.
            (Some(status), Some(more)) => format!("the server exited ({status}){more}"),
            (Some(status), None) => format!("{why} ({status})"),
            (None, _) => why.to_owned(),
        };
        with_last_words(&ended, last_words.and_then(LastWords::text))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let Some(mut ending) = self.ending.take() else { return };
        if self.shared.state().is_over {
            return;
        }
        // Waiting blocks, so a thread does it. If this program exits before, the watchdog continues.
        let ends = thread::Builder::new().name("plainwire-end".to_owned()).spawn(move || {
            while let Some(pause) = ending.step(Instant::now()) {
                thread::sleep(pause);
            }
        });
        if ends.is_err() {
            self.shared.kill();
        }
    }
}

/// A shutdown, step by step. The caller waits between the steps, on a thread or in a task.
#[derive(Debug)]
struct Ending {
    grace: Duration,
    pause: Duration,
    shared: Arc<SharedChild>,
    /// The step that was done last, and the time of the next step; `None` before the first step.
    stage: Option<(Stage, Instant)>,
    /// The time between SIGTERM and SIGKILL.
    term_wait: Duration,
}

/// A step of a shutdown, in this order: the input was closed (`Closed`), SIGTERM was sent (`Asked`), SIGKILL
/// was sent (`Killed`).
#[derive(Clone, Copy, Debug)]
enum Stage {
    Asked,
    Closed,
    Killed,
}

impl Ending {
    fn new(shared: Arc<SharedChild>, grace: Duration) -> Self {
        Self { grace, pause: STEPS.0, shared, stage: None, term_wait: TERM_WAIT }
    }

    /// Does the step that is due. Returns how long to wait before the next call; `None` if no step is left.
    fn step(&mut self, now: Instant) -> Option<Duration> {
        let mut state = self.shared.state();
        if state.is_over {
            return None;
        }
        state.term_wait = self.term_wait;
        drop(state);
        let (next, wait) = match self.stage {
            None => (Stage::Closed, self.grace),
            Some((_, until)) if now < until => {
                let pause = self.pause.min(until.duration_since(now));
                self.pause = (self.pause * 2).min(STEPS.1);
                return Some(pause);
            }
            Some((Stage::Closed, _)) => {
                self.shared.ask();
                (Stage::Asked, self.term_wait)
            }
            Some((Stage::Asked, _)) => {
                self.shared.kill();
                (Stage::Killed, KILL_WAIT)
            }
            Some((Stage::Killed, _)) => return None,
        };
        self.pause = STEPS.0;
        self.stage = Some((next, now + wait));
        Some(self.pause.min(wait))
    }
}

/// Waits until the child ends, reaps it, and ends the processes left in its group: by SIGTERM, and after
/// `term_wait` by SIGKILL.
fn keep(shared: &SharedChild, #[cfg(unix)] watch: Option<Watch>) {
    shared.group.wait_for_leader(|| !matches!(shared.state().child.try_wait(), Ok(None)));
    {
        let mut state = shared.state();
        if !std::mem::replace(&mut state.is_asked, true) {
            shared.group.ask();
        }
        state.status = state.child.wait().ok();
        state.is_reaped = true;
    }
    let began = Instant::now();
    let mut pause = STEPS.0;
    while shared.group.lives() {
        if began.elapsed() >= shared.state().term_wait {
            shared.group.kill_rest();
            break;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(STEPS.1);
    }
    #[cfg(unix)]
    drop(watch);
    shared.state().is_over = true;
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn waits_two_seconds_before_sigkill_and_no_longer_than_one_after_it() {
        // Any program that ends by itself. Nothing is signalled, since it was reaped, but it is never over.
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        let mut child = command.arg("--help").stdout(Stdio::null()).spawn().expect("a child");
        child.wait().expect("an end");
        let group = Group::of(&child);
        let state = ChildState {
            child,
            is_asked: false,
            is_over: false,
            is_reaped: true,
            status: None,
            term_wait: HASTE,
        };
        let shared = Arc::new(SharedChild { group, state: Mutex::new(state) });
        let mut ending = Ending::new(shared, Duration::from_secs(6));
        let began = Instant::now();
        for (milliseconds, stage) in [
            (0, "Closed"),
            (5_999, "Closed"),
            (6_000, "Asked"),
            (7_999, "Asked"),
            (8_000, "Killed"),
            (8_999, "Killed"),
        ] {
            assert!(ending.step(began + Duration::from_millis(milliseconds)).is_some(), "{milliseconds} ms");
            let done = ending.stage.map(|(stage, _)| format!("{stage:?}"));
            assert_eq!(done.as_deref(), Some(stage), "{milliseconds} ms");
        }
        assert_eq!(ending.step(began + Duration::from_secs(9)), None);
    }
}
