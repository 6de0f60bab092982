//! The server's pump: frames in, answers out, one task per connection.
//!
//! It stops reading while too much is unsent and never waits for a call. It ends when the client has left and
//! every answer is written, when a write fails or the client does not answer pings, or when the drain time
//! has passed.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::Sleep;

use super::calls::Calls;
use crate::server::built::Built;
use crate::stream::{Stream, Wire};

/// The largest number of signals of calls that are handled before frames get their turn, and of changes that
/// are taken at once: many progress notifications must not delay pings.
const TURN: usize = 64;

/// The largest number of reads before ready answers are written, so that a client that never stops sending
/// still gets its answers.
const READS: usize = 16;

/// The number of polls of the connection during which calls may end, once the limit of requests in flight is
/// reached. Frames wait during these polls; after them, frames are handled again, and requests are refused.
const PATIENCE: u8 = 16;

/// One connection of a server: a stream, and the calls that its client makes.
pub(crate) struct Pump {
    built: Arc<Built>,
    calls: Calls,
    /// The reason why the connection still exists after its input has ended: running calls or unread bytes.
    /// Also the timer after which the pump stops the calls or discards the bytes. `None` before that end.
    deadline: Option<(Due, Pin<Box<Sleep>>)>,
    /// The number of polls of the connection that remain before requests are refused ([`PATIENCE`]).
    patience: u8,
    wire: Wire,
    /// Whether the task of the connection lets other tasks run before it continues.
    yields: bool,
}

/// The reason why a connection still exists after its client has left.
#[derive(PartialEq)]
enum Due {
    /// Calls of the client still run.
    Calls,
    /// The client has not read this many bytes yet.
    Unsent(usize),
}

/// The time, after the client has left, in which it has to read at least one of the remaining bytes;
/// otherwise these are discarded.
const LAST_WRITE: Duration = Duration::from_secs(1);

impl Pump {
    pub(crate) fn new(built: Arc<Built>, stream: Stream) -> Self {
        let wire = Wire::new(stream, built.config.limits.frame_in, built.tap.clone());
        let calls = Calls::new(Arc::clone(&built), built.principal.clone());
        Self { built, calls, deadline: None, patience: PATIENCE, wire, yields: false }
    }

    pub(crate) async fn run(mut self) {
        poll_fn(|cx| self.poll(cx)).await;
        let Self { calls, wire, .. } = self;
        drop(wire);
        calls.wind_up().await;
    }

