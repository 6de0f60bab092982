//! What is offered: tools, toolsets and projects.

use super::layers::safe;
use super::reader::Reader;
use crate::tools::{Choice, Names};

/// Toolsets and tools of mcp-atlassian 0.23.1 for Jira. Those among them that this server lacks are no mistakes, but do nothing.
#[rustfmt::skip]
const THEIRS: &[&str] = &[
    "jira_issues", "jira_fields", "jira_comments", "jira_transitions", "jira_projects", "jira_agile", "jira_links", "jira_worklog",
    "jira_attachments", "jira_users", "jira_watchers", "jira_service_desk", "jira_forms", "jira_metrics", "jira_development",
    "jira_project_analysis", "legacy",
    "jira_add_comment", "jira_add_issues_to_sprint", "jira_add_watcher", "jira_add_worklog", "jira_assign_issue",
    "jira_batch_create_issues", "jira_batch_create_versions", "jira_batch_get_changelogs", "jira_create_customer_request",
    "jira_create_issue", "jira_create_issue_link", "jira_create_remote_issue_link", "jira_create_sprint", "jira_create_version",
    "jira_delete_issue", "jira_download_attachments", "jira_edit_comment", "jira_get_agile_boards", "jira_get_all_projects",
    "jira_get_board_issues", "jira_get_create_fields", "jira_get_cross_project_dependencies", "jira_get_field_options",
    "jira_get_issue", "jira_get_issue_dates", "jira_get_issue_development_info", "jira_get_issue_images",
    "jira_get_issue_proforma_forms", "jira_get_issue_sla", "jira_get_issue_watchers", "jira_get_issues_development_info",
    "jira_get_link_types", "jira_get_proforma_form_details", "jira_get_project_components", "jira_get_project_epic_hierarchy",
    "jira_get_project_fields", "jira_get_project_issue_types", "jira_get_project_issues", "jira_get_project_versions",
    "jira_get_queue_issues", "jira_get_request_type_fields", "jira_get_request_types", "jira_get_service_desk_for_project",
    "jira_get_service_desk_queues", "jira_get_sprint_issues", "jira_get_sprints_from_board", "jira_get_transitions",
    "jira_get_user_profile", "jira_get_worklog", "jira_link_to_epic", "jira_move_issue", "jira_move_issues_to_backlog",
    "jira_remove_issue_link", "jira_remove_watcher", "jira_search", "jira_search_assignable_users", "jira_search_fields",
    "jira_search_projects", "jira_transition_issue", "jira_update_issue", "jira_update_proforma_form_answers", "jira_update_sprint",
    "jira_update_version",
];

/// Reads the choice of tools.
pub(super) fn read(reader: &mut Reader<'_>) -> Choice {
    let sets = Choice::toolset_names();
    let called = match reader.text("ATLASSIAN_NAMES").unwrap_or("v2").parse() {
        Ok(names) => names,
        Err(_) => {
            reader.unexpected("ATLASSIAN_NAMES", "`v1`, `v2` or `v1,v2`");
            Names::default()
        }
    };
    let tools: Vec<_> = called.tools().map(|it| it.name).collect();
    // A short name of a toolset, such as `issues`, is one too.
    let has_set = |it: &str| sets.iter().any(|known| *known == it || known.strip_prefix("jira_") == Some(it));
    let has_tool = |it: &str| tools.contains(&it);
    let some = |reader: &mut Reader<'_>, name: &'static str, has: &dyn Fn(&str) -> bool, all: &[&str]| {
        let found = names(reader, name, has, all);
        // An empty list would be no limit, which is the opposite of what was asked for.
        if found.is_empty() && reader.has(name) && reader.problems.iter().all(|it| it.name != name) {
            reader.problem(name, "expected at least one name of this server, but found none");
        }
        found
    };
    Choice {
        toolsets: some(reader, "TOOLSETS", &has_set, &sets),
        tools: some(reader, "ENABLED_TOOLS", &has_tool, &tools),
        without: names(reader, "DISABLED_TOOLS", &has_tool, &tools),
        read_only: reader.switch("READ_ONLY_MODE").unwrap_or(false),
        names: called,
    }
}

/// Reads names, without those that only mcp-atlassian has.
fn names(
    reader: &mut Reader<'_>,
    name: &'static str,
    has: &dyn Fn(&str) -> bool,
    all: &[&str],
) -> Vec<String> {
    let (mut found, mut elsewhere) = (Vec::new(), Vec::new());
    for it in reader.list(name).into_iter().map(|it| it.to_ascii_lowercase()) {
        if has(&it) {
            found.push(it);
        } else if it.starts_with("confluence_") || THEIRS.contains(&it.as_str()) {
            elsewhere.push(it);
        } else {
            let near = near(&it, all).map_or(String::new(), |it| format!("; did you mean `{it}`?"));
            reader.problem(name, format!("expected names of this server, but found {:?}{near}", safe(&it)));
        }
    }
    if !elsewhere.is_empty() {
        reader.warn(format!(
            "{name}: {} has no effect here, because this server does not have it",
            elsewhere.join(", ")
        ));
    }
    found
}

/// Returns the name that a misspelt one probably means.
fn near<'a>(name: &str, all: &[&'a str]) -> Option<&'a str> {
    let bare = |it: &'a str| it.strip_prefix("jira_").unwrap_or(it);
    let score = |it: &'a str| strsim::jaro_winkler(it, name).max(strsim::jaro_winkler(bare(it), name));
    let best = all.iter().map(|it| (score(it), *it)).max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(score, _)| *score > 0.85).map(|(_, it)| it)
}

/// Reads the keys of the projects that the server is limited to.
pub(super) fn projects(reader: &mut Reader<'_>) -> Vec<String> {
    let name = "JIRA_PROJECTS_FILTER";
    let keys = reader.list(name);
    let is_key = |it: &String| {
        it.starts_with(char::is_alphabetic) && it.chars().all(|it| it.is_alphanumeric() || it == '_')
    };
    if keys.is_empty() && reader.has(name) || !keys.iter().all(is_key) {
        reader.unexpected(name, "keys of projects with commas, such as `SHOP,OPS`");
    }
    keys
}
