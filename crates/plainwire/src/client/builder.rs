//! A client that is being described, up to the moment it is connected.

use std::future::Future;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire_proto::error::{Error as Refusal, ErrorKind};
use plainwire_proto::model::{Capabilities, ElicitResult, Elicitation, Implementation, Root};
use plainwire_proto::peer::{ClientConfig, EraChoice, Limits, RequestOptions};
use plainwire_proto::revision::Revision;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

#[cfg(feature = "http-client")]
use super::connection::ARRIVALS;
use super::connection::{Desk, Revival, Route, start};
use super::far_end::Server;
#[cfg(feature = "http-client")]
use super::http::{Connection, Remote};
use super::process::{self, Program, Slot};
use super::{Asked, Cache, Client, Eras, GONE, NOTICES, Sampling, WISHES, eras};
use crate::error::{Error, Result};
use crate::runtime::AbortOnDrop;
use crate::stream::{Stream, Tap};

/// A client that is being described.
#[derive(Clone, Debug)]
pub struct ClientBuilder {
    asked: Asked,
    caches: bool,
    pub(super) config: ClientConfig,
    connect_deadline: Option<Duration>,
    pub(super) eras: Option<Eras>,
    /// The extensions that are declared.
    extensions: Capabilities,
    max_rounds: u32,
    options: RequestOptions,
    tap: Option<Tap>,
}

/// How often one request may be answered with questions.
const MAX_ROUNDS: u32 = 16;

impl ClientBuilder {
    pub(super) fn new(info: Implementation) -> Self {
        Self {
            asked: Asked::default(),
            caches: true,
            config: ClientConfig::new(info),
            connect_deadline: None,
            eras: None,
            extensions: Capabilities::default(),
            max_rounds: MAX_ROUNDS,
            options: RequestOptions::default(),
            tap: None,
        }
    }

    /// Sets the name and version that servers see.
    #[must_use]
    pub fn info(mut self, info: Implementation) -> Self {
        self.config.info = info;
        self
    }

    /// Declares an extension, such as [`crate::server::entry::apps::EXTENSION`] with `{ "mimeTypes": [ … ] }`.
    #[must_use]
    pub fn extension(mut self, identifier: &str, settings: serde_json::Value) -> Self {
        self.extensions.declare_in("extensions", identifier, settings);
        self
    }

    /// Sets how to find out what the server speaks.
    #[must_use]
    pub fn era(mut self, era: EraChoice) -> Self {
        self.config.era = era;
        self
    }

    /// Speaks only some revisions. All by default.
    #[must_use]
    pub fn revisions(mut self, revisions: &[Revision]) -> Self {
        self.config.revisions = revisions.to_vec();
        self
    }

