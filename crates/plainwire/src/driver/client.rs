//! The client's pump: wishes in, requests out, answers back to whoever waits.
//!
//! One task per connection. It ends when the [`crate::Client`] is dropped or the server leaves; then everybody who
//! still waits is told.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use plainwire_proto::frame::Frame;
use plainwire_proto::peer::{ClientConfig, Event, Peer, RequestKey, RequestOptions};
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::Sleep;

use super::wire::Wire;
use super::{Clock, spawn};
use crate::client::{Notice, Progress};
use crate::error::{Error, Result};
use crate::transport::Stream;
use crate::transport::tap::Tap;
use plainwire_proto::model::{RawJson, ServerHello};

/// What the front door wants from its connection.
pub(crate) enum Wish {
    /// Nobody waits for the answer any more.
    Cancel(u64),
    Notify {
        method: String,
        params: String,
    },
    Request(Box<Ask>),
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

/// Starts a connection; `hello` gets the outcome of the handshake.
pub(crate) fn start(
    config: ClientConfig,
    stream: Stream,
    tap: Option<Tap>,
    wishes: mpsc::Receiver<Wish>,
    notices: mpsc::Sender<Notice>,
    hello: oneshot::Sender<Result<ServerHello>>,
) -> AbortHandle {
    let wire = Wire::new(stream, config.limits.frame_in, tap);
    let mut pump = Pump {
        clock: Clock::start(),
        hello: Some(hello),
        notices,
        peer: Peer::client(config),
        sleep: None,
        tickets: BTreeMap::new(),
        waiting: BTreeMap::new(),
        wire,
        wishes,
    };
    spawn(async move { pump.run().await }).abort_handle()
}

struct Pump {
    clock: Clock,
    hello: Option<oneshot::Sender<Result<ServerHello>>>,
    notices: mpsc::Sender<Notice>,
    peer: Peer,
    sleep: Option<Pin<Box<Sleep>>>,
    tickets: BTreeMap<u64, RequestKey>,
    waiting: BTreeMap<RequestKey, Ask>,
    wire: Wire,
    wishes: mpsc::Receiver<Wish>,
}

impl Pump {
    async fn run(&mut self) {
        self.peer.connect(self.clock.now());
        let why = poll_fn(|cx| self.poll(cx)).await;
        let closed = || Error::Closed { why: why.clone() };
        if let Some(hello) = self.hello.take() {
            let _ = hello.send(Err(closed()));
        }
        for ask in std::mem::take(&mut self.waiting).into_values() {
            let _ = ask.answer.send(Err(closed()));
        }
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
                    Some(wish) => self.grant(wish),
                    None => return Poll::Ready("the client was dropped".to_owned()),
                }
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
                let mut desk = Desk {
                    hello: &mut self.hello,
                    notices: &self.notices,
                    tickets: &mut self.tickets,
                    waiting: &mut self.waiting,
                };
                desk.handle_events(&mut self.peer, text);
            }
            idle &= !self.poll_deadlines(cx);
            self.wire.gather(&mut self.peer);
            match self.wire.poll_write(cx) {
                Poll::Ready(Err(error)) => return Poll::Ready(format!("writing failed: {error}")),
                Poll::Ready(Ok(())) | Poll::Pending => {}
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

    fn grant(&mut self, wish: Wish) {
        let now = self.clock.now();
        match wish {
            Wish::Cancel(ticket) => {
                if let Some(key) = self.tickets.remove(&ticket) {
                    self.waiting.remove(&key);
                    self.peer.cancel(key, "the caller gave up");
                }
            }
            Wish::Notify { method, params } => self.peer.notify(&method, &params),
            Wish::Request(ask) => {
                let key = self.peer.request(&ask.method, &ask.params, ask.options, now);
                self.tickets.insert(ask.ticket, key);
                self.waiting.insert(key, *ask);
            }
        }
    }

    /// Lets deadlines pass. Returns whether one did.
    fn poll_deadlines(&mut self, cx: &mut Context<'_>) -> bool {
        let at = self.peer.poll_timeout().map(|at| self.clock.instant(at));
        if !super::poll_until(&mut self.sleep, at, cx) {
            return false;
        }
        self.peer.handle_timeout(self.clock.now());
        let mut desk = Desk {
            hello: &mut self.hello,
            notices: &self.notices,
            tickets: &mut self.tickets,
            waiting: &mut self.waiting,
        };
        desk.handle_events(&mut self.peer, "");
        true
    }
}

/// Who waits for what.
struct Desk<'p> {
    hello: &'p mut Option<oneshot::Sender<Result<ServerHello>>>,
    notices: &'p mpsc::Sender<Notice>,
    tickets: &'p mut BTreeMap<u64, RequestKey>,
    waiting: &'p mut BTreeMap<RequestKey, Ask>,
}

impl Desk<'_> {
    fn handle_events(&mut self, peer: &mut Peer, frame: &str) {
        while let Some(event) = peer.poll_event() {
            match event {
                Event::Connected(hello) => self.greet(Ok(*hello)),
                Event::Refused(error) => self.greet(Err(Error::Rpc(error))),
                Event::Result { request, result } => {
                    let raw = RawValue::from_string(result.text(frame).to_owned());
                    self.settle(request, raw.map_err(|error| Error::Decode { message: error.to_string() }));
                }
                Event::Failed { request, error } => self.settle(request, Err(Error::Rpc(error))),
                Event::Progress { request, progress, total, message } => {
                    if let Some(heard) = self.waiting.get_mut(&request).and_then(|ask| ask.progress.as_mut())
                    {
                        heard(Progress { done: progress, total, message });
                    }
                }
                Event::ListChanged(list) => self.notice(Notice::ListChanged(list)),
                Event::Notification { method, params } => self.notice(Notice::Other {
                    method: method.string(frame).unwrap_or_default().into_owned(),
                    params: params.and_then(|span| RawValue::from_string(span.text(frame).to_owned()).ok()),
                }),
                Event::Ignored(why) => tracing::debug!("{why}"),
                Event::Cancelled { .. }
                | Event::Initialized
                | Event::InputRequired { .. }
                | Event::Request { .. }
                | Event::RootsChanged => {}
            }
        }
    }

    fn greet(&mut self, outcome: Result<ServerHello>) {
        if let Some(hello) = self.hello.take() {
            let _ = hello.send(outcome);
        }
    }

    fn settle(&mut self, request: RequestKey, answer: Result<RawJson>) {
        if let Some(ask) = self.waiting.remove(&request) {
            self.tickets.remove(&ask.ticket);
            let _ = ask.answer.send(answer);
        }
    }

    /// A full queue means that nobody reads notices: the newest is dropped, and the log says so.
    fn notice(&self, notice: Notice) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.notices.try_send(notice) {
            tracing::debug!("a notification was dropped: nobody reads them");
        }
    }
}
