//! MCP Apps: pages that a host (the application that contains the client) shows beside the results of a tool
//! (extension `io.modelcontextprotocol/ui`, 2026-01-26).
//!
//! In: pages, and tools that name the page for their results. Out: the `_meta` and the media type by which
//! hosts find both. A page is HTML and talks to its host, not to the server; the messages between page and
//! host are not handled here.
//!
//! ```
//! use plainwire::apps::{self, View};
//! use plainwire::prelude::*;
//!
//! /// Returns the temperature in a city, in °C.
//! #[tool(read_only, ui = "ui://weather/now.html")]
//! async fn temperature(city: String) -> f64 {
//!     city.len() as f64
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<()> {
//! let page = "<!DOCTYPE html><title>Now</title><script>/* asks its host for the result */</script>";
//! let server = plainwire::server!("weather")
//!     .tool(temperature)
//!     .resource(apps::page("ui://weather/now.html", page).view(View::new().connect_domain("https://api.example.com")));
//! let client = plainwire::testing::client(server).await?;
//! assert_eq!(client.read_resource("ui://weather/now.html").await?.contents[0].as_text(), Some(page));
//! # Ok(()) }
//! ```
//!
//! - [`page`] makes a resource of a static page. [`Resource::view`] and [`ResourceTemplate::view`] make a
//!   page of any resource; `#[resource("ui://…", view)]` makes one of a function or a method.
//! - [`View`] describes the needs of a page that its host grants: origins, permissions, a border.
//! - [`Tool::ui`] names the page of a tool; [`Tool::visibility`] sets who may call the tool.
//! - [`Context::shows_views`] returns whether the client shows pages. Most clients do not, and in those that
//!   do, models still read `content`: a result has to be complete without its page, as returned values and
//!   texts are.
//!
//! A server does not start if a tool's page does not exist or does not begin with `ui://`, if a page has
//! another media type or a domain that is not an origin, or if a tool sets members that belong on its page. A
//! server that uses any of this declares the extension.
//!
//! [`Resource::view`]: crate::Resource::view
//! [`ResourceTemplate::view`]: crate::ResourceTemplate::view
//! [`Tool::ui`]: crate::Tool::ui
//! [`Tool::visibility`]: crate::Tool::visibility

use std::borrow::Cow;

use plainwire_proto::model::{Capabilities, RawJson, ReadResourceResult};
use plainwire_proto::revision::{Feature, Revision};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::meta;
use super::resource::Resource;
use crate::server::context::Context;

mod check;
mod link;
mod view;

pub(crate) use check::{entry as check, needs_extension, tool_page};
pub use link::Visibility;
pub use view::{Permission, View};

/// The name of the MCP Apps extension.
pub const EXTENSION: &str = "io.modelcontextprotocol/ui";

/// The media type of a page that hosts show (MCP Apps).
pub const MIME_TYPE: &str = "text/html;profile=mcp-app";

/// The prefix of the URI of every page.
pub(crate) const SCHEME: &str = "ui://";

/// The member of `_meta` that holds the data of the MCP Apps extension.
pub(crate) const MEMBER: &str = "ui";

/// Makes a resource of a static page. Its name is the part of the URI after `ui://`.
///
/// The page should be one file without references to other files, for example from `include_str!`: hosts load
/// no other files unless a [`View`] allows it.
///
/// ```
/// let page = plainwire::apps::page("ui://weather/now.html", "<!DOCTYPE html><title>Now</title>").title("Weather");
/// # drop(page);
/// ```
///
/// A text that begins neither with `<!DOCTYPE html>` nor with a comment is reported when the server starts.
#[track_caller]
pub fn page(uri: impl Into<String>, html: impl Into<Cow<'static, str>>) -> Resource {
    let (uri, html) = (uri.into(), html.into());
    let name = uri.strip_prefix(SCHEME).unwrap_or(&uri).to_owned();
    let (size, problem) = (html.len() as u64, check::html(&html));
    let mut page = Resource::new(uri, name, move || {
        let html = html.clone().into_owned();
        async move { html }
    });
    page.core.problem = problem;
    page.size(size).view(View::new())
}

impl Context {
    /// Returns whether the client shows [views](super::apps): whether it declares the extension with the
    /// media type of a page, in a revision that has extensions (2025-06-18 and later).
    ///
    /// Use this method to skip expensive work that only a page needs. The text that a model reads must be
    /// complete in both cases.
    pub fn shows_views(&self) -> bool {
        shows_views(self.revision(), &self.client().capabilities)
    }
}

/// Returns whether a client with these capabilities shows views in a revision.
pub(crate) fn shows_views(revision: Revision, client: &Capabilities) -> bool {
    revision.has(Feature::MetaOnEntries) && declares_views(client)
}

fn declares_views(client: &Capabilities) -> bool {
    let types = client.extension(EXTENSION).and_then(|settings| settings.get("mimeTypes"));
    types.and_then(Value::as_array).is_some_and(|types| types.iter().any(|it| it == MIME_TYPE))
}

/// Declares the MCP Apps extension in `capabilities`, unless it is declared already.
pub(crate) fn declare_in(capabilities: &mut Capabilities) {
    if capabilities.extension(EXTENSION).is_none() {
        capabilities.declare_in("extensions", EXTENSION, json!({ "mimeTypes": [MIME_TYPE] }));
    }
}

/// Returns the member `ui` of `meta`, the `_meta` with which a resource is listed; `None` if there is none.
pub(crate) fn listed(meta: Option<&RawValue>) -> Option<RawJson> {
    meta::member(meta?, MEMBER)
}

/// Adds `ui`, the `_meta.ui` with which a page is listed, to the contents of the page, since hosts differ in
/// where they look for it. Contents for which the handler has set a `_meta.ui` keep theirs.
pub(crate) fn label(result: &mut ReadResourceResult, ui: Option<RawJson>) {
    let Some(ui) = ui else { return };
    for meta in result.contents.iter_mut().map(meta::of) {
        if meta.as_deref().is_none_or(|meta| meta::member(meta, MEMBER).is_none()) {
            meta::add(meta, json!({ MEMBER: &ui }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_media_type_says_that_views_are_shown() {
        let shows = |text: &str| declares_views(&serde_json::from_str(text).expect("capabilities"));
        let settings = |text: &str| format!(r#"{{"extensions":{{"io.modelcontextprotocol/ui":{text}}}}}"#);
        assert!(shows(&settings(r#"{"mimeTypes":["text/plain","text/html;profile=mcp-app"]}"#)));
        for other in [
            r#"{"mimeTypes":["text/html"]}"#,
            r#"{"mimeTypes":"text/html;profile=mcp-app"}"#,
            r#"{"mimeTypes":[]}"#,
            "{}",
            "null",
        ] {
            assert!(!shows(&settings(other)), "{other}");
        }
        assert!(!shows("{}") && !shows(r#"{"extensions":[]}"#));
    }
}
