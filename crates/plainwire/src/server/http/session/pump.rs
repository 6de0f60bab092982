//! The task of a session in which something goes on: it writes what calls have to say into the streams.
//!
//! It begins with the first call that does not end at once, or with a stream that is listened to, and ends when nothing
//! is left to do. One at a time per session, so that events are written in the order in which they happened.
//!
//! A store that fails ends the response that waits for it: with 500 if nothing was said, or else with the end of its stream.
//! The call goes on, as it does when its client has gone.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use plainwire_proto::peer::TransmitKind;
use plainwire_proto::revision::Feature;
use tokio::time::Instant;

use super::outlet::Target;
use super::{Core, Due, Event, First, Kind, Outlet, Session, What};
use crate::runtime;
use crate::server::store::StoreError;

/// Signals of calls that are taken before what they brought is written.
const TURN: usize = 64;

/// How long what belongs to no request is written for a client that has stopped to read it. 60 s: those that come back do so
/// sooner, and for others a session would never rest.
const LINGER: Duration = Duration::from_secs(60);

pub(super) async fn run(session: Arc<Session>) {
    while let Some(due) = poll_fn(|cx| session.poll_due(cx)).await {
        for Due { outlet, what } in due {
            let outlet = outlet.as_deref();
            if let Err(error) = session.carry_out(outlet, what).await {
                tracing::error!("a message of a session is lost: {}", error.in_full());
                session.give_up(outlet).await;
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

    async fn carry_out(&self, outlet: Option<&Outlet>, what: What) -> Result<(), StoreError> {
        match (outlet, what) {
            (Some(outlet), What::Transmit(TransmitKind::Answer | TransmitKind::Error(_), bytes)) => {
                match outlet.target() {
                    Target::New => outlet.begin(First::Answer(bytes)),
                    Target::Nowhere => tracing::debug!("an answer has nowhere to go"),
                    Target::Stream(stream) => self.write_last(stream, &Event::Message(&bytes)).await?,
                }
                Ok(())
            }
            (Some(outlet), What::Transmit(kind, bytes)) => {
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
            (Some(outlet), What::Cancelled) => match outlet.target() {
                Target::New => {
                    outlet.begin(First::Nothing);
                    Ok(())
                }
                Target::Nowhere => Ok(()),
                Target::Stream(stream) => self.store.close(&self.id, stream).await,
            },
            (None, What::Transmit(TransmitKind::Message, bytes)) => self.tell(&bytes).await,
            (_, What::Unread(stream)) => {
                let closed = self.store.close(&self.id, stream).await;
                closed.inspect_err(|_| self.readers.cut(stream))
            }
            (None, _) => Ok(()),
        }
    }

    async fn write(&self, stream: u64, event: &Event<'_>) -> Result<(), StoreError> {
        self.store.append(&self.id, stream, &event.to_bytes()).await.map(drop)
    }

    /// Writes the answer, and ends its stream. It is tried twice, since an answer that stands there twice does no harm.
    async fn write_last(&self, stream: u64, event: &Event<'_>) -> Result<(), StoreError> {
        if let Err(error) = self.write(stream, event).await {
            tracing::warn!("an answer is written once more: {}", error.in_full());
            self.write(stream, event).await?;
        }
        self.store.close(&self.id, stream).await
    }

    /// Begins the stream of a request with its first event.
    async fn begin_stream(&self, outlet: &Outlet, event: &Event<'_>) -> Result<(), StoreError> {
        let stream = Kind::OfRequest.new_number();
        let is_primed = self.revision().is_some_and(|revision| revision.has(Feature::PrimedStreams));
        let begun = async {
            if is_primed {
                self.write(stream, &Event::Priming).await?;
            }
            self.write(stream, event).await
        };
        match begun.await {
            Ok(()) => outlet.begin(First::Stream(stream)),
            Err(error) => {
                // Nobody will hear of it, so that it must not count among the open ones.
                let _ = self.store.close(&self.id, stream).await;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Ends the response that waits at `outlet`, since the store has failed.
    async fn give_up(&self, outlet: Option<&Outlet>) {
        let Some(stream) = outlet.and_then(Outlet::fail) else { return };
        if self.store.close(&self.id, stream).await.is_err() {
            self.readers.cut(stream);
        }
    }

    /// Sends what belongs to no request, if the client listens at all.
    async fn tell(&self, bytes: &[u8]) -> Result<(), StoreError> {
        loop {
            let Some(stream) = self.standalone() else {
                tracing::debug!("a message has nowhere to go: the client has no stream open");
                return Ok(());
            };
            let written = self.write(stream, &Event::Message(bytes)).await;
            // A stream that another one has replaced meanwhile is closed.
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
    /// Ends the stream for what belongs to no request once nobody has read it for too long. Whoever comes back later sees
    /// its end, and begins another one.
    fn poll_unread(&mut self, cx: &mut Context<'_>) {
        let since = self.standalone.as_ref().and_then(|it| it.unread_since);
        let at = since.map(|since| since + LINGER);
        if runtime::poll_until(&mut self.linger, at, cx) {
            self.linger = None;
            let gone = self.standalone.take().map(|it| What::Unread(it.number));
            self.due.extend(gone.map(|what| Due { outlet: None, what }));
        }
    }
}

/// A stream for what belongs to no request.
pub(super) struct Standalone {
    pub(super) number: u64,
    /// `None` while somebody reads it here.
    pub(super) unread_since: Option<Instant>,
}
