//! The limits of a store.
//!
//! This file only has the numbers, each with its reason. The stores enforce them.

/// Limits of a store. At a limit, the store refuses the next session or stream, and drops the oldest events
/// or messages.
///
/// ```
/// use plainwire::store::{Limits, Memory};
///
/// let store = Memory::new(Limits { sessions: 500, ..Limits::default() });
/// # drop(store);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of live sessions; one more is refused. The default is 100,000: that many idle
    /// sessions without events take about 20 MB plus their records.
    pub sessions: usize,
    /// The largest number of events that a session keeps; the oldest are dropped. The default is 1,000, many
    /// times more than a client misses when its connection breaks.
    pub events: usize,
    /// The largest number of bytes that all events of a session take together, and likewise all messages that
    /// wait in a subscription; the oldest are dropped. The default is 4 MiB.
    pub bytes: usize,
    /// The largest number of bytes that all events of all sessions take together; the oldest events of the
    /// session with the most bytes are dropped, until the rest fits. The default is 256 MiB.
    pub bytes_of_all: usize,
    /// The largest number of streams of a session that are open, or closed and not yet forgotten; one more is
    /// refused. The default is 8,192, twice the default number of requests in flight.
    pub streams: usize,
    /// The largest number of messages that wait in a subscription; the oldest are dropped. The default is
    /// 1,024.
    pub messages: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sessions: 100_000,
            events: 1_000,
            bytes: 4 << 20,
            bytes_of_all: 256 << 20,
            streams: 8_192,
            messages: 1_024,
        }
    }
}
