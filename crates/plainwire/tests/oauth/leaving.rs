//! How things stand with a server, and how a program leaves it.

use std::time::{Duration, SystemTime};

use plainwire::auth::{FileStore, LoggedOut, OAuth, Renewal};
use plainwire::serde_json::json;

use crate::refreshing::Folder;
use crate::web::Response;
use crate::world::World;

/// Has the first authorization server take revocations.
fn takes_revocations(world: &World) {
    world.change("revocation_endpoint", json!(format!("{}/revoke", world.as1)));
}

#[tokio::test]
async fn says_how_things_stand_from_what_is_kept() {
    let (world, folder) = (World::new(), Folder::new());
    let client = || world.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    assert_eq!(client().signed_in(&world.server()).await.expect("no error"), None);
    world.call(&client()).await.expect("an answer");
    let before = world.fake().log.len();
    let found = client().signed_in(&world.server()).await.expect("no error").expect("tokens");
    assert_eq!((found.issuer, found.scopes), (world.as1.clone(), vec!["read".to_owned()]));
    assert_eq!(found.renewal, Renewal::Refresh);
    let left = found.expires.expect("an end").duration_since(SystemTime::now()).expect("in the future");
    assert!(left <= Duration::from_secs(3600) && left > Duration::from_secs(3500), "{left:?}");
    assert_eq!(world.fake().log.len(), before, "nobody was asked");
}

#[tokio::test]
async fn a_token_without_a_refresh_token_and_an_end_says_so() {
    let world = World::new();
    world.fake().first.token_with = Some(json!({"refresh_token": null, "expires_in": null}));
    let oauth = world.oauth().build().expect("a client");
    world.call(&oauth).await.expect("an answer");
    let found = oauth.signed_in(&world.server()).await.expect("no error").expect("tokens");
    assert_eq!((found.expires, found.renewal), (None, Renewal::SignIn));
}

#[tokio::test]
async fn a_logout_revokes_the_refresh_token_where_that_is_taken() {
    let (world, folder) = (World::new(), Folder::new());
    takes_revocations(&world);
    let client = || world.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    world.call(&client()).await.expect("an answer");
    let done = client().logout(&world.server()).await.expect("gone");
    assert_eq!(done, LoggedOut::Revoked);
    assert_eq!(client().signed_in(&world.server()).await.expect("no error"), None);
    let fake = world.fake();
    let [(form, headers)] = &fake.first.revocations[..] else { panic!("expected one revocation") };
    assert!(form["token"].starts_with("refresh-"), "{form:?}");
    assert_eq!(form["token_type_hint"], "refresh_token");
    // A public client: its id, and nothing to prove it with.
    assert!(
        form["client_id"].starts_with("as1-client-") && !headers.contains_key("authorization"),
        "{form:?}"
    );
}

#[tokio::test]
async fn a_client_with_a_secret_proves_itself_to_revoke() {
    for (method, in_header) in [("client_secret_basic", true), ("client_secret_post", false)] {
        let world = World::new();
        takes_revocations(&world);
        world.change("token_endpoint_auth_methods_supported", json!([method]));
        world.fake().first.token_with = Some(json!({"refresh_token": null}));
        let oauth = world.oauth().client_id("a b").client_secret("p:q").build().expect("a client");
        world.call(&oauth).await.expect("an answer");
        assert_eq!(oauth.logout(&world.server()).await.expect("gone"), LoggedOut::Revoked);
        let fake = world.fake();
        let (form, headers) = &fake.first.revocations[0];
        // Without a refresh token it is the other one that goes.
        assert!(
            form["token"].starts_with("access-") && form["token_type_hint"] == "access_token",
            "{form:?}"
        );
        let basic = plainwire::proto::base64::encode(b"a+b:p%3Aq");
        let sent = headers.get("authorization").map(String::as_str);
        assert_eq!(sent, in_header.then(|| format!("Basic {basic}")).as_deref());
        assert_eq!(form.get("client_secret").map(String::as_str), (!in_header).then_some("p:q"));
    }
}

#[tokio::test]
async fn a_logout_forgets_whatever_the_authorization_server_says() {
    for status in [400, 503] {
        let world = World::new();
        takes_revocations(&world);
        world.fake().first.refuses_revocations = Some(Response::new(status));
        let oauth = world.oauth().build().expect("a client");
        world.call(&oauth).await.expect("an answer");
        let done = oauth.logout(&world.server()).await.expect("gone");
        let LoggedOut::Unrevoked(why) = done else { panic!("expected a reason, but found {done:?}") };
        assert!(why.contains(&status.to_string()), "{why}");
        assert_eq!(oauth.signed_in(&world.server()).await.expect("no error"), None);
        assert_eq!(oauth.logout(&world.server()).await.expect("no error"), LoggedOut::Nothing);
    }
}

#[tokio::test]
async fn another_authorization_server_is_not_told_of_the_tokens() {
    let (world, folder) = (World::new(), Folder::new());
    let client = || world.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    world.call(&client()).await.expect("an answer");
    world.move_to_second();
    let path = "/.well-known/oauth-authorization-server";
    world.fake().second.documents.get_mut(path).expect("metadata")["revocation_endpoint"] =
        json!(format!("{}/revoke", world.as2));
    assert_eq!(client().logout(&world.server()).await.expect("gone"), LoggedOut::Forgotten);
    assert_eq!((world.count("as2 GET"), world.count("as2 POST")), (1, 0));
}

#[tokio::test]
async fn a_login_asks_for_the_scopes_that_the_program_was_told() {
    let (world, folder) = (World::new(), Folder::new());
    let client = |scopes: &[&str]| {
        let begun = world.oauth().store(FileStore::new(&folder.0));
        scopes.iter().fold(begun, |it, scope| it.scope(*scope)).build().expect("a client")
    };
    world.call(&client(&["admin", "write"])).await.expect("an answer");
    assert_eq!(world.fake().first.authorizations[0]["scope"], "admin write");
    // Fewer are there already, and more are asked for together with the old ones.
    client(&["write"]).login(&world.server()).await.expect("signed in");
    assert_eq!(world.fake().first.authorizations.len(), 1);
    client(&["extra"]).login(&world.server()).await.expect("signed in");
    let fake = world.fake();
    assert_eq!(fake.first.authorizations.len(), 2);
    assert_eq!(fake.first.authorizations[1]["scope"], "admin extra write");
}

#[tokio::test]
async fn a_client_that_asks_for_nothing_of_its_own_uses_what_another_has_got() {
    let (world, folder) = (World::new(), Folder::new());
    let signs_in = world.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    signs_in.login(&world.server()).await.expect("signed in");
    let silent = OAuth::builder("silent").store(FileStore::new(&folder.0)).build().expect("a client");
    world.revoke_access();
    assert_eq!(world.call(&silent).await.expect("an answer"), 200);
    assert_eq!(world.count("as1 GET /authorize"), 1);
}
