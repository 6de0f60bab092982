//! Reading issues: one by its key, and many by JQL.

use std::collections::BTreeMap;

use plainwire::Entries;
use plainwire::handler::WithBlocks;
use plainwire::model::{Content, Resource};
use plainwire::prelude::*;

use crate::jira::Jira;
use crate::jira::fields::Fields;
use crate::jira::issue::{Newest, Shown, Wanted};
use crate::jira::search::{Found, Query, quoted, within};
use crate::jira::shown::{Cast, Texts as Amount};
use crate::jira::text::Rich;
use crate::tools::args::{Texts, limit};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new().tool(jira_get_issue).tool(jira_search).tool(jira_get_project_issues)
}

/// The largest number of issues of a page.
const MAX_ISSUES: u64 = 100;

/// The largest number of comments of an issue.
const MAX_COMMENTS: u64 = 100;

/// An issue.
#[data(kind = "jiraIssue:v1")]
pub(crate) struct IssueView {
    key: String,
    url: String,
    /// The fields that have a value, by their names. Rich text is Markdown.
    fields: BTreeMap<String, Value>,
    /// For `based_on` of jira_update_issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description_revision: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comments: Option<Value>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    more: BTreeMap<String, Value>,
    /// The ids of the people, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    people: BTreeMap<String, String>,
}

// The issue to read.
#[data]
pub(crate) struct GetIssue {
    /// Such as SHOP-1, or its address.
    issue_key: String,
    /// Names, ids or `*all`; by default the usual ones.
    #[serde(default)]
    fields: Texts,
    /// Parts that `include` has, too: `changelog`, `transitions`. Others have no effect.
    #[schemars(extend("deprecated" = true))]
    #[serde(default)]
    expand: Texts,
    /// Newest comments, at most 100.
    #[default(10)]
    comment_limit: u64,
    /// Keys of its properties, or `*all`.
    #[serde(default)]
    properties: Texts,
    /// Any of `links`, `subtasks`, `attachments`, `worklog`, `watchers`, `remote_links`, `changelog`, `transitions`.
    #[serde(default)]
    include: Texts,
    /// Has no effect: reading leaves no trace.
    #[schemars(extend("deprecated" = true))]
    #[default(true)]
    update_history: bool,
    /// Has no effect: fields have their names.
    #[schemars(extend("deprecated" = true))]
    #[default(false)]
    use_display_names: bool,
    /// As Jira stores it, not as Markdown.
    #[default(false)]
    raw: bool,
}

/// Reads an issue. Returns its fields by name, its description as Markdown, and its newest comments; jira_search finds many.
#[tool(read_only, title = "Get an issue")]
async fn jira_get_issue(#[arguments] it: GetIssue, jira: State<Jira>) -> Result<IssueView, ToolError> {
    issue(&it, &jira).await
}

impl GetIssue {
    /// Returns the issue of a resource: with its links, sub-tasks and attachments.
    pub(crate) fn whole(issue_key: String) -> Self {
        let include = ["links", "subtasks", "attachments"].map(ToOwned::to_owned);
        Self {
            issue_key,
            fields: Texts::default(),
            expand: Texts::default(),
            comment_limit: 20,
            properties: Texts::default(),
            include: Texts(include.into()),
            update_history: true,
            use_display_names: false,
            raw: false,
        }
    }
}

