//! From a tool to its page: `_meta.ui` of an entry of `tools/list`.

use serde::Serialize;

use super::MEMBER;
use crate::server::entry::meta;
use crate::server::entry::tool::Tool;

/// Who may call a tool.
///
/// The host keeps to it, and any client can call any tool: this keeps a list short and is no protection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// The page only: the tool is not among those that a model may choose.
    App,
    /// Both. What a tool has that says nothing.
    #[default]
    Both,
    /// The model only.
    Model,
}

/// `_meta.ui` of a tool, as far as it is said.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Link<'l> {
    ResourceUri(&'l str),
    Visibility(&'static [&'static str]),
}

/// What hosts read that are older than the extension.
#[derive(Serialize)]
struct Flat<'l> {
    #[serde(rename = "ui/resourceUri")]
    resource_uri: &'l str,
}

impl Tool {
    /// Shows what the tool returns on the page `resource_uri`, in clients that can: see [`super`].
    ///
    /// The page is a resource of the same server. It gets the result as it is; `structuredContent` is for it, `content` for the
    /// model, and `_meta` ([`crate::WithMeta`]) for what only the page needs.
    #[must_use]
    pub fn ui(mut self, resource_uri: impl Into<String>) -> Self {
        let resource_uri = &resource_uri.into();
        meta::add_in(&mut self.entry.meta, MEMBER, Link::ResourceUri(resource_uri));
        // Spec: MCP Apps 2026-01-26 "Resource Discovery" calls this form deprecated; hosts are out there that know no other.
        meta::add(&mut self.entry.meta, Flat { resource_uri });
        self
    }

    /// Says who may call the tool, in clients that show [views](super); both the model and the page by default.
    #[must_use]
    pub fn visibility(mut self, visibility: Visibility) -> Self {
        let to: &[&str] = match visibility {
            Visibility::App => &["app"],
            Visibility::Both => &["model", "app"],
            Visibility::Model => &["model"],
        };
        meta::add_in(&mut self.entry.meta, MEMBER, Link::Visibility(to));
        self
    }
}
