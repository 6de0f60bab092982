//! A store for tests: a store in memory with some methods replaced.
//!
//! In: a type that implements [`StoreDouble`]. Out: [`Doubled`], which is a [`Store`]. The unit tests of this
//! crate include this file too.

use std::ops::Deref;
use std::time::Duration;

use plainwire::store::{Memory, Store, StoreFuture, Subscription, Tail};

/// The methods of [`Store`], which by default behave as in [`Memory`]. A test implements those that it
/// replaces.
pub(crate) trait StoreDouble: Send + Sync + 'static {
    fn memory(&self) -> &Memory;

    /// Returns the id under which [`Self::memory`] keeps the session `session`; by default the same id.
    fn id<'s>(&self, session: &'s str) -> &'s str {
        session
    }

    fn create<'s>(&'s self, session: &'s str, record: &'s [u8], idle: Duration) -> StoreFuture<'s, ()> {
        self.memory().create(self.id(session), record, idle)
    }

    fn load<'s>(&'s self, session: &'s str) -> StoreFuture<'s, Option<Vec<u8>>> {
        self.memory().load(self.id(session))
    }

    fn save<'s>(&'s self, session: &'s str, record: &'s [u8]) -> StoreFuture<'s, bool> {
        self.memory().save(self.id(session), record)
    }

    fn touch<'s>(&'s self, session: &'s str, idle: Duration) -> StoreFuture<'s, bool> {
        self.memory().touch(self.id(session), idle)
    }

    fn remove<'s>(&'s self, session: &'s str) -> StoreFuture<'s, bool> {
        self.memory().remove(self.id(session))
    }

    fn append<'s>(&'s self, session: &'s str, stream: u64, event: &'s [u8]) -> StoreFuture<'s, u64> {
        self.memory().append(self.id(session), stream, event)
    }

    fn close<'s>(&'s self, session: &'s str, stream: u64) -> StoreFuture<'s, ()> {
        self.memory().close(self.id(session), stream)
    }

    fn tail<'s>(
        &'s self,
        session: &'s str,
        stream: u64,
        after: u64,
    ) -> StoreFuture<'s, Option<Box<dyn Tail>>> {
        self.memory().tail(self.id(session), stream, after)
    }

    fn publish<'s>(&'s self, channel: &'s str, message: &'s [u8]) -> StoreFuture<'s, ()> {
        self.memory().publish(channel, message)
    }

    fn subscribe<'s>(&'s self, channel: &'s str) -> StoreFuture<'s, Box<dyn Subscription>> {
        self.memory().subscribe(channel)
    }
}

/// A [`Store`] that has the methods of a [`StoreDouble`].
#[derive(Clone, Default)]
pub(crate) struct Doubled<D>(pub(crate) D);

impl<D> Deref for Doubled<D> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.0
    }
}

impl<D: StoreDouble> Store for Doubled<D> {
    fn create<'s>(&'s self, session: &'s str, record: &'s [u8], idle: Duration) -> StoreFuture<'s, ()> {
        self.0.create(session, record, idle)
    }

    fn load<'s>(&'s self, session: &'s str) -> StoreFuture<'s, Option<Vec<u8>>> {
        self.0.load(session)
    }

    fn save<'s>(&'s self, session: &'s str, record: &'s [u8]) -> StoreFuture<'s, bool> {
        self.0.save(session, record)
    }

    fn touch<'s>(&'s self, session: &'s str, idle: Duration) -> StoreFuture<'s, bool> {
        self.0.touch(session, idle)
    }

    fn remove<'s>(&'s self, session: &'s str) -> StoreFuture<'s, bool> {
        self.0.remove(session)
    }

    fn append<'s>(&'s self, session: &'s str, stream: u64, event: &'s [u8]) -> StoreFuture<'s, u64> {
        self.0.append(session, stream, event)
    }

    fn close<'s>(&'s self, session: &'s str, stream: u64) -> StoreFuture<'s, ()> {
        self.0.close(session, stream)
    }

    fn tail<'s>(
        &'s self,
        session: &'s str,
        stream: u64,
        after: u64,
    ) -> StoreFuture<'s, Option<Box<dyn Tail>>> {
        self.0.tail(session, stream, after)
    }

    fn publish<'s>(&'s self, channel: &'s str, message: &'s [u8]) -> StoreFuture<'s, ()> {
        self.0.publish(channel, message)
    }

    fn subscribe<'s>(&'s self, channel: &'s str) -> StoreFuture<'s, Box<dyn Subscription>> {
        self.0.subscribe(channel)
    }
}
