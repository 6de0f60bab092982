//! Servers of a host whose connections end and are made again, and servers that are added and removed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::client::Change;
use plainwire::client::host::{Connection, Host, HostChange, Listing, ListingState, Member};
use plainwire::client::process::Restart;
use plainwire::prelude::*;
use plainwire::proto::cursor::List;
use plainwire::proto::peer::EraChoice;
use plainwire::testing;
use plainwire::{Client, Error};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::support::{PATIENCE, names};

/// A server whose connections the test can end, and whose behaviour the test can change at any time.
struct Mortal {
    asked: Mutex<Vec<String>>,
    connects: AtomicUsize,
    is_mute: AtomicBool,
    is_refusing: AtomicBool,
    is_telling: AtomicBool,
    lives: Mutex<JoinSet<()>>,
    tools: Mutex<Vec<&'static str>>,
}

impl Mortal {
    fn new(tools: &[&'static str]) -> Arc<Self> {
        Arc::new(Self {
            asked: Mutex::default(),
            connects: AtomicUsize::new(0),
            is_mute: AtomicBool::new(false),
            is_refusing: AtomicBool::new(false),
            is_telling: AtomicBool::new(false),
            lives: Mutex::default(),
            tools: Mutex::new(tools.to_vec()),
        })
    }

    fn member(self: &Arc<Self>, name: &str) -> Member {
        let server = Arc::clone(self);
        Member::reconnecting(name, move || Arc::clone(&server).connect())
    }

    async fn connect(self: Arc<Self>) -> Result<Client> {
        self.connects.fetch_add(1, Ordering::SeqCst);
        // Connecting takes a moment, in which other tasks may try to connect too.
        sleep(Duration::from_millis(10)).await;
        if self.is_refusing.load(Ordering::SeqCst) {
            return Err(Error::Unreachable { origin: "here".to_owned(), why: "nobody is in".to_owned() });
        }
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let server = Arc::clone(&self);
        self.lives.lock().expect("no panic").spawn(async move { server.serve(theirs).await });
        let (reader, writer) = tokio::io::split(ours);
        Client::builder().era(EraChoice::Legacy).streams(reader, writer).await
    }

    async fn serve(&self, stream: DuplexStream) {
        let (from, mut to) = tokio::io::split(stream);
        let mut lines = BufReader::new(from).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let message: Value = serde_json::from_str(&line).expect("JSON");
            let method = message["method"].as_str().unwrap_or_default().to_owned();
            self.asked.lock().expect("no panic").push(method.clone());
            let tools: Vec<Value> = self
                .tools
                .lock()
                .expect("no panic")
                .iter()
                .map(|name| json!({ "name": name, "inputSchema": { "type": "object" } }))
                .collect();
            let result = match &*method {
                "initialize" => {
                    let tools = json!({ "listChanged": self.is_telling.load(Ordering::SeqCst) });
                    json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": tools } })
                }
                "tools/list" => json!({ "tools": tools }),
                "tools/call" if !self.is_mute.load(Ordering::SeqCst) => {
                    json!({ "content": [{ "type": "text", "text": "done" }] })
                }
                _ => continue,
            };
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
            to.write_all(format!("{answer}\n").as_bytes()).await.expect("somebody reads");
        }
    }

    fn connects(&self) -> usize {
        self.connects.load(Ordering::SeqCst)
    }

    fn asked(&self, method: &str) -> usize {
        self.asked.lock().expect("no panic").iter().filter(|it| *it == method).count()
    }

    /// Ends all connections of the server, and waits until the host reports one of its servers as no longer
    /// connected.
    async fn die(&self, host: &Host) {
        self.lives.lock().expect("no panic").abort_all();
        while host.servers().iter().all(|it| matches!(it.connection, Connection::Connected(_))) {
            sleep(Duration::from_millis(1)).await;
        }
        // Lets the host's own task handle the end too.
        sleep(Duration::from_millis(1)).await;
    }
}

fn stale(listing: &Listing, part: usize) -> &str {
    match &listing.parts[part].state {
        ListingState::Stale { why, .. } => why,
        other => panic!("expected a list that is old, but found {other:?}"),
    }
}

fn change(server: &str) -> HostChange {
    HostChange { change: Change::List(List::Tools), server: server.to_owned() }
}

async fn call(host: &Host, name: &str) -> Result<String> {
    host.call::<String>(name, json!({})).await
}

