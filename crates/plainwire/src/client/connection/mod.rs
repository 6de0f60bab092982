//! The client's pump: wishes in, requests out, answers back to whoever waits.
//!
//! One task per connection. It ends when the [`crate::Client`] is dropped or the server leaves; then everybody who
//! still waits is told, and whoever still thinks about a question of the server is stopped.

use std::future::poll_fn;
#[cfg(feature = "http-client")]
use std::sync::Arc;
use std::task::{Context, Poll};

use plainwire_proto::frame::Frame;
use plainwire_proto::model::{LogLevel, RawJson, Root};
use plainwire_proto::peer::{ClientConfig, Peer, RequestOptions};
use tokio::io::{empty, sink};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

#[cfg(feature = "http-client")]
use super::http::{Arrived, Connection, Inbound};
use super::{AskToListen, Progress, Recorder};
use crate::error::Result;
use crate::runtime::{Clock, spawn};
use crate::stream::{Stream, Tap, Wire};

mod before_greeting;
#[cfg(feature = "http-client")]
mod http;
mod link;
mod listens;
mod pages;
mod questions;
mod requests;
mod restart;
mod rounds;
mod state;
mod timer;

#[cfg(feature = "http-client")]
pub(crate) use http::ARRIVALS;
#[cfg(feature = "http-client")]
use http::Http;
use link::{Incoming, Link};
pub(crate) use restart::Revival;
pub(crate) use state::Desk;
use timer::Timer;

/// What the front door wants from its connection.
pub(crate) enum Wish {
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
    pub(crate) answer: oneshot::Sender<Result<Reply>>,
    pub(crate) method: String,
    pub(crate) options: RequestOptions,
    pub(crate) params: String,
    pub(crate) progress: Option<Box<dyn FnMut(Progress) + Send>>,
    /// The front door's own number, for taking it back.
    pub(crate) ticket: u64,
    /// Where to note what happens.
    pub(crate) trace: Option<Recorder>,
}

/// An answer.
pub(crate) struct Reply {
    /// Whether the request was made again, with answers to questions or because the server wanted it.
    pub(crate) is_retried: bool,
    pub(crate) raw: RawJson,
}

/// Ends what nobody waits for, if there is still a runtime.
#[cfg(feature = "http-client")]
pub(crate) fn spawn_farewell(work: impl Future<Output = ()> + Send + 'static) {
    if tokio::runtime::Handle::try_current().is_ok() {
        spawn(work);
    }
}

/// What a connection runs over.
pub(crate) enum Route {
    /// And what arrives on it.
    #[cfg(feature = "http-client")]
    Http(Arc<Connection>, mpsc::Receiver<Arrived>),
    /// Of a server that is started again when it ends.
    Process(Stream, Box<Revival>),
    Stream(Stream),
}

/// Starts a connection.
pub(crate) fn start(
    config: ClientConfig,
    desk: Desk,
    route: Route,
    tap: Option<Tap>,
    wishes: mpsc::Receiver<Wish>,
    cancels: mpsc::UnboundedReceiver<u64>,
) -> AbortHandle {
    let over = |stream, tap| Link::Stream(Box::new(Wire::new(stream, config.limits.frame_in, tap)));
    let mut revival = None;
    let link = match route {
        #[cfg(feature = "http-client")]
        Route::Http(connection, arrived) => Link::Http(Http::new(connection, arrived, tap)),
        Route::Process(stream, process) => {
            revival = Some(Again { config: config.clone(), revival: *process, tap: tap.clone() });
            over(stream, tap)
        }
        Route::Stream(stream) => over(stream, tap),
    };
    let peer = Peer::client(config);
    let mut pump = Pump {
        again: revival,
        cancels,
        clock: Clock::start(),
        desk,
        link,
        peer,
        timer: Timer::default(),
        wishes,
    };
    spawn(async move { pump.run().await }).abort_handle()
}

/// What another connection is made from.
struct Again {
    config: ClientConfig,
    revival: Revival,
    tap: Option<Tap>,
}

struct Pump {
    again: Option<Again>,
    cancels: mpsc::UnboundedReceiver<u64>,
    clock: Clock,
    desk: Desk,
    link: Link,
    peer: Peer,
    timer: Timer,
    wishes: mpsc::Receiver<Wish>,
}

impl Pump {
    async fn run(&mut self) {
        let why = loop {
            self.peer.connect(self.clock.now());
            let why = poll_fn(|cx| self.poll(cx)).await;
            match self.revive(why).await {
                Ok(()) => {}
                Err(why) => break why,
            }
        };
        self.desk.close(&why);
    }

