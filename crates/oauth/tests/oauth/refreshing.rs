//! Tokens that expire while many calls need them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use plainwire::Error;
use plainwire::serde_json::json;
use plainwire_oauth::{
    AuthFault, Authorize, FileStore, Held, MemoryStore, OAuth, Outgoing, StoreKey, TokenFuture, TokenStore,
    Url,
};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::plain_http::Response;
use crate::support::{Setup, browse};

/// Makes `calls` calls of the protected server with each client, all at the same time. Returns the result of
/// each call: the HTTP status, or an error.
async fn storm(setup: &Setup, clients: &[OAuth], calls: usize) -> Vec<Result<u16, Error>> {
    let mut calling = JoinSet::new();
    for n in 0..calls * clients.len() {
        let (setup, oauth) = (setup.clone(), clients[n % clients.len()].clone());
        calling.spawn(async move { setup.call(&oauth).await });
    }
    calling.join_all().await
}

/// Returns the `grant_type` of each request that the token endpoint of the first authorization server has
/// received, in order.
fn grants(setup: &Setup) -> Vec<String> {
    setup.fake().first.token_requests.iter().map(|(form, _)| form["grant_type"].clone()).collect()
}

#[track_caller]
fn all_answered(answers: Vec<Result<u16, Error>>) {
    let wrong: Vec<_> = answers.into_iter().filter(|it| !matches!(it, Ok(200))).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_calls_whose_token_was_rotated_make_one_refresh() {
    let setup = Setup::new();
    let oauth = setup.oauth().build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    setup.fake().first.delay = Duration::from_millis(50);
    for round in 1..4 {
        setup.revoke_access();
        all_answered(storm(&setup, std::slice::from_ref(&oauth), 50).await);
        assert_eq!(grants(&setup).len(), 1 + round);
    }
    assert_eq!(grants(&setup)[1..], ["refresh_token"; 3]);
    assert_eq!(setup.fake().first.authorizations.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_calls_whose_token_has_ended_make_one_refresh_and_no_refusal() {
    let setup = Setup::new();
    setup.fake().first.token_with = Some(json!({"expires_in": 0}));
    let oauth = setup.oauth().build().expect("a client");
    oauth.login(&setup.server()).await.expect("signed in");
    setup.fake().first.token_with = None;
    let refused = setup.count("rs POST");
    all_answered(storm(&setup, &[oauth], 50).await);
    assert_eq!(grants(&setup), ["authorization_code", "refresh_token"]);
    assert_eq!(setup.count("rs POST"), refused + 50);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_calls_without_a_token_make_one_login() {
    let setup = Setup::new();
    let oauth = setup.oauth().build().expect("a client");
    all_answered(storm(&setup, &[oauth], 50).await);
    assert_eq!(grants(&setup), ["authorization_code"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_programs_with_one_store_make_one_refresh() {
    let (setup, folder) = (Setup::new(), Folder::new());
    let client = || setup.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    let clients = [client(), client()];
    for oauth in &clients {
        setup.call(oauth).await.expect("an answer");
    }
    assert_eq!(grants(&setup), ["authorization_code"], "the second program takes the token of the first");
    setup.fake().first.delay = Duration::from_millis(50);
    for round in 1..4 {
        setup.revoke_access();
        all_answered(storm(&setup, &clients, 25).await);
        assert_eq!(grants(&setup).len(), 1 + round);
    }
    assert_eq!(grants(&setup)[1..], ["refresh_token"; 3]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_programs_that_sign_in_at_once_show_one_page() {
    let (setup, folder) = (Setup::new(), Folder::new());
    let client = || setup.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    all_answered(storm(&setup, &[client(), client()], 5).await);
    assert_eq!(setup.fake().first.authorizations.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_refresh_that_fails_fails_all_who_wait_for_it() {
    let setup = Setup::new();
    let oauth = setup.oauth().build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    setup.revoke_access();
    setup.fake().first.refuses = Some(Response::new(503));
    setup.fake().first.delay = Duration::from_millis(300);
    let answers = storm(&setup, std::slice::from_ref(&oauth), 20).await;
    for answer in answers {
        let refusal = answer.expect_err("an error");
        assert!(matches!(refusal, Error::Auth { fault: AuthFault::Unreachable, .. }), "{refusal}");
    }
    let asked = grants(&setup).len() - 1;
    assert!(asked <= 2, "expected a try, and one of whoever came late, but found {asked}");
    // The failure was temporary: the refresh token is still stored, and the next call uses it.
    setup.fake().first.refuses = None;
    assert_eq!(setup.call(&oauth).await.expect("an answer"), 200);
    assert_eq!(setup.fake().first.authorizations.len(), 1);
}

#[tokio::test]
async fn a_refresh_whose_caller_leaves_is_taken_by_the_next_call() {
    let setup = Setup::new();
    let oauth = setup.oauth().build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    setup.revoke_access();
    setup.fake().first.delay = Duration::from_millis(200);
    timeout(Duration::from_millis(100), setup.call(&oauth)).await.expect_err("left in the middle");
    assert_eq!(setup.call(&oauth).await.expect("an answer"), 200);
    // The abandoned call has stored the new refresh token: a second refresh with the old one would have ended
    // the grant.
    assert_eq!(grants(&setup), ["authorization_code", "refresh_token"]);
}

/// A token store in memory that wakes `saved` after each save.
#[derive(Clone, Debug, Default)]
struct NotifyingStore {
    inner: Arc<MemoryStore>,
    saved: Arc<Notify>,
}

impl TokenStore for NotifyingStore {
    fn load<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Option<String>> {
        self.inner.load(key)
    }

    fn save<'s>(&'s self, key: &'s StoreKey, text: &'s str) -> TokenFuture<'s, ()> {
        Box::pin(async move {
            self.inner.save(key, text).await?;
            self.saved.notify_one();
            Ok(())
        })
    }

    fn remove<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, ()> {
        self.inner.remove(key)
    }

    fn lock<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Held> {
        self.inner.lock(key)
    }
}

#[tokio::test]
async fn an_abandoned_refresh_stores_its_tokens() {
    let (setup, store) = (Setup::new(), NotifyingStore::default());
    let client = || setup.oauth().store(store.clone()).build().expect("a client");
    let oauth = client();
    setup.call(&oauth).await.expect("an answer");
    setup.revoke_access();
    setup.fake().first.delay = Duration::from_millis(200);
    // Takes the notification of the save at the login.
    store.saved.notified().await;
    timeout(Duration::from_millis(100), setup.call(&oauth)).await.expect_err("left in the middle");
    drop(oauth);
    timeout(Duration::from_secs(10), store.saved.notified()).await.expect("the new tokens are kept");
    // A new client with the stored tokens, as in the next run of the program, needs no login and no refresh.
    assert_eq!(setup.call(&client()).await.expect("an answer"), 200);
    assert_eq!(grants(&setup), ["authorization_code", "refresh_token"]);
    assert_eq!(setup.fake().first.authorizations.len(), 1);
}

#[tokio::test]
async fn a_refresh_token_that_is_not_replaced_stays_good() {
    let setup = Setup::new();
    let oauth = setup.oauth().build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    setup.fake().first.keeps_refresh_tokens = true;
    for _ in 0..2 {
        setup.revoke_access();
        assert_eq!(setup.call(&oauth).await.expect("an answer"), 200);
    }
    assert_eq!(grants(&setup), ["authorization_code", "refresh_token", "refresh_token"]);
}

#[tokio::test]
async fn a_grant_that_is_gone_takes_a_new_login() {
    let setup = Setup::new();
    let oauth = setup.oauth().build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    setup.revoke_access();
    setup.revoke_refresh();
    assert_eq!(setup.call(&oauth).await.expect("an answer"), 200);
    assert_eq!(grants(&setup), ["authorization_code", "refresh_token", "authorization_code"]);
}

/// Such a token is not sent, and so the refusal is of a request without a token.
#[tokio::test]
async fn a_token_that_has_ended_and_can_not_be_refreshed_is_replaced_by_a_login() {
    let (setup, store) = (Setup::new(), MemoryStore::default());
    setup.fake().first.token_with = Some(json!({"expires_in": 0, "refresh_token": null}));
    let oauth = setup.oauth().store(store.clone()).build().expect("a client");
    oauth.login(&setup.server()).await.expect("signed in");
    setup.fake().first.token_with = None;
    // A program that can't sign in says that a login is needed.
    let other = OAuth::builder("Other host").store(store).build().expect("a client");
    let refused = setup.call(&other).await.expect_err("a login is needed");
    assert!(matches!(refused, Error::Auth { fault: AuthFault::LoginNeeded, .. }), "{refused:?}");
    all_answered(storm(&setup, &[oauth], 50).await);
    assert_eq!(grants(&setup), ["authorization_code"; 2]);
}

#[tokio::test]
async fn asks_for_no_login_before_the_server_refuses() {
    let (setup, store) = (Setup::new(), MemoryStore::default());
    setup.fake().first.token_with = Some(json!({"expires_in": 0}));
    let oauth = setup.oauth().store(store).build().expect("a client");
    oauth.login(&setup.server()).await.expect("signed in");
    setup.revoke_refresh();
    let (server, method) = (setup.server(), "POST".parse().expect("a method"));
    let headers = oauth.headers(Outgoing { server: &server, url: &server, method: &method }).await;
    assert!(headers.expect("no error").is_empty());
    assert_eq!(setup.fake().first.authorizations.len(), 1);
}

#[tokio::test]
async fn a_refresh_is_made_by_the_client_that_has_the_token() {
    let (setup, store) = (Setup::new(), MemoryStore::default());
    let oauth = setup.oauth().store(store.clone()).build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    // A second program logs in at another server of the same authorization server. Its redirect differs, so
    // it registers anew and replaces the stored registration.
    let other = Url::parse(&format!("{}/mcp2", setup.rs)).expect("a URL");
    let about = json!({"resource": other, "authorization_servers": [setup.as1]});
    setup.fake().server.documents.insert("/.well-known/oauth-protected-resource/mcp2".to_owned(), about);
    let elsewhere = OAuth::builder("x")
        .store(store)
        .redirect("http://127.0.0.1:9/else", |url| async move { Ok(browse(&url)) });
    elsewhere.build().expect("a client").login(&other).await.expect("signed in");
    setup.revoke_access();
    assert_eq!(setup.call(&oauth).await.expect("an answer"), 200);
    let fake = setup.fake();
    let clients: Vec<_> =
        fake.first.token_requests.iter().map(|(form, _)| form["client_id"].as_str()).collect();
    assert_eq!((clients.len(), clients[2]), (3, clients[0]));
    assert_ne!(clients[1], clients[0]);
}

#[tokio::test]
async fn a_refresh_asks_for_the_same_resource() {
    let setup = Setup::new();
    let oauth = setup.oauth().build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    setup.revoke_access();
    setup.call(&oauth).await.expect("an answer");
    assert_eq!(setup.fake().first.token_requests[1].0["resource"], setup.server().as_str());
}

/// A folder that is removed when it is dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("plainwire-oauth-{}-{n}", std::process::id())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
