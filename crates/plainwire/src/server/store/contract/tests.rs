//! The rules against the store in memory, which keeps all of them, and against stores that break some.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::server::store::memory::Memory;
use crate::server::store::{Heard, Store, StoreError, StoreFuture, Subscription, Tail, Tailed};

const IDLE: Duration = Duration::from_secs(60);

mod memory {
    //! The store in memory.
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

/// What is wrong with a store.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    Nothing,
    /// Each replica counts by itself.
    CountsPerReplica,
    /// The ids of sessions are cut.
    CutsIds,
    /// A tail starts to listen when it has read all that there was when it was made.
    ListensTooLate,
    /// A load is a touch.
    LoadTouches,
    /// Tails begin behind events that are not there.
    MakesAnyTail,
    /// Tails wait for ever behind the last event.
    NeverEnds,
    /// Tails, and whoever listens, are not woken.
    NeverWakes,
    /// The old record goes, and the new one comes later.
    SavesInTwoSteps,
    /// Whoever listens is not told that they missed something.
    SkipsMessages,
    /// Tails go over what is gone without a word.
    SkipsSilently,
}

/// One replica of a store with something wrong.
struct Broken {
    counted: Mutex<HashMap<(String, u64), u64>>,
    store: Memory,
    wrong: Wrong,
}

impl Broken {
    fn id<'s>(&self, id: &'s str) -> &'s str {
        if self.wrong == Wrong::CutsIds { &id[..id.len().min(64)] } else { id }
    }
}

impl Store for Broken {
    fn create<'s>(&'s self, session: &'s str, record: &'s [u8], idle: Duration) -> StoreFuture<'s, ()> {
        self.store.create(self.id(session), record, idle)
    }

    fn load<'s>(&'s self, session: &'s str) -> StoreFuture<'s, Option<Vec<u8>>> {
        Box::pin(async move {
            if self.wrong == Wrong::LoadTouches {
                self.store.touch(session, IDLE).await?;
            }
            self.store.load(self.id(session)).await
        })
    }

    fn save<'s>(&'s self, session: &'s str, record: &'s [u8]) -> StoreFuture<'s, bool> {
        Box::pin(async move {
            if self.wrong == Wrong::SavesInTwoSteps {
                self.store.save(session, b"").await?;
                tokio::task::yield_now().await;
            }
            self.store.save(self.id(session), record).await
        })
    }

    fn touch<'s>(&'s self, session: &'s str, idle: Duration) -> StoreFuture<'s, bool> {
        self.store.touch(self.id(session), idle)
    }

    fn remove<'s>(&'s self, session: &'s str) -> StoreFuture<'s, bool> {
        self.store.remove(self.id(session))
    }

    fn append<'s>(&'s self, session: &'s str, stream: u64, event: &'s [u8]) -> StoreFuture<'s, u64> {
        Box::pin(async move {
            let number = self.store.append(self.id(session), stream, event).await?;
            if self.wrong != Wrong::CountsPerReplica {
                return Ok(number);
            }
            let mut counted = self.counted.lock().expect("no test panics here");
            let counted = counted.entry((session.to_owned(), stream)).or_default();
            *counted += 1;
            Ok(*counted)
        })
    }

    fn close<'s>(&'s self, session: &'s str, stream: u64) -> StoreFuture<'s, ()> {
        self.store.close(self.id(session), stream)
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
            if found.is_none() && self.wrong == Wrong::MakesAnyTail {
                found = wants(1).await?;
            }
            let Some(mut tail) = found else {
                return Ok(None);
            };
            let read = if self.wrong == Wrong::ListensTooLate { drain(&mut *tail) } else { vec![] };
            let late = self.wrong == Wrong::ListensTooLate;
            Ok(Some(Box::new(BrokenTail { late, read: read.into(), tail, wrong: self.wrong }) as _))
        })
    }

    fn publish<'s>(&'s self, channel: &'s str, message: &'s [u8]) -> StoreFuture<'s, ()> {
        self.store.publish(channel, message)
    }

    fn subscribe<'s>(&'s self, channel: &'s str) -> StoreFuture<'s, Box<dyn Subscription>> {
        Box::pin(async move {
            let subscription = self.store.subscribe(channel).await?;
            Ok(Box::new(BrokenSubscription { subscription, wrong: self.wrong }) as _)
        })
    }
}

