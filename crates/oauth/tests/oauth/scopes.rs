//! Scopes: which ones a login requests, and how many further logins the client makes for a scope that is
//! missing.

use plainwire::serde_json::json;
use plainwire_oauth::Url;

use crate::support::Setup;

const PRM: &str = "/.well-known/oauth-protected-resource/mcp";

fn at(setup: &Setup, path: &str) -> Url {
    Url::parse(&format!("{}{path}", setup.rs)).expect("a URL")
}

/// Returns the scope that each login requested, in order; `None` for a login without a scope.
fn asked(setup: &Setup) -> Vec<Option<String>> {
    setup.fake().first.authorizations.iter().map(|it| it.get("scope").cloned()).collect()
}

#[tokio::test]
async fn scopes_come_from_the_challenge_else_from_the_metadata_else_are_left_out() {
    let setup = Setup::new();
    setup.fake().server.documents.get_mut(PRM).expect("metadata")["scopes_supported"] = json!(["a", "b"]);
    setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer");
    setup.fake().server.challenge = "Bearer".to_owned();
    setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer");
    setup.fake().server.documents.get_mut(PRM).expect("metadata")["scopes_supported"] = json!(null);
    setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer");
    assert_eq!(asked(&setup), [Some("read".to_owned()), Some("a b".to_owned()), None]);
}

#[tokio::test]
async fn offline_access_is_asked_for_where_the_authorization_server_lists_it() {
    let setup = Setup::new();
    setup.change("scopes_supported", json!(["read", "offline_access"]));
    setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer");
    setup.change("scopes_supported", json!(["read"]));
    setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer");
    assert_eq!(asked(&setup), [Some("offline_access read".to_owned()), Some("read".to_owned())]);
}

#[tokio::test]
async fn a_missing_scope_is_asked_for_together_with_the_old_ones() {
    let setup = Setup::new();
    setup.fake().server.wants.insert("/mcp/write".to_owned(), "write".to_owned());
    let oauth = setup.oauth().build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    assert_eq!(setup.call_at(&oauth, &at(&setup, "/mcp/write")).await.expect("an answer"), 200);
    assert_eq!(asked(&setup), [Some("read".to_owned()), Some("read write".to_owned())]);
}

#[tokio::test]
async fn a_scope_that_the_token_has_already_is_not_asked_for_again() {
    let setup = Setup::new();
    setup.fake().server.always = Some(403);
    setup.fake().server.challenge = "Bearer error=\"insufficient_scope\", scope=\"read\"".to_owned();
    let oauth = setup.oauth().build().expect("a client");
    let refusal = Setup::refusal(setup.call(&oauth).await);
    assert!(refusal.contains("which the token has"), "{refusal}");
    assert_eq!(asked(&setup).len(), 1);
}

#[tokio::test]
async fn a_scope_that_is_never_granted_is_requested_three_times() {
    let setup = Setup::new();
    setup.fake().server.wants.insert("/mcp/write".to_owned(), "write".to_owned());
    setup.fake().first.token_with = Some(json!({"scope": "read"}));
    let oauth = setup.oauth().build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    for _ in 0..2 {
        // The second call does not reset the count of requested logins.
        Setup::refusal(setup.call_at(&oauth, &at(&setup, "/mcp/write")).await);
    }
    assert_eq!(asked(&setup).len(), 1 + 3);
}

#[tokio::test]
async fn a_refusal_for_another_reason_is_no_reason_to_sign_in() {
    let setup = Setup::new();
    let oauth = setup.oauth().build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    setup.fake().server.always = Some(403);
    let refusal = Setup::refusal(setup.call(&oauth).await);
    assert!(refusal.ends_with("answers 403 Forbidden"), "{refusal}");
    assert_eq!(asked(&setup).len(), 1);
}
