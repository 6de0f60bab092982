//! Servers that run as child processes of a client: how they are started, and that nothing of them is left.
//!
//! In: a [`Program`], most often just a [`Command`]. Out: a connection over its standard streams, and what ends it: its
//! input is closed, it gets its grace, then SIGTERM, 2 s later SIGKILL. Signals go to the group of the process, so that
//! what it has started goes with it. A process that ends by itself is reaped at once. If we are killed ourselves, a
//! watchdog ends what we had started. What a server puts into a group or session of its own is out of reach.
//!
//! Groups, SIGTERM and the watchdog are those of Unix; elsewhere the process alone is ended.

use std::fmt;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

mod child;
mod group;
mod last_words;
mod restart;
mod slot;
pub(crate) mod start;
#[cfg(unix)]
mod watchdog;

pub use restart::Restart;
pub(crate) use slot::Slot;
pub(crate) use start::start;

/// How long a server may take to leave by itself. 6 s: servers of ours drain for 5 s.
pub const GRACE: Duration = Duration::from_secs(6);

/// The longest grace: moments further away may not exist.
const DAY: Duration = Duration::from_secs(86_400);

/// A program that serves on its standard streams, and how to treat it.
///
/// ```no_run
/// # async fn run() -> plainwire::Result<()> {
/// use std::process::Command;
/// use std::time::Duration;
///
/// use plainwire::Client;
/// use plainwire::process::{Program, Stderr};
///
/// let program = Program::new(Command::new("my-server")).grace(Duration::from_secs(2)).stderr(Stderr::Keep);
/// let client = Client::builder().command(program).await?;
/// # Ok(()) }
/// ```
///
/// A clone starts the same command: [`Command`] itself has no clones.
#[derive(Clone)]
#[must_use = "a program does nothing until a client starts it"]
pub struct Program {
    /// Shared with clones, of which each starts a process now and then.
    command: Arc<Mutex<Command>>,
    grace: Duration,
    restart: Option<Restart>,
    stderr: Stderr,
}

/// What becomes of what a server writes to stderr.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stderr {
    /// Nothing is done about it: it goes where the [`Command`] says, which is our stderr if it says nothing. Errors can't
    /// tell what the server said last.
    AsTheCommandSays,
    /// The last lines are kept for errors, and nothing is shown.
    Keep,
    /// The last lines are kept for errors, and all of it is passed on to our stderr.
    #[default]
    Pass,
}

impl Program {
    /// Describes a program. Its input and output are set by us, and its stderr as [`Self::stderr`] says.
    pub fn new(command: Command) -> Self {
        let command = Arc::new(Mutex::new(command));
        Self { command, grace: GRACE, restart: None, stderr: Stderr::default() }
    }

    /// Sets how long it may take to leave once its input is closed, before it is asked by SIGTERM: [`GRACE`] by default,
    /// at most a day.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace.min(DAY);
        self
    }

    /// Starts it again when it has ended although nobody wanted that. Never by default.
    ///
    /// The client stays: it greets the next process in the revision that was agreed on, says again which log messages it
    /// wants, and subscribes again; each subscription hears that everything may have changed. A call that was open is made
    /// again if the server said that its tool is read-only or idempotent, else its error is
    /// [`Error::OutcomeUnknown`](crate::Error::OutcomeUnknown). Further calls wait for the next process.
    pub fn restart(mut self, policy: Restart) -> Self {
        self.restart = Some(policy);
        self
    }

    #[cfg(test)]
    pub(crate) fn into_command(self) -> Command {
        std::mem::replace(&mut *self.command(), Command::new("gone"))
    }

    /// The command, which nobody holds for longer than it takes to start it.
    pub(crate) fn command(&self) -> MutexGuard<'_, Command> {
        self.command.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn policy(&self) -> Option<Restart> {
        self.restart
    }

    /// Sets what becomes of its stderr.
    pub fn stderr(mut self, stderr: Stderr) -> Self {
        self.stderr = stderr;
        self
    }
}

/// Arguments and environment may be secret.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("program", &self.command().get_program()).finish_non_exhaustive()
    }
}

impl From<Command> for Program {
    fn from(command: Command) -> Self {
        Self::new(command)
    }
}
