//! One connection: the TLS handshake if there is TLS, its requests, and its end.
//!
//! In: an accepted socket. Out: nothing; the future is ready when the connection is over. A connection ends
//! when the client disconnects, when it has no request for too long, and when the server ends. `hyper`
//! implements HTTP/1.1 and HTTP/2, and chooses by the first bytes.
//!
//! A client that shuts down its writing side counts as gone, even if it still reads. A closed socket looks
//! the same until the server writes to it, and closing is how clients cancel requests of 2026-07-28.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use http::header::CONNECTION;
use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioTimer;
use hyper_util::server::conn::auto::Builder;
use plainwire_proto::json::shorten;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Instant, sleep_until};

use super::ConnectionLimits;
use super::activity::{Activity, Open};
use super::bodies::{Counted, Received};
use super::heads::CountedHeads;
use super::sending::Streams;
use super::socket::Socket;
use crate::runtime;
use crate::server::http::endpoint::{Body, CallerId, RemoteAddr, Slot, answer};
use crate::server::http::service::HttpService;

/// Largest head of a request (its URL and headers), in bytes.
const MAX_HEAD: usize = 16 << 10;

/// Size of a connection's read buffer for HTTP/1.1, in bytes. If a head is larger than this buffer, `hyper`
/// refuses it, and the refusal has no error text.
pub(super) const MAX_READ: usize = 64 << 10;

/// The largest number of streams that are open at a time in one HTTP/2 connection. Requests in flight are
/// also limited for each caller, over all of its connections.
const MAX_STREAMS: u32 = 200;

/// HTTP/2 flow-control windows in bytes: of one stream, and of a connection.
const WINDOW: (u32, u32) = (256 << 10, 1 << 20);

/// Time without data from an HTTP/2 client after which the server sends it a PING frame.
const PING: Duration = Duration::from_secs(30);

/// Time in milliseconds until a client that does not acknowledge sent bytes counts as gone.
#[cfg(target_os = "linux")]
const UNTAKEN_MS: u32 = 60_000;

/// The data that all connections of a listener share.
pub(crate) struct Serving {
    builder: Builder<Streams>,
    limits: ConnectionLimits,
    path: Arc<str>,
    pub(crate) service: HttpService,
    #[cfg(feature = "tls")]
    tls: Option<tokio_rustls::TlsAcceptor>,
}

/// The phases of a listener, set by its `serve` and watched by each connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Open,
    /// The server ends: running requests are answered; new ones are not accepted.
    Ending,
    /// The drain time is over: all connections are closed at once.
    Cut,
}

impl Serving {
    pub(crate) fn new(service: HttpService, path: Arc<str>, limits: ConnectionLimits) -> Self {
        let mut builder = Builder::new(Streams { patience: limits.send });
        let mut http1 = builder.http1();
        // Between two requests this is also the time for which a connection is kept open.
        http1.timer(TokioTimer::new()).header_read_timeout(limits.keep_alive).max_buf_size(MAX_READ);
        let mut http2 = builder.http2();
        http2.timer(TokioTimer::new()).keep_alive_interval(PING).max_concurrent_streams(MAX_STREAMS);
        http2.max_header_list_size(MAX_HEAD as u32);
        http2.initial_stream_window_size(WINDOW.0).initial_connection_window_size(WINDOW.1);
        Self {
            builder,
            limits,
            path,
            service,
            #[cfg(feature = "tls")]
            tls: None,
        }
    }

    #[cfg(feature = "tls")]
    pub(crate) fn with_tls(self, tls: Option<tokio_rustls::TlsAcceptor>) -> Self {
        Self { tls, ..self }
    }
}

