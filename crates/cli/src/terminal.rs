//! What somebody types, line by line, and what is said to them: stdin and stderr. stdout is for results.
//!
//! Reading a line blocks, and nothing can stop it: a thread of its own does it, begun when the first line is wanted. The
//! process does not wait for that thread when it ends.

use std::io::{self, BufRead, IsTerminal as _, Read as _, Write as _};

use tokio::sync::mpsc;

/// What came when somebody was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// Nothing: the end of the input, or Ctrl-D.
    End,
    /// A line, without its end.
    Line(String),
    /// A line that can't be used, and what was expected instead.
    Unreadable(&'static str),
}

/// The person in front of the command, or a script that writes what a person would.
#[derive(Debug, Default)]
pub(crate) struct Terminal {
    entries: Option<mpsc::Receiver<Entry>>,
}

/// Bytes of one line.
const MAX_LINE: usize = 65_536;

impl Terminal {
    /// Writes to stderr.
    pub(crate) fn say(&self, text: &str) {
        // Nobody is left to tell if stderr is gone.
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Asks for a line. Cancel safe: a line that nobody gets is the next one.
    pub(crate) async fn ask(&mut self, prompt: &str) -> Entry {
        self.say(prompt);
        let entry = self.entries.get_or_insert_with(listen).recv().await.unwrap_or(Entry::End);
        // Whoever types ends the line themselves.
        if entry == Entry::End || !io::stdin().is_terminal() {
            self.say("\n");
        }
        entry
    }

    /// Drops what was typed before anybody was asked: it was no answer to what comes now. What a script wrote stays.
    pub(crate) fn forget(&mut self) {
        if io::stdin().is_terminal()
            && let Some(entries) = &mut self.entries
        {
            while entries.try_recv().is_ok() {}
        }
    }
}

fn listen() -> mpsc::Receiver<Entry> {
    let (entries, received) = mpsc::channel(1);
    // Goes on after an end: in a terminal, Ctrl-D ends one answer only.
    std::thread::spawn(move || while entries.blocking_send(read(&mut io::stdin().lock())).is_ok() {});
    received
}

fn read(input: &mut impl BufRead) -> Entry {
    let mut line = Vec::new();
    match input.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => return Entry::End,
        Ok(_) => {}
    }
    if line.pop_if(|last| *last == b'\n').is_none() && line.len() > MAX_LINE {
        return match input.skip_until(b'\n') {
            Ok(_) => Entry::Unreadable("expected at most 65536 bytes on a line"),
            Err(_) => Entry::End,
        };
    }
    String::from_utf8(line).map_or(Entry::Unreadable("expected text in UTF-8"), Entry::Line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines_up_to_a_limit_and_then_the_end() {
        let mut bytes = b"one\n\ntwo".to_vec();
        let mut input = &bytes[..];
        let line = |text: &str| Entry::Line(text.to_owned());
        assert_eq!(
            [(); 5].map(|()| read(&mut input)),
            [line("one"), line(""), line("two"), Entry::End, Entry::End]
        );
        bytes = [vec![b'x'; MAX_LINE], b"\n".to_vec(), vec![b'x'; 3 * MAX_LINE], b"\n\xff\nlast\n".to_vec()]
            .concat();
        let mut input = &bytes[..];
        assert_eq!(read(&mut input), line(&"x".repeat(MAX_LINE)));
        assert_eq!(read(&mut input), Entry::Unreadable("expected at most 65536 bytes on a line"));
        assert_eq!(read(&mut input), Entry::Unreadable("expected text in UTF-8"));
        assert_eq!(read(&mut input), line("last"));
    }
}
