//! A session on one stream (HTTP+SSE): messages arrive one at a time, and one reader takes everything that is
//! sent.
//!
//! In: messages from POSTs. Out: the messages for the client, to the [`Reader`]. The reader pulls: messages
//! that it does not take wait in a queue or with their calls, and new requests wait while too much is unread.
//! There is no log of sent messages: without its reader the session ends, and its calls are cancelled.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use plainwire_proto::envelope::Message;
use plainwire_proto::peer::{Transmit, TransmitKind};
use plainwire_proto::revision::Revision;
use tokio::sync::Semaphore;

use crate::runtime;
use crate::server::built::Built;
use crate::server::connection::calls::{Attached, Calls, FirstStep, Start};
use crate::server::http::session::Posted;
use crate::server::principal::Principal;
use crate::stream::BACKLOG;

/// The largest number of steps in one poll of the reader. A change of a list or resource that this client
/// does not watch is a step without a message; without this limit, a run of such changes would block other
/// tasks.
const TURN: usize = 64;

/// A session that lives as long as its [`Reader`].
pub(crate) struct OneStream {
    /// The state of the session; `None` once the session has ended.
    core: Mutex<Option<Core>>,
    /// The turn: a semaphore that lets requests in one after the other, in the order in which they came.
    /// Requests need no queue here, since each one waits in its own POST.
    turn: Semaphore,
}

/// The error for a POST to a session that has ended.
#[derive(Debug)]
pub(crate) struct Ended;

/// The state of a session. Its lock is held for moments only, never across an `.await`.
struct Core {
    calls: Calls,
    /// The waker of the [`Reader`], if the reader has read everything and waits.
    reader: Option<Waker>,
    /// The waker of the POST that has the turn ([`OneStream::turn`]), if it waits for the reader to make
    /// room.
    sender: Option<Waker>,
    /// Messages that the reader has not taken. Invariant: `unread_bytes` is the sum of their lengths.
    unread: VecDeque<Transmit>,
    unread_bytes: usize,
}

impl OneStream {
    /// Begins a session that has not been initialized yet, and returns it with its reader.
    pub(crate) fn open(built: &Arc<Built>, principal: Option<Arc<Principal>>) -> (Arc<Self>, Reader) {
        let core = Core {
            calls: Calls::new(Arc::clone(built), principal),
            reader: None,
            sender: None,
            unread: VecDeque::new(),
            unread_bytes: 0,
        };
        let session = Arc::new(Self { core: Mutex::new(Some(core)), turn: Semaphore::new(1) });
        let reader = Reader(Arc::clone(&session));
        (session, reader)
    }

    /// Returns the negotiated revision; `None` before `initialize` was answered, and after the session has
    /// ended.
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.lock().as_ref()?.calls.peer.revision()
    }

    /// Processes a message or batch of the client. A request waits until there is room for its answer. The
    /// calls that begin keep `attached.held`, such as a slot, until they end. Cancel safe: if the future is dropped
    /// while it waits, the message has had no effect.
    ///
    /// # Errors
    /// [`Ended`] if the session has ended.
    pub(crate) async fn post(&self, posted: Posted<'_>, attached: Attached) -> Result<(), Ended> {
        // Notifications, such as cancellations, and answers of the client free room instead of taking it, so
        // they pass even if the client does not read.
        let waits = brings_an_answer(&posted);
        let turn = if waits { self.turn.acquire().await.ok() } else { None };
        let mut posted = Some((posted, attached));
        let starts = poll_fn(|cx| {
            let mut guard = self.lock();
            let Some(core) = guard.as_mut() else { return Poll::Ready(Err(Ended)) };
            if waits && core.is_held_up() {
                core.sender = Some(cx.waker().clone());
                return Poll::Pending;
            }
            Poll::Ready(Ok(posted
                .take()
                .map_or_else(Vec::new, |(posted, attached)| core.take(posted, attached))))
        });
        let starts = starts.await?;
        drop(turn);
        self.start(starts)
    }

    /// Starts calls, while the session is not locked: code of handlers may block its thread.
    fn start(&self, mut starts: Vec<Start<'_>>) -> Result<(), Ended> {
        if starts.is_empty() {
            return Ok(());
        }
        let steps: Vec<FirstStep> = starts.iter().map(Start::run).collect();
        let mut guard = self.lock();
        let Some(core) = guard.as_mut() else {
            drop(guard);
            starts.into_iter().zip(steps).for_each(|(start, step)| start.abandon(step));
            // The calls have begun, so the message was taken; a client would send it again after an error.
            return Ok(());
        };
        starts.iter_mut().zip(steps).for_each(|(start, step)| core.calls.settle(start, step));
        core.gather();
        core.reader.take().into_iter().for_each(Waker::wake);
        Ok(())
    }

    /// Ends the session: cancels its calls and ends its stream.
    pub(crate) fn end(&self) {
        let Some(core) = self.lock().take() else { return };
        core.reader.into_iter().chain(core.sender).for_each(Waker::wake);
        core.calls.leave();
    }

    fn lock(&self) -> MutexGuard<'_, Option<Core>> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether `posted` may get an answer: a batch, a request, or a malformed message that is answered
