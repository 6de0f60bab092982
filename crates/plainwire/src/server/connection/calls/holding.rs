//! Values that calls hold until they end, such as a slot among the requests that their caller may have in
//! flight.
//!
//! In: a value to hold, and messages. Out: the value is dropped with the last of the calls that these
//! messages started, even if fewer requests wait for answers by then. This file does not count slots.

use std::any::Any;
use std::sync::Arc;

#[cfg(feature = "http")]
use super::Calls;

/// A value that is dropped when all calls that hold it are over.
pub(crate) type Held = Arc<dyn Any + Send + Sync>;

#[cfg(feature = "http")]
impl Calls {
    /// Runs `take_in`, and makes the calls that it starts hold `held`.
    pub(crate) fn holding<T>(&mut self, held: &Held, take_in: impl FnOnce(&mut Self) -> T) -> T {
        self.held = Some(Arc::clone(held));
        let taken = take_in(self);
        self.held = None;
        taken
    }
}
