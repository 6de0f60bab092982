//! The tasks that run the handlers for questions of the server: one for each question, so that the connection
//! continues meanwhile.
//!
//! All tasks are owned here and end with the connection. The end of each is reported: an answer, a panic, or
//! that it was stopped. The callers limit the number of tasks: [`MAX_QUESTIONS`] for each call, and for all
//! requests of a legacy server together.

use std::any::Any;
use std::collections::HashMap;
use std::task::{Context, Poll, ready};

use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::InputResponse;
use plainwire_proto::peer::CallKey;
use plainwire_proto::revision::Revision;
use tokio::task::{AbortHandle, Id};

use crate::client::Answer;
use crate::runtime::TaskSet;

/// The most questions that one result may ask, and the most handlers that run for requests of a legacy
/// server. 64: far more than one user can be asked at once.
pub(super) const MAX_QUESTIONS: usize = 64;

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
#[derive(Default)]
pub(super) struct Questions {
    sources: HashMap<Id, QuestionSource>,
    tasks: TaskSet<Result<InputResponse, Error>>,
}

impl Questions {
    /// Starts a handler. Dropping the returned handle changes nothing; aborting it stops the handler.
    pub(super) fn ask(&mut self, source: QuestionSource, answer: Answer) -> AbortHandle {
        let handle = self.tasks.spawn(answer);
        self.sources.insert(handle.id(), source);
        handle
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

/// Returns the answer of a handler that panicked. The text of the panic goes to the log and not to the
/// server: it may contain anything.
fn panicked(panic: &(dyn Any + Send)) -> Result<InputResponse, Error> {
    let said =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!("the handler of a question panicked: {}", said.unwrap_or("(no text)"));
    Err(Error::new(ErrorKind::Internal, "expected the handler of the question to answer, but it panicked"))
}
