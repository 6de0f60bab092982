//! Changes of a host's servers: how often the host fetches a list again and reports a change. Also how long a
//! caller waits for a server that is still connecting.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::client::Change;
use plainwire::client::host::{Host, ListingState, Member};
use plainwire::prelude::*;
use plainwire::proto::peer::Limits;
use plainwire::stream::tap::{Direction, Tap};
use plainwire::testing::client_with;
use plainwire::{Client, Error, ServerHandle};
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use crate::support::PATIENCE;

fn tool(name: &str) -> Tool {
    Tool::new(name, || async { "done" })
}

/// Returns a host of one server, the handle of that server, and the count of the host's requests for its list
/// of tools.
async fn host() -> (Host, ServerHandle, Arc<Mutex<usize>>) {
    let asked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&asked);
    let tap = Tap::new(move |frame| {
        let message: Value = serde_json::from_slice(frame.bytes).expect("JSON");
        let is_list = frame.direction == Direction::Out && message["method"] == "tools/list";
        *count.lock().expect("no panic") += usize::from(is_list);
    });
    let mut server = Server::new("some").tool(tool("one"));
    let handle = server.handle();
    let client = client_with(server, Client::builder().tap(tap)).await.expect("a connection");
    let host = Host::start([Member::connected("a", client)]).expect("a host");
    // After this, the host knows the list, and the server reports changes of it.
    host.tools().await;
    sleep(Duration::from_secs(1)).await;
    host.tools().await;
    (host, handle, asked)
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_about_to_be_fetched_is_not_shown_as_fresh() {
    let (host, handle, _) = host().await;
    handle.add_tool(tool("two")).expect("a tool");
    // Now the host has received the notification, and waits for further changes before it fetches the list.
    sleep(Duration::from_millis(20)).await;
    let listing = host.tools().await;
    assert_eq!((listing.entries.len(), &listing.parts[0].state), (2, &ListingState::Fresh));
}

#[tokio::test(start_paused = true)]
async fn changes_that_nobody_looks_at_are_one() {
    let (host, handle, _) = host().await;
    for name in ["two", "three", "four"] {
        handle.add_tool(tool(name)).expect("a tool");
        sleep(Duration::from_secs(3)).await;
    }
    let change = timeout(PATIENCE, host.next_change()).await.expect("a change in time").change;
    assert!(matches!(change, Change::List(_)), "{change:?}");
    assert!(timeout(PATIENCE, host.next_change()).await.is_err(), "once is enough");
}

#[tokio::test(start_paused = true)]
async fn a_list_that_keeps_changing_is_told_of_all_the_same() {
    let (host, handle, asked) = host().await;
    let before = *asked.lock().expect("no panic");
    let (began, mut told) = (Instant::now(), None);
    for n in 0..80 {
        handle.add_tool(tool(&format!("t{n}"))).expect("a tool");
        if timeout(Duration::from_millis(50), host.next_change()).await.is_ok() {
            told.get_or_insert(began.elapsed());
        }
    }
    let told = told.expect("a change while it goes on");
    assert!(told <= Duration::from_millis(1_500), "{told:?}");
    let fetches = *asked.lock().expect("no panic") - before;
    assert!(fetches <= 6, "80 changes in 4 s, and {fetches} fetches");
}

#[tokio::test(start_paused = true)]
async fn a_host_subscribes_again_after_1_s_and_then_after_twice_as_long_up_to_300_s() {
    let times = Arc::<Mutex<Vec<Instant>>>::default();
    let list = Arc::clone(&times);
    let tap = Tap::new(move |frame| {
        let message: Value = serde_json::from_slice(frame.bytes).expect("JSON");
        if frame.direction == Direction::Out && message["method"] == "subscriptions/listen" {
            list.lock().expect("no panic").push(Instant::now());
        }
    });
    // The server refuses each subscription.
    let server = Server::new("some").tool(tool("one")).limits(Limits { listens: 0, ..Limits::default() });
    let client = client_with(server, Client::builder().tap(tap)).await.expect("a connection");
    let _host = Host::start([Member::connected("a", client)]).expect("a host");
    sleep(Duration::from_secs(1_200)).await;
    let times = times.lock().expect("no panic");
    let pauses: Vec<_> = times.windows(2).map(|it| (it[1] - it[0]).as_secs()).collect();
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_still_connecting_is_waited_for_until_its_deadline() {
    let never = Member::connecting("never", std::future::pending()).deadline(Duration::from_secs(2));
    let host = Host::start([never]).expect("a host");
    let began = Instant::now();
    let error = timeout(PATIENCE, host.client("never")).await.expect("in time").expect_err("no connection");
    assert!(matches!(&error, Error::Unreachable { origin, .. } if origin == "never"), "{error}");
    assert_eq!(began.elapsed().as_secs(), 2);
}
