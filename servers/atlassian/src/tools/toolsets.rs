//! Toolsets: which tools a server has.
//!
//! In: names of toolsets and tools, and whether only reading is allowed. Out: the choice. The names are those of mcp-atlassian, so that its
//! settings work.

use plainwire::ToolError;
use plainwire::proto::json::visible;

use super::names::Names;

/// A tool, and where it belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed {
    pub(crate) name: &'static str,
    pub(crate) toolset: &'static str,
    pub(crate) is_write: bool,
    /// Whether `default` has it.
    pub(crate) is_default: bool,
    /// Whether only Cloud has what it needs.
    pub(crate) is_cloud_only: bool,
}

pub(super) const fn reads(name: &'static str, toolset: &'static str) -> Listed {
    Listed { name, toolset, is_write: false, is_default: false, is_cloud_only: false }
}

pub(super) const fn writes(name: &'static str, toolset: &'static str) -> Listed {
    Listed { is_write: true, ..reads(name, toolset) }
}

impl Listed {
    pub(super) const fn by_default(self) -> Self {
        Self { is_default: true, ..self }
    }

    const fn cloud_only(self) -> Self {
        Self { is_cloud_only: true, ..self }
    }
}

/// All tools, by toolset.
pub(crate) const ALL: &[Listed] = &[
    writes("atlassian_undo", "undo").by_default(),
    reads("jira_get_issue", "jira_issues").by_default(),
    reads("jira_search", "jira_issues").by_default(),
    reads("jira_get_project_issues", "jira_issues").by_default(),
    writes("jira_create_issue", "jira_issues").by_default(),
    writes("jira_batch_create_issues", "jira_issues").by_default(),
    writes("jira_update_issue", "jira_issues").by_default(),
    writes("jira_assign_issue", "jira_issues").by_default(),
    writes("jira_delete_issue", "jira_issues").by_default(),
    writes("jira_move_issue", "jira_issues").by_default().cloud_only(),
    reads("jira_batch_get_changelogs", "jira_issues").by_default().cloud_only(),
    reads("jira_search_fields", "jira_fields").by_default(),
    reads("jira_get_field_options", "jira_fields").by_default(),
    writes("jira_add_comment", "jira_comments").by_default(),
    writes("jira_edit_comment", "jira_comments").by_default(),
    reads("jira_get_comments", "jira_comments"),
    reads("jira_get_transitions", "jira_transitions").by_default(),
    writes("jira_transition_issue", "jira_transitions").by_default(),
    reads("jira_get_my_issues", "jira_issues"),
    reads("jira_get_edit_metadata", "jira_fields"),
    reads("jira_get_priorities", "jira_fields"),
    reads("jira_get_statuses", "jira_fields"),
    reads("jira_get_all_projects", "jira_projects"),
    reads("jira_search_projects", "jira_projects"),
    reads("jira_get_project_issue_types", "jira_projects"),
    reads("jira_get_create_fields", "jira_projects"),
    reads("jira_get_project_fields", "jira_projects"),
    reads("jira_get_project_versions", "jira_projects"),
    writes("jira_create_version", "jira_projects"),
    writes("jira_batch_create_versions", "jira_projects"),
    writes("jira_update_version", "jira_projects"),
    reads("jira_get_project_components", "jira_projects"),
    writes("jira_create_component", "jira_projects"),
    reads("jira_get_link_types", "jira_links"),
    writes("jira_create_issue_link", "jira_links"),
    writes("jira_remove_issue_link", "jira_links"),
    writes("jira_link_to_epic", "jira_links"),
    reads("jira_get_remote_issue_links", "jira_links"),
    writes("jira_create_remote_issue_link", "jira_links"),
    reads("jira_get_worklog", "jira_worklog"),
    writes("jira_add_worklog", "jira_worklog"),
    reads("jira_get_issue_watchers", "jira_watchers"),
    writes("jira_add_watcher", "jira_watchers"),
    writes("jira_remove_watcher", "jira_watchers"),
    reads("jira_get_user_profile", "jira_users"),
    reads("jira_search_assignable_users", "jira_users"),
    reads("jira_search_users", "jira_users"),
    reads("jira_whoami", "jira_users"),
    reads("jira_download_attachments", "jira_attachments"),
    reads("jira_get_issue_images", "jira_attachments"),
    writes("jira_upload_attachment", "jira_attachments"),
    reads("jira_get_agile_boards", "jira_agile"),
    reads("jira_get_board_issues", "jira_agile"),
    reads("jira_get_sprints_from_board", "jira_agile"),
    reads("jira_get_sprint_issues", "jira_agile"),
    writes("jira_create_sprint", "jira_agile"),
    writes("jira_update_sprint", "jira_agile"),
    writes("jira_add_issues_to_sprint", "jira_agile"),
    writes("jira_move_issues_to_backlog", "jira_agile"),
    writes("jira_rank_issues", "jira_agile"),
    reads("jira_get_filters", "jira_filters"),
    writes("jira_create_filter", "jira_filters"),
    writes("jira_update_filter", "jira_filters"),
    writes("jira_delete_filter", "jira_filters"),
    reads("jira_list_dashboards", "jira_filters"),
    reads("jira_get_dashboard_gadgets", "jira_filters").cloud_only(),
    reads("jira_get_service_desk_for_project", "jira_service_desk"),
    reads("jira_get_service_desk_queues", "jira_service_desk"),
    reads("jira_get_queue_issues", "jira_service_desk"),
    reads("jira_get_request_types", "jira_service_desk"),
    reads("jira_get_request_type_fields", "jira_service_desk"),
    writes("jira_create_customer_request", "jira_service_desk"),
    reads("jira_get_issue_dates", "jira_metrics"),
    reads("jira_get_issue_sla", "jira_metrics"),
    reads("jira_get_project_epic_hierarchy", "jira_hierarchy"),
    reads("jira_get_cross_project_dependencies", "jira_hierarchy"),
    reads("jira_get_issue_development_info", "jira_development"),
    reads("jira_get_issues_development_info", "jira_development"),
    reads("jira_get_issue_proforma_forms", "jira_forms").cloud_only(),
    reads("jira_get_proforma_form_details", "jira_forms").cloud_only(),
    writes("jira_update_proforma_form_answers", "jira_forms").cloud_only(),
];