/// Returns an issue.
///
/// # Errors
/// Those of the site; an issue of a project that the server may not touch.
pub(crate) async fn issue(it: &GetIssue, jira: &Jira) -> Result<IssueView, ToolError> {
    let key = jira.key(&it.issue_key).await?;
    let fields = jira.fields().await?;
    let mut names = it.fields.0.clone();
    let include = included(it.include.all());
    if !names.is_empty() || !include.is_empty() {
        let more = include.iter().filter_map(|name| match *name {
            "links" => Some("issuelinks"),
            "subtasks" => Some("subtasks"),
            "attachments" => Some("attachment"),
            _ => None,
        });
        let more: Vec<String> = more.map(ToOwned::to_owned).collect();
        if names.is_empty() && !more.is_empty() {
            names = crate::jira::issue::FIELDS.split(',').map(ToOwned::to_owned).collect();
        }
        names.extend(more);
    }
    let wanted = Wanted::read(&fields, &names)?;
    let expand = it.expand.0.iter().map(String::as_str).chain(include.iter().copied());
    let expand: Vec<&str> = expand.filter(|it| matches!(*it, "changelog" | "transitions")).collect();
    let mut issue = jira.issue_with(key.as_str(), &wanted.parameter(), &expand, it.properties.all()).await?;
    let mut cast = Cast::default();
    let mut shown = jira.view(&fields, &issue, Amount::Whole, &mut cast);
    let description = issue.fields.get("description").and_then(|raw| Rich::of_json(jira.dialect().rich, raw));
    if let Some(body) = description.as_ref().filter(|_| it.raw) {
        shown.insert("description".to_owned(), json!(body.raw()));
    }
    let comments = match it.comment_limit.min(MAX_COMMENTS) {
        0 => None,
        newest => {
            let found = jira.comments(&issue.key, Newest(newest), &mut cast).await?;
            Some(json!({ "total": found.total, "newest": found.shown }))
        }
    };
    let mut more = BTreeMap::new();
    if let Some(log) = issue.more.remove("changelog") {
        more.insert("changelog".to_owned(), crate::jira::changelog::shown(&log, &mut cast));
    }
    if let Some(transitions) = issue.more.remove("transitions") {
        more.insert("transitions".to_owned(), super::transitions::shown(&transitions));
    }
    if let Some(properties) = issue.more.remove("properties") {
        more.insert("properties".to_owned(), properties);
    }
    for name in include {
        if let Some(value) = jira.extra(name, &issue.key, &mut cast).await? {
            more.insert(name.to_owned(), value);
        }
    }
    Ok(IssueView {
        url: jira.browse(&issue.key),
        key: issue.key,
        fields: shown,
        description_revision: description.map(|it| it.revision()),
        comments,
        more,
        people: cast.ids(),
    })
}

/// Returns the parts that `include` names; `all` is each of them.
fn included(names: &[String]) -> Vec<&str> {
    let all = [
        "links",
        "subtasks",
        "attachments",
        "worklog",
        "watchers",
        "remote_links",
        "changelog",
        "transitions",
    ];
    match names.iter().any(|it| it == "all") {
        true => all.to_vec(),
        false => names.iter().map(String::as_str).collect(),
    }
}

