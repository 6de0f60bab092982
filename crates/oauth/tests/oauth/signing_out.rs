//! The login at a server: its status, and signing out.

use std::time::{Duration, SystemTime};

use plainwire::serde_json::json;
use plainwire_oauth::{FileStore, LoggedOut, OAuth, Renewal};

use crate::plain_http::Response;
use crate::refreshing::Folder;
use crate::support::Setup;

/// Adds a revocation endpoint to the metadata of the first authorization server.
fn takes_revocations(setup: &Setup) {
    setup.change("revocation_endpoint", json!(format!("{}/revoke", setup.as1)));
}

#[tokio::test]
async fn reports_the_login_from_stored_tokens() {
    let (setup, folder) = (Setup::new(), Folder::new());
    let client = || setup.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    assert_eq!(client().signed_in(&setup.server()).await.expect("no error"), None);
    setup.call(&client()).await.expect("an answer");
    let before = setup.fake().log.len();
    let found = client().signed_in(&setup.server()).await.expect("no error").expect("tokens");
    assert_eq!((found.issuer, found.scopes), (setup.as1.clone(), vec!["read".to_owned()]));
    assert_eq!(found.renewal, Renewal::Refresh);
    let left = found.expires.expect("an end").duration_since(SystemTime::now()).expect("in the future");
    assert!(left <= Duration::from_secs(3600) && left > Duration::from_secs(3500), "{left:?}");
    assert_eq!(setup.fake().log.len(), before, "nobody was asked");
}

#[tokio::test]
async fn a_token_without_a_refresh_token_and_an_end_says_so() {
    let setup = Setup::new();
    setup.fake().first.token_with = Some(json!({"refresh_token": null, "expires_in": null}));
    let oauth = setup.oauth().build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    let found = oauth.signed_in(&setup.server()).await.expect("no error").expect("tokens");
    assert_eq!((found.expires, found.renewal), (None, Renewal::SignIn));
}

#[tokio::test]
async fn a_logout_revokes_the_refresh_token_where_that_is_taken() {
    let (setup, folder) = (Setup::new(), Folder::new());
    takes_revocations(&setup);
    let client = || setup.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    setup.call(&client()).await.expect("an answer");
    let done = client().logout(&setup.server()).await.expect("gone");
    assert_eq!(done, LoggedOut::Revoked);
    assert_eq!(client().signed_in(&setup.server()).await.expect("no error"), None);
    let fake = setup.fake();
    let [(form, headers)] = &fake.first.revocations[..] else { panic!("expected one revocation") };
    assert!(form["token"].starts_with("refresh-"), "{form:?}");
    assert_eq!(form["token_type_hint"], "refresh_token");
    // A public client sends its client id in the form, and no `authorization` header.
    assert!(
        form["client_id"].starts_with("as1-client-") && !headers.contains_key("authorization"),
        "{form:?}"
    );
}

#[tokio::test]
async fn a_client_with_a_secret_proves_itself_to_revoke() {
    for (method, in_header) in [("client_secret_basic", true), ("client_secret_post", false)] {
        let setup = Setup::new();
        takes_revocations(&setup);
        setup.change("token_endpoint_auth_methods_supported", json!([method]));
        setup.fake().first.token_with = Some(json!({"refresh_token": null}));
        let oauth = setup.oauth().client_id("a b").client_secret("p:q").build().expect("a client");
        setup.call(&oauth).await.expect("an answer");
        assert_eq!(oauth.logout(&setup.server()).await.expect("gone"), LoggedOut::Revoked);
        let fake = setup.fake();
        let (form, headers) = &fake.first.revocations[0];
        // If there is no refresh token, the client revokes the access token.
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
        let setup = Setup::new();
        takes_revocations(&setup);
        setup.fake().first.refuses_revocations = Some(Response::new(status));
        let oauth = setup.oauth().build().expect("a client");
        setup.call(&oauth).await.expect("an answer");
        let done = oauth.logout(&setup.server()).await.expect("gone");
        let LoggedOut::Unrevoked(why) = done else { panic!("expected a reason, but found {done:?}") };
        assert!(why.contains(&status.to_string()), "{why}");
        assert_eq!(oauth.signed_in(&setup.server()).await.expect("no error"), None);
        assert_eq!(oauth.logout(&setup.server()).await.expect("no error"), LoggedOut::Nothing);
    }
}

#[tokio::test]
async fn does_not_send_tokens_to_another_authorization_server() {
    let (setup, folder) = (Setup::new(), Folder::new());
    let client = || setup.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    setup.call(&client()).await.expect("an answer");
    setup.move_to_second();
    let path = "/.well-known/oauth-authorization-server";
    setup.fake().second.documents.get_mut(path).expect("metadata")["revocation_endpoint"] =
        json!(format!("{}/revoke", setup.as2));
    assert_eq!(client().logout(&setup.server()).await.expect("gone"), LoggedOut::Forgotten);
    assert_eq!((setup.count("as2 GET"), setup.count("as2 POST")), (1, 0));
}

#[tokio::test]
async fn a_login_asks_for_the_scopes_that_the_program_was_told() {
    let (setup, folder) = (Setup::new(), Folder::new());
    let client = |scopes: &[&str]| {
        let begun = setup.oauth().store(FileStore::new(&folder.0));
        scopes.iter().fold(begun, |it, scope| it.scope(*scope)).build().expect("a client")
    };
    setup.call(&client(&["admin", "write"])).await.expect("an answer");
    assert_eq!(setup.fake().first.authorizations[0]["scope"], "admin write");
    // No login is needed for scopes that are granted already. A login for a further scope requests the
    // granted scopes too.
    client(&["write"]).login(&setup.server()).await.expect("signed in");
    assert_eq!(setup.fake().first.authorizations.len(), 1);
    client(&["extra"]).login(&setup.server()).await.expect("signed in");
    let fake = setup.fake();
    assert_eq!(fake.first.authorizations.len(), 2);
    assert_eq!(fake.first.authorizations[1]["scope"], "admin extra write");
}

#[tokio::test]
async fn a_client_without_a_login_uses_the_tokens_that_another_has_stored() {
    let (setup, folder) = (Setup::new(), Folder::new());
    let signs_in = setup.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    signs_in.login(&setup.server()).await.expect("signed in");
    let silent = OAuth::builder("silent").store(FileStore::new(&folder.0)).build().expect("a client");
    setup.revoke_access();
    assert_eq!(setup.call(&silent).await.expect("an answer"), 200);
    assert_eq!(setup.count("as1 GET /authorize"), 1);
}
