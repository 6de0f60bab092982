//! Helpers of the rules: waiting with a limit, and error texts.
//!
//! In: tails, subscriptions and futures. Out: their items, or a [`Broken`].

use std::fmt::{self, Debug};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::server::store::limits::Limits;
use crate::server::store::{Heard, Store, StoreError, Subscription, Tail, Tailed};

/// The result of a rule, or of a step of it.
pub(super) type RuleResult = Result<(), Broken>;

/// The error of a rule that a store breaks: a text with what was expected, and what was found.
#[derive(Clone, PartialEq, Eq)]
pub struct Broken(String);

impl Broken {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text of `Display`, so that a test that returns this error shows that text.
impl Debug for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Broken {}

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Self {
        Self(format!("expected the store to succeed, but found the error: {error}"))
    }
}

/// The id of the session that most rules use.
pub(super) const ID: &str = "6f0a1c52-8d7e-4b1f-9a3e-2c45d6e7f801";

/// A lifetime of sessions that is long enough for every rule that is not about expiry.
pub(super) const LONG: Duration = Duration::from_secs(3600);

/// Limits that are high enough for every rule. A rule about one of the limits uses a lower value for it.
pub(super) const LIMITS: Limits = Limits {
    sessions: 100,
    events: 1_000,
    bytes: 1 << 20,
    bytes_of_all: 1 << 26,
    streams: 100,
    messages: 1_000,
};

pub(super) fn same<T: Debug + PartialEq>(what: &str, found: &T, expected: &T) -> RuleResult {
    if found == expected {
        return Ok(());
    }
    Err(Broken(format!("expected {what} to be {}, but found {}", short(expected), short(found))))
}

/// Checks that a store refused an operation, with [`StoreError::Failed`] and any text.
pub(super) fn refused<T: Debug>(what: &str, found: &Result<T, StoreError>) -> RuleResult {
    match found {
        Err(StoreError::Failed { .. }) => Ok(()),
        other => Err(Broken(format!("expected {what} to fail, but found {}", short(other)))),
    }
}

