//! Streamable HTTP: one URL for the clients of every revision.
//!
//! In: a [`Server`] and the options of the endpoint. Out: a server on an address, or a `tower` service that
//! an application (axum, for example) mounts. A [`Store`] keeps the sessions. The rules of the protocol are
//! in the crate `plainwire_proto`, not here.
//!
//! ```no_run
//! # async fn run(server: plainwire::Server) -> plainwire::Result<()> {
//! use plainwire::http::Http;
//!
//! Http::new(server).bearer_token("ada", "s3cret-s3cret-s3cret").serve("127.0.0.1:8000").await
//! # }
//! ```

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderName;
use tokio::net::TcpListener;

use super::catalog::selection::{Selection, Selections};
use super::principal::Principal;
use super::store::Store;
use super::store::memory::Memory;
use super::{Hooks, Server};
use crate::error::{Error, Result};
use crate::runtime::asked_to_end;

mod checks;
mod endpoint;
mod eras;
mod listener;
mod service;
pub(crate) mod session;

pub use endpoint::{Body, Compression, RemoteAddr};
use endpoint::{Endpoint, Guard, ShutdownSignal, Token, Usage};
use eras::Sse;
use listener::{ConnectionLimits, Serving};
pub use service::HttpService;
use session::{OtherReplicas, Sessions};

/// An HTTP endpoint for a [`Server`], with its options.
#[must_use = "an endpoint does nothing until it serves, for example by `.serve(\"127.0.0.1:8000\").await`"]
pub struct Http {
    compression: Compression,
    guard: Guard,
    /// The lifetime of a session without activity.
    idle: Duration,
    /// The first call of an option that only our own listener uses: its position in the source, and the name
    /// of the option. [`Self::into_service`] refuses such an option.
    listener_option: Option<(&'static Location<'static>, &'static str)>,
    limits: ConnectionLimits,
    /// The first illegal argument of a method: the position of the call in the source, and the text of the
    /// error.
    mistake: Option<(&'static Location<'static>, String)>,
    path: String,
    /// The names of the headers that handlers may read.
    passed: Vec<HeaderName>,
    /// The longest time between two parts of a request's body.
    patience: Duration,
    server: Server,
    sessions_per_caller: usize,
    /// The position in the source of the call of [`Self::http_sse`]; `None` if HTTP+SSE is not served.
    sse: Option<&'static Location<'static>>,
    /// The position in the source of the call of [`Self::store`], and the store. `None`: sessions are in the
    /// memory of this process, and there are no other replicas.
    store: Option<(&'static Location<'static>, Arc<dyn Store>)>,
    #[cfg(feature = "tls")]
    tls: Option<listener::Files>,
    selections: Option<Selections>,
}

impl Http {
    /// Makes an endpoint at the path `/mcp` that requires no token.
    pub fn new(server: Server) -> Self {
        Self {
            compression: Compression::default(),
            guard: Guard::default(),
            idle: Duration::from_secs(1_800),
            listener_option: None,
            limits: ConnectionLimits::default(),
            mistake: None,
            passed: Vec::new(),
            path: "/mcp".to_owned(),
            patience: Duration::from_secs(30),
            server,
            sessions_per_caller: session::SESSIONS_PER_CALLER,
            sse: None,
            store: None,
            #[cfg(feature = "tls")]
            tls: None,
            selections: None,
        }
    }

    /// Adds a token: requests with `Authorization: Bearer` and `token` come from the principal `name`.
    /// Requests without a token of this server are refused (401), except for CORS preflights and health
    /// checks. The token is checked on every request, in constant time. A session belongs to the principal
    /// that began it.
    ///
    /// Neither argument may be empty. A token is visible ASCII characters, and each token may be added once.
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

    /// Allows this host in the `Host` header, without a port. Requests for other hosts are refused (403).
    /// Without this, a server on a loopback address allows the names of this machine, and a server on another
    /// address allows every host.
    #[track_caller]
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        let host = host.into().to_lowercase();
        let checked = checks::host(&host);
        self.guard.hosts.push(host);
        self.note(checked)
    }

