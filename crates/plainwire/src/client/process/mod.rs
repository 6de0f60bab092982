//! Servers that run as child processes of a client: their start and their shutdown.
//!
//! In: a [`Program`], most often just a [`Command`]. Out: a connection over its standard streams, and its
//! shutdown: the client closes the input, waits for the grace period, then sends SIGTERM, and 2 s later
//! SIGKILL. Signals go to the process group, so they also reach the processes that the server has started. A
//! process that ends by itself is reaped at once. If the client is killed, a watchdog ends the servers. A
//! process that a server moves to another group or session gets no signal.
//!
//! Groups, SIGTERM and the watchdog exist on Unix only. On other systems only the server's own process is
//! ended.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

mod child;
mod environment;
mod group;
mod last_words;
mod passed_to;
mod restart_policy;
mod slot;
pub(crate) mod start;
#[cfg(unix)]
mod watchdog;

use environment::Environment;
pub use environment::INHERITED;
pub(crate) use last_words::with_last_words;
use passed_to::PassedTo;
pub use restart_policy::Restart;
pub(crate) use slot::{INPUT_CLOSED, OUTPUT_CLOSED, Slot};
pub(crate) use start::start;

/// The default grace period: the time between the end of a server's input and SIGTERM. 6 s: servers of this
/// library drain for 5 s.
pub const GRACE: Duration = Duration::from_secs(6);

/// The longest grace period that can be set: the end of a longer one may be no representable time.
const DAY: Duration = Duration::from_secs(86_400);

/// A program that serves on its standard streams, with settings for its process.
///
/// ```no_run
/// # async fn run() -> plainwire::Result<()> {
/// use std::process::Command;
/// use std::time::Duration;
///
/// use plainwire::Client;
/// use plainwire::client::process::{Program, Stderr};
///
/// let program = Program::new(Command::new("my-server")).grace(Duration::from_secs(2)).stderr(Stderr::Keep);
/// let client = Client::builder().command(program).await?;
/// # Ok(()) }
/// ```
///
/// A clone starts the same command.
#[derive(Clone)]
#[must_use = "a program does nothing until a client starts it"]
pub struct Program {
    /// The command that starts the program. Shared with clones, since [`Command`] can't be cloned.
    command: Arc<Mutex<Command>>,
    environment: Environment,
    grace: Duration,
    /// The name that goes before each line on the client's stderr.
    label: Option<String>,
    restart: Option<Restart>,
    stderr: Stderr,
    /// The file that gets a copy of stderr.
    stderr_file: Option<Arc<File>>,
    /// The function that gets stderr in place of the client's stderr.
    stderr_to: Option<PassedTo>,
}

/// The handling of a server's stderr.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stderr {
    /// Stderr goes where the [`Command`] says; by default to the client's stderr. Errors do not show its last
    /// lines.
    AsTheCommandSays,
    /// The last lines of stderr are kept for errors. Nothing is passed on to the client's stderr.
    Keep,
    /// The last lines of stderr are kept for errors. All of stderr is passed on to the client's stderr, in
    /// whole lines. Colours are left out, and other characters that could change a terminal are escaped.
    #[default]
    Pass,
}

impl Program {
    /// Describes a program that `command` starts. The client replaces its stdin and stdout; [`Self::stderr`]
    /// sets its stderr. Of the variables of this process it gets only those in [`INHERITED`]; set further ones
    /// on the command, or see [`Self::inherit`].
    pub fn new(command: Command) -> Self {
        let environment = Environment::of(&command);
        let command = Arc::new(Mutex::new(command));
        Self {
            command,
            environment,
            grace: GRACE,
            label: None,
            restart: None,
            stderr: Stderr::default(),
            stderr_file: None,
            stderr_to: None,
        }
    }

    /// Sets the grace period: how long the process may take to end after its input was closed, before
    /// SIGTERM. [`GRACE`] by default, at most a day.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace.min(DAY);
        self
    }

    /// Restarts the program when its connection ends although the client has not closed it: the program has
    /// ended, has closed its output, or does not answer pings. By default it is not restarted.
    ///
    /// The client stays usable. It connects to the next process in the revision that was agreed on, sets the
    /// log level again and subscribes again; each subscription reports that everything in it may have
    /// changed. Further requests wait for the next process. An open request is made again, once, if that does
    /// no harm: it only reads, or the server said that its tool is read-only or idempotent. Otherwise its
    /// error is [`Error::OutcomeUnknown`](crate::Error::OutcomeUnknown). A request whose questions are being
    /// answered fails with [`Error::Closed`](crate::Error::Closed).
    pub fn restart(mut self, policy: Restart) -> Self {
        self.restart = Some(policy);
        self
    }

    #[cfg(test)]
    pub(crate) fn into_command(self) -> Command {
        std::mem::replace(&mut *self.command(), Command::new("gone"))
    }

    /// Returns the command. The lock is never held for longer than a start takes.
    pub(crate) fn command(&self) -> MutexGuard<'_, Command> {
        self.command.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the variables that the command sets or, with `None`, removes.
    pub(crate) fn variables(&self) -> &[(OsString, Option<OsString>)] {
        self.environment.set()
    }

    pub(crate) fn policy(&self) -> Option<Restart> {
        self.restart
    }

    /// Also writes all of the program's stderr to `file`, byte for byte. With [`Stderr::AsTheCommandSays`] nothing
    /// is written.
    pub fn stderr_file(mut self, file: File) -> Self {
        self.stderr_file = Some(Arc::new(file));
        self
    }

    /// Passes all of the program's stderr to `show` in place of the client's stderr: whole lines with their line
    /// breaks, escaped as with [`Stderr::Pass`]. Also sets [`Stderr::Pass`]. A client that draws on its terminal
    /// can thus decide when it shows the lines.
    ///
    /// `show` runs on a thread of its own. While it does not return, 1 MiB waits for it. Further output is dropped,
    /// and a later line says how much.
    ///
    /// ```no_run
    /// use std::process::Command;
    ///
    /// use plainwire::client::process::Program;
    ///
    /// let program = Program::new(Command::new("my-server")).stderr_to(|lines| print!("{lines}"));
    /// ```
    pub fn stderr_to(mut self, show: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.stderr = Stderr::Pass;
        self.stderr_to = Some(Arc::new(show));
        self
    }

    /// Puts `name` before each line on the client's stderr. Has no effect on [`Self::stderr_to`].
    pub(crate) fn labelled(mut self, name: &str) -> Self {
        self.label = Some(name.to_owned());
        self
    }

    /// Sets the handling of the program's stderr. [`Stderr::Pass`] by default.
    pub fn stderr(mut self, stderr: Stderr) -> Self {
        self.stderr = stderr;
        self
    }
}

/// Shows neither arguments nor environment: they may be secret.
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
