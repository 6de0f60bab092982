//! Values that calls hold until they end, such as one of the slots for the requests that their client may
//! have in flight.
//!
//! In: a value to hold, and messages. Out: the value is dropped with the last of the calls that these
//! messages started, even if that call was cancelled and its request no longer waits for an answer. Slots are
//! not counted here.

use std::any::Any;
use std::sync::Arc;

#[cfg(feature = "http")]
use super::Calls;

/// A value, such as a slot of a client, that is dropped when all calls that hold it are over.
pub(crate) type Held = Arc<dyn Any + Send + Sync>;

#[cfg(feature = "http")]
impl Calls {
    /// Runs `take_in`, which handles messages. The calls that it starts hold `held`.
    pub(crate) fn holding<T>(&mut self, held: &Held, take_in: impl FnOnce(&mut Self) -> T) -> T {
        self.held = Some(Arc::clone(held));
        let taken = take_in(self);
        self.held = None;
        taken
    }
}