fn short(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Creates a session with a stream of `count` events, whose contents are their numbers as text.
pub(super) async fn session_with(store: &impl Store, stream: u64, count: u64) -> RuleResult {
    store.create(ID, b"record", LONG).await?;
    write(store, stream, 1..=count).await
}

/// Writes events whose contents are their numbers as text, and checks that the store gives them these
/// numbers.
pub(super) async fn write(
    store: &impl Store,
    stream: u64,
    numbers: impl IntoIterator<Item = u64>,
) -> RuleResult {
    for number in numbers {
        let given = store.append(ID, stream, number.to_string().as_bytes()).await?;
        same("the number of an event", &given, &number)?;
    }
    Ok(())
}

/// Returns the event with this number, as [`write()`] writes it and a tail returns it.
pub(super) fn event(number: u64) -> Tailed {
    Tailed::Event(number, number.to_string().into_bytes())
}

pub(super) async fn tail(store: &impl Store, stream: u64, after: u64) -> Result<Box<dyn Tail>, Broken> {
    let tail = store.tail(ID, stream, after).await?;
    tail.ok_or_else(|| Broken(format!("expected stream {stream} to have a tail, but found none")))
}

/// Returns the next item of a tail; `None` at its end. Fails if neither comes within [`PATIENCE`].
pub(super) async fn next(tail: &mut dyn Tail) -> Result<Option<Tailed>, Broken> {
    let next = within(PATIENCE, poll_fn(|cx| tail.poll_next(cx))).await;
    let next = next.ok_or_else(|| Broken::new("expected a tail to go on or to end, but found nothing"))?;
    Ok(next.transpose()?)
}

/// Checks that the next items of a tail are the events with these numbers, as [`write()`] wrote them.
pub(super) async fn reads(tail: &mut dyn Tail, numbers: impl IntoIterator<Item = u64>) -> RuleResult {
    for number in numbers {
        same("what comes next in a tail", &next(tail).await?, &Some(event(number)))?;
    }
    Ok(())
}

pub(super) async fn ends(tail: &mut dyn Tail) -> RuleResult {
    same("what comes next in a tail", &next(tail).await?, &None)
}

/// Checks that a tail has no item, and does not end, for a quarter of `idle`.
pub(super) async fn waits(tail: &mut dyn Tail, idle: Duration) -> RuleResult {
    match within(idle / 4, poll_fn(|cx| tail.poll_next(cx))).await {
        None => Ok(()),
        Some(found) => Err(Broken(format!("expected a tail to wait, but found {}", short(&found)))),
    }
}

/// Returns the next item of a subscription; `None` at its end. Fails if neither comes within [`PATIENCE`].
pub(super) async fn hear(subscription: &mut dyn Subscription) -> Result<Option<Heard>, Broken> {
    let next = within(PATIENCE, poll_fn(|cx| subscription.poll_next(cx))).await;
    let next = next.ok_or_else(|| Broken::new("expected a message to come, but found nothing"))?;
    Ok(next.transpose()?)
}

pub(super) async fn hears(subscription: &mut dyn Subscription, message: &[u8]) -> RuleResult {
    let expected = Some(Heard::Message(message.to_vec()));
    same("what comes next on a channel", &hear(subscription).await?, &expected)
}

pub(super) async fn hears_nothing(subscription: &mut dyn Subscription, idle: Duration) -> RuleResult {
    match within(idle / 4, poll_fn(|cx| subscription.poll_next(cx))).await {
        None => Ok(()),
        Some(found) => Err(Broken(format!("expected a channel to be silent, but found {}", short(&found)))),
    }
}

/// Waits for a future, but not longer than `limit`; returns `None` if the future is not ready by then. Unlike
/// tokio's `timeout`, it does not poll the future once more at the end: a result that was ready without a
/// wake-up does not count.
pub(super) async fn within<T>(limit: Duration, future: impl Future<Output = T>) -> Option<T> {
    let (mut future, mut limit) = (pin!(future), pin!(sleep(limit)));
    poll_fn(|cx| match limit.as_mut().poll(cx) {
        Poll::Ready(()) => Poll::Ready(None),
        Poll::Pending => future.as_mut().poll(cx).map(Some),
    })
    .await
}

/// Runs all futures concurrently, and returns their results.
pub(super) async fn all<T>(futures: Vec<Pin<Box<dyn Future<Output = T> + '_>>>) -> Vec<T> {
    let mut running: Vec<_> = futures.into_iter().map(|future| (future, None)).collect();
    poll_fn(|cx| {
        for (future, done) in running.iter_mut().filter(|(_, done)| done.is_none()) {
            if let Poll::Ready(value) = future.as_mut().poll(cx) {
                *done = Some(value);
            }
        }
        if running.iter().all(|(_, done)| done.is_some()) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    running.into_iter().filter_map(|(_, done)| done).collect()
}

/// Appends events to stream 1, one after the other, at the replica with the index `replica`. Does so on
/// another thread. Returns the numbers of the events.
pub(super) async fn write_aside<S: Store>(
    stores: Arc<[S; 2]>,
    replica: usize,
    events: Vec<String>,
) -> Result<Vec<u64>, StoreError> {
    let runtime = Handle::current();
    let writes = move || {
        let append = |event: &String| runtime.block_on(stores[replica].append(ID, 1, event.as_bytes()));
        events.iter().map(append).collect()
    };
    crate::runtime::blocking(writes).await
}

/// Checks that a tail or subscription wakes the task that polled it last: calls `poll` with the wakers of two
/// tasks, then runs `happens`, which has to wake the second task. `poll` returns whether it was ready. `what`
/// names the tail or subscription in errors.
pub(super) async fn wakes_the_last(
    what: &str,
    mut poll: impl FnMut(&mut Context<'_>) -> bool,
    happens: impl Future<Output = Result<(), StoreError>>,
) -> RuleResult {
    let [first, second] = [Arc::new(Count::default()), Arc::new(Count::default())];
    for count in [&first, &second] {
        let waker = Waker::from(Arc::clone(count));
        if poll(&mut Context::from_waker(&waker)) {
            return Err(Broken(format!("expected {what} to wait, but found something")));
        }
    }
    happens.await?;
    let woken = async {
        while second.0.load(Ordering::SeqCst) == 0 {
            sleep(Duration::from_millis(1)).await;
        }
    };
    let text = format!("expected {what} to wake the task that polled it last, but it did not");
    within(PATIENCE, woken).await.ok_or(Broken(text))
}

/// A waker that counts how often it is woken.
#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// The longest time that a rule waits for an event or a message: 10 s, far more than a store on a network
/// takes.
pub const PATIENCE: Duration = Duration::from_secs(10);