/// with an error.
fn brings_an_answer(posted: &Posted<'_>) -> bool {
    match posted {
        Posted::Batch(_) | Posted::Message(_, Ok(Message::Request { .. })) => true,
        Posted::Message(_, Ok(_)) => false,
        Posted::Message(_, Err(malformed)) => malformed.answer,
    }
}

impl Core {
    /// Returns whether so many bytes wait for the client to read them that no request should begin.
    fn is_held_up(&self) -> bool {
        self.unread_bytes + self.calls.unsent_answers() > BACKLOG
    }

    /// Processes the messages of a POST, but starts no calls. Returns the calls to start.
    fn take<'p>(&mut self, posted: Posted<'p>, attached: Attached) -> Vec<Start<'p>> {
        // Ended calls free room, even while the client does not read. The reader is woken below, and
        // registers its waker again.
        let mut unheard = Context::from_waker(Waker::noop());
        while self.calls.is_full() && self.calls.poll_signal(&mut unheard).is_ready() {
            self.gather();
        }
        let starts = self.calls.attaching(attached, |calls| match posted {
            Posted::Batch(bytes) => calls.record_batch(bytes),
            Posted::Message(text, parsed) => calls.record_parsed(text, parsed),
        });
        self.gather();
        if starts.is_empty() || !self.unread.is_empty() {
            self.reader.take().into_iter().for_each(Waker::wake);
            if !starts.is_empty() {
                runtime::share_woken();
            }
        }
        starts
    }

    /// Moves the messages that the peer wants sent to `unread`, except for requests to close the stream.
    fn gather(&mut self) {
        while let Some(transmit) = self.calls.peer.poll_transmit() {
            // A client can't come back to this stream, so requests to close it are ignored.
            if matches!(transmit.kind, TransmitKind::Close(_)) {
                continue;
            }
            self.unread_bytes += transmit.bytes.len();
            self.unread.push_back(transmit);
        }
    }

    fn next_unread(&mut self) -> Option<Transmit> {
        let transmit = self.unread.pop_front()?;
        self.unread_bytes -= transmit.bytes.len();
        Some(transmit)
    }
}

/// The reader of a session's messages. Dropping it ends the session.
pub(crate) struct Reader(Arc<OneStream>);

impl Reader {
    /// Returns the next message; `None` when the session has ended, or the client has stopped answering
    /// pings.
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Transmit>> {
        let mut guard = self.0.lock();
        let Some(core) = guard.as_mut() else { return Poll::Ready(None) };
        for _ in 0..TURN {
            core.gather();
            let next = core.next_unread();
            if !core.is_held_up() {
                core.sender.take().into_iter().for_each(Waker::wake);
            }
            if next.is_some() {
                return Poll::Ready(next);
            }
            if core.calls.is_lost() {
                tracing::info!("the client is gone: it did not answer pings");
                return Poll::Ready(None);
            }
            let busy = core.calls.poll_signal(cx).is_ready()
                || core.calls.poll_change(cx).is_ready()
                || core.calls.poll_deadlines(cx);
            if !busy {
                core.reader = Some(cx.waker().clone());
                return Poll::Pending;
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Returns whether no request is in flight and no message waits for the client.
    pub(crate) fn is_at_rest(&self) -> bool {
        let guard = self.0.lock();
        guard.as_ref().is_none_or(|core| core.calls.peer.in_flight() == 0 && core.unread.is_empty())
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.end();
    }
}
