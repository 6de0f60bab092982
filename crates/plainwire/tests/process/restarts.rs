//! Servers that are started again when they have died, and what becomes of what was going on.

use std::time::{Duration, Instant};

use plainwire::model::{LogLevel, SubscriptionFilter};
use plainwire::process::{Program, Restart};
use plainwire::proto::cursor::List;
use plainwire::proto::peer::EraChoice;
use plainwire::{Change, Client, Error};
use serde_json::json;

use super::support::{PATIENCE, Script, builder};

/// Dies in its first call, and in no other life.
const FRAIL: &str = r#"
lives=$(grep -c '^pid' "$NOTES")
called() {
    if [ "$lives" = 1 ]; then echo out of luck >&2; exit 9; fi
    answer "$text"
}
"#;

fn quickly() -> Restart {
    Restart::default().backoff(Duration::from_millis(20), Duration::from_millis(50))
}

async fn connect(program: Program) -> Client {
    builder().command(program).await.expect("a connection")
}

#[tokio::test]
async fn never_makes_a_call_again_that_may_have_had_its_effect() {
    let script = Script::serving(FRAIL);
    let client = connect(script.program().restart(quickly())).await;
    client.list_tools().await.expect("tools");
    let failed = client.call_tool("write", json!({})).await.expect_err("no answer");
    let Error::OutcomeUnknown { what, why } = failed else { panic!("{failed}") };
    assert_eq!(what, "`tools/call` of \"write\"");
    assert!(why.contains("exit status: 9") && why.ends_with("out of luck"), "{why}");
    assert_eq!(script.calls(), 1);
    // The client goes on with the next process.
    client.call_tool("write", json!({})).await.expect("an answer");
    assert_eq!((script.calls(), script.pids().len()), (2, 2));
    client.close().await;
    script.expect_nobody_left_within(Duration::from_secs(1));
}

#[tokio::test]
async fn makes_a_call_again_that_only_reads() {
    let script = Script::serving(FRAIL);
    let client = connect(script.program().restart(quickly())).await;
    client.list_tools().await.expect("tools");
    client.call_tool("read", json!({})).await.expect("an answer");
    assert_eq!((script.calls(), script.pids().len()), (2, 2));
}

#[tokio::test]
async fn does_not_make_a_call_again_that_has_killed_two_servers() {
    let script = Script::serving("called() { exit 9; }");
    let client = connect(script.program().restart(quickly())).await;
    client.list_tools().await.expect("tools");
    let failed = client.call_tool("read", json!({})).await.expect_err("no answer");
    assert!(matches!(failed, Error::OutcomeUnknown { .. }), "{failed}");
    assert_eq!(script.calls(), 2);
}

#[tokio::test]
async fn gives_a_server_up_that_does_not_come_back() {
    let script = Script::serving(&format!("{FRAIL}\n[ \"$lives\" = 1 ] || exit 4"));
    let client = connect(script.program().restart(quickly().at_most(2))).await;
    let began = Instant::now();
    let unknown = client.call_tool("write", json!({})).await.expect_err("no answer");
    assert!(matches!(unknown, Error::OutcomeUnknown { .. }), "{unknown}");
    let failed = client.call_tool("write", json!({})).await.expect_err("no server");
    assert!(matches!(failed, Error::Closed { .. }), "{failed}");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!((script.calls(), script.pids().len()), (1, 3));
    script.expect_nobody_left();
}

#[tokio::test]
async fn subscribes_again_and_tells_that_anything_may_have_changed() {
    for (era, listening) in [(EraChoice::Legacy, 0), (EraChoice::Modern, 2)] {
        let script = Script::serving(FRAIL);
        let program = script.program().restart(quickly());
        let client = builder().era(era).command(program).await.expect("a connection");
        let filter = SubscriptionFilter { tools_list_changed: true, ..SubscriptionFilter::default() };
        let mut listen = client.listen(filter).await.expect("a subscription");
        client.call_tool("write", json!({})).await.expect_err("no answer");
        let heard = tokio::time::timeout(PATIENCE, listen.next()).await.expect("in time");
        assert_eq!(heard, Some(Change::List(List::Tools)));
        client.call_tool("write", json!({})).await.expect("an answer");
        let listens = script.notes().iter().filter(|note| *note == "listening").count();
        assert_eq!(listens, listening, "{era:?}");
    }
}

#[tokio::test]
async fn says_again_which_log_messages_are_wanted() {
    let script = Script::serving(FRAIL);
    let client = connect(script.program().restart(quickly())).await;
    client.set_log_level(LogLevel::Warning).await.expect("a level");
    client.call_tool("write", json!({})).await.expect_err("no answer");
    client.call_tool("write", json!({})).await.expect("an answer");
    let levels: Vec<String> = script.notes().into_iter().filter(|note| note.starts_with("level ")).collect();
    assert!(levels.len() == 2 && levels.iter().all(|level| level.contains("warning")), "{levels:?}");
}

#[tokio::test]
async fn starts_nothing_again_for_a_client_that_is_closed() {
    let script = Script::serving(FRAIL);
    let slowly = Restart::default().backoff(Duration::from_millis(300), Duration::from_millis(300));
    let client = connect(script.program().restart(slowly)).await;
    client.call_tool("write", json!({})).await.expect_err("no answer");
    client.close().await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(script.pids().len(), 1);
    script.expect_nobody_left_within(Duration::from_secs(1));
}

#[tokio::test]
async fn does_not_start_a_server_again_unless_told_to() {
    let script = Script::serving(FRAIL);
    let client = script.connect().await;
    client.call_tool("write", json!({})).await.expect_err("no answer");
    client.call_tool("write", json!({})).await.expect_err("no server");
    assert_eq!((script.calls(), script.pids().len()), (1, 1));
}
