//! Waits for the signals that end `plainwire dev`.
//!
//! In: Ctrl-C, and on Unix SIGTERM and SIGHUP, which a closed terminal sends. Out: the exit code.

use std::io;

use crate::exit::Exit;

/// The signals that end the process. From the first call of [`Self::new`] on, they do not end it by themselves.
pub(super) struct Signals {
    #[cfg(unix)]
    hangup: Option<tokio::signal::unix::Signal>,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Signals {
    /// Begins to listen. Needs a runtime.
    #[cfg(unix)]
    pub(super) fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            hangup: (!ignores_hangup()).then(|| signal(SignalKind::hangup())).transpose()?,
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "Unix can fail")]
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Waits until the process is asked to end.
    #[cfg(unix)]
    pub(super) async fn asked_to_end(mut self) -> Exit {
        let hung_up = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => Exit::Interrupted,
            _ = self.terminate.recv() => Exit::Done,
            _ = hung_up => Exit::Done,
        }
    }

    #[cfg(not(unix))]
    pub(super) async fn asked_to_end(self) -> Exit {
        let _ = tokio::signal::ctrl_c().await;
        Exit::Interrupted
    }
}

/// Returns whether the process was started to ignore SIGHUP, as `nohup` does. Only Linux tells.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
