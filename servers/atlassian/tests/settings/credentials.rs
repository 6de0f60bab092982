//! Credentials: which of several are used, and what is missing.

use crate::support::{CLOUD, DATA_CENTER, SECRET, good, read, seen, with};

#[track_caller]
fn uses(values: &[(&str, &str)], expected: &str) {
    let config = read(values).unwrap_or_else(|it| panic!("{it}"));
    assert_eq!(seen(&config).lines().nth(1), Some(expected), "{values:?}");
}

#[track_caller]
fn lacks(values: &[(&str, &str)], expected: &str) {
    let problems = read(values).expect_err("a problem").to_string();
    assert!(problems.contains(expected) && problems.lines().count() == 1, "{problems}");
}

const ON_CLOUD: (&str, &str) = ("JIRA_URL", "https://example.atlassian.net");
const IN_DATA_CENTER: (&str, &str) = ("JIRA_URL", "https://jira.example.com");
const USER: (&str, &str) = ("JIRA_USERNAME", "ada");
const API: (&str, &str) = ("JIRA_API_TOKEN", "api");
const PERSONAL: (&str, &str) = ("JIRA_PERSONAL_TOKEN", "personal");
const OAUTH: (&str, &str) = ("JIRA_OAUTH_ACCESS_TOKEN", "oauth");
const EITHER: (&str, &str) = ("ATLASSIAN_TOKEN", "either");

#[test]
fn the_credentials_that_fit_the_deployment_are_used() {
    uses(&[ON_CLOUD, USER, API], "Basic ada api");
    uses(&[ON_CLOUD, USER, API, OAUTH], "Bearer oauth");
    uses(&[ON_CLOUD, USER, API, PERSONAL], "Basic ada api");
    uses(&[ON_CLOUD, USER, EITHER], "Basic ada either");
    uses(&[IN_DATA_CENTER, USER, API], "Basic ada api");
    uses(&[IN_DATA_CENTER, USER, API, PERSONAL, OAUTH], "Bearer personal");
    uses(&[IN_DATA_CENTER, USER, API, OAUTH], "Bearer oauth");
    uses(&[IN_DATA_CENTER, USER, EITHER], "Bearer either");
    uses(&[IN_DATA_CENTER, USER, EITHER, ("ATLASSIAN_AUTH_TYPE", "basic")], "Basic ada either");
    uses(&[IN_DATA_CENTER, USER, API, PERSONAL, ("JIRA_AUTH_TYPE", "API_TOKEN")], "Basic ada api");
    uses(&[IN_DATA_CENTER, PERSONAL, ("JIRA_AUTH_TYPE", "none")], "None");
    uses(&[IN_DATA_CENTER, ("JIRA_CUSTOM_HEADERS", "Cookie=session")], "None");
    uses(&[IN_DATA_CENTER, ("JIRA_CLIENT_CERT", "both.pem")], "None");
}

#[test]
fn what_is_missing_is_named() {
    lacks(
        &[ON_CLOUD, API],
        "JIRA_USERNAME: expected the e-mail address of the account that JIRA_API_TOKEN belongs to",
    );
    lacks(&[IN_DATA_CENTER, API], "JIRA_USERNAME: expected the name of the user");
    lacks(&[ON_CLOUD], "JIRA_API_TOKEN: expected an API token, with its e-mail address");
    lacks(&[IN_DATA_CENTER, USER], "JIRA_PERSONAL_TOKEN: expected a personal access token, or");
    lacks(&[ON_CLOUD, PERSONAL], "JIRA_PERSONAL_TOKEN (in the environment): expected none on Cloud");
    lacks(
        &[ON_CLOUD, USER, API, ("JIRA_AUTH_TYPE", "oauth")],
        "JIRA_OAUTH_ACCESS_TOKEN: expected an access token",
    );
    lacks(
        &[ON_CLOUD, USER, ("JIRA_AUTH_TYPE", "basic")],
        "JIRA_API_TOKEN: expected an API token or a password",
    );
    lacks(
        &[IN_DATA_CENTER, USER, ("JIRA_AUTH_TYPE", "pat")],
        "JIRA_PERSONAL_TOKEN: expected a personal access token",
    );
}

#[test]
fn credentials_that_are_not_used_are_told() {
    let warnings = good(DATA_CENTER, &[API, USER]).warnings;
    assert_eq!(warnings, ["JIRA_API_TOKEN has no effect here, because JIRA_PERSONAL_TOKEN is used"]);
    let warnings = good(CLOUD, &[PERSONAL]).warnings;
    assert_eq!(warnings, ["JIRA_PERSONAL_TOKEN has no effect here, because JIRA_API_TOKEN is used"]);
    assert!(good(CLOUD, &[]).warnings.is_empty() && good(DATA_CENTER, &[]).warnings.is_empty());
}

#[test]
fn tokens_that_need_the_gateway_get_the_cloud_id() {
    let config = good(CLOUD, &[("JIRA_CLOUD_ID", "1-a")]);
    assert_eq!((config.jira.cloud_id.as_deref(), config.finds_cloud_id), (Some("1-a"), false));
    let config = good(CLOUD, &[("ATLASSIAN_CLOUD_ID", "auto")]);
    assert_eq!((config.jira.cloud_id.as_deref(), config.finds_cloud_id), (None, true));
    assert!(good(&[ON_CLOUD, OAUTH], &[]).finds_cloud_id, "an access token needs it");
    assert!(!good(&[IN_DATA_CENTER, OAUTH], &[]).finds_cloud_id);
    let config = good(&[ON_CLOUD, OAUTH], &[("ATLASSIAN_OAUTH_CLOUD_ID", "1-a")]);
    assert_eq!((config.jira.cloud_id.as_deref(), config.finds_cloud_id), (Some("1-a"), false));
    // It is for access tokens only, and is often left over.
    let config = good(CLOUD, &[("ATLASSIAN_OAUTH_CLOUD_ID", "1-a")]);
    assert!(
        config.jira.cloud_id.is_none() && config.warnings[0].contains("set JIRA_CLOUD_ID"),
        "{:?}",
        config.warnings
    );
    // A site with a domain of its own is on Cloud if it has such an id.
    let own = [("JIRA_URL", "https://jira.example.com"), USER, ("JIRA_API_TOKEN", SECRET)];
    assert_eq!(good(&own, &[("JIRA_CLOUD_ID", "1-a")]).jira.cloud_id.as_deref(), Some("1-a"));
    let problems =
        with(&own, &[("JIRA_CLOUD_ID", "1-a"), ("JIRA_DEPLOYMENT", "dc")]).expect_err("both").to_string();
    assert!(problems.contains("expected none for a site in Data Center"), "{problems}");
    let problems = with(CLOUD, &[("JIRA_CLOUD_ID", "a/b")]).expect_err("no id").to_string();
    assert!(
        problems.starts_with("JIRA_CLOUD_ID (in the environment): expected the id of a site"),
        "{problems}"
    );
}
