//! One connection: the handshake if there is TLS, requests to where they belong, and its end.
//!
//! In: what was accepted. Out: nothing; who awaits it knows that it is over. It ends when the client leaves, when it has
//! nothing to ask for too long, and when the server ends. HTTP/1.1 and HTTP/2 are `hyper`'s; which of them it is, the
//! first bytes tell.
//!
//! A client that shuts down its side counts as gone, even if it still reads: a closed socket looks the same until
//! something is written to it, and requests that describe themselves are cancelled by closing (2026-07-28).

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::CONNECTION;
use http::{HeaderValue, Request, Response, StatusCode, Version};
use http_body::{Body as _, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use plainwire_proto::json::shorten;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Instant, sleep_until};

use super::ConnectionLimits;
use super::socket::Socket;
use crate::server::http::endpoint::{Body, RemoteAddr, answer};
use crate::server::http::service::HttpService;

/// Bytes of a request's head.
const MAX_HEAD: usize = 16 << 10;

/// Bytes that are read at a time; more of a head than this is refused by `hyper`, with no word.
const MAX_READ: usize = 64 << 10;

/// Streams of one HTTP/2 connection. What a principal may have in flight is less.
const MAX_STREAMS: u32 = 200;

/// Bytes that may be on their way to the server on one stream, and on a connection, of HTTP/2.
const WINDOW: (u32, u32) = (256 << 10, 1 << 20);

/// How long a client of HTTP/2 may be silent until it is asked whether it is there.
const PING: Duration = Duration::from_secs(30);

/// How long bytes may be on their way to a client that does not take them. Then it counts as gone.
#[cfg(target_os = "linux")]
const UNTAKEN_MS: u32 = 60_000;

/// What all connections of a listener have in common.
pub(crate) struct Serving {
    builder: Builder<TokioExecutor>,
    limits: ConnectionLimits,
    path: Arc<str>,
    pub(crate) service: HttpService,
    #[cfg(feature = "tls")]
    tls: Option<tokio_rustls::TlsAcceptor>,
}

/// What a listener is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Open,
    /// Requests end, and nothing more is asked.
    Ending,
    /// All is over.
    Cut,
}

