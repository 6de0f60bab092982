//! The server's pump: frames in, answers out, one task per connection.
//!
//! It stops reading while too much is unsent, never waits for a call, and ends when the client has left and every
//! answer is out, or the time to drain has passed.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::time::Sleep;

use super::calls::Calls;
use super::wire::Wire;
use crate::server::Built;
use crate::transport::Stream;

/// One connection of a server.
pub(super) struct Pump {
    built: Arc<Built>,
    calls: Calls,
    /// Set when input has ended: the moment at which running calls are given up.
    deadline: Option<Pin<Box<Sleep>>>,
    wire: Wire,
}

impl Pump {
    pub(super) fn new(built: Arc<Built>, stream: Stream) -> Self {
        let wire = Wire::new(stream, built.config.limits.frame_in, built.tap.clone());
        Self { calls: Calls::new(Arc::clone(&built)), built, deadline: None, wire }
    }

    pub(super) async fn run(mut self) {
        poll_fn(|cx| self.poll(cx)).await;
    }

    /// Ready when the connection is over.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            let mut idle = true;
            let held_up = self.wire.is_backlogged();
            while !self.wire.is_backlogged() && self.calls.poll_signal(cx).is_ready() {
                self.wire.gather(&mut self.calls.peer);
                idle = false;
            }
            idle &= !self.handle_frames();
            if !self.wire.is_backlogged()
                && let Poll::Ready(read) = self.wire.poll_read(cx)
            {
                if let Err(error) = read {
                    tracing::warn!("reading failed: {error}");
                    self.wire.end();
                }
                idle = false;
                if !self.wire.is_ended() {
                    // What was just read is handled before anything is written: one write for all of it.
                    continue;
                }
            }
            let sent = match self.wire.poll_write(cx) {
                Poll::Ready(Ok(())) => true,
                Poll::Pending => false,
                Poll::Ready(Err(error)) => {
                    tracing::info!("the client is gone: {error}");
                    return Poll::Ready(());
                }
            };
            // What unsent bytes held up goes on once they are out: nothing else would wake this task for it.
            idle &= !held_up || self.wire.is_backlogged();
            if idle && self.wire.is_ended() {
                if sent && self.calls.running() == 0 {
                    return Poll::Ready(());
                }
                // Also for answers that can't be sent: who has left may never read them.
                self.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(self.built.drain)));
            }
            if self.deadline.as_mut().is_some_and(|deadline| deadline.as_mut().poll(cx).is_ready()) {
                let (running, unsent) = (self.calls.running(), self.wire.unsent());
                tracing::warn!("the client has left: {running} calls still ran, {unsent} bytes were unsent");
                return Poll::Ready(());
            }
            if idle {
                return Poll::Pending;
            }
        }
    }

    /// Handles the frames that are here. Returns whether there were any.
    fn handle_frames(&mut self) -> bool {
        let mut any = false;
        while !self.wire.is_backlogged()
            && let Some(frame) = self.wire.next_frame()
        {
            any = true;
            self.calls.handle_frame(frame);
            self.wire.gather(&mut self.calls.peer);
        }
        if self.wire.is_ended()
            && let Some(rest) = self.wire.take_rest()
        {
            any = true;
            self.calls.handle_frame(plainwire_proto::frame::Frame::Line(&rest));
            self.wire.gather(&mut self.calls.peer);
        }
        any
    }
}
