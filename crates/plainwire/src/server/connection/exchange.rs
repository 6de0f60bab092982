//! One request that describes itself and one stream for what it brings: a connection that lasts for an answer.
//!
//! In: a parsed message. Out: what there is to send, the answer last. Whoever owns the exchange polls it, so that no task
//! stands between a request and a call that ends at once. Dropped before the answer, it cancels the call.

use std::sync::Arc;
use std::task::{Context, Poll};

use plainwire_proto::envelope::{Malformed, Message};
use plainwire_proto::peer::{Transmit, TransmitKind};

use super::calls::Calls;
use crate::server::Built;
use crate::server::context::Principal;

/// A request of 2026-07-28 or later, and its answer.
pub(crate) struct Exchange {
    /// `None` after the answer.
    calls: Option<Calls>,
}

impl Exchange {
    /// Begins what `parsed`, which stands in `text`, asks for.
    pub(crate) fn begin(
        built: &Arc<Built>,
        principal: Option<Arc<Principal>>,
        text: &str,
        parsed: Result<Message, Malformed>,
    ) -> Self {
        let mut calls = Calls::new(Arc::clone(built), principal);
        calls.handle_parsed(text, parsed);
        Self { calls: Some(calls) }
    }

    /// Returns what comes next; `None` behind the answer, and if there is none to come.
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Transmit>> {
        loop {
            let Some(calls) = &mut self.calls else { return Poll::Ready(None) };
            if let Some(transmit) = calls.peer.poll_transmit() {
                match transmit.kind {
                    TransmitKind::Close(_) => continue,
                    TransmitKind::Message => {}
                    TransmitKind::Answer | TransmitKind::Error(_) => self.calls = None,
                }
                return Poll::Ready(Some(transmit));
            }
            if calls.peer.in_flight() == 0 && calls.peer.listens() == 0 {
                self.calls = None;
                return Poll::Ready(None);
            }
            let busy = calls.poll_signal(cx).is_ready()
                || calls.poll_change(cx).is_ready()
                || calls.poll_deadlines(cx);
            if !busy {
                return Poll::Pending;
            }
        }
    }

    /// Ends a subscription with its result, because the server is about to end. Returns whether it was one.
    pub(crate) fn end_listen(&mut self) -> bool {
        self.calls.as_mut().is_some_and(|calls| calls.peer.end_listens())
    }
}

impl Drop for Exchange {
    /// Nobody waits for the answer any more, which is how 2026-07-28 cancels over HTTP.
    fn drop(&mut self) {
        self.calls.take().into_iter().for_each(Calls::leave);
    }
}
