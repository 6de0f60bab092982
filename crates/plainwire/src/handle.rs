//! What a server is told while it serves: that something has changed, and what there is from now on.
//!
//! In: entries and URIs, from anywhere in the program. Out: a catalog that is swapped, and changes on the bus. Each
//! connection takes the new catalog with its next request; a call goes on with the entry that it began with.

use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use plainwire_proto::cursor::List;
use plainwire_proto::peer::Change;

use crate::bus::Bus;
use crate::catalog::{Catalog, Declared, Settings};
use crate::declaration::check;
use crate::error::{Error, Result};
use crate::handler::{Prompt, Resource, ResourceTemplate, Tool};

/// A way to a server from anywhere in its program, before and while it serves. Cheap to clone; all clones are the
/// same server.
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
/// It does not keep the server alive: after the server has ended, nothing is added, removed or heard of.
#[derive(Clone)]
pub struct ServerHandle {
    /// Weak, since handlers that belong to the server hold it.
    shared: Weak<Shared>,
}

impl ServerHandle {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::downgrade(shared) }
    }

    /// Tells every client that subscribed to the resource `uri` that it holds something else now.
    ///
    /// Never waits, and costs next to nothing if nobody subscribed. What a client has not read yet is not said twice.
    pub fn notify_resource_updated(&self, uri: impl Into<String>) {
        if let Some(shared) = self.shared.upgrade() {
            shared.bus.publish(&Change::Resource(uri.into()));
        }
    }

    /// Adds a tool, and tells the clients that want to know.
    ///
    /// # Errors
    /// [`Error::Declaration`] for what would be a mistake in the declaration of a server too; [`Error::Closed`] if the
    /// server has ended.
    pub fn add_tool(&self, tool: Tool) -> Result<()> {
        self.shared()?.add(List::Tools, |declared| declared.tools.push(tool))
    }

    /// Removes a tool, and tells the clients that want to know. Calls of it that run go on. Returns whether there was
    /// one.
    pub fn remove_tool(&self, name: &str) -> bool {
        self.remove(List::Tools, |declared| &mut declared.tools, |tool| tool.entry.name == name)
    }

    /// Adds a prompt; otherwise as [`Self::add_tool`].
    ///
    /// # Errors
    /// As [`Self::add_tool`]; also for completions on a server that had none when it began to serve, since clients
    /// were told that it has none.
    pub fn add_prompt(&self, prompt: Prompt) -> Result<()> {
        let shared = self.shared()?;
        shared.may_complete(prompt.completers.is_empty(), prompt.at)?;
        shared.add(List::Prompts, |declared| declared.prompts.push(prompt))
    }

    /// Removes a prompt; otherwise as [`Self::remove_tool`].
    pub fn remove_prompt(&self, name: &str) -> bool {
        self.remove(List::Prompts, |declared| &mut declared.prompts, |it| it.entry.name == name)
    }

    /// Adds a resource; otherwise as [`Self::add_tool`].
    ///
    /// # Errors
    /// As [`Self::add_tool`].
    pub fn add_resource(&self, resource: Resource) -> Result<()> {
        self.shared()?.add(List::Resources, |declared| declared.resources.push(resource))
    }

    /// Removes the resource with this URI; otherwise as [`Self::remove_tool`].
    pub fn remove_resource(&self, uri: &str) -> bool {
        self.remove(List::Resources, |declared| &mut declared.resources, |it| it.entry.uri == uri)
    }

    /// Adds a family of resources; otherwise as [`Self::add_tool`].
    ///
    /// # Errors
    /// As [`Self::add_prompt`].
    pub fn add_resource_template(&self, template: ResourceTemplate) -> Result<()> {
        let shared = self.shared()?;
        shared.may_complete(template.completers.is_empty(), template.at)?;
        shared.add(List::ResourceTemplates, |declared| declared.templates.push(template))
    }

    /// Removes the family with this template; otherwise as [`Self::remove_tool`].
    pub fn remove_resource_template(&self, uri_template: &str) -> bool {
        let removed = |it: &ResourceTemplate| it.entry.uri_template == uri_template;
        self.remove(List::ResourceTemplates, |declared| &mut declared.templates, removed)
    }

    fn shared(&self) -> Result<Arc<Shared>> {
        self.shared.upgrade().ok_or_else(|| Error::Closed { why: "the server has ended".to_owned() })
    }

    fn remove<T>(
        &self,
        list: List,
        entries: impl FnOnce(&mut Declared) -> &mut Vec<T>,
        removed: impl Fn(&T) -> bool,
    ) -> bool {
        self.shared.upgrade().is_some_and(|shared| shared.remove(list, entries, removed))
    }
}

