//! Methods of [`Client`] for completions, the log level and roots.

use plainwire_proto::codec;
use plainwire_proto::error::{Error as Refusal, ErrorKind};
use plainwire_proto::model::{CompleteRequest, Completion, LogLevel, Root};
use plainwire_proto::revision::Feature;
use serde::Deserialize;

use super::connection::Command;
use super::{Client, GONE, decode, text};
use crate::error::{Error, Result};

impl Client {
    /// Requests completions of an argument of a prompt or a variable of a template.
    ///
    /// # Errors
    /// Like [`Self::request`].
    pub async fn complete(&self, request: &CompleteRequest) -> Result<Completion> {
        #[derive(Deserialize)]
        struct Completed {
            completion: Completion,
        }
        let mut params = Vec::new();
        codec::complete_params(&mut params, request);
        let completed: Completed = decode(&self.request("completion/complete", &text(params)).await?)?;
        Ok(completed.completion)
    }

    /// Sets the lowest level of the log messages that the server sends. They arrive as
    /// [`super::Notice::Log`].
    ///
    /// A legacy server gets the level once, a modern server with each request that follows.
    ///
    /// # Errors
    /// [`Error::Rpc`] if the server does not declare `logging`; otherwise like [`Self::request`].
    pub async fn set_log_level(&self, level: LogLevel) -> Result<()> {
        if !self.shared.hello.capabilities.has("logging") {
            let text = "expected the server to declare `logging`, but found that it does not";
            return Err(Error::Rpc(Refusal::new(ErrorKind::MethodNotFound, text)));
        }
        if !self.revision().has(Feature::LegacySubscriptions) {
            return self.send_command(Command::SetLogLevel(level)).await;
        }
        let params = format!(r#"{{"level":"{}"}}"#, level.as_str());
        self.request("logging/setLevel", &params).await.map(drop)
    }

    /// Replaces the roots: the folders in which the server may work. A legacy server is notified of the
    /// change; every server gets the new roots when it asks for them.
    ///
    /// # Errors
    /// [`Error::Rpc`] if the client was built without [`super::ClientBuilder::roots`]: such a client has not
    /// declared any roots.
    pub async fn set_roots(&self, roots: Vec<Root>) -> Result<()> {
        if !self.shared.has_roots {
            let text = "expected a client with `ClientBuilder::roots`, but found one that declares no roots";
            return Err(Error::Rpc(Refusal::new(ErrorKind::MissingClientCapability, text)));
        }
        self.send_command(Command::SetRoots(roots)).await
    }

    pub(super) async fn send_command(&self, command: Command) -> Result<()> {
        match self.shared.commands.send(command).await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.shared.far_end.closed(GONE).await),
        }
    }
}
