//! What becomes of a tool's call that is cancelled.

/// What becomes of a call that the client has cancelled. It is never answered, whichever it is.
///
/// In any case [`crate::Context::is_cancelled`] says so, and questions to the client end with the error `call_over`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnCancel {
    /// The future is dropped at its current `.await`; a [step](crate::Context::step) that runs has 5 s to end.
    #[default]
    Drop,
    /// The call runs to its end, and what it gives is discarded. Until then it keeps its place among the requests in
    /// flight, and a connection that ends waits for it, for at most [`crate::Server::drain`]. For work that must not
    /// stop half-way.
    Finish,
    /// The call runs to its end, and what it gives is discarded. Nothing waits for it: its place is free at once, and
    /// it is stopped with its server. For work that is of use to others too, such as filling a cache.
    ///
    /// At most 1,024 calls of a server run on like this (limit `detached`); one more is as [`Self::Finish`].
    Detach,
}

impl OnCancel {
    /// Whether the call is polled on after it was cancelled.
    pub(crate) fn runs_on(self) -> bool {
        self != Self::Drop
    }
}