impl fmt::Debug for ServerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerHandle").finish_non_exhaustive()
    }
}

/// What all connections and handles of a server share.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) bus: Arc<Bus>,
    /// Grows with each change of `state`, so that a connection need not take the lock to see that nothing happened.
    generation: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The catalog of what is declared, unless that has changed since.
    catalog: Option<Arc<Catalog>>,
    declared: Declared,
    /// The last catalog there was, for what it has learned about its entries.
    last: Option<Arc<Catalog>>,
    /// Set when serving begins.
    live: Option<Live>,
}

struct Live {
    completes: bool,
    server: String,
    settings: Settings,
}

impl Shared {
    /// Changes a declaration that nobody serves yet; mistakes are found when serving begins.
    pub(crate) fn declare(&self, change: impl FnOnce(&mut Declared)) {
        change(&mut self.lock().declared);
    }

    /// Lets `look` see what is declared.
    pub(crate) fn see<T>(&self, look: impl FnOnce(&Declared) -> T) -> T {
        look(&self.lock().declared)
    }

    /// Begins to serve what is declared.
    ///
    /// # Errors
    /// [`Error::Declaration`] for the first mistake.
    pub(crate) fn begin(&self, server: &str, settings: Settings) -> Result<()> {
        let mut state = self.lock();
        check(&state.declared)?;
        let completes = state.declared.completes();
        state.live = Some(Live { completes, server: server.to_owned(), settings });
        Ok(())
    }

    /// Returns a number that is another one whenever [`Self::catalog`] may be.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Returns the catalog and its generation. It is made here, and not when an entry is added: many may be.
    pub(crate) fn catalog(&self) -> (u64, Arc<Catalog>) {
        let mut state = self.lock();
        let State { catalog, declared, last, live } = &mut *state;
        let catalog = catalog.get_or_insert_with(|| {
            let live = live.as_ref().expect("connections are made after `begin`");
            Arc::new(Catalog::new(&live.server, declared, &live.settings, last.as_deref()))
        });
        *last = Some(Arc::clone(catalog));
        (self.generation(), Arc::clone(catalog))
    }

    /// Adds the entry that `add` puts at the end of `list`, unless it is a mistake.
    fn add(&self, list: List, add: impl FnOnce(&mut Declared)) -> Result<()> {
        let mut state = self.lock();
        add(&mut state.declared);
        if let Err(error) = check(&state.declared) {
            state.declared.pop(list);
            return Err(error);
        }
        self.changed(state, list);
        Ok(())
    }

    fn remove<T>(
        &self,
        list: List,
        entries: impl FnOnce(&mut Declared) -> &mut Vec<T>,
        removed: impl Fn(&T) -> bool,
    ) -> bool {
        let mut state = self.lock();
        let entries = entries(&mut state.declared);
        let before = entries.len();
        entries.retain(|entry| !removed(entry));
        let found = entries.len() < before;
        if found {
            self.changed(state, list);
        }
        found
    }

    fn changed(&self, mut state: MutexGuard<'_, State>, list: List) {
        state.catalog = None;
        self.generation.fetch_add(1, Ordering::Release);
        drop(state);
        // After the new generation can be seen: who hears of it and asks gets the new list.
        self.bus.publish(&Change::List(list));
    }

    fn may_complete(&self, has_none: bool, at: &'static Location<'static>) -> Result<()> {
        match &self.lock().live {
            Some(live) if !live.completes && !has_none => {
                let message =
                    "expected no completions: the server had none when it began to serve".to_owned();
                Err(Error::Declaration { at, message })
            }
            _ => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic under this lock leaves the declaration as it was.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}
