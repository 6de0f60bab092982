//! What a server is told while it serves: that something has changed, and what there is from now on.
//!
//! In: entries and URIs, from anywhere in the program. Out: a catalog that is swapped, and changes on the bus. Each
//! connection takes the new catalog with its next request; a call goes on with the entry that it began with.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use plainwire_proto::cursor::List;
use plainwire_proto::peer::Change;

use super::changes::Bus;
use super::{Catalog, Declared, Settings};
use crate::error::{Error, Result};
use crate::server::entry::{
    About, Declare, IntoEntry, Names, Prompt, Resource, ResourceTemplate, Tool, apps, check,
};
use crate::server::handler::States;

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
    /// [`Error::Declaration`] for what would be a mistake in the declaration of a server too, and for something of
    /// [views](crate::server::entry::apps) on a server that had none when it began to serve; [`Error::Closed`] if the server has ended.
    pub fn add_tool<Via>(&self, tool: impl IntoEntry<Tool, Via>) -> Result<()> {
        self.add(tool.into_entry())
    }

    /// Removes a tool, and tells the clients that want to know. Calls of it that run go on. Returns whether there was
    /// one.
    pub fn remove_tool(&self, name: &str) -> bool {
        self.remove::<Tool>(name)
    }

    /// Adds a prompt; otherwise as [`Self::add_tool`].
    ///
    /// # Errors
    /// As [`Self::add_tool`]; also for completions on a server that had none when it began to serve, since clients
    /// were told that it has none.
    pub fn add_prompt<Via>(&self, prompt: impl IntoEntry<Prompt, Via>) -> Result<()> {
        self.add(prompt.into_entry())
    }

    /// Removes a prompt; otherwise as [`Self::remove_tool`].
    pub fn remove_prompt(&self, name: &str) -> bool {
        self.remove::<Prompt>(name)
    }

    /// Adds a resource; otherwise as [`Self::add_tool`].
    ///
    /// # Errors
    /// As [`Self::add_tool`].
    pub fn add_resource<Via>(&self, resource: impl IntoEntry<Resource, Via>) -> Result<()> {
        self.add(resource.into_entry())
    }

    /// Removes the resource with this URI; otherwise as [`Self::remove_tool`].
    pub fn remove_resource(&self, uri: &str) -> bool {
        self.remove::<Resource>(uri)
    }

    /// Adds a family of resources; otherwise as [`Self::add_tool`].
    ///
    /// # Errors
    /// As [`Self::add_prompt`].
    pub fn add_resource_template<Via>(&self, template: impl IntoEntry<ResourceTemplate, Via>) -> Result<()> {
        self.add(template.into_entry())
    }

    /// Removes the family with this template; otherwise as [`Self::remove_tool`].
    pub fn remove_resource_template(&self, uri_template: &str) -> bool {
        self.remove::<ResourceTemplate>(uri_template)
    }

    fn add<E: Declare>(&self, entry: E) -> Result<()> {
        let ended = || Error::Closed { why: "the server has ended".to_owned() };
        self.shared.upgrade().ok_or_else(ended)?.add(entry)
    }

    fn remove<E: Declare>(&self, name: &str) -> bool {
        self.shared.upgrade().is_some_and(|shared| shared.remove::<E>(name))
    }
}

impl fmt::Debug for ServerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerHandle").finish_non_exhaustive()
    }
}

/// What all connections and handles of a server share.
///
/// Entries and catalogs hold functions of the program, and what those hold may have a `Drop` that comes back here:
/// under the lock none is dropped.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) bus: Arc<Bus>,
    /// Grows with each change of `state`, so that a connection need not take the lock to see that nothing happened.
    generation: AtomicU64,
    state: Mutex<State>,
    /// What handlers share; there from when serving begins.
    states: OnceLock<States>,
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
    /// Invariant: the names in `declared`.
    names: Names,
}

