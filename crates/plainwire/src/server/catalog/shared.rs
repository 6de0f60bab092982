//! The entries of a server and their current catalog, shared by the connections and handles of the server.
//!
//! In: entries, before and while the server serves. Out: a new catalog, and a change for the connections that
//! watch the list. Each connection takes the new catalog with its next request; a running call keeps the entry
//! that it began with. The entries of a mounted server are entries of the server that mounts it.

use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use plainwire_proto::cursor::List;
use plainwire_proto::peer::Change;

use super::{Catalog, Settings};
use crate::error::{Error, Result};
use crate::server::changes::Bus;
use crate::server::context::States;
use crate::server::entry::{Declare, Declared, EntrySummary, Mount, Names, apps, check};
use crate::server::presentation::Present;

/// The entries and current catalog of a server, shared by its connections and handles.
///
/// Entries and catalogs hold functions of the program, which may own values whose `Drop` calls back into this
/// type. Therefore no entry or catalog is dropped under the lock.
#[derive(Default)]
pub(crate) struct SharedCatalog {
    pub(crate) bus: Arc<Bus>,
    /// The number of times that a handle has added or removed entries, so that a connection can check for a
    /// new catalog without the lock.
    generation: AtomicU64,
    state: Mutex<CatalogState>,
    /// The servers that are mounted in this one, kept for their handles.
    mounted: Mutex<Vec<Arc<Self>>>,
    /// The server that has mounted this one and has taken over all its entries; not set if no server has
    /// mounted this one.
    mounted_in: OnceLock<MountedIn>,
    /// The values that handlers take as [`crate::State`]. Set when serving begins.
    states: OnceLock<Arc<States>>,
}

/// The place of a mounted server in the server that mounts it.
struct MountedIn {
    mount: Arc<Mount>,
    outer: Weak<SharedCatalog>,
}

impl MountedIn {
    fn outer(&self) -> Result<Arc<SharedCatalog>> {
        self.outer.upgrade().ok_or_else(ended)
    }
}

/// Returns the error for a server that has ended.
pub(super) fn ended() -> Error {
    Error::Closed { why: "the server has ended".to_owned() }
}

/// The part of [`SharedCatalog`] that its lock protects.
#[derive(Default)]
struct CatalogState {
    /// The catalog of `declared`; `None` until it is built, and again when `declared` has changed.
    catalog: Option<Arc<Catalog>>,
    declared: Declared,
    /// The newest catalog that was built. The next catalog takes over the paces (measurements of calls) of the
    /// entries that are in both.
    last: Option<Arc<Catalog>>,
    /// The facts that were fixed when serving began; `None` before.
    live: Option<Serving>,
    /// Invariant: the names and URIs of the entries in `declared`.
    names: Names,
}

/// Facts that are fixed when serving begins.
struct Serving {
    /// Whether an entry had completions when serving began, so that the server declared completions to its
    /// clients.
    completes: bool,
    /// Whether the server declared the extension for views when serving began.
    shows_views: bool,
    /// The name of the server.
    server: String,
    settings: Settings,
}

impl SharedCatalog {
    /// Adds an entry before serving begins. [`Self::begin`] reports mistakes in it.
    pub(crate) fn declare<E: Declare>(&self, entry: E) {
        self.lock().push(entry);
    }

    /// Adds the entries of `inner` to this server, before serving begins. Entries that a handle adds to `inner`
    /// later are added here, too.
    pub(crate) fn mount(self: &Arc<Self>, inner: Arc<Self>, mount: Mount) {
        let mount = Arc::new(mount);
        let place = MountedIn { mount: Arc::clone(&mount), outer: Arc::downgrade(self) };
        // Under the lock, so that a handle adds an entry either before, or to the server around.
        let mut state = inner.lock();
        let mut declared = std::mem::take(&mut state.declared);
        let is_new = inner.mounted_in.set(place).is_ok();
        drop(state);
        if is_new {
            declared.mount(&mount);
            self.declare_all(declared);
            self.mounted.lock().unwrap_or_else(PoisonError::into_inner).push(inner);
        }
    }

    /// Notifies the clients of a change.
    pub(super) fn publish(&self, change: &Change) {
        match self.mounted_in.get() {
            Some(place) => drop(place.outer().map(|outer| outer.publish(change))),
            None => self.bus.publish(change),
        }
    }

    /// Adds the entries of `declared` before serving begins.
    pub(crate) fn declare_all(&self, declared: Declared) {
        let Declared { prompts, resources, templates, tools } = declared;
        prompts.into_iter().for_each(|it| self.declare(it));
        resources.into_iter().for_each(|it| self.declare(it));
        templates.into_iter().for_each(|it| self.declare(it));
        tools.into_iter().for_each(|it| self.declare(it));
    }

