//! What a client connects to, whatever it is.

use std::fmt;
use std::process::Command;

#[cfg(feature = "http-client")]
use super::http::Remote;
use super::process::Program;
use super::{Client, ClientBuilder};
#[cfg(feature = "http-client")]
use crate::error::Error;
use crate::error::Result;
use crate::server::Server;
use crate::stream::memory;

/// What a client connects to: a command, a server at a URL, a server of this program, or an entry of a
/// [configuration file](super::config).
#[non_exhaustive]
pub enum Target {
    /// A server that is started as a child process.
    Command(Box<Program>),
    /// A server at a URL. With the feature `http-client`, texts are these.
    #[cfg(feature = "http-client")]
    Remote(Remote),
    /// A server inside this process; it ends with its client.
    Server(Box<Server>),
}

impl Client {
    /// Connects to a server: a [`Command`], with the feature `http-client` a URL, a [`Server`] of this program, or the
    /// [`Entry`](crate::client::config::Entry) of a configuration file. [`Client::builder`] has more to set.
    ///
    /// ```
    /// use plainwire::Client;
    /// use plainwire::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> plainwire::Result<()> {
    /// let server = Server::new("demo").tool(Tool::new("hello", || async { "Hello!" }));
    /// let client = Client::connect(server).await?;
    /// assert_eq!(client.call::<String>("hello", serde_json::json!({})).await?, "Hello!");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`ClientBuilder::connect`].
    pub async fn connect(target: impl Into<Target>) -> Result<Self> {
        Self::builder().connect(target).await
    }
}

impl ClientBuilder {
    /// Connects to a server, whatever it is.
    ///
    /// # Errors
    /// As [`Self::command`] and `remote`, by what the target is; [`crate::Error::Declaration`] for a server of this program
    /// that is declared wrongly.
    pub async fn connect(self, target: impl Into<Target>) -> Result<Client> {
        match target.into() {
            Target::Command(program) => self.command(*program).await,
            #[cfg(feature = "http-client")]
            Target::Remote(remote) => self.remote(remote).await.map_err(not_a_url),
            Target::Server(server) => {
                let (ours, theirs) = memory::pair();
                crate::server::connection::serve_in_background(server.into_connection(theirs)?);
                self.stream(ours).await
            }
        }
    }
}

impl Target {
    /// Returns the same target, for another connection. A server of this program is connected to once.
    pub(crate) fn again(&self) -> Option<Self> {
        match self {
            Self::Command(program) => Some(Self::Command(program.clone())),
            #[cfg(feature = "http-client")]
            Self::Remote(remote) => Some(Self::Remote(remote.clone())),
            Self::Server(_) => None,
        }
    }
}

/// Whoever wrote a command where a URL stands is told how commands are written.
#[cfg(feature = "http-client")]
fn not_a_url(error: Error) -> Error {
    match error {
        Error::Target { message } if message.ends_with(NO_BASE) => {
            Error::Target { message: format!("{message}; a command is a `std::process::Command`") }
        }
        error => error,
    }
}

/// What the parser of URLs says of a text that is none at all.
#[cfg(feature = "http-client")]
const NO_BASE: &str = "relative URL without a base";

impl fmt::Debug for Target {
    /// Arguments and variables of a command are not shown: tokens may stand there.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(program) => f.debug_tuple("Command").field(program).finish(),
            #[cfg(feature = "http-client")]
            Self::Remote(remote) => f.debug_tuple("Remote").field(remote).finish(),
            Self::Server(_) => f.write_str("Server"),
        }
    }
}

impl From<Command> for Target {
    fn from(command: Command) -> Self {
        Self::Command(Box::new(command.into()))
    }
}

impl From<Program> for Target {
    fn from(program: Program) -> Self {
        Self::Command(Box::new(program))
    }
}

impl From<Server> for Target {
    fn from(server: Server) -> Self {
        Self::Server(Box::new(server))
    }
}

#[cfg(feature = "http-client")]
impl From<Remote> for Target {
    fn from(remote: Remote) -> Self {
        Self::Remote(remote)
    }
}

#[cfg(feature = "http-client")]
impl From<&str> for Target {
    fn from(url: &str) -> Self {
        Self::Remote(Remote::new(url))
    }
}

#[cfg(feature = "http-client")]
impl From<String> for Target {
    fn from(url: String) -> Self {
        Self::Remote(Remote::new(url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::server::entry::Tool;

    #[test]
    fn shows_no_argument_and_no_variable_of_a_command() {
        let mut command = Command::new("a");
        command.arg("s3cret").env("TOKEN", "s3cret");
        assert_eq!(format!("{:?}", Target::from(command)), "Command(Program { program: \"a\", .. })");
    }

    #[tokio::test]
    async fn connects_to_a_server_of_this_program_and_sees_what_is_wrong_with_it() {
        let server = Server::new("s").tool(Tool::new("one", || async { 1 }));
        let client = Client::connect(server).await.expect("a server that is right");
        assert_eq!(client.call::<u8>("one", serde_json::json!({})).await.expect("an answer"), 1);
        let twice =
            Server::new("s").tool(Tool::new("one", || async { 1 })).tool(Tool::new("one", || async { 2 }));
        let error = Client::connect(twice).await.expect_err("one name for two tools");
        assert!(matches!(error, Error::Declaration { .. }), "{error}");
    }

    #[tokio::test]
    async fn says_that_a_command_can_not_be_started() {
        let error = Client::connect(Command::new("/nowhere/at/all")).await.expect_err("no such program");
        assert!(matches!(error, Error::Io { .. }), "{error}");
    }

    #[cfg(feature = "http-client")]
    #[tokio::test]
    async fn says_of_a_text_that_is_no_url_how_commands_are_written() {
        let error = Client::connect("my-server").await.expect_err("no URL").to_string();
        assert_eq!(
            error,
            "expected an http or https URL, but found \"my-server\": relative URL without a base; \
             a command is a `std::process::Command`"
        );
        let error =
            Client::connect("ftp://a.example".to_owned()).await.expect_err("no URL of the web").to_string();
        assert_eq!(error, "expected an http or https URL, but found \"ftp://a.example\"");
    }
}
