//! The builder of a client: its settings, and the methods that connect.

use std::future::Future;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire_proto::error::{Error as Refusal, ErrorKind};
use plainwire_proto::model::{Capabilities, ElicitResult, Elicitation, Implementation, Root};
use plainwire_proto::peer::{ClientConfig, EraChoice, Limits, RequestOptions};
use plainwire_proto::revision::{Era, Revision};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

#[cfg(feature = "http-client")]
use super::connection::ARRIVALS;
use super::connection::{ConnectionState, Link, Restarting, SkippedLines, start};
use super::far_end::FarEnd;
#[cfg(feature = "http-client")]
use super::http::{Connection, Remote};
use super::known_tools::KnownTools;
use super::process::{self, Program, Slot, with_last_words};
use super::{Asked, COMMANDS, Cache, Client, Eras, GONE, Notices, ResultCheck, Sampling, eras};
use crate::error::{Error, Result};
use crate::runtime::AbortOnDrop;
use crate::stream::{Stream, Tap};
use crate::trace_context::{TraceContext, TraceSource};

/// The settings of a client that has not connected yet, and the methods that connect it.
#[derive(Clone, Debug)]
pub struct ClientBuilder {
    asked: Asked,
    caches: bool,
    check: ResultCheck,
    pub(super) config: ClientConfig,
    pub(super) connect_deadline: Option<Duration>,
    pub(super) eras: Option<Eras>,
    /// The protocol extensions that the client declares in its capabilities.
    extensions: Capabilities,
    max_rounds: u32,
    options: RequestOptions,
    tap: Option<Tap>,
    trace_source: Option<TraceSource>,
}

/// The default of [`ClientBuilder::max_rounds`]: how many times one request may be answered with questions.
const MAX_ROUNDS: u32 = 16;

impl ClientBuilder {
    pub(super) fn new(info: Implementation) -> Self {
        Self {
            asked: Asked::default(),
            caches: true,
            check: ResultCheck::Off,
            config: ClientConfig::new(info),
            connect_deadline: None,
            eras: None,
            extensions: Capabilities::default(),
            max_rounds: MAX_ROUNDS,
            options: RequestOptions::default(),
            tap: None,
            trace_source: None,
        }
    }

    /// Sets the name and version that servers see.
    #[must_use]
    pub fn info(mut self, info: Implementation) -> Self {
        self.config.info = info;
        self
    }

    /// Declares an extension, such as [`crate::server::entry::apps::EXTENSION`] with
    /// `{ "mimeTypes": [ … ] }`.
    #[must_use]
    pub fn extension(mut self, identifier: &str, settings: serde_json::Value) -> Self {
        self.extensions.declare_in("extensions", identifier, settings);
        self
    }

    /// Sets the era that the client speaks, or the way in which it finds out which era the server speaks.
    #[must_use]
    pub fn era(mut self, era: EraChoice) -> Self {
        self.config.era = era;
        self
    }

    /// Sets the protocol revisions that the client may speak. By default it speaks all of them.
    #[must_use]
    pub fn revisions(mut self, revisions: &[Revision]) -> Self {
        self.config.revisions = revisions.to_vec();
        self
    }

