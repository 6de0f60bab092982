//! The memory that one caller, and all callers together, can make the server keep.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use plainwire::http::Http;
use plainwire::proto::peer::Limits;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::support::service_client::{Answer, LEGACY, MODERN, Web, call, request};
use super::support::socket_client::{Running, modern, post};
use super::support::{Seen, server};

const MIB: usize = 1 << 20;

/// Returns a server whose callers together may take this much memory.
fn limited(memory: usize) -> Web {
    let limits = Limits { memory: Some(memory), ..Limits::default() };
    let large = plainwire::Tool::new("large", || async { "x".repeat(MIB / 2) });
    let http = Http::new(server(&Seen::default()).limits(limits).tool(large));
    Web::new(
        http.bearer_token("ada", "a-token").bearer_token("bob", "b-token").bearer_token("eve", "e-token"),
    )
}

fn ada(web: &Web) -> Web {
    web.with("authorization", "Bearer a-token")
}

fn bob(web: &Web) -> Web {
    web.with("authorization", "Bearer b-token")
}

/// Expects a refusal that names the limit.
async fn over(answer: Answer, status: u16, limit: usize) {
    assert_eq!((answer.status, answer.header("retry-after")), (status, Some("1")));
    let message = answer.json().await["error"]["message"].as_str().expect("a message").to_owned();
    assert!(message.contains(&format!("at most {limit} bytes (limit `memory`)")), "{message}");
}

fn padded(mut message: Value, bytes: usize) -> Value {
    message["params"]["pad"] = "p".repeat(bytes).into();
    message
}

#[tokio::test]
async fn a_body_is_refused_when_its_caller_has_no_memory_left_and_others_are_served() {
    let web = limited(8 * MIB);
    let big = padded(request(1, "ping", json!({})), 5 * MIB);
    over(ada(&web).post(&big).await, 429, 4 * MIB).await;
    let small = padded(request(1, "ping", json!({})), MIB);
    let session = ada(&web).session(LEGACY).await;
    for _ in 0..10 {
        assert_eq!(session.post(&small).await.status, 200, "what is answered takes nothing");
    }
    // A call keeps the memory of its body, also when its client is gone.
    let waits = padded(call(1, "wait", json!({ "ms": 200 })), MIB + MIB / 2);
    let left = timeout(Duration::from_millis(20), session.post(&waits)).await;
    assert!(left.is_err(), "it was answered");
    over(session.post(&small).await, 429, 4 * MIB).await;
    let other = bob(&web).session(LEGACY).await;
    assert_eq!(other.post(&small).await.status, 200);
    sleep(Duration::from_millis(300)).await;
    assert_eq!(session.post(&small).await.status, 200, "the call has ended");
}

#[tokio::test]
async fn all_callers_together_have_a_limit() {
    let web = limited(8 * MIB);
    let eve = web.with("authorization", "Bearer e-token").session(LEGACY).await;
    let message = padded(call(1, "wait", json!({ "ms": 200 })), MIB + MIB / 2);
    for caller in [ada(&web), bob(&web)] {
        let session = caller.session(LEGACY).await;
        let left = timeout(Duration::from_millis(20), session.post(&message)).await;
        assert!(left.is_err(), "it was answered");
    }
    over(eve.post(&message).await, 503, 8 * MIB).await;
    assert_eq!(eve.post(&request(1, "ping", json!({}))).await.status, 200);
    sleep(Duration::from_millis(300)).await;
    assert_eq!(eve.post(&message).await.status, 200);
}

/// While a call runs, its arguments are there as text and as values.
#[tokio::test]
async fn a_large_body_counts_twice() {
    let session = ada(&limited(8 * MIB)).session(LEGACY).await;
    let waits = padded(call(1, "wait", json!({ "ms": 200 })), MIB + MIB / 4);
    let left = timeout(Duration::from_millis(20), session.post(&waits)).await;
    assert!(left.is_err(), "it was answered");
    // Of 4 MiB, 1.5 are left.
    over(session.post(&padded(request(2, "ping", json!({})), MIB)).await, 429, 4 * MIB).await;
    assert_eq!(session.post(&padded(request(3, "ping", json!({})), MIB * 5 / 8)).await.status, 200);
}

