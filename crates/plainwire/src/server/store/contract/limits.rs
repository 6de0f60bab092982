//! Rules about which events are kept.
//!
//! In: stores with small limits. Out: whether they drop as many events as they have to, the oldest first, and
//! report it.

use std::time::Duration;

use super::helpers::{Broken, ID, LIMITS, LONG, next, reads, same, session_with, tail, waits, write};
use crate::server::store::limits::Limits;
use crate::server::store::{Store, Tail, Tailed};

/// A tail (reader of a stream) whose next event was dropped reports how many events it missed, and continues
/// with the oldest event that is kept.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_slow_tail_learns_how_many_events_are_gone<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(Limits { events: 8, ..LIMITS }).await;
    session_with(&here, 1, 3).await?;
    let (mut slow, mut slower) = (tail(&there, 1, 0).await?, tail(&here, 1, 0).await?);
    reads(&mut *slow, [1, 2]).await?;
    write(&here, 1, 4..=20).await?;
    misses(&mut *slow, 10).await?;
    reads(&mut *slow, 13..=20).await?;
    misses(&mut *slower, 12).await?;
    reads(&mut *slower, [13]).await?;
    write(&there, 1, 21..=25).await?;
    reads(&mut *slow, 21..=25).await?;
    misses(&mut *slower, 4).await?;
    reads(&mut *slower, 18..=25).await?;
    waits(&mut *slower, idle).await?;
    let mut late = tail(&there, 1, 15).await?;
    misses(&mut *late, 2).await?;
    reads(&mut *late, 18..=25).await
}

/// The events of all streams of a session are dropped in the order in which they were written. Other sessions
/// are not affected.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn the_oldest_events_of_all_streams_go_first<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(Limits { events: 8, ..LIMITS }).await;
    session_with(&here, 1, 4).await?;
    here.create("another", b"", LONG).await?;
    here.append("another", 1, b"event").await?;
    write(&there, 2, 1..=2).await?;
    write(&here, 1, 5..=5).await?;
    write(&there, 3, 1..=4).await?;
    // 11 events were written so far, and 8 are kept: the first three of stream 1 are gone, and no others.
    let (mut first, mut second, mut third) =
        (tail(&there, 1, 0).await?, tail(&here, 2, 0).await?, tail(&here, 3, 0).await?);
    misses(&mut *first, 3).await?;
    reads(&mut *first, [4, 5]).await?;
    reads(&mut *second, [1]).await?;
    write(&here, 3, 5..=6).await?;
    // Now the fourth event of stream 1 and the first of stream 2 are gone as well.
    reads(&mut *second, [2]).await?;
    let mut again = tail(&there, 2, 0).await?;
    misses(&mut *again, 1).await?;
    reads(&mut *again, [2]).await?;
    reads(&mut *third, 1..=6).await?;
    let mut another =
        there.tail("another", 1, 0).await?.ok_or_else(|| Broken::new("expected a tail, but found none"))?;
    let event = Some(Tailed::Event(1, b"event".to_vec()));
    same("the event of another session", &next(&mut *another).await?, &event)
}

/// The bytes of all events of a session stay within a limit: the oldest events are dropped, but no more of
/// them than necessary.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_session_keeps_so_many_bytes<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(Limits { bytes: 1_000, ..LIMITS }).await;
    here.create(ID, b"", LONG).await?;
    for (number, length) in [(1, 400), (2, 300), (3, 300), (4, 1), (5, 600)] {
        same("the number of an event", &here.append(ID, 1, &vec![b'x'; length]).await?, &number)?;
        let kept = match number {
            1..=3 => 0,
            4 => 1,
            // 300 + 1 + 600 bytes.
            _ => 2,
        };
        let mut tail = tail(&there, 1, 0).await?;
        if kept > 0 {
            misses(&mut *tail, kept).await?;
        }
        for expected in kept + 1..=number {
            let found = next(&mut *tail).await?;
            let found = found.map(|it| if let Tailed::Event(number, _) = it { number } else { 0 });
            same("the number of an event that is kept", &found, &Some(expected))?;
        }
    }
    Ok(())
}

/// An open stream whose events were all dropped continues its numbers, and its tails learn how many events
/// they missed.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_number_is_not_given_again_when_its_event_is_gone<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(Limits { events: 4, ..LIMITS }).await;
    session_with(&here, 1, 3).await?;
    let (mut waiting, mut slow) = (tail(&there, 1, 3).await?, tail(&there, 1, 1).await?);
    write(&there, 2, 1..=9).await?;
    write(&there, 1, 4..=4).await?;
    reads(&mut *waiting, [4]).await?;
    misses(&mut *slow, 2).await?;
    reads(&mut *slow, [4]).await
}

/// Checks that a tail (reader of a stream) reports `count` dropped events next, in one item or in several.
async fn misses(tail: &mut dyn Tail, count: u64) -> Result<(), Broken> {
    let mut gone = 0;
    while gone < count {
        match next(tail).await? {
            Some(Tailed::Gone(some)) if some > 0 => gone += some,
            found => return same("how many are gone", &found, &Some(Tailed::Gone(count - gone))),
        }
    }
    same("how many are gone", &gone, &count)
}
