//! Tests of the store contract: the store in memory keeps all rules of the contract, and each store with a
//! defect breaks the rules that the test expects.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::server::store::double::{Doubled, StoreDouble};
use crate::server::store::memory::Memory;
use crate::server::store::{Heard, Store, StoreError, StoreFuture, Subscription, Tail, Tailed};

const IDLE: Duration = Duration::from_secs(60);

mod memory {
    //! The rules of the store contract, each checked on the store in memory.
    use super::IDLE;
    use crate::server::store::limits::Limits;
    use crate::server::store::memory::Memory;

    async fn replicas(limits: Limits) -> [Memory; 2] {
        let store = Memory::new(limits);
        [store.clone(), store]
    }

    crate::store_contract!(#[tokio::test(start_paused = true)], replicas, IDLE);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_store_in_memory_keeps_the_rules_about_writers_on_many_threads() {
    let replicas = async |limits| {
        let store = Memory::new(limits);
        [store.clone(), store]
    };
    for _ in 0..20 {
        super::writers_at_once_never_share_a_number(replicas, IDLE).await.expect("a rule that is kept");
        super::a_tail_keeps_up_with_a_writer(replicas, IDLE).await.expect("a rule that is kept");
    }
}

/// A defect of a [`BrokenStore`]. A tail is a reader of the events of one stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Defect {
    Nothing,
    /// Each replica counts the events of a stream by itself, so two events can get the same number.
    CountsPerReplica,
    /// The store uses only the first 64 bytes of a session's id.
    CutsIds,
    /// A tail, a reader of a stream, misses the events that are appended before it has read all events that
    /// existed when the tail was made.
    ListensTooLate,
    /// Loading a session extends its life, which only `touch` should do.
    LoadTouches,
    /// A tail, a reader of a stream, can be made to begin after an event that does not exist.
    MakesAnyTail,
    /// A tail, a reader of a stream, waits forever after the last event of a closed stream.
    NeverEnds,
    /// The tasks that wait for the next item of a tail (the events of a stream) or of a subscription are not
    /// woken.
    NeverWakes,
    /// Saving a session replaces its record by an empty one first, and by the new one later.
    SavesInTwoSteps,
    /// A subscription to a channel does not report that it has missed messages.
    SkipsMessages,
    /// A tail, a reader of a stream, does not report that the store has dropped events.
    SkipsSilently,
}

/// One replica of a store with a defect.
struct BrokenStore {
    counted: Mutex<HashMap<(String, u64), u64>>,
    store: Memory,
    defect: Defect,
}

impl StoreDouble for BrokenStore {
    fn memory(&self) -> &Memory {
        &self.store
    }

    fn id<'s>(&self, id: &'s str) -> &'s str {
        if self.defect == Defect::CutsIds { &id[..id.len().min(64)] } else { id }
    }

    fn load<'s>(&'s self, session: &'s str) -> StoreFuture<'s, Option<Vec<u8>>> {
        Box::pin(async move {
            if self.defect == Defect::LoadTouches {
                self.store.touch(session, IDLE).await?;
            }
            self.store.load(self.id(session)).await
        })
    }

    fn save<'s>(&'s self, session: &'s str, record: &'s [u8]) -> StoreFuture<'s, bool> {
        Box::pin(async move {
            if self.defect == Defect::SavesInTwoSteps {
                self.store.save(session, b"").await?;
                tokio::task::yield_now().await;
            }
            self.store.save(self.id(session), record).await
        })
    }

    fn append<'s>(&'s self, session: &'s str, stream: u64, event: &'s [u8]) -> StoreFuture<'s, u64> {
        Box::pin(async move {
            let number = self.store.append(self.id(session), stream, event).await?;
            if self.defect != Defect::CountsPerReplica {
                return Ok(number);
            }
            let mut counted = self.counted.lock().expect("no test panics here");
            let counted = counted.entry((session.to_owned(), stream)).or_default();
            *counted += 1;
            Ok(*counted)
        })
    }

    fn tail<'s>(
        &'s self,
        session: &'s str,
        stream: u64,
        after: u64,
    ) -> StoreFuture<'s, Option<Box<dyn Tail>>> {
        Box::pin(async move {
            let wants = |after| self.store.tail(self.id(session), stream, after);
            let mut found = wants(after).await?;
            if found.is_none() && self.defect == Defect::MakesAnyTail {
                found = wants(1).await?;
            }
            let Some(mut tail) = found else {
                return Ok(None);
            };
            let read = if self.defect == Defect::ListensTooLate { drain(&mut *tail) } else { vec![] };
            let late = self.defect == Defect::ListensTooLate;
            Ok(Some(Box::new(BrokenTail { late, read: read.into(), tail, defect: self.defect }) as _))
        })
    }

    fn subscribe<'s>(&'s self, channel: &'s str) -> StoreFuture<'s, Box<dyn Subscription>> {
        Box::pin(async move {
            let subscription = self.store.subscribe(channel).await?;
            Ok(Box::new(BrokenSubscription { subscription, defect: self.defect }) as _)
        })
    }
}

