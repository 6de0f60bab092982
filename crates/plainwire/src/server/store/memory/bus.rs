//! Channels and their subscriptions.
//!
//! In: messages. Out: each message to all subscriptions of its channel, in the order of publishing. A message
//! is stored once for all subscriptions. A slow subscription loses its oldest messages, and learns how many.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::BuildHasher as _;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

use super::{SHARDS, lock};
use crate::server::store::limits::Limits;
use crate::server::store::{Heard, StoreError, Subscription};

/// All channels of a store.
pub(super) struct Bus {
    hasher: RandomState,
    limits: Limits,
    shards: [Mutex<BusShard>; SHARDS],
}

/// The channels of one shard, a part of the bus with a lock of its own. Invariant: each channel has at least
/// one subscription.
#[derive(Default)]
struct BusShard {
    /// The mailboxes of each channel, by the name of the channel and the number of the mailbox.
    channels: HashMap<Box<str>, BTreeMap<u64, Arc<Mailbox>>>,
    /// The number that the newest mailbox of this shard got; 0 before the first.
    last: u64,
}

/// The messages that a subscription has not taken yet. Shared by the subscription and the bus.
#[derive(Default)]
struct Mailbox {
    state: Mutex<MailboxState>,
}

#[derive(Default)]
struct MailboxState {
    /// The sum of the lengths of `messages`, in bytes.
    bytes: usize,
    /// Whether the last clone of the store was dropped.
    ended: bool,
    messages: VecDeque<Arc<[u8]>>,
    /// The number of messages that were lost before those in `messages`, and not reported yet.
    missed: u64,
    waker: Option<Waker>,
}

impl Bus {
    pub(super) fn new(limits: Limits) -> Self {
        Self { hasher: RandomState::new(), limits, shards: Default::default() }
    }

    pub(super) fn publish(&self, channel: &str, message: &[u8]) {
        let mut woken = Vec::new();
        {
            let shard = lock(self.shard(channel));
            let Some(mailboxes) = shard.channels.get(channel) else { return };
            let message: Arc<[u8]> = message.into();
            for mailbox in mailboxes.values() {
                woken.extend(lock(&mailbox.state).put(Arc::clone(&message), &self.limits));
            }
        }
        woken.into_iter().for_each(Waker::wake);
    }

    pub(super) fn subscribe(self: &Arc<Self>, channel: &str) -> Listener {
        let mailbox = Arc::new(Mailbox::default());
        let shard = &mut lock(self.shard(channel));
        shard.last += 1;
        let number = shard.last;
        shard.channels.entry(channel.into()).or_default().insert(number, Arc::clone(&mailbox));
        Listener { bus: Arc::downgrade(self), channel: channel.into(), mailbox, number }
    }

    fn unsubscribe(&self, channel: &str, number: u64) {
        let shard = &mut lock(self.shard(channel));
        let Some(mailboxes) = shard.channels.get_mut(channel) else { return };
        mailboxes.remove(&number);
        if mailboxes.is_empty() {
            shard.channels.remove(channel);
        }
    }

    fn shard(&self, channel: &str) -> &Mutex<BusShard> {
        &self.shards[self.hasher.hash_one(channel) as usize % SHARDS]
    }

    #[cfg(test)]
    pub(super) fn channels(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).channels.len()).sum()
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        for shard in &mut self.shards {
            let shard = shard.get_mut().unwrap_or_else(PoisonError::into_inner);
            shard.channels.values().flat_map(BTreeMap::values).for_each(|mailbox| mailbox.end());
        }
    }
}

impl Mailbox {
    fn end(&self) {
        let waker = {
            let state = &mut lock(&self.state);
            state.ended = true;
            state.waker.take()
        };
        waker.into_iter().for_each(Waker::wake);
    }
}

impl MailboxState {
    /// Adds a message, and drops the oldest ones past the limits, but never the added one. Returns the waker
    /// that the caller has to wake.
    fn put(&mut self, message: Arc<[u8]>, limits: &Limits) -> Option<Waker> {
        self.bytes += message.len();
        self.messages.push_back(message);
        while self.messages.len() > 1 && (self.messages.len() > limits.messages || self.bytes > limits.bytes)
        {
            self.bytes -= self.messages.pop_front().map_or(0, |message| message.len());
            self.missed += 1;
        }
        self.waker.take()
    }
}

/// A subscription to a channel of this store, which reads its mailbox.
pub(super) struct Listener {
    bus: Weak<Bus>,
    channel: Box<str>,
    mailbox: Arc<Mailbox>,
    /// The number of the subscription's mailbox in its shard.
    number: u64,
}

impl Subscription for Listener {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Heard, StoreError>>> {
        // The old waker is dropped after the lock is released, because dropping a waker runs foreign code.
        let _replaced;
        let message = {
            let state = &mut lock(&self.mailbox.state);
            if state.missed > 0 {
                return Poll::Ready(Some(Ok(Heard::Missed(std::mem::take(&mut state.missed)))));
            }
            let Some(message) = state.messages.pop_front() else {
                if state.ended {
                    return Poll::Ready(None);
                }
                if !state.waker.as_ref().is_some_and(|it| it.will_wake(cx.waker())) {
                    _replaced = state.waker.replace(cx.waker().clone());
                }
                return Poll::Pending;
            };
            state.bytes -= message.len();
            message
        };
        Poll::Ready(Some(Ok(Heard::Message(message.to_vec()))))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Some(bus) = self.bus.upgrade() {
            bus.unsubscribe(&self.channel, self.number);
        }
    }
}
