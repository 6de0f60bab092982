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

use std::fmt;
use std::future::{Future, pending};
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;

use super::Hooks;
use super::context::Principal;
use super::store::Store;
use super::store::memory::Memory;
use crate::Server;
use crate::error::{Error, Result};

mod checks;
mod endpoint;
mod eras;
mod listener;
mod service;
pub(crate) mod session;

pub use endpoint::{Body, Compression, RemoteAddr};
use endpoint::{Ending, Endpoint, Guard, Token, Usage};
use eras::Sse;
use listener::{ConnectionLimits, Serving};
pub use service::HttpService;
use session::{Others, Sessions};

/// A server that is about to be reached by HTTP.
#[must_use = "an endpoint does nothing until it serves, for example by `.serve(\"127.0.0.1:8000\").await`"]
pub struct Http {
    compression: Compression,
    guard: Guard,
    idle: Duration,
    /// The first thing that was said about a listener or a route, which [`Self::into_service`] has not.
    kept_apart: Option<(&'static Location<'static>, &'static str)>,
    limits: ConnectionLimits,
    /// The first mistake in what the methods were given.
    mistake: Option<(&'static Location<'static>, String)>,
    path: String,
    patience: Duration,
    server: Server,
    sessions_per_caller: usize,
    /// Where it was asked for.
    sse: Option<&'static Location<'static>>,
    /// `None` if there are no other replicas.
    store: Option<(&'static Location<'static>, Arc<dyn Store>)>,
    #[cfg(feature = "tls")]
    tls: Option<listener::Files>,
}

impl Http {
    /// Begins an endpoint at the path `/mcp` that anybody may call who reaches it.
    pub fn new(server: Server) -> Self {
        Self {
            compression: Compression::default(),
            guard: Guard::default(),
            idle: Duration::from_secs(1_800),
            kept_apart: None,
            limits: ConnectionLimits::default(),
            mistake: None,
            path: "/mcp".to_owned(),
            patience: Duration::from_secs(30),
            server,
            sessions_per_caller: session::SESSIONS_PER_CALLER,
            sse: None,
            store: None,
            #[cfg(feature = "tls")]
            tls: None,
        }
    }

    /// Asks for a token: requests with `Authorization: Bearer` and `token` come from the principal `name`, and those
    /// with no token of the server are refused (401). Checked on every request, in constant time. Sessions belong to the
    /// principal that began them.
    ///
    /// Neither may be empty, tokens are visible ASCII characters, and each of them is given once.
    #[track_caller]
    pub fn bearer_token(mut self, name: impl Into<String>, token: impl Into<String>) -> Self {
        let (principal, token) = (Principal { name: name.into() }, token.into());
        let again = self.guard.tokens.iter().find(|(known, _)| known.0 == token);
        let checked = checks::token(&principal.name, &token).and_then(|()| match again {
            None => Ok(()),
            Some((_, other)) => Err(format!(
                "expected each token once, but found that of {:?} again, for {:?}",
                other.name, principal.name
            )),
        });
        self.guard.tokens.push((Token(token), Arc::new(principal)));
        self.note(checked)
    }

    /// Serves requests for this host, as in the `Host` header, without a port; others are refused (403). Without this, a
    /// server on a loopback address serves the names of this machine, and one on another address serves any.
    #[track_caller]
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        let host = host.into().to_lowercase();
        let checked = checks::host(&host);
        self.guard.hosts.push(host);
        self.note(checked)
    }

