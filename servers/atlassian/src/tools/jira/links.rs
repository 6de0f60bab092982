//! Links: between issues, to epics, and to pages.

use plainwire::Entries;
use plainwire::prelude::*;

use super::comments::visibility;
use super::losses;
use super::worklogs::given;
use crate::jira::Jira;
use crate::jira::links::{Direction, PageLink, Remark};
use crate::tools::write;
use crate::write::{Change, Journal};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new()
        .tool(jira_get_link_types)
        .tool(jira_create_issue_link)
        .tool(jira_remove_issue_link)
        .tool(jira_link_to_epic)
        .tool(jira_get_remote_issue_links)
        .tool(jira_create_remote_issue_link)
}

/// The types of links.
#[data(kind = "jiraLinkTypes:v1")]
struct LinkTypes {
    link_types: Vec<LinkType>,
}

/// A type of links.
#[data]
struct LinkType {
    id: String,
    name: String,
    /// What the second issue is to the first one.
    inward: String,
    /// What the first issue is to the second one.
    outward: String,
}

/// Lists the types of links between issues. Returns their names and their words, such as "blocks" and "is blocked by".
#[tool(read_only, title = "Types of links")]
async fn jira_get_link_types(
    #[argument("Only types with this text in their name or words.")] name_filter: Option<String>,
    jira: State<Jira>,
) -> Result<LinkTypes, ToolError> {
    let wanted = name_filter.unwrap_or_default().trim().to_lowercase();
    let all = jira.link_kinds().await?.into_iter();
    let fitting = all.filter(|it| {
        [&it.name, &it.inward, &it.outward].into_iter().any(|text| text.to_lowercase().contains(&wanted))
    });
    let link_types = fitting
        .map(|it| LinkType { id: it.id, name: it.name, inward: it.inward, outward: it.outward })
        .collect();
    Ok(LinkTypes { link_types })
}

// A link to make.
#[data]
struct CreateLink {
    /// The name of the type, such as Blocks; or its words, such as "is blocked by".
    link_type: String,
    /// The issue that blocks, duplicates and so on.
    inward_issue_key: String,
    /// The issue that is blocked, duplicated and so on.
    outward_issue_key: String,
    /// A comment on the first issue, as Markdown.
    comment: Option<String>,
    /// Who alone sees the comment: {"type": "role", "value": "Developers"}.
    comment_visibility: Option<Value>,
    /// Write even if content is lost.
    #[default(false)]
    accept_loss: bool,
    /// Only show it.
    #[default(false)]
    preview: bool,
}

/// Links two issues: the inward one blocks (duplicates, clones, …) the outward one. Returns the sentence, the link's id and an undo handle.
#[tool(additive, idempotent, title = "Link issues")]
async fn jira_create_issue_link(
    #[arguments] it: CreateLink,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let inward = jira.key(&it.inward_issue_key).await?;
    let outward = jira.key(&it.outward_issue_key).await?;
    let (kind, direction) = jira.link_kind(&it.link_type).await?;
    let (source, destination) = match direction {
        Direction::Forward => (inward, outward),
        Direction::Backward => (outward, inward),
    };
    let (mut remark, mut lost) = (None, Vec::new());
    if let Some(text) = given(it.comment.as_deref()) {
        let (body, warnings) = jira.body(text, false, losses(it.accept_loss))?;
        remark = Some(Remark { body, visibility: visibility(it.comment_visibility.as_ref())? });
        lost = warnings;
    }
    let mut plan = jira.plan_link(&kind, &source, &destination, remark).await?;
    plan.warnings.extend(lost);
    let mut change = write(&jira, &journal, &context, plan, it.preview).await?;
    if !it.preview {
        match jira.link_between(&kind, source.as_str(), destination.as_str()).await? {
            Some(id) => change.result = json!({ "link_id": id }),
            None => {
                change.warnings.push("the site took the change, but the issues have no such link".to_owned())
            }
        }
    }
    Ok(change)
}

/// Removes a link between two issues. Returns what was linked and an undo handle.
#[tool(destructive, title = "Remove a link")]
async fn jira_remove_issue_link(
    #[argument("`link_id` of a link, from jira_get_issue with `include: links`.")] link_id: String,
    #[argument("Only show it.", default = false)] preview: bool,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let plan = jira.plan_unlink(link_id.trim()).await?;
    write(&jira, &journal, &context, plan, preview).await
}

/// Puts an issue into an epic, in place of the one it was in. Returns the change and an undo handle.
#[tool(destructive, idempotent, title = "Put an issue into an epic")]
async fn jira_link_to_epic(
    #[argument("Such as SHOP-2.")] issue_key: String,
    #[argument("The key of the epic; `none` takes the issue out of its epic.")] epic_key: String,
    #[argument("Only show it.", default = false)] preview: bool,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let key = jira.key(&issue_key).await?;
    let plan = jira.plan_epic(&key, &epic_key).await?;
    write(&jira, &journal, &context, plan, preview).await
}

/// Links of an issue to pages.
#[data(kind = "jiraRemoteLinks:v1")]
struct RemoteLinks {
    remote_links: Value,
}

/// Lists the links of an issue to web pages and other products. Returns their ids, addresses, titles and relationships.
#[tool(read_only, title = "Pages that an issue links to")]
async fn jira_get_remote_issue_links(
    #[argument("Such as SHOP-1.")] issue_key: String,
    jira: State<Jira>,
) -> Result<RemoteLinks, ToolError> {
    let key = jira.key(&issue_key).await?;
    Ok(RemoteLinks { remote_links: jira.remote_links(key.as_str()).await? })
}

/// Links an issue to a web page or a Confluence page. Returns the link's id and an undo handle.
#[tool(additive, title = "Link an issue to a page")]
async fn jira_create_remote_issue_link(
    #[argument("Such as SHOP-1.")] issue_key: String,
    #[argument("The address of the page.")] url: String,
    #[argument("The text of the link.")] title: String,
    #[argument("A sentence about the page.")] summary: Option<String>,
    #[argument("What the page is to the issue, such as `documentation`.")] relationship: Option<String>,
    #[argument("The address of an icon of 16 × 16 pixels.")] icon_url: Option<String>,
    #[argument("Only show it.", default = false)] preview: bool,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let key = jira.key(&issue_key).await?;
    let link = PageLink {
        url: url.trim(),
        title: title.trim(),
        summary: given(summary.as_deref()),
        relationship: given(relationship.as_deref()),
        icon_url: given(icon_url.as_deref()),
    };
    let plan = jira.plan_page_link(&key, link).await?;
    let mut change = write(&jira, &journal, &context, plan, preview).await?;
    if let Some(id) = change.result.pointer("/link/id").cloned() {
        change.result = json!({ "remote_link_id": id });
    }
    Ok(change)
}