    /// Moves frames, signals and answers as far as possible now. Ready when the connection is over.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        // The drain time is checked before the loop, because a call that never stops reporting could keep the
        // loop busy for ever.
        if self.wire.is_ended() && (self.calls.running() > 0 || self.wire.unsent() > 0) {
            let _ = self.poll_drain(cx);
        }
        let mut reads = 0;
        loop {
            let mut idle = true;
            for _ in 0..TURN {
                if self.wire.is_backlogged() || self.calls.poll_signal(cx).is_pending() {
                    break;
                }
                self.wire.gather(&mut self.calls.peer);
                idle = false;
            }
            idle &= !self.take_changes(cx);
            idle &= !self.handle_frames(cx);
            if self.calls.poll_deadlines(cx) {
                self.wire.gather(&mut self.calls.peer);
                idle = false;
            }
            if self.calls.is_lost() {
                tracing::info!("the client is gone: it did not answer pings");
                return Poll::Ready(());
            }
            let backlogged = self.wire.is_backlogged();
            if (!self.is_held_up() || self.wire.may_read_ahead())
                && reads < READS
                && let Poll::Ready(read) = self.wire.poll_read(cx)
            {
                if let Err(error) = read {
                    tracing::warn!("reading failed: {error}");
                    self.wire.end();
                }
                if self.wire.is_ended() {
                    tracing::debug!("input has ended");
                }
                // The frames just read are handled before anything is written, so that one write carries all
                // of their answers.
                reads += 1;
                continue;
            }
            // A client in this process also needs a turn to read its answers.
            self.yields |= reads == READS;
            let written = self.wire.poll_write(cx);
            if let Poll::Ready(Err(error)) = written {
                // A client that has closed its side need not wait for the last frames.
                match self.wire.is_ended() {
                    true => tracing::debug!("the client is gone: {error}"),
                    false => tracing::info!("the client is gone: {error}"),
                }
                return Poll::Ready(());
            }
            // If the write made room, continue: nothing else would wake this task.
            idle &= !backlogged || self.wire.is_backlogged();
            if std::mem::take(&mut self.yields) {
                // `yield_now` wakes this task together with other tasks that yielded. A task that wakes
                // itself runs sixty times before those do.
                let _ = std::pin::pin!(tokio::task::yield_now()).poll(cx);
                return Poll::Pending;
            }
            if !idle {
                continue;
            }
            if !self.wire.is_ended() {
                return Poll::Pending;
            }
            if self.calls.running() == 0 && self.calls.peer.end_listens() {
                self.wire.gather(&mut self.calls.peer);
                continue;
            }
            if written.is_ready() && self.calls.running() == 0 {
                return Poll::Ready(());
            }
            ready!(self.poll_drain(cx));
        }
    }

    /// While calls run, waits for the drain time and then stops them. After that, waits until the client has
    /// read nothing for [`LAST_WRITE`], and then discards the unsent bytes. `Ready` means that calls were
    /// stopped or bytes discarded, so that the loop should run again.
    fn poll_drain(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let (due, wait) = match self.calls.running() {
            0 => (Due::Unsent(self.wire.unsent()), LAST_WRITE),
            _ => (Due::Calls, self.built.drain),
        };
        // The timer restarts with each byte that the client reads.
        let waiting = self.deadline.take().filter(|(waiting_for, _)| *waiting_for == due);
        let (_, sleep) =
            self.deadline.insert(waiting.unwrap_or_else(|| (due, Box::pin(tokio::time::sleep(wait)))));
        ready!(sleep.as_mut().poll(cx));
        self.deadline = None;
        if self.calls.running() > 0 {
            tracing::warn!("the input has ended, and {} calls still ran", self.calls.running());
            self.calls.give_up();
            self.wire.gather(&mut self.calls.peer);
        } else {
            tracing::warn!("the input has ended, and {} bytes were never read", self.wire.unsent());
            self.wire.discard();
        }
        Poll::Ready(())
    }

    /// Returns whether so many bytes are unsent, in the stream or in the queue of answers, that no frame
    /// should be handled.
    fn is_held_up(&self) -> bool {
        self.wire.is_backlogged() || self.calls.is_backlogged()
    }

    /// Passes changes to the peer, which notifies the client. Returns whether there were changes.
    fn take_changes(&mut self, cx: &mut Context<'_>) -> bool {
        let mut any = false;
        for _ in 0..TURN {
            if self.wire.is_backlogged() || self.calls.poll_change(cx).is_pending() {
                break;
            }
            self.wire.gather(&mut self.calls.peer);
            // A program that publishes all the time could otherwise keep this task busy for ever.
            (any, self.yields) = (true, true);
        }
        any
    }

    /// Handles the frames that were already read from the stream. Returns whether there were any.
    fn handle_frames(&mut self, cx: &mut Context<'_>) -> bool {
        let (mut any, mut all) = (false, false);
        while !self.is_held_up() && self.makes_room(cx) {
            let Some(frame) = self.wire.next_frame() else {
                all = true;
                break;
            };
            any = true;
            self.calls.handle_frame(frame);
            self.wire.gather(&mut self.calls.peer);
        }
        if self.wire.is_ended() && all {
            if let Some(rest) = self.wire.take_rest() {
                any = true;
                self.calls.handle_frame(plainwire_proto::frame::Frame::Line(&rest));
            }
            // The end is not handled earlier, because the last frames may contain the answer to a question.
            self.calls.handle_end();
            self.wire.gather(&mut self.calls.peer);
        }
        any
    }

    /// Returns whether the next frame should be handled now. While the limit of requests in flight is
    /// reached, calls that are about to end get a few polls first. After that, requests are refused, but
    /// cancellations are still handled.
    fn makes_room(&mut self, cx: &mut Context<'_>) -> bool {
        if !self.calls.is_full() {
            self.patience = PATIENCE;
            return true;
        }
        while !self.wire.is_backlogged() && self.calls.poll_signal(cx).is_ready() {
            self.wire.gather(&mut self.calls.peer);
        }
        if self.calls.is_full() && self.patience > 0 {
            self.patience -= 1;
            self.yields = true;
            return false;
        }
        true
    }
}
