//! What a server asks the person in front of the terminal.
//!
//! In: forms and pages, each a dialogue of its own, one after the other in the order in which they came. Out: what the
//! person did. Nothing is sent that they have not seen, and no page is opened.

mod form;
mod page;

use std::sync::{Arc, OnceLock};

use plainwire::model::{ElicitResult, Elicitation};
use plainwire::proto::form::Form;
use tokio::sync::Mutex;

use crate::terminal::{Entry, Terminal};
use crate::visible;

/// Whoever answers. Clones are the same person.
#[derive(Clone, Debug, Default)]
pub(crate) struct Person {
    server: Arc<OnceLock<String>>,
    /// Shared by all questions. Whoever has it asks; the others wait in line, for locks of this kind are fair.
    terminal: Arc<Mutex<Terminal>>,
}

/// How a person leaves a question without answering it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leave {
    Cancel,
    Decline,
}

/// Says that a question is over which nobody has answered.
struct Withdrawn {
    answered: bool,
}

impl Drop for Withdrawn {
    fn drop(&mut self) {
        if !self.answered {
            Terminal::default().say("\n(the server no longer waits for an answer)\n");
        }
    }
}

/// How often one thing is asked: whoever has not got it right by then is no person.
const MAX_TRIES: usize = 5;

/// Characters of a name that are shown.
const MAX_NAME: usize = 200;

impl Person {
    /// Says who it is that asks.
    pub(crate) fn meet(&self, server: &str) {
        let _ = self.server.set(server.to_owned());
    }

    /// Asks. The person is free again when the future is dropped.
    pub(crate) async fn answer(&self, question: Elicitation) -> ElicitResult {
        let mut terminal = self.terminal.lock().await;
        let mut withdrawn = Withdrawn { answered: false };
        terminal.forget();
        let done = self.ask(&question, &mut terminal).await;
        withdrawn.answered = true;
        match done {
            Ok(result) => result,
            Err(Leave::Cancel) => {
                terminal.say("(cancelled)\n");
                ElicitResult::cancel()
            }
            Err(Leave::Decline) => {
                terminal.say("(declined)\n");
                ElicitResult::decline()
            }
        }
    }

    async fn ask(&self, question: &Elicitation, terminal: &mut Terminal) -> Result<ElicitResult, Leave> {
        let server = match self.server.get().filter(|name| !name.is_empty()) {
            Some(name) => format!("the server \"{}\"", visible::short_line(name, MAX_NAME)),
            None => "the server".to_owned(),
        };
        match question {
            Elicitation::Form { message, schema } => {
                terminal.say(&format!("\n{server} asks:\n{}", visible::quoted(message)));
                let form = Form::parse(schema).map_err(|why| {
                    terminal.say(&format!("no form to fill in: {}\n", visible::line(&why)));
                    Leave::Cancel
                })?;
                form::fill(&form, terminal).await.map(ElicitResult::accept)
            }
            Elicitation::Url { message, url, .. } => {
                terminal.say(&format!("\n{server} asks you to open a page:\n{}", visible::quoted(message)));
                page::show(url, terminal);
                match confirm(terminal, "open it yourself and then say yes: [y/N] ").await? {
                    true => Ok(ElicitResult::agree()),
                    false => Err(Leave::Decline),
                }
            }
        }
    }
}

/// Asks until `read` can use what was typed; it says why it can't.
async fn until<T>(
    terminal: &mut Terminal,
    prompt: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<T, Leave> {
    for _ in 0..MAX_TRIES {
        let why = match terminal.ask(prompt).await {
            Entry::End => return Err(Leave::Cancel),
            Entry::Unreadable(why) => why.to_owned(),
            Entry::Line(text) => match text.trim() {
                "!cancel" => return Err(Leave::Cancel),
                "!decline" => return Err(Leave::Decline),
                text => match read(text) {
                    Ok(value) => return Ok(value),
                    Err(why) => why,
                },
            },
        };
        terminal.say(&format!("{}\n", visible::line(&why)));
    }
    Err(Leave::Cancel)
}

/// Asks for yes or no; an empty line is no.
async fn confirm(terminal: &mut Terminal, prompt: &str) -> Result<bool, Leave> {
    until(terminal, prompt, |text| match text.to_lowercase().as_str() {
        "y" | "yes" => Ok(true),
        "" | "n" | "no" => Ok(false),
        _ => Err(format!("expected yes or no, but found {text:?}")),
    })
    .await
}
