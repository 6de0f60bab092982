//! The rules for pages, and for the `_meta` by which tools name their pages.
//!
//! In: entries, whose `_meta` may be written by hand. Out: the first mistake. Whether the page of a tool
//! exists is checked by [`crate::server::entry::rules`].

use plainwire_proto::cursor::List;
use plainwire_proto::json::shorten;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{MEMBER, MIME_TYPE, SCHEME};
use crate::server::entry::rules::EntrySummary;

/// Checks the parts of an entry that concern pages. An entry passes if it is no page and names none.
///
/// # Errors
/// A message about the first mistake: what was expected and what was found.
pub(crate) fn entry(summary: &EntrySummary<'_>) -> Result<(), String> {
    match summary.list {
        List::Prompts => Ok(()),
        List::Resources | List::ResourceTemplates => page(summary),
        List::Tools => tool(summary),
    }
}

/// Returns whether the entry uses the MCP Apps extension, so that the server has to declare the extension.
pub(crate) fn needs_extension(summary: &EntrySummary<'_>) -> bool {
    match summary.list {
        List::Prompts => false,
        List::Resources | List::ResourceTemplates => summary.mime_type == Some(MIME_TYPE),
        List::Tools => summary.meta.is_some_and(|meta| ui(meta).is_some()),
    }
}

/// Returns the URI of the page that a tool names; `None` for a tool that names none, and for other entries.
pub(crate) fn tool_page(summary: &EntrySummary<'_>) -> Option<String> {
    let meta = parsed(summary.meta.filter(|_| summary.list == List::Tools)?);
    let uri = meta.get(MEMBER).and_then(|ui| ui.get("resourceUri")).or_else(|| meta.get(FLAT));
    Some(uri?.as_str()?.to_owned())
}

/// The deprecated member of a tool's `_meta` for the URI of the page; `ui.resourceUri` replaced it.
const FLAT: &str = "ui/resourceUri";

/// Members of `_meta.ui` that belong to a page and not to its tool.
const OF_PAGES: [&str; 4] = ["csp", "domain", "permissions", "prefersBorder"];

/// The members of `_meta.ui.csp` of a page; each is a list of origins.
const ORIGINS: [&str; 4] = ["baseUriDomains", "connectDomains", "frameDomains", "resourceDomains"];

fn tool(summary: &EntrySummary<'_>) -> Result<(), String> {
    let Some(meta) = summary.meta.map(parsed) else { return Ok(()) };
    let ui = object(meta.get(MEMBER))?;
    for (place, uri) in [("ui.resourceUri", ui.and_then(|ui| ui.get("resourceUri"))), (FLAT, meta.get(FLAT))]
    {
        if let Some(uri) = uri.filter(|uri| !uri.as_str().is_some_and(is_page)) {
            let found = found(uri);
            return Err(format!(
                "expected `_meta.{place}` to be a URI that begins with `ui://`, but found {found}"
            ));
        }
        if let Some(uri) = uri.filter(|uri| uri.as_str().is_some_and(|it| it.contains('{'))) {
            let found = found(uri);
            return Err(format!(
                "expected `_meta.{place}` to be the URI of one page, but found the template {found}: hosts fill in nothing"
            ));
        }
    }
    let Some(ui) = ui else { return Ok(()) };
    if let Some(name) = OF_PAGES.iter().find(|name| ui.get(**name).is_some()) {
        return Err(format!(
            "expected `_meta.ui.{name}` on the resource that is the page, where hosts look for it, but found it on the tool"
        ));
    }
    let known = |it: &Value| it == "app" || it == "model";
    match ui.get("visibility") {
        Some(visibility) if !visibility.as_array().is_some_and(|all| all.iter().all(known)) => Err(format!(
            "expected `_meta.ui.visibility` to be a list of `app` and `model`, but found {}",
            found(visibility)
        )),
        _ => Ok(()),
    }
}

fn page(summary: &EntrySummary<'_>) -> Result<(), String> {
    let is_html = summary.mime_type == Some(MIME_TYPE);
    if is_html && !is_page(summary.name) {
        return Err(format!(
            "expected a URI that begins with `ui://`, since its media type is `{MIME_TYPE}`"
        ));
    }
    if !is_html && summary.name.starts_with(SCHEME) {
        let found = summary.mime_type.map_or("none".to_owned(), |it| format!("`{}`", shorten(it)));
        return Err(format!(
            "expected the media type `{MIME_TYPE}`, which is that of all `ui://`, but found {found}"
        ));
    }
    let Some(meta) = summary.meta.filter(|_| is_html) else { return Ok(()) };
    let ui = object(ui(meta).as_ref())?.cloned();
    let Some(csp) = ui.as_ref().and_then(|ui| ui.get("csp")) else { return Ok(()) };
    ORIGINS.iter().try_for_each(|list| match csp.get(list) {
        None => Ok(()),
        Some(Value::Array(origins)) => match origins.iter().find(|it| !it.as_str().is_some_and(is_origin)) {
            None => Ok(()),
            Some(other) => Err(not_origins(list, other)),
        },
        Some(other) => Err(not_origins(list, other)),
    })
}

