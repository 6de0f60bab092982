//! The events of one session, and the tails (readers of its streams).
//!
//! In: events of several streams. Out: each event to each tail of its stream, once and in order, or the
//! number of events that were dropped. A tail is a position, and reads from the log when it is polled, so
//! unread events cost it no memory. The log knows the deadline of its session: a tail that waits ends when
//! the session expires.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::future::Future as _;
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, Waker};

use tokio::time::{Sleep, sleep_until};

use super::clock::{Clock, Moment};
use super::lock;
use super::total::Logs;
use crate::server::store::limits::Limits;
use crate::server::store::{StoreError, Tail, Tailed};

/// The events of one session. Shared by the session and its tails.
pub(super) struct Log {
    clock: Clock,
    /// The logs of the store, which know the number of bytes of each.
    logs: Arc<Logs>,
    /// The number of this log among `logs`.
    number: u64,
    this: Weak<Self>,
    state: Mutex<LogState>,
}

struct LogState {
    /// The sum of the lengths of all stored events, in bytes.
    bytes: usize,
    /// The moment at which the session expires. The session reports each change by [`Log::postpone`].
    deadline: Moment,
    /// Whether the session was removed, or found to have expired.
    ended: bool,
    /// The number that the newest tail (reader of a stream) got; 0 before the first.
    last_tail: u64,
    /// For each stored event the number of its stream, the oldest event first. Invariant: each stream appears
    /// as often as it has events.
    order: VecDeque<u64>,
    streams: HashMap<u64, Stream>,
}

#[derive(Default)]
struct Stream {
    closed: bool,
    /// The events that are kept. The newest one has the number `last`. Behind `Arc`, so that they are not
    /// copied while the log is locked.
    events: VecDeque<Arc<[u8]>>,
    /// The number of the newest event, even if that event was dropped; 0 before the first.
    last: u64,
    /// The number of tails (readers) of this stream. While it is not 0, the stream is not forgotten: it may
    /// have to report dropped events.
    tails: usize,
    /// The wakers of the tails (readers) that wait for an event, by the number of the tail.
    waiting: BTreeMap<u64, Waker>,
}

/// The result of looking for the next event of a tail, a reader of a stream.
enum Found {
    /// No event is there, and none will come.
    End,
    Event(u64, Arc<[u8]>),
    /// The number of events that were dropped before the tail read them.
    Gone(u64),
    /// No event is there yet. The value is the deadline of the session.
    Nothing(Moment),
}

impl Log {
    pub(super) fn new(clock: Clock, deadline: Moment, logs: &Arc<Logs>) -> Arc<Self> {
        let state = LogState {
            bytes: 0,
            deadline,
            ended: false,
            last_tail: 0,
            order: VecDeque::new(),
            streams: HashMap::new(),
        };
        let (logs, number) = (Arc::clone(logs), logs.number());
        Arc::new_cyclic(|this| Self {
            clock,
            logs,
            number,
            this: Weak::clone(this),
            state: Mutex::new(state),
        })
    }

    pub(super) fn append(&self, stream: u64, event: &[u8], limits: &Limits) -> Result<u64, StoreError> {
        let event = Arc::from(event);
        let (number, waiting) = {
            let state = &mut lock(&self.state);
            let before = state.bytes;
            let written = state.append(stream, event, limits)?;
            state.forget_the_oldest(limits);
            self.logs.changed(self.number, &self.this, before, state.bytes);
            written
        };
        self.logs.make_room(limits.bytes_of_all, self.number);
        wake(waiting);
        Ok(number)
    }

    /// Drops the oldest event. If `also_the_newest` is false, the newest event stays. Returns whether there was
    /// one to drop.
    pub(super) fn drop_the_oldest(&self, also_the_newest: bool) -> bool {
        let state = &mut lock(&self.state);
        let before = state.bytes;
        let drops = state.order.len() > usize::from(!also_the_newest);
        if drops {
            state.forget_one();
            self.logs.changed(self.number, &self.this, before, state.bytes);
        }
        drops
    }

