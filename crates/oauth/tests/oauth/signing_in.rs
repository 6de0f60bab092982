//! Logins: the way of the user's browser to the authorization server and back.

use std::time::Duration;

use http::{HeaderMap, Method, StatusCode};
use plainwire::Error;
use plainwire::serde_json::json;
use plainwire_oauth::{AuthFault, Authorize, OAuth, Outgoing, Refused, Url};

use crate::plain_http::Response;
use crate::support::{REDIRECT, Setup, browse, s256};

#[tokio::test]
async fn the_authorization_request_has_all_that_it_needs() {
    let setup = Setup::new();
    setup.call(&setup.oauth().client_id("mine").build().expect("a client")).await.expect("an answer");
    let fake = setup.fake();
    let asked = &fake.first.authorizations[0];
    for (name, value) in [
        ("response_type", "code"),
        ("client_id", "mine"),
        ("redirect_uri", REDIRECT),
        ("scope", "read"),
        ("resource", setup.server().as_str()),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(asked[name], value, "{name}");
    }
    let (form, _) = &fake.first.token_requests[0];
    assert_eq!(form["resource"], setup.server().as_str());
    assert_eq!(form["redirect_uri"], REDIRECT);
    assert_eq!(asked["code_challenge"], s256(&form["code_verifier"]));
    assert!(asked["state"].len() >= 16 && asked["state"] != form["code_verifier"]);
}

#[tokio::test]
async fn no_two_logins_share_state_or_verifier() {
    let setup = Setup::new();
    for _ in 0..2 {
        setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer");
    }
    let fake = setup.fake();
    let [first, second] = &fake.first.authorizations[..] else { panic!("expected two logins") };
    assert!(first["state"] != second["state"] && first["code_challenge"] != second["code_challenge"]);
}

#[tokio::test]
async fn an_authorization_server_without_pkce_is_refused() {
    for methods in [json!(null), json!([]), json!(["plain"])] {
        let setup = Setup::new();
        setup.change("code_challenge_methods_supported", methods);
        let refusal = Setup::refusal(setup.call(&setup.oauth().build().expect("a client")).await);
        assert!(refusal.contains("to support PKCE with S256"), "{refusal}");
        assert_eq!(setup.count("as1 GET /authorize"), 0);
    }
}

#[tokio::test]
async fn the_issuer_of_the_redirect_is_checked_before_the_code_is_used() {
    let setup = Setup::new();
    let with = |iss: Option<String>| {
        setup.fake().first.redirect_with = iss.into_iter().map(|it| ("iss".to_owned(), it)).collect();
    };
    // In each row: whether the metadata announces `iss`, the `iss` in the redirect, and whether the client
    // accepts the redirect.
    for (announced, iss, is_good) in [
        (json!(true), Some(setup.as1.clone()), true),
        (json!(true), None, false),
        (json!(true), Some("https://evil.example".to_owned()), false),
        (json!(null), None, true),
        (json!(false), Some(setup.as1.clone()), true),
        (json!(null), Some("https://evil.example".to_owned()), false),
        (json!(null), Some(format!("{}/", setup.as1)), false),
    ] {
        setup.change("authorization_response_iss_parameter_supported", announced.clone());
        with(iss.clone());
        let before = setup.count("as1 POST /token");
        let done = setup.call(&setup.oauth().build().expect("a client")).await;
        assert_eq!(done.is_ok(), is_good, "{announced} {iss:?}");
        assert_eq!(setup.count("as1 POST /token") - before, usize::from(is_good), "{announced} {iss:?}");
    }
}

#[tokio::test]
async fn a_redirect_of_another_login_is_refused() {
    let setup = Setup::new();
    let forged = |url: Url| async move {
        let state = browse(&url).query_pairs().find(|(it, _)| it == "state").expect("a state").1.into_owned();
        Ok(Url::parse(&format!("{REDIRECT}?code=stolen&state={state}x")).expect("a URL"))
    };
    let oauth = OAuth::builder("x").redirect(REDIRECT, forged).build().expect("a client");
    let refusal = Setup::refusal(setup.call(&oauth).await);
    assert!(refusal.starts_with("expected the redirect to have the `state` of this login"), "{refusal}");
    assert_eq!(setup.count("as1 POST /token"), 0);
}

#[tokio::test]
async fn reports_that_the_user_denied_access() {
    let setup = Setup::new();
    setup.fake().first.error = Some(("access_denied".to_owned(), "not today".to_owned()));
    let refusal = setup.call(&setup.oauth().build().expect("a client")).await.expect_err("an error");
    assert!(matches!(refusal, Error::Auth { fault: AuthFault::Denied, .. }));
    assert!(refusal.to_string().contains("access_denied") && refusal.to_string().contains("not today"));
}

