//! Rules about writing to streams and following them.
//!
//! In: stores. Out: whether each tail (reader of a stream) gets each event, once and in order.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::helpers::{
    Broken, ID, LIMITS, LONG, all, event, next, reads, same, session_with, tail, waits, wakes_the_last,
    write, write_aside,
};
use crate::server::store::limits::Limits;
use crate::server::store::{Store, StoreError, Tailed};

/// Events are numbered from 1 in each stream of each session. All replicas that write to a stream share its
/// numbers.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn events_are_numbered_from_1_by_stream<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    here.create(ID, b"", LONG).await?;
    here.create("another", b"", LONG).await?;
    for number in 1..=5 {
        for stream in [0, 1, u64::MAX] {
            let store = if number % 2 == stream % 2 { &here } else { &there };
            write(store, stream, [number]).await?;
        }
        same("a number in another session", &there.append("another", 1, b"event").await?, &number)?;
    }
    Ok(())
}

/// With several writers on two replicas at the same time, each number is given to one event only, and a tail
/// finds that event at that number.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn writers_at_once_never_share_a_number<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let stores = Arc::new(make(LIMITS).await);
    stores[0].create(ID, b"", LONG).await?;
    let events = |writer| (0..50).map(|n| format!("event {n} of {writer}")).collect::<Vec<_>>();
    let writing = (0..4).map(|writer| {
        let written = write_aside(Arc::clone(&stores), writer % 2, events(writer));
        Box::pin(written) as _
    });
    let written: Vec<Result<Vec<u64>, StoreError>> = all(writing.collect()).await;
    let mut given: Vec<(u64, String)> = Vec::new();
    for (writer, numbers) in written.into_iter().enumerate() {
        let numbers = numbers?;
        same("whether a writer's numbers go up", &numbers.is_sorted_by(|a, b| a < b), &true)?;
        given.extend(numbers.into_iter().zip(events(writer)));
    }
    given.sort();
    let numbers: Vec<u64> = given.iter().map(|(number, _)| *number).collect();
    same("the numbers of all events", &numbers, &(1..=200).collect())?;
    let mut tail = tail(&stores[1], 1, 0).await?;
    for (number, event) in given {
        let expected = Some(Tailed::Event(number, event.into_bytes()));
        same("the event at a number", &next(&mut *tail).await?, &expected)?;
    }
    Ok(())
}

/// A tail (reader of a stream) begins after the requested event, whichever of the stream's events that is,
/// and returns events unchanged.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_tail_begins_behind_the_event_that_it_is_told<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    session_with(&here, 1, 5).await?;
    write(&here, 2, 1..=3).await?;
    for after in 0..=5 {
        for store in [&here, &there] {
            let mut tail = tail(store, 1, after).await?;
            reads(&mut *tail, after + 1..=5).await?;
            waits(&mut *tail, idle).await?;
        }
    }
    let every_byte: Vec<u8> = (0..=u8::MAX).collect();
    let mut tail = tail(&there, 1, 5).await?;
    for (number, event) in [(6, every_byte), (7, Vec::new())] {
        here.append(ID, 1, &event).await?;
        same("an event", &next(&mut *tail).await?, &Some(Tailed::Event(number, event)))?;
    }
    Ok(())
}

/// A store makes no tail (reader of a stream) that begins after an event that was never written, in an open
/// or a closed stream: the tail would silently skip the events that are written next.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn no_tail_begins_behind_an_event_that_is_not_there<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    session_with(&here, 1, 3).await?;
    write(&here, 2, 1..=1).await?;
    here.close(ID, 2).await?;
    for store in [&here, &there] {
        for (stream, after) in [(1, 4), (1, 999), (1, u64::MAX), (2, 2)] {
            let found = store.tail(ID, stream, after).await?.is_some();
            same("whether there is a tail behind an event that is not there", &found, &false)?;
        }
    }
    // The refused tails have no effect: the next event gets number 4, and is read.
    write(&here, 1, 4..=4).await?;
    reads(&mut *tail(&there, 1, 3).await?, [4]).await
}

/// A waiting tail (reader of a stream) gets the events of its stream, whether its own replica or another one
/// writes them, and none of other streams.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_tail_hears_what_another_replica_writes<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    session_with(&here, 1, 1).await?;
    let mut tail = tail(&there, 1, 1).await?;
    for (number, store) in [(2, &here), (3, &there), (4, &here)] {
        waits(&mut *tail, idle).await?;
        write(store, 2, [number - 1]).await?;
        waits(&mut *tail, idle).await?;
        write(store, 1, [number]).await?;
        reads(&mut *tail, [number]).await?;
    }
    Ok(())
}

/// An event is not lost if it is written after a tail (reader) of its stream was made, or after the tail has
/// read everything and before the tail waits.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_tail_misses_nothing_before_it_waits<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    session_with(&here, 1, 2).await?;
    let mut tail = tail(&there, 1, 0).await?;
    write(&here, 1, [3]).await?;
    reads(&mut *tail, [1]).await?;
    write(&here, 1, [4]).await?;
    reads(&mut *tail, [2, 3, 4]).await?;
    write(&here, 1, [5]).await?;
    reads(&mut *tail, [5]).await?;
    // Reading and writing at the same time.
    let (reading, writing) = (reads(&mut *tail, 6..=20), write(&here, 1, 6..=20));
    all(vec![Box::pin(reading) as _, Box::pin(writing) as _]).await.into_iter().collect()
}

/// A tail (reader of a stream) gets each event while a writer writes as fast as it can, and no wake-up is
/// lost.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_tail_keeps_up_with_a_writer<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let stores = Arc::new(make(LIMITS).await);
    session_with(&stores[0], 1, 1).await?;
    let mut tail = tail(&stores[1], 1, 0).await?;
    let events = (2..=500).map(|number| number.to_string()).collect();
    let mut writing = Box::pin(write_aside(Arc::clone(&stores), 0, events));
    // The writer starts now. This poll registers no waker, so only the tail wakes this task.
    let begun = writing.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    reads(&mut *tail, 1..=500).await?;
    let written = if let Poll::Ready(written) = begun { written } else { writing.await };
    Ok(written.map(drop)?)
}

/// Each of many tails (readers) of one stream reads all of it, at its own pace. Tails that are dropped do not
/// affect the others.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn each_tail_of_a_stream_reads_all_of_it<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    session_with(&here, 1, 2).await?;
    let mut tails = Vec::new();
    for store in [&here, &there].into_iter().cycle().take(20) {
        tails.push(tail(store, 1, 0).await?);
    }
    for tail in &mut tails[10..] {
        reads(&mut **tail, [1, 2]).await?;
        waits(&mut **tail, idle).await?;
    }
    drop(tails.drain(15..));
    write(&there, 1, 3..=4).await?;
    for (n, tail) in tails.iter_mut().enumerate() {
        same("the first event", &next(&mut **tail).await?, &Some(event(if n < 10 { 1 } else { 3 })))?;
        reads(&mut **tail, if n < 10 { 2..=4 } else { 4..=4 }).await?;
    }
    Ok(())
}

/// A tail (reader of a stream) that moves from one task to another wakes the task that polled it last, when
/// an event comes.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_tail_wakes_whoever_polled_it_last<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    session_with(&here, 1, 1).await?;
    let mut tail = tail(&there, 1, 1).await?;
    waits(&mut *tail, idle).await?;
    let happens = async { here.append(ID, 1, b"2").await.map(drop) };
    wakes_the_last("a tail", |cx| !matches!(tail.poll_next(cx), Poll::Pending), happens).await?;
    reads(&mut *tail, [2]).await
}