    /// Serves pages of this origin, as in `https://app.example`. Requests with the origin of anybody else are refused
    /// (403), except from this machine to this machine.
    #[track_caller]
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        let origin = origin.into().to_lowercase();
        let checked = checks::origin(&origin);
        self.guard.origins.push(origin);
        self.note(checked)
    }

    /// Sets where the endpoint is; `/mcp` without this.
    #[track_caller]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        let checked = checks::path(&self.path);
        self.note(checked).apart("path")
    }

    /// Sets how long a session lives in which nothing goes on; 30 minutes without this.
    #[track_caller]
    pub fn session_idle(mut self, idle: Duration) -> Self {
        self.idle = idle;
        self.some("session_idle", !idle.is_zero())
    }

    /// Sets how many sessions one principal may have begun at this replica, or one address without a token, before another
    /// one is refused (429); 10,000 without this.
    #[track_caller]
    pub fn sessions_per_caller(mut self, most: usize) -> Self {
        self.sessions_per_caller = most;
        self.some("sessions_per_caller", most > 0)
    }

    /// Sets which responses are compressed for clients that accept gzip; [`Compression::Json`] without this.
    pub fn compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }

    /// Sets how long the next part of a request's body may take; 30 seconds without this. All of it may take as long, and a
    /// second more for each 16 KiB that have come.
    #[track_caller]
    pub fn body_timeout(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self.some("body_timeout", !patience.is_zero())
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
    pub fn http_sse(mut self) -> Self {
        self.sse = Some(Location::caller());
        self
    }

    /// Sets how long a connection may take to its first request, a TLS handshake included; 30 seconds without this.
    /// Then it is closed.
    #[track_caller]
    pub fn head_timeout(mut self, patience: Duration) -> Self {
        self.limits.head = patience;
        self.some("head_timeout", !patience.is_zero()).apart("head_timeout")
    }

    /// Sets how long a connection is kept on which nothing is asked; 75 seconds without this. Between two requests this
    /// is also the time for the head of the second. A proxy in front should close first: it should keep connections for
    /// a shorter time.
    #[track_caller]
    pub fn keep_alive_timeout(mut self, patience: Duration) -> Self {
        self.limits.keep_alive = patience;
        self.some("keep_alive_timeout", !patience.is_zero()).apart("keep_alive_timeout")
    }

    /// Sets how many connections are open at a time; 10,000 without this. Others wait in the queue of the system until
    /// there is a place.
    #[track_caller]
    pub fn max_connections(mut self, most: usize) -> Self {
        // As many as the counter of places has room for.
        self.limits.connections = most.min(tokio::sync::Semaphore::MAX_PERMITS);
        self.some("max_connections", most > 0).apart("max_connections")
    }

    /// Serves HTTPS: the files have the certificates in PEM, the server's own first, and its private key. They are read
    /// once. HTTP/2 and HTTP/1.1 are offered, in TLS 1.3 and 1.2.
    #[cfg(feature = "tls")]
    #[track_caller]
    pub fn tls(
        mut self,
        certificate: impl Into<std::path::PathBuf>,
        key: impl Into<std::path::PathBuf>,
    ) -> Self {
        self.tls = Some(listener::Files { certificate: certificate.into(), key: key.into() });
        self.apart("tls")
    }

    /// Sets where sessions live. Replicas with the same store serve each other's sessions.
    #[track_caller]
    pub fn store(mut self, store: impl Store) -> Self {
        self.store = Some((Location::caller(), Arc::new(store)));
        self
    }

    /// Remembers the first mistake, which is told when the endpoint is about to serve.
    #[track_caller]
    fn note(mut self, checked: Result<(), String>) -> Self {
        let at = Location::caller();
        self.mistake = self.mistake.or_else(|| checked.err().map(|message| (at, message)));
        self
    }

    /// Notes that `what` was given nothing at all, unless it was given `some`.
    #[track_caller]
    fn some(self, what: &str, some: bool) -> Self {
        self.note(if some {
            Ok(())
        } else {
            Err(format!("expected `{what}` to be more than 0, but found 0"))
        })
    }

    /// Remembers that `what` was said about a listener of our own.
    #[track_caller]
    fn apart(mut self, what: &'static str) -> Self {
        self.kept_apart.get_or_insert((Location::caller(), what));
        self
    }

    /// Serves an address, as in `127.0.0.1:8000`, until the process is asked to end by SIGTERM or SIGINT; then running
    /// requests get the time of [`Server::drain`].
    ///
    /// # Errors
    /// [`Error::Declaration`] for the first mistake in the server's declaration, [`Error::Io`] if the address can't be
    /// taken or the files for TLS are not what they should be, [`Error::Hook`] if a hook fails.
    pub async fn serve(self, address: &str) -> Result<()> {
        // Before the address is taken: who sees that it is in use would look in the wrong place.
        let ready = self.ready()?;
        let listener = listener::bind(address).await?;
        ready.serve(listener, asked_to_end()).await
    }

    /// Serves an address that was taken already, until `end` is ready. If the future is dropped, connections are cut off.
    ///
    /// # Errors
    /// As [`Self::serve`].
    pub async fn serve_on(self, listener: TcpListener, end: impl Future<Output = ()>) -> Result<()> {
        self.ready()?.serve(listener, end).await
    }

    /// Makes a service of it, for an application that has a listener of its own. It answers at any path, but
    /// for those of [`Self::http_sse`]; hooks of the server are not called, and `Host` is not checked unless
    /// [`Self::allow_host`] says what it may be. Who calls, the application says: see [`HttpService::handle`].
    ///
    /// # Errors
    /// [`Error::Declaration`] for the first mistake in the server's declaration; for what only a listener of our own has
    /// ([`Self::path`], [`Self::max_connections`], [`Self::head_timeout`], [`Self::keep_alive_timeout`], `tls`); and for
    /// [`Self::store`] outside of a runtime of tokio, in which other replicas are heard.
    pub fn into_service(self) -> Result<HttpService> {
        if let (None, Some((at, what))) = (&self.mistake, self.kept_apart) {
            let message = format!("expected `{what}` beside `serve`, but found it beside `into_service`");
            return Err(Error::Declaration { at, message });
        }
        self.build().map(|(endpoint, _)| HttpService::new(endpoint))
    }

    fn scheme(&self) -> &'static str {
        #[cfg(feature = "tls")]
        if self.tls.is_some() {
            return "https";
        }
        "http"
    }

    /// Does all that can fail before there is an address.
    fn ready(self) -> Result<Ready> {
        self.server.log_to_stderr();
        let (path, limits, scheme) = (self.path.as_str().into(), self.limits, self.scheme());
        #[cfg(feature = "tls")]
        let tls = self.tls.clone();
        let (endpoint, hooks) = self.build()?;
        #[cfg(feature = "tls")]
        let tls = tls.as_ref().map(listener::Files::acceptor).transpose()?;
        Ok(Ready {
            endpoint,
            hooks,
            limits,
            path,
            scheme,
            #[cfg(feature = "tls")]
            tls,
        })
    }

    fn build(self) -> Result<(Endpoint, Hooks)> {
        if let Some((at, message)) = self.mistake {
            return Err(Error::Declaration { at, message });
        }
        if let Some(at) = self.sse
            && eras::PATHS.contains(&self.path.as_str())
        {
            let message = format!("expected `path` to be none of {:?}, which `http_sse` takes", eras::PATHS);
            return Err(Error::Declaration { at, message });
        }
        if let Some((at, _)) = self.store
            && tokio::runtime::Handle::try_current().is_err()
        {
            let message =
                "expected a runtime of tokio, in which `store` hears other replicas, but found none";
            return Err(Error::Declaration { at, message: message.to_owned() });
        }
        let (built, hooks) = self.server.build(None)?;
        let store = self.store.map(|(_, store)| store);
        let others = store.as_ref().map(Others::new);
        let store = store.unwrap_or_else(|| Arc::new(Memory::default()));
        let (idle, most) = (self.idle, self.sessions_per_caller);
        let sessions = Arc::new(Sessions::new(Arc::clone(&built), store, idle, most, others.clone()));
        if let Some(others) = others {
            others.listen(&built.shared.bus, &sessions);
        }
        let endpoint = Endpoint {
            bodies: Arc::<Usage>::default(),
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
        Ok((endpoint, hooks))
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Tokens and keys never show themselves.
        f.debug_struct("Http").field("path", &self.path).field("server", &self.server).finish_non_exhaustive()
    }
}

/// An endpoint that lacks nothing but an address.
struct Ready {
    endpoint: Endpoint,
    hooks: Hooks,
    limits: ConnectionLimits,
    path: Arc<str>,
    scheme: &'static str,
    #[cfg(feature = "tls")]
    tls: Option<tokio_rustls::TlsAcceptor>,
}

impl Ready {
    async fn serve(mut self, listener: TcpListener, end: impl Future<Output = ()>) -> Result<()> {
        let failed = |source| Error::Io { doing: "asking for the address of the HTTP endpoint", source };
        let address = listener.local_addr().map_err(failed)?;
        if self.endpoint.guard.hosts.is_empty() && address.ip().is_loopback() {
            self.endpoint.guard.hosts = endpoint::local_hosts();
        }
        self.hooks.start().await?;
        tracing::info!("serving {}://{address}{}", self.scheme, self.path);
        let serving = Serving::new(HttpService::new(self.endpoint), self.path, self.limits);
        #[cfg(feature = "tls")]
        let serving = serving.with_tls(self.tls);
        listener::serve(serving, self.limits, listener, end).await;
        self.hooks.shutdown().await
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