struct BrokenTail {
    /// Whether the tail, a reader of a stream, still skips new events; only with the defect `ListensTooLate`.
    late: bool,
    read: VecDeque<Tailed>,
    tail: Box<dyn Tail>,
    defect: Defect,
}

impl Tail for BrokenTail {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Tailed, StoreError>>> {
        if let Some(read) = self.read.pop_front() {
            return Poll::Ready(Some(Ok(read)));
        }
        if self.late {
            drain(&mut *self.tail);
            self.late = false;
        }
        loop {
            let next = match self.defect {
                Defect::NeverWakes => self.tail.poll_next(&mut Context::from_waker(Waker::noop())),
                _ => self.tail.poll_next(cx),
            };
            return match next {
                Poll::Ready(Some(Ok(Tailed::Gone(_)))) if self.defect == Defect::SkipsSilently => continue,
                Poll::Ready(None) if self.defect == Defect::NeverEnds => Poll::Pending,
                next => next,
            };
        }
    }
}

struct BrokenSubscription {
    subscription: Box<dyn Subscription>,
    defect: Defect,
}

impl Subscription for BrokenSubscription {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Heard, StoreError>>> {
        loop {
            let next = match self.defect {
                Defect::NeverWakes => self.subscription.poll_next(&mut Context::from_waker(Waker::noop())),
                _ => self.subscription.poll_next(cx),
            };
            return match next {
                Poll::Ready(Some(Ok(Heard::Missed(_)))) if self.defect == Defect::SkipsMessages => continue,
                next => next,
            };
        }
    }
}

/// The rule whose outcome depends on the timing of threads: a store with the defect `ListensTooLate` or
/// `NeverWakes` may break it or not.
const BY_CHANCE: &str = "a_tail_keeps_up_with_a_writer";

/// Returns the items of a tail (the events of a stream) that can be read without waiting.
fn drain(tail: &mut dyn Tail) -> Vec<Tailed> {
    let mut read = Vec::new();
    while let Poll::Ready(Some(Ok(next))) = tail.poll_next(&mut Context::from_waker(Waker::noop())) {
        read.push(next);
    }
    read
}

macro_rules! broken_rules {
    ([$($rule:ident)*] $make:expr) => {{
        let mut broken: Vec<&str> = Vec::new();
        $(if super::$rule($make, IDLE).await.is_err() {
            broken.push(stringify!($rule));
        })*
        broken
    }};
}

macro_rules! names {
    ([$($rule:ident)*]) => { [$(stringify!($rule)),*] };
}

async fn check(defect: Defect, expected: &[&str]) {
    let make = async |limits| {
        let store = Memory::new(limits);
        [store.clone(), store].map(|store| Doubled(BrokenStore { counted: Mutex::default(), store, defect }))
    };
    let mut broken = crate::store_rules!([broken_rules] make);
    if defect != Defect::Nothing {
        broken.retain(|rule| *rule != BY_CHANCE);
    }
    assert_eq!(broken, expected);
}

