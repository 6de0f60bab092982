//! The environment variables of a server: those that its command sets, and a short list of those of the
//! client. Any other variable of the client may be a secret that is none of the server's business.
//!
//! In: a command with its variables, and the names to inherit. Out: the command with exactly the variables
//! that its process gets.

use std::env;
use std::ffi::{OsStr, OsString};
use std::process::Command;

use super::Program;

/// The variables that every server inherits from the client, if they are set: those that programs need to
/// find files, other programs, the user's language and a place for temporary files. Variables whose names
/// begin with `LC_` are inherited too.
#[cfg(not(windows))]
pub const INHERITED: &[&str] =
    &["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER", "XDG_RUNTIME_DIR"];

/// The variables that every server inherits from the client, if they are set: those that programs need to
/// find files, other programs, the user's language and a place for temporary files. Variables whose names
/// begin with `LC_` are inherited too.
#[cfg(windows)]
pub const INHERITED: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// The variable with the key of the stored tokens of all servers. No server inherits it.
const TOKEN_KEY: &str = "PLAINWIRE_TOKEN_KEY";

/// The variables that a server gets.
#[derive(Clone, Debug)]
pub(super) struct Environment {
    /// The variables that the command sets or, with `None`, removes.
    set: Vec<(OsString, Option<OsString>)>,
    inherited: Inherited,
}

/// The variables of the client that a server inherits.
#[derive(Clone, Debug)]
enum Inherited {
    All,
    /// The variables in [`INHERITED`], and these.
    Listed(Vec<OsString>),
}

impl Environment {
    pub(super) fn of(command: &Command) -> Self {
        let owned = |(name, value): (&OsStr, Option<&OsStr>)| (name.to_owned(), value.map(OsStr::to_owned));
        Self { set: command.get_envs().map(owned).collect(), inherited: Inherited::Listed(Vec::new()) }
    }

    /// Returns the variables that the command sets or, with `None`, removes.
    pub(super) fn set(&self) -> &[(OsString, Option<OsString>)] {
        &self.set
    }

    /// Gives `command` these variables and no others.
    pub(super) fn apply(&self, command: &mut Command) {
        command.env_clear();
        command.envs(env::vars_os().filter(|(name, _)| self.inherits(name)));
        for (name, value) in &self.set {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
    }

    fn inherits(&self, name: &OsStr) -> bool {
        // Names on Windows do not depend on case.
        let is = |other: &OsStr| if cfg!(windows) { name.eq_ignore_ascii_case(other) } else { name == other };
        if is(TOKEN_KEY.as_ref()) {
            return false;
        }
        match &self.inherited {
            Inherited::All => true,
            Inherited::Listed(more) => {
                INHERITED.iter().any(|it| is(it.as_ref()))
                    || name.to_string_lossy().starts_with("LC_")
                    || more.iter().any(|it| is(it))
            }
        }
    }
}

impl Program {
    /// Sets a variable of the server, in place of one that its [`Command`] sets or that it inherits.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.set.push((name.into(), Some(value.into())));
        self
    }

    /// Lets the server inherit the variables `names` of this process, besides those in [`INHERITED`]. A
    /// server gets no other variables, except those that its [`Command`] sets.
    pub fn inherit<N: Into<OsString>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        if let Inherited::Listed(more) = &mut self.environment.inherited {
            more.extend(names.into_iter().map(Into::into));
        }
        self
    }

    /// Lets the server inherit all variables of this process, except the key of stored tokens
    /// (`PLAINWIRE_TOKEN_KEY`). Then the server can read every secret in the environment.
    pub fn inherit_all(mut self) -> Self {
        self.environment.inherited = Inherited::All;
        self
    }
}
