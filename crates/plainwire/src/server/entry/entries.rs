//! Groups of entries that are added to a server together: the entries of a module, or the methods of a value.
//!
//! In: tools, resources, templates and prompts. Out: one value that [`crate::Server::with`] takes. Mistakes
//! are found when the server begins to serve.

use std::fmt;
use std::sync::Arc;

use super::attribute::IntoEntry;
use super::declared::Declared;
use super::prompt::Prompt;
use super::resource::{Resource, ResourceTemplate};
use super::tool::Tool;

/// A group of entries, to be added to a server with [`crate::Server::with`].
///
/// ```
/// use plainwire::prelude::*;
///
/// mod time {
///     use plainwire::{Entries, prelude::*};
///
///     /// Returns the number of seconds in so many minutes.
///     #[tool(read_only)]
///     async fn seconds(minutes: u32) -> u32 {
///         minutes * 60
///     }
///
///     pub fn entries() -> Entries {
///         Entries::new().tool(seconds)
///     }
/// }
///
/// let server = plainwire::server!("clock").with(time::entries());
/// # drop(server);
/// ```
#[derive(Default)]
#[must_use = "entries do nothing until they are added to a server"]
pub struct Entries {
    pub(crate) declared: Declared,
}

impl Entries {
    /// Creates an empty group.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool.
    pub fn tool<Via>(mut self, tool: impl IntoEntry<Tool, Via>) -> Self {
        self.declared.tools.push(tool.into_entry());
        self
    }

    /// Adds a resource, or a resource template that a function with `#[resource]` describes.
    pub fn resource<R: AnyResource, Via>(self, resource: impl IntoEntry<R, Via>) -> Self {
        self.with(resource.into_entry().into_entries())
    }

    /// Adds a resource template. If several templates match a URI, the first one added reads it.
    pub fn resource_template<Via>(self, template: impl IntoEntry<ResourceTemplate, Via>) -> Self {
        self.with(template.into_entry().into_entries())
    }

    /// Adds a prompt.
    pub fn prompt<Via>(mut self, prompt: impl IntoEntry<Prompt, Via>) -> Self {
        self.declared.prompts.push(prompt.into_entry());
        self
    }

    /// Keeps the tools whose name `keep` wants. All others do not exist: they are in no list, and can't be called.
    pub fn retain_tools(mut self, keep: impl Fn(&str) -> bool) -> Self {
        self.declared.tools.retain(|it| keep(it.name()));
        self
    }

    /// Returns the names of the tools, in the order in which they were added.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.declared.tools.iter().map(Tool::name)
    }

    /// Adds the entries of `provider` after those of this group.
    pub fn with(mut self, provider: impl Provider) -> Self {
        let others = Arc::new(provider).entries().declared;
        self.declared.prompts.extend(others.prompts);
        self.declared.resources.extend(others.resources);
        self.declared.templates.extend(others.templates);
        self.declared.tools.extend(others.tools);
        self
    }
}

/// A resource, or a resource template: an entry that `resource` adds.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no resource",
    label = "expected a function with `#[resource]`, a `Resource` or a `ResourceTemplate`",
    note = "`.tool(…)` adds a tool, `.prompt(…)` a prompt"
)]
pub trait AnyResource {
    /// Returns the entry alone in a group.
    fn into_entries(self) -> Entries;
}

impl AnyResource for Resource {
    fn into_entries(self) -> Entries {
        let mut entries = Entries::new();
        entries.declared.resources.push(self);
        entries
    }
}

impl AnyResource for ResourceTemplate {
    fn into_entries(self) -> Entries {
        let mut entries = Entries::new();
        entries.declared.templates.push(self);
        entries
    }
}

impl fmt::Debug for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Declared { prompts, resources, templates, tools } = &self.declared;
        let mut all = f.debug_struct("Entries");
        all.field("prompts", prompts).field("resources", resources).field("templates", templates);
        all.field("tools", tools).finish()
    }
}

/// A provider of entries: [`Entries`], or a type whose `impl` has the attribute `#[server]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no entries for a server",
    label = "expected `Entries`, or a type with `#[server]` above its `impl`",
    note = "`.tool(…)`, `.resource(…)` and `.prompt(…)` add a function"
)]
pub trait Provider: Send + Sync + 'static {
    /// Returns the entries of this value. Their handlers share the value.
    fn entries(self: Arc<Self>) -> Entries;
}

/// A value that the program keeps too.
impl<T: Provider> Provider for Arc<T> {
    fn entries(self: Arc<Self>) -> Entries {
        T::entries(Self::clone(&self))
    }
}

impl Provider for Entries {
    fn entries(self: Arc<Self>) -> Entries {
        // If the `Arc` has another owner, the entries are cloned, which is cheap.
        Arc::try_unwrap(self).unwrap_or_else(|shared| Self { declared: shared.declared.clone() })
    }
}
