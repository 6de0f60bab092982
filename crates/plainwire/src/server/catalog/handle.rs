//! The handle to a running server: adding and removing entries, and notifying clients of changed resources.
//!
//! In: entries and URIs, from any part of the program. Out: changes of [`SharedCatalog`].

use std::fmt;
use std::sync::{Arc, Weak};

use plainwire_proto::peer::Change;

use super::shared::{SharedCatalog, ended};
use crate::error::Result;
use crate::server::entry::{Declare, IntoEntry, Prompt, Provider, Resource, ResourceTemplate, Tool};

/// A handle to a server, from [`Server::handle`](crate::Server::handle): adds and removes entries and
/// notifies clients, before and while the server serves. Cheap to clone; all clones refer to the same server.
///
/// ```
/// use plainwire::prelude::*;
///
/// let mut server = Server::new("growing");
/// let handle = server.handle();
/// let server = server.tool(Tool::new("grow", move || {
///     let added = handle.add_tool(Tool::new("grown", || async { "Here I am." }));
///     async move { added.map(|()| "Ask again what there is.").map_err(ToolError::from) }
/// }));
/// # drop(server);
/// ```
///
/// The handle does not keep the server alive. After the server has ended, adding fails, and removing and
/// notifying have no effect.
#[derive(Clone)]
pub struct ServerHandle {
    /// The server's entries. Weak, because handlers that belong to the server may hold a handle.
    shared: Weak<SharedCatalog>,
}

impl ServerHandle {
    pub(crate) fn new(shared: &Arc<SharedCatalog>) -> Self {
        Self { shared: Arc::downgrade(shared) }
    }

    /// Notifies every client that subscribed to the resource `uri` that its contents have changed.
    ///
    /// Clients can subscribe only to a resource that was declared with [`Resource::subscribable`]; without subscribers,
    /// nothing is sent. Never waits, and costs next to nothing without subscribers. While the notification still waits to be
    /// sent to a client, it is not queued for that client again.
    pub fn notify_resource_updated(&self, uri: impl Into<String>) {
        if let Some(shared) = self.shared.upgrade() {
            shared.publish(&Change::Resource(uri.into()));
        }
    }

    /// Adds a tool, and notifies the clients that the list of tools has changed.
    ///
    /// # Errors
    /// [`crate::Error::Declaration`] for a mistake that would also be reported when a server starts, and for a tool
    /// or resource that uses [views](crate::server::entry::apps) if the server did not declare the extension
    /// for views when it began to serve; [`crate::Error::Closed`] if the server has ended.
    pub fn add_tool<Via>(&self, tool: impl IntoEntry<Tool, Via>) -> Result<()> {
        self.add(tool.into_entry())
    }

    /// Removes a tool, and notifies the clients. Running calls of the tool continue. Returns whether the tool
    /// existed.
    pub fn remove_tool(&self, name: &str) -> bool {
        self.remove::<Tool>(name)
    }

    /// Like [`Self::add_tool`], for a prompt.
    ///
    /// # Errors
    /// Like [`Self::add_tool`]; also [`crate::Error::Declaration`] for an entry with completions if no entry had any
    /// when the server began to serve, because the server then did not declare completions to its clients.
    pub fn add_prompt<Via>(&self, prompt: impl IntoEntry<Prompt, Via>) -> Result<()> {
        self.add(prompt.into_entry())
    }

    /// Like [`Self::remove_tool`], for a prompt.
    pub fn remove_prompt(&self, name: &str) -> bool {
        self.remove::<Prompt>(name)
    }

    /// Like [`Self::add_tool`], for a resource.
    ///
    /// # Errors
    /// Like [`Self::add_tool`].
    pub fn add_resource<Via>(&self, resource: impl IntoEntry<Resource, Via>) -> Result<()> {
        self.add(resource.into_entry())
    }

    /// Like [`Self::remove_tool`], for the resource with this URI.
    pub fn remove_resource(&self, uri: &str) -> bool {
        self.remove::<Resource>(uri)
    }

    /// Like [`Self::add_tool`], for a resource template.
    ///
    /// # Errors
    /// Like [`Self::add_prompt`].
    pub fn add_resource_template<Via>(&self, template: impl IntoEntry<ResourceTemplate, Via>) -> Result<()> {
        self.add(template.into_entry())
    }

    /// Like [`Self::remove_tool`], for the resource template with this URI template.
    pub fn remove_resource_template(&self, uri_template: &str) -> bool {
        self.remove::<ResourceTemplate>(uri_template)
    }

    /// Adds the entries of a group or of a type with `#[server]`, all of them or, if one has a mistake, none.
    /// Notifies the clients once for each list that has changed.
    ///
    /// # Errors
    /// Like [`Self::add_prompt`], for the first mistake.
    pub fn add_entries(&self, provider: impl Provider) -> Result<()> {
        let shared = self.shared.upgrade().ok_or_else(ended)?;
        shared.add_all(Arc::new(provider).entries().declared)
    }

    fn add<E: Declare>(&self, entry: E) -> Result<()> {
        self.shared.upgrade().ok_or_else(ended)?.add(entry)
    }

    fn remove<E: Declare>(&self, name: &str) -> bool {
        self.shared.upgrade().is_some_and(|shared| shared.remove::<E>(name, None))
    }
}

impl fmt::Debug for ServerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerHandle").finish_non_exhaustive()
    }
}
