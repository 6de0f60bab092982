//! A model check of the pump: a batch is answered whole, in whatever order its calls end, the pump runs, and
//! other messages come. The pump is polled only when it was woken, so that a lost wake-up is a batch without an
//! answer.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Wake, Waker};

use plainwire_proto::envelope;
use plainwire_proto::error::Error;
use plainwire_proto::json::Span;
use plainwire_proto::peer::Limits;
use tokio::sync::Semaphore;

use super::*;
use crate::server::built::Built;
use crate::server::connection::calls::{Attached, Budget, Held};
use crate::server::http::session::{Posted, Reply};
use crate::server::store::memory::Memory;
use crate::{Server, Tool};

/// The numbers of calls that end at once: one, as many as a turn of the pump takes, one more, and more than two
/// turns. 0 stands for a ping instead.
const ENDS: [usize; 5] = [0, 1, TURN, TURN + 1, 2 * TURN + 1];

/// The numbers of times that the pump may run before the next event.
const RUNS: [usize; 2] = [0, 1];

/// The most events in one order.
const EVENTS: usize = 3;

/// A waker that only records that it was called.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Woken {
    /// Returns whether the waker was called since the last call of this method.
    fn take(&self) -> bool {
        self.0.swap(false, Ordering::SeqCst)
    }
}

/// The calls of the tool `wait`: they end when they get a permit.
struct Waiting {
    ended: AtomicUsize,
    permits: Semaphore,
}

fn built(waiting: &Arc<Waiting>) -> Arc<Built> {
    let waiting = Arc::clone(waiting);
    let wait = Tool::new("wait", move || {
        let waiting = Arc::clone(&waiting);
        async move {
            waiting.permits.acquire().await.expect("open").forget();
            waiting.ended.fetch_add(1, Ordering::SeqCst);
            "done"
        }
    });
    let limits = Limits { batch: 1_000, in_flight: 1_000, ..Limits::default() };
    Server::new("pumped").limits(limits).tool(wait).build(None).expect("a legal server").0
}

fn post(session: &Arc<Session>, text: &str) -> Reply {
    let parsed = envelope::parse(text, Span::whole(text), 64);
    session.post(Posted::Message(text, parsed), Attached::default()).reply
}

/// Begins a session whose pump does not run by itself.
fn session(waiting: &Arc<Waiting>) -> Arc<Session> {
    let session = Arc::new(Session::new(&built(waiting), None, "s", Arc::new(Memory::default())));
    post(
        &session,
        r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
    );
    post(&session, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    session.lock().as_mut().expect("a session").is_pumped = true;
    session
}

/// Plays one order of events: so many calls end, and then the pump may run so many times.
async fn play(order: &[(usize, usize)]) {
    let calls: usize = order.iter().map(|(ends, _)| ends).sum();
    let waiting = Arc::new(Waiting { ended: AtomicUsize::new(0), permits: Semaphore::new(0) });
    let session = session(&waiting);
    let mut pump = pin!(run(Arc::clone(&session)));
    let woken = Arc::new(Woken(AtomicBool::new(true)));
    let waker = Waker::from(Arc::clone(&woken));
    let mut is_over = false;
    // Polls the pump if it was woken and has not ended. Returns whether it was polled.
    let mut run_once = || {
        let runs = !is_over && woken.take();
        is_over |= runs && pump.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
        runs
    };
    let call =
        |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"wait"}}}}"#);
    let batch = format!("[{}]", (0..calls).map(call).collect::<Vec<_>>().join(","));
    let Reply::Later(later) = session.post(Posted::Batch(batch.as_bytes()), Attached::default()).reply else {
        panic!("{order:?}: the calls wait");
    };
    let mut due = 0;
    for &(ends, runs) in order {
        if ends == 0 {
            assert!(matches!(
                post(&session, r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#),
                Reply::Answer(_)
            ));
        }
        due += ends;
        waiting.permits.add_permits(ends);
        while waiting.ended.load(Ordering::SeqCst) < due {
            tokio::task::yield_now().await;
        }
        // The signal of a call is sent right after its code has ended.
        tokio::task::yield_now().await;
        for _ in 0..runs {
            run_once();
            tokio::task::yield_now().await;
        }
    }
    // A pump that has used up its share of the runtime is woken when this task yields.
    while run_once() {
        tokio::task::yield_now().await;
    }
    let first = pin!(later.first()).poll(&mut Context::from_waker(Waker::noop()));
    let Poll::Ready(ResponseStart::Answer(bytes)) = first else { panic!("{order:?}: unanswered") };
    let answers = String::from_utf8_lossy(&bytes).matches(r#""text":"done""#).count();
    assert_eq!(answers, calls, "{order:?}");
}

#[tokio::test]
async fn a_batch_is_answered_whole_in_every_order_of_events() {
    let events: Vec<(usize, usize)> = ENDS.iter().flat_map(|ends| RUNS.map(|runs| (*ends, runs))).collect();
    let mut orders: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
    let mut played = 0;
    for _ in 0..EVENTS {
        orders = orders
            .iter()
            .flat_map(|order| events.iter().map(move |event| [&order[..], &[*event]].concat()))
            .collect();
        for order in orders.iter().filter(|order| order.iter().any(|(ends, _)| *ends > 0)) {
            play(order).await;
            played += 1;
        }
    }
    // Without the orders that have only pings: 10 + 100 + 1,000 - 2 - 4 - 8.
    assert_eq!(played, 1_096);
}

/// The memory of a caller, as a number of claimed bytes.
#[derive(Clone, Default)]
struct Claimed(Arc<AtomicUsize>);

impl Budget for Claimed {
    fn claim(&self, bytes: usize) -> Result<Held, Error> {
        self.0.fetch_add(bytes, Ordering::SeqCst);
        Ok(Arc::new(Returned { bytes, claimed: self.clone() }))
    }
}

struct Returned {
    bytes: usize,
    claimed: Claimed,
}

impl Drop for Returned {
    fn drop(&mut self) {
        self.claimed.0.fetch_sub(self.bytes, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn an_answer_counts_as_memory_until_its_response_has_it() {
    let waiting = Arc::new(Waiting { ended: AtomicUsize::new(0), permits: Semaphore::new(0) });
    let session = session(&waiting);
    let claimed = Claimed::default();
    let attached = Attached { budget: Some(Arc::new(claimed.clone())), ..Attached::default() };
    let call = br#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}]"#;
    let Reply::Later(later) = session.post(Posted::Batch(call), attached).reply else {
        panic!("the call waits")
    };
    waiting.permits.add_permits(1);
    while claimed.0.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    // Now the pump takes the answer from its call, and ends.
    run(Arc::clone(&session)).await;
    let size = claimed.0.load(Ordering::SeqCst);
    assert!(size > 0, "the answer waits for its response");
    let first = pin!(later.first()).poll(&mut Context::from_waker(Waker::noop()));
    let Poll::Ready(ResponseStart::Answer(answer)) = first else { panic!("unanswered") };
    assert!(answer.len() > size, "{} bytes, of which {size} were claimed", answer.len());
    drop(later);
    assert_eq!(claimed.0.load(Ordering::SeqCst), 0);
}
