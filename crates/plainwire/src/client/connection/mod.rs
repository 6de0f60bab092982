//! The task of one client connection: takes commands of [`crate::Client`], sends requests to the server, and
//! passes the answers back to the callers.
//!
//! There is one task per connection. It ends when the [`crate::Client`] is dropped, or when the connection is
//! lost and the server is not restarted. Calls that still wait then fail, and handlers that still run for
//! questions of the server are stopped.

use std::future::poll_fn;
use std::task::{Context, Poll};

use plainwire_proto::frame::Frame;
use plainwire_proto::model::{LogLevel, RawJson, Root};
use plainwire_proto::peer::{ClientConfig, Peer, RequestOptions};
use tokio::io::{empty, sink};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

#[cfg(feature = "http-client")]
use super::http::Inbound;
use super::{AskToListen, Progress, Recorder};
use crate::client::process::OUTPUT_CLOSED;
use crate::error::Result;
use crate::runtime::{Clock, spawn};
use crate::stream::{Stream, Tap};

#[cfg(feature = "http-client")]
mod http;
mod legacy_questions;
mod link;
mod listens;
mod questions;
mod restart;
mod rounds;
mod skipped_lines;
mod state;
mod timer;
mod web_pages;

#[cfg(feature = "http-client")]
pub(crate) use http::ARRIVALS;
use link::Incoming;
pub(crate) use link::Link;
pub(crate) use restart::Restarting;
pub(crate) use skipped_lines::SkippedLines;
pub(crate) use state::ConnectionState;
use timer::Timer;

/// The maximal number of bytes of a line that is not UTF-8 that are kept for the warning about it.
const MAX_SHOWN: usize = 400;

/// A command from [`crate::Client`] to its connection task.
pub(crate) enum Command {
    /// Reports when everything that waited before this command is sent, except requests that wait for their answers.
    Flush(oneshot::Sender<()>),
    Listen(Box<AskToListen>),
    Notify {
        method: String,
        params: String,
    },
    Request(Box<Ask>),
    SetLogLevel(LogLevel),
    SetRoots(Vec<Root>),
    /// Ends a subscription, because its `Listen` was dropped. The number is the ticket of the subscription:
    /// the client's number of it.
    Unlisten(u64),
}

/// One request that the program makes, and the channel for its answer.
pub(crate) struct Ask {
    pub(crate) answer: oneshot::Sender<Result<Reply>>,
    pub(crate) method: String,
    pub(crate) options: RequestOptions,
    pub(crate) params: String,
    pub(crate) progress: Option<Box<dyn FnMut(Progress) + Send>>,
    /// The client's number of the request, by which the client cancels it. It stays the same if the request
    /// is made again.
    pub(crate) ticket: u64,
    /// The recorder of a traced request; `None` if the request is not traced.
    pub(crate) trace: Option<Recorder>,
}

/// The result of a request, and whether the request had to be made again.
pub(crate) struct Reply {
    /// Whether the request was made again: with answers to questions, or because the server asked for a
    /// retry. A repetition after a restart of the server does not count.
    pub(crate) is_retried: bool,
    pub(crate) raw: RawJson,
}

/// Runs `work`, the end of an HTTP session, in the background. Without a runtime it does nothing.
#[cfg(feature = "http-client")]
pub(crate) fn spawn_farewell(work: impl Future<Output = ()> + Send + 'static) {
    if tokio::runtime::Handle::try_current().is_ok() {
        spawn(work);
    }
}

/// Starts the task of a connection. With `restart`, a server process that ends is started again.
pub(crate) fn start(
    config: ClientConfig,
    state: ConnectionState,
    link: Link,
    restart: Option<Restarting>,
    tap: Option<Tap>,
    commands: mpsc::Receiver<Command>,
    cancels: mpsc::UnboundedReceiver<u64>,
) -> AbortHandle {
    let reconnect = restart.map(|restarting| Reconnect { config: config.clone(), restarting, tap });
    let peer = Peer::client(config);
    let mut pump = Pump {
        reconnect,
        cancels,
        clock: Clock::start(),
        state,
        link,
        peer,
        timer: Timer::default(),
        commands,
    };
    spawn(async move { pump.run().await }).abort_handle()
}

/// The data with which the connection task restarts the server and connects to it again.
struct Reconnect {
    config: ClientConfig,
    restarting: Restarting,
    tap: Option<Tap>,
}

/// The parts of a connection task. It carries frames between the link and the peer, and passes commands and
/// events to the state.
struct Pump {
    cancels: mpsc::UnboundedReceiver<u64>,
    clock: Clock,
    state: ConnectionState,
    link: Link,
    peer: Peer,
    /// The restarts of the server; `None` if a server that ends is not started again.
    reconnect: Option<Reconnect>,
    timer: Timer,
    commands: mpsc::Receiver<Command>,
}

impl Pump {
    async fn run(&mut self) {
        let why = loop {
            self.peer.connect(self.clock.now());
            let why = poll_fn(|cx| self.poll(cx)).await;
            match self.restart(why).await {
                Ok(()) => {}
                Err(why) => break why,
            }
        };
        // Whoever gets an error from here on finds the connection gone.
        self.commands.close();
        self.state.close(&why);
    }