#[tokio::test(start_paused = true)]
async fn a_store_with_nothing_wrong_breaks_no_rule() {
    check(Defect::Nothing, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn catches_a_store_that_skips_what_is_gone_without_a_word() {
    check(
        Defect::SkipsSilently,
        &[
            "a_slow_tail_learns_how_many_events_are_gone",
            "the_oldest_events_of_all_streams_go_first",
            "a_session_keeps_so_many_bytes",
            "a_number_is_not_given_again_when_its_event_is_gone",
        ],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn catches_a_store_that_gives_numbers_twice() {
    check(
        Defect::CountsPerReplica,
        &[
            "an_id_is_taken_once",
            "a_session_lives_while_it_is_touched",
            "events_are_numbered_from_1_by_stream",
            "writers_at_once_never_share_a_number",
            "a_tail_hears_what_another_replica_writes",
            "each_tail_of_a_stream_reads_all_of_it",
            "a_tail_does_not_go_on_in_a_new_session",
            "a_slow_tail_learns_how_many_events_are_gone",
            "the_oldest_events_of_all_streams_go_first",
            "a_number_is_not_given_again_when_its_event_is_gone",
            "a_dropped_future_has_done_all_or_nothing",
        ],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn catches_a_store_whose_tails_miss_what_is_written_between_reading_and_waiting() {
    check(
        Defect::ListensTooLate,
        &[
            "a_tail_begins_behind_the_event_that_it_is_told",
            "a_tail_misses_nothing_before_it_waits",
            "each_tail_of_a_stream_reads_all_of_it",
            "a_slow_tail_learns_how_many_events_are_gone",
            "the_oldest_events_of_all_streams_go_first",
            "a_number_is_not_given_again_when_its_event_is_gone",
        ],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn catches_a_store_that_forgets_to_end_tails() {
    check(
        Defect::NeverEnds,
        &[
            "a_closed_stream_ends_its_tails",
            "a_tail_ends_when_its_session_is_removed",
            "a_tail_ends_when_its_session_expires",
            "a_tail_does_not_go_on_in_a_new_session",
            "a_dropped_future_has_done_all_or_nothing",
        ],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn catches_a_store_with_tails_behind_events_that_are_not_there() {
    check(Defect::MakesAnyTail, &["no_tail_begins_behind_an_event_that_is_not_there"]).await;
}

#[tokio::test(start_paused = true)]
async fn catches_a_store_that_wakes_nobody() {
    check(
        Defect::NeverWakes,
        &[
            "a_tail_misses_nothing_before_it_waits",
            "a_tail_wakes_whoever_polled_it_last",
            "a_closed_stream_ends_its_tails",
            "a_tail_ends_when_its_session_is_removed",
            "a_tail_ends_when_its_session_expires",
            "a_subscription_wakes_whoever_polled_it_last",
        ],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn catches_a_store_that_lets_sessions_live_when_they_are_loaded() {
    check(Defect::LoadTouches, &["only_a_touch_lets_a_session_live"]).await;
}

#[tokio::test(start_paused = true)]
async fn catches_a_store_that_cuts_ids() {
    check(Defect::CutsIds, &["an_id_may_have_128_bytes"]).await;
}

#[tokio::test(start_paused = true)]
async fn catches_a_store_that_does_not_say_that_messages_were_missed() {
    check(Defect::SkipsMessages, &["a_slow_listener_learns_how_many_messages_it_missed"]).await;
}

#[tokio::test(start_paused = true)]
async fn catches_a_store_that_saves_in_two_steps() {
    check(Defect::SavesInTwoSteps, &["a_dropped_future_has_done_all_or_nothing"]).await;
}

#[test]
fn each_rule_is_in_the_list() {
    let files = [
        include_str!("bus.rs"),
        include_str!("dropping.rs"),
        include_str!("ending.rs"),
        include_str!("limits.rs"),
        include_str!("expiry.rs"),
        include_str!("sessions.rs"),
        include_str!("streams.rs"),
    ];
    let name = |line: &'static str| line.strip_prefix("pub async fn ")?.split('<').next();
    let mut written: Vec<&str> = files.iter().flat_map(|file| file.lines()).filter_map(name).collect();
    let mut listed = crate::store_rules!([names]).to_vec();
    written.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, written);
}
