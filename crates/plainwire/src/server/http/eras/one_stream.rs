//! A session on one stream: messages come in one at a time, everything goes out by one reader.
//!
//! In: messages, from whoever sends them. Out: what there is to send, to the one who reads. The reader pulls: what it does
//! not take stays with the calls that would say it, and requests wait outside while too much is unread. There is no log of
//! what was said: without its reader the session ends, and its calls are cancelled.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use plainwire_proto::envelope::Message;
use plainwire_proto::frame::Frame;
use plainwire_proto::peer::{Transmit, TransmitKind};
use plainwire_proto::revision::Revision;
use tokio::sync::Semaphore;

use crate::server::Built;
use crate::server::connection::calls::{Calls, Held};
use crate::server::context::Principal;
use crate::server::http::session::Posted;
use crate::stream::BACKLOG;

/// What is tried in one turn, so that changes that nobody has to hear of do not hold up others.
const TURN: usize = 64;

/// A session that lives as long as its [`Reader`].
pub(crate) struct OneStream {
    /// `None` once it has ended.
    core: Mutex<Option<Core>>,
    /// Requests go in one after the other, in the order in which they came: no queue, since each waits in its own POST.
    turn: Semaphore,
}

/// The session has ended.
#[derive(Debug)]
pub(crate) struct Ended;

/// What is done to it is done under a lock, for moments only: never while anything is awaited.
struct Core {
    calls: Calls,
    /// Who reads, if it has seen everything.
    reader: Option<Waker>,
    /// Who has the turn, if there is no room.
    sender: Option<Waker>,
    /// Invariant: `unread_bytes` is the sum of their lengths.
    unread: VecDeque<Transmit>,
    unread_bytes: usize,
}

impl OneStream {
    /// Begins a session that has not been initialized yet, with the one who reads what it says.
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

    /// Returns the revision that was agreed on.
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.lock().as_ref()?.calls.peer.revision()
    }

    /// Takes what the client has sent; a request waits until there is room for what it brings. `held` is kept until the
    /// calls that it begins are over. Dropped while it waits, it has changed nothing.
    ///
    /// # Errors
    /// If the session has ended.
    pub(crate) async fn post(&self, posted: Posted<'_>, held: Held) -> Result<(), Ended> {
        // Cancellations and answers make room rather than take it, so they get through although nobody reads.
        let waits = brings_an_answer(&posted);
        let _turn = if waits { self.turn.acquire().await.ok() } else { None };
        let mut posted = Some(posted);
        poll_fn(|cx| {
            let mut guard = self.lock();
            let Some(core) = guard.as_mut() else { return Poll::Ready(Err(Ended)) };
            if waits && core.is_held_up() {
                core.sender = Some(cx.waker().clone());
                return Poll::Pending;
            }
            if let Some(posted) = posted.take() {
                core.take(posted, &held);
            }
            Poll::Ready(Ok(()))
        })
        .await
    }

    /// Ends the session: its calls are cancelled, and nothing more is read.
    pub(crate) fn end(&self) {
        let Some(core) = self.lock().take() else { return };
        core.reader.into_iter().chain(core.sender).for_each(Waker::wake);
        core.calls.leave();
    }

    fn lock(&self) -> MutexGuard<'_, Option<Core>> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether this may be something to be answered.
fn brings_an_answer(posted: &Posted<'_>) -> bool {
    match posted {
        Posted::Batch(_) | Posted::Message(_, Ok(Message::Request { .. })) => true,
        Posted::Message(_, Ok(_)) => false,
        Posted::Message(_, Err(malformed)) => malformed.answer,
    }
}

impl Core {
    /// Whether so much waits to be read that nothing more should be begun.
    fn is_held_up(&self) -> bool {
        self.unread_bytes > BACKLOG || self.calls.is_backlogged()
    }

    fn take(&mut self, posted: Posted<'_>, held: &Held) {
        // Calls that have ended make room, although nobody has read so far. The reader is woken below, and listens again.
        let mut unheard = Context::from_waker(Waker::noop());
        while self.calls.is_full() && self.calls.poll_signal(&mut unheard).is_ready() {
            self.gather();
        }
        self.calls.holding(held, |calls| match posted {
            Posted::Batch(bytes) => calls.handle_frame(Frame::Line(bytes)),
            Posted::Message(text, parsed) => calls.handle_parsed(text, parsed),
        });
        self.gather();
        self.reader.take().into_iter().for_each(Waker::wake);
    }

    /// Takes what the engine wants sent.
    fn gather(&mut self) {
        while let Some(transmit) = self.calls.peer.poll_transmit() {
            // There is no coming back to this stream, so that nobody is let go.
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

/// Who reads what a session says. Dropped, it ends the session.
pub(crate) struct Reader(Arc<OneStream>);

impl Reader {
    /// Returns what comes next; `None` when the session has ended.
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
                tracing::info!("the client is gone: it has not even answered a ping");
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

    /// Whether nothing is due to the client.
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