    /// Sets how much the server may send.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.config.limits = limits;
        self
    }

    /// Sets how long to wait for answers: 60 s without progress and 10 min in all by default.
    #[must_use]
    pub fn deadlines(mut self, options: RequestOptions) -> Self {
        self.config.initialize_timeout = options.idle;
        self.config.probe_timeout = self.config.probe_timeout.min(options.idle);
        self.options = options;
        self
    }

    /// Sets how long connecting may take in all. No longer than each of its requests may by default.
    ///
    /// A server that was started and is not ready by then is ended before the error comes, which takes up to a second more.
    /// To drop the future of connecting ends it too, without anybody who waits.
    #[must_use]
    pub fn connect_deadline(mut self, deadline: Duration) -> Self {
        self.connect_deadline = Some(deadline);
        self
    }

    /// Has `handler` ask the person here what a server wants to know: forms to fill in and pages to open.
    ///
    /// It is asked legal questions only: flat forms, and URLs of the web. **Nothing here opens a URL**: the handler shows
    /// all of it, [the host](Elicitation::host) above all, warns if it [is in Punycode](Elicitation::is_punycode), and opens it once the person has agreed. A form that was accepted is filled up
    /// with its defaults and checked. The handler runs in a task of its own, which ends when the question no longer
    /// matters.
    ///
    /// ```
    /// use plainwire::Client;
    /// use plainwire::model::{ElicitResult, Elicitation};
    ///
    /// let client = Client::builder().on_elicit(|question| async move {
    ///     match question {
    ///         Elicitation::Form { .. } => ElicitResult::accept(serde_json::json!({ "name": "Ada" })),
    ///         _ => ElicitResult::decline(),
    ///     }
    /// });
    /// ```
    #[must_use]
    pub fn on_elicit<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Elicitation) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ElicitResult> + Send + 'static,
    {
        self.asked.on_elicit(handler);
        self
    }

    /// Lets servers ask a model, as far as `sampling` allows it.
    #[must_use]
    pub fn on_sample(mut self, sampling: Sampling) -> Self {
        self.asked.sampling = Some(sampling);
        self
    }

    /// Tells servers that ask where they may work: `file://` URIs. [`Client::set_roots`] changes them later.
    #[must_use]
    pub fn roots(mut self, roots: Vec<Root>) -> Self {
        self.asked.set_roots(roots);
        self
    }

    /// Sets how often one request may be answered with questions, or with the wish to be asked again, before it
    /// fails. 16 by default: more than any wizard has pages.
    #[must_use]
    pub fn max_rounds(mut self, rounds: u32) -> Self {
        self.max_rounds = rounds;
        self
    }

    /// Asks a silent server whether it is still there, each time that it has said nothing for as long as this; one
    /// that does not answer for as long again is given up. Never by default, and never in 2026-07-28, which has no
    /// `ping`.
    #[must_use]
    pub fn ping_every(mut self, silence: Duration) -> Self {
        self.config.keep_alive = Some(silence);
        self
    }

    /// Asks the server each time, also for lists and resources that it has said are still fresh.
    #[must_use]
    pub fn without_cache(mut self) -> Self {
        self.caches = false;
        self
    }

    /// Shows every frame to `tap`, secrets masked.
    #[must_use]
    pub fn tap(mut self, tap: Tap) -> Self {
        self.tap = Some(tap);
        self
    }

    /// Starts a server as a child process and connects to it: a [`Command`](std::process::Command), or a [`Program`] that
    /// says more. What it writes to stderr is passed on to ours, unless the program says otherwise.
    ///
    /// Cancel safe: a server that was started ends with this future.
    ///
    /// # Errors
    /// [`Error::Io`], with its name, if it can't be started; [`Error::Closed`], with its exit status and its last words on
    /// stderr, if it ends; [`Error::Rpc`] if it speaks none of our revisions, or does not answer in time. Nothing of it
    /// is left then.
    pub async fn command(self, program: impl Into<Program>) -> Result<Client> {
        let program = program.into();
        let place = eras::of_program(&program);
        self.knowing(place, |builder| builder.command_once(program.clone())).await
    }

    async fn command_once(self, program: Program) -> Result<Client> {
        let (stream, process) = process::start(&program)?;
        let slot = Slot::new(process);
        let Some(policy) = program.policy() else {
            return self.open(Route::Stream(stream), Server::Process(slot)).await;
        };
        let revival = Box::new(Revival::new(program, policy, slot.clone()));
        self.open(Route::Process(stream, revival), Server::Revived(slot)).await
    }

    /// Connects to a server by HTTP: Streamable HTTP of the era that it speaks, else HTTP+SSE.
    ///
    /// # Errors
    /// [`Error::Target`] for a URL or a header that is none; [`Error::Unreachable`] if there is nobody; [`Error::Http`] if
    /// we are not let in; otherwise as [`Self::command`].
    #[cfg(feature = "http-client")]
    pub async fn remote(self, remote: Remote) -> Result<Client> {
        let place = eras::of_url(remote.url_text());
        self.knowing(place, |builder| builder.remote_once(remote.clone())).await
    }

    #[cfg(feature = "http-client")]
    async fn remote_once(self, remote: Remote) -> Result<Client> {
        let (arrives, arrived) = mpsc::channel(ARRIVALS);
        let connection = Arc::new(Connection::new(&remote, self.config.limits, arrives)?);
        let route = Route::Http(Arc::clone(&connection), arrived);
        self.open(route, Server::remote(connection)).await
    }

    /// Connects over any pair of streams.
    ///
    /// # Errors
    /// As [`Self::command`].
    pub async fn streams<R, W>(self, reader: R, writer: W) -> Result<Client>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        self.open(Route::Stream(Stream::new(reader, writer)), Server::Elsewhere).await
    }

    /// Connects over a [`Stream`], such as one end of [`crate::stream::pair`].
    ///
    /// # Errors
    /// As [`Self::command`].
    pub async fn stream(self, stream: Stream) -> Result<Client> {
        self.open(Route::Stream(stream), Server::Elsewhere).await
    }

    async fn open(mut self, route: Route, server: Server) -> Result<Client> {
        self.config.capabilities = self.asked.capabilities();
        self.config.capabilities.0.append(&mut self.extensions.0);
        let has_roots = self.asked.roots.is_some();
        let (wishes, wished) = mpsc::channel(WISHES);
        let (cancels, cancelled) = mpsc::unbounded_channel();
        let (notices, noticed) = mpsc::channel(NOTICES);
        let (hello, greeted) = oneshot::channel();
        let cache = self.caches.then(|| Arc::new(Cache::default()));
        let desk = Desk::new(self.asked, cache.clone(), self.max_rounds, notices, hello);
        let task = AbortOnDrop(start(self.config, desk, route, self.tap, wished, cancelled));
        let gone = || Error::Closed { why: GONE.to_owned() };
        let greeted = async { greeted.await.map_err(|_| gone()).and_then(|hello| hello) };
        let met = match self.connect_deadline {
            Some(deadline) => timeout(deadline, greeted).await.unwrap_or_else(|_| Err(not_met(deadline))),
            None => greeted.await,
        };
        match met {
            Ok(hello) => Ok(Client {
                cache,
                cancels,
                has_roots,
                hello,
                last_ticket: AtomicU64::new(0),
                notices: Mutex::new(Some(noticed)),
                options: self.options,
                server,
                wishes,
                _task: task,
            }),
            Err(error) => {
                drop((task, wishes));
                let error = match error {
                    Error::Closed { why } => server.closed(&why).await,
                    error => error,
                };
                server.end_soon().await;
                Err(error)
            }
        }
    }
}

/// The error for a server that did not greet us within the deadline of connecting.
fn not_met(deadline: Duration) -> Error {
    let text = format!("expected a connection within {deadline:?}, but found none");
    Error::Rpc(Refusal::new(ErrorKind::Overloaded, text))
}
