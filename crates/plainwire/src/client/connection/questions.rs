//! The tasks that run the handlers for questions of the server: one for each question, so that the connection
//! continues meanwhile.
//!
//! All tasks are owned here and end with the connection. The end of each is reported: an answer, a panic, or
//! that it was stopped. The callers limit the number of tasks: [`MAX_QUESTIONS`] for each call, and for all
//! requests of a legacy server together.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::{InputRequest, InputResponse, SamplingContent};
use plainwire_proto::peer::CallKey;
use plainwire_proto::revision::Revision;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, Id};

use crate::client::Answer;
use crate::runtime::TaskSet;

/// The most questions that one result may ask, and the most handlers that run for requests of a legacy
/// server. 64: far more than one user can be asked at once.
pub(super) const MAX_QUESTIONS: usize = 64;

/// The most bytes of all questions that wait for an answer, and of the states of modern calls. 32 MiB: twice the
/// largest message.
const MAX_QUESTION_BYTES: usize = 32 << 20;

/// The number of bytes that each message, content block, tool, stop sequence and hint adds to the size of a question
/// to a model, beside its text: about as much memory as it takes.
const PART_BYTES: usize = 256;

/// The permit to keep a question or a state. The permit lasts until it is dropped.
pub(super) type Held = OwnedSemaphorePermit;

/// The source of a question of the server, to which the answer goes back.
#[derive(Clone, Copy, Debug)]
pub(super) enum QuestionSource {
    /// The question is a request of a legacy server, which waits for the answer.
    Request { key: CallKey, revision: Revision },
    /// The question number `index`, from 0, in the newest answer of a modern server to a call. `ticket` is
    /// the client's number of that call.
    Round { ticket: u64, index: usize },
}

/// The outcome of a question handler.
pub(super) enum QuestionOutcome {
    Answered(Result<InputResponse, Error>),
    /// The question was cancelled, so the handler was stopped.
    Stopped,
}

/// The running question handlers.
///
/// Invariant: `sources` has one entry for each task, by the id of the task.
pub(super) struct Questions {
    /// One permit for each byte that further questions may have.
    room: Arc<Semaphore>,
    sources: HashMap<Id, QuestionSource>,
    tasks: TaskSet<Result<InputResponse, Error>>,
}

impl Default for Questions {
    fn default() -> Self {
        let room = Arc::new(Semaphore::new(MAX_QUESTION_BYTES));
        Self { room, sources: HashMap::new(), tasks: TaskSet::default() }
    }
}

impl Questions {
    /// Starts a handler. Dropping the returned handle changes nothing; aborting it stops the handler.
    pub(super) fn ask(&mut self, source: QuestionSource, answer: Answer) -> AbortHandle {
        let handle = self.tasks.spawn(answer);
        self.sources.insert(handle.id(), source);
        handle
    }

    /// Returns the permit to keep a question, or a result with questions, of the size `bytes`.
    ///
    /// # Errors
    /// `Overloaded` if the questions that wait leave too little room.
    pub(super) fn hold(&self, bytes: usize) -> Result<Held, Error> {
        let held =
            u32::try_from(bytes).ok().map(|bytes| Arc::clone(&self.room).try_acquire_many_owned(bytes));
        held.and_then(Result::ok).ok_or_else(|| {
            let text = format!(
                "expected the questions that wait to have at most {MAX_QUESTION_BYTES} bytes together (limit `MAX_QUESTION_BYTES`), but found more"
            );
            Error::new(ErrorKind::Overloaded, text)
        })
    }

    /// Returns the source and the outcome of the next handler that has ended. Pending while none has ended.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<(QuestionSource, QuestionOutcome)> {
        loop {
            let (id, outcome) = match ready!(self.tasks.poll_next(cx)) {
                None => return Poll::Pending,
                Some(Ok((id, answer))) => (id, QuestionOutcome::Answered(answer)),
                Some(Err(failed)) => {
                    let id = failed.id();
                    (
                        id,
                        failed.try_into_panic().map_or(QuestionOutcome::Stopped, |panic| {
                            QuestionOutcome::Answered(panicked(&*panic))
                        }),
                    )
                }
            };
            if let Some(source) = self.sources.remove(&id) {
                return Poll::Ready((source, outcome));
            }
        }
    }
}

/// Returns the number of bytes that the parts of a question add to its size, beside its text.
pub(super) fn bytes_of_parts(question: &InputRequest) -> usize {
    let InputRequest::Sample(it) = question else { return 0 };
    let blocks: usize = it.messages.iter().flat_map(|message| &message.content).map(blocks).sum();
    let hints = it.model_preferences.as_ref().map_or(0, |preferences| preferences.hints.len());
    PART_BYTES * (it.messages.len() + blocks + hints + it.stop_sequences.len() + it.tools.len())
}

/// Returns the number of blocks in a block, itself included.
fn blocks(block: &SamplingContent) -> usize {
    if let SamplingContent::ToolResult(result) = block { 1 + result.content.len() } else { 1 }
}

/// Returns the answer of a handler that panicked. The text of the panic goes to the log and not to the
/// server: it may contain anything.
fn panicked(panic: &(dyn Any + Send)) -> Result<InputResponse, Error> {
    let said =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!("the handler of a question panicked: {}", said.unwrap_or("(no text)"));
    Err(Error::new(ErrorKind::Internal, "expected the handler of the question to answer, but it panicked"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_held_up_to_their_limit() {
        let questions = Questions::default();
        let first = questions.hold((32 << 20) - 1).expect("room");
        let second = questions.hold(1).expect("room");
        assert!(questions.hold(1).is_err());
        drop((first, second));
        assert!(questions.hold((32 << 20) + 1).is_err() && questions.hold(usize::MAX).is_err());
        drop(questions.hold(32 << 20).expect("room"));
    }
}
