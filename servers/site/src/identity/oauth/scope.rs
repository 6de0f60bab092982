//! Scopes: what a token may be used for.
//!
//! In: a token and the operation that it is used for. Out: a refusal, or nothing. Of the platform and the
//! service desk only the classic scopes are known; boards, sprints and epics have only granular ones, as with
//! Atlassian.

use axum::http::Method;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::hash;
use crate::call::Answer;
use crate::fault::Result;
use crate::operation::Operation;
use crate::work::Work;

/// The scopes of Data Center; each one includes those before it.
const LEVELS: [&str; 4] = ["READ", "WRITE", "ADMIN", "SYSTEM_ADMIN"];

/// Returns whether names may be scopes of the deployment. Cloud has many, also those of other products.
pub(super) fn are_valid(work: &Work<'_>, scopes: &str) -> bool {
    let is_name = |it: &str| it.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:#/".contains(&byte));
    scopes.split(' ').all(|it| if work.is_cloud() { is_name(it) } else { LEVELS.contains(&it) })
}

/// Returns whether a scope is about a site, and not about the token or the person.
pub(super) fn is_of_site(scope: &str) -> bool {
    !matches!(scope, "" | "offline_access" | "read:account" | "read:me")
}

/// Returns the scopes of the token of a header `Authorization`; nothing for one that may do all that its
/// person may.
pub(super) fn granted(work: &Work<'_>, header: Option<&str>) -> Result<Option<String>> {
    let Some((scheme, rest)) = header.and_then(|it| it.split_once(' ')) else { return Ok(None) };
    let secret = if scheme.eq_ignore_ascii_case("basic") {
        let decoded = STANDARD.decode(rest.trim()).ok().and_then(|it| String::from_utf8(it).ok());
        decoded.and_then(|it| it.split_once(':').map(|(_, secret)| secret.to_owned())).unwrap_or_default()
    } else {
        rest.trim().to_owned()
    };
    let found = work.one("SELECT scopes FROM token WHERE hash = ?1", [hash(&secret)], |row| row.get(0))?;
    Ok(found.flatten())
}

/// Returns the answer to a request whose token lacks the scope for its operation.
pub(crate) fn refusal(
    work: &Work<'_>,
    header: Option<&str>,
    operation: &Operation,
) -> Result<Option<Answer>> {
    let Some(scopes) = granted(work, header)? else { return Ok(None) };
    if work.is_cloud() {
        let Some(needed) = needed(operation) else { return Ok(None) };
        let has = scopes.split(' ').any(|it| it == needed);
        let body = json!({ "code": 401, "message": "Unauthorized; scope does not match" });
        return Ok((!has).then_some(Answer::Json(401, body)));
    }
    let needed = if operation.method == Method::GET { 0 } else { 1 };
    let level = scopes.split(' ').filter_map(|it| LEVELS.iter().position(|level| *level == it)).max();
    let body = json!({ "message": "The access token does not have the scope for this request.", "status-code": 403 });
    Ok(level.is_none_or(|it| it < needed).then_some(Answer::Json(403, body)))
}

/// Returns the scope that an operation of Cloud needs; nothing if each token may be used for it.
fn needed(operation: &Operation) -> Option<&'static str> {
    let is_read = operation.method == Method::GET;
    if let Some(path) = operation.path.strip_prefix("/rest/agile/1.0/") {
        return Some(of_agile(operation.method, path));
    }
    if let Some(path) = operation.path.strip_prefix("/rest/servicedeskapi/") {
        return (path != "info").then_some(if is_read {
            "read:servicedesk-request"
        } else {
            "write:servicedesk-request"
        });
    }
    let Some(path) = operation.path.strip_prefix("/rest/api/{v}/") else {
        return (operation.path == "/me").then_some("read:me");
    };
    let first = path.split('/').next().unwrap_or_default();
    Some(match first {
        "group" | "groups" | "groupuserpicker" | "myself" | "user" | "users" if is_read => "read:jira-user",
        "component" | "version" if !is_read => "manage:jira-project",
        // These have a body, and change nothing.
        _ if is_read
            || matches!(
                path,
                "changelog/bulkfetch" | "issue/bulkfetch" | "search/approximate-count" | "search/jql"
            ) =>
        {
            "read:jira-work"
        }
        _ => "write:jira-work",
    })
}

fn of_agile(method: &str, path: &str) -> &'static str {
    let is_read = method == Method::GET;
    let parts: Vec<_> = path.split('/').collect();
    match (parts.first().copied().unwrap_or_default(), parts.last().copied().unwrap_or_default()) {
        ("board", "sprint") | ("sprint", _) if is_read => "read:sprint:jira-software",
        ("board", "epic") | ("epic", _) if is_read => "read:epic:jira-software",
        ("board", "configuration") => "read:board-scope.admin:jira-software",
        ("board", _) if is_read => "read:board-scope:jira-software",
        ("sprint", _) if method == Method::DELETE => "delete:sprint:jira-software",
        ("sprint", _) => "write:sprint:jira-software",
        ("epic", _) => "write:epic:jira-software",
        ("issue", _) if is_read => "read:issue:jira-software",
        ("issue", _) => "write:issue:jira-software",
        _ => "write:board-scope:jira-software",
    }
}
