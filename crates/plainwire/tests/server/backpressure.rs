//! Clients that stop reading: the server stops reading too, and reads again when the client does.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context as Poller, Poll, Waker};

use plainwire::prelude::*;
use plainwire::stream::tap::{Direction, Tap};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::task::JoinSet;

use crate::raw_client::{LEGACY, MODERN, PIPE, Raw, ping, pong, request};

/// Writes `bytes` until the server reads no more of them. Returns the number of bytes written.
///
/// All tasks run on one thread. A server that reads nothing while the other tasks get 100 turns is taken to
/// wait until the client reads.
async fn write_until_full(to: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> usize {
    let (mut written, mut refused) = (0, 0);
    while written < bytes.len() && refused < 100 {
        let polled = poll_fn(|cx| Poll::Ready(Pin::new(&mut *to).poll_write(cx, &bytes[written..]))).await;
        match polled {
            Poll::Ready(count) => {
                written += count.expect("a server that reads");
                refused = 0;
            }
            Poll::Pending => refused += 1,
        }
        tokio::task::yield_now().await;
    }
    written
}

/// Returns 400 requests of 1 KiB each, which is more than all buffers on the way to the server hold.
fn long_requests(method: &str) -> Vec<String> {
    let params = format!(r#"{{"name":"large","padding":"{}"}}"#, "x".repeat(1 << 10));
    (0..400).map(|id| request(LEGACY, &id.to_string(), method, &params)).collect()
}

/// Sends requests without reading an answer until the server takes no more. Returns the value that `begun`,
/// the number of requests that the server has begun, has at that moment. Before it returns, it sends the
/// remaining requests and reads the answers: each request must be answered once.
async fn begun_while_nobody_reads(server: Server, requests: &[String], begun: &AtomicUsize) -> usize {
    let mut raw = Raw::session(server, LEGACY).await;
    assert_eq!(raw.ask(&ping("0")).await, pong("0"));
    begun.store(0, Ordering::SeqCst);
    let bytes = requests.join("\n") + "\n";
    let mut to_server = raw.to_server.take().expect("input is open");
    let mut written = write_until_full(&mut to_server, bytes.as_bytes()).await;
    assert!(written < bytes.len(), "the server took all requests while nobody read an answer");
    let before = begun.load(Ordering::SeqCst);

    let mut seen = vec![false; requests.len()];
    while seen.contains(&false) {
        written += write_until_full(&mut to_server, &bytes.as_bytes()[written..]).await;
        let answer: Value = serde_json::from_str(&raw.line().await).expect("JSON");
        assert!(answer["result"].is_object(), "{answer}");
        let id = answer["id"].as_u64().expect("a number") as usize;
        assert!(!std::mem::replace(&mut seen[id], true), "{id} was answered twice");
    }
    drop(to_server);
    assert_eq!(raw.end().await, Vec::<String>::new());
    before
}

#[tokio::test]
async fn stops_reading_when_the_client_stops() {
    // The answer to each request has 100 KiB. The tap counts the frames that the server takes in, each of
    // which is a request that it begins.
    let begun = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&begun);
    let tap = Tap::new(move |frame| {
        count.fetch_add(usize::from(frame.direction == Direction::In), Ordering::SeqCst);
    });
    let described = Tool::new("large", || async { "x" }).description("x".repeat(100 << 10));
    let requests = long_requests("tools/list");
    let server = Server::new("large").tool(described).tap(tap);
    let before = begun_while_nobody_reads(server, &requests, &begun).await;
    // With 1 MiB of unsent answers, the server begins no further request.
    assert_eq!(before, 11);
}

#[tokio::test]
async fn stops_beginning_calls_when_the_client_stops() {
    // All of these calls begin before the first one returns its large result. So they are bounded only by the
    // number of requests that the server has read by then.
    let begun = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&begun);
    let large = Tool::new("large", move || {
        count.fetch_add(1, Ordering::SeqCst);
        async {
            tokio::task::yield_now().await;
            "x".repeat(100 << 10)
        }
    });
    let requests = long_requests("tools/call");
    let before = begun_while_nobody_reads(Server::new("large").tool(large), &requests, &begun).await;
    assert!(before <= 2 * PIPE / requests[0].len(), "{before} calls were begun");
}

/// An output that accepts no bytes until the test opens it, and then accepts everything.
#[derive(Clone, Default)]
struct Gate(Arc<Mutex<GateState>>);

#[derive(Default)]
struct GateState {
    lines: usize,
    open: bool,
    waker: Option<Waker>,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, GateState> {
        self.0.lock().expect("no panics")
    }
}