/// The tools that a server, or a URL, offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The toolsets: their names, `default` or `all`. Empty is `default`.
    pub toolsets: Vec<String>,
    /// Only these tools, by name. Empty is no limit.
    pub tools: Vec<String>,
    /// None of these tools.
    pub without: Vec<String>,
    /// Whether only tools that read are offered.
    pub read_only: bool,
    /// Under which names tools are offered.
    pub names: Names,
}

impl Choice {
    /// Returns the names of all toolsets, and what stands for several.
    pub(crate) fn toolset_names() -> Vec<&'static str> {
        let mut names = vec!["all", "default"];
        for it in ALL {
            if !names.contains(&it.toolset) {
                names.push(it.toolset);
            }
        }
        names
    }

    /// Refuses names that there are not: a choice that is misspelt would offer something else than was meant.
    ///
    /// # Errors
    /// The first such name, with those that there are.
    pub fn check(&self) -> Result<(), ToolError> {
        let known = Self::toolset_names();
        let wrong = self.toolsets.iter().find(|it| !known.iter().any(|known| same_set(known, it)));
        if let Some(name) = wrong {
            let message =
                format!("expected toolsets among {}, but found {:?}", known.join(", "), visible(name, 80));
            return Err(ToolError::invalid_input(message));
        }
        let named = self.tools.iter().chain(&self.without);
        match named.into_iter().find(|it| self.names.tool(it).is_none()) {
            Some(name) => {
                let found = visible(name, 80);
                let message = format!("expected names of tools of this server, but found {found:?}");
                Err(ToolError::invalid_input(message))
            }
            None => Ok(()),
        }
    }

    /// Returns whether a tool is offered, on a site that is Cloud or not.
    pub(crate) fn has(&self, name: &str, is_cloud: bool) -> bool {
        let Some(tool) = self.names.tool(name) else { return false };
        let by_set = match self.toolsets.as_slice() {
            [] if !self.tools.is_empty() => true,
            [] => tool.is_default,
            sets => sets.iter().any(|set| match set.as_str() {
                "all" => true,
                "default" => tool.is_default,
                set => same_set(tool.toolset, set),
            }),
        };
        let is_fit = (is_cloud || !tool.is_cloud_only) && !(self.read_only && tool.is_write);
        let is_named = self.tools.is_empty() || self.tools.iter().any(|it| it == name);
        by_set && is_fit && is_named && !self.without.iter().any(|it| it == name)
    }
}

