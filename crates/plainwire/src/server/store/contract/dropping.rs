//! Rules about futures that are dropped before they are ready.
//!
//! In: stores. Out: whether a dropped future has done all of its work or nothing, and the store still works.

use std::future::poll_fn;
use std::task::{Context, Waker};
use std::time::Duration;

use super::helpers::{Broken, ID, LIMITS, LONG, hears, next, reads, same, session_with, tail, write};
use super::sessions::is_absent;
use crate::server::store::limits::Limits;
use crate::server::store::{Store, StoreFuture, Tailed};

/// A future of a store's method that is dropped, before or after its first poll, has done all of its work or
/// nothing.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_dropped_future_has_done_all_or_nothing<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    for polls in 0..3 {
        let [here, there] = make(LIMITS).await;
        sessions(&here, &there, polls).await?;
        streams(&here, &there, polls).await?;
        channels(&here, &there, polls).await?;
    }
    Ok(())
}

/// A task that stops waiting for an event or a message, and waits again later, has lost nothing.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_dropped_wait_loses_nothing<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    session_with(&here, 1, 1).await?;
    let mut tail = tail(&there, 1, 1).await?;
    let mut subscription = there.subscribe("a").await?;
    for number in 2..=5 {
        begin(poll_fn(|cx| tail.poll_next(cx)), 2);
        begin(poll_fn(|cx| subscription.poll_next(cx)), 2);
        write(&here, 1, [number]).await?;
        here.publish("a", number.to_string().as_bytes()).await?;
        reads(&mut *tail, [number]).await?;
        hears(&mut *subscription, number.to_string().as_bytes()).await?;
    }
    Ok(())
}

async fn sessions(here: &impl Store, there: &impl Store, polls: usize) -> Result<(), Broken> {
    give_up(here.create(ID, b"first", LONG), polls);
    let record = there.load(ID).await?;
    if record.is_none() {
        is_absent(there).await?;
        there.create(ID, b"first", LONG).await?;
    }
    same("the record", &there.load(ID).await?, &Some(b"first".to_vec()))?;
    give_up(here.load(ID), polls);
    give_up(here.touch(ID, LONG), polls);
    give_up(here.save(ID, b"second"), polls);
    let record = there.load(ID).await?;
    if record.as_deref() != Some(b"second") {
        same("the record", &record, &Some(b"first".to_vec()))?;
    }
    give_up(here.remove(ID), polls);
    if !there.remove(ID).await? {
        is_absent(there).await?;
    }
    Ok(())
}

async fn streams(here: &impl Store, there: &impl Store, polls: usize) -> Result<(), Broken> {
    session_with(here, 1, 1).await?;
    give_up(here.append(ID, 1, b"given up"), polls);
    let last = there.append(ID, 1, b"last").await?;
    give_up(here.tail(ID, 1, 0), polls);
    let mut tail = tail(there, 1, 0).await?;
    reads(&mut *tail, [1]).await?;
    let mut expected = vec![(2, &b"last"[..])];
    if last != 2 {
        expected = vec![(2, b"given up"), (3, b"last")];
    }
    for (number, event) in expected {
        same("an event", &next(&mut *tail).await?, &Some(Tailed::Event(number, event.to_vec())))?;
    }
    give_up(here.close(ID, 1), polls);
    there.close(ID, 1).await?;
    same("what comes behind the last event", &next(&mut *tail).await?, &None)?;
    same("whether there was a session to remove", &there.remove(ID).await?, &true)
}

async fn channels(here: &impl Store, there: &impl Store, polls: usize) -> Result<(), Broken> {
    give_up(there.subscribe("a"), polls);
    let mut subscription = there.subscribe("a").await?;
    give_up(here.publish("a", b"message"), polls);
    here.publish("a", b"message").await?;
    hears(&mut *subscription, b"message").await
}

/// Polls a future `polls` times, or until it is ready, and drops it.
fn give_up<T>(mut future: StoreFuture<'_, T>, polls: usize) {
    begin(&mut future, polls);
}

fn begin<T>(future: impl Future<Output = T>, polls: usize) {
    let mut future = std::pin::pin!(future);
    let cx = &mut Context::from_waker(Waker::noop());
    for _ in 0..polls {
        if future.as_mut().poll(cx).is_ready() {
            return;
        }
    }
}
