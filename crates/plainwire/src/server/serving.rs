//! From a declaration to a server that serves: everything is checked first, then bytes are taken.
//!
//! In: a [`Server`]. Out: [`Built`], which the connections of the server share, or the first mistake.

use std::sync::Arc;
use std::time::Duration;

use plainwire_proto::peer::ServerConfig;
use plainwire_proto::seal::{MAX_KEYS, SealingKeys};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};

use super::asking::Sealer;
use super::catalog::{Settings, Shared};
use super::connection;
use super::context::{Principal, ProgressRate};
use super::entry::apps;
use super::{Hook, Hooks, Server};
use crate::error::{Error, Result};
use crate::log;
use crate::stream::{Stream, Tap, stdio};

/// A server whose declaration is right, shared by its connections.
pub(crate) struct Built {
    pub(crate) ask_timeout: Duration,
    pub(crate) config: Arc<ServerConfig>,
    pub(crate) detached: connection::Detached,
    pub(crate) drain: Duration,
    pub(crate) masks_errors: bool,
    pub(crate) max_questions: usize,
    pub(crate) principal: Option<Arc<Principal>>,
    pub(crate) progress: ProgressRate,
    pub(crate) sealer: Arc<Sealer>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) tap: Option<Tap>,
    pub(crate) timeout: Option<Duration>,
}

impl Server {
    /// Serves the program's standard input and output until the client leaves.
    ///
    /// The protocol keeps both descriptors for itself: what anything else writes to stdout goes to stderr, and what
    /// anything else reads from stdin is empty. Returns when input ends, output breaks or the parent process dies,
    /// after running calls had the time of [`Self::drain`].
    ///
    /// # Errors
    /// [`Error::Declaration`] for the first mistake in the declaration; [`Error::Io`] if the descriptors can't be
    /// taken; [`Error::Hook`] if a hook fails.
    pub async fn stdio(self) -> Result<()> {
        self.log_to_stderr();
        // Checked before the descriptors are touched, so that a mistake is reported on an untouched terminal.
        let (built, hooks) = self.build(None)?;
        let stream =
            stdio::take().map_err(|source| Error::Io { doing: "taking over stdin and stdout", source })?;
        serve(built, hooks, stream).await
    }

    /// Serves one connection over any pair of streams, such as the halves of a socket.
    ///
    /// # Errors
    /// As [`Self::stdio`].
    pub async fn serve<R, W>(self, reader: R, writer: W) -> Result<()>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        self.serve_as(None, reader, writer).await
    }

    /// As [`Self::serve`], for a client that has proved who it is.
    ///
    /// # Errors
    /// As [`Self::stdio`].
    pub async fn serve_as<R, W>(self, principal: Option<Principal>, reader: R, writer: W) -> Result<()>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (built, hooks) = self.build(principal)?;
        serve(built, hooks, Stream::new(reader, writer)).await
    }

    /// Makes a connection that is not served yet, without hooks.
    pub(crate) fn into_connection(self, stream: Stream) -> Result<(Arc<Built>, Stream)> {
        let (built, _) = self.build(None)?;
        Ok((built, stream))
    }

    /// Logs to stderr, unless the program has arranged for something else.
    pub(crate) fn log_to_stderr(&self) {
        log::install(self.log_level);
    }

    pub(crate) fn build(self, principal: Option<Principal>) -> Result<(Arc<Built>, Hooks)> {
        if self.info.name.is_empty() || self.revisions.is_empty() {
            let message = "expected the server to have a name and at least one revision".to_owned();
            return Err(Error::Declaration { at: self.at, message });
        }
        let keys = match self.sealing.keys.as_deref().map(SealingKeys::new) {
            Some(None) => {
                let message =
                    format!("expected 1 to {MAX_KEYS} sealing keys, but found another number of them");
                return Err(Error::Declaration { at: self.at, message });
            }
            Some(keys) => keys,
            None => None,
        };
        let names = (self.info.name.as_str(), self.info.version.as_str());
        let sealer = Sealer::new(keys, names, self.sealing.ttl, self.sealing.single_use);
        let Self { cache_hint, page_size, preset, slow_step, .. } = self;
        if let Some(message) = self.states.problem() {
            return Err(Error::Declaration { at: self.at, message });
        }
        let layers = self.layering.layers;
        let shows_views = self.experimental.extension(apps::EXTENSION).is_some();
        let settings = Settings { cache_hint, layers, page_size, preset, shows_views, slow_step };
        self.shared.begin(&self.info.name, settings, self.states)?;
        let mut capabilities = self.experimental;
        self.shared.see(|declared| declared.declare_in(&mut capabilities, self.handled));
        if self.logging {
            capabilities.declare("logging", json!({}));
        }
        let mut config = ServerConfig::new(self.info, capabilities);
        config.cache_hint = self.cache_hint;
        config.instructions = self.instructions;
        config.keep_alive = self.keep_alive;
        config.limits = self.limits;
        config.revisions = self.revisions;
        let built = Built {
            ask_timeout: self.ask_timeout,
            config: Arc::new(config),
            detached: connection::Detached::default(),
            drain: self.drain,
            masks_errors: self.layering.masks_errors,
            max_questions: self.max_questions,
            sealer: Arc::new(sealer),
            principal: principal.map(Arc::new),
            progress: self.progress,
            shared: self.shared,
            tap: self.tap,
            timeout: self.timeout,
        };
        Ok((Arc::new(built), self.hooks))
    }
}

async fn serve(built: Arc<Built>, mut hooks: Hooks, stream: Stream) -> Result<()> {
    hooks.start().await?;
    let served = connection::serve(built, stream).await;
    hooks.shutdown().await?;
    served
}

impl Hooks {
    /// Calls what is called before serving begins.
    pub(crate) async fn start(&mut self) -> Result<()> {
        Self::call("start", std::mem::take(&mut self.start)).await
    }

    /// Calls what is called after serving has ended.
    pub(crate) async fn shutdown(self) -> Result<()> {
        Self::call("shutdown", self.shutdown).await
    }

    async fn call(name: &'static str, hooks: Vec<Hook>) -> Result<()> {
        for hook in hooks {
            hook().await.map_err(|why| Error::Hook { hook: name, why })?;
        }
        Ok(())
    }
}
