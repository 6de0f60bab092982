//! The pump of a session: the task that writes messages of calls into the streams of the store.
//!
//! It starts with the first call that does not end at once, or when the client opens a stream, and ends when
//! no work is left. A session has at most one pump, so that events are written in the order in which they
//! happened.
//!
//! If the store fails, the response that waits for the message ends: with 500 if nothing was sent yet,
//! otherwise with the end of its stream. The call continues, as it does when its client disconnects.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use plainwire_proto::peer::TransmitKind;
use plainwire_proto::revision::Feature;
use tokio::time::Instant;

use super::outlet::Target;
use super::{Action, Core, Due, Event, Outlet, ResponseStart, Session, StreamKind};
use crate::runtime;
use crate::server::store::StoreError;

#[cfg(test)]
mod tests;

/// The largest number of signals of calls, and of changes of lists and resources, that are taken before the
/// messages that they cause are written.
const TURN: usize = 64;

/// Time for which messages that belong to no request are still written after the client has stopped reading.
/// 60 s: clients that come back do so sooner, and without this limit the session of a client that is gone
/// would stay in memory.
const LINGER: Duration = Duration::from_secs(60);

/// Carries out the actions of a session until it is at rest or has ended.
pub(super) async fn run(session: Arc<Session>) {
    while let Some(due) = poll_fn(|cx| session.poll_due(cx)).await {
        for Due { outlet, action } in due {
            let outlet = outlet.as_deref();
            if let Err(error) = session.carry_out(outlet, action).await {
                tracing::error!("a message of a session is lost: {}", error.in_full());
                session.give_up(outlet).await;
            }
        }
    }
}

impl Session {
    /// Returns the next actions; `None` when the session is at rest, or has ended.
    fn poll_due(&self, cx: &mut Context<'_>) -> Poll<Option<VecDeque<Due>>> {
        let mut guard = self.lock();
        let Some(core) = guard.as_mut() else { return Poll::Ready(None) };
        let mut taken = 0;
        while core.calls.poll_signal(cx).is_ready() | core.calls.poll_change(cx).is_ready() {
            taken += 1;
            if taken == TURN {
                // More may wait, and whoever sent it has woken this task already.
                cx.waker().wake_by_ref();
                break;
            }
        }
        // Each deadline that has passed removes the timer, and the next poll sets it for the next deadline.
        while core.calls.poll_deadlines(cx) {}
        core.gather();
        core.poll_unread(cx);
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

    async fn carry_out(&self, outlet: Option<&Outlet>, action: Action) -> Result<(), StoreError> {
        match (outlet, action) {
            (Some(outlet), Action::Transmit(TransmitKind::Answer | TransmitKind::Error(_), bytes)) => {
                match outlet.target() {
                    Target::New => outlet.begin(ResponseStart::Answer(bytes)),
                    Target::Nowhere => tracing::debug!("an answer is dropped: its response is over"),
                    Target::Stream(stream) => self.write_last(stream, &Event::Message(&bytes)).await?,
                }
                Ok(())
            }
            (Some(outlet), Action::Transmit(kind, bytes)) => {
                let event = match kind {
                    TransmitKind::Close(retry) => Event::Leave(retry),
                    _ => Event::Message(&bytes),
                };
                match outlet.target() {
                    Target::New => self.begin_stream(outlet, &event).await,
                    Target::Nowhere => Ok(()),
                    Target::Stream(stream) => self.write(stream, &event).await,
                }
            }
            (Some(outlet), Action::Cancelled) => match outlet.target() {
                Target::New => {
                    outlet.begin(ResponseStart::Nothing);
                    Ok(())
                }
                Target::Nowhere => Ok(()),
                Target::Stream(stream) => self.store.close(&self.id, stream).await,
            },
            (None, Action::Transmit(TransmitKind::Message, bytes)) => self.tell(&bytes).await,
            (_, Action::Unread(stream)) => {
                let closed = self.store.close(&self.id, stream).await;
                closed.inspect_err(|_| self.readers.cut(stream))
            }
            (None, _) => Ok(()),
        }
    }

    async fn write(&self, stream: u64, event: &Event<'_>) -> Result<(), StoreError> {
        self.store.append(&self.id, stream, &event.to_bytes()).await.map(drop)
    }

    /// Writes the answer to its stream, and closes the stream. A write that fails is tried once more: if the
    /// answer is stored twice, that does no harm.
    async fn write_last(&self, stream: u64, event: &Event<'_>) -> Result<(), StoreError> {
        if let Err(error) = self.write(stream, event).await {
            tracing::warn!("an answer can't be written, trying once more: {}", error.in_full());
            self.write(stream, event).await?;
        }
        self.store.close(&self.id, stream).await
    }

    /// Begins the stream of a response, and writes `event` to it. If the revision has priming events (events
    /// without data, whose id lets the client resume the stream), a priming event comes before `event`.
    async fn begin_stream(&self, outlet: &Outlet, event: &Event<'_>) -> Result<(), StoreError> {
        let stream = StreamKind::OfRequest.new_number();
        let is_primed = self.revision().is_some_and(|revision| revision.has(Feature::PrimedStreams));
        let begun = async {
            if is_primed {
                self.write(stream, &Event::Priming).await?;
            }
            self.write(stream, event).await
        };
        match begun.await {
            Ok(()) => outlet.begin(ResponseStart::Stream(stream)),
            Err(error) => {
                // No client will read this stream, so it must not count among the open ones.
                let _ = self.store.close(&self.id, stream).await;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Ends the response of `outlet`, since the store has failed. Without an outlet, the message belongs to
    /// no request, and this does nothing.
    async fn give_up(&self, outlet: Option<&Outlet>) {
        let Some(stream) = outlet.and_then(Outlet::fail) else { return };
        if self.store.close(&self.id, stream).await.is_err() {
            self.readers.cut(stream);
        }
    }

    /// Writes a message to the standalone stream, because the message belongs to no request. Drops it if the
    /// client has not opened that stream.
    async fn tell(&self, bytes: &[u8]) -> Result<(), StoreError> {
        loop {
            let Some(stream) = self.standalone() else {
                tracing::debug!("a message is dropped: the client has no stream open");
                return Ok(());
            };
            let written = self.write(stream, &Event::Message(bytes)).await;
            // If another stream has replaced this one meanwhile, the write failed because this one is closed:
            // try the other one.
            if written.is_ok() || self.standalone() == Some(stream) {
                return written;
            }
        }
    }

    fn standalone(&self) -> Option<u64> {
        Some(self.lock().as_ref()?.standalone.as_ref()?.number)
    }
}

impl Core {
    /// Ends the standalone stream once it was unread for too long. A client that comes back later sees that
    /// the stream has ended, and opens another one.
    fn poll_unread(&mut self, cx: &mut Context<'_>) {
        let since = self.standalone.as_ref().and_then(|it| it.unread_since);
        let at = since.map(|since| since + LINGER);
        if runtime::poll_until(&mut self.linger, at, cx) {
            self.linger = None;
            let gone = self.standalone.take().map(|it| Action::Unread(it.number));
            self.due.extend(gone.map(|action| Due { outlet: None, action }));
        }
    }
}

/// The standalone stream: messages that belong to no request.
pub(super) struct Standalone {
    /// The number of the stream, by which the store knows it.
    pub(super) number: u64,
    /// The time since which no client reads the stream at this replica; `None` while one does.
    pub(super) unread_since: Option<Instant>,
}