#[tokio::test]
async fn an_answer_takes_memory_until_it_is_read() {
    let web = ada(&limited(4 * MIB));
    let ask = async |id| web.ask(id, "tools/call", json!({ "name": "large" })).await;
    let mut unread = Vec::new();
    for id in 1..=3 {
        let answer = ask(id).await;
        assert_eq!(answer.status, 200);
        unread.push(answer);
    }
    let dropped = ask(4).await;
    assert_eq!((dropped.status, dropped.header("retry-after")), (429, Some("1")));
    let dropped = dropped.json().await;
    assert_eq!(dropped["id"], 4);
    let message = dropped["error"]["message"].as_str().expect("a message");
    assert!(message.contains("; the request was carried out, and its answer of 524"), "{message}");
    // Another answer would be dropped too, after its request was carried out.
    over(web.ask(5, "tools/list", json!({})).await, 429, 2 * MIB).await;
    unread.pop();
    assert_eq!(ask(6).await.status, 200);
}

#[tokio::test]
async fn sessions_take_memory_with_what_they_say_of_themselves() {
    let web = ada(&limited(2 * MIB));
    let info = json!({ "name": "c".repeat(60_000), "version": "1" });
    let initialize = request(
        0,
        "initialize",
        json!({ "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": info }),
    );
    let mut begun = 0;
    let refused = loop {
        let answer = web.post(&initialize).await;
        if answer.status != 200 {
            break answer;
        }
        begun += 1;
    };
    assert!((10..=17).contains(&begun), "{begun} sessions of 64 KiB in 1 MiB");
    over(refused, 429, MIB).await;
}

/// An address without a token is a caller, too.
#[tokio::test]
async fn addresses_are_callers() {
    let running =
        Running::of(|server| server.limits(Limits { memory: Some(MIB), ..Limits::default() }), |http| http)
            .await;
    let mut wire = running.connect().await;
    wire.send(&modern(1, "echo", json!({ "text": "x".repeat(MIB) }))).await;
    let answer = wire.answer().await;
    assert_eq!((answer.status, answer.field("retry-after")), (429, Some("1")));
}

/// Many calls of one caller end before the server sends the first of their answers: each answer takes memory from
/// the end of its call.
#[tokio::test]
async fn answers_take_memory_before_they_are_sent() {
    let gate = Arc::new(Semaphore::new(0));
    let open = Arc::clone(&gate);
    let large = plainwire::Tool::new("large", move || {
        let gate = Arc::clone(&gate);
        async move {
            gate.acquire().await.expect("open").forget();
            "x".repeat(MIB / 2)
        }
    });
    let limits = Limits { memory: Some(4 * MIB), ..Limits::default() };
    let web = Web::new(Http::new(server(&Seen::default()).limits(limits).tool(large)));
    let ask = |id| {
        let web = web.at("/mcp");
        Box::pin(async move { web.ask(id, "tools/call", json!({ "name": "large", "arguments": {} })).await })
    };
    let mut asked: Vec<_> = (1..=12).map(ask).collect();
    for one in &mut asked {
        assert!(poll_fn(|cx| Poll::Ready(one.as_mut().poll(cx))).await.is_pending());
    }
    open.add_permits(asked.len());
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let (mut whole, mut refused) = (0, 0);
    for one in asked {
        let answer = one.await;
        if answer.status == 200 {
            whole += 1;
            continue;
        }
        refused += 1;
        assert_eq!((answer.status, answer.header("retry-after")), (429, Some("1")));
        let message = answer.json().await["error"]["message"].as_str().expect("a message").to_owned();
        assert!(
            message.contains("(limit `memory`), but found more; the request was carried out"),
            "{message}"
        );
    }
    assert!((1..=4).contains(&whole) && refused > 0, "{whole} answers of 512 KiB within 2 MiB");
    open.add_permits(1);
    assert_eq!(ask(13).await.status, 200, "all memory was given back");
}