    /// Sets the limits for messages of the server, such as their size.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.config.limits = limits;
        self
    }

    /// Sets the deadlines of answers: by default 60 s without progress, and 10 min in all. The first of them
    /// also limits `initialize`, and shortens the deadline of `server/discover`, which is 5 s at most.
    #[must_use]
    pub fn deadlines(mut self, options: RequestOptions) -> Self {
        self.config.initialize_timeout = options.idle;
        self.config.probe_timeout = self.config.probe_timeout.min(options.idle);
        self.options = options;
        self
    }

    /// Sets the time limit for connecting as a whole. By default only the single requests of the handshake
    /// have deadlines.
    ///
    /// If a child process is not ready in time, it is ended before the error is returned, which takes up to a
    /// second more. If you drop the future of connecting, the process is ended in the background.
    #[must_use]
    pub fn connect_deadline(mut self, deadline: Duration) -> Self {
        self.connect_deadline = Some(deadline);
        self
    }

    /// Sets the handler for the questions that servers ask the user: forms to fill in and pages to open.
    ///
    /// The handler gets valid questions only: flat forms, and URLs of the web. **The library never opens a
    /// URL**: your handler has to show the whole URL, above all [its host](Elicitation::host), to warn if the
    /// host [is in Punycode](Elicitation::is_punycode), and to open the URL once the user has agreed. The
    /// client adds the defaults to the content of an accepted form, and checks the content. The handler runs
    /// in a task of its own, which ends when the answer is no longer needed.
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

    /// Lets servers send sampling requests to a model, within the rules of `sampling`.
    #[must_use]
    pub fn on_sample(mut self, sampling: Sampling) -> Self {
        self.asked.sampling = Some(sampling);
        self
    }

    /// Sets the roots: the folders, as `file://` URIs, in which servers may work. A server gets them when it
    /// asks for them. [`Client::set_roots`] changes them later.
    #[must_use]
    pub fn roots(mut self, roots: Vec<Root>) -> Self {
        self.asked.set_roots(roots);
        self
    }

    /// Sets how many times the server may answer one request with questions, or ask for the request to be
    /// made again, before the request fails. 16 by default: more than the forms that a user fills in for one
    /// request.
    #[must_use]
    pub fn max_rounds(mut self, rounds: u32) -> Self {
        self.max_rounds = rounds;
        self
    }

    /// Pings a server that has been silent for `silence`. If the server does not answer within the same time,
    /// the client ends the connection. Off by default. Has no effect in revision 2026-07-28, which has no
    /// `ping`.
    #[must_use]
    pub fn ping_every(mut self, silence: Duration) -> Self {
        self.config.keep_alive = Some(silence);
        self
    }

    /// Sets the treatment of results that do not fit the output schema of their tool. Off by default. The client
    /// checks results of [`Client::call`], [`Client::call_tool`] and the calls of a host, if it has listed the tool
    /// on this connection. The check covers the keywords in the table of `docs/schemas.md`, and ignores other
    /// keywords and `pattern`. The client remembers at most 1 MiB of output schemas. Results of further tools are
    /// not checked, and the log names these tools.
    #[must_use]
    pub fn check_results(mut self, check: ResultCheck) -> Self {
        self.check = check;
        self
    }

    /// Turns the cache off: lists and resources are requested each time, even if the server says that they
    /// are still fresh.
    #[must_use]
    pub fn without_cache(mut self) -> Self {
        self.caches = false;
        self
    }

    /// Adds to each request the trace context that `current` returns, so that the spans of the server become part
    /// of the trace of your program. `current` is called where the program makes the request, so it can, for
    /// example, read the current span of `tracing-opentelemetry`.
    ///
    /// ```
    /// use plainwire::Client;
    /// use plainwire::client::TraceContext;
    ///
    /// // A real program asks its tracing library for the current span.
    /// let current = || TraceContext::new("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01");
    /// let client = Client::builder().trace_context(current);
    /// ```
    #[must_use]
    pub fn trace_context(
        mut self,
        current: impl Fn() -> Option<TraceContext> + Send + Sync + 'static,
    ) -> Self {
        self.trace_source = Some(TraceSource::new(current));
        self
    }

    /// Sets [`Self::connect_deadline`], unless an earlier one is set.
    pub(crate) fn within(mut self, deadline: Duration) -> Self {
        self.connect_deadline = Some(self.connect_deadline.map_or(deadline, |own| own.min(deadline)));
        self
    }

    /// Passes every message that is sent or received to `tap`, with secrets masked.
    #[must_use]
    pub fn tap(mut self, tap: Tap) -> Self {
        self.tap = Some(tap);
        self
    }

    /// Starts `program` as a child process and connects to it. `program` is a
    /// [`Command`](std::process::Command), or a [`Program`], which has more settings. The stderr of the
    /// process is passed on to the client's stderr, unless [`Program::stderr`] says otherwise.
    ///
    /// Cancel safe: dropping this future ends the process.
    ///
    /// # Errors
    /// [`Error::Io`], with the name of the program, if the process can't be started; [`Error::Closed`], with
    /// its exit status and last lines on stderr, if it ends; [`Error::Rpc`] if the server speaks none of the
    /// client's revisions, or does not answer in time. After an error no process is left.
    pub async fn command(self, program: impl Into<Program>) -> Result<Client> {
        let program = program.into();
        let target = eras::hash_of_program(&program);
        self.knowing(target, |builder| builder.command_once(program.clone())).await
    }

    async fn command_once(self, program: Program) -> Result<Client> {
        let (stream, process) = process::start(&program)?;
        let slot = Slot::new(process);
        let tools = KnownTools::new(self.check != ResultCheck::Off);
        let Some(policy) = program.policy() else {
            let link = self.link(stream);
            return self.open(link, FarEnd::process(slot), tools, None).await;
        };
        let restarting = Restarting::new(program, policy, slot.clone());
        let link = self.link(stream);
        self.open(link, FarEnd::restarted_process(slot), tools, Some(restarting)).await
    }

    /// Connects to a server by HTTP: by Streamable HTTP of the era that the server speaks, or by HTTP+SSE if
    /// the server speaks nothing else.
    ///
    /// # Errors
    /// [`Error::Target`] for an invalid URL or header; [`Error::Unreachable`] if no server listens there;
    /// [`Error::Http`] if the server refuses access; otherwise like [`Self::command`].
    #[cfg(feature = "http-client")]
    pub async fn remote(self, remote: Remote) -> Result<Client> {
        let target = eras::hash_of_url(remote.url_text());
        self.knowing(target, |builder| builder.remote_once(remote.clone())).await
    }

    #[cfg(feature = "http-client")]
    async fn remote_once(self, remote: Remote) -> Result<Client> {
        let (arrives, arrived) = mpsc::channel(ARRIVALS);
        let tools = KnownTools::new(self.check != ResultCheck::Off);
        let limits = (self.config.limits, self.config.initialize_timeout);
        let connection = Arc::new(Connection::new(&remote, limits, tools.clone(), arrives)?);
        let link = Link::http(Arc::clone(&connection), arrived, self.tap.clone());
        self.open(link, FarEnd::http(connection), tools, None).await
    }

    /// Connects to a server over a pair of byte streams: the client reads messages from `reader` and writes
    /// messages to `writer`.
    ///
    /// # Errors
    /// Like [`Self::command`].
    pub async fn streams<R, W>(self, reader: R, writer: W) -> Result<Client>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        self.stream(Stream::new(reader, writer)).await
    }

    /// Connects over a [`Stream`], such as one end of [`crate::stream::pair`].
    ///
    /// # Errors
    /// Like [`Self::command`].
    pub async fn stream(self, stream: Stream) -> Result<Client> {
        let link = self.link(stream);
        let tools = KnownTools::new(self.check != ResultCheck::Off);
        self.open(link, FarEnd::stream(), tools, None).await
    }

    fn link(&self, stream: Stream) -> Link {
        Link::stream(stream, self.config.limits.frame_in, self.tap.clone())
    }

    /// Checks that the client may speak a revision of its era. Otherwise the handshake would have nothing to propose.
    fn check_revisions(&self) -> Result<()> {
        let (choice, revisions) = (self.config.era, &self.config.revisions);
        let is_legacy = choice == EraChoice::Legacy;
        if revisions.iter().any(|it| choice == EraChoice::Auto || is_legacy == (it.era() == Era::Legacy)) {
            return Ok(());
        }
        let found: Vec<_> = revisions.iter().map(|it| it.as_str()).collect();
        let message = match &found[..] {
            [] => "expected at least one revision for the client, but found none".to_owned(),
            _ => format!(
                "expected the revisions of the client to have one of the era {choice:?}, but found {found:?}"
            ),
        };
        Err(Error::Target { message })
    }

    async fn open(
        mut self,
        link: Link,
        far_end: FarEnd,
        tools: KnownTools,
        restart: Option<Restarting>,
    ) -> Result<Client> {
        self.config.limits.check().map_err(|message| Error::Target { message })?;
        self.check_revisions()?;
        self.config.capabilities = self.asked.capabilities();
        self.config.capabilities.0.append(&mut self.extensions.0);
        let has_roots = self.asked.roots.is_some();
        let (commands, received) = mpsc::channel(COMMANDS);
        let (cancels, cancelled) = mpsc::unbounded_channel();
        let (notices, noticed) = Notices::new();
        let (hello, greeted) = oneshot::channel();
        let cache = self.caches.then(|| Arc::new(Cache::default()));
        let known = tools.clone();
        let skipped = SkippedLines::default();
        let (asked, rounds, lines) = (self.asked, self.max_rounds, skipped.clone());
        let state = ConnectionState::new(asked, cache.clone(), rounds, notices, hello, lines, known);
        let task = AbortOnDrop(start(self.config, state, link, restart, self.tap, received, cancelled));
        let gone = || Error::Closed { why: GONE.to_owned() };
        let greeted = async { greeted.await.map_err(|_| gone()).and_then(|hello| hello) };
        let met = match self.connect_deadline {
            Some(deadline) => {
                let in_time = timeout(deadline, greeted).await;
                in_time.unwrap_or_else(|_| Err(not_met(deadline, &skipped, far_end.stderr())))
            }
            None => greeted.await,
        };
        match met {
            Ok(hello) => {
                let shared = super::Shared {
                    cache,
                    cancels,
                    check: self.check,
                    has_roots,
                    hello,
                    last_ticket: AtomicU64::new(0),
                    notices: Mutex::new(Some(noticed)),
                    options: self.options,
                    far_end,
                    tools,
                    commands,
                    trace_source: self.trace_source,
                    task,
                };
                Ok(Client { shared: Arc::new(shared) })
            }
            Err(error) => {
                drop((task, commands));
                let error = match error {
                    Error::Closed { why } => far_end.closed(&why).await,
                    error => error,
                };
                far_end.end_soon().await;
                Err(error)
            }
        }
    }
}

/// Returns the error for a server that has not completed the handshake within the deadline, with the lines on its output
/// that are no messages, and the last lines that it has written to its stderr.
fn not_met(deadline: Duration, skipped: &SkippedLines, stderr: Option<String>) -> Error {
    // Rounded: what is left of a deadline is no round number.
    let deadline =
        Duration::from_millis(u64::try_from(deadline.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX));
    let why = skipped.explained(format!("expected a connection within {deadline:?}, but found none"));
    Error::Rpc(Refusal::new(ErrorKind::Late { is_idle: false }, with_last_words(&why, stderr)))
}
