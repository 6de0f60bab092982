//! Authorization servers without metadata, whose endpoints the program knows.

use plainwire::Error;
use plainwire_oauth::{AuthFault, Endpoints, FileStore, OAuth, OAuthBuilder, Url};

use crate::plain_http::browse_loopback;
use crate::refreshing::Folder;
use crate::support::{REDIRECT, Setup, browse};

/// Returns a setup of servers without any metadata.
fn silent() -> Setup {
    let setup = Setup::new();
    {
        let mut fake = setup.fake();
        fake.server.documents.clear();
        fake.server.challenge = "Bearer".to_owned();
        fake.first.documents.clear();
    }
    setup
}

fn endpoints(setup: &Setup) -> Endpoints {
    let at = |path: &str| Url::parse(&format!("{}{path}", setup.as1)).expect("a URL");
    Endpoints {
        authorization: at("/authorize"),
        token: at("/token"),
        parameters: vec![("audience".to_owned(), "api.example".to_owned())],
        scopes: vec!["offline_access".to_owned()],
    }
}

fn client(setup: &Setup, folder: &Folder) -> OAuthBuilder {
    let oauth = OAuth::builder("Test host").endpoints(endpoints(setup)).store(FileStore::new(&folder.0));
    oauth.client_id("app").client_secret("s3cret").scope("read")
}

/// Returns a client that nobody can sign in with, such as a server in the background.
fn nobody(setup: &Setup, folder: &Folder) -> OAuth {
    let oauth = OAuth::builder("Test host").endpoints(endpoints(setup)).store(FileStore::new(&folder.0));
    oauth.build().expect("a client")
}

#[tokio::test]
async fn no_metadata_is_looked_for_and_no_resource_is_named() {
    let (setup, folder) = (silent(), Folder::new());
    let oauth = client(&setup, &folder).redirect(REDIRECT, |url| async move { Ok(browse(&url)) });
    assert_eq!(setup.call(&oauth.build().expect("a client")).await.expect("an answer"), 200);
    setup.revoke_access();
    // The store has the secret that the client signed in with.
    assert_eq!(setup.call(&nobody(&setup, &folder)).await.expect("an answer"), 200);
    let fake = setup.fake();
    let asked = &fake.first.authorizations[0];
    let expected = [("audience", "api.example"), ("client_id", "app"), ("scope", "offline_access read")];
    for (name, value) in expected {
        assert_eq!(asked[name], value, "{name}");
    }
    assert!(asked.contains_key("code_challenge") && !asked.contains_key("resource"), "{asked:?}");
    let forms: Vec<_> = fake.first.token_requests.iter().map(|(form, _)| form).collect();
    assert_eq!(forms.len(), 2);
    for form in forms {
        assert_eq!((form["client_id"].as_str(), form["client_secret"].as_str()), ("app", "s3cret"));
        assert!(!form.contains_key("resource"), "{form:?}");
    }
    let looked: Vec<_> = fake.log.iter().filter(|it| it.contains("well-known")).collect();
    assert!(looked.is_empty(), "{looked:?}");
}

#[tokio::test]
async fn a_name_in_the_redirect_is_not_compared() {
    let (setup, folder) = (silent(), Folder::new());
    setup.fake().first.redirect_with = vec![("iss".to_owned(), format!("{}/", setup.as1))];
    let oauth = client(&setup, &folder).redirect(REDIRECT, |url| async move { Ok(browse(&url)) });
    assert_eq!(setup.call(&oauth.build().expect("a client")).await.expect("an answer"), 200);
}

#[tokio::test]
async fn the_browser_returns_to_the_registered_redirect_uri() {
    let (setup, folder) = (silent(), Folder::new());
    let port = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        free.local_addr().expect("an address").port()
    };
    let uri = format!("http://127.0.0.1:{port}/signed/in");
    let oauth = client(&setup, &folder).loopback_at(&uri, |url| async move { browse_loopback(&url) });
    oauth.build().expect("a client").login(&setup.server()).await.expect("signed in");
    assert_eq!(setup.fake().first.authorizations[0]["redirect_uri"], uri);
}

#[tokio::test]
async fn a_grant_that_has_ended_needs_a_login_which_the_next_call_finds() {
    let (setup, folder) = (silent(), Folder::new());
    let person = client(&setup, &folder).redirect(REDIRECT, |url| async move { Ok(browse(&url)) });
    let person = person.build().expect("a client");
    let background = nobody(&setup, &folder);
    let needs_login = |it: &Error| matches!(it, Error::Auth { fault: AuthFault::LoginNeeded, .. });
    let refusal = setup.call(&background).await.expect_err("nobody is signed in");
    assert!(needs_login(&refusal), "{refusal}");
    person.login(&setup.server()).await.expect("signed in");
    assert_eq!(setup.call(&background).await.expect("an answer"), 200);
    setup.revoke_access();
    setup.revoke_refresh();
    for _ in 0..2 {
        let refusal = setup.call(&background).await.expect_err("the grant has ended");
        assert!(needs_login(&refusal), "{refusal}");
    }
    let person = client(&setup, &folder).redirect(REDIRECT, |url| async move { Ok(browse(&url)) });
    person.build().expect("a client").login(&setup.server()).await.expect("signed in again");
    assert_eq!(setup.call(&background).await.expect("an answer"), 200);
}
