//! The small requests: completions, the log, roots.

use plainwire_proto::codec;
use plainwire_proto::error::{Error as Refusal, ErrorKind};
use plainwire_proto::model::{CompleteRequest, Completion, LogLevel, Root};
use plainwire_proto::revision::Feature;
use serde::Deserialize;

use super::connection::Wish;
use super::{Client, GONE, decode, text};
use crate::error::{Error, Result};

impl Client {
    /// Asks what an argument of a prompt or a variable of a template might be.
    ///
    /// # Errors
    /// As [`Self::request`].
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

    /// Asks the server to log what matters at least as much as `level`; it comes as [`super::Notice::Log`].
    ///
    /// A legacy server is told once; a modern one with every request that follows.
    ///
    /// # Errors
    /// [`Error::Rpc`] if the server does not declare `logging`; otherwise as [`Self::request`].
    pub async fn set_log_level(&self, level: LogLevel) -> Result<()> {
        if !self.hello.capabilities.has("logging") {
            let text = "expected the server to declare `logging`, but found that it does not";
            return Err(Error::Rpc(Refusal::new(ErrorKind::MethodNotFound, text)));
        }
        if !self.revision().has(Feature::LegacySubscriptions) {
            return self.wish(Wish::SetLogLevel(level)).await;
        }
        let params = format!(r#"{{"level":"{}"}}"#, level.as_str());
        self.request("logging/setLevel", &params).await.map(drop)
    }

    /// Changes where the server may work. A legacy server is told that something has changed; every server gets the
    /// new roots when it asks.
    ///
    /// # Errors
    /// [`Error::Rpc`] for a client that was made without [`super::ClientBuilder::roots`]: it has not declared any.
    pub async fn set_roots(&self, roots: Vec<Root>) -> Result<()> {
        if !self.has_roots {
            let text = "expected a client with `ClientBuilder::roots`, but found one that declares no roots";
            return Err(Error::Rpc(Refusal::new(ErrorKind::MissingClientCapability, text)));
        }
        self.wish(Wish::SetRoots(roots)).await
    }

    pub(super) async fn wish(&self, wish: Wish) -> Result<()> {
        match self.wishes.send(wish).await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.server.closed(GONE).await),
        }
    }
}
