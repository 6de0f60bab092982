//! The way of a person to the authorization server and back.

use std::time::Duration;

use http::{HeaderMap, Method, StatusCode};
use plainwire::Error;
use plainwire::auth::{AuthFault, Authorize, OAuth, Outgoing, Refused, Url};
use plainwire::serde_json::json;

use crate::web::Response;
use crate::world::{REDIRECT, World, browse, s256};

#[tokio::test]
async fn the_authorization_request_has_all_that_it_needs() {
    let world = World::new();
    world.call(&world.oauth().client_id("mine").build().expect("a client")).await.expect("an answer");
    let fake = world.fake();
    let asked = &fake.first.authorizations[0];
    for (name, value) in [
        ("response_type", "code"),
        ("client_id", "mine"),
        ("redirect_uri", REDIRECT),
        ("scope", "read"),
        ("resource", world.server().as_str()),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(asked[name], value, "{name}");
    }
    let (form, _) = &fake.first.token_requests[0];
    assert_eq!(form["resource"], world.server().as_str());
    assert_eq!(form["redirect_uri"], REDIRECT);
    assert_eq!(asked["code_challenge"], s256(&form["code_verifier"]));
    assert!(asked["state"].len() >= 16 && asked["state"] != form["code_verifier"]);
}

#[tokio::test]
async fn no_two_logins_share_state_or_verifier() {
    let world = World::new();
    for _ in 0..2 {
        world.call(&world.oauth().build().expect("a client")).await.expect("an answer");
    }
    let fake = world.fake();
    let [first, second] = &fake.first.authorizations[..] else { panic!("expected two logins") };
    assert!(first["state"] != second["state"] && first["code_challenge"] != second["code_challenge"]);
}

#[tokio::test]
async fn an_authorization_server_without_pkce_is_refused() {
    for methods in [json!(null), json!([]), json!(["plain"])] {
        let world = World::new();
        world.change("code_challenge_methods_supported", methods);
        let refusal = World::refusal(world.call(&world.oauth().build().expect("a client")).await);
        assert!(refusal.contains("to support PKCE with S256"), "{refusal}");
        assert_eq!(world.count("as1 GET /authorize"), 0);
    }
}

#[tokio::test]
async fn the_issuer_of_the_redirect_is_checked_before_the_code_is_used() {
    let world = World::new();
    let with = |iss: Option<String>| {
        world.fake().first.redirect_with = iss.into_iter().map(|it| ("iss".to_owned(), it)).collect();
    };
    // What the metadata announces, what comes, and whether it is good.
    for (announced, iss, is_good) in [
        (json!(true), Some(world.as1.clone()), true),
        (json!(true), None, false),
        (json!(true), Some("https://evil.example".to_owned()), false),
        (json!(null), None, true),
        (json!(false), Some(world.as1.clone()), true),
        (json!(null), Some("https://evil.example".to_owned()), false),
        (json!(null), Some(format!("{}/", world.as1)), false),
    ] {
        world.change("authorization_response_iss_parameter_supported", announced.clone());
        with(iss.clone());
        let before = world.count("as1 POST /token");
        let done = world.call(&world.oauth().build().expect("a client")).await;
        assert_eq!(done.is_ok(), is_good, "{announced} {iss:?}");
        assert_eq!(world.count("as1 POST /token") - before, usize::from(is_good), "{announced} {iss:?}");
    }
}

#[tokio::test]
async fn a_redirect_of_another_login_is_refused() {
    let world = World::new();
    let forged = |url: Url| async move {
        let state = browse(&url).query_pairs().find(|(it, _)| it == "state").expect("a state").1.into_owned();
        Ok(Url::parse(&format!("{REDIRECT}?code=stolen&state={state}x")).expect("a URL"))
    };
    let oauth = OAuth::builder("x").redirect(REDIRECT, forged).build().expect("a client");
    let refusal = World::refusal(world.call(&oauth).await);
    assert!(refusal.starts_with("expected the redirect to have the `state` of this login"), "{refusal}");
    assert_eq!(world.count("as1 POST /token"), 0);
}

