//! The door: connections accepted within a limit, and everything ended in order when it is time.
//!
//! In: a listener, a service, and when to end. Out: a task for each connection (`connection`), and nothing left of them
//! behind the end. When it is time, nothing more is accepted, `/readyz` says so, streams end, requests get the time of
//! [`crate::Server::drain`], and what is left is cut off.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

use super::HttpService;
use super::connection::{self, Phase, Serving};
use crate::driver;

/// What connections may be and take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// How many there are at a time.
    pub(super) connections: usize,
    /// How long a connection may take to its first request, TLS included.
    pub(super) head: Duration,
    /// How long a connection stays on which nothing is asked.
    pub(super) keep_alive: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Idle ones take up to 30 KB each (`docs/http-deployment.md`): 300 MB at most.
            connections: 10_000,
            // What `nginx` grants is 60 s; slow networks need 10.
            head: Duration::from_secs(30),
            // Longer than the 60 s of most load balancers: the side that sends requests should be the one that closes, or
            // one of them is lost now and then.
            keep_alive: Duration::from_secs(75),
        }
    }
}

/// How long to wait after connections could not be accepted, for lack of descriptors mostly: from, to.
const BREATH: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(500));

/// How long what was cut off may take to be gone. Nothing waits in there: it is for a machine that is busy.
const CUT: Duration = Duration::from_millis(500);

/// Serves connections until `end` is ready, then for as long as requests may drain.
pub(super) async fn serve(
    serving: Serving,
    limits: Limits,
    listener: TcpListener,
    end: impl Future<Output = ()>,
) {
    let service = serving.service.clone();
    let serving = Arc::new(serving);
    // Nobody else sends; if this future is dropped, connections see that and end.
    let (phase, watched) = watch::channel(Phase::Open);
    let mut door = Door { breath: BREATH.0, listener, places: Arc::new(Semaphore::new(limits.connections)) };
    let mut end = pin!(end);
    loop {
        let (stream, remote, place) = tokio::select! {
            accepted = door.next() => accepted,
            () = &mut end => break,
        };
        let serving = Arc::clone(&serving);
        // Not inside of another future, which would have room for it twice.
        driver::spawn_detached(connection::run(serving, stream, remote.ip(), watched.clone(), place));
    }
    drop((door, watched));
    drain(&service, &phase).await;
}

/// Ends what is open: with patience at first.
async fn drain(service: &HttpService, phase: &watch::Sender<Phase>) {
    service.begin_to_end();
    phase.send_replace(Phase::Ending);
    let patience = service.drain();
    if timeout(patience, phase.closed()).await.is_err() {
        tracing::warn!("requests were still open after {patience:?}, and were cut off");
    }
    service.end();
    phase.send_replace(Phase::Cut);
    let _ = timeout(CUT, phase.closed()).await;
}

struct Door {
    breath: Duration,
    listener: TcpListener,
    places: Arc<Semaphore>,
}

impl Door {
    /// Lets the next connection in, once there is a place for it. Those that wait do so in the queue of the system, and
    /// are served as soon as others have gone. Nothing is lost if the future is dropped.
    async fn next(&mut self) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
        let place = self.place().await;
        loop {
            match self.listener.accept().await {
                Ok((stream, remote)) => {
                    self.breath = BREATH.0;
                    return (stream, remote, place);
                }
                // One that has gone again: the next one is none the worse.
                Err(error) if is_of_one(&error) => {}
                Err(error) => {
                    if self.breath == BREATH.0 {
                        tracing::warn!("connections can't be accepted, which is tried again: {error}");
                    }
                    sleep(self.breath).await;
                    self.breath = (self.breath * 2).min(BREATH.1);
                }
            }
        }
    }

    async fn place(&self) -> OwnedSemaphorePermit {
        let places = Arc::clone(&self.places);
        if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
            return place;
        }
        tracing::warn!("as many connections are open as may be (`max_connections`): others wait");
        places.acquire_owned().await.expect("nobody closes it")
    }
}

fn is_of_one(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}