struct Live {
    completes: bool,
    shows_views: bool,
    server: String,
    settings: Settings,
}

impl Shared {
    /// Adds to a declaration that nobody serves yet; mistakes are found when serving begins.
    pub(crate) fn declare<E: Declare>(&self, entry: E) {
        self.lock().push(entry);
    }

    /// Adds what stands in `declared` to a declaration that nobody serves yet.
    pub(crate) fn declare_all(&self, declared: Declared) {
        let Declared { prompts, resources, templates, tools } = declared;
        prompts.into_iter().for_each(|it| self.declare(it));
        resources.into_iter().for_each(|it| self.declare(it));
        templates.into_iter().for_each(|it| self.declare(it));
        tools.into_iter().for_each(|it| self.declare(it));
    }

    /// Returns what handlers share.
    pub(crate) fn states(&self) -> &States {
        self.states.get_or_init(States::default)
    }

    /// Lets `look` see what is declared.
    pub(crate) fn see<T>(&self, look: impl FnOnce(&Declared) -> T) -> T {
        look(&self.lock().declared)
    }

    /// Begins to serve what is declared.
    ///
    /// # Errors
    /// [`Error::Declaration`] for the first mistake.
    pub(crate) fn begin(&self, server: &str, settings: Settings, states: States) -> Result<()> {
        let mut state = self.lock();
        check(&state.declared, self.states.get_or_init(|| states))?;
        let completes = state.declared.completes();
        let shows_views = settings.shows_views || state.declared.shows_views();
        state.live = Some(Live { completes, shows_views, server: server.to_owned(), settings });
        Ok(())
    }

    /// Returns a number that is another one whenever [`Self::catalog`] may be.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Returns the catalog and its generation. It is made here, and not when an entry is added: many may be.
    pub(crate) fn catalog(&self) -> (u64, Arc<Catalog>) {
        let mut state = self.lock();
        let State { catalog, declared, last, live, .. } = &mut *state;
        let catalog = catalog.get_or_insert_with(|| {
            let live = live.as_ref().expect("connections are made after `begin`");
            Arc::new(Catalog::new(&live.server, declared, &live.settings, last.as_deref()))
        });
        let catalog = Arc::clone(catalog);
        let old = last.replace(Arc::clone(&catalog));
        let generation = self.generation();
        drop(state);
        drop(old);
        (generation, catalog)
    }

    /// Adds `entry`, unless it is a mistake.
    fn add<E: Declare>(&self, entry: E) -> Result<()> {
        let mut state = self.lock();
        if let Err(error) = state.check(&entry.about(), self.states()) {
            drop(state);
            drop(entry);
            return Err(error);
        }
        state.push(entry);
        self.changed(state, E::LIST);
        Ok(())
    }

    fn remove<E: Declare>(&self, name: &str) -> bool {
        let mut state = self.lock();
        if !state.names.forget(E::LIST, name) {
            return false;
        }
        let entries = E::entries(&mut state.declared);
        let removed: Vec<E> = entries.extract_if(.., |entry| entry.about().name == name).collect();
        self.changed(state, E::LIST);
        drop(removed);
        true
    }

