//! Tests of [`Memory`] beyond the store contract: memory that is freed, limits, and wake-ups.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use tokio::time::{advance, timeout};

use super::*;
use crate::server::store::{Heard, Tailed};

const HOUR: Duration = Duration::from_secs(3600);
const SECOND: Duration = Duration::from_secs(1);

fn small() -> Limits {
    Limits { sessions: 1_000, events: 4, bytes: 100, bytes_of_all: 1_000, streams: 3, messages: 2 }
}

async fn next(tail: &mut dyn Tail) -> Option<Tailed> {
    let next = timeout(HOUR, poll_fn(|cx| tail.poll_next(cx))).await.expect("something comes");
    next.map(|it| it.expect("memory does not fail"))
}

async fn hear(subscription: &mut dyn Subscription) -> Option<Heard> {
    let next = timeout(HOUR, poll_fn(|cx| subscription.poll_next(cx))).await.expect("something comes");
    next.map(|it| it.expect("memory does not fail"))
}

async fn tail(store: &Memory, stream: u64, after: u64) -> Option<Box<dyn Tail>> {
    store.tail("a", stream, after).await.expect("memory does not fail")
}

async fn write(store: &Memory, stream: u64, count: u64) {
    for _ in 0..count {
        store.append("a", stream, b"event").await.expect("a session");
    }
}

/// Returns a store with the session `a`.
async fn with_session(limits: Limits) -> Memory {
    let store = Memory::new(limits);
    store.create("a", b"", HOUR).await.expect("room");
    store
}

/// Returns what a new tail of stream 1 of a session finds at once.
async fn first_of(store: &Memory, session: &str) -> Option<Tailed> {
    let tail = store.tail(session, 1, 0).await.expect("memory does not fail");
    next(&mut *tail?).await
}

#[tokio::test(start_paused = true)]
async fn the_session_with_the_most_bytes_makes_room_for_the_events_of_others() {
    let store = Memory::new(Limits { bytes_of_all: 100, bytes: 80, ..small() });
    for session in ["large", "small", "late"] {
        store.create(session, b"", HOUR).await.expect("room");
    }
    for _ in 0..2 {
        store.append("large", 1, &[0; 40]).await.expect("a session");
    }
    store.append("small", 1, &[1; 20]).await.expect("a session");
    assert_eq!(first_of(&store, "large").await, Some(Tailed::Event(1, vec![0; 40])), "100 bytes fit");

    store.append("small", 1, b"+").await.expect("a session");
    assert_eq!(first_of(&store, "large").await, Some(Tailed::Gone(1)));
    assert_eq!(first_of(&store, "small").await, Some(Tailed::Event(1, vec![1; 20])));

    // A newest event stays even if it alone is over the limit. Newest events of others do not.
    store.append("late", 1, &[2; 150]).await.expect("a session");
    assert_eq!(first_of(&store, "late").await, Some(Tailed::Event(1, vec![2; 150])));
    assert_eq!(first_of(&store, "large").await, Some(Tailed::Gone(2)));
    assert_eq!(first_of(&store, "small").await, Some(Tailed::Gone(2)));
    assert_eq!(store.shared.sessions.bytes_of_logs(), 150);

    // The bytes of a session that ends are free again.
    assert_eq!(store.remove("late").await, Ok(true));
    assert_eq!(store.shared.sessions.bytes_of_logs(), 0);
}