#[tokio::test(start_paused = true)]
async fn a_server_that_died_is_connected_to_again_once_for_all_who_call() {
    let server = Mortal::new(&["hello"]);
    let host = Host::start([server.member("a")]).expect("a host");
    assert_eq!(names(&host.tools().await), ["a__hello"]);
    server.die(&host).await;
    sleep(Duration::from_secs(3_600)).await;
    assert_eq!(server.connects(), 1, "nobody has needed it");
    assert!(matches!(host.servers()[0].connection, Connection::Lost { .. }));

    let (one, two, listing) = tokio::join!(call(&host, "a__hello"), call(&host, "a__hello"), host.tools());
    assert_eq!((one.expect("text"), two.expect("text")), ("done".to_owned(), "done".to_owned()));
    assert_eq!(listing.parts[0].state, ListingState::Fresh);
    assert_eq!(server.connects(), 2);
    assert!(matches!(host.servers()[0].connection, Connection::Connected(_)));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_sent_is_not_made_again() {
    let server = Mortal::new(&["hello"]);
    let host = Host::start([server.member("a")]).expect("a host");
    host.tools().await;
    server.is_mute.store(true, Ordering::SeqCst);
    let (called, ()) = tokio::join!(call(&host, "a__hello"), async {
        while server.asked("tools/call") == 0 {
            sleep(Duration::from_millis(1)).await;
        }
        server.die(&host).await;
    });
    let error = called.expect_err("its outcome is not known");
    assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error}");
    server.is_mute.store(false, Ordering::SeqCst);
    assert_eq!(names(&host.tools().await), ["a__hello"]);
    assert_eq!((server.connects(), server.asked("tools/call")), (2, 1));
    assert_eq!(call(&host, "a__hello").await.expect("text"), "done");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_on_a_connection_whose_end_was_just_seen() {
    let server = Mortal::new(&["hello"]);
    let host = Host::start([server.member("a")]).expect("a host");
    host.tools().await;
    // The requests are made in a task of their own, which is woken before the host's task. The test itself is
    // polled after all tasks.
    let (mut task, shared) = (JoinSet::new(), Arc::clone(&server));
    task.spawn(async move {
        for connects in [2, 3] {
            let client = host.client("a").await.expect("a client");
            shared.lives.lock().expect("no panic").abort_all();
            client.ping().await.expect_err("nobody answers");
            if connects == 2 {
                assert_eq!(call(&host, "a__hello").await.expect("text"), "done");
                sleep(Duration::from_secs(61)).await;
            } else {
                assert_eq!(host.tools().await.parts[0].state, ListingState::Fresh);
            }
        }
    });
    task.join_next().await.expect("a task").expect("no panic");
    assert_eq!(server.connects(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_told_changes_and_does_not_any_more_is_asked_each_time() {
    let server = Mortal::new(&["hello"]);
    server.is_telling.store(true, Ordering::SeqCst);
    let host = Host::start([server.member("a")]).expect("a host");
    host.tools().await;
    sleep(Duration::from_secs(1)).await;
    host.tools().await;
    let before = server.asked("tools/list");
    host.tools().await;
    assert_eq!(server.asked("tools/list"), before, "what is watched is not asked for");
    server.is_telling.store(false, Ordering::SeqCst);
    server.die(&host).await;
    host.tools().await;
    sleep(Duration::from_secs(1)).await;
    let before = server.asked("tools/list");
    host.tools().await;
    host.tools().await;
    assert_eq!(server.asked("tools/list"), before + 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stays_away_is_tried_seldom_and_at_last_not_any_more() {
    let server = Mortal::new(&["hello"]);
    let policy = Restart::default().at_most(3).backoff(Duration::from_secs(10), Duration::from_secs(60));
    let host = Host::start([server.member("a").retry(policy)]).expect("a host");
    host.tools().await;
    server.is_refusing.store(true, Ordering::SeqCst);
    server.die(&host).await;

    let why = "here can't be reached: nobody is in";
    let listing = host.tools().await;
    assert_eq!(names(&listing), ["a__hello"], "its last list stands for it");
    assert_eq!(stale(&listing, 0), format!("{why}; it is tried again in 10s at the earliest"));
    sleep(Duration::from_secs(9)).await;
    let error = call(&host, "a__hello").await.expect_err("too early");
    assert!(matches!(&error, Error::Unreachable { why, .. } if why.contains("tried again in 1s")), "{error}");
    assert_eq!(server.connects(), 2, "the first one and one more");
    sleep(Duration::from_secs(1)).await;
    assert_eq!(stale(&host.tools().await, 0), format!("{why}; it is tried again in 20s at the earliest"));
    assert_eq!(server.connects(), 3);
    sleep(Duration::from_secs(20)).await;
    assert_eq!(stale(&host.tools().await, 0), why);
    assert_eq!(server.connects(), 4);
    let failed = Connection::Failed { why: why.to_owned() };
    assert_eq!(host.servers()[0].connection, failed);
    sleep(Duration::from_secs(100_000)).await;
    host.tools().await;
    assert_eq!(server.connects(), 4, "three times again and no more");

    server.is_refusing.store(false, Ordering::SeqCst);
    host.remove("a").await.expect("it is there");
    host.add(server.member("a")).expect("its name is free");
    assert_eq!(names(&host.tools().await), ["a__hello"], "added again, it begins anew");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_dies_young_is_not_started_over_and_over() {
    let server = Mortal::new(&["hello"]);
    let host = Host::start([server.member("a")]).expect("a host");
    host.tools().await;
    for connects in [2, 3] {
        sleep(Duration::from_secs(10)).await;
        server.die(&host).await;
        assert_eq!(call(&host, "a__hello").await.ok().as_deref(), (connects == 2).then_some("done"));
        assert_eq!(server.connects(), 2, "the second time in a row waits for a second");
    }
    sleep(Duration::from_secs(1)).await;
    assert_eq!(call(&host, "a__hello").await.expect("text"), "done");
    sleep(Duration::from_secs(61)).await;
    server.die(&host).await;
    assert_eq!(call(&host, "a__hello").await.expect("a long life is none in a row"), "done");
}

#[tokio::test(start_paused = true)]
async fn a_first_connection_that_fails_is_tried_again() {
    let server = Mortal::new(&["hello"]);
    server.is_refusing.store(true, Ordering::SeqCst);
    let host = Host::start([server.member("a")]).expect("a host");
    let listing = host.tools().await;
    assert!(matches!(listing.parts[0].state, ListingState::Missing { .. }), "{:?}", listing.parts);
    server.is_refusing.store(false, Ordering::SeqCst);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(names(&host.tools().await), ["a__hello"]);
    assert_eq!(timeout(PATIENCE, host.next_change()).await.expect("a change"), change("a"));
}

#[tokio::test(start_paused = true)]
async fn what_the_server_has_after_its_death_is_told_if_it_is_something_else() {
    let server = Mortal::new(&["hello"]);
    let host = Host::start([server.member("a")]).expect("a host");
    host.tools().await;
    server.die(&host).await;
    assert_eq!(call(&host, "a__hello").await.expect("text"), "done");
    assert!(timeout(PATIENCE, host.next_change()).await.is_err(), "the same list is no change");
    server.tools.lock().expect("no panic").push("more");
    sleep(Duration::from_secs(60)).await;
    server.die(&host).await;
    assert_eq!(call(&host, "a__hello").await.expect("text"), "done");
    assert_eq!(timeout(PATIENCE, host.next_change()).await.expect("a change"), change("a"));
    assert_eq!(names(&host.tools().await), ["a__hello", "a__more"]);
}

#[tokio::test(start_paused = true)]
async fn servers_come_and_go_and_their_lists_are_told() {
    let (one, two) = (Mortal::new(&["x"]), Mortal::new(&["y"]));
    let host = Host::start([one.member("one")]).expect("a host");
    host.tools().await;
    let error = host.add(two.member("one").prefix("other")).expect_err("the name is taken");
    assert!(matches!(error, Error::Target { .. }), "{error}");
    host.add(two.member("other").prefix("one")).expect_err("the prefix is taken");
    host.add(two.member("two")).expect("a name of its own");
    assert_eq!(timeout(PATIENCE, host.next_change()).await.expect("a change"), change("two"));
    assert_eq!(names(&host.tools().await), ["one__x", "two__y"]);
    assert_eq!(call(&host, "two__y").await.expect("text"), "done");

    host.remove("one").await.expect("it is there");
    assert_eq!(timeout(PATIENCE, host.next_change()).await.expect("a change"), change("one"));
    assert_eq!(names(&host.tools().await), ["two__y"]);
    assert!(matches!(call(&host, "one__x").await, Err(Error::Unknown { .. })));
    let mut lives = std::mem::take(&mut *one.lives.lock().expect("no panic"));
    timeout(PATIENCE, lives.join_next()).await.expect("the server sees the end").expect("one").expect("well");
    assert_eq!(one.connects(), 1, "nobody connects to what was removed");
    let error = host.remove("one").await.expect_err("it is gone");
    assert!(matches!(error, Error::Unknown { what: "server", .. }), "{error}");
    host.add(one.member("one")).expect("its name is free");
    assert_eq!(names(&host.tools().await), ["two__y", "one__x"]);
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_server_that_is_removed_waits_no_longer() {
    let never = Member::reconnecting("never", std::future::pending);
    let host = Host::start([never]).expect("a host");
    let began = tokio::time::Instant::now();
    let (client, removed) = tokio::join!(host.client("never"), async {
        sleep(Duration::from_millis(100)).await;
        host.remove("never").await
    });
    removed.expect("it is there");
    let error = client.expect_err("there is none");
    assert!(
        matches!(&error, Error::Unreachable { why, .. } if why == "it was removed from the host"),
        "{error}"
    );
    assert!(began.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn a_server_of_this_program_is_a_target_too() {
    let server = Server::new("s").tool(Tool::new("one", || async { "1" }));
    let host = Host::start([Member::to("s", server)]).expect("a host");
    assert_eq!(call(&host, "s__one").await.expect("text"), "1");
    let other = testing::client(Server::new("t").tool(Tool::new("two", || async { "2" })));
    host.add(Member::connecting("t", other)).expect("a name of its own");
    assert_eq!(call(&host, "t__two").await.expect("text"), "2");
    host.close().await;
}
