//! Streamable HTTP: one URL for the clients of every revision.
//!
//! In: a [`Server`] and what the endpoint allows. Out: a server on an address, or a service that any application of
//! `axum` and the like mounts. Sessions live in a [`Store`]; what they mean is the peer's business, and who calls what
//! is the driver's.
//!
//! ```no_run
//! # async fn run(server: plainwire::Server) -> plainwire::Result<()> {
//! use plainwire::transport::http::Http;
//!
//! Http::new(server).bearer_token("ada", "s3cret-s3cret-s3cret").serve("127.0.0.1:8000").await
//! # }
//! ```

mod answer;
mod begun;
mod body;
mod compress;
mod connection;
mod ending;
mod endpoint;
mod guard;
mod legacy;
mod listener;
mod message;
mod modern;
mod relay;
mod sessions;
mod socket;
mod sse;
mod stream;
#[cfg(feature = "tls")]
mod tls;
mod usage;

use std::convert::Infallible;
use std::future::{Future, pending};
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

pub use body::Body;
use bytes::Buf;
pub use compress::Compression;
use connection::Serving;
use ending::Ending;
use endpoint::Endpoint;
use guard::{Guard, Token};
use http::{Request, Response};
use listener::Limits;
use relay::Others;
use sessions::Sessions;
use sse::Sse;
use tokio::net::TcpListener;
use usage::Usage;

use crate::Server;
use crate::context::Principal;
use crate::error::{Error, Result};
use crate::store::{Memory, Store};

/// A server that is about to be reached by HTTP.
#[must_use = "an endpoint does nothing until it serves, for example by `.serve(\"127.0.0.1:8000\").await`"]
pub struct Http {
    compression: Compression,
    guard: Guard,
    idle: Duration,
    limits: Limits,
    path: String,
    patience: Duration,
    server: Server,
    sessions_per_caller: usize,
    /// Where it was asked for.
    sse: Option<&'static Location<'static>>,
    /// `None` if there are no other replicas.
    store: Option<Arc<dyn Store>>,
    #[cfg(feature = "tls")]
    tls: Option<tls::Files>,
}

impl Http {
    /// Begins an endpoint at the path `/mcp` that anybody may call who reaches it.
    pub fn new(server: Server) -> Self {
        Self {
            compression: Compression::default(),
            guard: Guard::default(),
            idle: Duration::from_secs(1_800),
            limits: Limits::default(),
            path: "/mcp".to_owned(),
            patience: Duration::from_secs(30),
            server,
            sessions_per_caller: begun::SESSIONS_PER_CALLER,
            sse: None,
            store: None,
            #[cfg(feature = "tls")]
            tls: None,
        }
    }

    /// Asks for a token: requests with `Authorization: Bearer` and `token` come from the principal `name`, and those
    /// with no token of the server are refused (401). Checked on every request, in constant time. Sessions belong to the
    /// principal that began them.
    pub fn bearer_token(mut self, name: impl Into<String>, token: impl Into<String>) -> Self {
        let principal = Principal { name: name.into() };
        self.guard.tokens.push((Token(token.into()), Arc::new(principal)));
        self
    }

