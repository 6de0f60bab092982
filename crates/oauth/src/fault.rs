//! The error type of this crate, which can be cloned for many callers.
//!
//! In: the kind of a failure and its message. Out: [`plainwire::Error::Auth`]. Messages never contain
//! secrets; texts of servers enter them only through [`quoted`].

use plainwire::Error;
use plainwire::client::http::AuthFault;
use plainwire::client::http::address_guard::Blocked;
use url::Url;

/// An [`Error::Auth`] that can be cloned, so that many callers can receive it.
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

impl From<Blocked> for Failure {
    /// Converts the refusal of an address. The kind of the failure is `Server`, because a server named the address.
    fn from(blocked: Blocked) -> Self {
        Self::server(blocked.to_string())
    }
}

impl From<std::io::Error> for Failure {
    /// Converts an I/O error of a token store. The other I/O errors of this crate are converted where they
    /// occur.
    fn from(error: std::io::Error) -> Self {
        Self::new(AuthFault::Store, format!("the token store failed: {error}"))
    }
}

impl Failure {
    /// Converts the failure to the public error type. A method instead of `From`: a second `From` for `Error`
    /// would force programs to annotate the error type of their closures.
    pub(super) fn into_error(self) -> Error {
        let Self { fault, message } = self;
        Error::Auth { fault, message }
    }
}

/// Returns a server's text in a form for messages: shortened, and with control characters escaped.
pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", plainwire::proto::json::shorten(text))
}

/// Returns the part of a URL that messages may show: paths and queries sometimes contain secrets.
pub(super) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}
