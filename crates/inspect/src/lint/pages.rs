//! Rules about the page of a tool (MCP Apps). The member `_meta.ui` of the tool names the page.
//!
//! In: an [`Entry`]. Out: the rules of this file that the entry breaks. Nothing is read from the server, so a
//! missing page or a wrong media type is not found.

use serde_json::Value;

use super::Broken;
use crate::Entry;

/// Members of `_meta.ui` that belong to a page and not to its tool.
const OF_PAGES: [&str; 4] = ["csp", "domain", "permissions", "prefersBorder"];

pub(super) fn check(tool: &Entry, broken: &mut Broken) {
    let Some(meta) = tool.meta() else { return };
    let member = |name: &str| meta.get("ui").and_then(|ui| ui.get(name));
    let uris = [
        ("_meta.ui.resourceUri", member("resourceUri")),
        ("_meta.ui/resourceUri", meta.get("ui/resourceUri")),
    ];
    for (place, uri) in uris {
        if let Some(uri) = uri.filter(|uri| !uri.as_str().is_some_and(is_page)) {
            broken.add("page-uri", place, || {
                format!("expected a URI that begins with `ui://`, but found {}", shown(uri))
            });
        }
    }
    for name in OF_PAGES.iter().filter(|name| member(name).is_some()) {
        broken.add("page-settings", format_args!("_meta.ui.{name}"), || {
            format!("expected `{name}` on the resource that is the page, but found it on the tool")
        });
    }
}

fn is_page(uri: &str) -> bool {
    uri.strip_prefix("ui://").is_some_and(|rest| !rest.is_empty())
}

fn shown(value: &Value) -> String {
    plainwire_proto::json::shorten(&value.to_string()).into_owned()
}
