//! The entries that a server declares, and the capabilities that follow from them.
//!
//! In: tools, resources, templates and prompts. Out: the capabilities to declare to clients. Rules are
//! checked in [`super::rules`].

use plainwire_proto::model::{Capabilities, RawJson};

use super::{Declare, Prompt, Resource, ResourceTemplate, Tool, apps};

/// All entries of a server.
#[derive(Clone, Default)]
pub(crate) struct Declared {
    pub(crate) prompts: Vec<Prompt>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) templates: Vec<ResourceTemplate>,
    pub(crate) tools: Vec<Tool>,
}

impl Declared {
    /// Returns the numbers of prompts, resources, templates and tools.
    pub(crate) fn counts(&self) -> [usize; 4] {
        [self.prompts.len(), self.resources.len(), self.templates.len(), self.tools.len()]
    }

    /// Returns whether any prompt or resource template has completions.
    pub(crate) fn completes(&self) -> bool {
        self.prompts.iter().any(|it| !it.completers.is_empty())
            || self.templates.iter().any(|it| !it.completers.is_empty())
    }

    /// Returns the output schemas of the tools.
    pub(crate) fn output_schemas(&self) -> impl Iterator<Item = &RawJson> {
        self.tools.iter().filter_map(|it| it.entry.output_schema.as_ref())
    }

    /// Adds to `capabilities` those that the entries need. `handled` is whether the server has a
    /// [`crate::ServerHandle`], by which entries may be added later: then the capabilities of prompts,
    /// resources and tools are added in any case.
    pub(crate) fn declare_in(&self, capabilities: &mut Capabilities, handled: bool) {
        let settings = |changes: bool, subscribes: bool| {
            let mut settings = serde_json::Map::new();
            for (name, on) in [("listChanged", changes), ("subscribe", subscribes)] {
                if on {
                    settings.insert(name.to_owned(), true.into());
                }
            }
            serde_json::Value::Object(settings)
        };
        if handled || !self.prompts.is_empty() {
            capabilities.declare("prompts", settings(handled, false));
        }
        if handled || !(self.resources.is_empty() && self.templates.is_empty()) {
            capabilities.declare("resources", settings(handled, handled || self.subscribes()));
        }
        if handled || !self.tools.is_empty() {
            capabilities.declare("tools", settings(handled, false));
        }
        if self.completes() {
            capabilities.declare("completions", serde_json::json!({}));
        }
        if self.shows_views() {
            apps::declare_in(capabilities);
        }
    }

    /// Returns whether any entry needs the MCP Apps extension, because it is a page or a tool with
    /// `_meta.ui`.
    pub(crate) fn shows_views(&self) -> bool {
        self.resources.iter().any(|it| apps::needs_extension(&it.summary()))
            || self.templates.iter().any(|it| apps::needs_extension(&it.summary()))
            || self.tools.iter().any(|it| apps::needs_extension(&it.summary()))
    }

    /// Returns whether clients can subscribe to any resource.
    pub(crate) fn subscribes(&self) -> bool {
        self.resources.iter().any(|it| it.subscribable) || self.templates.iter().any(|it| it.subscribable)
    }
}
