//! The limits of a store.
//!
//! In: nothing. Out: numbers, each with its reason. The store decides what happens past a limit.

/// Limits of a store. Past them it refuses new things, or drops old ones.
///
/// ```
/// use plainwire::store::{Limits, Memory};
///
/// let store = Memory::new(Limits { sessions: 500, ..Limits::default() });
/// # drop(store);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Live sessions; one more is refused. 100,000 idle sessions without events take about 20 MB plus their
    /// records.
    pub sessions: usize,
    /// Events that a session keeps; the oldest are dropped. 1,000 are many times more than a client misses
    /// when its connection breaks.
    pub events: usize,
    /// Bytes of the events that a session keeps, and of the messages that wait in a subscription; the oldest
    /// are dropped. 4 MiB.
    pub bytes: usize,
    /// Streams of a session that are open, or closed and not yet dropped; one more is refused. 8,192 is twice
    /// the default number of requests in flight.
    pub streams: usize,
    /// Messages that wait in a subscription; the oldest are dropped. 1,024.
    pub messages: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { sessions: 100_000, events: 1_000, bytes: 4 * 1024 * 1024, streams: 8_192, messages: 1_024 }
    }
}
