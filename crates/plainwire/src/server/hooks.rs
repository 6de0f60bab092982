//! Hooks: functions of the program that run once, before or after serving, and those that run while clients are
//! subscribed to resources.
//!
//! In: futures that may fail. Out: the first failure, with the name of the hook.

use std::future::Future;
use std::pin::Pin;

use super::subscribed::Work;
use crate::error::{Error, Result};

/// A function of the program that runs once, before or after serving.
pub(super) type Hook = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> + Send>;

/// The hooks of a server, in the order in which they were added.
#[derive(Default)]
pub(crate) struct Hooks {
    pub(super) start: Vec<Hook>,
    pub(super) shutdown: Vec<Hook>,
    /// Given to a [`Keeper`](super::subscribed::Keeper) when the server is built.
    pub(super) subscribed: Vec<Work>,
}

impl Hooks {
    /// Runs the hooks of [`Server::on_start`].
    pub(crate) async fn start(&mut self) -> Result<()> {
        Self::call("start", std::mem::take(&mut self.start)).await
    }

    /// Runs the hooks of [`Server::on_shutdown`].
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
