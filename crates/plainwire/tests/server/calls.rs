//! Calls from beginning to end: many at the same time, cancelled, too slow, panicking, and calls whose client
//! leaves.

use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc as blocking};
use std::time::Duration;

use plainwire::prelude::*;
use plainwire::proto::peer::{EraChoice, Limits};
use plainwire::proto::revision::Era;
use plainwire::{Client, Principal, testing};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::raw_client::{
    LEGACY, MODERN, PATIENCE, PIPE, Raw, call, call_with_progress, cancel, error_with_data, given_up,
    initialize, ping, pong, request, result, text,
};

#[derive(Deserialize, JsonSchema)]
struct Sleep {
    ms: u64,
}

/// The number of handlers that run. Each running handler has a [`Running`].
#[derive(Clone, Default)]
struct Handlers {
    ended: Option<mpsc::UnboundedSender<()>>,
    running: Arc<AtomicUsize>,
}

/// A guard in a running handler. Dropping it, at the handler's end or when the handler is dropped, lowers the
/// number of [`Handlers`] and reports the end.
struct Running(Handlers);

impl Handlers {
    /// Returns a counter of running handlers, and a channel that gets a message when a handler ends or is
    /// dropped.
    fn watched() -> (Self, mpsc::UnboundedReceiver<()>) {
        let (ended, ends) = mpsc::unbounded_channel();
        (Self { ended: Some(ended), ..Self::default() }, ends)
    }

    fn begin(&self) -> Running {
        self.running.fetch_add(1, Ordering::SeqCst);
        Running(self.clone())
    }

    fn running(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }

    /// Returns a server with the tool `sleep`, whose handlers are counted.
    fn server(&self) -> Server {
        let handlers = self.clone();
        Server::new("sleeper").tool(Tool::new("sleep", move |it: Sleep| {
            let running = handlers.begin();
            async move {
                let _running = running;
                sleep(Duration::from_millis(it.ms)).await;
                "slept"
            }
        }))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
        if let Some(ended) = &self.0.ended {
            let _ = ended.send(());
        }
    }
}

fn sleeps(id: &str, ms: u64) -> String {
    call(id, "sleep", &format!(r#"{{"ms":{ms}}}"#))
}

#[tokio::test(start_paused = true)]
async fn runs_a_hundred_calls_of_a_second_at_once_and_answers_pings_meanwhile() {
    let mut raw = Raw::session(Handlers::default().server(), LEGACY).await;
    let began = Instant::now();
    for id in 0..100 {
        raw.send(&sleeps(&id.to_string(), 1_000)).await;
    }
    assert_eq!(raw.ask(&ping("\"first\"")).await, pong("\"first\""));
    assert!(began.elapsed() < Duration::from_millis(50), "the ping took {:?}", began.elapsed());
    let mut answers = Vec::new();
    for _ in 0..100 {
        answers.push(raw.line().await);
    }
    assert!(began.elapsed() < Duration::from_millis(1_200), "the calls took {:?}", began.elapsed());
    let mut expected: Vec<_> = (0..100).map(|id| text(&id.to_string(), "slept")).collect();
    answers.sort();
    expected.sort();
    assert_eq!(answers, expected);
}

#[tokio::test]
async fn cancelling_a_call_stops_its_handler_and_is_never_answered() {
    for (revision, method, member) in [
        (LEGACY, "notifications/cancelled", "requestId"),
        (LEGACY, "$/cancelRequest", "id"),
        (MODERN, "notifications/cancelled", "requestId"),
    ] {
        let (handlers, mut ends) = Handlers::watched();
        let mut raw = Raw::session(handlers.server(), revision).await;
        let params = r#"{"name":"sleep","arguments":{"ms":60000}}"#;
        raw.send(&request(revision, "\"a\"", "tools/call", params)).await;
        raw.send(&request(revision, "\"b\"", "tools/call", params)).await;
        // The server handles requests in order: when this one is answered, both calls have begun.
        raw.ask(&request(revision, "1", "tools/list", "{}")).await;
        assert_eq!(handlers.running(), 2);
        raw.send(&format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"{member}":"a"}}}}"#)).await;
        timeout(Duration::from_millis(100), ends.recv()).await.expect("an end within 100 ms");
        assert_eq!(handlers.running(), 1, "only one was cancelled");
        raw.send(&cancel("\"b\"")).await;
        timeout(Duration::from_millis(100), ends.recv()).await.expect("an end within 100 ms");
        assert_eq!(raw.end().await, Vec::<String>::new(), "{revision} {method}");
    }
}

