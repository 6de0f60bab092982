//! The link from a tool to its page: `_meta.ui` of an entry of `tools/list`.
//!
//! In: the URI of a page, and a visibility. Out: members of `_meta`. The page itself is in [`super::view`].

use serde::Serialize;

use super::MEMBER;
use crate::server::entry::meta;
use crate::server::entry::tool::Tool;

/// The intended callers of a tool: the page, the model, or both.
///
/// Hosts respect the visibility, but a client can call every tool. A visibility keeps lists short and
/// protects nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// Only the page may call the tool: hosts do not offer it to models.
    App,
    /// Both the page and the model may call the tool, as without a visibility.
    #[default]
    Both,
    /// Only the model may call the tool.
    Model,
}

/// One member of `_meta.ui` of a tool.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum ToolUi<'l> {
    ResourceUri(&'l str),
    Visibility(&'static [&'static str]),
}

impl Tool {
    /// Shows the result of the tool on the page `resource_uri`, in clients that show pages: see [`super`].
    ///
    /// The page is a resource of the same server. The page gets the whole result: `structuredContent` is for
    /// the page, `content` for the model, and `_meta` ([`crate::handler::WithMeta`]) for data that only the page
    /// needs.
    #[must_use]
    pub fn ui(mut self, resource_uri: impl Into<String>) -> Self {
        meta::add_in(&mut self.entry.meta, MEMBER, ToolUi::ResourceUri(&resource_uri.into()));
        self
    }

    /// Returns whether the tool names a page.
    pub(crate) fn has_page(&self) -> bool {
        let ui = self.entry.meta.as_deref().and_then(|it| meta::member(it, MEMBER));
        ui.is_some_and(|it| it.get().contains("\"resourceUri\""))
    }

    /// Sets who may call the tool in clients that show [views](super). Both the model and the page by
    /// default.
    #[must_use]
    pub fn visibility(mut self, visibility: Visibility) -> Self {
        let to: &[&str] = match visibility {
            Visibility::App => &["app"],
            Visibility::Both => &["model", "app"],
            Visibility::Model => &["model"],
        };
        meta::add_in(&mut self.entry.meta, MEMBER, ToolUi::Visibility(to));
        self
    }
}
