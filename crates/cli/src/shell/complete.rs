//! Completion in `plainwire shell`: its commands, and the names that the connected server lists.
//!
//! In: the line and the cursor. Out: candidates for the word at the cursor. A server that does not answer in time
//! gives none.

use std::time::Duration;

use plainwire::Client;
use rustyline::Context;
use rustyline::completion::{Completer, Pair};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::words::{COMMANDS, SETTINGS, command, with_verb};
use crate::args::Ask;
use crate::completion::{Line, Suggestion, fits, suggestions};
use crate::quote::quoted;

/// The maximal time for one completion.
const DEADLINE: Duration = Duration::from_secs(3);

/// The names that a line can be completed with.
#[derive(Clone, rustyline::Helper, rustyline::Highlighter, rustyline::Hinter, rustyline::Validator)]
pub(super) struct Names {
    ask: Ask,
    client: Client,
    runtime: Handle,
}

impl Names {
    pub(super) fn new(client: Client, runtime: Handle, ask: &Ask) -> Self {
        Self { ask: ask.clone(), client, runtime }
    }

    fn suggest(&self, line: &Line) -> Vec<Suggestion> {
        let typed = line.current().to_owned();
        let words: Vec<String> = line.words.iter().map(|word| word.text.clone()).collect();
        let own =
            |names: &[&str]| names.iter().map(|it| ((*it).to_owned(), String::new())).collect::<Vec<_>>();
        if line.index == 0 && typed.starts_with(':') {
            return own(&SETTINGS);
        }
        let line_of = |words: &[String]| command(words, &self.ask).ok();
        let asked = if line.index == 0 {
            line_of(&["call".to_owned(), typed.clone()]).map(|command| (command, 1))
        } else {
            let verbed = with_verb(&words);
            let index = line.index + verbed.len() - words.len();
            line_of(&verbed).map(|command| (command, index))
        };
        let found = asked.and_then(|(command, index)| {
            let found = suggestions(&self.client, &command, index, &typed);
            self.runtime.block_on(async { timeout(DEADLINE, found).await.ok().flatten() })
        });
        let mut found = found.unwrap_or_default();
        if line.index == 0 {
            found.extend(own(&COMMANDS));
        }
        found
    }
}

impl Completer for Names {
    type Candidate = Pair;

    fn complete(&self, text: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let cursor = text[..at].chars().count();
        let line = Line::split(text, cursor);
        let typed = line.current().to_owned();
        let found = self.suggest(&line).into_iter().filter(|(value, _)| fits(value, &typed));
        let candidates = found.map(|(value, _)| {
            let replacement =
                if value.ends_with(['=', ':', '/']) { value.clone() } else { format!("{} ", quoted(&value)) };
            Pair { display: value, replacement }
        });
        Ok((word_start(&text[..at]), candidates.collect()))
    }
}

/// Returns the position at which the last word of a line begins, with its quotes.
fn word_start(line: &str) -> usize {
    let (mut start, mut quote, mut is_escaped) = (0, None, false);
    for (at, c) in line.char_indices() {
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (None | Some('"'), '\\') => is_escaped = true,
            (Some(open), c) if open == c => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, c) if c.is_whitespace() => start = at + c.len_utf8(),
            _ => {}
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_begins_after_the_last_blank_that_is_not_quoted() {
        for (line, expected) in [
            ("", 0),
            ("add", 0),
            ("add ", 4),
            ("add a=1 b", 8),
            ("add 'a b", 4),
            ("add a\\ b", 4),
            ("é x", 3),
        ] {
            assert_eq!(word_start(line), expected, "{line}");
        }
    }
}
