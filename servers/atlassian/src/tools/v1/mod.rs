//! The tools of `--names v1`: the usual work under short names, with parameters in camelCase.
//!
//! In: arguments. Out: the values of the tools of [`jira`](super::jira), which do the work: nothing is written twice. Where a parameter means
//! something else than in `v2`, such as the board of jira_get_sprint_issues, the old meaning holds.

mod reading;
mod writing;

use plainwire::Entries;

use super::names::Names;
use super::toolsets::{Listed, reads, writes};

/// A tool of these names.
#[derive(Debug)]
pub(crate) struct OfV1 {
    pub(crate) listed: Listed,
    /// The name where `v2` is offered, too.
    pub(crate) beside_v2: &'static str,
}

impl OfV1 {
    /// Returns the name by which the tool is offered.
    pub(crate) const fn name(&self, names: Names) -> &'static str {
        match names {
            Names::Both => self.beside_v2,
            Names::V1 | Names::V2 => self.listed.name,
        }
    }
}

const fn alone(listed: Listed) -> OfV1 {
    OfV1 { beside_v2: listed.name, listed: listed.by_default() }
}

const fn beside(listed: Listed, beside_v2: &'static str) -> OfV1 {
    OfV1 { listed: listed.by_default(), beside_v2 }
}

/// All tools, in the order of their work.
pub(crate) const ALL: &[OfV1] = &[
    alone(reads("jira_search_issues", "jira_issues")),
    alone(reads("search_issues", "jira_issues")),
    beside(reads("jira_get_issue", "jira_issues"), "v1_jira_get_issue"),
    beside(writes("jira_create_issue", "jira_issues"), "v1_jira_create_issue"),
    beside(writes("jira_update_issue", "jira_issues"), "v1_jira_update_issue"),
    beside(writes("jira_assign_issue", "jira_issues"), "v1_jira_assign_issue"),
    beside(writes("jira_transition_issue", "jira_transitions"), "v1_jira_transition_issue"),
    beside(reads("jira_get_comments", "jira_comments"), "v1_jira_get_comments"),
    beside(writes("jira_add_comment", "jira_comments"), "v1_jira_add_comment"),
    alone(reads("jira_list_projects", "jira_projects")),
    alone(reads("jira_get_sprint", "jira_agile")),
    beside(reads("jira_get_sprint_issues", "jira_agile"), "v1_jira_get_sprint_issues"),
];

/// Returns the tools, under the names that they have there.
pub(crate) fn entries(names: Names) -> Entries {
    let all = reading::entries().with(writing::entries());
    all.retain_tools(|name| ALL.iter().any(|it| it.name(names) == name))
}

/// Makes a tool twice: under its own name, and under that which it has beside `v2`.
macro_rules! twice {
    (
        $(#[$($attribute:tt)*])*
        $name:ident | $beside:ident ($it:ident: $arguments:ident, $jira:ident) -> $returned:ty { $($body:tt)* }
    ) => {
        $(#[$($attribute)*])*
        async fn $name(#[arguments] $it: $arguments, $jira: State<Jira>) -> Result<$returned, ToolError> { $($body)* }

        $(#[$($attribute)*])*
        async fn $beside(#[arguments] $it: $arguments, $jira: State<Jira>) -> Result<$returned, ToolError> {
            $name($it, $jira).await
        }
    };
    (
        $(#[$($attribute:tt)*])*
        $name:ident | $beside:ident ($it:ident: $arguments:ident, $jira:ident, $journal:ident, $context:ident) { $($body:tt)* }
    ) => {
        $(#[$($attribute)*])*
        async fn $name(
            #[arguments] $it: $arguments,
            $jira: State<Jira>,
            $journal: State<Journal>,
            $context: Context,
        ) -> Result<Change, ToolError> { $($body)* }

        $(#[$($attribute)*])*
        async fn $beside(
            #[arguments] $it: $arguments,
            $jira: State<Jira>,
            $journal: State<Journal>,
            $context: Context,
        ) -> Result<Change, ToolError> {
            $name($it, $jira, $journal, $context).await
        }
    };
}
use twice;