    fn changed(&self, mut state: MutexGuard<'_, State>, list: List) {
        let old = state.catalog.take();
        self.generation.fetch_add(1, Ordering::Release);
        drop(state);
        // After the new generation can be seen: who hears of it and asks gets the new list.
        self.bus.publish(&Change::List(list));
        drop(old);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic under this lock leaves the declaration as it was.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Finds the first mistake in an entry that is to be added.
    fn check(&self, about: &About<'_>, states: &States) -> Result<()> {
        if about.completes && self.live.as_ref().is_some_and(|live| !live.completes) {
            let message = "expected no completions: the server had none when it began to serve".to_owned();
            return Err(Error::Declaration { at: about.at, message });
        }
        if apps::is_part(about) && self.live.as_ref().is_some_and(|live| !live.shows_views) {
            let message = format!(
                "expected nothing for views: the server had none when it began to serve; declare `{}` by `Server::extension`",
                apps::EXTENSION
            );
            return Err(Error::Declaration { at: about.at, message });
        }
        self.names.check(about, states)?;
        self.names.check_page(about)
    }

    fn push<E: Declare>(&mut self, entry: E) {
        self.names.note(&entry.about());
        E::entries(&mut self.declared).push(entry);
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn serving() -> Arc<Shared> {
        let shared = Arc::new(Shared::default());
        let settings = Settings { page_size: 100, slow_step: Duration::from_secs(1), ..Settings::default() };
        shared.begin("s", settings, States::default()).expect("nothing that could be wrong");
        shared
    }

    fn tool(name: &str) -> Tool {
        Tool::new(name, || async { "done" })
    }

    /// Takes its tool with it when it goes.
    struct Guard(ServerHandle);

    impl Drop for Guard {
        fn drop(&mut self) {
            assert!(self.0.remove_tool("other"), "the server does not hear of it");
        }
    }

    fn guarded(name: &str, handle: &ServerHandle) -> Tool {
        let guard = Arc::new(Guard(handle.clone()));
        Tool::new(name, move || {
            let _held = &guard;
            async { "done" }
        })
    }

    /// Lets `act` do something that drops a guard, and sees that it ends.
    fn ends(act: impl FnOnce(&Arc<Shared>, &ServerHandle) + Send + 'static) {
        let (done, is_done) = mpsc::channel();
        // Without an owner: if it hangs, it hangs for good.
        thread::spawn(move || {
            let shared = serving();
            let handle = ServerHandle::new(&shared);
            handle.add_tool(tool("other")).expect("a legal tool");
            act(&shared, &handle);
            assert!(!handle.remove_tool("other"), "the guard is still there");
            done.send(()).expect("a test that waits");
        });
        is_done.recv_timeout(Duration::from_secs(10)).expect("an end in time");
    }

    #[test]
    fn what_a_removed_tool_drops_may_use_the_handle() {
        ends(|_, handle| {
            handle.add_tool(guarded("t", handle)).expect("a legal tool");
            assert!(handle.remove_tool("t"));
        });
    }

    #[test]
    fn what_a_refused_tool_drops_may_use_the_handle() {
        ends(|_, handle| {
            handle.add_tool(guarded("no name", handle)).expect_err("a name with a space");
        });
    }

    #[test]
    fn what_an_old_catalog_drops_may_use_the_handle() {
        ends(|shared, handle| {
            handle.add_tool(guarded("t", handle)).expect("a legal tool");
            shared.catalog();
            assert!(handle.remove_tool("t"));
            shared.catalog();
        });
    }

    #[test]
    fn adding_one_of_many_looks_at_that_one_only() {
        let shared = serving();
        let handle = ServerHandle::new(&shared);
        for n in 0..5_000 {
            handle.add_tool(tool(&format!("t{n}"))).expect("a legal tool");
        }
        handle.add_tool(tool("t7")).expect_err("a second one of that name");
        assert_eq!(shared.lock().names.checked.get(), 5_001);
        assert!(handle.remove_tool("t7"));
        handle.add_tool(tool("t7")).expect("the name is free again");
    }

    #[test]
    fn a_mistake_that_was_declared_before_is_found_when_serving_begins() {
        let shared = Arc::new(Shared::default());
        let handle = ServerHandle::new(&shared);
        shared.declare(tool("twice"));
        shared.declare(tool("twice"));
        handle.add_tool(tool("other")).expect("nothing wrong with this one");
        assert!(check(&shared.lock().declared, &States::default()).is_err());
        assert!(handle.remove_tool("twice") && !handle.remove_tool("twice"), "both of them");
        check(&shared.lock().declared, &States::default()).expect("nothing wrong any more");
    }
}
