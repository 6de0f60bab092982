//! Tokens that end while many calls need them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use plainwire::auth::{
    Authorize, FileStore, Held, MemoryStore, OAuth, Outgoing, StoreKey, TokenFuture, TokenStore, Url,
};
use plainwire::serde_json::json;
use plainwire::{Error, auth::AuthFault};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::web::Response;
use crate::world::{World, browse};

/// Calls `calls` times at once with each of the clients; returns what each call got.
async fn storm(world: &World, clients: &[OAuth], calls: usize) -> Vec<Result<u16, Error>> {
    let mut calling = JoinSet::new();
    for n in 0..calls * clients.len() {
        let (world, oauth) = (world.clone(), clients[n % clients.len()].clone());
        calling.spawn(async move { world.call(&oauth).await });
    }
    calling.join_all().await
}

/// What the token endpoint was asked for.
fn grants(world: &World) -> Vec<String> {
    world.fake().first.token_requests.iter().map(|(form, _)| form["grant_type"].clone()).collect()
}

#[track_caller]
fn all_answered(answers: Vec<Result<u16, Error>>) {
    let wrong: Vec<_> = answers.into_iter().filter(|it| !matches!(it, Ok(200))).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_calls_whose_token_was_rotated_make_one_refresh() {
    let world = World::new();
    let oauth = world.oauth().build().expect("a client");
    world.call(&oauth).await.expect("an answer");
    world.fake().first.delay = Duration::from_millis(50);
    for round in 1..4 {
        world.revoke_access();
        all_answered(storm(&world, std::slice::from_ref(&oauth), 50).await);
        assert_eq!(grants(&world).len(), 1 + round);
    }
    assert_eq!(grants(&world)[1..], ["refresh_token"; 3]);
    assert_eq!(world.fake().first.authorizations.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_calls_whose_token_has_ended_make_one_refresh_and_no_refusal() {
    let world = World::new();
    world.fake().first.token_with = Some(json!({"expires_in": 0}));
    let oauth = world.oauth().build().expect("a client");
    oauth.login(&world.server()).await.expect("signed in");
    world.fake().first.token_with = None;
    let refused = world.count("rs POST");
    all_answered(storm(&world, &[oauth], 50).await);
    assert_eq!(grants(&world), ["authorization_code", "refresh_token"]);
    assert_eq!(world.count("rs POST"), refused + 50);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_calls_without_a_token_make_one_login() {
    let world = World::new();
    let oauth = world.oauth().build().expect("a client");
    all_answered(storm(&world, &[oauth], 50).await);
    assert_eq!(grants(&world), ["authorization_code"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_programs_with_one_store_make_one_refresh() {
    let (world, folder) = (World::new(), Folder::new());
    let client = || world.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    let clients = [client(), client()];
    for oauth in &clients {
        world.call(oauth).await.expect("an answer");
    }
    assert_eq!(grants(&world), ["authorization_code"], "the second program takes the token of the first");
    world.fake().first.delay = Duration::from_millis(50);
    for round in 1..4 {
        world.revoke_access();
        all_answered(storm(&world, &clients, 25).await);
        assert_eq!(grants(&world).len(), 1 + round);
    }
    assert_eq!(grants(&world)[1..], ["refresh_token"; 3]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_programs_that_sign_in_at_once_show_one_page() {
    let (world, folder) = (World::new(), Folder::new());
    let client = || world.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    all_answered(storm(&world, &[client(), client()], 5).await);
    assert_eq!(world.fake().first.authorizations.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_refresh_that_fails_fails_all_who_wait_for_it() {
    let world = World::new();
    let oauth = world.oauth().build().expect("a client");
    world.call(&oauth).await.expect("an answer");
    world.revoke_access();
    world.fake().first.refuses = Some(Response::new(503));
    world.fake().first.delay = Duration::from_millis(300);
    let answers = storm(&world, std::slice::from_ref(&oauth), 20).await;
    for answer in answers {
        let refusal = answer.expect_err("an error");
        assert!(matches!(refusal, Error::Auth { fault: AuthFault::Unreachable, .. }), "{refusal}");
    }
    let asked = grants(&world).len() - 1;
    assert!(asked <= 2, "expected a try, and one of whoever came late, but found {asked}");
    // The trouble passes, and the refresh token is still there.
    world.fake().first.refuses = None;
    assert_eq!(world.call(&oauth).await.expect("an answer"), 200);
    assert_eq!(world.fake().first.authorizations.len(), 1);
}

#[tokio::test]
async fn a_refresh_whose_caller_leaves_is_taken_by_the_next_call() {
    let world = World::new();
    let oauth = world.oauth().build().expect("a client");
    world.call(&oauth).await.expect("an answer");
    world.revoke_access();
    world.fake().first.delay = Duration::from_millis(200);
    timeout(Duration::from_millis(100), world.call(&oauth)).await.expect_err("left in the middle");
    assert_eq!(world.call(&oauth).await.expect("an answer"), 200);
    // The rotated token came through: a second refresh with the old one would have ended the grant.
    assert_eq!(grants(&world), ["authorization_code", "refresh_token"]);
}

/// A store that tells when something was saved.
#[derive(Clone, Debug, Default)]
struct Telling {
    inner: Arc<MemoryStore>,
    saved: Arc<Notify>,
}

impl TokenStore for Telling {
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
async fn a_refresh_that_nobody_waits_for_keeps_what_it_gets() {
    let (world, store) = (World::new(), Telling::default());
    let client = || world.oauth().store(store.clone()).build().expect("a client");
    let oauth = client();
    world.call(&oauth).await.expect("an answer");
    world.revoke_access();
    world.fake().first.delay = Duration::from_millis(200);
    // What was saved at the login.
    store.saved.notified().await;
    timeout(Duration::from_millis(100), world.call(&oauth)).await.expect_err("left in the middle");
    drop(oauth);
    timeout(Duration::from_secs(10), store.saved.notified()).await.expect("the new tokens are kept");
    // The next run of the program: it signs nobody in, and refreshes nothing.
    assert_eq!(world.call(&client()).await.expect("an answer"), 200);
    assert_eq!(grants(&world), ["authorization_code", "refresh_token"]);
    assert_eq!(world.fake().first.authorizations.len(), 1);
}

#[tokio::test]
async fn a_refresh_token_that_is_not_replaced_stays_good() {
    let world = World::new();
    let oauth = world.oauth().build().expect("a client");
    world.call(&oauth).await.expect("an answer");
    world.fake().first.keeps_refresh_tokens = true;
    for _ in 0..2 {
        world.revoke_access();
        assert_eq!(world.call(&oauth).await.expect("an answer"), 200);
    }
    assert_eq!(grants(&world), ["authorization_code", "refresh_token", "refresh_token"]);
}

#[tokio::test]
async fn a_grant_that_is_gone_takes_a_new_login() {
    let world = World::new();
    let oauth = world.oauth().build().expect("a client");
    world.call(&oauth).await.expect("an answer");
    world.revoke_access();
    world.revoke_refresh();
    assert_eq!(world.call(&oauth).await.expect("an answer"), 200);
    assert_eq!(grants(&world), ["authorization_code", "refresh_token", "authorization_code"]);
}

#[tokio::test]
async fn nobody_is_asked_to_sign_in_before_the_server_refuses() {
    let (world, store) = (World::new(), MemoryStore::default());
    world.fake().first.token_with = Some(json!({"expires_in": 0}));
    let oauth = world.oauth().store(store).build().expect("a client");
    oauth.login(&world.server()).await.expect("signed in");
    world.revoke_refresh();
    let (server, method) = (world.server(), "POST".parse().expect("a method"));
    let headers = oauth.headers(Outgoing { server: &server, url: &server, method: &method }).await;
    assert!(headers.expect("no error").is_empty());
    assert_eq!(world.fake().first.authorizations.len(), 1);
}

#[tokio::test]
async fn a_refresh_is_made_by_the_client_that_has_the_token() {
    let (world, store) = (World::new(), MemoryStore::default());
    let oauth = world.oauth().store(store.clone()).build().expect("a client");
    world.call(&oauth).await.expect("an answer");
    // Another server of the same authorization server, and a login there that needs another registration.
    let other = Url::parse(&format!("{}/mcp2", world.rs)).expect("a URL");
    let about = json!({"resource": other, "authorization_servers": [world.as1]});
    world.fake().server.documents.insert("/.well-known/oauth-protected-resource/mcp2".to_owned(), about);
    let elsewhere = OAuth::builder("x")
        .store(store)
        .redirect("http://127.0.0.1:9/else", |url| async move { Ok(browse(&url)) });
    elsewhere.build().expect("a client").login(&other).await.expect("signed in");
    world.revoke_access();
    assert_eq!(world.call(&oauth).await.expect("an answer"), 200);
    let fake = world.fake();
    let clients: Vec<_> =
        fake.first.token_requests.iter().map(|(form, _)| form["client_id"].as_str()).collect();
    assert_eq!((clients.len(), clients[2]), (3, clients[0]));
    assert_ne!(clients[1], clients[0]);
}

#[tokio::test]
async fn a_refresh_asks_for_the_same_resource() {
    let world = World::new();
    let oauth = world.oauth().build().expect("a client");
    world.call(&oauth).await.expect("an answer");
    world.revoke_access();
    world.call(&oauth).await.expect("an answer");
    assert_eq!(world.fake().first.token_requests[1].0["resource"], world.server().as_str());
}

/// A folder that goes with its test.
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
