//! What tools need besides: the search, the boards of Jira Software, and Jira Service Management.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::platform;
use super::report::Report;
use crate::rest::{Kind, Request, Site};

/// A search that Cloud allows, since it has a bound.
const RECENT: &str = "updated >= -30d ORDER BY updated DESC";

#[derive(Debug, Deserialize)]
struct Found {
    issues: Vec<IgnoredAny>,
}

/// Looks at each API that tools use.
pub(super) async fn examine(site: &Site, report: &mut Report) {
    let path: &[&str] = if site.is_cloud() { &["search", "jql"] } else { &["search"] };
    let request = platform(site, path.iter().copied())
        .query("jql", RECENT)
        .query("maxResults", "1")
        .query("fields", "summary");
    match site.json::<Found>(request).await {
        Ok(found) if found.issues.is_empty() => report
            .passed("search", "it works; no issue was changed in the last 30 days, or this user sees none"),
        Ok(_) => report.passed("search", "it works"),
        Err(error) => report.failed("search", error.message(), error.hint()),
    }
    let boards = Request::get(["rest", "agile", "1.0", "board"]).query("maxResults", "1");
    optional(site, boards, "boards", "Jira Software", report).await;
    let desk = Request::get(["rest", "servicedeskapi", "info"]);
    optional(site, desk, "service desk", "Jira Service Management", report).await;
}

/// Looks at an API of a product that need not be there.
async fn optional(site: &Site, request: Request, name: &'static str, product: &str, report: &mut Report) {
    match site.send(request).await {
        Ok(_) => report.passed(name, format!("{product} is there")),
        Err(error) if error.kind() == Kind::NotFound => {
            report.skipped(name, format!("{product} is not there: its tools will fail"));
        }
        // A licence for the product is the user's own.
        Err(error) if matches!(error.kind(), Kind::Forbidden | Kind::Unauthorized) => {
            report.skipped(name, format!("this user may not use {product}: its tools will fail"));
        }
        Err(error) => report.failed(name, error.message(), error.hint()),
    }
}
