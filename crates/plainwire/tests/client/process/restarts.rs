//! Servers that a client starts again after their process has exited, and the calls, subscriptions and
//! questions that were open at the exit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use plainwire::client::Change;
use plainwire::client::process::{Program, Restart};
use plainwire::model::{LogLevel, SubscriptionFilter};
use plainwire::proto::cursor::List;
use plainwire::proto::peer::{EraChoice, RequestOptions};
use plainwire::stream::tap::{Direction, Tap};
use plainwire::{Client, Error};
use serde_json::json;

use super::support::{PATIENCE, Script, builder};

/// Shell code of a server whose first process exits in its first call. Later processes answer calls.
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
    // The client uses the next process for this call.
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
async fn a_subscription_that_was_about_to_begin_does_not_say_that_the_connection_is_over() {
    // The first process exits when it should acknowledge the subscription.
    let script = Script::serving("[ \"$(grep -c '^pid' \"$NOTES\")\" = 1 ] && acknowledge() { exit 9; }");
    let program = script.program().restart(quickly());
    let client = builder().era(EraChoice::Modern).command(program).await.expect("a connection");
    let filter = SubscriptionFilter { tools_list_changed: true, ..SubscriptionFilter::default() };
    let failed = client.listen(filter.clone()).await.expect_err("no beginning");
    assert!(matches!(failed, Error::OutcomeUnknown { .. }), "{failed}");
    client.listen(filter).await.expect("a subscription");
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

#[tokio::test]
async fn forgets_what_the_last_server_had_allowed_to_be_used_again() {
    let tools = r#"tools='{"resultType":"complete","ttlMs":600000,"cacheScope":"public","tools":[]}'"#;
    let script = Script::serving(&format!("{FRAIL}\n{tools}"));
    let lists = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&lists);
    let tap = Tap::new(move |frame| {
        let is_list = frame.bytes.windows(10).any(|it| it == b"tools/list");
        seen.fetch_add(usize::from(is_list && frame.direction == Direction::Out), Ordering::SeqCst);
    });
    let builder = builder().era(EraChoice::Modern).tap(tap);
    let client = builder.command(script.program().restart(quickly())).await.expect("a connection");
    client.list_tools().await.expect("tools");
    client.list_tools().await.expect("the same tools");
    assert_eq!(lists.load(Ordering::SeqCst), 1);
    client.call_tool("write", json!({})).await.expect_err("no answer");
    // This call waits until the next process runs.
    client.call_tool("write", json!({})).await.expect("an answer");
    client.list_tools().await.expect("tools of the next server");
    assert_eq!(lists.load(Ordering::SeqCst), 2);
}

/// The shell function of a server that exits in each call.
const DEADLY: &str = "called() { exit 9; }";

#[tokio::test]
async fn counts_anew_after_a_server_that_ran_long_enough() {
    let script = Script::serving(DEADLY);
    let policy = Restart::default().at_most(1).backoff(Duration::from_millis(1), Duration::from_millis(50));
    let client = connect(script.program().restart(policy)).await;
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let failed = client.call_tool("write", json!({})).await.expect_err("no answer");
        assert!(matches!(failed, Error::OutcomeUnknown { .. }), "{failed}");
    }
    assert_eq!(script.calls(), 3);
}

#[tokio::test]
async fn gives_a_server_up_that_greets_and_does_not_live() {
    let script = Script::serving(DEADLY);
    let policy = Restart::default().at_most(2).backoff(Duration::from_millis(1), Duration::from_secs(60));
    let client = connect(script.program().restart(policy)).await;
    for _ in 0..3 {
        let failed = client.call_tool("write", json!({})).await.expect_err("no answer");
        assert!(matches!(failed, Error::OutcomeUnknown { .. }), "{failed}");
    }
    let failed = client.call_tool("write", json!({})).await.expect_err("no server");
    assert!(matches!(failed, Error::Closed { .. }), "{failed}");
    assert_eq!((script.calls(), script.pids().len()), (3, 3));
}

#[tokio::test]
async fn gives_a_server_up_that_never_greets_again_however_long_it_runs() {
    let script = Script::serving(&format!("{FRAIL}\n[ \"$lives\" = 1 ] || {{ sleep 0.1; exit 4; }}"));
    let client = connect(script.program().restart(quickly().at_most(2))).await;
    client.list_tools().await.expect("tools");
    let failed = tokio::time::timeout(PATIENCE, client.call_tool("read", json!({}))).await.expect("in time");
    let failed = failed.expect_err("no server");
    assert!(matches!(&failed, Error::Closed { why } if why.contains("restarted 2 times")), "{failed}");
    assert_eq!((script.calls(), script.pids().len()), (1, 3));
}

#[tokio::test]
async fn waits_before_a_server_is_started_again() {
    let script = Script::serving(FRAIL);
    let slowly = Restart::default().backoff(Duration::from_millis(300), Duration::from_millis(300));
    let client = connect(script.program().restart(slowly)).await;
    client.list_tools().await.expect("tools");
    let began = Instant::now();
    client.call_tool("read", json!({})).await.expect("an answer");
    assert!(began.elapsed() >= Duration::from_millis(300), "{:?}", began.elapsed());
}

#[tokio::test]
async fn starts_a_server_again_that_does_not_even_answer_a_ping() {
    let script = Script::serving(
        "lives=$(grep -c '^pid' \"$NOTES\")\n\
         called() { [ \"$lives\" = 1 ] && while read -r line; do :; done; answer \"$text\"; }",
    );
    let builder = builder().ping_every(Duration::from_millis(100));
    let client = builder.command(script.program().restart(quickly())).await.expect("a connection");
    client.list_tools().await.expect("tools");
    let called = tokio::time::timeout(PATIENCE, client.call_tool("read", json!({}))).await;
    called.expect("in time").expect("an answer");
    assert_eq!((script.calls(), script.pids().len()), (2, 2));
}

