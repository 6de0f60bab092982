//! Each kind of error: which answers mean it, what is said about it, and what a model gets.

use plainwire::ToolError;
use plainwire_atlassian::rest::{Credentials, Kind, Request, Secret, Site};
use serde_json::Value;

use crate::support::{SECRET, Stub, create, cut, expect, failed, get, html, json, reply, settings, site};

#[tokio::test]
async fn a_status_has_its_kind_and_only_passing_ones_are_tried_again() {
    for (status, kind, count) in [
        (400, Kind::Invalid, 1),
        (401, Kind::Unauthorized, 1),
        (403, Kind::Forbidden, 1),
        (404, Kind::NotFound, 1),
        (405, Kind::Invalid, 1),
        (407, Kind::Network, 1),
        (408, Kind::Timeout, 1),
        (409, Kind::Conflict, 1),
        (410, Kind::Gone, 1),
        (412, Kind::Conflict, 1),
        (413, Kind::TooLarge, 1),
        (422, Kind::Invalid, 1),
        (423, Kind::Conflict, 1),
        (429, Kind::RateLimited, 4),
        (500, Kind::Server, 1),
        (502, Kind::Server, 4),
        (503, Kind::Server, 4),
        (504, Kind::Server, 4),
        (555, Kind::Server, 1),
    ] {
        let error = expect(get(), json(status, "{}"), kind, count).await;
        assert_eq!(error.status(), Some(status));
        assert!(error.hint().is_some(), "{status}");
        assert_eq!(error.path(), "/jira/rest/api/2/issue/ABC-1");
    }
}

#[tokio::test]
async fn the_reasons_of_fields_are_told_word_for_word() {
    let body = r#"{"errorMessages":["Bad."],
        "errors":{"customfield_10010":"Specify a valid value","summary":"Required"}}"#;
    let error = expect(create(), json(400, body), Kind::Invalid, 1).await;
    assert_eq!(error.messages(), ["Bad."]);
    assert_eq!(error.fields()["customfield_10010"], "Specify a valid value");
    let said = "the site refused the request (POST /jira/rest/api/2/issue, status 400): Bad.: \
                `customfield_10010`: Specify a valid value; `summary`: Required";
    assert_eq!(error.message(), said);
}

#[tokio::test]
async fn a_model_gets_a_code_a_hint_and_details() {
    let answer = reply(
        404,
        "content-type: application/json\r\nx-arequestid: 1x2x3\r\n",
        r#"{"errorMessages":["Issue Does Not Exist"]}"#,
    );
    let error = expect(get().query("jql", "private words"), answer, Kind::NotFound, 1).await;
    assert_eq!(error.request_id(), Some("1x2x3"));
    let told = ToolError::from(error);
    assert_eq!(told.code(), "not_found");
    let debug = format!("{told:?}");
    for part in ["check the key or the id", r#""requestId":"1x2x3""#, r#""status":404"#, "retryable: false"] {
        assert!(debug.contains(part), "{part} in {debug}");
    }
    assert!(!debug.contains("private"), "{debug}");
}

#[tokio::test]
async fn a_login_page_is_no_answer() {
    let error = expect(get(), html(200), Kind::Html, 1).await;
    assert!(error.hint().is_some_and(|it| it.contains("context path")), "{:?}", error.hint());
    // A page that is called JSON is still one.
    let disguised = reply(200, "content-type: application/json\r\n", "<html><body>SSO</body></html>");
    expect(get(), disguised, Kind::Html, 1).await;
    expect(create(), html(200), Kind::Html, 1).await;
}

#[tokio::test]
async fn a_page_with_404_hints_at_the_context_path() {
    let error = expect(get(), html(404), Kind::NotFound, 1).await;
    let hint = error.hint().expect("a hint");
    assert!(hint.contains("/jira`") && hint.contains("127.0.0.1"), "{hint}");
    assert!(!error.message().contains("<title>"), "{}", error.message());
}

#[tokio::test]
async fn a_locked_login_asks_for_a_browser_and_a_wrong_password_does_not() {
    for (header, kind) in [
        ("x-seraph-loginreason: AUTHENTICATION_DENIED\r\n", Kind::Captcha),
        (
            "x-authentication-denied-reason: CAPTCHA_CHALLENGE; login-url=https://x/login.jsp\r\n",
            Kind::Captcha,
        ),
        ("x-seraph-loginreason: AUTHENTICATED_FAILED\r\n", Kind::Unauthorized),
        ("x-seraph-loginreason: OK\r\n", Kind::Unauthorized),
    ] {
        expect(get(), reply(401, header, ""), kind, 1).await;
    }
    let error =
        expect(get(), reply(403, "x-seraph-loginreason: AUTHENTICATION_DENIED\r\n", ""), Kind::Captcha, 1)
            .await;
    assert!(error.hint().is_some_and(|it| it.contains("browser")), "{:?}", error.hint());
    expect(get(), reply(404, "x-seraph-loginreason: AUTHENTICATION_DENIED\r\n", ""), Kind::NotFound, 1).await;
}

