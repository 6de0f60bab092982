//! Rules about channels.
//!
//! In: stores. Out: whether subscriptions receive the published messages, and learn how many were lost.

use std::task::Poll;
use std::time::Duration;

use super::helpers::{Broken, LIMITS, hear, hears, hears_nothing, same, wakes_the_last};
use crate::server::store::limits::Limits;
use crate::server::store::{Heard, Store};

/// A message is any sequence of bytes. The messages of a channel reach all of its subscriptions, on all
/// replicas, in the order of publishing.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_message_reaches_all_who_listen<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    let every_byte: Vec<u8> = (0..=u8::MAX).collect();
    let messages = [&b"first"[..], &every_byte, b"", b"last"];
    let mut listening = [here.subscribe("a").await?, here.subscribe("a").await?, there.subscribe("a").await?];
    for message in messages {
        here.publish("a", message).await?;
    }
    for subscription in &mut listening {
        for message in messages {
            hears(&mut **subscription, message).await?;
        }
        hears_nothing(&mut **subscription, idle).await?;
    }
    let [ours, dropped, theirs] = &mut listening;
    drop(std::mem::replace(dropped, here.subscribe("b").await?));
    there.publish("a", b"afterwards").await?;
    hears(&mut **ours, b"afterwards").await?;
    hears(&mut **theirs, b"afterwards").await
}

/// A subscription receives messages of one channel only, and none that was published before the subscription
/// began.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn who_listens_hears_one_channel_from_then_on<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    here.publish("a", b"too early").await?;
    let mut subscription = there.subscribe("a").await?;
    for channel in ["b", "aa", "A", "*", "?", "[a]", ""] {
        here.publish(channel, b"elsewhere").await?;
    }
    hears_nothing(&mut *subscription, idle).await?;
    here.publish("a", b"here").await?;
    hears(&mut *subscription, b"here").await
}

/// A subscription receives each published message in order, or counts it as missed at its position in that
/// order.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_slow_listener_learns_how_many_messages_it_missed<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(Limits { messages: 8, ..LIMITS }).await;
    let mut subscription = there.subscribe("a").await?;
    let mut position = 0;
    for end in [5, 30, 47] {
        for number in position..end {
            here.publish("a", number.to_string().as_bytes()).await?;
        }
        while position < end {
            match hear(&mut *subscription).await? {
                Some(Heard::Missed(count)) if count > 0 => position += count,
                found => {
                    let expected = Some(Heard::Message(position.to_string().into_bytes()));
                    same("the message at its position", &found, &expected)?;
                    position += 1;
                }
            }
        }
        same("how many messages were heard or missed", &position, &end)?;
    }
    hears_nothing(&mut *subscription, idle).await
}

/// A subscription that moves from one task to another wakes the task that polled it last, when a message
/// comes.
///
/// # Errors
/// [`Broken`] if the store breaks the rule.
pub async fn a_subscription_wakes_whoever_polled_it_last<S: Store>(
    make: impl AsyncFn(Limits) -> [S; 2],
    idle: Duration,
) -> Result<(), Broken> {
    let [here, there] = make(LIMITS).await;
    let mut subscription = there.subscribe("a").await?;
    hears_nothing(&mut *subscription, idle).await?;
    let happens = here.publish("a", b"message");
    let poll = |cx: &mut std::task::Context<'_>| !matches!(subscription.poll_next(cx), Poll::Pending);
    wakes_the_last("a subscription", poll, happens).await?;
    hears(&mut *subscription, b"message").await
}
