//! How much a store keeps.
//!
//! In: nothing. Out: numbers, each with its reason. What happens past one of them is the store's business.

/// How much a store keeps before it refuses or forgets.
///
/// ```
/// use plainwire::store::{Limits, Memory};
///
/// let store = Memory::new(Limits { sessions: 500, ..Limits::default() });
/// # drop(store);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Sessions that live at a time; one more is refused. 100,000 idle ones without events take some 20 MB and their
    /// records.
    pub sessions: usize,
    /// Events that a session keeps; the oldest are forgotten. 1,000 are many times what a client misses when its
    /// connection breaks.
    pub events: usize,
    /// Bytes of the events that a session keeps, and of the messages that wait in a subscription; the oldest are
    /// forgotten. 4 MiB.
    pub bytes: usize,
    /// Streams of a session that are open, or closed and not forgotten; one more is refused. 8,192 is twice as many as
    /// a connection has requests in flight.
    pub streams: usize,
    /// Messages that wait in a subscription; the oldest are forgotten. 1,024.
    pub messages: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { sessions: 100_000, events: 1_000, bytes: 4 * 1024 * 1024, streams: 8_192, messages: 1_024 }
    }
}