#[tokio::test(start_paused = true)]
async fn logs_that_expire_give_their_bytes_back() {
    let store = Memory::new(small());
    for n in 0..20 {
        store.create(&format!("s{n}"), b"", SECOND).await.expect("room");
        store.append(&format!("s{n}"), n, &[0; 50]).await.expect("a session");
    }
    assert_eq!(store.shared.sessions.bytes_of_logs(), 1_000);
    advance(2 * SECOND).await;
    for n in 0..20 {
        assert_eq!(store.load(&format!("s{n}")).await, Ok(None));
    }
    assert_eq!(store.shared.sessions.bytes_of_logs(), 0);
}

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test(start_paused = true)]
async fn creating_gives_back_sessions_that_have_expired_and_nobody_asks_for() {
    let store = Memory::new(small());
    for n in 0..800 {
        store.create(&format!("old-{n}"), b"record", SECOND).await.expect("room");
    }
    for n in 0..800 {
        let idle = if n == 7 { HOUR } else { SECOND };
        assert_eq!(store.touch(&format!("old-{n}"), idle).await, Ok(true));
    }
    advance(2 * SECOND).await;
    for n in 0..400 {
        store.create(&format!("new-{n}"), b"record", HOUR).await.expect("room");
    }
    let kept = store.shared.sessions.kept();
    assert!((401..450).contains(&kept), "expected 401 sessions and few that have expired, but found {kept}");
    assert_eq!(store.load("old-7").await, Ok(Some(b"record".to_vec())));
}

#[tokio::test(start_paused = true)]
async fn one_creation_gives_back_only_a_few() {
    let store = Memory::new(small());
    for n in 0..800 {
        store.create(&format!("old-{n}"), b"record", SECOND).await.expect("room");
    }
    advance(2 * SECOND).await;
    store.create("new", b"record", HOUR).await.expect("room");
    let kept = store.shared.sessions.kept();
    assert!(kept >= 790, "expected nearly all of 801 to be there, but found {kept}");
}

