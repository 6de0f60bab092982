//! Why there is no token, in a form that can be told to many callers at once.
//!
//! In: what went wrong. Out: [`crate::Error::Auth`]. Nothing here ever holds a secret: texts of servers come in only by way of
//! [`quoted`].

use crate::error::Error;

/// Why a server can't be asked on somebody's behalf.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthFault {
    /// The person, the authorization server or the server itself said no. Trying again is of no use.
    Denied,
    /// A person has to sign in, and there is nobody to be asked here.
    LoginNeeded,
    /// A server broke a rule of the protocol, so that going on would not be safe.
    Server,
    /// What the program was told about clients, keys or addresses does not fit.
    Settings,
    /// Tokens could not be read or kept.
    Store,
    /// A server could not be reached, or was in trouble. Trying again later may help.
    Unreachable,
}

/// An [`Error::Auth`] that many callers can have.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) fault: AuthFault,
    pub(super) message: String,
}

impl Failure {
    pub(super) fn new(fault: AuthFault, message: impl Into<String>) -> Self {
        Self { fault, message: message.into() }
    }

    pub(super) fn denied(message: impl Into<String>) -> Self {
        Self::new(AuthFault::Denied, message)
    }

    pub(super) fn server(message: impl Into<String>) -> Self {
        Self::new(AuthFault::Server, message)
    }

    pub(super) fn settings(message: impl Into<String>) -> Self {
        Self::new(AuthFault::Settings, message)
    }

    pub(super) fn unreachable(message: impl Into<String>) -> Self {
        Self::new(AuthFault::Unreachable, message)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<std::io::Error> for Failure {
    /// Stores fail with these, and nothing else here does.
    fn from(error: std::io::Error) -> Self {
        Self::new(AuthFault::Store, format!("the token store failed: {error}"))
    }
}

impl Failure {
    /// No `From`: a second one for `Error` would make programs with closures say which error theirs is.
    pub(super) fn into_error(self) -> Error {
        let Self { fault, message } = self;
        Error::Auth { fault, message }
    }
}

/// A text of a server that may stand in a message: short, and without anything that terminals act on.
pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", plainwire_proto::json::shorten(text))
}
