//! The client's pump: wishes in, requests out, answers back to whoever waits.
//!
//! One task per connection. It ends when the [`crate::Client`] is dropped or the server leaves; then everybody who
//! still waits is told, and whoever still thinks about a question of the server is stopped.

mod desk;
#[cfg(feature = "http-client")]
mod http;
mod link;
mod listens;
mod pages;
mod questions;
mod requests;
mod rounds;

use std::future::poll_fn;
use std::pin::Pin;
#[cfg(feature = "http-client")]
use std::sync::Arc;
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
#[cfg(feature = "http-client")]
use crate::transport::http_client::{Arrived, Connection};
use crate::transport::tap::Tap;

pub(crate) use desk::Desk;
#[cfg(feature = "http-client")]
pub(crate) use http::ARRIVALS;
#[cfg(feature = "http-client")]
use http::Http;
use link::{Incoming, Link};

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
    Stream(Stream),
}

/// Starts a connection.
pub(crate) fn start(
    config: ClientConfig,
    desk: Desk,
    route: Route,
    tap: Option<Tap>,
    wishes: mpsc::Receiver<Wish>,
) -> AbortHandle {
    let link = match route {
        #[cfg(feature = "http-client")]
        Route::Http(connection, arrived) => Link::Http(Http::new(connection, arrived, tap)),
        Route::Stream(stream) => Link::Stream(Box::new(Wire::new(stream, config.limits.frame_in, tap))),
    };
    let mut pump =
        Pump { clock: Clock::start(), desk, link, peer: Peer::client(config), sleep: None, wishes };
    spawn(async move { pump.run().await }).abort_handle()
}

struct Pump {
    clock: Clock,
    desk: Desk,
    link: Link,
    peer: Peer,
    sleep: Option<Pin<Box<Sleep>>>,
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
            let held_up = self.link.is_backlogged();
            while !self.link.is_backlogged()
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
            self.link.gather(&mut self.peer);
            match self.poll_in(cx) {
                Ok(came) => idle &= !came,
                Err(why) => return Poll::Ready(why),
            }
            idle &= !self.poll_deadlines(cx);
            self.link.gather(&mut self.peer);
            if let Err(why) = self.link.poll_out(cx) {
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

    /// Takes what came. Returns whether anything did.
    fn poll_in(&mut self, cx: &mut Context<'_>) -> std::result::Result<bool, String> {
        let Self { clock, desk, link, peer, .. } = self;
        link.poll_in(cx, |incoming| {
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
