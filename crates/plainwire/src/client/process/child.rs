//! A child process and its group, from the start to the last of them.
//!
//! In: a child that was started. Out: how it ended, and its end. A thread waits for the child: one that ends by itself is
//! reaped at once, and what it leaves in its group is ended. A [`Process`] that is dropped goes on ending on a thread.

use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{io, thread};

use super::group::Group;
use super::last_words::LastWords;
#[cfg(unix)]
use super::watchdog::{Watch, watch};

/// How long a group may take between SIGTERM and SIGKILL. 2 s: it had its grace before.
const TERM_WAIT: Duration = Duration::from_secs(2);

/// As the grace and [`TERM_WAIT`], for a server that nobody could talk to; also for what a server has left that ended
/// by itself, since that may hold its output open.
const HASTE: Duration = Duration::from_millis(300);

/// How long to wait for a process that was killed: the system may be busy with it.
const KILL_WAIT: Duration = Duration::from_secs(1);

/// How long to wait for a status and for the rest of stderr: output ends a moment before the process does.
const AFTERWARDS: Duration = Duration::from_millis(300);

/// How often to look whether a process has left: soon at first, seldom later.
const STEPS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// A child process that ends with its owner.
#[derive(Debug)]
pub(crate) struct Process {
    ending: Option<Ending>,
    shared: Arc<Shared>,
    last_words: Option<Arc<LastWords>>,
}

/// What the owner of a process shares with the thread that waits for it.
#[derive(Debug)]
struct Shared {
    group: Group,
    life: Mutex<Life>,
}

#[derive(Debug)]
struct Life {
    child: Child,
    /// Whether the group was asked to end.
    is_asked: bool,
    /// Whether nobody is left.
    is_over: bool,
    /// Whether the child's number may be somebody else's.
    is_reaped: bool,
    status: Option<ExitStatus>,
    term_wait: Duration,
}

impl Shared {
    fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self) {
        let mut life = self.life();
        if !std::mem::replace(&mut life.is_asked, true) && !life.is_reaped {
            self.group.ask();
        }
    }

    fn kill(&self) {
        let mut life = self.life();
        if !life.is_reaped {
            self.group.kill(&mut life.child);
        }
    }
}

impl Process {
    /// Takes over a child that was just started as the leader of its group.
    ///
    /// # Errors
    /// If there is no thread to be had; the child is killed then.
    pub(super) fn new(child: Child, grace: Duration) -> io::Result<Self> {
        let group = Group::of(&child);
        #[cfg(unix)]
        let watch = watch(group.0, grace);
        let life =
            Life { child, is_asked: false, is_over: false, is_reaped: false, status: None, term_wait: HASTE };
        let shared = Arc::new(Shared { group, life: Mutex::new(life) });
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
            let _ = shared.life().child.wait();
            return Err(error);
        }
        Ok(Self { ending: Some(Ending::new(Arc::clone(&shared), grace)), shared, last_words: None })
    }

    /// Has the last lines of stderr told with the end.
    pub(super) fn set_last_words(&mut self, last_words: Arc<LastWords>) {
        self.last_words = Some(last_words);
    }

    /// Returns what can tell how it ended.
    pub(super) fn witness(&self) -> Witness {
        Witness { shared: Arc::clone(&self.shared), last_words: self.last_words.clone() }
    }

    /// Ends the process now that its input is closed: it gets its grace, then SIGTERM, then SIGKILL.
    ///
    /// Cancel safe: a thread goes on.
    pub(crate) async fn end(mut self) {
        while let Some(pause) = self.ending.as_mut().and_then(|ending| ending.step(Instant::now())) {
            tokio::time::sleep(pause).await;
        }
        self.ending = None;
        let began = Instant::now();
        // What it said last is passed on before we may end ourselves.
        while self.last_words.as_deref().is_some_and(|last_words| !last_words.is_whole())
            && began.elapsed() < AFTERWARDS
        {
            tokio::time::sleep(STEPS.0).await;
        }
    }

    /// As [`Self::end`], for a server that nobody could talk to, and that has nothing to finish.
    pub(crate) async fn end_soon(mut self) {
        if let Some(ending) = &mut self.ending {
            ending.grace = ending.grace.min(HASTE);
            ending.term_wait = HASTE;
        }
        self.end().await;
    }
}

/// Somebody who knows how a process ends, without a share in its end.
pub(super) struct Witness {
    shared: Arc<Shared>,
    last_words: Option<Arc<LastWords>>,
}

impl Witness {
    /// Adds to `why` how the process ended, if it has or does in a moment, and what it said last.
    pub(super) async fn explain(&self, why: &str) -> String {
        let began = Instant::now();
        let mut pause = STEPS.0;
        let last_words = self.last_words.as_deref();
        let is_known = || self.shared.life().status.is_some() && last_words.is_none_or(LastWords::is_whole);
        while !is_known() && began.elapsed() < AFTERWARDS {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(STEPS.1);
        }
        let status = self.shared.life().status.map(|status| format!(" ({status})")).unwrap_or_default();
        let words =
            last_words.and_then(LastWords::text).map(|text| format!("; its last words on stderr:\n{text}"));
        format!("{why}{status}{}", words.unwrap_or_default())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let Some(mut ending) = self.ending.take() else { return };
        if self.shared.life().is_over {
            return;
        }
        // Waiting blocks, so that it happens elsewhere. If we exit before it is done, the watchdog goes on.
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

/// The end of a process, step by step, for whoever can wait.
#[derive(Debug)]
struct Ending {
    grace: Duration,
    pause: Duration,
    shared: Arc<Shared>,
    /// What was done, and when there is something to do again.
    stage: Option<(Stage, Instant)>,
    term_wait: Duration,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Asked,
    Closed,
    Killed,
}

impl Ending {
    fn new(shared: Arc<Shared>, grace: Duration) -> Self {
        Self { grace, pause: STEPS.0, shared, stage: None, term_wait: TERM_WAIT }
    }

    /// Does what is due. Returns how long to wait for the next step; `None` if there is none.
    fn step(&mut self, now: Instant) -> Option<Duration> {
        let mut life = self.shared.life();
        if life.is_over {
            return None;
        }
        life.term_wait = self.term_wait;
        drop(life);
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

/// Waits for the child, and then for its group.
fn keep(shared: &Shared, #[cfg(unix)] watch: Option<Watch>) {
    shared.group.wait_for_leader(|| !matches!(shared.life().child.try_wait(), Ok(None)));
    {
        let mut life = shared.life();
        if !std::mem::replace(&mut life.is_asked, true) {
            shared.group.ask();
        }
        life.status = life.child.wait().ok();
        life.is_reaped = true;
    }
    let began = Instant::now();
    let mut pause = STEPS.0;
    while shared.group.lives() {
        if began.elapsed() >= shared.life().term_wait {
            shared.group.kill_rest();
            break;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(STEPS.1);
    }
    #[cfg(unix)]
    drop(watch);
    shared.life().is_over = true;
}