/// Issues that a search has found.
#[data(kind = "jiraIssues:v1")]
pub(crate) struct IssuesView {
    /// The number of all issues, if the site counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    issues: Vec<Shown>,
    /// For `page_token` of the next call; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

// A search of issues.
#[data]
pub(crate) struct SearchIssues {
    /// JQL such as `status != Done ORDER BY updated DESC`, or words to find.
    jql: String,
    /// Names or ids; by default the usual ones.
    #[serde(default)]
    fields: Texts,
    /// At most 100.
    #[default(10)]
    limit: u64,
    /// The number of issues to skip; only in Data Center. `page_token` works on Cloud, too.
    #[schemars(extend("deprecated" = true))]
    #[default(0)]
    start_at: u64,
    /// Only of these projects.
    #[serde(default)]
    projects_filter: Texts,
    /// Has no effect: jira_get_issue expands.
    #[schemars(extend("deprecated" = true))]
    #[serde(default)]
    expand: Texts,
    /// From `next_page_token`.
    page_token: Option<String>,
    /// Has no effect: fields have their names.
    #[schemars(extend("deprecated" = true))]
    #[default(false)]
    use_display_names: bool,
}

impl SearchIssues {
    /// Returns a page of a search, with the usual fields.
    pub(crate) fn of(jql: String, limit: u64, page_token: Option<String>) -> Self {
        Self {
            jql,
            fields: Texts::default(),
            limit,
            start_at: 0,
            projects_filter: Texts::default(),
            expand: Texts::default(),
            page_token,
            use_display_names: false,
        }
    }
}

/// Finds issues by JQL or words. Returns fields, links, and a token for the next page.
#[tool(read_only, title = "Search issues")]
pub(crate) async fn jira_search(
    #[arguments] it: SearchIssues,
    jira: State<Jira>,
) -> Result<WithBlocks<IssuesView>, ToolError> {
    let words = !looks_like_jql(&it.jql);
    let jql =
        if words { format!("text ~ {} ORDER BY updated DESC", quoted(&it.jql)) } else { it.jql.clone() };
    let page = Page { jql, fields: it.fields.0, limit: it.limit, start: it.start_at, token: it.page_token };
    found(&jira, page, it.projects_filter.all()).await
}

// A project whose issues are listed.
#[data]
struct ProjectIssues {
    /// Such as SHOP.
    project_key: String,
    /// At most 100.
    #[default(10)]
    limit: u64,
    /// The number of issues to skip; only in Data Center. `page_token` works on Cloud, too.
    #[schemars(extend("deprecated" = true))]
    #[default(0)]
    start_at: u64,
    /// From `next_page_token`.
    page_token: Option<String>,
}

/// Lists the issues of a project, those updated last first. Returns fields and a token for the next page.
#[tool(read_only, title = "Issues of a project")]
async fn jira_get_project_issues(
    #[arguments] it: ProjectIssues,
    jira: State<Jira>,
) -> Result<WithBlocks<IssuesView>, ToolError> {
    let project = jira.project_key(&it.project_key).await?;
    let jql = format!("project = {} ORDER BY updated DESC", quoted(&project));
    let page = Page { jql, fields: Vec::new(), limit: it.limit, start: it.start_at, token: it.page_token };
    found(&jira, page, &[]).await
}

/// A page of a search.
pub(super) struct Page {
    pub(super) jql: String,
    pub(super) fields: Vec<String>,
    pub(super) limit: u64,
    pub(super) start: u64,
    pub(super) token: Option<String>,
}

/// Returns a page of issues, which are in the given projects and in those that the server is limited to.
pub(super) async fn found(
    jira: &Jira,
    page: Page,
    projects: &[String],
) -> Result<WithBlocks<IssuesView>, ToolError> {
    let fields = jira.fields().await?;
    let wanted = Wanted::read(&fields, &page.fields)?;
    let jql = jira.limited(&within(&page.jql, projects)?).await?;
    let query = Query {
        fields: wanted.parameter(),
        limit: limit(Some(page.limit), 10, MAX_ISSUES),
        start: page.start,
        token: page.token,
        jql,
    };
    let found = jira.search(&query).await?;
    Ok(shown(jira, &fields, found))
}

/// Returns the view of a page of issues, with a link for each.
pub(crate) fn shown(jira: &Jira, fields: &Fields, found: Found) -> WithBlocks<IssuesView> {
    let mut cast = Cast::default();
    let mut issues = Vec::new();
    let mut links = Vec::new();
    for issue in &found.issues {
        let mut shown = jira.view(fields, issue, Amount::Beginnings, &mut cast);
        let summary = shown.get("summary").and_then(Value::as_str).unwrap_or_default().to_owned();
        let name = format!("{} {summary}", issue.key);
        links.push(Content::ResourceLink(Resource {
            name,
            uri: format!("jira://issues/{}", issue.key),
            ..Resource::default()
        }));
        shown.insert("key".to_owned(), json!(issue.key));
        issues.push(shown);
    }
    let view = IssuesView { total: found.total, issues, next_page_token: found.next };
    WithBlocks::new(view, links)
}

/// Returns whether a text is JQL, and not just words: it has an operator of JQL, or an order.
fn looks_like_jql(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let has_sign = lower.contains(['=', '~', '<', '>']);
    let has_word = words
        .windows(2)
        .any(|it| matches!(it, ["order", "by"] | ["not", "in"] | ["is", "empty" | "not" | "null"]))
        || words.get(1).is_some_and(|it| matches!(*it, "in" | "was" | "changed"));
    has_sign || has_word
}

#[cfg(test)]
mod tests {
    use super::looks_like_jql;

    #[test]
    fn words_are_told_from_jql() {
        for jql in [
            "project = SHOP",
            "assignee in (me)",
            "order by created",
            "resolution is EMPTY",
            "status was Done",
            "summary ~ x",
            "labels not in (a)",
        ] {
            assert!(looks_like_jql(jql), "{jql}");
        }
        for words in ["gift card", "checkout total", "orders by post", "What is broken", ""] {
            assert!(!looks_like_jql(words), "{words}");
        }
    }
}
