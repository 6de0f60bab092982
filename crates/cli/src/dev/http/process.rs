//! The process of a server that serves HTTP.
//!
//! In: a command line. Out: its exit status. What it writes to stdout and stderr is shown, escaped.

use std::ffi::OsString;
use std::io;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::dev::child;

/// The time for a server to exit after it was asked to.
const GRACE: Duration = Duration::from_secs(2);

/// The time between two looks at whether a server has exited.
const LOOK: Duration = Duration::from_millis(20);

/// A running server.
pub(super) struct Process {
    child: Child,
}

impl Process {
    /// Starts a server.
    pub(super) fn start(words: &[OsString]) -> io::Result<Self> {
        let mut command = child::command(words);
        let mut child = child::in_group(command.stdin(Stdio::null()).stdout(Stdio::piped())).spawn()?;
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || child::show(stdout));
        }
        if let Some(stderr) = child.stderr.take() {
            thread::spawn(move || child::show(stderr));
        }
        Ok(Self { child })
    }

    /// Waits until the server exits. Returns its exit status.
    pub(super) async fn exited(&mut self) -> String {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return status.to_string(),
                Ok(None) => sleep(LOOK).await,
                Err(error) => return error.to_string(),
            }
        }
    }

    /// Asks the server to exit, and kills it if it takes too long.
    pub(super) async fn end(mut self) {
        self.ask();
        if timeout(GRACE, self.exited()).await.is_err() {
            child::kill_group(&mut self.child);
            self.exited().await;
        }
    }

    fn ask(&mut self) {
        #[cfg(unix)]
        child::signal_group(&self.child, rustix::process::Signal::TERM);
        #[cfg(not(unix))]
        child::kill_group(&mut self.child);
    }
}
