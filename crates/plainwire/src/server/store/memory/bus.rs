//! Channels, and who listens to them.
//!
//! In: messages. Out: each of them to everybody who listens to its channel, in the order in which they were published.
//! A message is kept once for all of them. Who does not take its messages loses the oldest, and learns how many.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::BuildHasher as _;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

use super::{PARTS, lock};
use crate::server::store::limits::Limits;
use crate::server::store::{Heard, StoreError, Subscription};

/// All channels of a store.
pub(super) struct Bus {
    hasher: RandomState,
    limits: Limits,
    parts: [Mutex<Part>; PARTS],
}

/// The channels of one part. Invariant: each has somebody who listens.
#[derive(Default)]
struct Part {
    channels: HashMap<Box<str>, BTreeMap<u64, Arc<Mailbox>>>,
    /// The number of the last mailbox.
    last: u64,
}

/// What somebody who listens has not taken yet. Shared by them and the bus.
#[derive(Default)]
struct Mailbox {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Bytes of all messages.
    bytes: usize,
    /// Whether the store is gone.
    ended: bool,
    messages: VecDeque<Arc<[u8]>>,
    /// Messages that were lost in front of those.
    missed: u64,
    waker: Option<Waker>,
}

impl Bus {
    pub(super) fn new(limits: Limits) -> Self {
        Self { hasher: RandomState::new(), limits, parts: Default::default() }
    }

    pub(super) fn publish(&self, channel: &str, message: &[u8]) {
        let mut woken = Vec::new();
        {
            let part = lock(self.part(channel));
            let Some(mailboxes) = part.channels.get(channel) else { return };
            let message: Arc<[u8]> = message.into();
            for mailbox in mailboxes.values() {
                woken.extend(lock(&mailbox.state).put(Arc::clone(&message), &self.limits));
            }
        }
        woken.into_iter().for_each(Waker::wake);
    }

    pub(super) fn subscribe(self: &Arc<Self>, channel: &str) -> Listener {
        let mailbox = Arc::new(Mailbox::default());
        let part = &mut lock(self.part(channel));
        part.last += 1;
        let number = part.last;
        part.channels.entry(channel.into()).or_default().insert(number, Arc::clone(&mailbox));
        Listener { bus: Arc::downgrade(self), channel: channel.into(), mailbox, number }
    }

    fn unsubscribe(&self, channel: &str, number: u64) {
        let part = &mut lock(self.part(channel));
        let Some(mailboxes) = part.channels.get_mut(channel) else { return };
        mailboxes.remove(&number);
        if mailboxes.is_empty() {
            part.channels.remove(channel);
        }
    }

    fn part(&self, channel: &str) -> &Mutex<Part> {
        &self.parts[self.hasher.hash_one(channel) as usize % PARTS]
    }

    #[cfg(test)]
    pub(super) fn channels(&self) -> usize {
        self.parts.iter().map(|part| lock(part).channels.len()).sum()
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        for part in &mut self.parts {
            let part = part.get_mut().unwrap_or_else(PoisonError::into_inner);
            part.channels.values().flat_map(BTreeMap::values).for_each(|mailbox| mailbox.end());
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

impl State {
    /// Adds a message, and keeps the limits: only the newest one stays in any case. Returns whom to wake.
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

/// Somebody who listens to a channel.
pub(super) struct Listener {
    bus: Weak<Bus>,
    channel: Box<str>,
    mailbox: Arc<Mailbox>,
    /// Its name in its part of the bus.
    number: u64,
}

impl Subscription for Listener {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Heard, StoreError>>> {
        // Outlives the lock: what a waker does when it is dropped is not ours.
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