/// Calls that wait for a thread when an answer is dropped do not begin.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::disallowed_methods, reason = "the rule about tasks is for the library")]
async fn calls_that_have_not_begun_are_refused_before_they_are_carried_out() {
    let begun = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&begun);
    let large = plainwire::Tool::new("large", move || {
        count.fetch_add(1, Ordering::SeqCst);
        // Blocks, so that the calls wait for their turns.
        std::thread::sleep(Duration::from_millis(3));
        async { "x".repeat(MIB / 2) }
    });
    let limits = Limits { memory: Some(4 * MIB), ..Limits::default() };
    let web = Web::new(Http::new(server(&Seen::default()).limits(limits).tool(large)));
    let ask = |id| {
        let web = web.at("/mcp");
        tokio::spawn(
            async move { web.ask(id, "tools/call", json!({ "name": "large", "arguments": {} })).await },
        )
    };
    let asked: Vec<_> = (0..40).map(ask).collect();
    let mut answers = Vec::new();
    for one in asked {
        answers.push(one.await.expect("an answer"));
    }
    // Four fit into 2 MiB. Those that run when the next one is dropped have begun.
    let refused = answers.iter().filter(|answer| answer.status == 429).count();
    let begun = begun.load(Ordering::SeqCst);
    assert!(begun < 20 && refused > 30, "{begun} begun, {refused} refused of 40");
}

/// Returns whether a request is refused because its caller has no memory left.
async fn is_full(running: &Running) -> bool {
    let mut wire = running.connect().await;
    wire.send(&modern(9, "echo", json!({ "text": "a" }))).await;
    let answer = wire.answer().await;
    assert!([200, 429].contains(&answer.status), "{answer:?}");
    answer.status == 429
}

async fn with_memory(memory: usize) -> Running {
    let limits = Limits { memory: Some(memory), ..Limits::default() };
    let large = plainwire::Tool::new("large", || async { "x".repeat(MIB / 2) });
    Running::of(|server| server.limits(limits).tool(large), |http| http).await
}

#[tokio::test]
async fn heads_that_never_end_take_memory() {
    let running = with_memory(MIB).await;
    let mut wires = Vec::new();
    for n in 0..20 {
        let mut wire = running.connect().await;
        wire.send(&format!("POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx: {}", "x".repeat(40_000))).await;
        wires.push(wire);
        if n == 2 {
            sleep(Duration::from_millis(50)).await;
            assert!(!is_full(&running).await, "three heads are no reason");
        }
    }
    sleep(Duration::from_millis(50)).await;
    assert!(is_full(&running).await, "800 KB of 512 KiB");
    drop(wires);
    sleep(Duration::from_millis(50)).await;
    assert!(!is_full(&running).await, "what is gone takes nothing");
}

#[tokio::test]
async fn a_usual_head_takes_no_memory_of_its_own() {
    let running = with_memory(64 << 10).await;
    let mut wires = Vec::new();
    for _ in 0..100 {
        let mut wire = running.connect().await;
        wire.send(&format!("POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx: {}", "x".repeat(4_000))).await;
        wires.push(wire);
    }
    assert!(!is_full(&running).await);
}

#[tokio::test]
async fn an_encoder_of_a_large_answer_takes_memory() {
    // Room for the answer, but not for its encoder too.
    for (memory, is_compressed) in [(2 * MIB, true), (MIB + MIB / 2, false)] {
        let running = with_memory(memory).await;
        let mut wire = running.connect().await;
        wire.send(&modern(1, "large", json!({})).replacen("\r\n", "\r\naccept-encoding: gzip\r\n", 1)).await;
        let head = wire.up_to("\r\n\r\n").await;
        assert_eq!(head.contains("content-encoding: gzip"), is_compressed, "{head}");
    }
}

#[tokio::test]
async fn a_subscription_takes_memory_for_its_uris() {
    let running = with_memory(MIB).await;
    let uris: Vec<String> = (0..25).map(|n| format!("test://{n}/{}", "u".repeat(4_000))).collect();
    let mut message =
        request(7, "subscriptions/listen", json!({ "notifications": { "resourceSubscriptions": uris } }));
    message["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let listen =
        post(&format!("mcp-protocol-version: {MODERN}\r\nmcp-method: subscriptions/listen\r\n"), &message);
    let mut wires = Vec::new();
    for _ in 0..2 {
        let mut wire = running.connect().await;
        wire.send(&listen).await;
        wires.push(wire);
    }
    // 300 KB each, three times the request.
    sleep(Duration::from_millis(50)).await;
    let mut wire = running.connect().await;
    wire.send(&listen).await;
    assert_eq!(wire.answer().await.status, 429);
}
