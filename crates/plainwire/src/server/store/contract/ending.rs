//! Rules about the end of streams.
//!
//! In: stores. Out: whether tails (the readers of streams) end when nothing more can come, and not before.

use std::future::poll_fn;
use std::time::Duration;

use tokio::time::sleep;

use super::helpers::{
    Broken, ID, LIMITS, LONG, all, ends, reads, same, session_with, tail, waits, within, write,
};
use crate::server::store::Store;
use crate::server::store::limits::Limits;

/// The tails (readers) of a closed stream end after its newest event: tails that wait, tails that have not
/// read all events yet, and tails that begin after the stream was closed.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_closed_stream_ends_its_tails<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    session_with(&here, 1, 3).await?;
    write(&here, 2, 1..=1).await?;
    let (mut waiting, mut slow) = (tail(&there, 1, 3).await?, tail(&there, 1, 0).await?);
    let mut another = tail(&there, 2, 1).await?;
    waits(&mut *waiting, idle).await?;
    reads(&mut *slow, [1]).await?;
    let closing = async { Ok(here.close(ID, 1).await?) };
    all(vec![Box::pin(ends(&mut *waiting)) as _, Box::pin(closing) as _])
        .await
        .into_iter()
        .collect::<Result<(), Broken>>()?;
    reads(&mut *slow, [2, 3]).await?;
    ends(&mut *slow).await?;
    there.close(ID, 1).await?;
    for store in [&here, &there] {
        let mut late = tail(store, 1, 1).await?;
        reads(&mut *late, [2, 3]).await?;
        ends(&mut *late).await?;
        ends(&mut *tail(store, 1, 3).await?).await?;
    }
    waits(&mut *another, idle).await?;
    write(&here, 2, 2..=2).await?;
    reads(&mut *another, [2]).await
}

/// The tails (readers) of a session's streams end when any replica removes the session.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_tail_ends_when_its_session_is_removed<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    session_with(&here, 1, 1).await?;
    let mut tails = [tail(&here, 1, 1).await?, tail(&there, 1, 1).await?];
    for tail in &mut tails {
        waits(&mut **tail, idle).await?;
    }
    let [ours, theirs] = &mut tails;
    let removing = async { Ok(there.remove(ID).await.map(drop)?) };
    let ending = [ends(&mut **ours), ends(&mut **theirs)].map(|it| Box::pin(it) as _);
    all(ending.into_iter().chain([Box::pin(removing) as _]).collect()).await.into_iter().collect()
}

/// A waiting tail (reader of a stream) ends when its session expires, even if no method is called at that
/// time. A touch of the session postpones this end.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_tail_ends_when_its_session_expires<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    here.create(ID, b"", idle).await?;
    write(&here, 1, 1..=1).await?;
    let mut waiting = tail(&there, 1, 1).await?;
    for _ in 0..3 {
        let touching = async {
            sleep(idle * 3 / 5).await;
            Ok(here.touch(ID, idle).await.map(drop)?)
        };
        let ended = within(idle * 3 / 5, poll_fn(|cx| waiting.poll_next(cx)));
        let waiting = async { same("whether a tail waits while its session lives", &ended.await, &None) };
        let both: Vec<Result<(), Broken>> = all(vec![Box::pin(touching) as _, Box::pin(waiting) as _]).await;
        both.into_iter().collect::<Result<(), _>>()?;
    }
    let ended = within(idle * 2, poll_fn(|cx| waiting.poll_next(cx))).await;
    same("whether a tail ends when its session has expired", &ended, &Some(None))
}

/// A tail (reader of a stream) of a removed session ends, even if a new session has the id of the old one.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_tail_does_not_go_on_in_a_new_session<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    session_with(&here, 1, 1).await?;
    let mut old = tail(&there, 1, 1).await?;
    here.remove(ID).await?;
    here.create(ID, b"anew", LONG).await?;
    write(&here, 1, 1..=3).await?;
    ends(&mut *old).await?;
    drop(old);
    reads(&mut *tail(&there, 1, 0).await?, 1..=3).await
}