    /// Allows this origin in the `Origin` header, as in `https://app.example`. Requests with another origin
    /// are refused (403), unless both the origin and the host of the request are this machine: `localhost` or
    /// a loopback address. Requests without the header pass.
    #[track_caller]
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        let origin = origin.into().to_lowercase();
        let checked = checks::origin(&origin);
        self.guard.origins.push(origin);
        self.note(checked)
    }

    /// Sets the URL path of the endpoint; `/mcp` without this.
    #[track_caller]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        let checked = checks::path(&self.path);
        self.note(checked).listener_only("path")
    }

    /// Lets handlers read this header of their request, with [`Context::header`](crate::Context::header). Without
    /// this they can read no header. For headers that a proxy in front of the server sets, such as a tenant or a
    /// request id: remove them from requests that come from outside, since clients may send any header.
    ///
    /// `authorization`, `proxy-authorization`, `cookie` and `mcp-session-id` can't be passed, and you should not pass
    /// other headers with tokens: a tool that sends the token of its caller to another
    /// service is what the specification forbids ("token passthrough").
    #[track_caller]
    pub fn pass_header(mut self, name: &str) -> Self {
        let checked = checks::passed_header(name).map(|name| self.passed.push(name));
        self.note(checked)
    }

    /// Lets the URL choose the tools, so that a host can have modes without all tools in every prompt: `/mcp?mode=read`,
    /// for example. `choose` gets the query of the URL as it was sent, empty without one, and returns a function that
    /// says of each tool name whether the URL offers it; `None` offers all tools. A tool that is not
    /// offered does not exist at that URL: it is neither listed nor called. The error of `choose` refuses the request
    /// (400).
    ///
    /// The tools at one URL never vary, so the same query always has to choose the same tools. A
    /// client picks its URL itself: this saves tokens, and restricts nobody. A query of more than 4,096 bytes is refused (400). If
    /// `choose` panics, the request is answered with 500; a tool for which the returned function panics is not offered.
    pub fn tools_by_query<F>(
        mut self,
        choose: impl Fn(&str) -> Result<Option<F>, String> + Send + Sync + 'static,
    ) -> Self
    where
        F: Fn(&str) -> bool + Send + Sync + 'static,
    {
        self.selections = Some(Selections::new(move |query| Ok(choose(query)?.map(Selection::new))));
        self
    }

    /// Sets how long a session without activity lives; 30 minutes without this. Requests in the session,
    /// running calls and streams that a client reads count as activity. Until the client has sent
    /// `notifications/initialized`, the session lives for at most 60 seconds without activity.
    #[track_caller]
    pub fn session_idle(mut self, idle: Duration) -> Self {
        self.idle = idle;
        self.nonzero("session_idle", !idle.is_zero())
    }

    /// Sets how many sessions that began at this replica one caller may have at a time; 10,000 without this.
    /// A caller is a principal, or without a principal an address. One session more is refused (429).
    #[track_caller]
    pub fn sessions_per_caller(mut self, most: usize) -> Self {
        self.sessions_per_caller = most;
        self.nonzero("sessions_per_caller", most > 0)
    }

    /// Sets which responses are compressed for clients that accept gzip; [`Compression::Json`] without this.
    pub fn compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }

    /// Sets how long the server waits for the next part of a request's body; 30 seconds without this. The
    /// whole body may take this time, plus one second for each 16 KiB received.
    #[track_caller]
    pub fn body_timeout(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self.nonzero("body_timeout", !patience.is_zero())
    }

    /// Sets how long a client may take nothing of a response that is ready; 60 seconds without this. After that,
    /// an HTTP/1.1 connection is closed, and an HTTP/2 stream is reset. This option is for [`Self::serve`] and
    /// [`Self::serve_on`], which accept connections.
    #[track_caller]
    pub fn send_timeout(mut self, patience: Duration) -> Self {
        self.limits.send = patience;
        self.nonzero("send_timeout", !patience.is_zero()).listener_only("send_timeout")
    }

    /// Also serves HTTP+SSE, the transport of 2024-11-05: `GET /sse` and `POST /messages`. Off by default:
    /// 2025-03-26 replaced this transport, and its clients can't continue after a broken connection.
    ///
    /// A session of HTTP+SSE lives as long as its stream, in this process: a load balancer has to route both
    /// paths to the same replica. Hosts, origins, tokens and sizes are checked as at [`Self::path`].
    ///
    /// If you mount [`HttpService`] in an application, mount it at these two paths as well. Do not put a
    /// prefix in front: the server sends `/messages` to the clients as it is.
    #[track_caller]
    pub fn http_sse(mut self) -> Self {
        self.sse = Some(Location::caller());
        self
    }

    /// Sets how long a new connection may take until the head of its first request has arrived, TLS handshake
    /// included; 30 seconds without this. The server closes a connection that takes longer.
    #[track_caller]
    pub fn head_timeout(mut self, patience: Duration) -> Self {
        self.limits.head = patience;
        self.nonzero("head_timeout", !patience.is_zero()).listener_only("head_timeout")
    }

    /// Sets how long a connection without requests is kept open; 75 seconds without this. An HTTP/2
    /// connection may stay open for up to twice this time. Between two requests of HTTP/1.1, this time
    /// includes the head of the second. A proxy in front of the server should close idle connections before
    /// the server does: set a shorter time in the proxy.
    #[track_caller]
    pub fn keep_alive_timeout(mut self, patience: Duration) -> Self {
        self.limits.keep_alive = patience;
        self.nonzero("keep_alive_timeout", !patience.is_zero()).listener_only("keep_alive_timeout")
    }

    /// Sets how many connections may be open at a time; 10,000 without this. Further connections wait in the
    /// queue of the operating system until an open connection closes.
    #[track_caller]
    pub fn max_connections(mut self, most: usize) -> Self {
        // The semaphore that counts connections has this maximum.
        self.limits.connections = most.min(tokio::sync::Semaphore::MAX_PERMITS);
        self.nonzero("max_connections", most > 0).listener_only("max_connections")
    }

    /// Sets how many connections one address may have open at a time; without this, half of
    /// [`Self::max_connections`]. An IPv6 network (the first 64 bits of an address) counts as one address.
    /// Further connections are closed at once. Behind a proxy, all connections have the address of the proxy.
    #[track_caller]
    pub fn max_connections_per_address(mut self, most: usize) -> Self {
        self.limits.of_address = Some(most);
        self.nonzero("max_connections_per_address", most > 0).listener_only("max_connections_per_address")
    }

    /// Serves HTTPS. The files contain the certificates in PEM, the server's own first, and its private key.
    /// They are read once. The server offers HTTP/2 and HTTP/1.1, over TLS 1.3 and 1.2.
    #[cfg(feature = "tls")]
    #[track_caller]
    pub fn tls(
        mut self,
        certificate: impl Into<std::path::PathBuf>,
        key: impl Into<std::path::PathBuf>,
    ) -> Self {
        self.tls = Some(listener::Files { certificate: certificate.into(), key: key.into() });
        self.listener_only("tls")
    }

    /// Sets the store of the sessions. Replicas with the same store serve each other's sessions.
    #[track_caller]
    pub fn store(mut self, store: impl Store) -> Self {
        self.store = Some((Location::caller(), Arc::new(store)));
        self
    }

    /// Remembers the error in `checked`, if it has one and no earlier call had one. [`Self::build`] returns
    /// the remembered error.
    #[track_caller]
    fn note(mut self, checked: Result<(), String>) -> Self {
        let at = Location::caller();
        self.mistake = self.mistake.or_else(|| checked.err().map(|message| (at, message)));
        self
    }

    /// Remembers a mistake unless the argument of the method `what` is more than 0.
    #[track_caller]
    fn nonzero(self, what: &str, is_nonzero: bool) -> Self {
        self.note(if is_nonzero {
            Ok(())
        } else {
            Err(format!("expected `{what}` to be more than 0, but found 0"))
        })
    }

    /// Remembers the call of the method `what`, which sets an option of our own listener.
    #[track_caller]
    fn listener_only(mut self, what: &'static str) -> Self {
        self.listener_option.get_or_insert((Location::caller(), what));
        self
    }

    /// Serves an address, as in `127.0.0.1:8000`, until the process receives SIGTERM or SIGINT. Then running
    /// requests have the time of [`Server::drain`] to end.
    ///
    /// # Errors
    /// [`Error::Declaration`] for the first mistake in the server's declaration, [`Error::Io`] if the address
    /// can't be bound or the files for TLS can't be used, [`Error::Hook`] if a hook fails.
    pub async fn serve(self, address: &str) -> Result<()> {
        // Before the address is bound: otherwise a user with a wrong declaration might see "address in use"
        // first, and look there.
        let ready = self.ready()?;
        let listener = listener::bind(address).await?;
        ready.serve(listener, asked_to_end()).await
    }

    /// Serves a listener that is already bound, until `end` is ready. Then running requests have the time of
    /// [`Server::drain`] to end. If the future that this returns is dropped, all connections are cut off.
    ///
    /// # Errors
    /// Like [`Self::serve`].
    pub async fn serve_on(self, listener: TcpListener, end: impl Future<Output = ()>) -> Result<()> {
        self.ready()?.serve(listener, end).await
    }

    /// Makes a `tower` service, for an application that has a listener of its own. The service answers at any
    /// path; with [`Self::http_sse`], the paths `/sse` and `/messages` serve HTTP+SSE instead. The service
    /// does not call the hooks of the server. It checks `Host` only if [`Self::allow_host`] names hosts. The
    /// application identifies the caller: see [`HttpService::handle`].
    ///
    /// # Errors
    /// [`Error::Declaration`] for the first mistake in the server's declaration; for an option of our own
    /// listener ([`Self::path`], [`Self::max_connections`], [`Self::max_connections_per_address`],
    /// [`Self::head_timeout`], [`Self::keep_alive_timeout`], [`Self::send_timeout`], `tls`); and for
    /// [`Self::store`] outside of a tokio runtime, because a task has to receive the notices of other replicas.
    pub fn into_service(self) -> Result<HttpService> {
        if let (None, Some((at, what))) = (&self.mistake, self.listener_option) {
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

    /// Checks and builds the endpoint: everything that can fail before the address is bound.
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
        let others = store.as_ref().map(OtherReplicas::new);
        let store = store.unwrap_or_else(|| Arc::new(Memory::default()));
        let (idle, most) = (self.idle, self.sessions_per_caller);
        let memory = Arc::new(endpoint::Memory::new(built.config.limits.memory));
        let sessions = Arc::new(Sessions::new(Arc::clone(&built), store, idle, most, others.clone()));
        if let Some(others) = others {
            others.listen(&built.shared.bus, &sessions);
        }
        let endpoint = Endpoint {
            bodies: Arc::<Usage>::default(),
            built,
            compression: self.compression,
            ending: ShutdownSignal::default(),
            guard: self.guard,
            in_flight: Arc::<Usage>::default(),
            listens: Arc::<Usage>::default(),
            memory,
            passed: self.passed,
            patience: self.patience,
            refusals: endpoint::Refusals::default(),
            sessions,
            streams: Arc::<Usage>::default(),
            sse: self.sse.map(|_| Arc::<Sse>::default()),
            selections: self.selections,
        };
        Ok((endpoint, hooks))
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // No tokens and no keys.
        f.debug_struct("Http").field("path", &self.path).field("server", &self.server).finish_non_exhaustive()
    }
}

/// A checked endpoint that has no listener yet.
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
        if !address.ip().is_loopback() && self.endpoint.guard.tokens.is_empty() {
            tracing::warn!(
                "everybody who can reach {address} is served: no token is required (`Http::bearer_token`)"
            );
        }
        let serving = Serving::new(HttpService::new(self.endpoint), self.path, self.limits);
        #[cfg(feature = "tls")]
        let serving = serving.with_tls(self.tls);
        listener::serve(serving, self.limits, listener, end).await;
        self.hooks.shutdown().await
    }
}

impl Server {
    /// Serves Streamable HTTP at `http://ADDRESS/mcp`, as in `.http("127.0.0.1:8000")`, until the process
    /// receives SIGTERM or SIGINT. Use [`Http`] to set options.
    ///
    /// # Errors
    /// Like [`Http::serve`].
    pub async fn http(self, address: &str) -> Result<()> {
        Http::new(self).serve(address).await
    }
}