/// Serves a connection to its end, and until then holds `slots`: its slots among all open connections, and
/// among those of its network.
pub(crate) async fn run(
    serving: Arc<Serving>,
    stream: TcpStream,
    remote: IpAddr,
    phase: watch::Receiver<Phase>,
    slots: (OwnedSemaphorePermit, Slot),
) {
    let remote = (remote, slots.1.caller().clone());
    // Otherwise an answer waits for the acknowledgement of earlier bytes: 40 ms.
    let _ = stream.set_nodelay(true);
    #[cfg(target_os = "linux")]
    let _ = rustix::net::sockopt::set_tcp_user_timeout(&stream, UNTAKEN_MS);
    let deadline = Instant::now() + serving.limits.head;
    #[cfg(feature = "tls")]
    if let Some(tls) = &serving.tls {
        let mut ending = phase.clone();
        // The handshake is on the heap, and dropped when it is over: otherwise the task would reserve its
        // memory until the connection ends.
        let mut shaking = Box::pin(tls.accept(stream));
        let shaken = tokio::select! {
            shaken = shaking.as_mut() => shaken.map(Box::new),
            () = sleep_until(deadline) => return,
            _ = ending.changed() => return,
        };
        drop(shaking);
        match shaken {
            Ok(stream) => talk(&serving, stream, remote, deadline, phase).await,
            Err(error) => serving.service.endpoint().refusals.note_handshake(remote.0, &error),
        }
        return;
    }
    talk(&serving, stream, remote, deadline, phase).await;
}

/// The future of the response to a request.
type Answering = Pin<Box<dyn Future<Output = Result<Response<Counted>, Infallible>> + Send>>;

/// Serves the requests of a connection until the client disconnects, the connection is idle for too long, or
/// the server ends. The first request has to arrive before `deadline`.
async fn talk<S>(
    serving: &Arc<Serving>,
    stream: S,
    remote: (IpAddr, CallerId),
    deadline: Instant,
    mut phase: watch::Receiver<Phase>,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let activity = Arc::<Activity>::default();
    let (address, network) = remote.clone();
    let answering = (Arc::clone(serving), Arc::clone(&activity));
    let answers = service_fn(move |request: Request<Incoming>| {
        // What this task has woken since it runs, such as the stream of a session, must not wait for a handler.
        // In HTTP/2 each request has a task of its own.
        if request.version() < Version::HTTP_2 && answering.1.has_worked() {
            runtime::share_woken();
        }
        let (serving, open) = (Arc::clone(&answering.0), Open::new(&answering.1));
        let (head, mut body) = Serving::receive(request, remote.clone(), &open);
        if let Some(response) = serving.answer_here(&head) {
            serving.service.endpoint().refusals.note(&response, Some(&RemoteAddr(address)));
            // `Counted` belongs to the stream of HTTP/2 in whose task it is made.
            return Box::pin(async move { Ok(response.map(|body| Counted::new(body, open))) }) as Answering;
        }
        // On the heap, so that an idle connection does not reserve the memory of a request.
        Box::pin(async move {
            let response = serving.service.endpoint().answer(&head, &mut body).await;
            Ok(response.map(|body| Counted::new(body, open)))
        })
    });
    let stream = CountedHeads::new(stream, &activity, &serving.service.endpoint().memory, &network);
    let socket = Socket::new(stream, Arc::clone(&activity), serving.limits.send);
    let mut connection = Box::pin(serving.builder.serve_connection(socket, answers));
    let mut tick = pin!(sleep_until(deadline));
    let (mut turns, mut asked_to_end) = (0, false);
    loop {
        tokio::select! {
            ended = poll_fn(|cx| activity.follow(connection.as_mut(), cx)) => {
                if let Err(error) = ended {
                    if error.downcast_ref().is_some_and(hyper::Error::is_parse_too_large) {
                        serving.service.endpoint().refusals.note_unread_head(address, MAX_HEAD);
                    }
                    tracing::debug!("a connection ended: {error}");
                }
                return;
            }
            changed = phase.changed() => {
                if changed.is_err() || *phase.borrow_and_update() == Phase::Cut {
                    return;
                }
                connection.as_mut().graceful_shutdown();
            }
            () = tick.as_mut() => {
                if activity.is_idle_since(&mut turns) {
                    if asked_to_end || turns == 0 {
                        return;
                    }
                    asked_to_end = true;
                    connection.as_mut().graceful_shutdown();
                }
                tick.as_mut().reset(Instant::now() + serving.limits.keep_alive);
            }
        }
    }
}

impl Serving {
    /// Splits a request into its head, with the sender of the request, and its body.
    fn receive(
        request: Request<Incoming>,
        (address, network): (IpAddr, CallerId),
        open: &Open,
    ) -> (Parts, Received) {
        let (mut head, body) = request.into_parts();
        head.extensions.insert(RemoteAddr(address));
        head.extensions.insert(network);
        (head, Received { body, of: open.activity() })
    }

