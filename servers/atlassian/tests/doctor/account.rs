//! The user of the site.

use plainwire_atlassian::doctor::Outcome;
use plainwire_atlassian::rest::{Credentials, Deployment, Secret};

use crate::support::{Reply, SECRET, Stub, check, checks, json, only_failure, permissions};

const CLOUD: Deployment = Deployment::Cloud;
const DC: Deployment = Deployment::DataCenter;

#[tokio::test]
async fn a_token_that_is_refused_is_told_with_what_to_do() {
    let stub = Stub::new(DC, |it| it.target.ends_with("/myself").then(|| json(401, "{}")));
    let checks = checks(&stub.settings(DC, "")).await;
    let (_, advice) = only_failure(&checks, "login");
    assert_eq!(advice, "check whether the token has expired or was revoked");
    assert!(check(&checks, "search").found.contains("\"login\" failed"));
}

#[tokio::test]
async fn a_token_with_scopes_at_the_sites_own_address_is_found_behind_the_gateway() {
    for status in [200, 403] {
        let stub = Stub::new(CLOUD, move |it| match it.target.starts_with("/gateway/ex/jira/1-a/") {
            true => Some(json(status, "{}")),
            false => it.target.ends_with("/myself").then(|| json(401, "{}")),
        });
        let (_, advice) = only_failure(&checks(&stub.settings(CLOUD, "")).await, "login");
        assert_eq!(advice, "the token has scopes, and works through the gateway only: set JIRA_CLOUD_ID=1-a");
    }
    let stub = Stub::new(CLOUD, |it| it.target.ends_with("/myself").then(|| json(401, "{}")));
    let (_, advice) = only_failure(&checks(&stub.settings(CLOUD, "")).await, "login");
    assert!(advice.contains("check the e-mail address and the API token"), "{advice}");
}

#[tokio::test]
async fn a_password_of_data_center_never_goes_to_the_gateway() {
    let stub = Stub::new(DC, |it| it.target.ends_with("/myself").then(|| json(401, "{}")));
    let mut settings = stub.settings(DC, "");
    settings.credentials = Credentials::Basic { user: "ada".to_owned(), secret: Secret::new(SECRET) };
    only_failure(&checks(&settings).await, "login");
    assert!(stub.seen().iter().all(|it| !it.target.starts_with("/gateway")));
}

#[tokio::test]
async fn a_site_behind_the_gateway_is_asked_there_as_the_user_and_at_its_own_address_as_nobody() {
    let stub = Stub::new(CLOUD, |_| None);
    let mut settings = stub.settings(CLOUD, "");
    settings.cloud_id = Some("1-a".to_owned());
    let checks = checks(&settings).await;
    assert!(checks.iter().all(|it| it.outcome != Outcome::Failed), "{checks:#?}");
    assert!(
        stub.seen()
            .iter()
            .all(|it| it.target.starts_with("/gateway/ex/jira/1-a/") == it.authorization.is_some()),
        "{:?}",
        stub.seen()
    );
}

#[tokio::test]
async fn an_own_address_without_tls_is_told_though_requests_go_to_the_gateway() {
    let stub = Stub::new(CLOUD, |_| None);
    let mut settings = stub.settings(CLOUD, "");
    settings.cloud_id = Some("1-a".to_owned());
    settings.base = "http://site.example".parse().expect("a URL");
    let (found, advice) = only_failure(&checks(&settings).await, "connection");
    assert!(
        found.contains("expected an address of https") && advice.contains("JIRA_URL"),
        "{found} {advice}"
    );
}

#[tokio::test]
async fn credentials_that_do_not_fit_cloud_are_told() {
    let stub = Stub::new(CLOUD, |_| None);
    let mut settings = stub.settings(CLOUD, "");
    settings.credentials = Credentials::Basic { user: "ada".to_owned(), secret: Secret::new(SECRET) };
    assert!(only_failure(&checks(&settings).await, "credentials").1.contains("e-mail address"));
    settings.credentials = Credentials::Bearer(Secret::new(SECRET));
    assert!(only_failure(&checks(&settings).await, "credentials").1.contains("JIRA_CLOUD_ID=auto"));
}

#[tokio::test]
async fn a_captcha_is_told() {
    let stub = Stub::new(DC, |it| {
        let header = "x-seraph-loginreason: AUTHENTICATION_DENIED\r\n";
        it.target.ends_with("/myself").then(|| Reply(401, header.to_owned(), String::new()))
    });
    let (found, advice) = only_failure(&checks(&stub.settings(DC, "")).await, "login");
    assert!(found.contains("CAPTCHA") && advice.contains("sign in to"), "{found} {advice}");
}

#[tokio::test]
async fn a_site_that_ignores_the_credentials_is_told() {
    let stub = Stub::new(DC, |it| {
        it.target
            .ends_with("/myself")
            .then(|| Reply(200, "x-ausername: anonymous\r\n".to_owned(), "{}".to_owned()))
    });
    let (found, _) = only_failure(&checks(&stub.settings(DC, "")).await, "login");
    assert!(found.contains("ignored the credentials"), "{found}");
}

#[tokio::test]
async fn without_credentials_there_is_no_login() {
    let stub = Stub::new(DC, |it| {
        it.target.contains("/mypermissions").then(|| json(200, &permissions(&["BROWSE_PROJECTS"])))
    });
    let mut settings = stub.settings(DC, "");
    settings.credentials = Credentials::None;
    let checks = checks(&settings).await;
    assert_eq!(check(&checks, "login").outcome, Outcome::Skipped);
    assert!(
        check(&checks, "credentials").advice.as_deref().is_some_and(|it| it.contains("JIRA_PERSONAL_TOKEN"))
    );
}

#[tokio::test]
async fn missing_permissions_are_told() {
    let with = |all: &'static [&'static str]| {
        Stub::new(DC, move |it| it.target.contains("/mypermissions").then(|| json(200, &permissions(all))))
    };
    let stub = with(&["CREATE_ISSUES"]);
    let (found, advice) = only_failure(&checks(&stub.settings(DC, "")).await, "permissions");
    assert!(found.contains("may not read issues") && advice.contains("BROWSE_PROJECTS"), "{found}");
    let stub = with(&["BROWSE_PROJECTS", "ADD_COMMENTS"]);
    let checks = checks(&stub.settings(DC, "")).await;
    let check = check(&checks, "permissions");
    assert!(
        check.outcome == Outcome::Passed
            && check
                .found
                .starts_with("in some project, this user may read issues, comment; in none: create issues"),
        "{check:?}"
    );
    assert!(check.advice.as_deref().is_some_and(|it| it.contains("READ_ONLY_MODE")));
}