    pub(super) fn close(&self, stream: u64) {
        let waiting = lock(&self.state).close(stream);
        wake(waiting);
    }

    /// Ends the session: its tails end, and its events are freed even while there are tails.
    pub(super) fn end(&self) {
        let streams = {
            let state = &mut lock(&self.state);
            state.ended = true;
            state.order = VecDeque::new();
            self.logs.changed(self.number, &self.this, mem::take(&mut state.bytes), 0);
            mem::take(&mut state.streams)
        };
        streams.into_values().for_each(|stream| wake(stream.waiting));
    }

    /// Changes the deadline of the session. Returns the wakers that the caller has to wake: those of all
    /// waiting tails if the new deadline is earlier, since they would sleep for too long. If the new deadline
    /// is later, a tail notices it on waking at the old deadline.
    pub(super) fn postpone(&self, deadline: Moment) -> Vec<Waker> {
        let state = &mut lock(&self.state);
        if deadline >= mem::replace(&mut state.deadline, deadline) {
            return Vec::new();
        }
        state.streams.values_mut().flat_map(|it| mem::take(&mut it.waiting).into_values()).collect()
    }

    /// Makes a tail of a stream that starts after the event `after`. `None` if there is no such stream, if it
    /// is closed and all of its events are dropped, or if it has not reached the event `after`.
    pub(super) fn tail(self: Arc<Self>, stream: u64, after: u64) -> Option<Follower> {
        let number = {
            let state = &mut lock(&self.state);
            let it = state.streams.get_mut(&stream).filter(|it| !it.is_spent() && after <= it.last)?;
            it.tails += 1;
            state.last_tail += 1;
            state.last_tail
        };
        Some(Follower { log: self, next: after.saturating_add(1), number, sleep: None, stream })
    }

    /// Looks for the event `next` of a stream, for the tail with the number `tail`. If there is none yet,
    /// `waker` is woken when that may have changed.
    fn find(&self, stream: u64, next: u64, tail: u64, waker: &Waker) -> Found {
        let now = self.clock.now();
        // The old waker is dropped after the lock is released, because dropping a waker runs foreign code.
        let _replaced;
        let state = &mut lock(&self.state);
        let deadline = state.deadline;
        if state.ended || deadline <= now {
            return Found::End;
        }
        let Some(stream) = state.streams.get_mut(&stream) else { return Found::End };
        if let Some(found) = stream.find(next) {
            return found;
        }
        if !stream.waiting.get(&tail).is_some_and(|it| it.will_wake(waker)) {
            _replaced = stream.waiting.insert(tail, waker.clone());
        }
        Found::Nothing(deadline)
    }

    /// Removes the tail with the number `tail`, when it is dropped.
    fn leave(&self, stream: u64, tail: u64) {
        let waker = {
            let state = &mut lock(&self.state);
            let Some(it) = state.streams.get_mut(&stream) else { return };
            let waker = it.waiting.remove(&tail);
            it.tails -= 1;
            state.forget_if_spent(stream);
            waker
        };
        drop(waker);
    }
}

impl LogState {
    /// Appends an event to the stream `number`. Returns the number of the event, and the wakers that the
    /// caller has to wake.
    fn append(
        &mut self,
        number: u64,
        event: Arc<[u8]>,
        limits: &Limits,
    ) -> Result<(u64, BTreeMap<u64, Waker>), StoreError> {
        if self.ended {
            return Err(no_session());
        }
        if self.streams.len() >= limits.streams && !self.streams.contains_key(&number) {
            let limit = limits.streams;
            let text = format!(
                "expected at most {limit} streams in a session (limit `streams`), but found one more"
            );
            return Err(StoreError::failed(text));
        }
        let stream = self.streams.entry(number).or_default();
        if stream.closed {
            let text =
                format!("expected an open stream, but found an event for stream {number}, which is closed");
            return Err(StoreError::failed(text));
        }
        self.bytes += event.len();
        self.order.push_back(number);
        stream.events.push_back(event);
        stream.last += 1;
        Ok((stream.last, mem::take(&mut stream.waiting)))
    }

