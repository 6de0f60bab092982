//! `jira_release_notes`: the notes of a version.

use plainwire::prelude::*;

use super::{as_argument, attached};
use crate::jira::Jira;
use crate::jira::search::quoted;
use crate::jira::shown::counted_issues;
use crate::resources::{search_uri, views};

/// The largest number of issues.
const MAX_ISSUES: usize = 200;

/// The fields of an issue that notes are made of.
const FIELDS: [&str; 8] =
    ["summary", "issuetype", "status", "resolution", "priority", "components", "labels", "description"];

#[data]
pub(super) struct ReleaseNotes {
    /// The key of the project, such as SHOP.
    project_key: String,
    /// The name of the version.
    version: String,
}

pub(super) async fn release_notes(
    it: ReleaseNotes,
    jira: State<Jira>,
) -> Result<Vec<PromptMessage>, ToolError> {
    let key = jira.project_key(&it.project_key).await.map_err(as_argument)?;
    let names = views::version_names(&jira, &key).await.map_err(as_argument)?;
    let wanted = it.version.trim();
    let Some(version) = names.iter().find(|name| name.to_lowercase() == wanted.to_lowercase()) else {
        let message = format!("the project {key} has no version {wanted:?}");
        return Err(ToolError::invalid_input(message).hint(format!("it has {}", names.join(", "))));
    };
    let jql =
        format!("project = {} AND fixVersion = {} ORDER BY issuetype, key", quoted(&key), quoted(version));
    let found = views::issues(&jira, &jql, &FIELDS, MAX_ISSUES).await?;
    if found.shown.is_empty() {
        let text = format!("No issue of {key} has the fix version {version}. Say so, and do nothing else.");
        return Ok(vec![PromptMessage::user(text)]);
    }
    let some = if found.is_complete { "" } else { " They are not all of them: say so." };
    let text = format!(
        "Write the release notes of {key} {version} from its {}.{some} Group them: new, improved, fixed, and what users have to do. One line each, \
         in the words of a user and not of the code, with the key at its end. Put several issues that are one change into one line, and leave out what \
         users do not see, such as chores and tests. Promise nothing that is not done: list issues that are not resolved apart, under a heading of their own, \
         for me to decide. Say nothing that the issues do not say.",
        counted_issues(found.shown.len())
    );
    Ok(vec![PromptMessage::user(text), attached(search_uri(&found.jql), &found.into_value())])
}