#[tokio::test]
async fn without_a_way_to_sign_in_the_error_says_that_a_login_is_needed() {
    let setup = Setup::new();
    let refusal = setup.call(&OAuth::builder("x").build().expect("a client")).await.expect_err("an error");
    assert!(matches!(refusal, Error::Auth { fault: AuthFault::LoginNeeded, .. }), "{refusal}");
}

#[tokio::test]
async fn a_login_that_takes_too_long_is_abandoned() {
    let setup = Setup::new();
    let oauth = OAuth::builder("x").loopback(|_| async { Ok(()) }).login_timeout(Duration::from_millis(50));
    let refusal = Setup::refusal(setup.call(&oauth.build().expect("a client")).await);
    assert!(refusal.starts_with("the login at "), "{refusal}");
}

#[tokio::test]
async fn reports_a_browser_that_cannot_be_opened() {
    let setup = Setup::new();
    let oauth =
        OAuth::builder("x").loopback(|_| async { Err("no display".to_owned()) }).build().expect("a client");
    assert_eq!(Setup::refusal(setup.call(&oauth).await), "the login failed: no display");
}

#[tokio::test]
async fn a_token_of_another_type_is_refused() {
    let setup = Setup::new();
    setup.fake().first.token_with = Some(json!({"token_type": "mac"}));
    let refusal = Setup::refusal(setup.call(&setup.oauth().build().expect("a client")).await);
    assert!(refusal.starts_with("expected a token of type Bearer"), "{refusal}");
}

#[tokio::test]
async fn the_token_endpoint_may_not_send_the_code_elsewhere() {
    let setup = Setup::new();
    let elsewhere = Response::new(307).with("location", &format!("{}/token", setup.as2));
    setup.fake().first.refuses = Some(elsewhere);
    let refusal = Setup::refusal(setup.call(&setup.oauth().build().expect("a client")).await);
    assert!(refusal.ends_with("but found a redirect"), "{refusal}");
    assert_eq!(setup.count("as2"), 0);
}

#[tokio::test]
async fn a_login_works_before_any_refusal() {
    let setup = Setup::new();
    let oauth = setup.oauth().build().expect("a client");
    for _ in 0..2 {
        oauth.login(&setup.server()).await.expect("signed in");
    }
    assert_eq!(setup.call(&oauth).await.expect("an answer"), 200);
    assert_eq!((setup.count("as1 GET /authorize"), setup.count("rs POST")), (1, 1));
}

#[tokio::test]
async fn gives_up_on_a_server_that_refuses_every_token() {
    let setup = Setup::new();
    setup.fake().server.always = Some(401);
    let oauth = setup.oauth().build().expect("a client");
    let refusal = Setup::refusal(setup.call(&oauth).await);
    assert!(refusal.contains("still answers 401 Unauthorized after 3 attempts"), "{refusal}");
    // The client logs in, refreshes its token, logs in again, and then gives up.
    assert_eq!(
        (setup.count("rs POST"), setup.count("as1 GET /authorize"), setup.count("as1 POST /token")),
        (4, 2, 3)
    );
}

#[tokio::test]
async fn a_server_without_tls_gets_no_token() {
    let oauth =
        OAuth::builder("x").client_id("c").client_secret("s").client_credentials().build().expect("a client");
    let server = &Url::parse("http://mcp.example/mcp").expect("a URL");
    let sent = &oauth
        .headers(Outgoing { server, url: server, method: &Method::POST })
        .await
        .expect("none are needed");
    assert!(sent.is_empty());
    let (status, headers) = (StatusCode::UNAUTHORIZED, &HeaderMap::new());
    let refused =
        oauth.challenged(Refused { server, status, headers, sent, attempt: 0 }).await.expect_err("an error");
    assert!(
        refused.to_string().starts_with("expected a server that needs tokens to have an https URL"),
        "{refused}"
    );
}

#[tokio::test]
async fn tokens_go_to_the_origin_of_their_server_only() {
    let setup = Setup::new();
    let oauth = setup.oauth().build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    let elsewhere = Url::parse(&format!("{}/mcp", setup.as2)).expect("a URL");
    let refusal = Setup::refusal(setup.call_at(&oauth, &elsewhere).await);
    assert!(refusal.starts_with("expected a request to the origin of the server"), "{refusal}");
}
