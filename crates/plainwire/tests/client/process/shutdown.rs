//! Ending a server process: the client closes its input, sends SIGTERM after the grace period, and then
//! SIGKILL.

use std::time::{Duration, Instant};

use super::support::{STUBBORN, Script, builder, eventually};

#[tokio::test]
async fn lets_a_server_finish_within_its_grace() {
    let script = Script::serving("ended() { sleep 0.5; echo finished >> \"$NOTES\"; }");
    let program = script.program().grace(Duration::from_secs(10));
    let client = builder().command(program).await.expect("a connection");
    let began = Instant::now();
    client.close().await;
    assert!(script.notes().contains(&"finished".to_owned()));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    script.expect_nobody_left_within(Duration::from_secs(1));
}

#[tokio::test]
async fn asks_a_server_to_end_before_it_is_killed() {
    let script = Script::serving(
        "trap 'echo asked >> \"$NOTES\"; exit' TERM\n\
         ended() { while :; do sleep 0.1; done; }",
    );
    script.connect().await.close().await;
    assert_eq!(script.notes().last().map(String::as_str), Some("asked"));
    script.expect_nobody_left_within(Duration::from_secs(1));
}

#[tokio::test]
async fn kills_a_group_that_ignores_everything_else() {
    let script = Script::serving(STUBBORN);
    let client = script.connect().await;
    let began = Instant::now();
    client.close().await;
    let took = began.elapsed();
    // The grace period (300 ms), and the wait of 2 s after SIGTERM.
    assert!(took > Duration::from_millis(2_300) && took < Duration::from_secs(4), "{took:?}");
    script.expect_nobody_left_within(Duration::from_secs(1));
}

#[tokio::test]
async fn ends_what_a_server_leaves_behind() {
    let script = Script::serving(
        "(trap 'echo asked >> \"$NOTES\"; exit' TERM; echo there >> \"$NOTES\"; while :; do sleep 0.1; done) &",
    );
    let client = script.connect().await;
    eventually(|| script.notes().contains(&"there".to_owned()).then_some(()));
    client.close().await;
    assert_eq!(script.notes().last().map(String::as_str), Some("asked"));
    script.expect_nobody_left_within(Duration::from_secs(1));
}

#[test]
fn ends_a_server_when_its_client_is_dropped_without_a_runtime() {
    let script = Script::serving(STUBBORN);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let client = runtime.block_on(script.connect());
    drop(runtime);
    drop(client);
    script.expect_nobody_left();
}

#[tokio::test]
async fn ends_a_server_when_nobody_waits_for_the_connection_any_more() {
    let script = Script::new("trap '' TERM; (sleep 1000) & while :; do sleep 1; done");
    let connecting = builder().command(script.program());
    tokio::time::timeout(Duration::from_millis(300), connecting).await.expect_err("no greeting");
    script.expect_nobody_left();
}
