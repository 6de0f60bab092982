//! Errors for programs that use this crate. Errors for the model are [`crate::ToolError`].

use std::panic::Location;
use std::time::Duration;
use std::{fmt, io};

use plainwire_proto::json::visible;

use crate::tool_failure::ToolFailure;

/// An error of a server or a client.
///
/// Its `Debug` is its `Display` followed by all sources, so that a `main` that returns it prints a readable
/// message.
#[non_exhaustive]
pub enum Error {
    /// Authorization failed, so requests to the server can't be made for the user.
    #[cfg(feature = "http-client")]
    Auth {
        /// The kind of failure, from which follows whether trying again may help.
        fault: AuthFault,
        /// The description of the failure: what was expected, and what was found.
        message: String,
    },
    /// Several servers of a host (a client of several servers) have an entry with this name. Each such entry
    /// also has a unique name with a prefix.
    Ambiguous {
        /// The name that entries of several servers have.
        name: String,
        /// The servers with such an entry, by the names that the host uses for them.
        servers: Vec<String>,
        /// The kind of entry that was named: `tool`, `prompt` or `resource`.
        what: &'static str,
    },
    /// The connection has ended, or the session on it was lost. If the other side was a server process, the
    /// message includes its last lines on stderr, if any.
    Closed {
        /// The known facts about the end of the connection, such as the exit code and the last lines of a
        /// server process.
        why: String,
    },
    /// No answer arrived in time. The request was cancelled.
    Deadline {
        /// The request: its method, and the tool, prompt or resource that it names.
        what: String,
        /// The deadline that passed: `idle` (no progress for too long) or `hard` (no answer for too long).
        limit: &'static str,
        /// The time of this deadline.
        time: Duration,
        /// Whether the request may have taken effect, so that a repetition could do harm. False for requests
        /// that change nothing, such as lists.
        may_have_run: bool,
    },
    /// The server or one of its entries is declared wrongly: a mistake in the program, at the source line
    /// `at`.
    Declaration {
        /// The source line of the wrong declaration.
        at: &'static Location<'static>,
        /// The description of the failure: what was expected, and what was found.
        message: String,
    },
    /// An answer does not have the form that its request requires.
    Decode {
        /// The description of the failure: what was expected, and what was found.
        message: String,
    },
    /// A hook failed, so the server did not start, or did not shut down cleanly.
    Hook {
        /// The kind of hook: `start` or `shutdown`.
        hook: &'static str,
        /// The text of the error that the hook returned.
        why: String,
    },
    /// The server refused the request with an HTTP status instead of an error of the protocol.
    Http {
        /// The HTTP status, such as 401.
        status: u16,
        /// The body of the response, shortened.
        message: String,
        /// The `WWW-Authenticate` header of the response, which says how to authenticate, if there is one of
        /// at most 4 KiB. It contains `resource_metadata` if the server offers OAuth as MCP describes it.
        challenge: Option<String>,
    },
    /// Reading or writing failed.
    Io {
        /// The operation that failed, such as `reading a transcript`.
        doing: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// A check in a test found a difference to a contract or a transcript, or could not use that file.
    Mismatch {
        /// The difference between the file and the server or client, and the way to accept it; or the reason
        /// why the file can't be used.
        message: String,
    },
    /// The answer to a request got lost, so the request may or may not have taken effect. It was not sent
    /// again, because a repetition could do harm.
    OutcomeUnknown {
        /// The request: its method, and the tool, prompt or resource that it names.
        what: String,
        /// The reason why the answer got lost.
        why: String,
    },
    /// The other side answered with an error, sent an invalid answer, or did not complete the handshake in
    /// time.
    Rpc(plainwire_proto::error::Error),
    /// The target of a connection, or the data to send to it, is invalid.
    Target {
        /// The description of the failure: what was expected, and what was found.
        message: String,
    },
    /// A tool failed, with its message for the model.
    Tool {
        /// The text in the result of the tool, written for the model.
        text: String,
        /// The failure as the server describes it for programs; `None` if the server is not made with Plainwire.
        failure: Option<Box<ToolFailure>>,
    },
    /// The server asked a question during the request, and the client did not answer it: it has no handler
    /// for such a question, the question was rejected, or the handler failed.
    Unanswered {
        /// The key by which the server names the question.
        question: String,
        /// The reason why there is no answer.
        why: plainwire_proto::error::Error,
    },
    /// A host (a client of several servers) has no entry, or no server, with this name.
    Unknown {
        /// A known name that is similar to the unknown one, if there is one.
        meant: Option<String>,
        /// The name that is not known.
        name: String,
        /// The kind of thing that was named: `tool`, `prompt`, `resource` or `server`.
        what: &'static str,
    },
    /// The server can't be reached. The request was not sent, or is safe to repeat.
    Unreachable {
        /// The server that can't be reached: the scheme, host and port of its URL, or the name that a host (a
        /// client of several servers) uses for it.
        origin: String,
        /// The reason why the server can't be reached.
        why: String,
    },
}

/// The kind of an authorization failure.
#[cfg(feature = "http-client")]
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthFault {
    /// The user, the authorization server or the MCP server refused. Trying again does not help.
    Denied,
    /// The user has to sign in, and this program can't ask the user to.
    LoginNeeded,
    /// The MCP server or the authorization server broke a rule of the protocol, so that going on would not be
    /// safe.
    Server,
    /// The settings of the program for authorization, such as a client, a key or an address, can't be used
    /// with this server.
    Settings,
    /// Tokens could not be read from their store, or written to it.
    Store,
    /// The MCP server or the authorization server could not be reached, or failed. Trying again later may
    /// help.
    Unreachable,
}

/// A result with this crate's [`enum@Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Returns the text of the error and of all its sources, such as the reason why a program can't be started.
    pub(crate) fn in_full(&self) -> String {
        format!("{self:?}")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(feature = "http-client")]
            Self::Auth { message, .. } => f.write_str(message),
            Self::Ambiguous { name, servers, what } => {
                let servers = servers.join(", ");
                write!(f, "expected the {what} of one server, but found {name:?} at several: {servers}")
            }
            Self::Closed { why } => write!(f, "the connection ended: {why}"),
            Self::Deadline { what, limit, time, may_have_run } => {
                let limit = if *limit == "idle" { "idle deadline" } else { "deadline" };
                write!(f, "expected an answer to {what}, but the {limit} of {time:?} passed")?;
                f.write_str(if *may_have_run { "; it may have taken effect" } else { "" })
            }
            Self::Declaration { at, message } => write!(f, "{message} (at {at})"),
            Self::Decode { message } | Self::Mismatch { message } | Self::Target { message } => {
                f.write_str(message)
            }
            Self::Hook { hook, why } => write!(f, "the {hook} hook failed: {why}"),
            Self::Http { status, message, .. } => {
                write!(f, "the server refused with HTTP {status}: {message}")
            }
            Self::Io { doing, source } => write!(f, "{doing}: {source}"),
            Self::OutcomeUnknown { what, why } => {
                write!(f, "it is unknown whether {what} took effect, because its answer got lost: {why}")
            }
            // Revisions have different codes, so only a code that the other side sent is shown.
            Self::Rpc(error) => match error.received_code() {
                Some(code) => write!(f, "{error} (code {code})"),
                None => write!(f, "{error}"),
            },
            Self::Tool { text, .. } => write!(f, "the tool failed: {text}"),
            Self::Unanswered { question, why } => {
                write!(f, "the server's question {question:?} has no answer: {why}")
            }
            Self::Unknown { meant, name, what } => {
                write!(f, "expected a known {what}, but found {name:?}")?;
                // The name comes from a server, so control characters are escaped.
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
            // `Display` has the text of the error itself.
            Self::Io { source, .. } => source.source(),
            _ => None,
        }
    }
}