    /// Serves requests for this host, as in the `Host` header, without a port; others are refused (403). Without this, a
    /// server on a loopback address serves the names of this machine, and one on another address serves any.
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.guard.hosts.push(host.into().to_lowercase());
        self
    }

    /// Serves pages of this origin, as in `https://app.example`. Requests with the origin of anybody else are refused
    /// (403), except from this machine to this machine.
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.guard.origins.push(origin.into().to_lowercase());
        self
    }

    /// Sets where the endpoint is; `/mcp` without this.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Sets how long a session lives in which nothing goes on; 30 minutes without this.
    pub fn session_idle(mut self, idle: Duration) -> Self {
        self.idle = idle;
        self
    }

    /// Sets how many sessions one principal may have begun at this replica, or one address without a token, before another
    /// one is refused (429); 10,000 without this.
    pub fn sessions_per_caller(mut self, most: usize) -> Self {
        self.sessions_per_caller = most;
        self
    }

    /// Sets which responses are compressed for clients that accept gzip; [`Compression::Json`] without this.
    pub fn compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }

    /// Sets how long the next part of a request's body may take; 30 seconds without this.
    pub fn body_timeout(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Serves clients of HTTP+SSE as well, the transport of 2024-11-05: `GET /sse` and `POST /messages`. Off by default,
    /// since it was replaced in 2025-03-26 and can't be taken up again when a connection breaks.
    ///
    /// A session of it lives as long as its stream, in this process: behind a balancer both paths have to lead to the
    /// same replica. The same rules hold as at [`Self::path`] for hosts, origins, tokens and sizes.
    ///
    /// An application of its own mounts [`HttpService`] at these two paths too, as they are and with nothing in front,
    /// because clients are told the second one.
    #[track_caller]
    pub fn sse(mut self) -> Self {
        self.sse = Some(Location::caller());
        self
    }

    /// Sets how long a connection may take to its first request, a TLS handshake included; 30 seconds without this.
    /// Then it is closed.
    pub fn head_timeout(mut self, patience: Duration) -> Self {
        self.limits.head = patience;
        self
    }

    /// Sets how long a connection is kept on which nothing is asked; 75 seconds without this. Between two requests this
    /// is also the time for the head of the second. A proxy in front should close first: it should keep connections for
    /// a shorter time.
    pub fn keep_alive(mut self, patience: Duration) -> Self {
        self.limits.keep_alive = patience;
        self
    }

    /// Sets how many connections are open at a time; 10,000 without this. Others wait in the queue of the system until
    /// there is a place.
    pub fn max_connections(mut self, most: usize) -> Self {
        // As many as the counter of places has room for.
        self.limits.connections = most.min(tokio::sync::Semaphore::MAX_PERMITS);
        self
    }

    /// Serves HTTPS: the files have the certificates in PEM, the server's own first, and its private key. They are read
    /// once. HTTP/2 and HTTP/1.1 are offered, in TLS 1.3 and 1.2.
    #[cfg(feature = "tls")]
    pub fn tls(
        mut self,
        certificate: impl Into<std::path::PathBuf>,
        key: impl Into<std::path::PathBuf>,
    ) -> Self {
        self.tls = Some(tls::Files { certificate: certificate.into(), key: key.into() });
        self
    }

    /// Sets where sessions live. Replicas with the same store serve each other's sessions.
    pub fn store(mut self, store: impl Store) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Serves an address, as in `127.0.0.1:8000`, until the process is asked to end by SIGTERM or SIGINT; then running
    /// requests get the time of [`Server::drain`].
    ///
    /// # Errors
    /// [`Error::Declaration`] for the first mistake in the server's declaration, [`Error::Io`] if the address can't be
    /// taken or the files for TLS are not what they should be, [`Error::Hook`] if a hook fails.
    pub async fn serve(self, address: &str) -> Result<()> {
        let failed = |source| Error::Io { doing: "taking the address of the HTTP endpoint", source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        self.serve_on(listener, asked_to_end()).await
    }

    /// Serves an address that was taken already, until `end` is ready. If the future is dropped, connections are cut off.
    ///
    /// # Errors
    /// As [`Self::serve`].
    pub async fn serve_on(mut self, listener: TcpListener, end: impl Future<Output = ()>) -> Result<()> {
        let failed = |source| Error::Io { doing: "asking for the address of the HTTP endpoint", source };
        let address = listener.local_addr().map_err(failed)?;
        if self.guard.hosts.is_empty() && address.ip().is_loopback() {
            self.guard.hosts = guard::local_hosts();
        }
        self.server.log_to_stderr();
        let path: Arc<str> = self.path.as_str().into();
        let (scheme, limits) = (self.scheme(), self.limits);
        #[cfg(feature = "tls")]
        let tls = self.tls.as_ref().map(tls::Files::acceptor).transpose()?;
        let (service, mut hooks) = self.build()?;
        hooks.start().await?;
        tracing::info!("serving {scheme}://{address}{path}");
        let serving = Serving::new(service, path, limits);
        #[cfg(feature = "tls")]
        let serving = serving.with_tls(tls);
        listener::serve(serving, limits, listener, end).await;
        hooks.shutdown().await
    }

    /// Makes a service of it, for an application that has a listener of its own. It answers at any path, but
    /// for those of [`Self::sse`]; hooks of the
    /// server are not called, and `Host` is not checked unless [`Self::allow_host`] says what it may be.
    ///
    /// # Errors
    /// [`Error::Declaration`] for the first mistake in the server's declaration.
    pub fn into_service(self) -> Result<HttpService> {
        self.build().map(|(service, _)| service)
    }

    fn scheme(&self) -> &'static str {
        #[cfg(feature = "tls")]
        if self.tls.is_some() {
            return "https";
        }
        "http"
    }

    fn build(self) -> Result<(HttpService, crate::server::Hooks)> {
        if let Some(at) = self.sse
            && sse::PATHS.contains(&self.path.as_str())
        {
            let message = format!("expected `path` to be none of {:?}, which `sse` takes", sse::PATHS);
            return Err(Error::Declaration { at, message });
        }
        let (built, hooks) = self.server.build(None)?;
        let others = self.store.as_ref().map(Others::new);
        let store = self.store.unwrap_or_else(|| Arc::new(Memory::default()));
        let (idle, most) = (self.idle, self.sessions_per_caller);
        let sessions = Arc::new(Sessions::new(Arc::clone(&built), store, idle, most, others.clone()));
        if let Some(others) = others {
            others.listen(&built.shared.bus, &sessions);
        }
        let endpoint = Endpoint {
            built,
            compression: self.compression,
            ending: Ending::default(),
            guard: self.guard,
            in_flight: Arc::<Usage>::default(),
            listens: Arc::<Usage>::default(),
            patience: self.patience,
            sessions,
            sse: self.sse.map(|_| Arc::<Sse>::default()),
        };
        let inner = Inner { endpoint };
        Ok((HttpService { inner: Arc::new(inner) }, hooks))
    }
}