    /// Returns the values that handlers take as [`crate::State`].
    pub(crate) fn states(&self) -> &Arc<States> {
        self.states.get_or_init(Arc::default)
    }

    /// Calls `look` with the entries that are declared now, under the lock.
    pub(crate) fn with_declared<T>(&self, look: impl FnOnce(&Declared) -> T) -> T {
        look(&self.lock().declared)
    }

    /// Checks the declared entries, and fixes the facts of [`Serving`]. Called when serving begins. `at` is the place at which
    /// the server is made.
    ///
    /// # Errors
    /// [`Error::Declaration`] for the first mistake.
    pub(crate) fn begin(
        &self,
        server: &str,
        at: &'static Location<'static>,
        settings: Settings,
        states: States,
    ) -> Result<()> {
        if let Some(page) = settings.layering.presentation.as_ref().and_then(|it| it.card()) {
            self.declare(page);
        }
        let mut state = self.lock();
        check(&state.declared, self.states.get_or_init(|| Arc::new(states)))?;
        let problem = |it: &Arc<dyn Present>| it.problem(&mut state.declared.output_schemas());
        if let Some(message) = settings.layering.presentation.as_ref().and_then(problem) {
            return Err(Error::Declaration { at, message });
        }
        let completes = state.declared.completes();
        let shows_views = settings.shows_views || state.declared.shows_views();
        state.live = Some(Serving { completes, shows_views, server: server.to_owned(), settings });
        Ok(())
    }

