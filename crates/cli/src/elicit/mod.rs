//! Questions of a server to the user at the terminal (elicitation).
//!
//! In: forms and pages, one dialogue at a time, in the order in which they arrived. Out: the user's answers.
//! The user sees every answer before it is sent. No page is opened here: the user opens it.

mod form;
pub(crate) mod page;

use std::sync::{Arc, OnceLock};

use plainwire::model::{ElicitResult, Elicitation};
use plainwire::proto::form::Form;
use tokio::sync::Mutex;

use crate::progress::OpenQuestion;
use crate::terminal::{Terminal, TerminalInput};
use crate::visible;

/// The user who answers the questions of one server. Clones share the terminal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Person {
    server: Arc<OnceLock<String>>,
    /// The terminal, shared by all questions. A question holds the lock for its whole dialogue. Other
    /// questions wait in the order of their arrival, since the lock is fair.
    terminal: Arc<Mutex<Terminal>>,
}

/// The action by which the user ends a question without answering it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leave {
    Cancel,
    Decline,
}

/// A guard of an open question. If it is dropped before the user has answered, it prints that the server no
/// longer waits for an answer.
struct Withdrawn {
    answered: bool,
}

impl Drop for Withdrawn {
    fn drop(&mut self) {
        if !self.answered {
            Terminal::default().say("\n(the question is withdrawn)\n");
        }
    }
}

/// The maximal number of lines that are read for one prompt: a script that repeats a wrong line must not loop
/// for ever.
const MAX_TRIES: usize = 5;

/// The maximal number of characters of a name that are shown.
const MAX_NAME: usize = 200;

impl Person {
    /// Returns the user at a terminal that is also used for other input.
    pub(crate) fn at(terminal: Arc<Mutex<Terminal>>) -> Self {
        Self { server: Arc::default(), terminal }
    }

    /// Sets the name of the server, which later questions show. Only the first call has an effect.
    pub(crate) fn set_server(&self, server: &str) {
        let _ = self.server.set(server.to_owned());
    }

    /// Asks the user and returns the answer. If the future is dropped, the question is withdrawn and the
    /// terminal is free for the next one.
    pub(crate) async fn answer(&self, question: Elicitation) -> ElicitResult {
        let mut terminal = self.terminal.lock().await;
        let _open = OpenQuestion::new();
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
                    terminal.say(&format!("the form can't be shown: {}\n", visible::line(&why)));
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

/// Shows `prompt` until `read` accepts the line that the user enters. After a refused line it prints the
/// error of `read`. Cancels the question after [`MAX_TRIES`] refused lines, at the end of the input and on
/// `!cancel`; declines it on `!decline`.
async fn until<T>(
    terminal: &mut Terminal,
    prompt: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<T, Leave> {
    for _ in 0..MAX_TRIES {
        let why = match terminal.ask(prompt).await {
            TerminalInput::End | TerminalInput::Interrupted => return Err(Leave::Cancel),
            TerminalInput::Unreadable(why) => why.to_owned(),
            TerminalInput::Line(text) => match text.trim() {
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

/// Asks the user a yes-or-no question; an empty line means no.
async fn confirm(terminal: &mut Terminal, prompt: &str) -> Result<bool, Leave> {
    until(terminal, prompt, |text| match text.to_lowercase().as_str() {
        "y" | "yes" => Ok(true),
        "" | "n" | "no" => Ok(false),
        _ => Err(format!("expected yes or no, but found {text:?}")),
    })
    .await
}