#[tokio::test]
async fn a_person_who_says_no_is_heard() {
    let world = World::new();
    world.fake().first.error = Some(("access_denied".to_owned(), "not today".to_owned()));
    let refusal = world.call(&world.oauth().build().expect("a client")).await.expect_err("an error");
    assert!(matches!(refusal, Error::Auth { fault: AuthFault::Denied, .. }));
    assert!(refusal.to_string().contains("access_denied") && refusal.to_string().contains("not today"));
}

#[tokio::test]
async fn without_a_way_to_sign_in_the_error_says_that_somebody_has_to() {
    let world = World::new();
    let refusal = world.call(&OAuth::builder("x").build().expect("a client")).await.expect_err("an error");
    assert!(matches!(refusal, Error::Auth { fault: AuthFault::LoginNeeded, .. }), "{refusal}");
}

#[tokio::test]
async fn a_person_who_never_comes_back_is_not_waited_for() {
    let world = World::new();
    let oauth = OAuth::builder("x").loopback(|_| async { Ok(()) }).login_timeout(Duration::from_millis(50));
    let refusal = World::refusal(world.call(&oauth.build().expect("a client")).await);
    assert!(refusal.starts_with("nobody signed in"), "{refusal}");
}

#[tokio::test]
async fn a_browser_that_can_not_be_opened_is_told() {
    let world = World::new();
    let oauth =
        OAuth::builder("x").loopback(|_| async { Err("no display".to_owned()) }).build().expect("a client");
    assert_eq!(World::refusal(world.call(&oauth).await), "nobody could sign in: no display");
}

#[tokio::test]
async fn a_token_of_another_type_is_refused() {
    let world = World::new();
    world.fake().first.token_with = Some(json!({"token_type": "mac"}));
    let refusal = World::refusal(world.call(&world.oauth().build().expect("a client")).await);
    assert!(refusal.starts_with("expected a token of type Bearer"), "{refusal}");
}

#[tokio::test]
async fn the_token_endpoint_may_not_send_the_code_elsewhere() {
    let world = World::new();
    let elsewhere = Response::new(307).with("location", &format!("{}/token", world.as2));
    world.fake().first.refuses = Some(elsewhere);
    let refusal = World::refusal(world.call(&world.oauth().build().expect("a client")).await);
    assert!(refusal.ends_with("but found a redirect"), "{refusal}");
    assert_eq!(world.count("as2"), 0);
}

#[tokio::test]
async fn a_login_without_a_refusal_does_the_same() {
    let world = World::new();
    let oauth = world.oauth().build().expect("a client");
    for _ in 0..2 {
        oauth.login(&world.server()).await.expect("signed in");
    }
    assert_eq!(world.call(&oauth).await.expect("an answer"), 200);
    assert_eq!((world.count("as1 GET /authorize"), world.count("rs POST")), (1, 1));
}

#[tokio::test]
async fn a_server_that_no_token_pleases_is_given_up() {
    let world = World::new();
    world.fake().server.always = Some(401);
    let oauth = world.oauth().build().expect("a client");
    let refusal = World::refusal(world.call(&oauth).await);
    assert!(refusal.contains("still answers 401 Unauthorized after 3 attempts"), "{refusal}");
    // A login, a refresh of what it brought, another login; then it is enough.
    assert_eq!(
        (world.count("rs POST"), world.count("as1 GET /authorize"), world.count("as1 POST /token")),
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
    let world = World::new();
    let oauth = world.oauth().build().expect("a client");
    world.call(&oauth).await.expect("an answer");
    let elsewhere = Url::parse(&format!("{}/mcp", world.as2)).expect("a URL");
    let refusal = World::refusal(world.call_at(&oauth, &elsewhere).await);
    assert!(refusal.starts_with("expected a request to the origin of the server"), "{refusal}");
}
