//! The listener: accepts connections within a limit, and shuts them down in order.
//!
//! In: a listener, a service, and a future that is ready when the server should end. Out: one task for each
//! connection (`connection`), none of them left at the end. Shutdown: no more connections are accepted,
//! `/readyz` answers 503, streams that do not end by themselves end, and running requests have the time of
//! [`crate::Server::drain`] to end; requests that take longer are cut off. The listener waits only for
//! connections: once none is open, it cancels the calls of sessions whose client has disconnected.

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
use super::endpoint::{CallerId, Usage, network};
use crate::error::{Error, Result};
use crate::runtime::{self, LinePause};

mod activity;
mod bodies;
mod connection;
mod heads;
mod sending;
mod socket;
#[cfg(feature = "tls")]
mod tls;

use connection::Phase;
pub(crate) use connection::Serving;
#[cfg(feature = "tls")]
pub(crate) use tls::Files;

/// The limits of the connections of a listener.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectionLimits {
    /// The largest number of connections that are open at a time.
    pub(super) connections: usize,
    /// The largest number of connections of one address; `None` means half of `connections`.
    pub(super) of_address: Option<usize>,
    /// The longest time until the head of the first request of a connection has arrived, TLS handshake
    /// included.
    pub(super) head: Duration,
    /// The longest time for which a connection without requests is kept open; an HTTP/2 connection up to
    /// twice as long.
    pub(super) keep_alive: Duration,
    /// The longest time for which a client may take nothing of a response that is ready.
    pub(super) send: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            // An idle connection takes 20 to 25 KiB (`docs/http-deployment.md`), so all of them up to 250 MB.
            connections: 10_000,
            // One address can't keep all others out, and behind a proxy all connections have one address.
            of_address: None,
            // `nginx` allows 60 s; slow networks need 10 s.
            head: Duration::from_secs(30),
            // Longer than the 60 s of most load balancers: the side that sends requests should close first.
            // Otherwise a request is lost now and then.
            keep_alive: Duration::from_secs(75),
            // As `nginx`.
            send: Duration::from_secs(60),
        }
    }
}

/// The largest number of connections that wait in the queue of the operating system until the server accepts
/// them. The system may lower this number.
const BACKLOG: u32 = 1_024;

/// Binds an address, as in `127.0.0.1:8000`. If a name has several addresses, the first that can be bound is
/// used.
///
/// # Errors
/// [`Error::Io`] with the address and the reason.
pub(super) async fn bind(address: &str) -> Result<TcpListener> {
    let failed = |error: io::Error| {
        let expected = format!("expected an address and a port, as in 127.0.0.1:8000, but found {address:?}");
        let why = match error.kind() {
            _ if address.contains("://") => expected,
            io::ErrorKind::InvalidInput => expected,
            io::ErrorKind::AddrInUse => {
                format!("{address}: {error}; another program listens there, and port 0 takes a free one")
            }
            _ => format!("{address}: {error}"),
        };
        let source = io::Error::new(error.kind(), why);
        Error::Io { doing: "taking the address of the HTTP endpoint", source }
    };
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
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
    // A restarted server gets its address back at once. On Windows the option means something else.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// First and longest pause after connections could not be accepted, mostly for lack of file descriptors.
const RETRY_PAUSE: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(500));

/// Time in which the tasks of connections that were cut off have to end. They do not wait for anything, but a
/// busy machine may need some time to run them.
const CUT: Duration = Duration::from_millis(500);