/// Ready when the process is asked to end.
async fn asked_to_end() {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = pending::<()>();
    tokio::select! {
        () = interrupted => {}
        () = terminated => {}
    }
}

/// A server as a service of `tower`; clones are the same server.
#[derive(Clone)]
pub struct HttpService {
    inner: Arc<Inner>,
}

struct Inner {
    endpoint: Endpoint,
}

impl std::fmt::Debug for HttpService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HttpService")
    }
}

impl HttpService {
    /// Answers one request.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body<Data: Buf, Error: std::fmt::Display>,
    {
        self.inner.endpoint.handle(request).await
    }

    fn begin_to_end(&self) {
        self.inner.endpoint.ending.begin();
    }

    fn is_ending(&self) -> bool {
        self.inner.endpoint.ending.has_begun()
    }

    fn drain(&self) -> Duration {
        self.inner.endpoint.built.drain
    }

    fn has_sse_at(&self, path: &str) -> bool {
        self.inner.endpoint.sse.is_some() && sse::PATHS.contains(&path)
    }

    fn end(&self) {
        self.inner.endpoint.sessions.end();
        self.inner.endpoint.sse.iter().for_each(|sse| sse.end());
    }
}

impl<B> tower_service::Service<Request<B>> for HttpService
where
    B: http_body::Body<Data: Buf + Send, Error: std::fmt::Display + Send> + Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.handle(request).await) })
    }
}

impl Server {
    /// Serves Streamable HTTP at `http://ADDRESS/mcp`, as in `.http("127.0.0.1:8000")`, until the process is asked to
    /// end; [`Http`] is the same with more to say.
    ///
    /// # Errors
    /// As [`Http::serve`].
    pub async fn http(self, address: &str) -> Result<()> {
        Http::new(self).serve(address).await
    }
}
