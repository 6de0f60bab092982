//! What answers at the address.

use plainwire_atlassian::doctor::Outcome;
use plainwire_atlassian::rest::Deployment;

use crate::support::{Reply, Stub, check, checks, json, only_failure, page};

const DC: Deployment = Deployment::DataCenter;

#[tokio::test]
async fn a_login_page_is_told_from_jira() {
    let stub = Stub::new(DC, |_| Some(page()));
    let (found, advice) = only_failure(&checks(&stub.settings(DC, "")).await, "product");
    assert!(found.contains("a page for a browser") && advice.contains("single sign-on"), "{found} {advice}");
}

#[tokio::test]
async fn a_missing_context_path_is_found_as_nobody() {
    let stub = Stub::new(DC, |it| {
        (!it.target.starts_with("/jira/"))
            .then(|| Reply(404, "content-type: text/html\r\n".to_owned(), "<html>".to_owned()))
    });
    let checks = checks(&stub.settings(DC, "")).await;
    let (_, advice) = only_failure(&checks, "product");
    assert_eq!(
        advice,
        format!("Jira answers at another path of this host: set JIRA_URL=http://{}/jira", stub.address)
    );
    let elsewhere = stub.seen().into_iter().filter(|it| it.target.starts_with("/jira/"));
    assert!(elsewhere.clone().count() == 1 && elsewhere.into_iter().all(|it| it.authorization.is_none()));
}

#[tokio::test]
async fn a_context_path_that_is_too_much_is_found() {
    let stub = Stub::new(DC, |it| (!it.target.starts_with("/rest/")).then(|| json(404, "{}")));
    let (_, advice) = only_failure(&checks(&stub.settings(DC, "/tracker")).await, "product");
    assert!(advice.ends_with(&format!("JIRA_URL=http://{}", stub.address)), "{advice}");
}

#[tokio::test]
async fn a_redirect_says_where_to() {
    let stub = Stub::new(DC, |_| {
        Some(Reply(301, "location: https://jira.example.com/x?token=1\r\n".to_owned(), String::new()))
    });
    let (found, advice) = only_failure(&checks(&stub.settings(DC, "")).await, "product");
    assert!(found.contains("to https://jira.example.com/x") && !found.contains("token=1"), "{found}");
    assert!(advice.contains("configure it in place of"), "{advice}");
}

#[tokio::test]
async fn json_of_another_program_is_told_from_jira() {
    let stub = Stub::new(DC, |_| Some(json(200, "{\"hello\":1}")));
    let (found, advice) = only_failure(&checks(&stub.settings(DC, "")).await, "product");
    assert!(
        found.contains("not the expected one") && advice.contains("address of the product"),
        "{found} {advice}"
    );
}

#[tokio::test]
async fn a_site_that_tells_only_users_about_itself_is_asked_as_one() {
    let stub = Stub::new(DC, |it| it.authorization.is_none().then(page));
    let checks = checks(&stub.settings(DC, "")).await;
    assert_eq!(check(&checks, "product").outcome, Outcome::Passed, "{checks:#?}");
}

#[tokio::test]
async fn another_deployment_than_the_configured_one_is_told_once() {
    for (real, configured, value) in
        [(Deployment::Cloud, DC, "cloud"), (DC, Deployment::Cloud, "data_center, and no cloud id")]
    {
        let stub = Stub::new(real, |_| None);
        let mut settings = stub.settings(configured, "");
        settings.credentials = stub.settings(real, "").credentials;
        let (found, advice) = only_failure(&checks(&settings).await, "deployment");
        assert!(
            found.starts_with("expected ") && advice == format!("set JIRA_DEPLOYMENT={value}"),
            "{found} {advice}"
        );
    }
}

#[tokio::test]
async fn a_site_that_calls_itself_otherwise_is_told() {
    let stub = Stub::new(DC, |it| {
        let body = r#"{"version":"9\u001b","baseUrl":"https://jira.example.com"}"#;
        it.target.ends_with("serverInfo").then(|| json(200, body))
    });
    let checks = checks(&stub.settings(DC, "")).await;
    assert_eq!(
        check(&checks, "product").found,
        "Jira 9\\u{1b} answers; it calls itself https://jira.example.com"
    );
}

#[tokio::test]
async fn products_that_are_not_there_are_no_failures() {
    for (status, expected) in [(404, "is not there"), (403, "may not use")] {
        let stub = Stub::new(DC, move |it| {
            (it.target.contains("/agile/") || it.target.contains("/servicedeskapi/"))
                .then(|| json(status, "{}"))
        });
        let checks = checks(&stub.settings(DC, "")).await;
        for name in ["boards", "service desk"] {
            let check = check(&checks, name);
            assert!(check.outcome == Outcome::Skipped && check.found.contains(expected), "{check:?}");
        }
    }
    for (part, name) in [("/agile/", "boards"), ("/servicedeskapi/", "service desk"), ("/search", "search")] {
        let stub = Stub::new(DC, move |it| it.target.contains(part).then(|| json(500, "{}")));
        assert!(!only_failure(&checks(&stub.settings(DC, "")).await, name).1.is_empty());
    }
}
