//! [`OnCancel`], the choice of what happens to a tool's call that is cancelled.

/// The handling of a call that the client has cancelled. The server never answers such a call: neither with
/// its result, nor with the error that it sends for other calls that still run when the [drain
/// time](crate::Server::drain) has passed.
///
/// With every choice, [`crate::Context::is_cancelled`] returns `true`, and questions to the client end with
/// the error `call_over`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnCancel {
    /// The future of the call is dropped at its current `.await`. A running [step](crate::Context::step)
    /// first has 5 s to end.
    #[default]
    Drop,
    /// The call runs to its end, and its result is discarded. Until then it counts as a request in flight. If
    /// the connection ends, the server waits for the call for at most [`crate::Server::drain`]. For work that
    /// must not stop half-way.
    Finish,
    /// The call runs to its end, and its result is discarded. It no longer counts as in flight, nothing waits
    /// for it, and it is stopped with its server. For work that is also useful to other calls, such as
    /// filling a cache.
    ///
    /// At most 1,024 calls of a server are detached at a time (limit `detached`); further ones are treated
    /// like [`Self::Finish`].
    Detach,
}

impl OnCancel {
    /// Returns whether a cancelled call runs to its end.
    pub(crate) fn runs_on(self) -> bool {
        self != Self::Drop
    }
}
