//! The processes of builds, one at a time.
//!
//! In: a command line. Out: whether it succeeded. What a build writes is shown, escaped. A build that runs when the
//! command ends is ended with it.

use std::ffi::OsString;
use std::io;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use super::child::{self, GRACE};
use crate::{output, visible};

/// The time between two looks at whether a build has exited.
const LOOK: Duration = Duration::from_millis(5);

/// The build that runs. Clones are the same one.
#[derive(Clone, Default)]
pub(super) struct BuildProcess(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    child: Option<Child>,
    /// Whether the command ends, so that no further build starts.
    is_ended: bool,
}

impl BuildProcess {
    /// Runs a build, and returns whether it succeeded.
    pub(super) fn run(&self, words: &[OsString]) -> bool {
        let shown = match self.start(words) {
            Ok(shown) => shown,
            Err(error) => {
                let program =
                    words.first().map(|it| visible::line(&it.to_string_lossy())).unwrap_or_default();
                output::note(&format!("starting the build {program:?} failed: {error}"));
                return false;
            }
        };
        let is_good = self.exited();
        // A process that the build has left behind may keep its outputs.
        let end = Instant::now() + GRACE;
        for shown in shown {
            while !shown.is_finished() && Instant::now() < end {
                sleep(LOOK);
            }
        }
        is_good
    }

    /// Starts a build. Returns the threads that show its outputs: some compilers report on stdout.
    fn start(&self, words: &[OsString]) -> io::Result<Vec<thread::JoinHandle<()>>> {
        let mut state = self.state();
        if state.is_ended {
            return Err(io::Error::other("the command ends"));
        }
        let mut command = child::command(words);
        let mut started = child::in_group(command.stdin(Stdio::null()).stdout(Stdio::piped())).spawn()?;
        let stdout = started.stdout.take().map(|stdout| thread::spawn(move || child::show(stdout)));
        let stderr = started.stderr.take().map(|stderr| thread::spawn(move || child::show(stderr)));
        state.child = Some(started);
        Ok(stdout.into_iter().chain(stderr).collect())
    }

    /// Waits until the build exits. Returns whether it succeeded.
    fn exited(&self) -> bool {
        loop {
            let mut state = self.state();
            let Some(child) = &mut state.child else { return false };
            if let Some(status) = child.try_wait().transpose() {
                state.child = None;
                return status.is_ok_and(|status| status.success());
            }
            drop(state);
            sleep(LOOK);
        }
    }

    /// Ends the build that runs: asks it to exit, and kills it if it takes too long. No further build starts.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.is_ended = true;
        let Some(mut running) = state.child.take() else { return };
        #[cfg(unix)]
        child::signal_group(&running, rustix::process::Signal::TERM);
        let end = Instant::now() + GRACE;
        while cfg!(unix) && Instant::now() < end && running.try_wait().is_ok_and(|status| status.is_none()) {
            sleep(LOOK);
        }
        // Also what is left of its group.
        child::kill_group(&mut running);
        let _ = running.wait();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The code under this lock leaves no partial change behind, so a poisoned lock is still good.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
