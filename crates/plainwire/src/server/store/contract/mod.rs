//! The tests that every store has to pass: one function for each rule, and a macro that makes a test of each.
//!
//! In: a function that makes empty stores. Out: whether they keep the rules of [`Store`](super::Store), and
//! for a broken rule what was expected and what was found. The rules use a store only through the trait. They
//! test neither its speed, nor whether data outlasts a crash.
//!
//! ```
//! # use std::time::Duration;
//! use plainwire::store::{Limits, Memory, contract};
//!
//! /// Makes an empty store, and returns two replicas' handles of it.
//! async fn replicas(limits: Limits) -> [Memory; 2] {
//!     let store = Memory::new(limits);
//!     [store.clone(), store]
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), contract::Broken> {
//! contract::events_are_numbered_from_1_by_stream(replicas, Duration::from_secs(1)).await?;
//! # Ok(()) }
//! ```
//!
//! [`store_contract!`](crate::store_contract) makes a test of each rule, with the name of the rule.
//!
//! A rule takes two arguments. `make` makes an empty store with the given [`Limits`](super::Limits), and
//! returns two handles of it, as two replicas have them. A store on a network has to keep the data of
//! different calls of `make` apart, for example by a prefix. `idle` is the lifetime of sessions that expire
//! while a rule runs: for example a second for a store with a clock of its own; any duration if tokio's clock
//! is paused. Events and messages have to arrive within [`PATIENCE`].

mod bus;
mod dropping;
mod ending;
mod expiry;
mod helpers;
mod limits;
mod sessions;
mod streams;
#[cfg(test)]
mod tests;

pub use bus::*;
pub use dropping::*;
pub use ending::*;
pub use expiry::*;
pub use helpers::{Broken, PATIENCE};
pub use limits::*;
pub use sessions::*;
pub use streams::*;

/// Makes a test of each rule in [`store::contract`](super::contract).
///
/// It takes the attribute that makes an async function a test, the function `make` that makes stores, and
/// `idle`, the lifetime of sessions that expire while a rule runs. Use it in a module of its own, since the
/// tests have the names of the rules.
///
/// ```
/// # #[cfg(test)]
/// mod my_store {
///     # type MyStore = plainwire::store::Memory;
///     use std::time::Duration;
///
///     use plainwire::store::Limits;
///
///     async fn replicas(limits: Limits) -> [MyStore; 2] {
///         let store = MyStore::new(limits);
///         [store.clone(), store]
///     }
///
///     plainwire::store_contract!(#[tokio::test], replicas, Duration::from_secs(1));
/// }
/// ```
#[macro_export]
macro_rules! store_contract {
    ($(#[$test:meta])+, $make:expr, $idle:expr $(,)?) => {
        $crate::store_rules!([$crate::store_contract_tests] [$(#[$test])+], $make, $idle);
    };
}

/// Calls the macro in the first brackets, with the names of all rules in brackets and then the other
/// arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! store_rules {
    ([$($then:tt)*] $($arguments:tt)*) => {
        $($then)*! {
            [
                a_record_is_loaded_as_it_was_created
                a_record_that_is_saved_replaces_the_one_before
                an_id_is_taken_once
                an_id_may_have_128_bytes
                nothing_is_found_where_there_is_no_session
                a_removed_session_is_gone_with_its_streams
                there_are_no_more_sessions_than_the_limit
                a_session_lives_while_it_is_touched
                only_a_touch_lets_a_session_live
                an_expired_session_is_gone_with_its_streams
                an_expired_session_makes_room
                events_are_numbered_from_1_by_stream
                writers_at_once_never_share_a_number
                a_tail_begins_behind_the_event_that_it_is_told
                no_tail_begins_behind_an_event_that_is_not_there
                a_tail_hears_what_another_replica_writes
                a_tail_misses_nothing_before_it_waits
                a_tail_keeps_up_with_a_writer
                each_tail_of_a_stream_reads_all_of_it
                a_tail_wakes_whoever_polled_it_last
                a_closed_stream_ends_its_tails
                a_tail_ends_when_its_session_is_removed
                a_tail_ends_when_its_session_expires
                a_tail_does_not_go_on_in_a_new_session
                a_slow_tail_learns_how_many_events_are_gone
                the_oldest_events_of_all_streams_go_first
                a_session_keeps_so_many_bytes
                a_number_is_not_given_again_when_its_event_is_gone
                a_message_reaches_all_who_listen
                who_listens_hears_one_channel_from_then_on
                a_slow_listener_learns_how_many_messages_it_missed
                a_subscription_wakes_whoever_polled_it_last
                a_dropped_future_has_done_all_or_nothing
                a_dropped_wait_loses_nothing
            ]
            $($arguments)*
        }
    };
}

/// Expansion of `store_contract!`: a test for each rule.
#[doc(hidden)]
#[macro_export]
macro_rules! store_contract_tests {
    ([$($rule:ident)*] $test:tt, $make:expr, $idle:expr) => {
        $($crate::store_contract_test!($rule, $test, $make, $idle);)*
    };
}

/// Expansion of `store_contract!` for one rule.
#[doc(hidden)]
#[macro_export]
macro_rules! store_contract_test {
    ($rule:ident, [$(#[$test:meta])+], $make:expr, $idle:expr) => {
        $(#[$test])+
        async fn $rule() {
            if let Err(broken) = $crate::store::contract::$rule($make, $idle).await {
                panic!("{broken}");
            }
        }
    };
}
