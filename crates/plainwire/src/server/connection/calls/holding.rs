//! What is kept for as long as calls go on, as a place among those that their caller may have.
//!
//! In: something to hold, and messages. Out: it is dropped with the last of the calls that these messages began, however few
//! wait for their answers meanwhile.

use std::any::Any;
use std::sync::Arc;

#[cfg(feature = "http")]
use super::Calls;

/// What is dropped when the calls that came with it are over.
pub(crate) type Held = Arc<dyn Any + Send + Sync>;

#[cfg(feature = "http")]
impl Calls {
    /// Takes something in, and has the calls that it begins hold `held`.
    pub(crate) fn holding<T>(&mut self, held: &Held, take_in: impl FnOnce(&mut Self) -> T) -> T {
        self.held = Some(Arc::clone(held));
        let taken = take_in(self);
        self.held = None;
        taken
    }
}
