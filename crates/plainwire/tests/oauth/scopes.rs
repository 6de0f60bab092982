//! Which scopes are asked for, and how often.

use plainwire::auth::Url;
use plainwire::serde_json::json;

use crate::world::World;

const PRM: &str = "/.well-known/oauth-protected-resource/mcp";

fn at(world: &World, path: &str) -> Url {
    Url::parse(&format!("{}{path}", world.rs)).expect("a URL")
}

/// The scope of each login.
fn asked(world: &World) -> Vec<Option<String>> {
    world.fake().first.authorizations.iter().map(|it| it.get("scope").cloned()).collect()
}

#[tokio::test]
async fn the_challenge_decides_or_else_the_metadata_or_else_nobody() {
    let world = World::new();
    world.fake().server.documents.get_mut(PRM).expect("metadata")["scopes_supported"] = json!(["a", "b"]);
    world.call(&world.oauth().build().expect("a client")).await.expect("an answer");
    world.fake().server.challenge = "Bearer".to_owned();
    world.call(&world.oauth().build().expect("a client")).await.expect("an answer");
    world.fake().server.documents.get_mut(PRM).expect("metadata")["scopes_supported"] = json!(null);
    world.call(&world.oauth().build().expect("a client")).await.expect("an answer");
    assert_eq!(asked(&world), [Some("read".to_owned()), Some("a b".to_owned()), None]);
}

#[tokio::test]
async fn offline_access_is_asked_for_where_the_authorization_server_lists_it() {
    let world = World::new();
    world.change("scopes_supported", json!(["read", "offline_access"]));
    world.call(&world.oauth().build().expect("a client")).await.expect("an answer");
    world.change("scopes_supported", json!(["read"]));
    world.call(&world.oauth().build().expect("a client")).await.expect("an answer");
    assert_eq!(asked(&world), [Some("offline_access read".to_owned()), Some("read".to_owned())]);
}

#[tokio::test]
async fn a_missing_scope_is_asked_for_together_with_the_old_ones() {
    let world = World::new();
    world.fake().server.wants.insert("/mcp/write".to_owned(), "write".to_owned());
    let oauth = world.oauth().build().expect("a client");
    world.call(&oauth).await.expect("an answer");
    assert_eq!(world.call_at(&oauth, &at(&world, "/mcp/write")).await.expect("an answer"), 200);
    assert_eq!(asked(&world), [Some("read".to_owned()), Some("read write".to_owned())]);
}

#[tokio::test]
async fn a_scope_that_the_token_has_already_is_not_asked_for_again() {
    let world = World::new();
    world.fake().server.always = Some(403);
    world.fake().server.challenge = "Bearer error=\"insufficient_scope\", scope=\"read\"".to_owned();
    let oauth = world.oauth().build().expect("a client");
    let refusal = World::refusal(world.call(&oauth).await);
    assert!(refusal.contains("which the token has"), "{refusal}");
    assert_eq!(asked(&world).len(), 1);
}

#[tokio::test]
async fn a_scope_that_nobody_gives_is_asked_for_three_times() {
    let world = World::new();
    world.fake().server.wants.insert("/mcp/write".to_owned(), "write".to_owned());
    world.fake().first.token_with = Some(json!({"scope": "read"}));
    let oauth = world.oauth().build().expect("a client");
    world.call(&oauth).await.expect("an answer");
    for _ in 0..2 {
        // The second call does not begin to count anew.
        World::refusal(world.call_at(&oauth, &at(&world, "/mcp/write")).await);
    }
    assert_eq!(asked(&world).len(), 1 + 3);
}

#[tokio::test]
async fn a_refusal_for_another_reason_is_no_reason_to_sign_in() {
    let world = World::new();
    let oauth = world.oauth().build().expect("a client");
    world.call(&oauth).await.expect("an answer");
    world.fake().server.always = Some(403);
    let refusal = World::refusal(world.call(&oauth).await);
    assert!(refusal.ends_with("answers 403 Forbidden"), "{refusal}");
    assert_eq!(asked(&world).len(), 1);
}
