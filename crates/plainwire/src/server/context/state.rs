//! State of the handlers of a server: values of the program, found by their type.
//!
//! In: at most one value of each type, before serving begins. Out: [`State`], a parameter of handlers.
//! Missing values are found when serving begins, not during a call.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A value that all handlers of a server share, added with [`crate::Server::state`].
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
///
/// use plainwire::prelude::*;
///
/// #[derive(Default)]
/// struct Counter(AtomicU64);
///
/// /// Counts the calls of this tool and returns how many there were.
/// #[tool]
/// async fn count(counter: State<Counter>) -> u64 {
///     counter.0.fetch_add(1, Relaxed) + 1
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> plainwire::Result<()> {
/// let server = plainwire::server!("counter").state(Counter::default()).tool(count);
/// let client = plainwire::testing::client(server).await?;
/// assert_eq!(client.call::<u64>("count", json!({})).await?, 1);
/// assert_eq!(client.call::<u64>("count", json!({})).await?, 2);
/// # Ok(()) }
/// ```
///
/// Cheap to clone; all clones refer to one value. A value that changes needs a lock or atomics: calls run
/// concurrently.
pub struct State<T>(Arc<T>);

impl<T> State<T> {
    /// Wraps a value, so that you can call a handler as a plain function, for example in a test.
    pub fn new(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> Clone for State<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: fmt::Debug> fmt::Debug for State<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("State").field(&self.0).finish()
    }
}

/// The values that were added to a server with [`crate::Server::state`], by type.
#[derive(Default)]
pub(crate) struct States {
    by_type: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    /// The name of the last type of which a second value was added; `None` if there is none.
    twice: Option<&'static str>,
}

impl States {
    pub(crate) fn add<T: Send + Sync + 'static>(&mut self, value: T) {
        if self.by_type.insert(TypeId::of::<T>(), Arc::new(value)).is_some() {
            self.twice = Some(type_name::<T>());
        }
    }

    pub(crate) fn get<T: Send + Sync + 'static>(&self) -> Option<State<T>> {
        Arc::clone(self.by_type.get(&TypeId::of::<T>())?).downcast().ok().map(State)
    }

    /// Returns the error message for a type of which two values were added; `None` if there is none.
    pub(crate) fn problem(&self) -> Option<String> {
        self.twice.map(|name| format!("expected one state of the type `{name}`, but found two"))
    }

    /// Returns the error message for the first state in `needed` that the server lacks; `None` if it has all.
    pub(crate) fn missing(&self, needed: &[NeededState]) -> Option<String> {
        let missing = needed.iter().find(|needed| !self.by_type.contains_key(&needed.id))?;
        let name = missing.name;
        let hint = if self.by_type.contains_key(&missing.shared) {
            format!("; `Arc<{name}>` is there: give the value itself, `State` shares it")
        } else {
            ": add it by `Server::state`".to_owned()
        };
        Some(format!("expected the server to have the state `{name}`{hint}"))
    }
}

impl fmt::Debug for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("States").finish_non_exhaustive()
    }
}

/// The type of a state that a handler needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NeededState {
    id: TypeId,
    name: &'static str,
    /// The type id of `Arc<T>`, which programs sometimes add to the server instead of `T`; for the error
    /// message.
    shared: TypeId,
}

impl NeededState {
    pub(crate) fn of<T: 'static>() -> Self {
        Self { id: TypeId::of::<T>(), name: type_name::<T>(), shared: TypeId::of::<Arc<T>>() }
    }
}