impl AsyncWrite for Gate {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Poller<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        let mut state = self.lock();
        if !state.open {
            state.waker = Some(cx.waker().clone());
            return Poll::Pending;
        }
        state.lines += bytes.iter().filter(|&&byte| byte == b'\n').count();
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Poller<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Poller<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Lets the other tasks run until all of them wait.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn goes_on_when_a_client_that_had_stopped_reads_everything_at_once() {
    let described = Tool::new("large", || async { "x" }).description("x".repeat(100 << 10));
    let (gate, (mut ours, theirs)) = (Gate::default(), tokio::io::duplex(PIPE));
    let mut served = JoinSet::new();
    served.spawn(Server::new("large").tool(described).serve(theirs, gate.clone()));
    let requests: String =
        (0..30).map(|id| request(MODERN, &id.to_string(), "tools/list", "{}") + "\n").collect();
    ours.write_all(requests.as_bytes()).await.expect("room");
    settle().await;
    let waker = {
        let mut state = gate.lock();
        state.open = true;
        state.waker.take().expect("a server that wants to write")
    };
    waker.wake();
    settle().await;
    assert_eq!(gate.lock().lines, 30, "answers without a further request");
}

/// A client leaves without reading 1.2 MiB of answers, more than the server buffers: the server must notice
/// this and end without an error.
#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_without_reading_is_noticed() {
    let mut raw = Raw::session(Server::new("s"), LEGACY).await;
    // The answers have 1.2 MiB in total, of which at most 1 MiB may be unsent. So the server waits for the
    // client to read.
    let pings: String = (0..32_000).map(|n| ping(&n.to_string()) + "\n").collect();
    raw.send_bytes(pings.as_bytes()).await;
    raw.hang_up();
    raw.served().await.expect("an end");
}

/// Sixty calls run when the client stops reading, and each could end with a megabyte: they wait instead, until the
/// client reads again.
#[tokio::test]
async fn running_calls_wait_when_the_client_stops() {
    const CALLS: usize = 60;
    let (gate, ended) = (Arc::new(tokio::sync::Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
    let (open, count) = (Arc::clone(&gate), Arc::clone(&ended));
    let large = Tool::new("large", move || {
        let (gate, ended) = (Arc::clone(&gate), Arc::clone(&ended));
        async move {
            gate.acquire().await.expect("open").forget();
            ended.fetch_add(1, Ordering::SeqCst);
            "x".repeat(1 << 20)
        }
    });
    let mut raw = Raw::session(Server::new("large").tool(large), LEGACY).await;
    let calls =
        (0..CALLS).map(|id| request(LEGACY, &id.to_string(), "tools/call", r#"{"name":"large"}"#) + "\n");
    raw.send_bytes(calls.collect::<String>().as_bytes()).await;
    settle().await;
    open.add_permits(CALLS);
    settle().await;
    let before = count.load(Ordering::SeqCst);
    assert!((1..=5).contains(&before), "{before} calls ended while nobody read");
    for _ in 0..CALLS {
        assert!(raw.line().await.len() > 1 << 20);
    }
    assert_eq!(count.load(Ordering::SeqCst), CALLS);
}

/// A call that waits for the client to read is still cancelled, and its deadline holds.
#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_the_client_to_read_can_be_cancelled_and_be_late() {
    let (gate, dropped) = (Arc::new(tokio::sync::Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
    struct Counts(Arc<AtomicUsize>);
    impl Drop for Counts {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let (open, count) = (Arc::clone(&gate), Arc::clone(&dropped));
    let large = Tool::new("large", move || {
        let (gate, counts) = (Arc::clone(&gate), Counts(Arc::clone(&dropped)));
        async move {
            gate.acquire().await.expect("open").forget();
            drop(counts);
            "x".repeat(3 << 20)
        }
    });
    let server = Server::new("large").tool(large.timeout(std::time::Duration::from_secs(5)));
    let mut raw = Raw::session(server, LEGACY).await;
    for id in 0..3 {
        raw.send(&request(LEGACY, &id.to_string(), "tools/call", r#"{"name":"large"}"#)).await;
    }
    settle().await;
    // The answers of the first two calls are too large for the stream and for the queue.
    open.add_permits(1);
    settle().await;
    open.add_permits(2);
    settle().await;
    assert_eq!(count.load(Ordering::SeqCst), 2, "the third call waits");
    raw.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#).await;
    tokio::time::sleep(std::time::Duration::from_secs(6)).await;
    settle().await;
    assert_eq!(count.load(Ordering::SeqCst), 3, "the third call is over");
    for _ in 0..2 {
        assert!(raw.line().await.len() > 3 << 20);
    }
}
