//! The task of a session in which something goes on: it writes what calls have to say into the streams.
//!
//! It begins with the first call that does not end at once, or with a stream that is listened to, and ends when nothing
//! is left to do. One at a time per session, so that events are written in the order in which they happened.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use plainwire_proto::peer::TransmitKind;
use plainwire_proto::revision::Feature;

use super::{Due, Event, First, Outlet, Session, What};
use crate::random;
use crate::store::StoreError;

/// Signals of calls that are taken before what they brought is written.
const TURN: usize = 64;

pub(super) async fn run(session: Arc<Session>) {
    while let Some(due) = poll_fn(|cx| session.poll_due(cx)).await {
        for Due { outlet, what } in due {
            if let Err(error) = session.carry_out(outlet.as_deref(), what).await {
                tracing::warn!("a message of a session is lost: {error}");
                outlet.inspect(|outlet| outlet.begin(First::Ended));
            }
        }
    }
}

impl Session {
    /// Returns what has to be sent next; `None` when the session is at rest, or has ended.
    fn poll_due(&self, cx: &mut Context<'_>) -> Poll<Option<VecDeque<Due>>> {
        let mut guard = self.lock();
        let Some(core) = guard.as_mut() else { return Poll::Ready(None) };
        for _ in 0..TURN {
            let any = core.calls.poll_signal(cx).is_ready() | core.calls.poll_change(cx).is_ready();
            if !any {
                break;
            }
        }
        core.calls.poll_deadlines(cx);
        core.gather();
        if !core.due.is_empty() {
            return Poll::Ready(Some(std::mem::take(&mut core.due)));
        }
        if core.is_at_rest() {
            core.is_pumped = false;
            return Poll::Ready(None);
        }
        core.pump = Some(cx.waker().clone());
        Poll::Pending
    }

    async fn carry_out(&self, outlet: Option<&Outlet>, what: What) -> Result<(), StoreError> {
        match (outlet, what) {
            (Some(outlet), What::Transmit(TransmitKind::Answer | TransmitKind::Error(_), bytes)) => {
                let Some(stream) = outlet.stream() else {
                    outlet.begin(First::Answer(bytes));
                    return Ok(());
                };
                self.store.append(&self.id, stream, &Event::Message(&bytes).to_bytes()).await?;
                self.store.close(&self.id, stream).await
            }
            (Some(outlet), What::Transmit(kind, bytes)) => {
                let event = match kind {
                    TransmitKind::Close(retry) => Event::Leave(retry),
                    _ => Event::Message(&bytes),
                };
                let stream = self.stream_of(outlet).await?;
                self.store.append(&self.id, stream, &event.to_bytes()).await?;
                outlet.begin(First::Stream(stream));
                Ok(())
            }
            (Some(outlet), What::Cancelled) => match outlet.stream() {
                Some(stream) => self.store.close(&self.id, stream).await,
                None => {
                    outlet.begin(First::Nothing);
                    Ok(())
                }
            },
            (None, What::Transmit(TransmitKind::Message, bytes)) => self.tell(&bytes).await,
            (None, _) => Ok(()),
        }
    }

    /// Returns the stream of a request, and begins it if there is none.
    async fn stream_of(&self, outlet: &Outlet) -> Result<u64, StoreError> {
        if let Some(stream) = outlet.stream() {
            return Ok(stream);
        }
        let stream = u64::from_ne_bytes(random::bytes());
        if self.revision().is_some_and(|revision| revision.has(Feature::PrimedStreams)) {
            self.store.append(&self.id, stream, &Event::Priming.to_bytes()).await?;
        }
        Ok(stream)
    }

    /// Sends what belongs to no request, if the client listens at all.
    async fn tell(&self, bytes: &[u8]) -> Result<(), StoreError> {
        let standalone = self.lock().as_ref().and_then(|core| core.standalone);
        match standalone {
            Some(stream) => {
                self.store.append(&self.id, stream, &Event::Message(bytes).to_bytes()).await.map(|_| ())
            }
            None => {
                tracing::debug!("a message has nowhere to go: the client has no stream open");
                Ok(())
            }
        }
    }
}
