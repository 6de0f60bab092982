//! Text above a line that the user edits.
//!
//! In: text, from any thread. Out: the same text above the line, in order. The threads do not wait for the editor,
//! which prints nothing while the server completes a name. The text that waits is bounded; further text is left out,
//! and a line says how much.

use std::collections::VecDeque;
use std::io::{self, IsTerminal as _};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The maximal number of bytes that wait for the editor. One text waits whatever its size: it is in memory anyway.
const MAX_WAITING: usize = 1 << 20;

/// The texts that wait, and what the editor does.
static WAITING: Mutex<Waiting> =
    Mutex::new(Waiting { bytes: 0, is_edited: false, left_out: 0, texts: VecDeque::new() });

/// Wakes the thread that prints.
static ARRIVED: Condvar = Condvar::new();

#[derive(Debug)]
struct Waiting {
    /// The number of bytes in `texts`.
    bytes: usize,
    /// Whether a line is being edited.
    is_edited: bool,
    /// The number of bytes that were left out since `texts` was empty.
    left_out: u64,
    texts: VecDeque<String>,
}

/// A guard of a line that is being edited. While there is one, [`print`] takes text.
pub(crate) struct Edited(());

/// Starts the thread that prints the texts with `printer`, if stderr is a terminal. `printer` may block.
pub(crate) fn start(mut printer: impl FnMut(String) + Send + 'static) {
    if !io::stderr().is_terminal() {
        return;
    }
    thread::spawn(move || {
        loop {
            let next = waiting().next();
            match next {
                Some(text) => printer(text),
                None => drop(ARRIVED.wait_while(waiting(), |it| it.texts.is_empty() && it.left_out == 0)),
            }
        }
    });
}

/// Begins to edit a line.
pub(crate) fn edit() -> Edited {
    waiting().is_edited = io::stderr().is_terminal();
    Edited(())
}

impl Drop for Edited {
    fn drop(&mut self) {
        waiting().is_edited = false;
    }
}

/// Prints text above the line that is edited, soon. Returns whether a line is edited.
pub(crate) fn print(text: &str) -> bool {
    let mut waiting = waiting();
    if !waiting.is_edited {
        return false;
    }
    waiting.add(text);
    ARRIVED.notify_one();
    true
}

fn waiting() -> MutexGuard<'static, Waiting> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Waiting {
    fn add(&mut self, text: &str) {
        if self.left_out > 0 || !self.texts.is_empty() && self.bytes + text.len() > MAX_WAITING {
            self.left_out = self.left_out.saturating_add(text.len() as u64);
            return;
        }
        self.bytes += text.len();
        self.texts.push_back(text.to_owned());
    }

    fn next(&mut self) -> Option<String> {
        if let Some(text) = self.texts.pop_front() {
            self.bytes -= text.len();
            return Some(text);
        }
        match std::mem::take(&mut self.left_out) {
            0 => None,
            left_out => Some(format!("({left_out} bytes of output were left out: the line was busy)\n")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mebibyte_waits_for_the_editor_and_a_line_says_how_much_does_not() {
        let mut waiting = Waiting { bytes: 0, is_edited: true, left_out: 0, texts: VecDeque::new() };
        let lengths = |waiting: &mut Waiting| {
            std::iter::from_fn(|| waiting.next()).map(|text| text.len()).collect::<Vec<_>>()
        };
        waiting.add(&"x".repeat(1_000_000));
        waiting.add(&"y".repeat(48_576));
        waiting.add("no room");
        waiting.add("é");
        assert_eq!(waiting.next().map(|text| text.len()), Some(1_000_000));
        waiting.add("no text before those that were left out");
        assert_eq!(waiting.next().map(|text| text.len()), Some(48_576));
        let note = "(48 bytes of output were left out: the line was busy)\n";
        assert_eq!(waiting.next().as_deref(), Some(note));
        assert_eq!(waiting.next(), None);
        waiting.add(&"z".repeat(5_000_000));
        assert_eq!(lengths(&mut waiting), [5_000_000]);
    }
}