fn not_origins(list: &str, other: &Value) -> String {
    let found = found(other);
    format!(
        "expected `_meta.ui.csp.{list}` to be a list of origins such as `https://api.example.com`, but found {found}"
    )
}

/// Returns an error message unless `text` begins with an HTML doctype, as browsers and the specification
/// require, or with a comment.
pub(super) fn html(text: &str) -> Option<String> {
    const DOCTYPE: &str = "<!doctype html";
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let begins = |with: &str| text.get(..with.len()).is_some_and(|it| it.eq_ignore_ascii_case(with));
    let found = shorten(text.lines().next().unwrap_or_default());
    // Comments may come before the doctype.
    (!begins(DOCTYPE) && !begins("<!--"))
        .then(|| format!("expected a page that begins with `<!DOCTYPE html>`, but found {found:?}"))
}

/// Returns whether `uri` is the URI of a page, or a template of such URIs.
fn is_page(uri: &str) -> bool {
    uri.strip_prefix(SCHEME).is_some_and(|rest| !rest.is_empty())
}

/// Returns whether `text` is `scheme://host` or `scheme://host:port`, where the scheme is `http`, `https`,
/// `ws` or `wss` and the host may begin with `*.`.
///
/// Spec: MCP Apps 2026-01-26 "UI Resource Format". Hosts copy the origin into a header, so other text is not
/// allowed.
fn is_origin(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let (host, port) = match rest.strip_prefix('[').and_then(|it| it.split_once(']')) {
        Some((address, behind))
            if !address.is_empty()
                && address.bytes().all(|b| b.is_ascii_hexdigit() || b":.".contains(&b)) =>
        {
            (address, behind)
        }
        Some(_) => return false,
        None => rest.split_at(rest.find(':').unwrap_or(rest.len())),
    };
    let is_name =
        |it: &str| !it.is_empty() && it.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    let is_host = rest.starts_with('[') || host.strip_prefix("*.").unwrap_or(host).split('.').all(is_name);
    let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(|it| it.parse::<u16>().is_ok());
    ["http", "https", "ws", "wss"].contains(&scheme) && is_host && is_port
}

fn ui(meta: &RawValue) -> Option<Value> {
    parsed(meta).get_mut(MEMBER).map(Value::take)
}

fn parsed(meta: &RawValue) -> Value {
    serde_json::from_str(meta.get()).unwrap_or_default()
}

/// Checks that `_meta.ui` is an object, if it is present.
fn object(ui: Option<&Value>) -> Result<Option<&Value>, String> {
    match ui {
        Some(ui) if !ui.is_object() => {
            Err(format!("expected `_meta.ui` to be a JSON object, but found {}", found(ui)))
        }
        ui => Ok(ui),
    }
}

fn found(value: &Value) -> String {
    shorten(&value.to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_a_scheme_and_a_host_and_nothing_behind_them() {
        for origin in [
            "https://api.example.com",
            "https://*.example.com",
            "wss://example.com:8443",
            "http://localhost:3000",
            "http://127.0.0.1",
            "http://[::1]:8080",
        ] {
            assert!(is_origin(origin), "{origin}");
        }
        for other in [
            "",
            "*",
            "https:",
            "https://",
            "https://*",
            "https://a.*.com",
            "https://a..com",
            "example.com",
            "https://example.com/",
            "https://example.com/v1",
            "https://example.com?a",
            "https://user@example.com",
            "https://example.com:",
            "https://example.com:99999",
            "https://a.com https://b.com",
            "https://a.com; script-src *",
            "http://[::1",
            "http://[x]",
            "http://[]",
            "'self'",
            "data:",
            "ftp://example.com",
        ] {
            assert!(!is_origin(other), "{other}");
        }
    }

    #[test]
    fn a_page_begins_with_its_doctype() {
        for page in ["<!DOCTYPE html><p>", "\u{feff}\n <!doctype HTML>", "<!-- by hand -->\n<!DOCTYPE html>"]
        {
            assert_eq!(html(page), None, "{page}");
        }
        let expected = "expected a page that begins with `<!DOCTYPE html>`, but found \"<p>\"";
        assert_eq!(html("<p>\n").as_deref(), Some(expected));
        assert!(html("").is_some() && html("<!DOCTYPE svg>").is_some());
    }
}