struct BrokenTail {
    /// Whether it does not listen yet.
    late: bool,
    read: VecDeque<Tailed>,
    tail: Box<dyn Tail>,
    wrong: Wrong,
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
            let next = match self.wrong {
                Wrong::NeverWakes => self.tail.poll_next(&mut Context::from_waker(Waker::noop())),
                _ => self.tail.poll_next(cx),
            };
            return match next {
                Poll::Ready(Some(Ok(Tailed::Gone(_)))) if self.wrong == Wrong::SkipsSilently => continue,
                Poll::Ready(None) if self.wrong == Wrong::NeverEnds => Poll::Pending,
                next => next,
            };
        }
    }
}

struct BrokenSubscription {
    subscription: Box<dyn Subscription>,
    wrong: Wrong,
}

impl Subscription for BrokenSubscription {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Heard, StoreError>>> {
        loop {
            let next = match self.wrong {
                Wrong::NeverWakes => self.subscription.poll_next(&mut Context::from_waker(Waker::noop())),
                _ => self.subscription.poll_next(cx),
            };
            return match next {
                Poll::Ready(Some(Ok(Heard::Missed(_)))) if self.wrong == Wrong::SkipsMessages => continue,
                next => next,
            };
        }
    }
}

/// Broken or not as the threads happen to run, where tails listen too late or nobody is woken.
const BY_CHANCE: &str = "a_tail_keeps_up_with_a_writer";

/// Reads what is there.
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

async fn check(wrong: Wrong, expected: &[&str]) {
    let make = async |limits| {
        let store = Memory::new(limits);
        [store.clone(), store].map(|store| Broken { counted: Mutex::default(), store, wrong })
    };
    let mut broken = crate::store_rules!([broken_rules] make);
    if wrong != Wrong::Nothing {
        broken.retain(|rule| *rule != BY_CHANCE);
    }
    assert_eq!(broken, expected);
}

#[tokio::test(start_paused = true)]
async fn a_store_with_nothing_wrong_breaks_no_rule() {
    check(Wrong::Nothing, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn catches_a_store_that_skips_what_is_gone_without_a_word() {
    check(
        Wrong::SkipsSilently,
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
        Wrong::CountsPerReplica,
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
        Wrong::ListensTooLate,
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
        Wrong::NeverEnds,
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
    check(Wrong::MakesAnyTail, &["no_tail_begins_behind_an_event_that_is_not_there"]).await;
}

#[tokio::test(start_paused = true)]
async fn catches_a_store_that_wakes_nobody() {
    check(
        Wrong::NeverWakes,
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
    check(Wrong::LoadTouches, &["only_a_touch_lets_a_session_live"]).await;
}

#[tokio::test(start_paused = true)]
async fn catches_a_store_that_cuts_ids() {
    check(Wrong::CutsIds, &["an_id_may_have_128_bytes"]).await;
}

#[tokio::test(start_paused = true)]
async fn catches_a_store_that_does_not_say_that_messages_were_missed() {
    check(Wrong::SkipsMessages, &["a_slow_listener_learns_how_many_messages_it_missed"]).await;
}

#[tokio::test(start_paused = true)]
async fn catches_a_store_that_saves_in_two_steps() {
    check(Wrong::SavesInTwoSteps, &["a_dropped_future_has_done_all_or_nothing"]).await;
}

#[test]
fn each_rule_is_in_the_list() {
    let files = [
        include_str!("bus.rs"),
        include_str!("dropping.rs"),
        include_str!("ending.rs"),
        include_str!("keeping.rs"),
        include_str!("lives.rs"),
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
