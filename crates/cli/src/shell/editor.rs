//! The line editor of `plainwire shell`, on a thread of its own, because reading a line blocks.
//!
//! In: prompts. Out: the lines that the user types. The history is a file that only the user can read; a line
//! that begins with a blank does not get into it, nor does the answer to a question.

use std::path::Path;
use std::sync::mpsc as requests;
use std::{fs, thread};

use rustyline::config::Configurer as _;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor, ExternalPrinter as _};
use tokio::sync::mpsc;

use super::complete::Names;
use crate::terminal::{EditedLines, Prompt, TerminalInput};
use crate::{above, paths};

/// The maximal number of lines in the history.
const MAX_HISTORY: usize = 1_000;

/// The maximal number of bytes of a line that is kept in the history.
const MAX_KEPT: usize = 4_096;

/// Starts the editor. It completes with `names`.
pub(super) fn start(names: Names) -> EditedLines {
    let (prompts, asked) = requests::channel();
    let (typed, lines) = mpsc::channel(1);
    thread::spawn(move || edit(names, &asked, &typed));
    EditedLines::new(prompts, lines)
}

fn edit(names: Names, asked: &requests::Receiver<Prompt>, typed: &mpsc::Sender<TerminalInput>) {
    let Ok(mut editor) = Editor::<Names, FileHistory>::with_config(config()) else { return };
    editor.set_helper(Some(names.clone()));
    let history = paths::data().map(|folder| folder.join("shell_history"));
    if let Some(file) = &history {
        let _ = editor.load_history(file);
    }
    if let Ok(mut printer) = editor.create_external_printer() {
        // If stderr is closed, there is nowhere to report it.
        above::start(move |text| drop(printer.print(text)));
    }
    while let Ok(prompt) = asked.recv() {
        let edited = above::edit();
        let (read, is_command) = match prompt {
            Prompt::Command(prompt) => (editor.readline(&prompt), true),
            Prompt::Answer(prompt) => (answer(&mut editor, &names, &prompt), false),
        };
        drop(edited);
        let input = match read {
            Ok(line) => {
                let is_new = is_command && is_kept(&line) && editor.add_history_entry(&line).unwrap_or(false);
                if let (true, Some(file)) = (is_new, &history) {
                    keep(&mut editor, file);
                }
                TerminalInput::Line(line)
            }
            Err(ReadlineError::Interrupted) => TerminalInput::Interrupted,
            Err(_) => TerminalInput::End,
        };
        if typed.blocking_send(input).is_err() {
            return;
        }
    }
}

/// Reads a line without completion, and with a history that is empty and stays so.
fn answer(editor: &mut Editor<Names, FileHistory>, names: &Names, prompt: &str) -> rustyline::Result<String> {
    let of_commands = std::mem::replace(editor.history_mut(), FileHistory::with_config(&config()));
    editor.set_helper(None);
    let read = editor.readline(prompt);
    editor.set_helper(Some(names.clone()));
    *editor.history_mut() = of_commands;
    read
}

fn config() -> Config {
    let mut config =
        Config::builder().completion_type(CompletionType::List).history_ignore_space(true).build();
    // The only error is that of a number that does not fit a file of the history.
    let _ = config.set_max_history_size(MAX_HISTORY);
    config
}

/// Returns whether the history keeps a line.
fn is_kept(line: &str) -> bool {
    line.len() <= MAX_KEPT
}

/// Writes the history to its file, which only the user can read. A history that can't be kept is no reason to
/// disturb the user.
fn keep(editor: &mut Editor<Names, FileHistory>, file: &Path) {
    if let Some(folder) = file.parent() {
        let _ = fs::create_dir_all(folder);
    }
    let _ = editor.append_history(file);
}

#[cfg(test)]
mod tests {
    use rustyline::history::History as _;

    use super::*;

    #[test]
    fn the_history_has_1000_lines_of_at_most_4096_bytes() {
        let mut history = FileHistory::with_config(&config());
        for number in 0..1_100 {
            assert!(history.add(&format!("call {number}")).expect("a line"));
        }
        assert_eq!(history.len(), 1_000);
        assert!(!history.add(" call secret").expect("a line"), "a line that begins with a blank");
        assert!(is_kept(&"x".repeat(4_096)) && !is_kept(&"x".repeat(4_097)));
    }
}
