//! The issues of the one who asks.

use plainwire::Entries;
use plainwire::handler::WithBlocks;
use plainwire::prelude::*;

use super::reading::{IssuesView, Page, found};
use crate::jira::Jira;
use crate::tools::args::Texts;

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new().tool(jira_get_my_issues)
}

// A search of own issues.
#[data]
struct MyIssues {
    /// Whether issues that are done are listed too.
    #[default(false)]
    include_done: bool,
    /// Names or ids; by default the usual ones.
    #[serde(default)]
    fields: Texts,
    /// At most 100.
    #[default(10)]
    limit: u64,
    /// How many issues to skip; only in Data Center.
    #[default(0)]
    start_at: u64,
    /// From `next_page_token`.
    page_token: Option<String>,
}

/// Lists the issues that are assigned to the account of this server, those updated last first. Returns their fields and a token for the
/// next page.
#[tool(read_only, title = "My issues")]
async fn jira_get_my_issues(
    #[arguments] it: MyIssues,
    jira: State<Jira>,
) -> Result<WithBlocks<IssuesView>, ToolError> {
    let open = if it.include_done { "" } else { " AND statusCategory != Done" };
    let jql = format!("assignee = currentUser(){open} ORDER BY updated DESC");
    found(
        &jira,
        Page { jql, fields: it.fields.0, limit: it.limit, start: it.start_at, token: it.page_token },
        &[],
    )
    .await
}
