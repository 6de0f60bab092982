//! The core of an entry: the data that tools, prompts, resources and templates have in common.

use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use plainwire_proto::model::ClientCapability;

use super::mount::Mount;
use crate::schema::InputSchema;
use crate::server::context::{NeededState, States};
use crate::server::handler::{Input, Run};
use crate::server::layer::Layer;

/// The handler of an entry, and what the server has to know to call it.
#[derive(Clone)]
pub(crate) struct Core {
    /// The source line of the program that declared the entry.
    pub(crate) at: &'static Location<'static>,
    /// The entry's own layers, the outermost first.
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    /// The mounted servers that the entry comes from, the innermost first; empty for an entry of the server
    /// itself.
    pub(crate) mounts: Vec<Arc<Mount>>,
    /// The types of the [`crate::State`] parameters of the handler.
    pub(crate) needs: Vec<NeededState>,
    /// The first mistake in the declaration that was found so far; reported when the server starts.
    pub(crate) problem: Option<String>,
    /// The capabilities that a client must declare to call the entry.
    pub(crate) requires: Vec<ClientCapability>,
    pub(crate) run: Run,
    /// The schema of the arguments; that of an object without properties if the handler takes none.
    pub(crate) schema: InputSchema,
}

impl Core {
    /// Returns the states of the mounted server that the entry comes from, if there is one.
    pub(crate) fn states(&self) -> Option<&Arc<States>> {
        self.mounts.first().map(|mount| &mount.states)
    }

    /// Returns the deadline of calls in the mounted server that the entry comes from, if there is one.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.mounts.iter().find_map(|mount| mount.timeout)
    }

    pub(crate) fn new(at: &'static Location<'static>, input: Input, run: Run) -> Self {
        let Input { needs, problem, schema } = input;
        Self { at, layers: Vec::new(), mounts: Vec::new(), needs, problem, requires: Vec::new(), run, schema }
    }
}