/// Serves connections until `end` is ready. Then waits, at most for the drain time, until the running
/// requests of the connections are answered.
pub(super) async fn serve(
    serving: Serving,
    limits: ConnectionLimits,
    listener: TcpListener,
    end: impl Future<Output = ()>,
) {
    let service = serving.service.clone();
    let serving = Arc::new(serving);
    // This is the only sender: if this future is dropped, connections see that and end.
    let (phase, watched) = watch::channel(Phase::Open);
    let mut acceptor = Acceptor {
        full: LinePause::default(),
        pause: RETRY_PAUSE.0,
        listener,
        slots: Arc::new(Semaphore::new(limits.connections)),
    };
    let (mut end, addresses) = (pin!(end), Arc::<Usage>::default());
    let most = limits.of_address.unwrap_or(limits.connections.div_ceil(2));
    let mut refused = LinePause::default();
    loop {
        let (stream, remote, slot) = tokio::select! {
            accepted = acceptor.next() => accepted,
            () = &mut end => break,
        };
        let network = CallerId::from(&*network(remote.ip()));
        let Some(of_address) = addresses.take(&network, most) else {
            if let Some(others) = refused.count() {
                tracing::warn!(
                    "closed a connection of {network}, which has {most} open (limit \
                     `max_connections_per_address`; {others} more were closed since the last line)"
                );
            }
            continue;
        };
        let slot = (slot, of_address);
        let serving = Arc::clone(&serving);
        // The future is passed directly: an `async` block around it would reserve its size twice.
        runtime::spawn_detached(connection::run(serving, stream, remote.ip(), watched.clone(), slot));
    }
    drop((acceptor, watched));
    drain(&service, &phase).await;
}

/// Shuts down gracefully until no connection is open or the drain time of the server is over. Then ends all
/// sessions, which cancels their calls that still run, and cuts off open connections.
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

/// An acceptor of connections, which waits while no slot for open connections is free.
struct Acceptor {
    /// The log lines about the limit of open connections.
    full: LinePause,
    /// The pause after the next failed `accept`; it doubles with each failure in a row, up to a limit.
    pause: Duration,
    listener: TcpListener,
    slots: Arc<Semaphore>,
}

impl Acceptor {
    /// Accepts the next connection, once a slot is free. Until then, new connections wait in the queue of the
    /// operating system. Cancel safe: no connection is lost if the future is dropped.
    async fn next(&mut self) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
        let slot = self.slot().await;
        loop {
            match self.listener.accept().await {
                Ok((stream, remote)) => {
                    self.pause = RETRY_PAUSE.0;
                    return (stream, remote, slot);
                }
                // This connection is gone already; the next one is not affected.
                Err(error) if is_of_one(&error) => {}
                Err(error) => {
                    if self.pause == RETRY_PAUSE.0 {
                        tracing::warn!("connections can't be accepted, trying again: {error}");
                    }
                    sleep(self.pause).await;
                    self.pause = (self.pause * 2).min(RETRY_PAUSE.1);
                }
            }
        }
    }

    async fn slot(&mut self) -> OwnedSemaphorePermit {
        let slots = Arc::clone(&self.slots);
        if let Ok(slot) = Arc::clone(&slots).try_acquire_owned() {
            return slot;
        }
        if let Some(times) = self.full.count() {
            tracing::warn!(
                "the limit of open connections is reached (`max_connections`): new ones wait (so {times} more \
                 times since the last line)"
            );
        }
        slots.acquire_owned().await.expect("the semaphore is never closed")
    }
}

/// Returns whether an error of `accept` concerns only the connection that `accept` should have returned, so
/// that the next one can be accepted at once.
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
        // Nothing accepts these connections; past the queue, a connection is not answered at all.
        for n in 0..300 {
            let connecting = timeout(Duration::from_millis(800), TcpStream::connect(address)).await;
            waiting.push(connecting.unwrap_or_else(|_| panic!("only {n} may wait")).expect("a connection"));
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn no_more_than_a_thousand_or_so_may_wait_to_be_let_in() {
        let of_system = std::fs::read_to_string("/proc/sys/net/core/somaxconn").expect("a limit");
        let of_system: usize = of_system.trim().parse().expect("a number");
        // Linux adds one.
        let most = of_system.min(1_024) + 1;
        let listener = bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let mut waiting = 0;
        // A connection waits on when its client has closed it, so no more than one file is open at a time.
        while waiting <= most
            && let Ok(connected) = timeout(Duration::from_millis(500), TcpStream::connect(address)).await
        {
            connected.expect("a connection");
            waiting += 1;
        }
        assert!(waiting <= most, "{waiting} may wait");
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
