//! The tests that every store of outputs has to pass: one function for each rule, and a macro that makes a test of each.
//!
//! In: a function that makes an empty store with a budget in bytes, and returns two handles of it, as two processes have them. Out:
//! whether they keep the rules of [`Outputs`](super::Outputs), and for a broken rule what was expected and what was found.

use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{About, OutputId, OutputState, Outputs, Visit};

/// The outcome of a rule.
pub type Kept = Result<(), String>;

const HOUR: Duration = Duration::from_secs(3_600);

/// The text that most rules store.
const TEXT: &[u8] = b"one\ntwo\nthree\n";

/// Makes a test of each rule in [`outputs::contract`](crate::outputs::contract): `outputs_contract!(#[tokio::test], make)`.
#[macro_export]
macro_rules! outputs_contract {
    ($(#[$test:meta])+, $make:expr $(,)?) => {
        $crate::outputs_contract!(
            [
                an_output_is_read_as_it_was_written
                an_output_is_read_while_it_grows
                a_range_is_passed_in_order
                a_range_past_the_end_is_empty
                an_output_that_is_cut_off_keeps_its_bytes
                an_id_is_taken_once
                nothing_is_found_where_there_is_no_output
                an_expired_output_is_gone
                the_oldest_outputs_are_dropped_first
                an_output_over_the_budget_keeps_what_it_has
                only_an_output_that_grows_is_added_to
            ] [$(#[$test])+], $make
        );
    };
    ([$($rule:ident)*] $test:tt, $make:expr) => {
        $($crate::outputs_contract!(@ $rule, $test, $make);)*
    };
    (@ $rule:ident, [$(#[$test:meta])+], $make:expr) => {
        $(#[$test])+
        async fn $rule() {
            if let Err(broken) = $crate::outputs::contract::$rule($make).await {
                panic!("{broken}");
            }
        }
    };
}

fn about(tool: &str) -> About {
    About { media_type: "text/plain".to_owned(), owner: Some("ada".to_owned()), tool: tool.to_owned() }
}

fn same<T: Debug + PartialEq>(what: &str, found: T, expected: T) -> Kept {
    match found == expected {
        true => Ok(()),
        false => Err(format!("expected {what} to be {expected:?}, but found {found:?}")),
    }
}

fn told<T>(outcome: Result<T, super::OutputError>) -> Result<T, String> {
    outcome.map_err(|error| format!("expected success, but found the error: {error}"))
}

/// Creates an output with these bytes. It grows.
async fn begin(store: &impl Outputs, bytes: &[u8], ttl: Duration) -> Result<OutputId, String> {
    let id = OutputId::new(ttl);
    told(store.create(&id, &about("list")).await)?;
    told(store.append(&id, bytes.to_vec()).await)?;
    Ok(id)
}

async fn whole(store: &impl Outputs, id: &OutputId) -> Result<Option<Vec<u8>>, String> {
    told(store.read(id, 0, 1 << 20).await)
}

async fn state(store: &impl Outputs, id: &OutputId) -> Result<Option<(u64, OutputState)>, String> {
    Ok(told(store.stat(id).await)?.map(|it| (it.bytes, it.state)))
}

/// All bytes are there, in their order, for both handles, with what is said about them.
pub async fn an_output_is_read_as_it_was_written<S: Outputs>(make: impl AsyncFn(u64) -> [S; 2]) -> Kept {
    let [here, there] = make(1 << 20).await;
    let id = begin(&here, TEXT, HOUR).await?;
    told(here.append(&id, vec![0xff, 0]).await)?;
    told(here.finish(&id).await)?;
    let expected = [TEXT, &[0xff, 0]].concat();
    for store in [&here, &there] {
        same("the bytes", whole(store, &id).await?, Some(expected.clone()))?;
        same("a part", told(store.read(&id, 4, 3).await)?, Some(b"two".to_vec()))?;
        let stat = told(store.stat(&id).await)?.ok_or("expected the facts, but found none")?;
        same("the facts", stat.about, about("list"))?;
        same("the state", (stat.bytes, stat.state), (expected.len() as u64, OutputState::Complete))?;
    }
    Ok(())
}

/// Bytes that were added are read at once, by both handles, before the output is complete.
pub async fn an_output_is_read_while_it_grows<S: Outputs>(make: impl AsyncFn(u64) -> [S; 2]) -> Kept {
    let [here, there] = make(1 << 20).await;
    let id = begin(&here, b"one\n", HOUR).await?;
    same("the state", state(&there, &id).await?, Some((4, OutputState::Growing)))?;
    told(here.append(&id, b"two\n".to_vec()).await)?;
    for store in [&here, &there] {
        same("the bytes", whole(store, &id).await?, Some(b"one\ntwo\n".to_vec()))?;
    }
    told(here.finish(&id).await)?;
    same("the state", state(&there, &id).await?, Some((8, OutputState::Complete)))
}

/// A range is passed in order and once, until the visitor has enough or the range ends; also of an output that grows.
pub async fn a_range_is_passed_in_order<S: Outputs>(make: impl AsyncFn(u64) -> [S; 2]) -> Kept {
    let [here, there] = make(8 << 20).await;
    let bytes: Vec<u8> = (0..1 << 20).map(|it: u32| it.to_le_bytes()[1]).collect();
    let id = begin(&here, &bytes, HOUR).await?;
    for (range, enough) in
        [(0..1 << 20, 2 << 20), (300_000..700_001, 2 << 20), (5..u64::MAX, 400_000), (9..9, 1)]
    {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&seen);
        let visit: Visit = Box::new(move |piece| {
            let mut seen = shared.lock().unwrap_or_else(PoisonError::into_inner);
            seen.extend_from_slice(piece);
            if seen.len() < enough { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let passed = told(there.scan(&id, range.clone(), visit).await)?;
        let seen = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
        same("the number of bytes that were passed", passed, Some(seen.len() as u64))?;
        let (begin, end) =
            (range.start as usize, usize::try_from(range.end).map_or(bytes.len(), |it| it.min(bytes.len())));
        let is_whole = seen.len() == end - begin || seen.len() >= enough;
        same("the bytes that were passed", is_whole && bytes[begin..end].starts_with(&seen), true)?;
    }
    let none = told(here.scan(&OutputId::new(HOUR), 0..1, Box::new(|_| ControlFlow::Continue(()))).await)?;
    same("a range of no output", none, None)
}

/// A part that begins at or after the end has no bytes.
pub async fn a_range_past_the_end_is_empty<S: Outputs>(make: impl AsyncFn(u64) -> [S; 2]) -> Kept {
    let [store, _] = make(1 << 20).await;
    let id = begin(&store, TEXT, HOUR).await?;
    for offset in [TEXT.len() as u64, 1 << 40] {
        same("a part past the end", told(store.read(&id, offset, 10).await)?, Some(Vec::new()))?;
    }
    same("the last part", told(store.read(&id, 8, 100).await)?, Some(b"three\n".to_vec()))
}

/// An output whose writer left keeps what it has, and says that it was cut off.
pub async fn an_output_that_is_cut_off_keeps_its_bytes<S: Outputs>(
    make: impl AsyncFn(u64) -> [S; 2],
) -> Kept {
    let [here, there] = make(1 << 20).await;
    let id = begin(&here, TEXT, HOUR).await?;
    here.cut_off(&id);
    for store in [&here, &there] {
        let expected = Some((TEXT.len() as u64, OutputState::CutOff));
        same("the state", state(store, &id).await?, expected)?;
        same("the bytes", whole(store, &id).await?, Some(TEXT.to_vec()))?;
    }
    Ok(())
}

/// A second output with the same id is refused, and the first is left as it is.
pub async fn an_id_is_taken_once<S: Outputs>(make: impl AsyncFn(u64) -> [S; 2]) -> Kept {
    let [here, there] = make(1 << 20).await;
    let id = begin(&here, TEXT, HOUR).await?;
    same("success of a second one", there.create(&id, &about("other")).await.is_ok(), false)?;
    told(here.finish(&id).await)?;
    same("success of a third one", there.create(&id, &about("other")).await.is_ok(), false)?;
    same("the bytes", whole(&here, &id).await?, Some(TEXT.to_vec()))
}

/// An id that was never given has no facts and no bytes.
pub async fn nothing_is_found_where_there_is_no_output<S: Outputs>(
    make: impl AsyncFn(u64) -> [S; 2],
) -> Kept {
    let [store, _] = make(1 << 20).await;
    let id = OutputId::new(HOUR);
    same("the state", state(&store, &id).await?, None)?;
    same("the bytes", whole(&store, &id).await?, None)
}

/// An output is gone when its time has passed.
pub async fn an_expired_output_is_gone<S: Outputs>(make: impl AsyncFn(u64) -> [S; 2]) -> Kept {
    let [here, there] = make(1 << 20).await;
    let id = begin(&here, TEXT, Duration::ZERO).await?;
    for store in [&here, &there] {
        same("the bytes", whole(store, &id).await?, None)?;
        same("the state", state(store, &id).await?, None)?;
    }
    Ok(())
}

/// When a new output has no room, the oldest go, and those that grow stay.
pub async fn the_oldest_outputs_are_dropped_first<S: Outputs>(make: impl AsyncFn(u64) -> [S; 2]) -> Kept {
    let [store, _] = make(100).await;
    let mut ids = Vec::new();
    for hours in 1..=3 {
        let id = begin(&store, &[b'x'; 40], HOUR * hours).await?;
        if hours > 1 {
            told(store.finish(&id).await)?;
        }
        ids.push(id);
    }
    // 120 bytes are there. The first grows, so the second goes.
    let fourth = OutputId::new(HOUR * 4);
    told(store.create(&fourth, &about("list")).await)?;
    let mut left = Vec::new();
    for id in ids.iter().chain([&fourth]) {
        left.push(told(store.stat(id).await)?.is_some());
    }
    same("the outputs that are left", left, vec![true, false, true, true])
}

/// An output that grows over the whole budget gets an error, and keeps what it has.
pub async fn an_output_over_the_budget_keeps_what_it_has<S: Outputs>(
    make: impl AsyncFn(u64) -> [S; 2],
) -> Kept {
    let [store, _] = make(100).await;
    let id = begin(&store, TEXT, HOUR).await?;
    let outcome = store.append(&id, vec![b'x'; 100]).await;
    let is_full = matches!(outcome, Err(super::OutputError::Full { budget: 100 }));
    same("the error of the budget", is_full, true)?;
    told(store.append(&id, b"four\n".to_vec()).await)?;
    same("the bytes", whole(&store, &id).await?, Some([TEXT, b"four\n"].concat()))
}

/// Nothing is added to an output that has ended.
pub async fn only_an_output_that_grows_is_added_to<S: Outputs>(make: impl AsyncFn(u64) -> [S; 2]) -> Kept {
    let [store, _] = make(1 << 20).await;
    let (complete, cut_off) = (begin(&store, TEXT, HOUR).await?, begin(&store, TEXT, HOUR).await?);
    told(store.finish(&complete).await)?;
    store.cut_off(&cut_off);
    for id in [&complete, &cut_off, &OutputId::new(HOUR)] {
        same("success of adding", store.append(id, vec![1]).await.is_ok(), false)?;
        same("success of ending", store.finish(id).await.is_ok(), false)?;
    }
    Ok(())
}
