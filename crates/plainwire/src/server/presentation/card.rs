//! Cards: one page that shows the value of any tool (MCP Apps).
//!
//! In: nothing; the page is a file. Out: the page as a resource, and its URI for the tools. The page gets the structured content
//! from its host, and is served only to hosts that show pages.

use crate::server::context::Context;
use crate::server::entry::{Resource, apps};
use crate::server::result::ToolError;

/// The URI of the page.
pub(super) const URI: &str = "ui://plainwire/card.html";

const PAGE: &str = include_str!("card.html");

/// Returns the page as a resource.
pub(super) fn page() -> Resource {
    let serve = async |ctx: Context| match ctx.shows_views() {
        true => Ok(PAGE),
        false => Err(ToolError::not_found("the page is for clients that show pages (MCP Apps)")),
    };
    let page = Resource::new(URI, "plainwire/card.html", serve).title("Card");
    page.description("Shows the result of a tool as a card.")
        .size(PAGE.len() as u64)
        .view(apps::View::new().borderless())
}
