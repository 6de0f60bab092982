//! The room for frames that wait, in bytes.
//!
//! In: frames, from the threads that read them. Out: the same frames, each with its share of the room, which it gives
//! back when it is dropped. So frames that arrive faster than they are handled do not fill the memory.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The maximal number of bytes of the frames that wait in one queue.
const MAX_WAITING: usize = 128 << 20;

/// The room for the frames of one queue.
#[derive(Debug, Default)]
pub(super) struct Room {
    given_back: Condvar,
    used: Mutex<usize>,
}

/// A frame that waits. Dropping it gives its share of the room back.
#[derive(Debug)]
pub(crate) struct Waiting {
    frame: String,
    room: Arc<Room>,
}

impl Room {
    /// Waits until there is room for a frame.
    pub(super) fn hold(self: &Arc<Self>, frame: String) -> Waiting {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |used: &mut usize| !fits(*used, &frame);
        let mut used = self.given_back.wait_while(used, is_full).unwrap_or_else(PoisonError::into_inner);
        *used += frame.len();
        drop(used);
        Waiting { frame, room: Arc::clone(self) }
    }

    /// Returns `None` if there is no room for a frame.
    pub(super) fn try_hold(self: &Arc<Self>, frame: String) -> Option<Waiting> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if !fits(*used, &frame) {
            return None;
        }
        *used += frame.len();
        drop(used);
        Some(Waiting { frame, room: Arc::clone(self) })
    }
}

/// Returns whether a frame may wait beside `used` bytes. A frame of any size may wait alone.
fn fits(used: usize, frame: &str) -> bool {
    used == 0 || used + frame.len() <= MAX_WAITING
}

impl Waiting {
    /// Returns the frame.
    pub(super) fn as_str(&self) -> &str {
        &self.frame
    }

    /// Takes the frame, and gives its share of the room back.
    pub(super) fn take(mut self) -> String {
        let frame = std::mem::take(&mut self.frame);
        self.room.give_back(frame.len());
        frame
    }
}

impl Room {
    fn give_back(&self, bytes: usize) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) -= bytes;
        self.given_back.notify_all();
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.room.give_back(self.frame.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_128_mib_wait_together() {
        let room = Arc::<Room>::default();
        let half = || "x".repeat(64 << 20);
        let (first, second) = (room.try_hold(half()).expect("room"), room.hold(half()));
        assert!(room.try_hold("x".to_owned()).is_none());
        // The thread goes on once there is room.
        let later = std::thread::spawn({
            let room = Arc::clone(&room);
            move || room.hold("later".to_owned()).take()
        });
        assert_eq!(first.take().len(), 64 << 20);
        assert_eq!(later.join().expect("no panic"), "later");
        drop(second);
        assert!(room.try_hold("x".repeat(129 << 20)).is_some(), "a frame may wait alone");
    }
}
