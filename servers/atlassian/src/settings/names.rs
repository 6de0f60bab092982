//! The variables: their names, the other names by which they are known, and what they mean.
//!
//! In: a name as somebody wrote it. Out: the variable. Other names are those of older or similar programs; all may begin with `MCP_`.
//! Names are read in any case.

use crate::rest::SettingFault;

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name.
    pub name: &'static str,
    /// Other names for the same. In one layer, the name wins, then the first of these.
    pub also: &'static [&'static str],
    /// Whether its value must not be shown.
    pub is_secret: bool,
    /// Whether its value is the path of a file.
    pub is_path: bool,
    /// The meaning, as a phrase for a list.
    pub meaning: &'static str,
}

const fn known(name: &'static str, also: &'static [&'static str], meaning: &'static str) -> Variable {
    Variable { name, also, is_secret: false, is_path: false, meaning }
}

const fn secret(name: &'static str, also: &'static [&'static str], meaning: &'static str) -> Variable {
    Variable { is_secret: true, ..known(name, also, meaning) }
}

const fn path(name: &'static str, also: &'static [&'static str], meaning: &'static str) -> Variable {
    Variable { is_path: true, ..known(name, also, meaning) }
}

/// All variables. The order is that of a reader: the site, the user, what is offered, the network.
#[rustfmt::skip]
const ALL: &[Variable] = &[
    known("JIRA_URL", &["ATLASSIAN_JIRA_URL"], "the address of the site, with its context path"),
    known("JIRA_DEPLOYMENT", &["ATLASSIAN_VARIANT"], "`cloud` or `data_center`; by default, the address decides"),
    known("JIRA_CLOUD_ID", &["ATLASSIAN_CLOUD_ID"], "the id of the site of Cloud for tokens with scopes, or `auto` to ask the site for it"),
    known("JIRA_AUTH_TYPE", &["ATLASSIAN_AUTH_TYPE"], "`api_token`, `pat`, `oauth` or `none`; by default, what else is set decides"),
    known("JIRA_USERNAME", &["JIRA_EMAIL", "ATLASSIAN_EMAIL"], "the e-mail address on Cloud, the name of the user in Data Center"),
    secret("JIRA_API_TOKEN", &["JIRA_PASSWORD"], "the API token on Cloud, the password in Data Center"),
    secret("JIRA_PERSONAL_TOKEN", &[], "the personal access token of Data Center"),
    secret("ATLASSIAN_TOKEN", &[], "the API token or the personal access token, as JIRA_AUTH_TYPE or the deployment says"),
    secret("JIRA_OAUTH_ACCESS_TOKEN", &["ATLASSIAN_OAUTH_ACCESS_TOKEN"], "an access token of OAuth that another program renews"),
    known("ATLASSIAN_OAUTH_CLOUD_ID", &[], "the id of the site of Cloud for OAuth; by default, the site says it"),
    known("JIRA_OAUTH_CLIENT_ID", &["ATLASSIAN_OAUTH_CLIENT_ID"], "the id of your app of OAuth, for `plainwire atlassian login`"),
    secret("JIRA_OAUTH_CLIENT_SECRET", &["ATLASSIAN_OAUTH_CLIENT_SECRET"], "the secret of that app"),
    known("JIRA_OAUTH_REDIRECT_URI", &["ATLASSIAN_OAUTH_REDIRECT_URI"], "the callback URL of that app; by default `http://localhost:8080/callback`"),
    known("JIRA_OAUTH_SCOPE", &["ATLASSIAN_OAUTH_SCOPE"], "the scopes to sign in with, with blanks; by default `read:jira-work read:jira-user write:jira-work`, in Data Center `WRITE`"),
    known("ATLASSIAN_OAUTH_INSTANCE_URL", &[], "the address of the site in Data Center for the sign-in, if it is not JIRA_URL"),
    known("JIRA_PROJECTS_FILTER", &[], "only these projects, by their keys with commas"),
    known("READ_ONLY_MODE", &[], "whether only tools that read are offered"),
    known("TOOLSETS", &[], "only these toolsets, with commas, or `default`, or `all`"),
    known("ENABLED_TOOLS", &[], "only these tools, with commas"),
    known("DISABLED_TOOLS", &[], "none of these tools, with commas"),
    known("ATLASSIAN_NAMES", &[], "the names of the tools: `v2` as in mcp-atlassian, `v1` for twelve tools with short names, or `v1,v2`"),
    known("JIRA_SLA_METRICS", &[], "the metrics of jira_get_issue_sla for a call that names none, with commas; by default all"),
    known("JIRA_SLA_WORKING_HOURS_ONLY", &[], "whether jira_get_issue_sla counts working hours only, if a call does not say it"),
    known("JIRA_SLA_WORKING_HOURS_START", &[], "when work begins, such as 09:00"),
    known("JIRA_SLA_WORKING_HOURS_END", &[], "when work ends, such as 17:00"),
    known("JIRA_SLA_WORKING_DAYS", &[], "the days of work from 1 for Monday to 7, with commas"),
    known("JIRA_SLA_TIMEZONE", &[], "the time zone of these hours, and of times without one in the arguments of tools, such as Europe/Berlin"),
    known("JIRA_SSL_VERIFY", &[], "whether the certificate of the site is checked"),
    path("JIRA_CA_FILE", &["REQUESTS_CA_BUNDLE"], "a file of certificates (PEM) to trust besides those of the system"),
    path("JIRA_CLIENT_CERT", &[], "a file with the certificate of this client (PEM)"),
    path("JIRA_CLIENT_KEY", &[], "a file with its private key (PEM); by default, the file of the certificate"),
    secret("JIRA_CUSTOM_HEADERS", &[], "headers for each request: `Name=value,Name=value`"),
    secret("JIRA_HTTP_PROXY", &[], "the proxy for addresses of http"),
    secret("JIRA_HTTPS_PROXY", &[], "the proxy for addresses of https"),
    secret("JIRA_SOCKS_PROXY", &[], "the proxy for all addresses, of SOCKS"),
    known("JIRA_NO_PROXY", &[], "hosts that are reached without a proxy, with commas; `*` is all"),
    secret("HTTP_PROXY", &[], "as JIRA_HTTP_PROXY, for all programs"),
    secret("HTTPS_PROXY", &[], "as JIRA_HTTPS_PROXY, for all programs"),
    secret("SOCKS_PROXY", &[], "as JIRA_SOCKS_PROXY, for all programs"),
    secret("ALL_PROXY", &[], "the proxy for addresses without one of their own, for all programs"),
    known("NO_PROXY", &[], "as JIRA_NO_PROXY, for all programs"),
    known("JIRA_TIMEOUT", &[], "the time limit of a request, in seconds"),
    known("ATLASSIAN_CONNECT_TIMEOUT", &[], "the time limit of a connection, in milliseconds"),
    known("ATLASSIAN_READ_TIMEOUT", &[], "as JIRA_TIMEOUT, in milliseconds"),
    known("ATLASSIAN_RETRY_TOTAL", &[], "how often a request is sent again at most"),
    known("ATLASSIAN_RETRY_BACKOFF", &[], "the wait before the second attempt, in seconds"),
    known("ATLASSIAN_MAX_CONCURRENT_REQUESTS", &[], "the number of requests at once"),
    known("JIRA_MAX_DOWNLOAD_BYTES", &[], "the largest file that is read, in bytes"),
    known("JIRA_PRIVATE_DOWNLOADS", &[], "whether the site may redirect a download into a private network"),
    known("JIRA_DANGEROUS_PLAIN_HTTP", &[], "whether credentials may be sent without TLS to another machine"),
    known("ATLASSIAN_GATEWAY_URL", &[], "the address of the gateway of Cloud"),
    known("ATLASSIAN_AUTHORIZATION_URL", &[], "the address of the authorization server of Cloud"),
];

/// Returns all variables.
pub fn variables() -> &'static [Variable] {
    ALL
}

/// Finds a variable by one of its names, in capital letters. Also returns the place of the name: 0 for the name itself, then those of
/// the other names.
pub(super) fn find(name: &str) -> Option<(&'static Variable, usize)> {
    let exact = |name: &str| {
        ALL.iter().find_map(|it| {
            let mut names = [it.name].into_iter().chain(it.also.iter().copied());
            names.position(|known| known == name).map(|at| (it, at))
        })
    };
    exact(name).or_else(|| exact(name.strip_prefix("MCP_")?))
}

/// Returns whether a variable of an environment belongs to this server, or looks as if it should. Others are nobody's business.
pub fn is_ours(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let bare = name.strip_prefix("MCP_").unwrap_or(&name);
    let is_near = ["ATLASSIAN_", "CONFLUENCE_", "JIRA_"].iter().any(|it| bare.starts_with(it));
    is_near || find(&name).is_some() || super::no_effect::reason(&name).is_some()
}

/// Returns whether the value of a variable must not be shown. That of an unknown name is not shown either.
pub fn is_secret(name: &str) -> bool {
    find(&name.to_ascii_uppercase()).is_none_or(|(it, _)| it.is_secret)
}

/// Returns whether the value of a variable is the path of a file.
pub fn is_path(name: &str) -> bool {
    find(&name.to_ascii_uppercase()).is_some_and(|(it, _)| it.is_path)
}

/// Returns a sentence for people about a setting that can't be used. It names the variable.
pub(super) fn told(fault: &SettingFault) -> String {
    format!("{}: {}", of_field(fault.setting), fault.message)
}

/// Returns the variable that a field of `SiteSettings` comes from.
pub(crate) fn of_field(setting: &str) -> &'static str {
    match setting {
        "base" => "JIRA_URL",
        "ca_certificates" => "JIRA_CA_FILE",
        "client_certificate" => "JIRA_CLIENT_CERT",
        "cloud_id" => "JIRA_CLOUD_ID",
        "gateway" => "ATLASSIAN_GATEWAY_URL",
        "headers" => "JIRA_CUSTOM_HEADERS",
        "proxies" => "JIRA_HTTPS_PROXY",
        _ => "the settings",
    }
}

/// Returns the variable that a misspelt name probably means.
pub(super) fn meant(name: &str) -> Option<&'static str> {
    let all = ALL.iter().flat_map(|it| [it.name].into_iter().chain(it.also.iter().copied()));
    let close = all.map(|it| (strsim::jaro_winkler(it, name), it)).filter(|(score, _)| *score > MIN_CLOSE);
    close.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

/// How close a name has to be to another one to be taken for a slip: `JIRA_API_TOKN` is, `JIRA_HOME` is not.
const MIN_CLOSE: f64 = 0.93;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_variables_have_the_same_name() {
        let mut names: Vec<_> =
            ALL.iter().flat_map(|it| [it.name].into_iter().chain(it.also.iter().copied())).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(names.iter().all(|it| super::super::no_effect::reason(it).is_none()));
    }

    #[test]
    fn a_slip_is_told_from_the_variable_of_another_program() {
        for (name, expected) in [
            ("JIRA_API_TOKN", Some("JIRA_API_TOKEN")),
            ("JIRA_PERSONAL_TOKENS", Some("JIRA_PERSONAL_TOKEN")),
            ("JIRA_PROJECT_FILTER", Some("JIRA_PROJECTS_FILTER")),
            ("JIRA_HOME", None),
            ("ATLASSIAN_X", None),
        ] {
            assert_eq!(meant(name), expected, "{name}");
        }
    }
}
