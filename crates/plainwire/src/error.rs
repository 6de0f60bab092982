//! What can go wrong for the program that uses this crate. What goes wrong for the model is [`crate::ToolError`].

use std::fmt;
use std::io;
use std::panic::Location;

/// Why a server or a client could not go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
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
    /// Reading or writing failed.
    Io {
        /// What was being done.
        doing: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The other side answered with an error.
    Rpc(plainwire_proto::error::Error),
}

/// A result with this crate's [`enum@Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed { why } => write!(f, "the connection ended: {why}"),
            Self::Declaration { at, message } => write!(f, "{message} (at {at})"),
            Self::Decode { message } => f.write_str(message),
            Self::Io { doing, .. } => f.write_str(doing),
            Self::Rpc(error) => {
                write!(f, "{error} (code {})", error.code(plainwire_proto::revision::Revision::NEWEST))
            }
        }
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
