//! An exchange: one self-contained request of the modern era and the stream of its messages.
//!
//! In: a parsed message. Out: the messages to send, the answer last. The owner of the exchange polls it, so
//! that a call that ends at once needs no task. Dropping the exchange before the answer cancels the call.
//! HTTP is not handled here.

use std::sync::Arc;
use std::task::{Context, Poll};

use plainwire_proto::envelope::{Malformed, Message};
use plainwire_proto::peer::{Transmit, TransmitKind};

use super::calls::{Attached, Calls};
use crate::server::built::Built;
use crate::server::principal::Principal;

/// A request of 2026-07-28 or later, and its answer.
pub(crate) struct Exchange {
    /// The peer and the call of this one request; `None` after the answer.
    calls: Option<Calls>,
}

impl Exchange {
    /// Starts the request `parsed`, whose spans point into `text`. Its call gets `attached`.
    pub(crate) fn begin(
        built: &Arc<Built>,
        principal: Option<Arc<Principal>>,
        attached: Attached,
        text: &str,
        parsed: Result<Message, Malformed>,
    ) -> Self {
        let mut calls = Calls::new(Arc::clone(built), principal);
        calls.attaching(attached, |calls| calls.handle_parsed(text, parsed));
        Self { calls: Some(calls) }
    }

    /// Returns the next message to send; `None` after the answer, or if there will be no answer.
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

    /// If the request is a listen (a subscription request that stays open), answers it with its result,
    /// because the server is about to end. Returns whether the request was an open listen.
    pub(crate) fn end_listen(&mut self) -> bool {
        self.calls.as_mut().is_some_and(|calls| calls.peer.end_listens())
    }
}

impl Drop for Exchange {
    /// Cancels the call as its [`OnCancel`](crate::server::context::OnCancel) says, unless it was answered:
    /// over HTTP, a client of 2026-07-28 cancels a request by closing its stream.
    fn drop(&mut self) {
        self.calls.take().into_iter().for_each(Calls::leave);
    }
}