    /// Begins another connection, if the server may be started again.
    ///
    /// # Errors
    /// Why there is none.
    async fn revive(&mut self, why: String) -> std::result::Result<(), String> {
        let (Some(again), Some(revision), false) =
            (&mut self.again, self.desk.revision, self.wishes.is_closed())
        else {
            return Err(why);
        };
        let why = again.revival.explain(&why).await;
        if !self.desk.kept.is_waiting {
            again.revival.has_greeted();
        }
        self.desk.interrupt(&why);
        // The input of the last process ends here.
        self.link = Link::Stream(Box::new(Wire::new(Stream::new(empty(), sink()), 0, None)));
        let stream = again.revival.start(&why).await?;
        let wire = Wire::new(stream, again.config.limits.frame_in, again.tap.clone());
        self.link = Link::Stream(Box::new(wire));
        // Whoever asked was told the revision.
        let config = ClientConfig { revisions: vec![revision], ..again.config.clone() };
        self.peer = Peer::client(config);
        Ok(())
    }

    /// Ready, with the reason, when the connection is over.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<String> {
        loop {
            let mut idle = true;
            let held_up = self.link.is_backlogged();
            // Also when nothing more may be asked: what is given up makes room.
            while let Poll::Ready(Some(ticket)) = self.cancels.poll_recv(cx) {
                self.desk.cancel(ticket, &mut self.peer);
                idle = false;
            }
            // Nothing is asked of a server that was started again before it has greeted.
            while !self.link.is_backlogged()
                && !self.desk.kept.is_waiting
                && let Poll::Ready(wish) = self.wishes.poll_recv(cx)
            {
                match wish {
                    Some(wish) => self.desk.grant(wish, &mut self.peer, self.clock.now()),
                    None => return Poll::Ready("the client was dropped".to_owned()),
                }
                // Before the next wish, so that the link knows how much it has.
                self.gather();
                idle = false;
            }
            // As many as questions are open, which has a limit.
            while self.desk.poll_questions(&mut self.peer, self.clock.now(), cx).is_ready() {
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
                return Poll::Ready(why);
            }
            if self.desk.kept.is_waiting
                && let Some(why) = self.desk.kept.failed.take()
            {
                return Poll::Ready(why);
            }
            if self.desk.is_lost {
                return Poll::Ready("the server has not even answered a ping".to_owned());
            }
            if self.link.is_ended() {
                return Poll::Ready("the server closed its output".to_owned());
            }
            // What unsent bytes held up goes on once they are out: nothing else would wake this task for it.
            idle &= !held_up || self.link.is_backlogged();
            if idle {
                return Poll::Pending;
            }
        }
    }

    fn gather(&mut self) {
        let Self { desk, link, peer, .. } = self;
        link.gather(peer, |frame| desk.sent(frame));
    }

    /// Takes what came. Returns whether anything did.
    fn poll_in(&mut self, cx: &mut Context<'_>) -> std::result::Result<bool, String> {
        let Self { clock, desk, link, peer, .. } = self;
        link.poll_in(cx, |incoming| {
            #[cfg(feature = "http-client")]
            let whole;
            let text = match incoming {
                #[cfg(feature = "http-client")]
                Incoming::Failed(id, error) => {
                    if let Some(request) = peer.abandon(&id) {
                        desk.fail(request, error, peer, clock.now());
                    }
                    ""
                }
                Incoming::Frame(Frame::Line(bytes)) => {
                    peer.handle_frame(bytes, clock.now());
                    std::str::from_utf8(bytes).unwrap_or_default()
                }
                Incoming::Frame(Frame::TooLong(prefix)) => {
                    peer.handle_oversize(prefix, clock.now());
                    ""
                }
                #[cfg(feature = "http-client")]
                Incoming::Message(inbound) => {
                    let Inbound { parsed, text } = *inbound;
                    match parsed {
                        Some(parsed) => peer.handle_parsed(&text, parsed, clock.now()),
                        None => peer.handle_frame(text.as_bytes(), clock.now()),
                    }
                    whole = text;
                    &whole
                }
                #[cfg(feature = "http-client")]
                Incoming::Renewed => {
                    desk.renewed(peer, clock.now());
                    ""
                }
            };
            desk.handle_events(peer, text, clock.now());
        })
    }

    /// Lets deadlines pass. Returns whether one did.
    fn poll_deadlines(&mut self, cx: &mut Context<'_>) -> bool {
        let next = self.peer.poll_timeout().into_iter().chain(self.desk.poll_timeout()).min();
        let at = next.and_then(|at| self.clock.instant(at));
        if self.timer.poll(at, cx).is_pending() {
            return false;
        }
        let now = self.clock.now();
        self.peer.handle_timeout(now);
        self.desk.handle_events(&mut self.peer, "", now);
        self.desk.handle_timeout(&mut self.peer, now);
        true
    }
}
