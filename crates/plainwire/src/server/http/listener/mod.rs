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

use tokio::net::{TcpListener, TcpSocket, TcpStream, lookup_host};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

use super::HttpService;
use crate::error::{Error, Result};
use crate::runtime;

mod connection;
mod socket;
#[cfg(feature = "tls")]
mod tls;

use connection::Phase;
pub(crate) use connection::Serving;
#[cfg(feature = "tls")]
pub(crate) use tls::Files;

/// What connections may be and take.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectionLimits {
    /// How many there are at a time.
    pub(super) connections: usize,
    /// How long a connection may take to its first request, TLS included.
    pub(super) head: Duration,
    /// How long a connection stays on which nothing is asked.
    pub(super) keep_alive: Duration,
}

impl Default for ConnectionLimits {
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

/// Connections that wait in the queue of the system, as far as that lets them.
const BACKLOG: u32 = 1_024;

/// Takes an address, as in `127.0.0.1:8000`: of several that a name stands for, the first that can be taken.
///
/// # Errors
/// Why it can't be taken, with the address.
pub(super) async fn bind(address: &str) -> Result<TcpListener> {
    let failed = |error: io::Error| {
        let why = match error.kind() {
            io::ErrorKind::InvalidInput => {
                format!("expected an address and a port, as in 127.0.0.1:8000, but found {address:?}")
            }
            _ => format!("{address}: {error}"),
        };
        let source = io::Error::new(error.kind(), why);
        Error::Io { doing: "taking the address of the HTTP endpoint", source }
    };
    let mut last = io::Error::new(io::ErrorKind::NotFound, "it stands for no address");
    for address in lookup_host(address).await.map_err(failed)? {
        match listen(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = error,
        }
    }
    Err(failed(last))
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A server that is started again gets its address back at once. On Windows it means something else.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// How long to wait after connections could not be accepted, for lack of descriptors mostly: from, to.
const BREATH: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(500));

/// How long what was cut off may take to be gone. Nothing waits in there: it is for a machine that is busy.
const CUT: Duration = Duration::from_millis(500);

/// Serves connections until `end` is ready, then for as long as requests may drain.
pub(super) async fn serve(
    serving: Serving,
    limits: ConnectionLimits,
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
        runtime::spawn_detached(connection::run(serving, stream, remote.ip(), watched.clone(), place));
    }
    drop((door, watched));
    drain(&service, &phase).await;
}

/// Ends what is open: with patience at first.
async fn drain(service: &HttpService, phase: &watch::Sender<Phase>) {
    service.shutdown();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn more_than_a_few_may_wait_to_be_let_in() {
        let listener = bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let mut waiting = Vec::new();
        // Nobody accepts; past the queue a connection is not answered at all.
        for n in 0..300 {
            let connecting = timeout(Duration::from_millis(800), TcpStream::connect(address)).await;
            waiting.push(connecting.unwrap_or_else(|_| panic!("only {n} may wait")).expect("a connection"));
        }
    }

    #[tokio::test]
    async fn an_address_that_is_none_or_taken_is_named() {
        let why = |error: Error| format!("{error:?}");
        let text = bind("8000").await.map_err(why).expect_err("no address");
        assert!(text.ends_with("as in 127.0.0.1:8000, but found \"8000\""), "{text}");
        let taken = bind("127.0.0.1:0").await.expect("a port");
        let address = taken.local_addr().expect("an address").to_string();
        let text = bind(&address).await.map_err(why).expect_err("taken");
        assert!(text.contains(&address), "{text}");
    }
}
