//! Pings to clients that are silent, and durations that never end.

use std::time::Duration;

use plainwire::Client;
use plainwire::model::{ElicitResult, Elicitation};
use plainwire::prelude::*;
use plainwire::proto::peer::EraChoice;
use tokio::time::{Instant, sleep};

use crate::progress::reporter;
use crate::raw_client::{LEGACY, MODERN, PATIENCE, Raw, call, request, result, text};

#[tokio::test(start_paused = true)]
async fn a_client_that_falls_silent_is_asked_and_then_left() {
    let server = Server::new("s").ping_every(Duration::from_secs(10)).drain(2 * PATIENCE);
    let mut raw = Raw::session(server, LEGACY).await;
    let began = Instant::now();
    let asked = raw.line().await;
    assert_eq!(asked, r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}"#);
    assert_eq!(began.elapsed().as_secs(), 10);
    raw.send(&result("1", "{}")).await;
    assert_eq!(raw.line().await, asked.replace("\"id\":1", "\"id\":2"));
    assert_eq!(raw.next().await, None, "the server has left");
    assert_eq!(began.elapsed().as_secs(), 30);
    raw.served().await.expect("a clean end");
}

#[tokio::test(start_paused = true)]
async fn a_client_of_2026_07_28_is_never_pinged() {
    let server = Server::new("s").ping_every(Duration::from_secs(1)).tool(reporter(1, Duration::ZERO));
    let mut raw = Raw::session(server, MODERN).await;
    sleep(Duration::from_secs(100)).await;
    assert!(raw.ask(&request(MODERN, "1", "tools/call", r#"{"name":"t"}"#)).await.contains("done"));
    assert_eq!(raw.end().await, Vec::<String>::new());
}

/// Durations that are longer than the clock can count.
const ENDLESS: [Duration; 2] = [Duration::MAX, Duration::MAX.saturating_sub(Duration::from_secs(1))];

#[tokio::test]
async fn a_server_whose_silence_never_ends_serves() {
    for endless in ENDLESS {
        let server = Server::new("s").ping_every(endless).tool(reporter(1, Duration::ZERO));
        let mut raw = Raw::session(server, LEGACY).await;
        for id in ["1", "2"] {
            assert_eq!(raw.ask(&call(id, "t", "{}")).await, text(id, "done"), "{endless:?}");
        }
    }
}

#[tokio::test]
async fn a_client_whose_silence_never_ends_calls() {
    for endless in ENDLESS {
        let server = Server::new("s").tool(reporter(1, Duration::ZERO));
        let client = Client::builder().era(EraChoice::Legacy).ping_every(endless);
        let client = plainwire::testing::client_with(server, client).await.expect("a connection");
        for _ in 0..2 {
            let answer: String = client.call("t", serde_json::json!({})).await.expect("an answer");
            assert_eq!(answer, "done", "{endless:?}");
        }
    }
}

#[tokio::test]
async fn a_question_that_may_wait_for_ever_is_answered() {
    for endless in ENDLESS {
        let ask = |ctx: Context| async move { ctx.elicit::<String>("q", "Who?").await?.accepted() };
        let server = Server::new("s").ask_timeout(endless).tool(Tool::new("t", ask));
        let ada = async |_: Elicitation| {
            // The delay makes the server wait for the answer, for which it sets a timer.
            sleep(Duration::from_millis(5)).await;
            ElicitResult::accept("Ada")
        };
        let client = Client::builder().era(EraChoice::Legacy).on_elicit(ada);
        let client = plainwire::testing::client_with(server, client).await.expect("a connection");
        let answer: String = client.call("t", serde_json::json!({})).await.expect("an answer");
        assert_eq!(answer, "Ada", "{endless:?}");
    }
}