    /// Returns the response to a request that is not for the endpoint, or whose head is too large; `None` for
    /// other requests.
    fn answer_here(&self, head: &Parts) -> Option<Response<Body>> {
        let size = size_of_head(head);
        if size > MAX_HEAD {
            let why =
                format!("expected the head of a request to be at most {MAX_HEAD} bytes, but found {size}");
            let mut response = answer::refusal(431, None, why);
            if head.version < Version::HTTP_2 {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            return Some(response);
        }
        Some(match head.uri.path() {
            "/healthz" => answer::text(StatusCode::OK, "ok\n"),
            "/readyz" if self.service.is_ending() => {
                answer::text(StatusCode::SERVICE_UNAVAILABLE, "ending\n")
            }
            "/readyz" => answer::text(StatusCode::OK, "ok\n"),
            found if found == &*self.path || self.service.has_sse_at(found) => return None,
            found => {
                let why = format!("expected the path {}, but found {:?}", self.path, shorten(found));
                answer::refusal(404, None, why)
            }
        })
    }
}

/// Returns the approximate size in bytes that the head of a request has in HTTP/1.1.
fn size_of_head(head: &Parts) -> usize {
    let fields = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4);
    let authority = head.uri.authority().map_or(0, |it| it.as_str().len());
    let path = head.uri.path_and_query().map_or(0, |it| it.as_str().len());
    authority + path + fields.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
    use tokio::time::timeout;

    use super::*;
    use crate::server::http::Http;

    /// The first bytes of an HTTP/2 client: the preface, and a SETTINGS frame without settings.
    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

    /// The type of a PING frame.
    const PING_FRAME: u8 = 6;

    fn serving() -> Arc<Serving> {
        let service = Http::new(crate::server!("quiet")).into_service().expect("a service");
        Arc::new(Serving::new(service, "/mcp".into(), ConnectionLimits::default()))
    }

    /// Reads a frame of HTTP/2, and returns its type.
    async fn read_frame(client: &mut DuplexStream) -> u8 {
        let mut head = [0; 9];
        client.read_exact(&mut head).await.expect("the head of a frame");
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        client.read_exact(&mut vec![0; length as usize]).await.expect("the rest of a frame");
        head[3]
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_of_http2_is_pinged_when_it_has_sent_nothing_for_half_a_minute() {
        let (mut client, stream) = duplex(64 << 10);
        let (_phase, watched) = watch::channel(Phase::Open);
        let (serving, remote) = (serving(), (IpAddr::from([127, 0, 0, 1]), CallerId::from("127.0.0.1")));
        let began = Instant::now();
        let pinged = async {
            client.write_all(PREFACE).await.expect("a connection");
            while read_frame(&mut client).await != PING_FRAME {}
            began.elapsed().as_secs()
        };
        let deadline = began + Duration::from_secs(600);
        tokio::select! {
            () = talk(&serving, stream, remote, deadline, watched) => panic!("the connection has ended"),
            after = timeout(Duration::from_secs(300), pinged) => assert_eq!(after, Ok(30)),
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_client_that_acknowledges_nothing_is_gone_after_a_minute() {
        use rustix::net::sockopt::tcp_user_timeout;
        use tokio::net::TcpListener;
        use tokio::sync::Semaphore;

        use crate::server::http::endpoint::Usage;

        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let _client = TcpStream::connect(address).await.expect("a connection");
        let (stream, remote) = listener.accept().await.expect("a connection");
        // The option is read at a second handle of the same socket.
        let stream = stream.into_std().expect("a socket");
        let handle = stream.try_clone().expect("a handle");
        let stream = TcpStream::from_std(stream).expect("a socket");
        let permit = Arc::new(Semaphore::new(1)).try_acquire_owned().expect("a permit");
        let slot = Arc::<Usage>::default().take(&"127.0.0.1".into(), 1).expect("a slot");
        let (_phase, watched) = watch::channel(Phase::Open);
        let running = run(serving(), stream, remote.ip(), watched, (permit, slot));
        tokio::select! {
            biased;
            () = running => panic!("the connection has ended"),
            () = tokio::task::yield_now() => {}
        }
        assert_eq!(tcp_user_timeout(&handle), Ok(60_000));
    }
}
