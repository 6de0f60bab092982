//! Development: what tools such as Bitbucket or GitHub tell of issues.

use plainwire::Entries;
use plainwire::prelude::*;

use crate::jira::Jira;
use crate::jira::development::Wanted;
use crate::tools::args::Texts;

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new().tool(jira_get_issue_development_info).tool(jira_get_issues_development_info)
}

/// The largest number of issues of one call: each takes several requests.
const MAX_ISSUES: usize = 50;

/// The development of issues.
#[data(kind = "jiraDevelopment:v1")]
struct DevelopmentView {
    /// Each with its pull_requests, branches, commits, builds and deployments, if it has any.
    issues: Vec<Value>,
    /// Why some could not be read, by key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    failed: Vec<Value>,
}

/// Reads the pull requests, branches, commits and builds of an issue. Returns their states, authors and addresses.
#[tool(read_only, title = "Development of an issue")]
async fn jira_get_issue_development_info(
    #[argument("Such as SHOP-1.")] issue_key: String,
    #[argument("Only this tool, such as GitHub, stash or bitbucket.")] application_type: Option<String>,
    #[argument("Only pullrequest, branch, repository (commits), build or deployment-environment.")] data_type: Option<String>,
    jira: State<Jira>,
) -> Result<DevelopmentView, ToolError> {
    let wanted = Wanted { application: application_type.as_deref(), data: data_type.as_deref() };
    let key = jira.key(&issue_key).await?;
    Ok(DevelopmentView { issues: vec![jira.development(key.as_str(), wanted).await?], failed: Vec::new() })
}

/// Reads the pull requests, branches, commits and builds of up to 50 issues. Returns those of each, and which could not be read.
#[tool(read_only, title = "Development of issues")]
async fn jira_get_issues_development_info(
    #[argument("Such as SHOP-1,SHOP-2.")] issue_keys: Texts,
    #[argument("Only this tool, such as GitHub, stash or bitbucket.")] application_type: Option<String>,
    #[argument("Only pullrequest, branch, repository (commits), build or deployment-environment.")] data_type: Option<String>,
    jira: State<Jira>,
) -> Result<DevelopmentView, ToolError> {
    if issue_keys.all().len() > MAX_ISSUES {
        let message = format!("expected at most {MAX_ISSUES} issues, but found {}", issue_keys.all().len());
        return Err(ToolError::invalid_input(message));
    }
    let wanted = Wanted { application: application_type.as_deref(), data: data_type.as_deref() };
    let (mut issues, mut failed) = (Vec::new(), Vec::new());
    let mut first = None;
    for text in issue_keys.all() {
        let key = jira.key(text).await?;
        match jira.development(key.as_str(), wanted).await {
            Ok(shown) => issues.push(shown),
            Err(error) => {
                failed.push(json!({ "key": key.as_str(), "reason": error.message() }));
                first.get_or_insert(error);
            }
        }
    }
    // Nothing at all is an error, and no answer.
    match first {
        Some(error) if issues.is_empty() => Err(error),
        _ => Ok(DevelopmentView { issues, failed }),
    }
}
