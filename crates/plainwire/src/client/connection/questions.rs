//! Whoever thinks about a question of the server: one task each, so that the connection goes on meanwhile.
//!
//! Every task is owned here and ends with the connection. Its end is always reported: an answer, a panic, or that it
//! was stopped. How many there are is limited where the questions come from: [`MAX_QUESTIONS`] for each call, and for
//! all requests of a legacy server together.

use std::any::Any;
use std::collections::HashMap;
use std::task::{Context, Poll, ready};

use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::InputResponse;
use plainwire_proto::peer::CallKey;
use plainwire_proto::revision::Revision;
use tokio::task::{AbortHandle, Id, JoinSet};

use crate::client::Answer;

/// Questions that one result may ask, and handlers that think about requests of a legacy server at a time. 64: what one
/// person may be asked at once is far below it.
pub(super) const MAX_QUESTIONS: usize = 64;

/// Where an answer belongs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// To a request of a legacy server.
    Request { key: CallKey, revision: Revision },
    /// To the question number `index` of the round that the call `ticket` is in.
    Round { ticket: u64, index: usize },
}

/// How thinking ended.
pub(super) enum End {
    Answered(Result<InputResponse, Error>),
    /// Nobody wants the answer any more.
    Stopped,
}

/// Invariant: one place for each task.
#[derive(Default)]
pub(super) struct Questions {
    places: HashMap<Id, Place>,
    tasks: JoinSet<Result<InputResponse, Error>>,
}

impl Questions {
    /// Begins to think. Dropping the handle changes nothing; aborting it stops the thinking.
    pub(super) fn ask(&mut self, place: Place, answer: Answer) -> AbortHandle {
        let handle = self.tasks.spawn(answer);
        self.places.insert(handle.id(), place);
        handle
    }

    /// Ready for each task that has ended.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<(Place, End)> {
        loop {
            let (id, end) = match ready!(self.tasks.poll_join_next_with_id(cx)) {
                None => return Poll::Pending,
                Some(Ok((id, answer))) => (id, End::Answered(answer)),
                Some(Err(failed)) => {
                    let id = failed.id();
                    (
                        id,
                        failed
                            .try_into_panic()
                            .map_or(End::Stopped, |panic| End::Answered(panicked(&*panic))),
                    )
                }
            };
            if let Some(place) = self.places.remove(&id) {
                return Poll::Ready((place, end));
            }
        }
    }
}

/// The answer of a handler that panicked. What it said stays in the log: it may hold anything.
fn panicked(panic: &(dyn Any + Send)) -> Result<InputResponse, Error> {
    let said =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!("the handler of a question panicked: {}", said.unwrap_or("(no text)"));
    Err(Error::new(ErrorKind::Internal, "expected the handler of the question to answer, but it panicked"))
}
