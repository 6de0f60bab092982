//! Rules about the lifetime of sessions.
//!
//! In: stores, and the lifetime of a session. Out: whether the session lives for that time and no longer.

use std::time::Duration;

use tokio::time::sleep;

use super::helpers::{Broken, ID, LIMITS, LONG, same, session_with, tail, write};
use super::sessions::is_absent;
use crate::server::store::limits::Limits;
use crate::server::store::{Store, StoreError};

/// A touch on any replica lets a session live for the given time, counted from that touch. The time may also
/// be shorter than before.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_session_lives_while_it_is_touched<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    here.create(ID, b"record", idle).await?;
    write(&here, 1, 1..=1).await?;
    for store in [&there, &here, &there] {
        sleep(idle * 3 / 5).await;
        same("whether there was a session to touch", &store.touch(ID, idle).await?, &true)?;
    }
    same("the record", &here.load(ID).await?, &Some(b"record".to_vec()))?;
    write(&here, 1, 2..=2).await?;
    same("whether there was a session to touch", &here.touch(ID, LONG).await?, &true)?;
    sleep(idle * 3 / 2).await;
    write(&there, 1, 3..=3).await?;
    same("whether there was a session to touch", &there.touch(ID, idle / 2).await?, &true)?;
    sleep(idle).await;
    same("a session whose last touch was for a short time", &here.load(ID).await?, &None)
}

/// A session that is not touched expires, even if it is loaded, saved, written to and followed.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn only_a_touch_lets_a_session_live<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    here.create(ID, b"record", idle).await?;
    sleep(idle / 2).await;
    write(&here, 1, 1..=1).await?;
    there.load(ID).await?;
    there.save(ID, b"saved").await?;
    drop(tail(&there, 1, 0).await?);
    sleep(idle * 3 / 4).await;
    same("a session without a touch", &there.load(ID).await?, &None)
}

/// An expired session is gone on all replicas, with its streams. A new session with its id begins without
/// streams.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn an_expired_session_is_gone_with_its_streams<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    idle: Duration,
) -> Result<(), Broken> {
    // Each session is accessed in a different way first: a store may miss the expiry in one of these ways.
    let mut stores = Vec::new();
    for _ in 0..7 {
        let [here, there] = make(LIMITS).await;
        session_with(&here, 1, 3).await?;
        same("whether there was a session to touch", &here.touch(ID, idle).await?, &true)?;
        stores.push([here, there]);
    }
    sleep(idle * 3 / 2).await;
    for (first, [here, there]) in stores.iter().enumerate() {
        looked_at(there, first).await?;
        is_absent(there).await?;
        is_absent(here).await?;
        here.create(ID, b"anew", LONG).await?;
        same("whether an old stream has a tail", &there.tail(ID, 1, 0).await?.is_some(), &false)?;
        write(there, 1, 1..=1).await?;
    }
    Ok(())
}

/// Expired sessions do not count towards the limit of sessions, whichever they are: the first or the last
/// that was created, or one in between.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn an_expired_session_makes_room<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(Limits { sessions: 40, ..LIMITS }).await;
    let expires = |n: usize| n.is_multiple_of(13);
    for n in 0..40 {
        here.create(&n.to_string(), b"", if expires(n) { idle } else { LONG }).await?;
    }
    sleep(idle * 3 / 2).await;
    for n in (0..40).filter(|n| expires(*n)) {
        there.create(&format!("new-{n}"), b"", LONG).await?;
    }
    let one_more = here.create("one-more", b"", LONG).await;
    same("a session too many", &one_more, &Err(StoreError::Full { limit: 40 }))?;
    for n in (0..40).filter(|n| !expires(*n)) {
        same("the record of a session that lives", &there.load(&n.to_string()).await?, &Some(Vec::new()))?;
    }
    Ok(())
}

/// Accesses an expired session in one of seven ways, numbered from 0 by `how`, and checks that it is not
/// found.
async fn looked_at(store: &impl Store, how: usize) -> Result<(), Broken> {
    let found = match how {
        0 => store.load(ID).await?.is_some(),
        1 => store.save(ID, b"record").await?,
        2 => store.touch(ID, LONG).await?,
        3 => store.remove(ID).await?,
        4 => store.append(ID, 1, b"event").await.is_ok(),
        5 => store.tail(ID, 1, 0).await?.is_some(),
        // An id whose session has expired is free again.
        _ => {
            store.create(ID, b"record", LONG).await?;
            !store.remove(ID).await?
        }
    };
    same("whether there is a session that has expired", &found, &false)
}
