//! Where the answer to one POST of a session goes: into the response as it is, or behind what came before it.
//!
//! In: what the session has to say to the request. Out: for whoever holds the response, the answer, or the stream to
//! read it from. A response that nobody holds any more changes nothing: the stream is there to be taken up again.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// States: waiting, then one of [`First`] for good. A stream may break off later.
#[derive(Debug, Default)]
pub(super) struct Outlet {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    first: Option<First>,
    /// Whether the store failed, so that nothing more goes into the stream.
    is_broken: bool,
    waker: Option<Waker>,
}

/// How a response begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// With the answer, and that is all.
    Answer(Vec<u8>),
    /// With nothing: the request was cancelled.
    Nothing,
    /// With the stream of this number.
    Stream(u64),
    /// Not at all: the session has ended.
    Ended,
    /// Not at all: the store failed.
    Failed,
}

/// Where the next message to a request goes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Nothing has been said yet.
    New,
    /// Nowhere: the request has been answered, or nobody can be.
    Nowhere,
    /// Into this stream.
    Stream(u64),
}

impl Outlet {
    pub(super) fn target(&self) -> Target {
        let state = self.lock();
        match state.first {
            None => Target::New,
            Some(First::Stream(number)) if !state.is_broken => Target::Stream(number),
            Some(_) => Target::Nowhere,
        }
    }

    /// Takes note that the store failed. Returns the stream that has to end, if anything was said.
    pub(super) fn fail(&self) -> Option<u64> {
        let target = self.target();
        self.lock().is_broken = true;
        self.begin(First::Failed);
        if let Target::Stream(number) = target { Some(number) } else { None }
    }

    /// Says how the response begins, unless that is known already.
    pub(super) fn begin(&self, first: First) {
        let waker = {
            let mut state = self.lock();
            if state.first.is_none() {
                state.first = Some(first);
            }
            state.waker.take()
        };
        waker.into_iter().for_each(Waker::wake);
    }

    /// Waits until it is known how the response begins.
    pub(super) fn poll_first(&self, cx: &mut Context<'_>) -> Poll<First> {
        let mut state = self.lock();
        match &state.first {
            // Each outlet has one reader, which reads once.
            Some(First::Answer(_)) => {
                Poll::Ready(state.first.replace(First::Nothing).unwrap_or(First::Nothing))
            }
            Some(first) => Poll::Ready(first.clone()),
            None => {
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
