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

const APP: (&str, &str) = ("ATLASSIAN_OAUTH_CLIENT_ID", "app");
const APP_SECRET: (&str, &str) = ("ATLASSIAN_OAUTH_CLIENT_SECRET", SECRET);

#[test]
fn an_app_with_its_secret_signs_in_before_an_api_token_and_after_a_personal_one() {
    let signs_in =
        |values: &[(&str, &str)]| read(values).unwrap_or_else(|it| panic!("{it}")).sign_in.is_some();
    assert!(signs_in(&[ON_CLOUD, USER, API, APP, APP_SECRET]));
    assert!(signs_in(&[IN_DATA_CENTER, USER, API, APP, APP_SECRET]));
    assert!(!signs_in(&[IN_DATA_CENTER, PERSONAL, APP, APP_SECRET]));
    assert!(!signs_in(&[ON_CLOUD, OAUTH, APP, APP_SECRET]), "a token of another program comes first");
    assert!(!signs_in(&[ON_CLOUD, USER, API, APP]), "an id alone is often left over");
    assert!(signs_in(&[ON_CLOUD, USER, API, ("JIRA_AUTH_TYPE", "oauth")]), "the tokens are in the store");
    for (half, other) in [(APP, "SECRET"), (APP_SECRET, "ID")] {
        let warnings = good(&[ON_CLOUD, USER, API, half], &[]).warnings;
        assert!(
            warnings[0].ends_with(&format!("because JIRA_OAUTH_CLIENT_{other} is not set")),
            "{warnings:?}"
        );
    }
    let warnings = good(&[ON_CLOUD, USER, API, APP, APP_SECRET], &[]).warnings;
    assert_eq!(warnings, ["JIRA_API_TOKEN has no effect here, because JIRA_OAUTH_CLIENT_SECRET is used"]);
}

#[test]
fn a_sign_in_knows_where_and_for_what() {
    let config = good(&[ON_CLOUD, APP, APP_SECRET], &[]);
    let it = config.sign_in.expect("a sign-in");
    assert!(config.finds_cloud_id && it.client_secret.is_some());
    assert_eq!(it.client_id.as_deref(), Some("app"));
    assert_eq!(it.authorization.as_str(), "https://auth.atlassian.com/authorize");
    assert_eq!(it.token.as_str(), "https://auth.atlassian.com/oauth/token");
    assert_eq!(it.redirect_uri, "http://localhost:8080/callback");
    assert_eq!(
        (it.scopes.join(" "), it.offered.join(" ")),
        ("read:jira-work read:jira-user write:jira-work".to_owned(), "offline_access".to_owned())
    );
    let parameters: Vec<_> = it.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(parameters, ["audience=api.atlassian.com", "prompt=consent"]);
    let more = [
        ("ATLASSIAN_OAUTH_SCOPE", "read:me, offline_access  write:jira-work"),
        ("JIRA_OAUTH_REDIRECT_URI", "http://localhost:9/x"),
        ("ATLASSIAN_AUTHORIZATION_URL", "http://127.0.0.1:9"),
        ("ATLASSIAN_OAUTH_CLOUD_ID", "1-a"),
        ("JIRA_OAUTH_CLIENT_ID", "own"),
    ];
    let config = good(&[ON_CLOUD, APP, APP_SECRET], &more);
    assert_eq!((config.finds_cloud_id, config.jira.cloud_id.as_deref()), (false, Some("1-a")));
    let it = config.sign_in.expect("a sign-in");
    assert_eq!((it.client_id.as_deref(), it.redirect_uri.as_str()), (Some("own"), "http://localhost:9/x"));
    assert_eq!(
        (it.scopes.join(" ").as_str(), it.token.as_str()),
        ("read:me write:jira-work", "http://127.0.0.1:9/oauth/token")
    );
}

#[test]
fn a_sign_in_in_data_center_is_at_the_site() {
    let site = ("JIRA_URL", "https://example.com/jira");
    let config = good(&[site, APP, APP_SECRET], &[]);
    let it = config.sign_in.expect("a sign-in");
    assert!(!config.finds_cloud_id && it.parameters.is_empty() && it.offered.is_empty());
    assert_eq!(it.authorization.as_str(), "https://example.com/jira/rest/oauth2/latest/authorize");
    assert_eq!(
        (it.token.as_str(), it.scopes.join(" ").as_str()),
        ("https://example.com/jira/rest/oauth2/latest/token", "WRITE")
    );
    let it =
        good(&[site, APP, APP_SECRET], &[("ATLASSIAN_OAUTH_INSTANCE_URL", "https://inside.example.com")])
            .sign_in;
    assert_eq!(it.expect("a sign-in").token.as_str(), "https://inside.example.com/rest/oauth2/latest/token");
    let warnings =
        good(&[ON_CLOUD, APP, APP_SECRET], &[("ATLASSIAN_OAUTH_INSTANCE_URL", "https://x.example")]).warnings;
    assert!(warnings[0].starts_with("ATLASSIAN_OAUTH_INSTANCE_URL has no effect here"), "{warnings:?}");
    let problems = with(&[("JIRA_URL", "http://jira.example.com"), APP, APP_SECRET], &[])
        .expect_err("no TLS")
        .to_string();
    assert!(problems.contains("expected an address of https"), "{problems}");
}

#[test]
fn a_secret_may_be_in_the_keychain() {
    use crate::support::{from, of};
    use plainwire_atlassian::rest::Secret;
    use plainwire_atlassian::settings::{Layers, Source};
    let layers = of(Source::File, &[ON_CLOUD, USER, ("JIRA_API_TOKEN", "keychain:work/jira")]);
    assert_eq!(layers.keychain_names().into_iter().collect::<Vec<_>>(), ["work/jira"]);
    let problems = from(&layers).expect_err("not there").to_string();
    assert_eq!(
        problems,
        "JIRA_API_TOKEN (in the file): expected a secret in the keychain by the name \"work/jira\", but found none"
    );
    let shown = |layers: &Layers| {
        layers.shown().into_iter().find(|it| it.name == "JIRA_API_TOKEN").map(|it| it.value)
    };
    let layers = layers.with_keychain([("work/jira".to_owned(), Secret::new(SECRET))]);
    let config = from(&layers).expect("settings");
    assert_eq!(seen(&config).lines().nth(1), Some(&*format!("Basic ada {SECRET}")));
    assert_eq!(shown(&layers).as_deref(), Some("set: work/jira of the keychain"));
    // Values above it hide it, and only secrets can be there.
    let layers = layers.with(Source::Environment, [("JIRA_API_TOKEN".to_owned(), "other".to_owned())]);
    assert!(layers.keychain_names().is_empty() && shown(&layers).as_deref() == Some("set"));
    assert!(of(Source::File, &[("JIRA_USERNAME", "keychain:x")]).keychain_names().is_empty());
}
