//! Building and serving a server: everything is checked first, then bytes are read.
//!
//! In: a [`Server`]. Out: [`Built`], which the connections of the server share, or the first mistake. Calls
//! are run by [`connection`].

use std::sync::Arc;

use plainwire_proto::peer::ServerConfig;
use plainwire_proto::seal::{MAX_KEYS, SealingKeys};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};

use super::asking::Sealer;
use super::catalog::Settings;
use super::entry::apps;
use super::principal::Principal;
use super::subscribed::Keeper;
use super::{Built, Hooks, Server, connection};
use crate::error::{Error, Result};
use crate::log;
use crate::runtime::UntilAsked;
use crate::stream::{Stream, stdio};

impl Server {
    /// Serves stdin and stdout until the client leaves.
    ///
    /// On Unix the server takes both descriptors: text that other code writes to stdout goes to stderr, and
    /// other code that reads stdin finds it empty. Returns when input ends or output breaks (on Unix also
    /// when the parent process dies), or when the process receives SIGINT or, on Unix, SIGTERM. Before that,
    /// running calls have up to [`Self::drain`] to finish, and their answers are written.
    ///
    /// # Errors
    /// [`Error::Declaration`] for the first mistake in declaring the server; [`Error::Io`] if the descriptors
    /// can't be taken, for example because this process already serves them; [`Error::Hook`] if a hook fails;
    /// [`Error::Closed`] if the task of the connection fails.
    pub async fn stdio(self) -> Result<()> {
        self.log_to_stderr();
        // Checked before the descriptors are taken, so that a mistake is reported on the original stderr.
        let (built, hooks) = self.build(None)?;
        let stream =
            stdio::take().map_err(|source| Error::Io { doing: "taking over stdin and stdout", source })?;
        serve(built, hooks, Stream { reader: Box::new(UntilAsked::new(stream.reader)), ..stream }).await
    }

    /// Serves one connection over a reader and a writer, such as the halves of a socket.
    ///
    /// # Errors
    /// Like [`Self::stdio`], except [`Error::Io`].
    pub async fn serve<R, W>(self, reader: R, writer: W) -> Result<()>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        self.serve_as(None, reader, writer).await
    }

    /// Like [`Self::serve`], for a client that was authenticated as `principal`.
    ///
    /// # Errors
    /// Like [`Self::stdio`], except [`Error::Io`].
    pub async fn serve_as<R, W>(self, principal: Option<Principal>, reader: R, writer: W) -> Result<()>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (built, hooks) = self.build(principal)?;
        serve(built, hooks, Stream::new(reader, writer)).await
    }

    /// Checks the server and returns it with `stream`, for one connection that is served later. The hooks of
    /// the server never run.
    pub(crate) fn into_connection(self, stream: Stream) -> Result<(Arc<Built>, Stream)> {
        let (built, _) = self.build(None)?;
        Ok((built, stream))
    }

    /// Installs logging to stderr at the level of [`Server::log_level`], unless the program has installed its
    /// own `tracing` subscriber.
    pub(crate) fn log_to_stderr(&self) {
        log::install(self.log_level, self.log_format);
    }

    pub(crate) fn build(self, principal: Option<Principal>) -> Result<(Arc<Built>, Hooks)> {
        if self.info.name.is_empty() || self.revisions.is_empty() {
            let message = "expected the server to have a name and at least one revision".to_owned();
            return Err(Error::Declaration { at: self.at, message });
        }
        if let Some((at, message)) = self.mistake {
            return Err(Error::Declaration { at, message });
        }
        if let Err(message) = self.limits.check() {
            return Err(Error::Declaration { at: self.at, message });
        }
        let keys = match self.sealing.keys.as_deref().map(SealingKeys::new) {
            Some(None) => {
                let count = self.sealing.keys.as_ref().map_or(0, Vec::len);
                let message = format!("expected 1 to {MAX_KEYS} sealing keys, but found {count}");
                return Err(Error::Declaration { at: self.at, message });
            }
            Some(keys) => keys,
            None => None,
        };
        let names = (self.info.name.as_str(), self.info.version.as_str());
        let sealer = Sealer::new(keys, names, self.sealing.ttl, self.sealing.single_use);
        let Self { cache_hint, mut hooks, layering, page_size, preset, slow_step, .. } = self;
        if let Some(message) = self.states.problem() {
            return Err(Error::Declaration { at: self.at, message });
        }
        let masks_errors = layering.masks_errors;
        let shows_views = self.experimental.extension(apps::EXTENSION).is_some();
        let settings = Settings { cache_hint, layering, page_size, preset, shows_views, slow_step };
        self.shared.begin(&self.info.name, self.at, settings, self.states)?;
        let mut capabilities = self.experimental;
        self.shared.with_declared(|declared| declared.declare_in(&mut capabilities, self.handled));
        if self.logging {
            capabilities.declare("logging", json!({}));
        }
        let mut config = ServerConfig::new(self.info, capabilities);
        config.cache_hint = self.cache_hint;
        let of_mounted = self.instructions_of_mounted.into_iter().map(|(prefix, text)| match &*prefix {
            "" => text,
            prefix => format!("{prefix}: {text}"),
        });
        let instructions: Vec<String> = self.instructions.into_iter().chain(of_mounted).collect();
        config.instructions = (!instructions.is_empty()).then(|| instructions.join("\n\n"));
        config.keep_alive = self.keep_alive;
        config.limits = self.limits;
        config.revisions = self.revisions;
        let built = Built {
            ask_timeout: self.ask_timeout,
            config: Arc::new(config),
            detached: crate::runtime::Detached::default(),
            drain: self.drain,
            masks_errors,
            max_questions: self.max_questions,
            sealer: Arc::new(sealer),
            principal: principal.map(Arc::new),
            progress: self.progress,
            shared: self.shared,
            tap: self.tap,
            timeout: self.timeout,
        };
        Keeper::keep(&built.shared.bus, std::mem::take(&mut hooks.subscribed));
        Ok((Arc::new(built), hooks))
    }
}

async fn serve(built: Arc<Built>, mut hooks: Hooks, stream: Stream) -> Result<()> {
    hooks.start().await?;
    let served = connection::serve(built, stream).await;
    hooks.shutdown().await?;
    served
}
