//! `jira_triage`: issues that nobody has taken or rated yet.

use plainwire::prelude::*;

use super::{as_argument, attached};
use crate::jira::Jira;
use crate::jira::search::quoted;
use crate::resources::{project_uri, search_uri, views};

/// The largest number of issues: what one can decide on in a sitting.
const MAX_ISSUES: usize = 25;

#[data]
pub(super) struct Triage {
    /// The key of the project, such as SHOP.
    project_key: String,
}

pub(super) async fn triage(it: Triage, jira: State<Jira>) -> Result<Vec<PromptMessage>, ToolError> {
    let key = jira.project_key(&it.project_key).await.map_err(as_argument)?;
    let project = views::project(&jira, &key).await.map_err(as_argument)?;
    let key = project["key"].as_str().unwrap_or(&key).to_owned();
    let jql = format!(
        "project = {} AND statusCategory = \"To Do\" AND (assignee IS EMPTY OR priority IS EMPTY) ORDER BY created DESC",
        quoted(&key)
    );
    let found = views::issues(&jira, &jql, &[], MAX_ISSUES).await?;
    if found.shown.is_empty() {
        let text = format!(
            "Each open issue of {key} has an assignee and a priority. Say that there is nothing to triage, and do nothing else."
        );
        return Ok(vec![PromptMessage::user(text)]);
    }
    let some = if found.is_complete { "" } else { " They are the newest ones: say that there are more." };
    let text = format!(
        "These {} issues of the project {key} have not been started, and lack an assignee or a priority.{some} Go through them in this order, and decide \
         for each: Is it clear enough to work on? If not, write the question to ask as a comment. Is it the same as another one, here or found by \
         jira_search? Is its type right? Which priority (what breaks, for how many, and is there a way around), which component and which of the open \
         versions fit, and who would take it, as the components and similar issues suggest? Use only values that the project has. Show me one table with \
         a line for each issue and a short reason, and where you are not sure say so. Apply nothing before I agree.",
        found.shown.len()
    );
    let uri = search_uri(&found.jql);
    let messages = [
        PromptMessage::user(text),
        attached(project_uri(&key), &project),
        attached(uri, &found.into_value()),
    ];
    Ok(messages.into())
}