    /// Restarts the server and connects to it, if the server may be restarted.
    ///
    /// # Errors
    /// The reason why there is no new connection.
    async fn restart(&mut self, why: String) -> std::result::Result<(), String> {
        let (Some(reconnect), Some(revision), false) =
            (&mut self.reconnect, self.state.revision, self.commands.is_closed())
        else {
            return Err(why);
        };
        let why = reconnect.restarting.explain(&why).await;
        if !self.state.carried.is_waiting {
            reconnect.restarting.has_greeted();
        }
        self.state.interrupt(&why);
        // Dropping the old link closes the stdin of the process that is to be replaced.
        self.link = Link::stream(Stream::new(empty(), sink()), 0, None);
        let stream = reconnect.restarting.start(&why).await?;
        self.link = Link::stream(stream, reconnect.config.limits.frame_in, reconnect.tap.clone());
        // The program may have read the revision already, so the new server has to agree on the same one.
        let config = ClientConfig { revisions: vec![revision], ..reconnect.config.clone() };
        self.peer = Peer::client(config);
        Ok(())
    }

    /// Does all work that is possible now. Ready, with the reason, when the connection is over.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<String> {
        loop {
            let mut idle = true;
            let was_backlogged = self.link.is_backlogged();
            // Cancels are read despite a backlog: cancelled requests make room.
            while let Poll::Ready(Some(ticket)) = self.cancels.poll_recv(cx) {
                self.state.cancel(ticket, &mut self.peer);
                idle = false;
            }
            // A restarted server gets no requests before its handshake is complete.
            while !self.link.is_backlogged()
                && !self.state.carried.is_waiting
                && let Poll::Ready(command) = self.commands.poll_recv(cx)
            {
                match command {
                    Some(command) => self.state.handle_command(command, &mut self.peer, self.clock.now()),
                    None => return Poll::Ready("the client was dropped".to_owned()),
                }
                // Gathers before the next command, so that `is_backlogged` is up to date.
                self.gather();
                idle = false;
            }
            // Bounded by the number of open questions, which has a limit.
            while self.state.poll_questions(&mut self.peer, self.clock.now(), cx).is_ready() {
                idle = false;
            }
            self.gather();
            match self.poll_in(cx) {
                Ok(came) => idle &= !came,
                Err(why) => return Poll::Ready(why),
            }
            idle &= !self.poll_deadlines(cx);
            self.gather();
            if let Err(why) = self.link.poll_out(cx) {
                // What the server wrote before it ended still counts. Tokio's budget for a task bounds this loop.
                while let Ok(true) = self.poll_in(cx) {}
                return Poll::Ready(why);
            }
            if self.link.is_flushed() {
                for flushed in self.state.flushes.drain(..) {
                    let _ = flushed.send(());
                }
            }
            if self.state.carried.is_waiting
                && let Some(why) = self.state.carried.failed.take()
            {
                return Poll::Ready(why);
            }
            if self.state.is_lost {
                return Poll::Ready("the server did not answer a ping".to_owned());
            }
            if self.link.is_ended() {
                return Poll::Ready(OUTPUT_CLOSED.to_owned());
            }
            // Commands that waited for the backlog are read once it is sent: nothing else would wake this
            // task for them.
            idle &= !was_backlogged || self.link.is_backlogged();
            if idle {
                return Poll::Pending;
            }
        }
    }

    /// Passes to the link the frames that the peer wants to send.
    fn gather(&mut self) {
        let Self { state, link, peer, .. } = self;
        link.gather(peer, |frame| state.sent(frame));
    }

    /// Passes received frames to the peer, and the events of the peer to the state. Returns whether anything
    /// arrived.
    fn poll_in(&mut self, cx: &mut Context<'_>) -> std::result::Result<bool, String> {
        let mut came = self.link.poll_in(cx)?;
        while self.handle_next(cx)? {
            came = true;
            // Gathers the answers before the next message, so that the link knows how many wait.
            self.gather();
        }
        Ok(came)
    }

    /// Handles the next event of the link. Returns whether there was one.
    fn handle_next(&mut self, cx: &mut Context<'_>) -> std::result::Result<bool, String> {
        let Self { clock, state, link, peer, .. } = self;
        let Some(incoming) = link.next(cx)? else { return Ok(false) };
        #[cfg(feature = "http-client")]
        let whole;
        let readable;
        let text = match incoming {
            #[cfg(feature = "http-client")]
            Incoming::Failed(id, error) => {
                if let Some(request) = peer.abandon(&id) {
                    state.fail(request, error, peer, clock.now());
                }
                ""
            }
            Incoming::Frame(Frame::Line(bytes)) => {
                peer.handle_frame(bytes, clock.now());
                if let Ok(text) = std::str::from_utf8(bytes) {
                    text
                } else {
                    // No message: what is shown of it can be replaced in part.
                    readable = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_SHOWN)]);
                    &readable
                }
            }
            Incoming::Frame(Frame::TooLong(prefix)) => {
                peer.handle_oversize(prefix, clock.now());
                ""
            }
            #[cfg(feature = "http-client")]
            Incoming::Message(inbound) => {
                let Inbound { parsed, permit, text } = *inbound;
                match parsed {
                    Some(parsed) => peer.handle_parsed(&text, parsed, clock.now()),
                    None => peer.handle_frame(text.as_bytes(), clock.now()),
                }
                // The next large message may arrive once this one is handled.
                whole = (text, permit);
                &whole.0
            }
            #[cfg(feature = "http-client")]
            Incoming::Renewed => {
                state.renewed(peer, clock.now());
                ""
            }
        };
        state.handle_events(peer, text, clock.now());
        Ok(true)
    }

    /// Handles the deadlines of requests and questions that have passed. Returns whether there were any.
    fn poll_deadlines(&mut self, cx: &mut Context<'_>) -> bool {
        let next = self.peer.poll_timeout().into_iter().chain(self.state.poll_timeout()).min();
        let at = next.and_then(|at| self.clock.instant(at));
        if self.timer.poll(at, cx).is_pending() {
            return false;
        }
        let now = self.clock.now();
        self.peer.handle_timeout(now);
        self.state.handle_events(&mut self.peer, "", now);
        self.state.handle_timeout(&mut self.peer, now);
        true
    }
}
