//! The targets that a client connects to (a command, a URL, or a stream), and the conversions to them.

use std::fmt;
use std::process::Command;

#[cfg(feature = "http-client")]
use super::http::Remote;
use super::process::Program;
use super::{Client, ClientBuilder};
#[cfg(feature = "http-client")]
use crate::error::Error;
use crate::error::Result;
use crate::stream::Stream;

/// The target of a client: a command, a server at a URL, a server of this program, or an entry of a
/// [configuration file](super::config).
#[non_exhaustive]
pub enum Target {
    /// A server that is started as a child process.
    Command(Box<Program>),
    /// A server at a URL. Strings convert to this variant.
    #[cfg(feature = "http-client")]
    Remote(Remote),
    /// A stream that is opened when the client connects, such as one to a server inside this process.
    Stream(OpenStream),
}

/// A function that opens a stream, once.
pub struct OpenStream(Box<dyn FnOnce() -> Result<Stream> + Send>);

impl Client {
    /// Connects to a server: a [`Command`], with the feature `http-client` a URL, a [`Server`](crate::Server)
    /// of this program, or what [`ConfigEntry::target`](crate::client::config::ConfigEntry::target) returns for an entry
    /// of a configuration file.
    /// [`Client::builder`] has more settings.
    ///
    /// ```
    /// use plainwire::Client;
    /// use plainwire::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> plainwire::Result<()> {
    /// let server = Server::new("demo").tool(Tool::new("hello", || async { "Hello!" }));
    /// let client = Client::connect(server).await?;
    /// assert_eq!(client.call::<String>("hello", json!({})).await?, "Hello!");
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
    /// Connects to a target: a command, a URL or a stream.
    ///
    /// # Errors
    /// As [`Self::command`] or `remote`, depending on the kind; [`crate::Error::Declaration`] for a server of
    /// this program that is declared wrongly.
    pub async fn connect(self, target: impl Into<Target>) -> Result<Client> {
        match target.into() {
            Target::Command(program) => self.command(*program).await,
            #[cfg(feature = "http-client")]
            Target::Remote(remote) => self.remote(remote).await.map_err(not_a_url),
            Target::Stream(OpenStream(open)) => self.stream(open()?).await,
        }
    }
}

impl Target {
    /// Returns a target for a function that opens a stream. The function runs when a client connects.
    pub fn open(stream: impl FnOnce() -> Result<Stream> + Send + 'static) -> Self {
        Self::Stream(OpenStream(Box::new(stream)))
    }

    /// Returns a copy of the target for another connection; `None` for a stream, which can be opened only
    /// once.
    pub(crate) fn again(&self) -> Option<Self> {
        match self {
            Self::Command(program) => Some(Self::Command(program.clone())),
            #[cfg(feature = "http-client")]
            Self::Remote(remote) => Some(Self::Remote(remote.clone())),
            Self::Stream(_) => None,
        }
    }
}

/// Adds a hint to the error for a string without a URL scheme: a command has to be passed as a [`Command`].
#[cfg(feature = "http-client")]
fn not_a_url(error: Error) -> Error {
    match error {
        Error::Target { message } if message.ends_with(NO_BASE) => {
            Error::Target { message: format!("{message}; a command is a `std::process::Command`") }
        }
        error => error,
    }
}

/// The message of the URL parser for a string without a scheme.
#[cfg(feature = "http-client")]
const NO_BASE: &str = "relative URL without a base";

impl fmt::Debug for Target {
    /// Writes the target without the arguments and variables of a command: they may contain tokens.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(program) => f.debug_tuple("Command").field(program).finish(),
            #[cfg(feature = "http-client")]
            Self::Remote(remote) => f.debug_tuple("Remote").field(remote).finish(),
            Self::Stream(_) => f.write_str("Stream"),
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

impl From<Stream> for Target {
    fn from(stream: Stream) -> Self {
        Self::open(|| Ok(stream))
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

/// Without the feature, a URL is an error when the client connects. It converts all the same, because the compiler
/// would not name the feature.
#[cfg(not(feature = "http-client"))]
impl From<&str> for Target {
    fn from(_: &str) -> Self {
        let message = "expected the feature `http-client` of the crate `plainwire` for a URL: write `features = \
                       [\"http-client\"]` into its entry in Cargo.toml";
        Self::open(move || Err(crate::error::Error::Target { message: message.to_owned() }))
    }
}

#[cfg(not(feature = "http-client"))]
impl From<String> for Target {
    fn from(url: String) -> Self {
        url.as_str().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[cfg(not(feature = "http-client"))]
    #[tokio::test]
    async fn a_url_without_the_feature_names_it() {
        let error = Client::connect("http://127.0.0.1:1/mcp").await.expect_err("no feature").to_string();
        assert!(error.contains("the feature `http-client`"), "{error}");
    }

    #[test]
    fn shows_no_argument_and_no_variable_of_a_command() {
        let mut command = Command::new("a");
        command.arg("s3cret").env("TOKEN", "s3cret");
        assert_eq!(format!("{:?}", Target::from(command)), "Command(Program { program: \"a\", .. })");
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
            "expected a URL with `http://` or `https://`, but found \"my-server\": relative URL without a base; \
             a command is a `std::process::Command`"
        );
        let error =
            Client::connect("ftp://a.example".to_owned()).await.expect_err("no URL of the web").to_string();
        assert_eq!(error, "expected a URL with `http://` or `https://`, but found \"ftp://a.example\"");
    }
}
