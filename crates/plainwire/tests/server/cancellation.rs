//! Cancelled calls, which are dropped, finished or detached, and calls whose handler blocks its thread.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, mpsc as blocking_channel};
use std::time::Duration;

use plainwire::prelude::*;
use plainwire::proto::peer::Limits;
use plainwire::testing;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep, timeout};

use crate::raw_client::{
    LEGACY, MODERN, PATIENCE, Raw, call, cancel, error, given_up, initialize, ping, pong, request, text,
};

const SECOND: Duration = Duration::from_secs(1);

/// A guard that sends `dropped` when it is dropped.
struct Tells(UnboundedSender<&'static str>);

impl Drop for Tells {
    fn drop(&mut self) {
        let _ = self.0.send("dropped");
    }
}

/// Returns a tool that takes three seconds, and a channel on which it reports its begin, its end, and the
/// drop of its future.
fn slow(on_cancel: OnCancel) -> (Tool, UnboundedReceiver<&'static str>) {
    let (told, heard) = unbounded_channel();
    let tool = Tool::new("slow", move || {
        let tells = Tells(told.clone());
        async move {
            let _ = tells.0.send("begun");
            sleep(3 * SECOND).await;
            let _ = tells.0.send("ended");
            "done"
        }
    });
    (tool.on_cancel(on_cancel), heard)
}

/// Returns a server that runs one call at a time. Its second tool, `plain`, is refused while another call
/// runs.
fn narrow(tool: Tool) -> Server {
    let limits = Limits { in_flight: 1, ..Limits::default() };
    Server::new("s").tool(tool).tool(Tool::new("plain", || async { "fine" })).limits(limits)
}

async fn has_room(raw: &mut Raw) -> bool {
    let answer = raw.ask(&call("\"room\"", "plain", "{}")).await;
    assert!(answer.contains("fine") || answer.contains("in_flight"), "{answer}");
    answer.contains("fine")
}

/// Returns the next report of a tool. A wait of more than 30 seconds fails the test.
async fn next<T>(heard: &mut UnboundedReceiver<T>) -> Option<T> {
    timeout(PATIENCE, heard.recv()).await.expect("a word in time")
}

async fn begin(server: Server, heard: &mut UnboundedReceiver<&'static str>) -> Raw {
    let mut raw = Raw::session(server, LEGACY).await;
    raw.send(&call("1", "slow", "{}")).await;
    assert_eq!(next(heard).await, Some("begun"));
    raw
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_is_dropped_unless_its_tool_says_otherwise() {
    let (tool, mut heard) = slow(OnCancel::default());
    let mut raw = begin(narrow(tool), &mut heard).await;
    let began = Instant::now();
    raw.send(&cancel("1")).await;
    assert_eq!(next(&mut heard).await, Some("dropped"));
    assert!(has_room(&mut raw).await);
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert!(raw.end().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn finish_runs_to_its_end_keeps_its_place_until_then_and_is_not_answered() {
    let (tool, mut heard) = slow(OnCancel::Finish);
    let mut raw = begin(narrow(tool), &mut heard).await;
    raw.send(&cancel("1")).await;
    assert!(!has_room(&mut raw).await, "the call still runs");
    assert_eq!(next(&mut heard).await, Some("ended"));
    assert_eq!(next(&mut heard).await, Some("dropped"));
    sleep(SECOND).await;
    assert!(has_room(&mut raw).await);
    assert!(raw.end().await.is_empty(), "not answered");
}

#[tokio::test(start_paused = true)]
async fn detach_runs_to_its_end_and_frees_its_place_at_once() {
    let (tool, mut heard) = slow(OnCancel::Detach);
    let mut raw = begin(narrow(tool), &mut heard).await;
    raw.send(&cancel("1")).await;
    assert!(has_room(&mut raw).await);
    assert!(heard.try_recv().is_err(), "it still runs");
    // This second call has the id and the slot of the detached call, which still runs. The end of the
    // detached call must change neither.
    raw.send(&call("1", "slow", "{}")).await;
    for expected in ["begun", "ended", "dropped"] {
        assert_eq!(next(&mut heard).await, Some(expected));
    }
    assert_eq!(raw.line().await, text("1", "done"));
    assert!(raw.end().await.is_empty(), "answered once");
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_ends_waits_for_what_has_to_finish() {
    let (tool, mut heard) = slow(OnCancel::Finish);
    let mut raw = begin(narrow(tool), &mut heard).await;
    let began = Instant::now();
    raw.send(&cancel("1")).await;
    assert!(raw.end().await.is_empty());
    assert_eq!(began.elapsed(), 3 * SECOND);
    assert_eq!(next(&mut heard).await, Some("ended"));
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_ends_does_not_wait_for_what_was_detached_and_stops_it() {
    let (tool, mut heard) = slow(OnCancel::Detach);
    let mut raw = begin(narrow(tool), &mut heard).await;
    let began = Instant::now();
    raw.send(&cancel("1")).await;
    assert!(raw.end().await.is_empty());
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert_eq!(next(&mut heard).await, Some("dropped"));
}

#[tokio::test(start_paused = true)]
async fn what_has_to_finish_has_the_time_to_drain_and_no_more() {
    for cancelled in [true, false] {
        let (tool, mut heard) = slow(OnCancel::Finish);
        let mut raw = begin(narrow(tool).drain(SECOND), &mut heard).await;
        if cancelled {
            raw.send(&cancel("1")).await;
        }
        let began = Instant::now();
        let said = raw.end().await;
        assert_eq!(said, if cancelled { vec![] } else { vec![given_up("1")] });
        assert_eq!(began.elapsed(), SECOND);
        assert_eq!(next(&mut heard).await, Some("dropped"), "{cancelled}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_breaks_off_leaves_what_has_to_finish_its_time() {
    for (on_cancel, drain, ends, after) in [
        (OnCancel::Drop, 5, "dropped", 0),
        (OnCancel::Finish, 5, "ended", 3),
        (OnCancel::Finish, 1, "dropped", 1),
        (OnCancel::Detach, 5, "dropped", 0),
    ] {
        let (tool, mut heard) = slow(on_cancel);
        let server = narrow(tool).drain(drain * SECOND);
        let mut raw = Raw::connect(server);
        raw.send(&initialize(LEGACY)).await;
        raw.send(&call("1", "slow", "{}")).await;
        assert_eq!(next(&mut heard).await, Some("begun"));
        let began = Instant::now();
        raw.stop_reading();
        // The server notices that the client reads no more when it writes its next answer.
        raw.send(&ping("2")).await;
        assert!(raw.served().await.is_ok());
        assert_eq!(began.elapsed(), after * SECOND, "{on_cancel:?}");
        assert_eq!(next(&mut heard).await, Some(ends), "{on_cancel:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_runs_on_is_told_asks_nobody_and_may_take_steps() {
    for (revision, on_cancel) in
        [LEGACY, MODERN].into_iter().flat_map(|it| [(it, OnCancel::Finish), (it, OnCancel::Detach)])
    {
        let (told, mut heard) = unbounded_channel();
        let tool = Tool::new("t", move |ctx: Context| {
            let told = told.clone();
            async move {
                let tell = |what: String| told.send(what).expect("somebody listens");
                tell("begun".to_owned());
                ctx.cancelled().await;
                tell(format!("cancelled: {}", ctx.is_cancelled()));
                let error = ctx.elicit::<String>("q", "?").await.expect_err("nobody");
                tell(error.code().to_owned());
                tell(ctx.step("s", || async { "stepped".to_owned() }).await.expect("a step"));
            }
        });
        let mut raw = Raw::session(Server::new("s").tool(tool.on_cancel(on_cancel)), revision).await;
        raw.send(&request(revision, "1", "tools/call", r#"{"name":"t"}"#)).await;
        assert_eq!(next(&mut heard).await.as_deref(), Some("begun"));
        raw.send(&cancel("1")).await;
        for expected in ["cancelled: true", "call_over", "stepped"] {
            assert_eq!(next(&mut heard).await.as_deref(), Some(expected), "{revision} {on_cancel:?}");
        }
        assert!(raw.end().await.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_open_when_a_call_is_cancelled_ends_and_the_call_goes_on() {
    for revision in [LEGACY, MODERN] {
        let (told, mut heard) = unbounded_channel();
        let tool = Tool::new("t", move |ctx: Context| {
            let told = told.clone();
            async move {
                let step = ctx.step("s", || async {
                    told.send("begun".to_owned()).expect("somebody listens");
                    sleep(SECOND).await;
                });
                let question = ctx.elicit::<String>("q", "?");
                let (answer, step) = tokio::join!(question, step);
                step.expect("a step");
                told.send(answer.expect_err("nobody").code().to_owned()).expect("somebody listens");
            }
        });
        let mut raw = Raw::connect(Server::new("s").tool(tool.on_cancel(OnCancel::Finish)));
        if revision == LEGACY {
            raw.ask(&initialize(LEGACY).replace(r#""roots":{}"#, r#""elicitation":{}"#)).await;
            raw.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        }
        raw.send(&request(revision, "1", "tools/call", r#"{"name":"t"}"#)).await;
        assert_eq!(next(&mut heard).await.as_deref(), Some("begun"));
        if revision == LEGACY {
            assert!(raw.line().await.contains("elicitation/create"));
        }
        raw.send(&cancel("1")).await;
        assert_eq!(next(&mut heard).await.as_deref(), Some("call_over"), "{revision}");
        let said = raw.end().await;
        assert!(said.iter().all(|line| line.contains("notifications/cancelled")), "{revision}: {said:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn past_the_limit_detached_a_cancelled_call_keeps_its_place() {
    let (tool, mut heard) = slow(OnCancel::Detach);
    let mut raw = Raw::session(narrow(tool), LEGACY).await;
    for id in 0..1_025 {
        let id = id.to_string();
        raw.send(&call(&id, "slow", "{}")).await;
        assert_eq!(next(&mut heard).await, Some("begun"));
        raw.send(&cancel(&id)).await;
    }
    assert!(!has_room(&mut raw).await, "one too many");
    sleep(4 * SECOND).await;
    assert!(has_room(&mut raw).await);
    assert!(raw.end().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_deadline_ends_a_cancelled_call_that_has_to_finish() {
    let (tool, mut heard) = slow(OnCancel::Finish);
    let mut raw = begin(narrow(tool.timeout(SECOND)), &mut heard).await;
    raw.send(&cancel("1")).await;
    sleep(SECOND * 11 / 10).await;
    assert_eq!(next(&mut heard).await, Some("dropped"));
    assert!(has_room(&mut raw).await);
    assert!(raw.end().await.is_empty());
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: u32,
    b: u32,
}

#[tokio::test]
async fn a_blocking_tool_takes_what_others_take_and_gives_what_others_give() {
    let sum = |it: Add, ctx: Context| -> Result<u32, ToolError> {
        ctx.progress(1.0, None, None);
        it.a.checked_add(it.b).ok_or_else(|| ToolError::invalid_input("too much"))
    };
    let server = Server::new("s").tool(Tool::blocking("sum", sum)).tool(Tool::blocking("nothing", || "done"));
    let client = testing::client(server).await.expect("a client");
    assert_eq!(client.call::<u32>("sum", json!({ "a": 1, "b": 2 })).await.expect("a sum"), 3);
    assert_eq!(client.call::<String>("nothing", json!({})).await.expect("text"), "done");
    for (a, text) in [
        (json!(u32::MAX), "too much"),
        (json!("x"), "expected `arguments.a` to be an integer, but found \"x\"; 1 would fit"),
    ] {
        let result = client.call_tool("sum", json!({ "a": a, "b": 2 })).await.expect("a result");
        assert!(result.is_error);
        assert_eq!(result.content[0].as_text(), Some(text));
    }
}

#[tokio::test]
async fn a_blocking_tool_holds_up_nobody() {
    let (release, wait) = blocking_channel::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let tool = Tool::blocking("slow", move || {
        wait.lock().expect("one call").recv().expect("a release");
        "done"
    });
    let mut raw = Raw::session(Server::new("s").tool(tool), LEGACY).await;
    raw.send(&call("1", "slow", "{}")).await;
    assert_eq!(raw.ask(&ping("2")).await, pong("2"));
    release.send(()).expect("a call that waits");
    assert_eq!(raw.line().await, text("1", "done"));
}

#[tokio::test]
async fn a_cancelled_blocking_tool_is_told_and_keeps_its_place_until_it_returns() {
    let ((begun, begins), (returns, returned)) =
        (blocking_channel::channel(), blocking_channel::channel::<()>());
    let (returned, saw) = (std::sync::Mutex::new(returned), Arc::new(AtomicBool::new(false)));
    let seen = Arc::clone(&saw);
    let tool = Tool::blocking("slow", move |ctx: Context| {
        begun.send(()).expect("a test");
        while !ctx.is_cancelled() {
            std::thread::yield_now();
        }
        seen.store(true, SeqCst);
        returned.lock().expect("one call").recv().expect("a release");
    });
    let mut raw = Raw::session(narrow(tool), LEGACY).await;
    raw.send(&call("1", "slow", "{}")).await;
    assert_eq!(raw.ask(&ping("2")).await, pong("2"));
    begins.recv().expect("a call");
    raw.send(&cancel("1")).await;
    assert!(!has_room(&mut raw).await);
    returns.send(()).expect("a call that waits");
    while !has_room(&mut raw).await {
        tokio::task::yield_now().await;
    }
    assert!(saw.load(SeqCst));
    assert!(raw.end().await.is_empty());
}

#[tokio::test]
async fn a_blocking_tool_past_its_deadline_is_told_too() {
    let (told, mut heard) = unbounded_channel();
    let tool = Tool::blocking("slow", move |ctx: Context| {
        let began = std::time::Instant::now();
        while !ctx.is_cancelled() && began.elapsed() < PATIENCE {
            std::thread::yield_now();
        }
        told.send(ctx.is_cancelled()).expect("somebody listens");
    });
    let tool = tool.timeout(Duration::from_millis(1));
    let mut raw = Raw::session(Server::new("s").tool(tool), LEGACY).await;
    let answer = raw.ask(&call("1", "slow", "{}")).await;
    assert!(answer.contains("expected the tool `slow` to end within 1ms, but it did not"), "{answer}");
    assert_eq!(next(&mut heard).await, Some(true));
}

#[tokio::test]
async fn blocking_work_that_panics_ends_its_call_as_any_panic_does() {
    let within = || async { plainwire::handler::blocking(|| panic!("secret") as u32).await };
    let server = Server::new("s")
        .tool(Tool::new("within", within))
        .tool(Tool::blocking("whole", || panic!("secret") as String))
        .tool(Tool::new("fine", || plainwire::handler::blocking(|| 7)));
    let mut raw = Raw::session(server, LEGACY).await;
    for name in ["within", "whole"] {
        let expected = format!("expected the tool `{name}` to answer, but it panicked");
        assert_eq!(raw.ask(&call("1", name, "{}")).await, error("1", -32603, &expected));
    }
    let answer = raw.ask(&call("2", "fine", "{}")).await;
    assert!(answer.contains(r#""structuredContent":{"result":7}"#), "{answer}");
}