    /// Returns a number that changes whenever [`Self::catalog`] may return another catalog.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Returns the current catalog and its generation. A new catalog is built here, and not when an entry is
    /// added, because entries are often added in bulk.
    pub(crate) fn catalog(&self) -> (u64, Arc<Catalog>) {
        let mut state = self.lock();
        let CatalogState { catalog, declared, last, live, .. } = &mut *state;
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

    /// Adds `entry`, unless it has a mistake, and notifies the clients.
    pub(super) fn add<E: Declare>(&self, mut entry: E) -> Result<()> {
        let mut state = self.lock();
        if let Some(place) = self.mounted_in.get() {
            drop(state);
            let outer = place.outer()?;
            entry.mount(&place.mount);
            return outer.add(entry);
        }
        if let Err(error) = state.check(&entry.summary(), self.states.get()) {
            drop(state);
            drop(entry);
            return Err(error);
        }
        state.push(entry);
        self.changed(state, &[E::LIST]);
        Ok(())
    }

    /// Adds all entries of `declared`, unless one has a mistake, and notifies the clients.
    pub(super) fn add_all(&self, mut declared: Declared) -> Result<()> {
        let mut state = self.lock();
        if let Some(place) = self.mounted_in.get() {
            drop(state);
            let outer = place.outer()?;
            declared.mount(&place.mount);
            return outer.add_all(declared);
        }
        let Declared { prompts, resources, templates, tools } = declared;
        let known = state.declared.counts();
        let states = self.states.get();
        let mut refused = None;
        let mut lists = Vec::new();
        let left = (
            state.push_all(prompts, states, &mut refused, &mut lists),
            state.push_all(resources, states, &mut refused, &mut lists),
            state.push_all(templates, states, &mut refused, &mut lists),
            state.push_all(tools, states, &mut refused, &mut lists),
        );
        let Some(error) = refused else {
            self.changed(state, &lists);
            return Ok(());
        };
        let taken_back = state.take_back(known);
        drop(state);
        drop((left, taken_back));
        Err(error)
    }

    /// Removes the entries called `name`, and notifies the clients. Returns whether there were any. `of` is the
    /// mounted server that the entries have to come from; `None` for entries of any server.
    pub(super) fn remove<E: Declare>(&self, name: &str, of: Option<&Arc<Mount>>) -> bool {
        if let Some(place) = self.mounted_in.get() {
            let (name, of) = (E::mounted_name(&place.mount, name), of.unwrap_or(&place.mount));
            return place.outer().is_ok_and(|outer| outer.remove::<E>(&name, Some(of)));
        }
        let mut state = self.lock();
        let is_meant = |entry: &E| {
            let EntrySummary { name: found, mounts, .. } = entry.summary();
            found == name && of.is_none_or(|of| mounts.iter().any(|mount| Arc::ptr_eq(mount, of)))
        };
        let entries = E::entries(&mut state.declared);
        let removed: Vec<E> = entries.extract_if(.., |entry| is_meant(entry)).collect();
        if removed.is_empty() {
            return false;
        }
        state.names.forget(E::LIST, name);
        self.changed(state, &[E::LIST]);
        drop(removed);
        true
    }

    fn changed(&self, mut state: MutexGuard<'_, CatalogState>, lists: &[List]) {
        let old = state.catalog.take();
        self.generation.fetch_add(1, Ordering::Release);
        drop(state);
        // Published after the new generation is visible, so that a client that is notified and asks gets the
        // new list.
        lists.iter().for_each(|list| self.bus.publish(&Change::List(*list)));
        drop(old);
    }

    fn lock(&self) -> MutexGuard<'_, CatalogState> {
        // A panic under this lock leaves the declared entries unchanged.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CatalogState {
    /// Checks an entry that a handle is to add; the error is its first mistake. `states` are the states of the
    /// server. They are `None` before serving begins: [`SharedCatalog::begin`] then checks later whether the server
    /// has the states that the entry needs.
    fn check(&self, summary: &EntrySummary<'_>, states: Option<&Arc<States>>) -> Result<()> {
        if summary.completes && self.live.as_ref().is_some_and(|live| !live.completes) {
            let message = "expected no completions: the server had none when it began to serve".to_owned();
            return Err(Error::Declaration { at: summary.at, message });
        }
        if apps::needs_extension(summary) && self.live.as_ref().is_some_and(|live| !live.shows_views) {
            let message = format!(
                "expected no view, since the server had none when it began to serve: declare `{}` by `Server::extension`",
                apps::EXTENSION
            );
            return Err(Error::Declaration { at: summary.at, message });
        }
        self.names.check(summary, states.map(|states| &**states))?;
        self.names.check_page(summary)
    }

    fn push<E: Declare>(&mut self, entry: E) {
        self.names.note(&entry.summary());
        E::entries(&mut self.declared).push(entry);
    }

    /// Adds `entries` to the declared entries, in order, up to the first entry with a mistake; the mistake becomes
    /// `refused`. Returns the entries that were not added: all of them if `refused` was set before. Adds the list in
    /// which clients find the entries to `lists`, if there are any entries.
    fn push_all<E: Declare>(
        &mut self,
        entries: Vec<E>,
        states: Option<&Arc<States>>,
        refused: &mut Option<Error>,
        lists: &mut Vec<List>,
    ) -> Vec<E> {
        let mut left = Vec::new();
        lists.extend((!entries.is_empty()).then_some(E::LIST));
        for entry in entries {
            if refused.is_none() {
                *refused = self.check(&entry.summary(), states).err();
            }
            match refused {
                None => self.push(entry),
                Some(_) => left.push(entry),
            }
        }
        left
    }

    /// Removes and returns the entries that were added since there were `known` entries of each kind, in the order
    /// of [`Declared::counts`].
    fn take_back(&mut self, known: [usize; 4]) -> Declared {
        let [prompts, resources, templates, tools] = known;
        Declared {
            prompts: self.take_back_from(prompts),
            resources: self.take_back_from(resources),
            templates: self.take_back_from(templates),
            tools: self.take_back_from(tools),
        }
    }

    fn take_back_from<E: Declare>(&mut self, known: usize) -> Vec<E> {
        let taken = E::entries(&mut self.declared).split_off(known);
        for entry in &taken {
            self.names.forget(E::LIST, entry.summary().name);
        }
        taken
    }
}

impl fmt::Debug for SharedCatalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedCatalog").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::server::catalog::ServerHandle;
    use crate::server::entry::Tool;

    fn serving() -> Arc<SharedCatalog> {
        let shared = Arc::new(SharedCatalog::default());
        let settings = Settings { page_size: 100, slow_step: Duration::from_secs(1), ..Settings::default() };
        shared
            .begin("s", Location::caller(), settings, States::default())
            .expect("nothing that could be wrong");
        shared
    }

    fn tool(name: &str) -> Tool {
        Tool::new(name, || async { "done" })
    }

    /// A value that removes the tool `other` when it is dropped.
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

    /// Runs `act`, which drops a [`Guard`], and asserts that `act` returns and that the guard was dropped.
    fn ends(act: impl FnOnce(&Arc<SharedCatalog>, &ServerHandle) + Send + 'static) {
        let (done, is_done) = mpsc::channel();
        // Detached: a thread that hangs can't be stopped.
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
        let shared = Arc::new(SharedCatalog::default());
        let handle = ServerHandle::new(&shared);
        shared.declare(tool("twice"));
        shared.declare(tool("twice"));
        handle.add_tool(tool("other")).expect("nothing wrong with this one");
        assert!(check(&shared.lock().declared, &States::default()).is_err());
        assert!(handle.remove_tool("twice") && !handle.remove_tool("twice"), "both of them");
        check(&shared.lock().declared, &States::default()).expect("nothing wrong any more");
    }
}