/// Returns whether a name means a toolset: `issues` is `jira_issues`.
fn same_set(toolset: &str, name: &str) -> bool {
    toolset == name || toolset.strip_prefix("jira_") == Some(name)
}

#[cfg(test)]
mod tests {
    use super::{ALL, Choice, Names};

    fn choice(toolsets: &[&str], tools: &[&str], read_only: bool) -> Choice {
        let owned = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect();
        Choice {
            toolsets: owned(toolsets),
            tools: owned(tools),
            without: vec![],
            read_only,
            names: Names::V2,
        }
    }

    #[test]
    fn a_choice_offers_what_all_of_its_parts_allow() {
        let cases = [
            (choice(&[], &[], false), "jira_get_issue", true),
            (choice(&[], &[], false), "jira_get_comments", false),
            (choice(&["all"], &[], false), "jira_get_comments", true),
            (choice(&["comments"], &[], false), "jira_get_issue", false),
            (choice(&["comments"], &[], true), "jira_add_comment", false),
            (choice(&["all"], &["jira_search"], false), "jira_search", true),
            (choice(&["all"], &["jira_search"], false), "jira_get_issue", false),
            (choice(&[], &["jira_get_comments"], false), "jira_get_comments", true),
        ];
        for (choice, tool, expected) in cases {
            assert_eq!(choice.has(tool, true), expected, "{choice:?} {tool}");
        }
        let without = Choice { without: vec!["jira_search".to_owned()], ..Choice::default() };
        assert!(!without.has("jira_search", true));
    }

    #[test]
    fn a_choice_is_among_the_tools_of_its_names() {
        for (names, tool, expected) in [
            (Names::V1, "jira_search_issues", true),
            (Names::V1, "jira_search", false),
            (Names::V1, "jira_list_projects", true),
            (Names::V1, "atlassian_undo", true),
            (Names::V2, "jira_search_issues", false),
            (Names::Both, "jira_search_issues", true),
            (Names::Both, "jira_get_issue", true),
            (Names::Both, "v1_jira_get_issue", true),
            (Names::V1, "v1_jira_get_issue", false),
        ] {
            let choice = Choice { names, ..choice(&[], &[], false) };
            assert_eq!(choice.has(tool, true), expected, "{names} {tool}");
        }
        let reading = Choice { names: Names::Both, ..choice(&["all"], &[], true) };
        assert!(!reading.has("v1_jira_create_issue", true) && reading.has("v1_jira_get_comments", true));
        let one = Choice { names: Names::Both, ..choice(&[], &["v1_jira_get_issue"], false) };
        assert!(
            one.check().is_ok() && one.has("v1_jira_get_issue", true) && !one.has("jira_get_issue", true)
        );
        assert!(Choice { names: Names::V1, ..one }.check().is_err());
    }

    #[test]
    fn what_only_cloud_has_is_not_offered_in_data_center() {
        let all = choice(&["all"], &[], false);
        for tool in ALL.iter().filter(|it| it.is_cloud_only) {
            assert!(all.has(tool.name, true) && !all.has(tool.name, false), "{}", tool.name);
        }
    }

    #[test]
    fn a_name_that_there_is_not_is_refused() {
        assert!(choice(&["isues"], &[], false).check().is_err());
        assert!(choice(&["issues", "jira_comments"], &["jira_search"], false).check().is_ok());
        assert!(choice(&[], &["jira_serach"], false).check().is_err());
    }
}