#[tokio::test]
async fn an_answer_to_nobody_means_that_the_credentials_were_ignored() {
    let headers = "content-type: application/json\r\nX-AUSERNAME: anonymous\r\n";
    for status in [200, 403, 404] {
        let error = expect(get(), reply(status, headers, "{}"), Kind::Unauthorized, 1).await;
        assert!(error.message().contains("ignored the credentials"), "{}", error.message());
    }
    // A login that failed says so itself.
    let captcha = format!("{headers}x-seraph-loginreason: AUTHENTICATION_DENIED\r\n");
    expect(get(), reply(403, &captcha, "{}"), Kind::Captcha, 1).await;
    let error = expect(get(), reply(401, headers, "{}"), Kind::Unauthorized, 1).await;
    assert!(error.message().contains("does not accept the credentials"), "{}", error.message());
    let stub = Stub::script([reply(200, headers, r#"{"a":1}"#)]);
    let mut anonymous = settings(&stub);
    anonymous.credentials = Credentials::None;
    let value: Value = Site::new(anonymous).expect("a site").json(get()).await.expect("an answer");
    assert_eq!(value["a"], 1);
}

#[tokio::test]
async fn a_token_with_scopes_needs_the_cloud_id() {
    let stub = Stub::script(vec![json(401, ""); 5]);
    let mut cloud = settings(&stub);
    cloud.deployment = Some(plainwire_atlassian::rest::Deployment::Cloud);
    let error = Site::new(cloud.clone()).expect("a site").send(get()).await.expect_err("401");
    assert!(error.hint().is_some_and(|it| it.contains("cloud id")), "{:?}", error.hint());
    cloud.credentials = Credentials::Bearer(Secret::new(SECRET));
    let error = Site::new(cloud.clone()).expect("a site").send(get()).await.expect_err("401");
    assert!(error.hint().is_some_and(|it| it.contains("configure the cloud id")), "{:?}", error.hint());
    (cloud.cloud_id, cloud.gateway) = (Some("11-22".to_owned()), stub.url("/"));
    let error = Site::new(cloud).expect("a site").send(get()).await.expect_err("401");
    assert!(error.hint().is_some_and(|it| it.contains("scopes")), "{:?}", error.hint());
    assert_eq!(stub.seen()[2].target, "/ex/jira/11-22/rest/api/2/issue/ABC-1");
}

#[tokio::test]
async fn a_message_never_repeats_a_secret_that_the_site_echoes() {
    let pair = "YWRhOnRvay1zM2NyM3QtOTI3MQ==";
    let body = format!(
        r#"{{"errorMessages":["bad {SECRET}","bad Basic {pair}"],"errors":{{"{SECRET}":"{pair}"}}}}"#
    );
    let error = expect(get(), json(400, &body), Kind::Invalid, 1).await;
    let shown = format!("{} {error:?} {:?}", error.message(), ToolError::from(error.clone()));
    assert!(!shown.contains(SECRET) && !shown.contains(pair) && shown.contains("[secret]"), "{shown}");
}

#[tokio::test]
async fn an_answer_of_another_shape_is_unreadable() {
    for body in ["[1]", "null", "\"a\"", "{\"a\":}", "nonsense", "{\"a\":1} x"] {
        let stub = Stub::script([json(200, body)]);
        let outcome = site(&stub).json::<std::collections::BTreeMap<String, u8>>(get()).await;
        assert_eq!(outcome.expect_err("an error").kind(), Kind::Unreadable, "{body}");
    }
}

#[tokio::test]
async fn an_answer_of_a_success_without_a_body_reads_as_null() {
    let stub = Stub::script([reply(204, "", ""), json(200, "")]);
    let site = site(&stub);
    site.json::<()>(Request::put(["a"])).await.expect("204");
    assert_eq!(site.json::<Option<u8>>(get()).await.expect("200"), None);
}

#[tokio::test]
async fn json_that_ends_early_is_cut_and_a_change_with_it_has_an_unknown_outcome() {
    expect(get(), json(200, "{\"a\":"), Kind::Cut, 1).await;
    expect(create(), json(201, "{\"id\":\"1"), Kind::OutcomeUnknown, 1).await;
    let (error, count) = failed(create(), [cut(201)]).await;
    assert_eq!((error.kind(), error.status(), count), (Kind::OutcomeUnknown, Some(201), 1));
    assert!(!error.is_retryable() && error.hint().is_some_and(|it| it.starts_with("read whether")));
}

#[tokio::test]
async fn a_large_error_is_read_in_part() {
    let stub = Stub::script([reply(500, "content-type: text/plain\r\n", &"x".repeat(5 << 20))]);
    let error = site(&stub).send(get()).await.expect_err("500");
    assert_eq!((error.kind(), error.messages()[0].chars().count()), (Kind::Server, 501));
}
