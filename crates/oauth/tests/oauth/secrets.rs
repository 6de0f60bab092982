//! Secrets that do not appear in errors, logs and debug output.

use plainwire::serde_json::json;
use plainwire_oauth::{Authorize, MemoryStore, OAuth, Outgoing};

use crate::plain_http::Response;
use crate::support::{REDIRECT, Setup, browse};

#[tokio::test]
async fn nothing_that_is_shown_has_a_secret_in_it() {
    let (setup, store) = (Setup::new(), MemoryStore::default());
    let oauth = setup
        .oauth()
        .store(store.clone())
        .client_id("mine")
        .client_secret("s3cret")
        .build()
        .expect("a client");
    setup.call(&oauth).await.expect("an answer");
    let (server, method) = (setup.server(), "POST".parse().expect("a method"));
    let request = Outgoing { server: &server, url: &server, method: &method };
    let headers = oauth.headers(request).await.expect("headers");
    let token =
        headers["authorization"].to_str().expect("text").strip_prefix("Bearer ").expect("a token").to_owned();
    let shown = format!("{oauth:?} {oauth:#?} {store:?} {headers:?} {request:?}");
    assert!(token.starts_with("access-"));
    for secret in ["s3cret", &token, "access-", "refresh-"] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}

#[tokio::test]
async fn errors_do_not_repeat_what_was_sent() {
    let setup = Setup::new();
    let oauth = setup.oauth().client_id("mine").client_secret("s3cret").build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    let mut echo = "s3cret".to_owned();
    for _ in 0..2 {
        setup.revoke_access();
        let refusal = json!({"error": "invalid_request", "error_description": format!("what is {echo}?")});
        setup.fake().first.refuses = Some(Response::json(400, &refusal));
        let shown = Setup::refusal(setup.call(&oauth).await);
        assert!(shown.contains("refused the token request") && !shown.contains(&echo), "{shown}");
        echo = setup.fake().first.token_requests.last().expect("a refresh").0["refresh_token"].clone();
    }
}

#[tokio::test]
async fn an_answer_that_is_no_token_is_not_shown() {
    let setup = Setup::new();
    for body in ["access_token=leaked&token_type=bearer", "{\"access_token\": \"leaked\"}", "leaked"] {
        setup.fake().first.refuses = Some(Response::new(200).body(body));
        let shown = Setup::refusal(setup.call(&setup.oauth().build().expect("a client")).await);
        assert!(shown.starts_with("expected a token from") && !shown.contains("leaked"), "{shown}");
    }
    setup.fake().first.refuses = None;
    setup.fake().first.token_with = Some(json!({"access_token": "le\naked"}));
    let shown = Setup::refusal(setup.call(&setup.oauth().build().expect("a client")).await);
    assert!(shown.starts_with("expected a token that fits a header") && !shown.contains("aked"), "{shown}");
}

#[tokio::test]
async fn a_redirect_that_is_refused_does_not_show_its_code() {
    let setup = Setup::new();
    let wrong = |url| async move {
        let mut back = browse(&url);
        back.set_path("/elsewhere");
        Ok(back)
    };
    let oauth = OAuth::builder("x").redirect(REDIRECT, wrong).build().expect("a client");
    let shown = Setup::refusal(setup.call(&oauth).await);
    assert!(shown.contains("another URL") && !shown.contains("code-"), "{shown}");
}