impl Serving {
    pub(crate) fn new(service: HttpService, path: Arc<str>, limits: ConnectionLimits) -> Self {
        let mut builder = Builder::new(TokioExecutor::new());
        let mut http1 = builder.http1();
        // Between two requests this is how long a connection is kept.
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

/// Serves a connection to its end, and holds its place until then.
pub(crate) async fn run(
    serving: Arc<Serving>,
    stream: TcpStream,
    remote: IpAddr,
    phase: watch::Receiver<Phase>,
    _place: OwnedSemaphorePermit,
) {
    // Without it, an answer waits for the acknowledgement of what came before: 40 ms.
    let _ = stream.set_nodelay(true);
    #[cfg(target_os = "linux")]
    let _ = rustix::net::sockopt::set_tcp_user_timeout(&stream, UNTAKEN_MS);
    let deadline = Instant::now() + serving.limits.head;
    #[cfg(feature = "tls")]
    if let Some(tls) = &serving.tls {
        let mut ending = phase.clone();
        // On the heap, and only for as long as it takes: what a task has room for, it has room for to its end.
        let mut shaking = Box::pin(tls.accept(stream));
        let shaken = tokio::select! {
            shaken = shaking.as_mut() => shaken.map(Box::new),
            () = sleep_until(deadline) => return,
            _ = ending.changed() => return,
        };
        drop(shaking);
        match shaken {
            Ok(stream) => talk(&serving, stream, remote, deadline, phase).await,
            Err(error) => tracing::debug!("a TLS handshake with {remote} failed: {error}"),
        }
        return;
    }
    talk(&serving, stream, remote, deadline, phase).await;
}

/// Serves the requests of a connection; the first of them has to be there at `deadline`.
async fn talk<S>(
    serving: &Arc<Serving>,
    stream: S,
    remote: IpAddr,
    deadline: Instant,
    mut phase: watch::Receiver<Phase>,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let activity = Arc::<Activity>::default();
    let answering = (Arc::clone(serving), Arc::clone(&activity));
    let answers = service_fn(move |request: Request<Incoming>| {
        let (serving, open) = (Arc::clone(&answering.0), Open::new(&answering.1));
        // On the heap, so that a connection at rest has no room for what a request needs.
        Box::pin(async move {
            let response = serving.answer(request, remote, &open).await;
            Ok::<_, Infallible>(response.map(|body| Counted { body, _open: open }))
        })
    });
    let socket = Socket::new(stream, Arc::clone(&activity));
    let mut connection = Box::pin(serving.builder.serve_connection(socket, answers));
    let mut tick = pin!(sleep_until(deadline));
    let (mut begun, mut asked_to_end) = (0, false);
    loop {
        tokio::select! {
            ended = connection.as_mut() => {
                if let Err(error) = ended {
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
                if activity.is_idle_since(&mut begun) {
                    if asked_to_end || begun == 0 {
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
    async fn answer(&self, request: Request<Incoming>, remote: IpAddr, open: &Open) -> Response<Body> {
        let is_http1 = request.version() < Version::HTTP_2;
        let mut request = request.map(|body| Received { body, of: Arc::clone(&open.0) });
        request.extensions_mut().insert(RemoteAddr(remote));
        let size = size_of_head(&request);
        if size > MAX_HEAD {
            let why =
                format!("expected the head of a request to be at most {MAX_HEAD} bytes, but found {size}");
            let mut response = answer::refusal(431, None, why);
            if is_http1 {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            return response;
        }
        self.route(request).await
    }

    async fn route(&self, request: Request<Received>) -> Response<Body> {
        match request.uri().path() {
            "/healthz" => answer::text(StatusCode::OK, "ok\n"),
            "/readyz" if self.service.is_ending() => {
                answer::text(StatusCode::SERVICE_UNAVAILABLE, "ending\n")
            }
            "/readyz" => answer::text(StatusCode::OK, "ok\n"),
            found if found == &*self.path || self.service.has_sse_at(found) => {
                self.service.handle(request).await
            }
            found => {
                let why = format!("expected the path {}, but found {:?}", self.path, shorten(found));
                answer::refusal(404, None, why)
            }
        }
    }
}

/// As it would be in HTTP/1.1, about.
fn size_of_head<B>(request: &Request<B>) -> usize {
    let fields = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4);
    request.uri().to_string().len() + fields.sum::<usize>()
}

/// What goes on in a connection.
#[derive(Default)]
pub(crate) struct Activity {
    /// Requests that have begun so far.
    begun: AtomicU64,
    /// Requests whose responses are not over yet.
    open: AtomicUsize,
    /// Whether the body of a request was left unread.
    unread: AtomicBool,
}

impl Activity {
    /// Whether nothing is open, and nothing was since the last time.
    fn is_idle_since(&self, last: &mut u64) -> bool {
        let begun = self.begun.load(Relaxed);
        std::mem::replace(last, begun) == begun && self.open.load(Relaxed) == 0
    }

    /// Whether the client may still be sending what nobody wants.
    pub(crate) fn has_unread(&self) -> bool {
        self.unread.load(Relaxed)
    }
}

/// A request and its response, until this is dropped.
struct Open(Arc<Activity>);

impl Open {
    fn new(activity: &Arc<Activity>) -> Self {
        activity.begun.fetch_add(1, Relaxed);
        activity.open.fetch_add(1, Relaxed);
        Self(Arc::clone(activity))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Relaxed);
    }
}

/// The body of a response, which is open as long as this is there.
struct Counted {
    body: Body,
    _open: Open,
}

impl http_body::Body for Counted {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of a request; dropped before its end, it was left unread.
struct Received {
    body: Incoming,
    of: Arc<Activity>,
}

impl http_body::Body for Received {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Received {
    fn drop(&mut self) {
        if !self.body.is_end_stream() {
            self.of.unread.store(true, Relaxed);
        }
    }
}
