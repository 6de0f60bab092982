//! Scopes: what a token has to be allowed for a request.
//!
//! In: a request to Jira. Out: the name of the scope that it needs. Of the platform and the service desk, the classic scopes are named,
//! which Atlassian recommends; boards, sprints and epics have granular ones only.
//!
//! Source: the `security` of the operations in Atlassian's OpenAPI documents; for the service desk, which has none, "Scopes for OAuth
//! 2.0 (3LO) and Forge apps". Data Center: "Jira OAuth 2.0 provider API".

use super::request::{Effect, Method};
use super::settings::{Deployment, Product};

/// Returns the scope that a request needs. `path` is below the address of the site. `None` if every token will do, or nobody knows.
pub fn needed(
    product: Product,
    deployment: Deployment,
    method: Method,
    effect: Effect,
    path: &str,
) -> Option<&'static str> {
    match (product, deployment) {
        (Product::Jira, Deployment::Cloud) => of_jira(method, effect, path.trim_matches('/')),
        (Product::Jira, Deployment::DataCenter) => Some(if method == Method::Get { "READ" } else { "WRITE" }),
        (Product::Bitbucket | Product::Confluence, _) => None,
    }
}

fn of_jira(method: Method, effect: Effect, path: &str) -> Option<&'static str> {
    let is_read = effect == Effect::Read;
    let parts: Vec<_> = path.split('/').collect();
    match parts[..] {
        ["rest", "api", _, "serverInfo"] => None,
        ["rest", "api", _, first, ref rest @ ..] => Some(of_platform(is_read, first, rest)),
        ["rest", "agile", "1.0", ref rest @ ..] => of_agile(method, is_read, rest),
        ["rest", "servicedeskapi", "info"] => None,
        ["rest", "servicedeskapi", ..] if is_read => Some("read:servicedesk-request"),
        ["rest", "servicedeskapi", ..] => Some("write:servicedesk-request"),
        _ => None,
    }
}

fn of_platform(is_read: bool, first: &str, rest: &[&str]) -> &'static str {
    match (first, rest) {
        ("group", ["member"]) | ("field", [_, "context", ..]) => "manage:jira-configuration",
        ("group" | "groups" | "myself" | "user" | "users", _) if is_read => "read:jira-user",
        ("field", _) if !is_read => "manage:jira-configuration",
        ("version", [_, "relatedwork", ..]) if !is_read => "write:jira-work",
        ("component" | "version", _) if !is_read => "manage:jira-project",
        _ if is_read => "read:jira-work",
        _ => "write:jira-work",
    }
}

fn of_agile(method: Method, is_read: bool, rest: &[&str]) -> Option<&'static str> {
    Some(match (rest, is_read) {
        // Every token may ask which boards there are.
        (["board"], true) => return None,
        (["board", _, "sprint", ..] | ["sprint", ..], true) => "read:sprint:jira-software",
        (["board", _, "epic", ..] | ["epic", ..], true) => "read:epic:jira-software",
        (["board", _, "configuration" | "project" | "quickfilter" | "properties" | "features", ..], true) => {
            "read:board-scope.admin:jira-software"
        }
        (["board", "filter", ..], true) => "read:board-scope.admin:jira-software",
        (["board", ..], true) => "read:board-scope:jira-software",
        (["issue", ..], true) => "read:issue:jira-software",
        (["sprint", ..], false) if method == Method::Delete => "delete:sprint:jira-software",
        (["sprint", ..], false) => "write:sprint:jira-software",
        (["epic", ..], false) => "write:epic:jira-software",
        (["issue", ..], false) => "write:issue:jira-software",
        (["backlog" | "board", ..], false) => "write:board-scope:jira-software",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_needs_the_scope_of_its_operation() {
        use Method::{Delete, Get, Post, Put};
        for (method, effect, path, expected) in [
            (Get, Effect::Read, "/rest/api/3/issue/ABC-1", "read:jira-work"),
            (Post, Effect::Read, "/rest/api/3/search/jql", "read:jira-work"),
            (Put, Effect::Write, "/rest/api/3/issue/ABC-1", "write:jira-work"),
            (Get, Effect::Read, "/rest/api/3/myself", "read:jira-user"),
            (Post, Effect::Write, "/rest/api/3/version", "manage:jira-project"),
            (
                Get,
                Effect::Read,
                "/rest/api/3/field/customfield_1/context/2/option",
                "manage:jira-configuration",
            ),
            (Get, Effect::Read, "/rest/agile/1.0/board/7/sprint", "read:sprint:jira-software"),
            (Get, Effect::Read, "/rest/agile/1.0/board/7", "read:board-scope:jira-software"),
            (
                Get,
                Effect::Read,
                "/rest/agile/1.0/board/7/configuration",
                "read:board-scope.admin:jira-software",
            ),
            (Delete, Effect::Write, "/rest/agile/1.0/sprint/7", "delete:sprint:jira-software"),
            (Post, Effect::Write, "/rest/servicedeskapi/request", "write:servicedesk-request"),
            (Get, Effect::Read, "/rest/agile/1.0/board", ""),
            (Get, Effect::Read, "/rest/api/2/serverInfo", ""),
            (Get, Effect::Read, "/_edge/tenant_info", ""),
        ] {
            let found = needed(Product::Jira, Deployment::Cloud, method, effect, path);
            assert_eq!(found.unwrap_or_default(), expected, "{method} {path}");
        }
        let found =
            |method, effect| needed(Product::Jira, Deployment::DataCenter, method, effect, "/rest/api/2/x");
        assert_eq!((found(Get, Effect::Read), found(Put, Effect::Write)), (Some("READ"), Some("WRITE")));
    }
}