/// The arguments of `chaos`.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
struct Chaos {
    /// Which end it comes to: an answer, an error, a panic or none.
    end: u64,
    /// How often it waits before.
    steps: u64,
}

async fn chaos(it: Chaos, ctx: Context) -> Result<String, ToolError> {
    for step in 0..it.steps {
        ctx.progress(step as f64, None, None);
        if step % 3 == 2 {
            sleep(Duration::from_millis(step % 2)).await;
        } else {
            tokio::task::yield_now().await;
        }
    }
    match it.end {
        0 => Ok("done".to_owned()),
        1 => Err(ToolError::failed("failed")),
        // This unwinds like a panic, but prints no line to stderr for each of thousands of calls.
        2 => std::panic::resume_unwind(Box::new("chaos")),
        _ => pending().await,
    }
}

/// Returns the arguments of each call, and whether the call is cancelled. They are the same in all runs,
/// since the random numbers begin with a fixed seed.
fn chaos_plan(calls: usize) -> Vec<(Chaos, bool)> {
    let mut state = 42_u64;
    let mut below = |limit| {
        // A linear congruential generator with the constants of Knuth's MMIX.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let mut call = || {
        let it = Chaos { end: below(4), steps: below(8) };
        // A call that never ends by itself has to be cancelled. About a quarter of the other calls is
        // cancelled too, at any moment of the call's run.
        (it, below(4) == 0 || it.end == 3)
    };
    (0..calls).map(|_| call()).collect()
}

