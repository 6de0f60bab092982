//! What can go wrong for the program that uses this crate. What goes wrong for the model is [`crate::ToolError`].

use std::panic::Location;
use std::{fmt, io};

use plainwire_proto::json::visible;

/// Why a server or a client could not go on.
///
/// Its `Debug` is its `Display` with all sources, so that a `main` that returns it says something readable.
#[non_exhaustive]
pub enum Error {
    /// A server can't be asked on somebody's behalf.
    #[cfg(feature = "oauth")]
    Auth {
        /// Whose fault it is, and whether trying again may help.
        fault: crate::auth::AuthFault,
        /// What was expected and found.
        message: String,
    },
    /// Several servers of a host have something of this name; each has a name of its own with a prefix.
    Ambiguous {
        /// The name.
        name: String,
        /// The host's names for the servers.
        servers: Vec<String>,
        /// What it is: `tool`, `prompt` or `resource`.
        what: &'static str,
    },
    /// The other side ended the connection, with what it last said on stderr, if anything.
    Closed {
        /// What was being waited for, and what is known of the end.
        why: String,
    },
    /// The server is declared wrongly: a mistake in the program, at `at`.
    Declaration {
        /// Where the wrong thing is declared.
        at: &'static Location<'static>,
        /// What was expected and found.
        message: String,
    },
    /// An answer is not what its request is answered with.
    Decode {
        /// What was expected and found.
        message: String,
    },
    /// A hook failed, so that the server did not begin, or did not end well.
    Hook {
        /// `start` or `shutdown`.
        hook: &'static str,
        /// What the hook said.
        why: String,
    },
    /// The server refused with a status of HTTP, and not in words of the protocol.
    Http {
        /// The status, such as 401.
        status: u16,
        /// What it said, shortened.
        message: String,
    },
    /// Reading or writing failed.
    Io {
        /// What was being done.
        doing: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// A test found something else than what was written down: a contract or a transcript.
    Mismatch {
        /// What differs, and what to do about it.
        message: String,
    },
    /// A request may have had its effect, or not: its answer got lost. It was not made again, since that could do harm.
    OutcomeUnknown {
        /// The request: its method, and what it is about.
        what: String,
        /// How the answer got lost.
        why: String,
    },
    /// The other side answered with an error, with no answer in time, or with one that is none.
    Rpc(plainwire_proto::error::Error),
    /// What to connect to is described wrongly, or what is sent there.
    Target {
        /// What was expected and found.
        message: String,
    },
    /// A tool failed, in the words it has for the model.
    Tool {
        /// The text of its result.
        text: String,
    },
    /// The server asked something first, and it was not answered here: nobody may, or who may did not.
    Unanswered {
        /// The server's key for the question.
        question: String,
        /// Why there is no answer.
        why: plainwire_proto::error::Error,
    },
    /// No server of a host has something of this name.
    Unknown {
        /// A name that is near, if there is one.
        meant: Option<String>,
        /// The name.
        name: String,
        /// What it would be: `tool`, `prompt`, `resource` or `server`.
        what: &'static str,
    },
    /// There is no connection to the server; nothing was sent.
    Unreachable {
        /// Scheme, host and port; or the name that a host has for it.
        origin: String,
        /// Why not.
        why: String,
    },
}

/// A result with this crate's [`enum@Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(feature = "oauth")]
            Self::Auth { message, .. } => f.write_str(message),
            Self::Ambiguous { name, servers, what } => {
                let servers = servers.join(", ");
                write!(f, "expected the {what} of one server, but found {name:?} at several: {servers}")
            }
            Self::Closed { why } => write!(f, "the connection ended: {why}"),
            Self::Declaration { at, message } => write!(f, "{message} (at {at})"),
            Self::Decode { message } | Self::Mismatch { message } | Self::Target { message } => {
                f.write_str(message)
            }
            Self::Hook { hook, why } => write!(f, "the {hook} hook failed: {why}"),
            Self::Http { status, message } => write!(f, "the server refused with HTTP {status}: {message}"),
            Self::Io { doing, .. } => f.write_str(doing),
            Self::OutcomeUnknown { what, why } => {
                write!(f, "nobody knows whether {what} took place, because its answer got lost: {why}")
            }
            // Other revisions have other codes: only one that was sent is worth a word.
            Self::Rpc(error) => match error.received_code() {
                Some(code) => write!(f, "{error} (code {code})"),
                None => write!(f, "{error}"),
            },
            Self::Tool { text } => write!(f, "the tool failed: {text}"),
            Self::Unanswered { question, why } => {
                write!(f, "the server's question {question:?} has no answer: {why}")
            }
            Self::Unknown { meant, name, what } => {
                write!(f, "expected a {what} that is known here, but found {name:?}")?;
                // A server wrote it.
                let meant = meant.as_ref().map(|meant| visible(meant, 80));
                meant.iter().try_for_each(|meant| write!(f, "; did you mean `{meant}`?"))
            }
            Self::Unreachable { origin, why } => write!(f, "{origin} can't be reached: {why}"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source {
            write!(f, ": {cause}")?;
            source = cause.source();
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
