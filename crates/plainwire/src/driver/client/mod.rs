//! The client's pump: wishes in, requests out, answers back to whoever waits.
//!
//! One task per connection. It ends when the [`crate::Client`] is dropped or the server leaves; then everybody who
//! still waits is told, and whoever still thinks about a question of the server is stopped.

mod desk;
mod listens;
mod pages;
mod questions;
mod requests;
mod rounds;

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use plainwire_proto::frame::Frame;
use plainwire_proto::model::{LogLevel, RawJson, Root};
use plainwire_proto::peer::{ClientConfig, Peer, RequestOptions};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::Sleep;

use super::wire::Wire;
use super::{Clock, spawn};
use crate::client::{AskToListen, Progress};
use crate::error::Result;
use crate::transport::Stream;
use crate::transport::tap::Tap;

pub(crate) use desk::Desk;

/// What the front door wants from its connection.
pub(crate) enum Wish {
    /// Nobody waits for the answer any more.
    Cancel(u64),
    Listen(Box<AskToListen>),
    Notify {
        method: String,
        params: String,
    },
    Request(Box<Ask>),
    SetLogLevel(LogLevel),
    SetRoots(Vec<Root>),
    /// Nobody listens any more.
    Unlisten(u64),
}

/// One request and where its answer goes.
pub(crate) struct Ask {
    pub(crate) answer: oneshot::Sender<Result<RawJson>>,
    pub(crate) method: String,
    pub(crate) options: RequestOptions,
    pub(crate) params: String,
    pub(crate) progress: Option<Box<dyn FnMut(Progress) + Send>>,
    /// The front door's own number, for [`Wish::Cancel`].
    pub(crate) ticket: u64,
}

/// Starts a connection.
pub(crate) fn start(
    config: ClientConfig,
    desk: Desk,
    stream: Stream,
    tap: Option<Tap>,
    wishes: mpsc::Receiver<Wish>,
) -> AbortHandle {
    let wire = Wire::new(stream, config.limits.frame_in, tap);
    let mut pump =
        Pump { clock: Clock::start(), desk, peer: Peer::client(config), sleep: None, wire, wishes };
    spawn(async move { pump.run().await }).abort_handle()
}

struct Pump {
    clock: Clock,
    desk: Desk,
    peer: Peer,
    sleep: Option<Pin<Box<Sleep>>>,
    wire: Wire,
    wishes: mpsc::Receiver<Wish>,
}

impl Pump {
    async fn run(&mut self) {
        self.peer.connect(self.clock.now());
        let why = poll_fn(|cx| self.poll(cx)).await;
        self.desk.close(&why);
    }

    /// Ready, with the reason, when the connection is over.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<String> {
        loop {
            let mut idle = true;
            let held_up = self.wire.is_backlogged();
            while !self.wire.is_backlogged()
                && let Poll::Ready(wish) = self.wishes.poll_recv(cx)
            {
                match wish {
                    Some(wish) => self.desk.grant(wish, &mut self.peer, self.clock.now()),
                    None => return Poll::Ready("the client was dropped".to_owned()),
                }
                idle = false;
            }
            // As many as questions are open, which has a limit.
            while self.desk.poll_questions(&mut self.peer, self.clock.now(), cx).is_ready() {
                idle = false;
            }
            self.wire.gather(&mut self.peer);
            match self.wire.poll_read(cx) {
                Poll::Ready(Ok(())) => idle = false,
                Poll::Ready(Err(error)) => return Poll::Ready(format!("reading failed: {error}")),
                Poll::Pending => {}
            }
            while let Some(frame) = self.wire.next_frame() {
                let text = match frame {
                    Frame::Line(bytes) => {
                        self.peer.handle_frame(bytes, self.clock.now());
                        std::str::from_utf8(bytes).unwrap_or_default()
                    }
                    Frame::TooLong(prefix) => {
                        self.peer.handle_oversize(prefix, self.clock.now());
                        ""
                    }
                };
                self.desk.handle_events(&mut self.peer, text, self.clock.now());
            }
            idle &= !self.poll_deadlines(cx);
            self.wire.gather(&mut self.peer);
            match self.wire.poll_write(cx) {
                Poll::Ready(Err(error)) => return Poll::Ready(format!("writing failed: {error}")),
                Poll::Ready(Ok(())) | Poll::Pending => {}
            }
            if self.desk.is_lost {
                return Poll::Ready("the server has not even answered a ping".to_owned());
            }
            if self.wire.is_ended() {
                return Poll::Ready("the server closed its output".to_owned());
            }
            // What unsent bytes held up goes on once they are out: nothing else would wake this task for it.
            idle &= !held_up || self.wire.is_backlogged();
            if idle {
                return Poll::Pending;
            }
        }
    }

    /// Lets deadlines pass. Returns whether one did.
    fn poll_deadlines(&mut self, cx: &mut Context<'_>) -> bool {
        let next = self.peer.poll_timeout().into_iter().chain(self.desk.poll_timeout()).min();
        let at = next.and_then(|at| self.clock.instant(at));
        if !crate::driver::poll_until(&mut self.sleep, at, cx) {
            return false;
        }
        let now = self.clock.now();
        self.peer.handle_timeout(now);
        self.desk.handle_events(&mut self.peer, "", now);
        self.desk.handle_timeout(&mut self.peer, now);
        true
    }
}