#[tokio::test]
async fn does_not_make_a_call_again_that_is_too_late_or_that_nobody_waits_for() {
    let slowly = Restart::default().backoff(Duration::from_millis(400), Duration::from_millis(400));
    let brief = RequestOptions { hard: Duration::from_millis(200), ..RequestOptions::default() };
    for is_dropped in [false, true] {
        let script = Script::serving(FRAIL);
        let builder = if is_dropped { builder() } else { builder().deadlines(brief) };
        let client = builder.command(script.program().restart(slowly)).await.expect("a connection");
        client.list_tools().await.expect("tools");
        let call = client.call_tool("read", json!({}));
        if is_dropped {
            tokio::time::timeout(Duration::from_millis(200), call).await.expect_err("nobody waits");
        } else {
            let failed = call.await.expect_err("too late");
            assert!(failed.to_string().contains("the deadline of "), "{failed}");
        }
        // If the client had repeated the call, it would have done so before this request.
        client.list_tools().await.expect("tools");
        assert_eq!((script.calls(), script.pids().len()), (1, 2), "{is_dropped}");
    }
}

#[tokio::test]
async fn does_not_take_a_server_that_comes_back_in_another_revision() {
    let legacy = r#"hello='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}'"#;
    let script = Script::serving(&format!("{FRAIL}\n[ \"$lives\" = 1 ] || {legacy}"));
    let program = script.program().restart(quickly().at_most(1));
    let client = Client::builder().command(program).await.expect("a connection");
    assert!(client.revision() >= plainwire::proto::revision::Revision::V2026_07_28);
    client.call_tool("write", json!({})).await.expect_err("no answer");
    let failed = client.call_tool("write", json!({})).await.expect_err("another revision");
    assert!(matches!(failed, Error::Closed { .. }), "{failed}");
    assert_eq!(script.calls(), 1);
}

/// A guard in a question handler that never answers. It adds 1 to the count when the handler is dropped.
struct Thinking(Arc<AtomicUsize>);

impl Drop for Thinking {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn stops_thinking_about_the_question_of_a_server_that_died() {
    let question = r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}"#;
    let asks = format!(
        "called() {{ [ \"$lives\" = 1 ] && {{ echo '{question}'; sleep 0.2; exit 9; }}; answer \"$text\"; }}"
    );
    let script = Script::serving(&format!("{FRAIL}\n{asks}"));
    let (began, stopped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (begins, stops) = (Arc::clone(&began), Arc::clone(&stopped));
    let builder = builder().on_elicit(move |_| {
        begins.fetch_add(1, Ordering::SeqCst);
        let thinking = Thinking(Arc::clone(&stops));
        async move {
            let _thinking = thinking;
            std::future::pending().await
        }
    });
    let client = builder.command(script.program().restart(quickly())).await.expect("a connection");
    client.call_tool("write", json!({})).await.expect_err("no answer");
    client.call_tool("write", json!({})).await.expect("an answer");
    assert_eq!((began.load(Ordering::SeqCst), stopped.load(Ordering::SeqCst)), (1, 1));
}

#[tokio::test]
async fn blames_no_server_for_the_end_of_the_one_before() {
    let script = Script::serving("echo life $$ >&2\ncalled() { sleep 0.1; exit 9; }");
    let client = connect(script.program().restart(quickly())).await;
    let mut call = std::pin::pin!(client.call_tool("write", json!({})));
    tokio::time::timeout(Duration::from_millis(10), &mut call).await.expect_err("not yet");
    // The next process starts while the test does not poll the call that failed.
    while script.pids().len() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    let Err(Error::OutcomeUnknown { why, .. }) = call.await else { panic!("no unknown outcome") };
    let first = format!("(exit status: 9); its last words on stderr:\nlife {}", script.pid());
    assert!(why.ends_with(&first), "{why}");
}

#[tokio::test]
async fn says_with_each_request_which_log_messages_are_wanted_of_the_next_server_too() {
    let levels = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&levels);
    let tap = Tap::new(move |frame| {
        let message: serde_json::Value = serde_json::from_slice(frame.bytes).expect("JSON");
        let level = &message["params"]["_meta"]["io.modelcontextprotocol/logLevel"];
        let is_call = message["method"] == "tools/call" && level == "warning";
        seen.fetch_add(usize::from(is_call), Ordering::SeqCst);
    });
    let script = Script::serving(FRAIL);
    let builder = builder().era(EraChoice::Modern).tap(tap);
    let client = builder.command(script.program().restart(quickly())).await.expect("a connection");
    client.set_log_level(LogLevel::Warning).await.expect("a level");
    client.call_tool("write", json!({})).await.expect_err("no answer");
    client.call_tool("write", json!({})).await.expect("an answer");
    assert_eq!(levels.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn after_the_last_restart_each_call_says_why_the_server_ended() {
    let script = Script::serving("called() { echo out of luck >&2; exit 9; }");
    let client = connect(script.program().restart(quickly().at_most(1))).await;
    client.call_tool("write", json!({})).await.expect_err("no answer");
    client.call_tool("write", json!({})).await.expect_err("no answer");
    for _ in 0..2 {
        let error = client.list_tools().await.expect_err("no server").to_string();
        assert!(error.contains("exit status: 9") && error.ends_with("out of luck"), "{error}");
    }
    assert_eq!(client.server_stderr().as_deref().map(str::trim), Some("out of luck"));
}