    /// Closes the stream `number`. Returns the wakers that the caller has to wake.
    fn close(&mut self, number: u64) -> BTreeMap<u64, Waker> {
        let Some(stream) = self.streams.get_mut(&number) else { return BTreeMap::new() };
        stream.closed = true;
        let waiting = mem::take(&mut stream.waiting);
        self.forget_if_spent(number);
        waiting
    }

    /// Drops the oldest events past the limits. The newest event always stays, because its readers are about
    /// to be woken.
    fn forget_the_oldest(&mut self, limits: &Limits) {
        while self.order.len() > 1 && (self.order.len() > limits.events || self.bytes > limits.bytes) {
            self.forget_one();
        }
    }

    /// Drops the oldest event, if there is one.
    fn forget_one(&mut self) {
        let Some(number) = self.order.pop_front() else { return };
        let stream = self.streams.get_mut(&number);
        self.bytes -= stream.and_then(|it| it.events.pop_front()).map_or(0, |event| event.len());
        self.forget_if_spent(number);
    }

    /// Forgets a stream that is closed, has no events left and has no tails.
    fn forget_if_spent(&mut self, number: u64) {
        if self.streams.get(&number).is_some_and(|it| it.is_spent() && it.tails == 0) {
            self.streams.remove(&number);
        }
    }
}

impl Stream {
    /// Returns whether the stream is closed and all of its events are dropped.
    fn is_spent(&self) -> bool {
        self.closed && self.events.is_empty()
    }

    /// Looks for the event `next`. `None` if that event may still be written.
    fn find(&self, next: u64) -> Option<Found> {
        let first = self.last + 1 - self.events.len() as u64;
        if next < first {
            return Some(Found::Gone(first - next));
        }
        let event = self.events.get((next - first) as usize).map(|it| Found::Event(next, Arc::clone(it)));
        event.or(self.closed.then_some(Found::End))
    }
}

/// A tail (reader) of a stream: its position in the stream.
pub(super) struct Follower {
    log: Arc<Log>,
    /// The number of the event that the tail returns next.
    next: u64,
    /// The number of this tail among those of the session.
    number: u64,
    /// The timer for the deadline of the session. It may be set to an earlier moment than the deadline.
    sleep: Option<Pin<Box<Sleep>>>,
    stream: u64,
}

impl Tail for Follower {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Tailed, StoreError>>> {
        loop {
            let deadline = match self.log.find(self.stream, self.next, self.number, cx.waker()) {
                Found::End => return Poll::Ready(None),
                Found::Event(number, event) => {
                    self.next += 1;
                    return Poll::Ready(Some(Ok(Tailed::Event(number, event.to_vec()))));
                }
                Found::Gone(count) => {
                    self.next += count;
                    return Poll::Ready(Some(Ok(Tailed::Gone(count))));
                }
                Found::Nothing(deadline) => deadline,
            };
            if !self.slept_until(deadline, cx) {
                return Poll::Pending;
            }
        }
    }
}

impl Follower {
    /// Sleeps until `deadline` or earlier. Returns whether the sleep is over.
    fn slept_until(&mut self, deadline: Moment, cx: &mut Context<'_>) -> bool {
        let Some(deadline) = self.log.clock.instant(deadline) else { return false };
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        // Each touch of the session moves the deadline; the timer is moved only when it has ended or would be
        // too late.
        if sleep.is_elapsed() || deadline < sleep.deadline() {
            sleep.as_mut().reset(deadline);
        }
        sleep.as_mut().poll(cx).is_ready()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.log.leave(self.stream, self.number);
    }
}

pub(super) fn no_session() -> StoreError {
    StoreError::failed("expected a session to write to, but found none")
}

fn wake(waiting: BTreeMap<u64, Waker>) {
    waiting.into_values().for_each(Waker::wake);
}
