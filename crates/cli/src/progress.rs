//! Progress of a call on stderr, which never gets between a question of the server and the user's answer.
//!
//! In: progress notifications, and the beginning and end of each question. Out: a line for each notification;
//! while a question is open, only the newest is kept, and it is printed after the question.

use std::sync::{Mutex, PoisonError};

use plainwire::client::Progress;

use crate::output::to_stderr;
use crate::visible;

/// The state of the dialogue with the user, which progress must not disturb.
static DIALOGUE: Mutex<Dialogue> = Mutex::new(Dialogue { questions: 0, progress: None });

/// The questions of a server to the user, and the progress that waits for them.
struct Dialogue {
    /// The number of open questions.
    questions: usize,
    /// The newest progress that was reported while a question was open.
    progress: Option<String>,
}

/// A guard of an open question. While there is one, no progress is printed; the newest is printed after the
/// last guard is dropped.
#[derive(Debug)]
pub(crate) struct OpenQuestion(());

impl OpenQuestion {
    pub(crate) fn new() -> Self {
        DIALOGUE.lock().unwrap_or_else(PoisonError::into_inner).questions += 1;
        Self(())
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        let mut dialogue = DIALOGUE.lock().unwrap_or_else(PoisonError::into_inner);
        dialogue.questions -= 1;
        if dialogue.questions == 0 {
            dialogue.progress.take().iter().for_each(|line| to_stderr(line));
        }
    }
}

/// Prints a progress notification on stderr, on one line.
pub(crate) fn show(it: Progress) {
    let total = it.total.map(|total| format!("/{total}")).unwrap_or_default();
    let message = visible::line(&it.message.unwrap_or_default());
    let line = format!("{}{total} {message}\n", it.done);
    let mut dialogue = DIALOGUE.lock().unwrap_or_else(PoisonError::into_inner);
    if dialogue.questions > 0 {
        dialogue.progress = Some(line);
    } else {
        to_stderr(&line);
    }
}
