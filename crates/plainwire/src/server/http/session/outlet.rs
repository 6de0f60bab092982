//! The route from the session to the response of one POST.
//!
//! In: the start of the response, from the session. Out: either the answer, which the response sends as plain
//! JSON, or the number of the stream that the response follows. It makes no difference whether a response
//! still waits: a client that has disconnected can continue the stream later.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::server::connection::calls::Held;

/// The route to the response of one POST. The response waits until [`Self::begin`] sets its start, which
/// happens once. After that, the start changes only when [`Self::poll_first`] takes an answer: it becomes
/// [`ResponseStart::Nothing`].
#[derive(Debug, Default)]
pub(super) struct Outlet {
    state: Mutex<OutletState>,
}

#[derive(Debug, Default)]
struct OutletState {
    /// The start of the response; `None` before [`Outlet::begin`].
    first: Option<ResponseStart>,
    /// The memory of the answers that go through this outlet, until the last holder drops it.
    held: Vec<Held>,
    /// Whether the store failed, so that no more messages go into the response.
    is_broken: bool,
    waker: Option<Waker>,
}

/// The start of a response to a POST, which also decides its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ResponseStart {
    /// An answer: it is the whole response.
    Answer(Vec<u8>),
    /// A response without an answer: the request was cancelled.
    Nothing,
    /// A stream: the response has the events of the stream with this number.
    Stream(u64),
    /// No start: the session has ended.
    Ended,
    /// No start: the store failed.
    Failed,
}

/// The destination of the next message for a request, within the response to its POST.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The response has not begun: the message decides whether it is JSON or a stream.
    New,
    /// No destination: the request was answered, or can't be answered any more.
    Nowhere,
    /// The stream with this number, with which the response has begun.
    Stream(u64),
}

impl Outlet {
    /// Keeps `claim` as long as this outlet exists: until the response has its start, and the pump has written
    /// what it owes to this outlet.
    pub(super) fn hold(&self, claim: Held) {
        self.lock().held.push(claim);
    }

    pub(super) fn target(&self) -> Target {
        let state = self.lock();
        match state.first {
            None => Target::New,
            Some(ResponseStart::Stream(number)) if !state.is_broken => Target::Stream(number),
            Some(_) => Target::Nowhere,
        }
    }

    /// Records that the store failed. Returns the stream that has to end, if the response began with one.
    pub(super) fn fail(&self) -> Option<u64> {
        let target = self.target();
        self.lock().is_broken = true;
        self.begin(ResponseStart::Failed);
        if let Target::Stream(number) = target { Some(number) } else { None }
    }

    /// Sets the start of the response, unless it is set already.
    pub(super) fn begin(&self, first: ResponseStart) {
        let waker = {
            let mut state = self.lock();
            if state.first.is_none() {
                state.first = Some(first);
            }
            state.waker.take()
        };
        waker.into_iter().for_each(Waker::wake);
    }

    /// Waits for the start of the response. An answer is returned once; later calls return
    /// [`ResponseStart::Nothing`].
    pub(super) fn poll_first(&self, cx: &mut Context<'_>) -> Poll<ResponseStart> {
        let mut state = self.lock();
        match &state.first {
            // Each outlet has one reader, which reads once, so the answer is moved and not copied.
            Some(ResponseStart::Answer(_)) => {
                Poll::Ready(state.first.replace(ResponseStart::Nothing).unwrap_or(ResponseStart::Nothing))
            }
            Some(first) => Poll::Ready(first.clone()),
            None => {
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, OutletState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