/// Returns the lines that the client sends for `plan`. The cancellation of a call follows it directly or up
/// to eleven calls later.
fn chaos_script(plan: &[(Chaos, bool)]) -> String {
    let mut lines = Vec::new();
    for (number, (it, cancelled)) in plan.iter().enumerate() {
        let id = number.to_string();
        let arguments = format!(r#"{{"end":{},"steps":{}}}"#, it.end, it.steps);
        lines.push((number, call_with_progress(&id, &id, "chaos", &arguments)));
        if *cancelled {
            lines.push((number + number % 12, cancel(&id)));
        }
    }
    lines.sort_by_key(|(at, _)| *at);
    lines.into_iter().map(|(_, line)| line + "\n").collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_calls_with_panics_and_cancels_leave_nothing_behind() {
    let handlers = Handlers::default();
    let counted = handlers.clone();
    let tool = Tool::new("chaos", move |it: Chaos, ctx: Context| {
        let running = counted.begin();
        if it.end == 2 && it.steps == 0 {
            std::panic::resume_unwind(Box::new("chaos before the future exists"));
        }
        async move {
            let _running = running;
            chaos(it, ctx).await
        }
    });
    // If the server forgot to remove a call, it would drain at the end of input for longer than the test
    // waits.
    let mut raw = Raw::session(Server::new("chaos").tool(tool).drain(2 * PATIENCE), LEGACY).await;
    let plan = chaos_plan(10_000);
    let script = chaos_script(&plan);
    let mut to_server = raw.to_server.take().expect("input is open");
    let mut writer = JoinSet::new();
    writer.spawn(async move { to_server.write_all(script.as_bytes()).await });

    let mut answered = vec![false; plan.len()];
    while let Some(line) = raw.next().await {
        let message: Value = serde_json::from_str(&line).expect("JSON");
        let of =
            if message["method"].is_null() { &message["id"] } else { &message["params"]["progressToken"] };
        let id = of.as_u64().expect("a number") as usize;
        assert!(!answered[id], "{line} after the answer to {id}");
        answered[id] = message["method"].is_null();
    }
    raw.served().await.expect("a clean end");
    writer.join_next().await.expect("a writer").expect("no panics").expect("a server that reads");
    assert_eq!(handlers.running(), 0);
    for (id, ((it, cancelled), answered)) in plan.iter().zip(answered).enumerate() {
        assert!(answered || *cancelled, "{id} was neither answered nor cancelled");
        assert!(!answered || it.end != 3, "{id} never ends, but was answered");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_before_its_first_step_leaves_nothing_behind() {
    let limits = Limits { in_flight: 1, ..Limits::default() };
    let server = Handlers::default().server().limits(limits).drain(2 * PATIENCE);
    let mut raw = Raw::session(server, LEGACY).await;
    // The server reads both lines at once and handles them one after the other, so the call's task does not
    // run in between.
    raw.send(&format!("{}\n{}", sleeps("1", 60_000), cancel("1"))).await;
    assert_eq!(raw.ask(&ping("2")).await, pong("2"));
    assert_eq!(raw.ask(&sleeps("3", 1)).await, text("3", "slept"), "its place is free");
    assert_eq!(raw.end().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_once_was_slow_to_begin_no_longer_holds_up_others() {
    let (open, gate) = blocking::channel::<()>();
    let gate = Arc::new(Mutex::new(gate));
    let slow = Tool::new("slow", move || {
        let gate = Arc::clone(&gate);
        async move {
            std::thread::sleep(Duration::from_millis(1));
            gate.lock().expect("no panics").recv_timeout(PATIENCE).expect("an open gate");
            "through"
        }
    });
    let mut raw = Raw::session(Server::new("slow").tool(slow), LEGACY).await;
    open.send(()).expect("a gate");
    assert_eq!(raw.ask(&call("1", "slow", "{}")).await, text("1", "through"));
    // The test opens the gate only after the ping has been answered.
    raw.send(&call("2", "slow", "{}")).await;
    assert_eq!(raw.ask(&ping("3")).await, pong("3"));
    open.send(()).expect("a gate");
    assert_eq!(raw.line().await, text("2", "through"));
}

#[tokio::test]
async fn of_blocking_functions_512_run_at_a_time() {
    let (begun, mut begins) = mpsc::unbounded_channel();
    let (end, until) = blocking::channel::<()>();
    let until = Arc::new(Mutex::new(until));
    let tool = Tool::blocking("block", move || {
        begun.send(()).expect("a test that waits");
        // Ends with an error when the sender is dropped.
        let _ = until.lock().expect("no panics").recv();
    });
    let limits = Limits { in_flight: 600, ..Limits::default() };
    let mut raw = Raw::session(Server::new("s").limits(limits).tool(tool), LEGACY).await;
    for id in 0..513 {
        raw.send(&call(&id.to_string(), "block", "{}")).await;
    }
    for _ in 0..512 {
        timeout(PATIENCE, begins.recv()).await.expect("a free thread in time");
    }
    timeout(Duration::from_millis(100), begins.recv()).await.expect_err("no free thread");
    drop(end);
    timeout(PATIENCE, begins.recv()).await.expect("a free thread in time");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_ends_with_a_sentence() {
    let late = |id: &str, name: &str, limit: &str| {
        let message = format!("expected the tool `{name}` to end within {limit}, but it did not");
        let meta = format!(
            r#""_meta":{{"plainwire/error":{{"code":"timeout","message":"{message}","retryable":true}}}}"#
        );
        result(id, &format!(r#"{{"content":[{{"type":"text","text":"{message}"}}],"isError":true,{meta}}}"#))
    };
    let (handlers, mut ends) = Handlers::watched();
    let slow = handlers.clone();
    let forever = move || {
        let running = slow.begin();
        async move {
            let _running = running;
            pending::<String>().await
        }
    };
    let server = handlers
        .server()
        .timeout(Duration::from_secs(2))
        .tool(Tool::new("own", forever.clone()).timeout(Duration::from_millis(500)))
        .resource(Resource::new("slow://here", "Slow", forever.clone()))
        .prompt(Prompt::new("slow", forever));
    let mut raw = Raw::session(server, LEGACY).await;
    let began = Instant::now();
    assert_eq!(raw.ask(&call("1", "own", "{}")).await, late("1", "own", "500ms"));
    assert_eq!(began.elapsed().as_millis() / 10, 50, "{:?}", began.elapsed());
    ends.recv().await.expect("a dropped handler");

    assert_eq!(raw.ask(&sleeps("2", 1_900)).await, text("2", "slept"));
    ends.recv().await.expect("an end");
    assert_eq!(raw.ask(&sleeps("3", 2_100)).await, late("3", "sleep", "2s"));
    ends.recv().await.expect("a dropped handler");

    // Only the result of a tool can report an error, so resources and prompts answer with an error instead.
    let refused = |id: &str, name: &str| {
        let message = format!("expected the {name} to end within 2s, but it did not");
        let data = format!(r#"{{"code":"timeout","message":"{message}","retryable":true}}"#);
        error_with_data(id, -32603, &message, &data)
    };
    let read = request(LEGACY, "4", "resources/read", r#"{"uri":"slow://here"}"#);
    assert_eq!(raw.ask(&read).await, refused("4", "resource `slow://here`"));
    let get = request(LEGACY, "5", "prompts/get", r#"{"name":"slow"}"#);
    assert_eq!(raw.ask(&get).await, refused("5", "prompt `slow`"));
    assert_eq!(handlers.running(), 0);
    assert_eq!(raw.end().await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn answers_what_still_runs_when_the_client_has_left() {
    let mut raw = Raw::session(Handlers::default().server(), LEGACY).await;
    for (id, ms) in [("1", 3_000), ("2", 1_000)] {
        raw.send(&sleeps(id, ms)).await;
    }
    let began = Instant::now();
    assert_eq!(raw.end().await, [text("2", "slept"), text("1", "slept")]);
    assert_eq!(began.elapsed().as_secs(), 3, "nothing is left to wait for");
}

#[tokio::test(start_paused = true)]
async fn gives_up_what_still_runs_after_the_time_to_drain() {
    let (handlers, mut ends) = Handlers::watched();
    let mut raw = Raw::session(handlers.server().drain(Duration::from_secs(2)), LEGACY).await;
    raw.send(&sleeps("1", 1_000)).await;
    raw.send(&sleeps("2", 10_000)).await;
    let began = Instant::now();
    assert_eq!(raw.end().await, [text("1", "slept"), given_up("2")]);
    assert_eq!(began.elapsed().as_secs(), 2);
    ends.recv().await.expect("an end");
    ends.recv().await.expect("a dropped handler");
}

#[tokio::test(start_paused = true)]
async fn gives_up_answers_that_nobody_reads() {
    let large = Tool::new("large", || async { "x".repeat(1 << 20) });
    let mut raw = Raw::session(Server::new("large").tool(large).drain(2 * PATIENCE), LEGACY).await;
    raw.send(&call("1", "large", "{}")).await;
    let began = Instant::now();
    raw.hang_up();
    raw.served().await.expect("an end although the answer could not be sent");
    assert_eq!(began.elapsed().as_secs(), 1, "no call runs any more that would be worth the time to drain");
}

#[tokio::test(start_paused = true)]
async fn waits_for_a_client_that_has_left_and_still_reads() {
    let large = Tool::new("large", || async { "x".repeat(1 << 20) });
    let mut raw = Raw::session(Server::new("large").tool(large), LEGACY).await;
    raw.send(&call("1", "large", "{}")).await;
    raw.hang_up();
    let (mut read, mut chunk) = (Vec::new(), vec![0; PIPE]);
    loop {
        sleep(Duration::from_millis(700)).await;
        match raw
            .from_server
            .as_mut()
            .expect("output is open")
            .get_mut()
            .read(&mut chunk)
            .await
            .expect("bytes")
        {
            0 => break,
            count => read.extend_from_slice(&chunk[..count]),
        }
    }
    assert_eq!(read.len(), text("1", &"x".repeat(1 << 20)).len() + 1);
    raw.served().await.expect("a clean end");
}

#[tokio::test]
async fn calls_that_never_stop_reporting_hold_up_neither_pings_nor_the_end() {
    let endless = Tool::new("endless", |ctx: Context| async move {
        for n in 0_u64.. {
            ctx.progress(n as f64, None, None);
            if n % 100 == 0 {
                tokio::task::yield_now().await;
            }
        }
    });
    let server = Server::new("endless").tool(endless).progress_rate(u32::MAX, u32::MAX);
    let server = server.drain(Duration::from_millis(100));
    let mut raw = Raw::session(server, LEGACY).await;
    for id in 10..20 {
        raw.send(&call_with_progress(&id.to_string(), &id.to_string(), "endless", "{}")).await;
    }
    raw.send(&ping("2")).await;
    let answered = async { while raw.line().await != pong("2") {} };
    timeout(Duration::from_secs(2), answered).await.expect("an answer in time");
    let rest = timeout(Duration::from_secs(2), raw.end()).await.expect("an end in time");
    let answers = rest.into_iter().filter(|line| !line.contains("notifications/progress"));
    let given_up: Vec<_> = (10..20).map(|id| given_up(&id.to_string())).collect();
    assert_eq!(answers.collect::<Vec<_>>(), given_up);
}

#[tokio::test]
async fn ends_at_once_when_nothing_runs() {
    let raw = Raw::session(Handlers::default().server().drain(2 * PATIENCE), LEGACY).await;
    assert_eq!(raw.end().await, Vec::<String>::new());
}

#[tokio::test]
async fn dropping_a_request_of_the_client_stops_the_handler() {
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let (handlers, mut ends) = Handlers::watched();
        let client =
            testing::client_with(handlers.server(), Client::builder().era(era)).await.expect("a client");
        let asked = client.call_tool("sleep", json!({ "ms": 60_000 }));
        timeout(Duration::from_millis(50), asked).await.expect_err("60 s are not over");
        timeout(PATIENCE, ends.recv()).await.expect("a dropped handler in time");
        assert_eq!(handlers.running(), 0);
        client.ping().await.expect("an answer");
    }
}

#[tokio::test]
async fn dropping_the_client_stops_its_handlers() {
    let (handlers, mut ends) = Handlers::watched();
    let client = testing::client(handlers.server().drain(Duration::ZERO)).await.expect("a client");
    let asked = client.call_tool("sleep", json!({ "ms": 60_000 }));
    timeout(Duration::from_millis(50), asked).await.expect_err("60 s are not over");
    drop(client);
    timeout(PATIENCE, ends.recv()).await.expect("a dropped handler in time");
}

#[tokio::test]
async fn dropping_the_future_that_serves_stops_its_handlers() {
    let (handlers, mut ends) = Handlers::watched();
    let mut raw = Raw::session(handlers.server().drain(2 * PATIENCE), LEGACY).await;
    raw.send(&sleeps("1", 60_000)).await;
    assert_eq!(raw.ask(&ping("2")).await, pong("2"));
    assert_eq!(handlers.running(), 1);
    drop(raw);
    timeout(PATIENCE, ends.recv()).await.expect("a dropped handler in time");
}

#[tokio::test]
async fn does_not_serve_when_a_start_hook_fails() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let note = |what: &'static str| {
        let seen = Arc::clone(&seen);
        move || async move { seen.lock().expect("no panics").push(what) }
    };
    let (first, last) = (note("first"), note("shutdown"));
    let server = Handlers::default()
        .server()
        .on_start(|| async {
            first().await;
            Ok(())
        })
        .on_start(|| async { Err("no database".to_owned()) })
        .on_shutdown(|| async {
            last().await;
            Ok(())
        });
    let mut raw = Raw::connect(server);
    let error = raw.served().await.expect_err("the hook fails");
    assert_eq!(error.to_string(), "the start hook failed: no database");
    assert_eq!(raw.next().await, None, "nothing was said");
    assert_eq!(*seen.lock().expect("no panics"), ["first"]);
}

#[tokio::test]
async fn runs_shutdown_hooks_after_the_last_answer() {
    let (handlers, _ends) = Handlers::watched();
    let counted = handlers.clone();
    let (send, mut told) = mpsc::unbounded_channel();
    let failing = send.clone();
    let server = handlers
        .server()
        .on_shutdown(move || async move {
            send.send(format!("{} running", counted.running())).map_err(|error| error.to_string())
        })
        .on_shutdown(move || async move {
            failing.send("second".to_owned()).map_err(|error| error.to_string())?;
            Err("disk full".to_owned())
        });
    let mut raw = Raw::session(server, LEGACY).await;
    raw.send(&sleeps("1", 10)).await;
    assert!(told.try_recv().is_err(), "nothing shuts down yet");
    raw.hang_up();
    assert_eq!(raw.line().await, text("1", "slept"));
    let error = raw.served().await.expect_err("the second hook fails");
    assert_eq!(error.to_string(), "the shutdown hook failed: disk full");
    assert_eq!(told.recv().await.as_deref(), Some("0 running"));
    assert_eq!(told.recv().await.as_deref(), Some("second"));
}

/// Returns a server with a tool that sends its context to the test and never ends, and the channel of these
/// contexts.
fn lends_its_context() -> (Server, mpsc::UnboundedReceiver<Context>) {
    let (send, contexts) = mpsc::unbounded_channel();
    let lend = Tool::new("lend", move |ctx: Context| {
        let sent = send.send(ctx).is_ok();
        async move {
            assert!(sent, "nobody takes the context");
            pending::<String>().await
        }
    });
    (Server::new("lender").tool(lend).drain(Duration::ZERO), contexts)
}

#[tokio::test]
async fn work_that_runs_elsewhere_learns_that_the_answer_is_no_longer_wanted() {
    let (server, mut contexts) = lends_its_context();
    let mut raw = Raw::session(server, LEGACY).await;
    raw.send(&call("1", "lend", "{}")).await;
    raw.send(&call("2", "lend", "{}")).await;
    let first = contexts.recv().await.expect("a context");
    let second = contexts.recv().await.expect("a context");
    assert!(!first.is_cancelled() && !second.is_cancelled());
    timeout(Duration::from_millis(20), first.cancelled()).await.expect_err("nobody cancelled it");
    raw.send(&cancel("1")).await;
    timeout(PATIENCE, first.cancelled()).await.expect("it was cancelled");
    assert!(first.is_cancelled() && !second.is_cancelled());
    // Waiting again for a cancellation that has happened ends at once. At the end of input, the remaining
    // call is cancelled too.
    timeout(PATIENCE, first.cancelled()).await.expect("it was cancelled");
    assert_eq!(raw.end().await, [given_up("2")]);
    timeout(PATIENCE, second.cancelled()).await.expect("the client has left");
}

#[tokio::test]
async fn a_handler_learns_who_asks() {
    let who = || {
        Tool::new("who", |ctx: Context| async move {
            let client = ctx.client();
            let name = client.info.as_ref().map(|info| info.name.clone());
            let era = if ctx.era() == Era::Modern { "modern" } else { "legacy" };
            let can: Vec<_> = client.capabilities.0.keys().cloned().collect();
            (ctx.principal().map(|it| it.name.clone()), name, era, can)
        })
    };
    for (revision, seen) in [
        (LEGACY, json!([null, "raw", "legacy", ["roots"]])),
        (MODERN, json!([null, "raw", "modern", ["elicitation"]])),
    ] {
        let mut raw = Raw::session(Server::new("who").tool(who()), revision).await;
        let answer = raw.ask(&request(revision, "1", "tools/call", r#"{"name":"who"}"#)).await;
        assert_eq!(said(&answer), seen, "{revision}");
    }
    // On a connection that has a legacy session, a request with a modern `_meta` is a modern request.
    let mut raw = Raw::session(Server::new("who").tool(who()), LEGACY).await;
    let answer = raw.ask(&request(MODERN, "1", "tools/call", r#"{"name":"who"}"#)).await;
    assert_eq!(said(&answer), json!([null, "raw", "modern", ["elicitation"]]));

    let (ours, theirs) = (tokio::io::duplex(PIPE), tokio::io::duplex(PIPE));
    let mut served = JoinSet::new();
    let ada = Some(Principal { name: "ada".to_owned() });
    served.spawn(Server::new("who").tool(who()).serve_as(ada, ours.1, theirs.0));
    let client = Client::builder().streams(theirs.1, ours.0).await.expect("a client");
    let seen: Value = client.call("who", json!({})).await.expect("an answer");
    assert_eq!(seen[0], "ada");
}

/// Returns the JSON in the text of a tool's result.
fn said(answer: &str) -> Value {
    let answer: Value = serde_json::from_str(answer).expect("JSON");
    let said = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    serde_json::from_str(said).expect("JSON")
}

/// An input that never ends: first the frames in `first`, then cancellations one after the other.
struct Endless {
    first: Vec<u8>,
}

impl tokio::io::AsyncRead for Endless {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        let flood =
            b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":99}}\n";
        let first = std::mem::take(&mut self.first);
        let frames = if first.is_empty() { flood.as_slice() } else { &first };
        buffer.put_slice(&frames[..frames.len().min(buffer.remaining())]);
        std::task::Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn answers_while_input_never_runs_dry() {
    let frames = format!("{}\n{}\n", initialize(LEGACY), sleeps("1", 1));
    let (to, from) = tokio::io::duplex(64 * 1024);
    let mut serving = JoinSet::new();
    serving.spawn(Handlers::default().server().serve(Endless { first: frames.into_bytes() }, to));
    let mut answers = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(from));
    for _ in 0..2 {
        let answer = timeout(PATIENCE, answers.next_line()).await.expect("an answer in time").expect("text");
        assert!(answer.is_some());
    }
}

#[tokio::test]
async fn calls_that_are_as_good_as_done_are_not_refused_for_a_full_table() {
    let turn = Tool::new("turn", || async {
        tokio::task::yield_now().await;
        "done"
    });
    let server = Server::new("turns").limits(Limits { in_flight: 4, ..Limits::default() }).tool(turn);
    let mut raw = Raw::session(server, LEGACY).await;
    let all: String = (1..=500).map(|id| call(&id.to_string(), "turn", "{}") + "\n").collect();
    raw.send_bytes(all.as_bytes()).await;
    for _ in 0..500 {
        let answer = raw.line().await;
        assert!(answer.contains("done"), "{answer}");
    }
}

#[tokio::test]
async fn a_handler_reads_the_meta_of_its_request() {
    let meta = |ctx: Context| async move { ctx.meta().map_or("none", |meta| meta.get()).to_owned() };
    for revision in [LEGACY, MODERN] {
        let server = Server::new("s").tool(Tool::new("meta", meta));
        let mut raw = Raw::session(server, revision).await;
        let asked = request(revision, "1", "tools/call", r#"{"name":"meta"}"#);
        let with = match revision {
            MODERN => asked.replace(r#""_meta":{"#, r#""_meta":{"example.com/a":[1],"#),
            _ => asked.replace(r#""params":{"#, r#""params":{"_meta":{"example.com/a":[1]},"#),
        };
        assert_ne!(asked, with);
        let answer = raw.ask(&with).await;
        assert!(answer.contains(r#"\"example.com/a\":[1]"#), "{answer}");
    }
    let mut raw = Raw::session(Server::new("s").tool(Tool::new("meta", meta)), LEGACY).await;
    let answer = raw.ask(&request(LEGACY, "1", "tools/call", r#"{"name":"meta"}"#)).await;
    assert!(answer.contains(r#""text":"none""#), "{answer}");
}

#[tokio::test]
async fn a_handler_reads_the_id_of_its_request() {
    let id = |ctx: Context| async move { ctx.request_id().to_string() };
    for (revision, asked, told) in [(LEGACY, "7", "7"), (MODERN, r#""a-1""#, r#"\"a-1\""#)] {
        let mut raw = Raw::session(Server::new("s").tool(Tool::new("id", id)), revision).await;
        let answer = raw.ask(&request(revision, asked, "tools/call", r#"{"name":"id"}"#)).await;
        assert!(answer.contains(&format!(r#""text":"{told}""#)), "{answer}");
    }
}
