//! Rules about sessions and their records.
//!
//! In: stores. Out: whether they find the sessions that exist, each with its newest record, and no others.

use std::time::Duration;

use super::helpers::{Broken, ID, LIMITS, LONG, refused, same, session_with, write};
use crate::server::store::limits::Limits;
use crate::server::store::{Store, StoreError};

/// A record is any sequence of bytes, and each replica loads it unchanged.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_record_is_loaded_as_it_was_created<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    let every_byte: Vec<u8> = (0..=u8::MAX).cycle().take(3 * 256).collect();
    for (id, record) in [("every-byte", every_byte), ("no-byte", Vec::new())] {
        here.create(id, &record, LONG).await?;
        let record = Some(record);
        same("the record here", &here.load(id).await?, &record)?;
        same("the record on another replica", &there.load(id).await?, &record)?;
    }
    Ok(())
}

/// A record that is saved on one replica is then loaded on all replicas, in place of the record before it.
/// Records of other sessions do not change.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_record_that_is_saved_replaces_the_one_before<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    here.create(ID, b"first", LONG).await?;
    here.create("another", b"another", LONG).await?;
    for record in [&b"second, and longer"[..], b"3\0\xff", b""] {
        same("whether there was a session to save", &there.save(ID, record).await?, &true)?;
        same("the record here", &here.load(ID).await?, &Some(record.to_vec()))?;
        same("the record there", &there.load(ID).await?, &Some(record.to_vec()))?;
    }
    same("the record of another session", &there.load("another").await?, &Some(b"another".to_vec()))
}

/// While a session exists, each replica refuses to create another session with its id. The existing session
/// does not change.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn an_id_is_taken_once<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    session_with(&here, 1, 1).await?;
    for store in [&here, &there] {
        refused("a second session of the same id", &store.create(ID, b"second", LONG).await)?;
    }
    same("the record of the first", &there.load(ID).await?, &Some(b"record".to_vec()))?;
    write(&there, 1, 2..=2).await
}

/// Ids and channels of 128 bytes, with all visible ASCII characters, are distinct if any of their bytes
/// differs.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn an_id_may_have_128_bytes<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    let signs: String = ('!'..='~').cycle().take(127).collect();
    let ids = [format!("{signs}a"), format!("{signs}b"), format!("a{signs}"), signs];
    for id in &ids {
        here.create(id, id.as_bytes(), LONG).await?;
    }
    for id in &ids {
        same("the record of a long id", &there.load(id).await?, &Some(id.clone().into_bytes()))?;
        same("the first number in a session", &there.append(id, u64::MAX, b"event").await?, &1)?;
        let mut subscription = there.subscribe(id).await?;
        here.publish(id, id.as_bytes()).await?;
        super::helpers::hears(&mut *subscription, id.as_bytes()).await?;
    }
    Ok(())
}

/// Without a session, nothing is loaded, saved, touched, removed, written or followed.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn nothing_is_found_where_there_is_no_session<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    for store in [&here, &there] {
        is_absent(store).await?;
    }
    session_with(&here, 1, 1).await?;
    same("whether a stream that never was has a tail", &there.tail(ID, 2, 0).await?.is_some(), &false)?;
    there.close(ID, 2).await?;
    same("whether a closed stream that never was has a tail", &here.tail(ID, 2, 0).await?.is_some(), &false)
}

/// A session that one replica removes is gone on all replicas, with its streams. A new session with its id
/// begins without streams.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_removed_session_is_gone_with_its_streams<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    session_with(&here, 1, 3).await?;
    here.create("another", b"another", LONG).await?;
    same("whether there was a session to remove", &there.remove(ID).await?, &true)?;
    for store in [&here, &there] {
        is_absent(store).await?;
    }
    same("another session", &here.load("another").await?, &Some(b"another".to_vec()))?;
    here.create(ID, b"anew", LONG).await?;
    same("whether an old stream has a tail", &here.tail(ID, 1, 0).await?.is_some(), &false)?;
    write(&there, 1, 1..=1).await
}

/// The limit of sessions applies to all replicas together. A removed session makes room.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn there_are_no_more_sessions_than_the_limit<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    _idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(Limits { sessions: 3, ..LIMITS }).await;
    for id in ["a", "b"] {
        here.create(id, b"", LONG).await?;
    }
    // A refused session takes no room.
    refused("a second session of the same id", &there.create("a", b"", LONG).await)?;
    there.create("c", b"", LONG).await?;
    for store in [&here, &there] {
        same("a session too many", &store.create("d", b"", LONG).await, &Err(StoreError::Full { limit: 3 }))?;
    }
    there.remove("a").await?;
    here.create("d", b"", LONG).await?;
    same("a session too many", &there.create("a", b"", LONG).await, &Err(StoreError::Full { limit: 3 }))
}

/// Checks that no method of the store finds the session [`ID`].
pub(super) async fn is_absent(store: &impl Store) -> Result<(), Broken> {
    same("the record of no session", &store.load(ID).await?, &None)?;
    same("whether no session was saved", &store.save(ID, b"record").await?, &false)?;
    same("whether no session was touched", &store.touch(ID, LONG).await?, &false)?;
    same("whether no session was removed", &store.remove(ID).await?, &false)?;
    refused("an event of no session", &store.append(ID, 1, b"event").await)?;
    store.close(ID, 1).await?;
    same("whether a stream of no session has a tail", &store.tail(ID, 1, 0).await?.is_some(), &false)?;
    same("the record of no session, after all that", &store.load(ID).await?, &None)
}