#[tokio::test(start_paused = true)]
async fn asking_for_a_session_that_has_expired_gives_it_back() {
    let store = with_session(small()).await;
    store.touch("a", SECOND).await.expect("memory does not fail");
    advance(SECOND).await;
    assert_eq!(store.load("a").await, Ok(None));
    assert_eq!(store.shared.sessions.kept(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_session_may_live_for_ever() {
    let store = Memory::default();
    store.create("a", b"", Duration::MAX).await.expect("room");
    write(&store, 1, 1).await;
    advance(Duration::from_secs(1_000_000_000)).await;
    assert_eq!(store.touch("a", Duration::MAX).await, Ok(true));
    let mut tail = tail(&store, 1, 1).await.expect("a tail");
    assert!(timeout(HOUR, poll_fn(|cx| tail.poll_next(cx))).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_touch_for_a_shorter_time_ends_tails_that_wait_already() {
    let store = with_session(small()).await;
    write(&store, 1, 1).await;
    let mut tail = tail(&store, 1, 1).await.expect("a tail");
    assert!(timeout(SECOND, poll_fn(|cx| tail.poll_next(cx))).await.is_err());
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    assert!(tail.poll_next(&mut Context::from_waker(&waker)).is_pending());
    store.touch("a", HOUR * 2).await.expect("memory does not fail");
    assert_eq!(count.0.load(Ordering::SeqCst), 0);
    store.touch("a", SECOND).await.expect("memory does not fail");
    assert_eq!(count.0.load(Ordering::SeqCst), 1);
    assert_eq!(timeout(2 * SECOND, poll_fn(|cx| tail.poll_next(cx))).await, Ok(None));
}

#[tokio::test(start_paused = true)]
async fn the_newest_event_is_kept_however_large_it_is() {
    let store = with_session(small()).await;
    write(&store, 1, 2).await;
    store.append("a", 1, &[0; 1_000]).await.expect("a session");
    let mut tail = tail(&store, 1, 0).await.expect("a tail");
    assert_eq!(next(&mut *tail).await, Some(Tailed::Gone(2)));
    assert_eq!(next(&mut *tail).await, Some(Tailed::Event(3, vec![0; 1_000])));
    write(&store, 1, 1).await;
    assert_eq!(next(&mut *tail).await, Some(Tailed::Event(4, b"event".to_vec())));
    let mut again = self::tail(&store, 1, 2).await.expect("a tail");
    assert_eq!(next(&mut *again).await, Some(Tailed::Gone(1)));
}

#[tokio::test(start_paused = true)]
async fn a_closed_stream_takes_no_event() {
    let store = with_session(small()).await;
    write(&store, 7, 1).await;
    store.close("a", 7).await.expect("memory does not fail");
    let text = "expected an open stream, but found an event for stream 7, which is closed";
    assert_eq!(store.append("a", 7, b"late").await, Err(StoreError::failed(text)));
}

#[tokio::test(start_paused = true)]
async fn a_closed_stream_is_forgotten_with_its_last_event_and_its_last_tail() {
    let store = with_session(small()).await;
    write(&store, 1, 2).await;
    let mut slow = tail(&store, 1, 0).await.expect("a tail");
    store.close("a", 1).await.expect("memory does not fail");
    write(&store, 2, 4).await;
    assert!(tail(&store, 1, 0).await.is_none());
    assert_eq!(next(&mut *slow).await, Some(Tailed::Gone(2)));
    assert_eq!(next(&mut *slow).await, None);
    write(&store, 3, 1).await;
    // The tail of the closed first stream still exists, so the store still counts that stream: with streams 2
    // and 3 it has three, and a fourth exceeds the limit.
    let text = "expected at most 3 streams in a session (limit `streams`), but found one more";
    assert_eq!(store.append("a", 4, b"event").await, Err(StoreError::failed(text)));
    drop(slow);
    write(&store, 4, 1).await;
}

#[tokio::test(start_paused = true)]
async fn an_open_stream_without_events_can_still_be_followed() {
    let store = with_session(small()).await;
    write(&store, 1, 2).await;
    write(&store, 2, 4).await;
    let mut tail = tail(&store, 1, 1).await.expect("a tail");
    assert_eq!(next(&mut *tail).await, Some(Tailed::Gone(1)));
    assert!(timeout(SECOND, poll_fn(|cx| tail.poll_next(cx))).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_position_that_was_reached_and_forgotten_has_a_tail_and_one_beyond_has_none() {
    let store = with_session(small()).await;
    write(&store, 1, 2).await;
    write(&store, 2, 4).await;
    assert!(tail(&store, 1, 3).await.is_none());
    assert!(tail(&store, 1, u64::MAX).await.is_none());
    let mut tail = tail(&store, 1, 2).await.expect("a tail");
    write(&store, 1, 1).await;
    assert_eq!(next(&mut *tail).await, Some(Tailed::Event(3, b"event".to_vec())));
}

#[tokio::test(start_paused = true)]
async fn a_tail_that_is_polled_often_is_woken_once() {
    let store = with_session(small()).await;
    write(&store, 1, 1).await;
    let mut tail = tail(&store, 1, 1).await.expect("a tail");
    let counts = [Arc::new(Count::default()), Arc::new(Count::default())];
    for count in counts.iter().chain(&counts) {
        let waker = Waker::from(Arc::clone(count));
        for _ in 0..10 {
            assert!(tail.poll_next(&mut Context::from_waker(&waker)).is_pending());
        }
    }
    write(&store, 1, 2).await;
    assert_eq!(counts.map(|it| it.0.load(Ordering::SeqCst)), [0, 1]);
}

/// A waker that uses the store when it is woken. If the store called the waker while holding one of its own
/// locks, the test would deadlock.
struct Reads(Mutex<Option<Box<dyn Tail>>>, Memory);

impl Wake for Reads {
    fn wake(self: Arc<Self>) {
        let tail = self.0.lock().expect("no test panics here").take();
        if let Some(mut tail) = tail {
            let _ = tail.poll_next(&mut Context::from_waker(Waker::noop()));
        }
        // Dropping the tail takes locks of the store too, as do loading a session and publishing.
        drop(self.1.shared.sessions.load("a"));
        self.1.shared.bus.publish("channel", b"");
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_is_woken_may_use_the_store_at_once() {
    for how in 0..4 {
        let store = with_session(small()).await;
        write(&store, 1, 1).await;
        let mut tail = tail(&store, 1, 1).await.expect("a tail");
        let mut subscription = store.subscribe("channel").await.expect("a subscription");
        let other = self::tail(&store, 1, 1).await;
        let waker = Waker::from(Arc::new(Reads(Mutex::new(other), store.clone())));
        assert!(tail.poll_next(&mut Context::from_waker(&waker)).is_pending());
        assert!(subscription.poll_next(&mut Context::from_waker(&waker)).is_pending());
        match how {
            0 => write(&store, 1, 1).await,
            1 => store.close("a", 1).await.expect("memory does not fail"),
            2 => drop(store.remove("a").await),
            _ => drop(store.touch("a", SECOND).await),
        }
        store.publish("channel", b"message").await.expect("memory does not fail");
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_dropped_ends_its_tails_and_its_subscriptions() {
    let store = with_session(small()).await;
    write(&store, 1, 1).await;
    let mut tail = tail(&store, 1, 1).await.expect("a tail");
    let mut subscription = store.subscribe("channel").await.expect("a subscription");
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    assert!(tail.poll_next(&mut Context::from_waker(&waker)).is_pending());
    assert!(subscription.poll_next(&mut Context::from_waker(&waker)).is_pending());
    store.publish("channel", b"last").await.expect("memory does not fail");
    drop(store.clone());
    assert_eq!(count.0.load(Ordering::SeqCst), 1);
    drop(store);
    assert_eq!(next(&mut *tail).await, None);
    assert_eq!(hear(&mut *subscription).await, Some(Heard::Message(b"last".to_vec())));
    assert_eq!(hear(&mut *subscription).await, None);
    assert_eq!(count.0.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a_subscription_keeps_the_newest_messages() {
    let store = Memory::new(small());
    let mut subscription = store.subscribe("channel").await.expect("a subscription");
    for message in [&b"1"[..], b"2", b"3", b"4"] {
        store.publish("channel", message).await.expect("memory does not fail");
    }
    assert_eq!(hear(&mut *subscription).await, Some(Heard::Missed(2)));
    assert_eq!(hear(&mut *subscription).await, Some(Heard::Message(b"3".to_vec())));
    // A single message may exceed the limit of bytes. Two may not, so the older one is dropped.
    store.publish("channel", &[0; 200]).await.expect("memory does not fail");
    assert_eq!(hear(&mut *subscription).await, Some(Heard::Missed(1)));
    assert_eq!(hear(&mut *subscription).await, Some(Heard::Message(vec![0; 200])));
    assert_eq!(subscription.poll_next(&mut Context::from_waker(Waker::noop())), Poll::Pending);
}

#[tokio::test(start_paused = true)]
async fn a_channel_is_forgotten_when_nobody_listens() {
    let store = Memory::default();
    let subscriptions = [store.subscribe("channel").await, store.subscribe("channel").await];
    assert_eq!(store.shared.bus.channels(), 1);
    let [first, second] = subscriptions;
    drop(first);
    assert_eq!(store.shared.bus.channels(), 1);
    drop(second);
    assert_eq!(store.shared.bus.channels(), 0);
}

#[tokio::test(start_paused = true)]
async fn names_that_are_too_long_or_not_ascii_are_refused() {
    let store = Memory::default();
    let text = "expected a session's id to be ASCII of at most 128 bytes, but found 129 bytes, ASCII";
    assert_eq!(store.create(&"a".repeat(129), b"", HOUR).await, Err(StoreError::failed(text)));
    let text =
        "expected a channel to be ASCII of at most 128 bytes, but found 2 bytes, not all of them ASCII";
    assert_eq!(store.subscribe("ü").await.err(), Some(StoreError::failed(text)));
}
