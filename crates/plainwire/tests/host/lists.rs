//! The joint lists of a host's servers, some of which are slow, unreachable or dead.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::client::Change;
use plainwire::client::host::{Connection, Host, HostChange, ListingState, Member};
#[cfg(unix)]
use plainwire::client::process::{Program, Stderr};
use plainwire::proto::cursor::List;
use plainwire::stream::tap::{Direction, Tap};
use plainwire::testing;
use plainwire::{Client, Error};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use crate::support::{Mode, PATIENCE, member, names, scripted, server, tool};

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_connect_holds_up_nobody() {
    let slow = Member::connecting("slow", async {
        sleep(Duration::from_secs(20)).await;
        testing::client(server(&["late"])).await
    });
    let host = Host::start([slow.deadline(Duration::from_secs(2)), member("quick", server(&["hello"]))])
        .expect("a host");
    let began = Instant::now();
    assert_eq!(host.call::<String>("quick__hello", json!({})).await.expect("text"), "hello");
    assert!(began.elapsed() < Duration::from_millis(1), "its prefix says whose it is");
    assert_eq!(host.call::<String>("hello", json!({})).await.expect("text"), "hello");
    assert_eq!(began.elapsed().as_secs(), 2, "a name without a prefix waits for whoever might have it");

    let began = Instant::now();
    let listing = host.tools().await;
    assert_eq!(names(&listing), ["quick__hello"]);
    let why = "it has not connected yet".to_owned();
    assert_eq!(listing.parts[0].state, ListingState::Missing { why });
    assert!(began.elapsed() <= Duration::from_secs(2));
    let began = Instant::now();
    host.tools().await;
    assert!(began.elapsed() < Duration::from_millis(1), "who was late once is not waited for again");

    let change = timeout(PATIENCE, host.next_change()).await.expect("a change in time");
    assert_eq!(change, HostChange { change: Change::List(List::Tools), server: "slow".to_owned() });
    assert_eq!(names(&host.tools().await), ["slow__late", "quick__hello"]);
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_named_with_the_reason() {
    let broken = Member::to("broken", Command::new("/no/such/server"));
    let host = Host::start([broken]).expect("a host");
    let listing = host.tools().await;
    let ListingState::Missing { why } = &listing.parts[0].state else { panic!("{:?}", listing.parts) };
    let reason = "starting the server: expected \"/no/such/server\" to exist, but found";
    assert!(why.starts_with(reason) && why.contains("; it is tried again in "), "{why}");
    let error = host.call_tool("broken__x", json!({})).await.expect_err("nobody");
    assert!(error.to_string().contains(reason), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_that_never_answers_is_shown_with_its_last_words() {
    let mut program = Command::new("sh");
    program.args(["-c", "echo waiting for the database >&2; sleep 30"]);
    let program = Program::new(program).stderr(Stderr::Keep);
    // The earlier deadline counts.
    let builder = Client::builder().connect_deadline(Duration::from_secs(60));
    let never = Member::to_with("never", program, builder).connect_deadline(Duration::from_millis(300));
    let host = Host::start([never]).expect("a host");
    let listing = host.tools().await;
    let ListingState::Missing { why } = &listing.parts[0].state else { panic!("{:?}", listing.parts) };
    let said = "expected a connection within 300ms, but found none; its last words on stderr:\nwaiting for the database";
    assert!(why.contains(said), "{why}");
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_fails_or_takes_too_long_is_said_to() {
    let never = Member::connecting("never", std::future::pending()).connect_deadline(Duration::from_secs(3));
    let refused = Member::connecting("refused", async { Err(Error::Closed { why: "no".to_owned() }) });
    let host = Host::start([never, refused, member("good", server(&["hello"]))]).expect("a host");
    let listing = host.tools().await;
    assert_eq!(names(&listing), ["good__hello"]);
    let missing = |n: usize| match &listing.parts[n].state {
        ListingState::Missing { why } => why.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(missing(0), "the connection ended: expected a connection within 3s, but there is none");
    assert_eq!(missing(1), "the connection ended: no");
    assert!(matches!(host.servers()[1].connection, Connection::Failed { .. }));
    assert!(matches!(host.servers()[2].connection, Connection::Connected(_)));
    let error = host.call_tool("refused__x", json!({})).await.expect_err("nobody");
    assert!(matches!(&error, Error::Unreachable { origin, .. } if origin == "refused"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn the_last_list_of_a_slow_server_stands_for_it() {
    let (client, script) = scripted(Mode { list_changed: false, ..Mode::default() }).await;
    let host = Host::start([Member::connected("slow", client), member("b", server(&["x"]))]).expect("a host");
    assert_eq!(host.tools().await.parts[0].state, ListingState::Fresh);

    script.change(|mode| mode.is_slow = true);
    let began = Instant::now();
    let listing = host.tools().await;
    assert_eq!(names(&listing), ["slow__hello", "b__x"]);
    assert!(
        matches!(&listing.parts[0].state, ListingState::Stale { age, .. } if *age >= Duration::from_secs(5))
    );
    assert_eq!(began.elapsed().as_secs(), 5);

    script.change(|mode| {
        mode.is_slow = false;
        mode.tools = json!([{ "name": "other", "inputSchema": { "type": "object" } }]);
    });
    let change = timeout(PATIENCE, host.next_change()).await.expect("a change in time");
    assert_eq!(change.server, "slow");
    assert_eq!(names(&host.tools().await), ["slow__other", "b__x"]);
}

#[tokio::test]
async fn the_last_list_of_a_server_that_died_stands_for_it() {
    let (client, script) = scripted(Mode::default()).await;
    let host = Host::start([Member::connected("a", client), member("b", server(&["x"]))]).expect("a host");
    assert_eq!(names(&host.tools().await), ["a__hello", "b__x"]);
    script.change(|mode| mode.is_dead = true);
    let error = host.call_tool("a__hello", json!({})).await.expect_err("nobody is left");
    assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error}");
    let listing = host.tools().await;
    assert_eq!(names(&listing), ["a__hello", "b__x"]);
    assert!(
        matches!(&listing.parts[0].state, ListingState::Stale { why, .. } if why.contains("the connection ended"))
    );
    assert_eq!(listing.parts[1].state, ListingState::Fresh);
}

#[tokio::test(start_paused = true)]
async fn a_burst_of_changes_is_one_change_and_one_fetch() {
    let asked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&asked);
    let tap = Tap::new(move |frame| {
        let message: Value = serde_json::from_slice(frame.bytes).expect("JSON");
        *count.lock().expect("no panic") +=
            usize::from(frame.direction == Direction::Out && message["method"] == "tools/list");
    });
    let mut server = server(&["one"]);
    let handle = server.handle();
    let client = testing::client_with(server, Client::builder().tap(tap)).await.expect("a connection");
    let host = Host::start([Member::connected("a", client)]).expect("a host");
    // After this, the host knows the list, and the server reports changes of it.
    host.tools().await;
    sleep(Duration::from_secs(1)).await;
    host.tools().await;
    let before = *asked.lock().expect("no panic");
    host.tools().await;
    assert_eq!(*asked.lock().expect("no panic"), before, "a list that is watched is not asked for");

    for name in ["two", "three", "four"] {
        handle.add_tool(tool(name)).expect("a tool");
        sleep(Duration::from_millis(50)).await;
    }
    let change = timeout(PATIENCE, host.next_change()).await.expect("a change in time");
    assert_eq!(change, HostChange { change: Change::List(List::Tools), server: "a".to_owned() });
    assert_eq!(*asked.lock().expect("no panic"), before + 1);
    assert_eq!(host.tools().await.entries.len(), 4);
    assert_eq!(*asked.lock().expect("no panic"), before + 1, "it was fetched before it was told");
    assert!(timeout(PATIENCE, host.next_change()).await.is_err(), "once is enough");
}

#[tokio::test(start_paused = true)]
async fn a_list_that_nobody_watches_is_asked_for_each_time() {
    let (client, script) = scripted(Mode { list_changed: false, ..Mode::default() }).await;
    let host = Host::start([Member::connected("a", client)]).expect("a host");
    host.tools().await;
    let before = script.asked("tools/list");
    host.tools().await;
    host.tools().await;
    assert_eq!(script.asked("tools/list"), before + 2);
    tokio::join!(host.tools(), host.tools(), host.tools());
    assert_eq!(script.asked("tools/list"), before + 3, "those who wait together share a fetch");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_was_slow_once_is_waited_for_again() {
    let (client, script) = scripted(Mode { list_changed: false, ..Mode::default() }).await;
    let host = Host::start([Member::connected("a", client)]).expect("a host");
    script.change(|mode| mode.is_slow = true);
    host.tools().await;
    script.change(|mode| mode.is_slow = false);
    sleep(Duration::from_secs(1)).await;
    script.change(|mode| mode.is_slow = true);
    let (one, other, ()) = tokio::join!(host.tools(), host.tools(), async {
        sleep(Duration::from_secs(1)).await;
        script.change(|mode| mode.is_slow = false);
    });
    assert_eq!([&one.parts[0].state, &other.parts[0].state], [&ListingState::Fresh; 2]);
}

#[tokio::test(start_paused = true)]
async fn who_comes_while_a_list_is_fetched_waits_for_that_fetch() {
    let (client, script) = scripted(Mode { list_changed: false, ..Mode::default() }).await;
    let host = Host::start([Member::connected("a", client)]).expect("a host");
    host.tools().await;
    let before = script.asked("tools/list");
    script.change(|mode| mode.is_slow = true);
    let late = async {
        sleep(Duration::from_secs(1)).await;
        host.tools().await
    };
    let (one, other, ()) = tokio::join!(host.tools(), late, async {
        sleep(Duration::from_secs(2)).await;
        script.change(|mode| mode.is_slow = false);
    });
    assert_eq!([&one.parts[0].state, &other.parts[0].state], [&ListingState::Fresh; 2]);
    assert_eq!(script.asked("tools/list"), before + 1);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_connects_again_is_missing_with_the_reason_of_the_last_time() {
    let attempts = AtomicU32::new(0);
    let member = Member::reconnecting("db", move || {
        let is_first = attempts.fetch_add(1, Ordering::SeqCst) == 0;
        async move {
            match is_first {
                true => Err(Error::Closed { why: "no database".to_owned() }),
                false => std::future::pending().await,
            }
        }
    });
    let host = Host::start([member.deadline(Duration::from_secs(1))]).expect("a host");
    let listing = host.tools().await;
    let ListingState::Missing { why } = &listing.parts[0].state else { panic!("{listing:?}") };
    assert_eq!(why, "it has not connected yet; the last time: the connection ended: no database");
}
