//! The dialogue with the user: reads lines from stdin and writes prompts to stderr. stdout is for results.
//!
//! Reading a line blocks and can't be cancelled, so a separate thread reads. The first prompt starts the
//! thread. When the process ends, it does not wait for the thread.

use std::io::{self, BufRead, IsTerminal as _, Read as _};

use tokio::sync::mpsc;

use crate::{output, visible};

/// The input that follows a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TerminalInput {
    /// The end of the input, or Ctrl-D.
    End,
    /// Ctrl-C in a line that is edited.
    Interrupted,
    /// A line, without its line end.
    Line(String),
    /// A line that can't be used, with the message for the user.
    Unreadable(&'static str),
}

/// The user at the terminal, or a script that writes to stdin.
#[derive(Debug, Default)]
pub(crate) struct Terminal {
    /// The lines of an editor; `None` if stdin is read as it is.
    edited: Option<EditedLines>,
    /// The input from the thread that reads stdin; `None` before the first prompt.
    entries: Option<mpsc::Receiver<TerminalInput>>,
    /// Whether the last input that was read was the end.
    has_ended: bool,
}

/// Lines that the user edits, from a thread with an editor.
#[derive(Debug)]
pub(crate) struct EditedLines {
    /// Whether the editor shows a prompt whose line has not been taken, because the caller of `next` has given up.
    is_open: bool,
    lines: mpsc::Receiver<TerminalInput>,
    prompts: std::sync::mpsc::Sender<Prompt>,
}

/// A prompt, and what is typed after it.
#[derive(Debug)]
pub(crate) enum Prompt {
    /// The answer to a question, which may be private: it has no history and no completion.
    Answer(String),
    /// A command.
    Command(String),
}

impl EditedLines {
    pub(crate) fn new(
        prompts: std::sync::mpsc::Sender<Prompt>,
        lines: mpsc::Receiver<TerminalInput>,
    ) -> Self {
        Self { is_open: false, lines, prompts }
    }

    async fn next(&mut self, prompt: &str, kind: fn(String) -> Prompt) -> TerminalInput {
        if self.is_open {
            output::say(&format!("{prompt}\n"));
        } else if self.prompts.send(kind(visible::text(prompt))).is_err() {
            return TerminalInput::End;
        }
        self.is_open = true;
        let input = self.lines.recv().await.unwrap_or(TerminalInput::End);
        self.is_open = false;
        input
    }
}

/// The maximal number of bytes in one line.
const MAX_LINE: usize = 65_536;

impl Terminal {
    /// Writes `text` to stderr, without adding a line end.
    pub(crate) fn say(&self, text: &str) {
        output::say(text);
    }

    /// Returns the terminal whose lines an editor reads.
    pub(crate) fn edited(lines: EditedLines) -> Self {
        Self { edited: Some(lines), ..Self::default() }
    }

    /// Reads a line of a script, without a prompt.
    pub(crate) async fn line(&mut self) -> TerminalInput {
        let entry = self.entries.get_or_insert_with(listen).recv().await.unwrap_or(TerminalInput::End);
        self.has_ended = entry == TerminalInput::End;
        entry
    }

    /// Shows a prompt and reads a command, which the history keeps if an editor reads it. Cancel safe like
    /// [`Self::ask`].
    pub(crate) async fn command(&mut self, prompt: &str) -> TerminalInput {
        match &mut self.edited {
            Some(edited) => edited.next(prompt, Prompt::Command).await,
            None => self.ask(prompt).await,
        }
    }

    /// Shows a prompt and reads the answer to a question. Cancel safe: a line that arrives after the future was dropped
    /// is the result of the next call.
    pub(crate) async fn ask(&mut self, prompt: &str) -> TerminalInput {
        if let Some(edited) = &mut self.edited {
            return edited.next(prompt, Prompt::Answer).await;
        }
        self.say(prompt);
        let entry = self.line().await;
        // In a terminal, the user's Enter has ended the line.
        if entry == TerminalInput::End || !io::stdin().is_terminal() {
            self.say("\n");
        }
        entry
    }

    /// Returns whether the input is a script and has ended.
    pub(crate) fn is_script_at_end(&self) -> bool {
        self.has_ended && !io::stdin().is_terminal()
    }

    /// In a terminal, discards lines that were typed before the question, since they do not answer it. Lines
    /// that a script wrote stay.
    pub(crate) fn forget(&mut self) {
        if io::stdin().is_terminal()
            && let Some(entries) = &mut self.entries
        {
            while entries.try_recv().is_ok() {}
        }
    }
}

/// Starts the thread that reads stdin. Returns the channel of the lines.
fn listen() -> mpsc::Receiver<TerminalInput> {
    let (entries, received) = mpsc::channel(1);
    // The thread continues after an end of input: in a terminal, Ctrl-D ends only one answer.
    std::thread::spawn(move || {
        loop {
            // Stdin is free while the line waits for its reader.
            let entry = read(&mut io::stdin().lock());
            if entries.blocking_send(entry).is_err() {
                return;
            }
        }
    });
    received
}

fn read(input: &mut impl BufRead) -> TerminalInput {
    let mut line = Vec::new();
    match input.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => return TerminalInput::End,
        Ok(_) => {}
    }
    if line.pop_if(|last| *last == b'\n').is_none() && line.len() > MAX_LINE {
        return match input.skip_until(b'\n') {
            Ok(_) => TerminalInput::Unreadable("expected at most 65536 bytes on a line"),
            Err(_) => TerminalInput::End,
        };
    }
    // A script from Windows.
    line.pop_if(|last| *last == b'\r');
    String::from_utf8(line).map_or(TerminalInput::Unreadable("expected text in UTF-8"), TerminalInput::Line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines_up_to_a_limit_and_then_the_end() {
        let mut bytes = b"one\r\n\ntwo".to_vec();
        let mut input = &bytes[..];
        let line = |text: &str| TerminalInput::Line(text.to_owned());
        assert_eq!(
            [(); 5].map(|()| read(&mut input)),
            [line("one"), line(""), line("two"), TerminalInput::End, TerminalInput::End]
        );
        bytes = [vec![b'x'; MAX_LINE], b"\n".to_vec(), vec![b'x'; 3 * MAX_LINE], b"\n\xff\nlast\n".to_vec()]
            .concat();
        let mut input = &bytes[..];
        assert_eq!(read(&mut input), line(&"x".repeat(MAX_LINE)));
        assert_eq!(read(&mut input), TerminalInput::Unreadable("expected at most 65536 bytes on a line"));
        assert_eq!(read(&mut input), TerminalInput::Unreadable("expected text in UTF-8"));
        assert_eq!(read(&mut input), line("last"));
    }
}
