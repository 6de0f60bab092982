//! The front door for servers: declare what there is, then serve it.
//!
//! In: functions wrapped as tools, resources, templates and prompts. Out: a server on stdio or on any stream.
//! Mistakes in the declaration are collected and reported when serving begins.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use plainwire_proto::model::{CacheHint, Capabilities, Icon, Implementation};
use plainwire_proto::peer::{Limits, ServerConfig};
use plainwire_proto::revision::Revision;
use plainwire_proto::seal::{MAX_KEYS, SealingKeys};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};
use tracing::Level;

use crate::asking::Sealer;
use crate::catalog::{Declared, Settings};
use crate::context::{Principal, ProgressRate};
use crate::driver;
use crate::error::{Error, Result};
use crate::handle::{ServerHandle, Shared};
use crate::handler::{Prompt, Resource, ResourceTemplate, Tool};
use crate::log;
use crate::transport::tap::Tap;
use crate::transport::{Stream, stdio};

/// A server that is being declared.
///
/// ```no_run
/// use plainwire::prelude::*;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Greet {
///     /// Who is greeted.
///     name: String,
/// }
///
/// # async fn run() -> plainwire::Result<()> {
/// Server::new("greeter")
///     .version("1.0.0")
///     .tool(Tool::new("greet", |it: Greet| async move { format!("Hello, {}!", it.name) }))
///     .stdio()
///     .await
/// # }
/// ```
#[must_use = "a server does nothing until it serves, for example by `.stdio().await`"]
pub struct Server {
    ask_timeout: Duration,
    at: &'static Location<'static>,
    cache_hint: CacheHint,
    drain: Duration,
    experimental: Capabilities,
    handled: bool,
    hooks: Hooks,
    info: Implementation,
    instructions: Option<String>,
    keep_alive: Option<Duration>,
    limits: Limits,
    log_level: Option<Level>,
    logging: bool,
    max_questions: usize,
    page_size: usize,
    progress: ProgressRate,
    revisions: Vec<Revision>,
    sealing: Sealing,
    shared: Arc<Shared>,
    slow_step: Duration,
    tap: Option<Tap>,
    timeout: Option<Duration>,
}

/// How request state is sealed.
struct Sealing {
    keys: Option<Vec<[u8; 32]>>,
    single_use: bool,
    ttl: Duration,
}

type Hook = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> + Send>;

#[derive(Default)]
struct Hooks {
    start: Vec<Hook>,
    shutdown: Vec<Hook>,
}

/// A server whose declaration is right, shared by its connections.
pub(crate) struct Built {
    pub(crate) ask_timeout: Duration,
    pub(crate) config: Arc<ServerConfig>,
    pub(crate) drain: Duration,
    pub(crate) max_questions: usize,
    pub(crate) principal: Option<Arc<Principal>>,
    pub(crate) progress: ProgressRate,
    pub(crate) sealer: Arc<Sealer>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) tap: Option<Tap>,
    pub(crate) timeout: Option<Duration>,
}

impl Server {
    /// Begins a server with the name that clients see. Its version is `0.0.0` until [`Self::version`] says otherwise.
    #[track_caller]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            ask_timeout: Duration::from_secs(600),
            at: Location::caller(),
            cache_hint: CacheHint::default(),
            drain: Duration::from_secs(5),
            experimental: Capabilities::default(),
            handled: false,
            hooks: Hooks::default(),
            info: Implementation::new(name, "0.0.0"),
            instructions: None,
            keep_alive: None,
            limits: Limits::default(),
            log_level: Some(Level::INFO),
            logging: false,
            max_questions: 256,
            page_size: 250,
            progress: ProgressRate::default(),
            revisions: Revision::ALL.to_vec(),
            sealing: Sealing { keys: None, single_use: false, ttl: Duration::from_secs(1_800) },
            shared: Arc::default(),
            slow_step: Duration::from_micros(100),
            tap: None,
            timeout: None,
        }
    }

    /// Adds a tool.
    pub fn tool(self, tool: Tool) -> Self {
        self.shared.declare(tool);
        self
    }

    /// Adds a resource.
    pub fn resource(self, resource: Resource) -> Self {
        self.shared.declare(resource);
        self
    }

    /// Adds a family of resources. Where several match a URI, the first one reads it.
    pub fn resource_template(self, template: ResourceTemplate) -> Self {
        self.shared.declare(template);
        self
    }

    /// Adds a prompt.
    pub fn prompt(self, prompt: Prompt) -> Self {
        self.shared.declare(prompt);
        self
    }

    /// Returns a way to the server from elsewhere in the program: to say what has changed, and to add and remove
    /// entries while it serves.
    ///
    /// A server with a handle tells clients that its lists may change and that resources can be subscribed to, also
    /// when there are none yet.
    pub fn handle(&mut self) -> ServerHandle {
        self.handled = true;
        ServerHandle::new(&self.shared)
    }

    /// Lets [`crate::Context::log`] send log messages to the client.
    ///
    /// The protocol calls this deprecated since 2026-07-28: what is for the operator goes to stderr or to
    /// OpenTelemetry, by `tracing`; what is for the model belongs in the answer. It stays for clients that show it.
    pub fn logging(mut self) -> Self {
        self.logging = true;
        self
    }

    /// Asks the client of a session whether it is still there after so much silence, and ends the connection after as
    /// much again. Never by default: on a pipe the end is seen at once. 2026-07-28 has no pings.
    pub fn ping_every(mut self, silence: Duration) -> Self {
        self.keep_alive = Some(silence);
        self
    }

    /// Sets how many reports of progress a call sends: `burst` at once, then `per_second`. Of those that come faster
    /// the newest is kept for later. 64 and 50 by default: a loop over a few dozen steps is shown in full, and nobody
    /// sees more than 50 in a second.
    pub fn progress_rate(mut self, burst: u32, per_second: u32) -> Self {
        self.progress = ProgressRate { burst: burst.max(1), per_second };
        self
    }

    /// Sets the version that clients see, best `env!("CARGO_PKG_VERSION")`.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.info.version = version.into();
        self
    }

    /// Sets the name that people see.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info.title = Some(title.into());
        self
    }

    /// Says what the server is for.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.info.description = Some(description.into());
        self
    }

    /// Says where to read more.
    pub fn website(mut self, url: impl Into<String>) -> Self {
        self.info.website_url = Some(url.into());
        self
    }

    /// Adds a picture of the server.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.info.icons.push(icon);
        self
    }

    /// Tells models how to use the server. Clients may put this into the prompt.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Declares an experimental capability.
    pub fn experimental(mut self, name: &str, settings: serde_json::Value) -> Self {
        self.experimental.declare_in("experimental", name, settings);
        self
    }

    /// Declares an extension, such as `io.modelcontextprotocol/ui`.
    pub fn extension(mut self, identifier: &str, settings: serde_json::Value) -> Self {
        self.experimental.declare_in("extensions", identifier, settings);
        self
    }

    /// Says how long lists and resources stay fresh, and for whom (2026-07-28). Not at all and private by default.
    pub fn cache(mut self, hint: CacheHint) -> Self {
        self.cache_hint = hint;
        self
    }

    /// Sets how many entries a page of a list has. 250 by default: most servers fit in one page.
    pub fn page_size(mut self, entries: usize) -> Self {
        self.page_size = entries;
        self
    }

    /// Sets how much a connection may ask for.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Serves only some revisions. All by default.
    pub fn revisions(mut self, revisions: &[Revision]) -> Self {
        self.revisions = revisions.to_vec();
        self.revisions.sort_unstable();
        self.revisions.dedup();
        self
    }

    /// Ends calls that take longer, unless their tool says otherwise. Never by default.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets how long a question to the client may stay unanswered, where it is a request (up to 2025-11-25). 10 min by
    /// default: people are at lunch for longer, but nobody watches the call for longer either.
    pub fn ask_timeout(mut self, timeout: Duration) -> Self {
        self.ask_timeout = timeout;
        self
    }

    /// Sets how many questions and steps one call may have (limit `questions`). 256 by default: more than anybody would
    /// answer.
    pub fn max_questions(mut self, questions: usize) -> Self {
        self.max_questions = questions;
        self
    }

    /// Sets what request state is sealed with (2026-07-28): 1 to 16 keys of 32 random bytes. The first one seals, all of
    /// them open, so that keys can be changed while calls are under way.
    ///
    /// Without this each process has a random key of its own, and a call can only go on where it began. Replicas need the
    /// same keys: a new one is added behind the old one everywhere, then put in front everywhere.
    pub fn sealing_keys(mut self, keys: impl IntoIterator<Item = [u8; 32]>) -> Self {
        self.sealing.keys = Some(keys.into_iter().collect());
        self
    }

    /// Sets how long request state is good for. 30 min by default: as long as somebody may think about a form.
    pub fn state_lifetime(mut self, lifetime: Duration) -> Self {
        self.sealing.ttl = lifetime;
        self
    }

    /// Takes each request state once only. This process remembers up to 100,000 used ones and refuses further ones until
    /// those expire; replicas do not know of each other's.
    ///
    /// A client that repeats a round, because the answer was lost, is refused then.
    pub fn single_use_states(mut self) -> Self {
        self.sealing.single_use = true;
        self
    }

    /// Sets how long a call may compute before its first wait until its name counts as slow: the next calls of that
    /// name start on a task of their own, where they hold up nobody. 100 µs by default: as long as a hundred ordinary
    /// calls take.
    pub fn slow_step(mut self, slow_step: Duration) -> Self {
        self.slow_step = slow_step;
        self
    }

    /// Sets how long running calls may go on after the client has left. 5 s by default: clients kill what lingers.
    pub fn drain(mut self, drain: Duration) -> Self {
        self.drain = drain;
        self
    }

    /// Sets what is logged to stderr, `None` for nothing. `INFO` by default.
    ///
    /// Nothing is set up if the program has a `tracing` subscriber of its own.
    pub fn log_level(mut self, level: Option<Level>) -> Self {
        self.log_level = level;
        self
    }

    /// Shows every frame to `tap`, secrets masked.
    pub fn tap(mut self, tap: Tap) -> Self {
        self.tap = Some(tap);
        self
    }

    /// Runs `hook` before the first request is read. Serving does not begin if it fails.
    pub fn on_start<F, Fut>(mut self, hook: F) -> Self
    where
        F: FnOnce() -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), String>> + Send + 'static,
    {
        self.hooks.start.push(Box::new(move || Box::pin(hook())));
        self
    }

    /// Runs `hook` after the last answer was sent.
    pub fn on_shutdown<F, Fut>(mut self, hook: F) -> Self
    where
        F: FnOnce() -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), String>> + Send + 'static,
    {
        self.hooks.shutdown.push(Box::new(move || Box::pin(hook())));
        self
    }

    /// Serves the program's standard input and output until the client leaves.
    ///
    /// The protocol keeps both descriptors for itself: what anything else writes to stdout goes to stderr, and what
    /// anything else reads from stdin is empty. Returns when input ends, output breaks or the parent process dies,
    /// after running calls had the time of [`Self::drain`].
    ///
    /// # Errors
    /// [`Error::Declaration`] for the first mistake in the declaration; [`Error::Io`] if the descriptors can't be
    /// taken; [`Error::Hook`] if a hook fails.
    pub async fn stdio(self) -> Result<()> {
        log::install(self.log_level);
        // Checked before the descriptors are touched, so that a mistake is reported on an untouched terminal.
        let (built, hooks) = self.build(None)?;
        let stream =
            stdio::take().map_err(|source| Error::Io { doing: "taking over stdin and stdout", source })?;
        serve(built, hooks, stream).await
    }

    /// Serves one connection over any pair of streams, such as the halves of a socket.
    ///
    /// # Errors
    /// As [`Self::stdio`].
    pub async fn serve<R, W>(self, reader: R, writer: W) -> Result<()>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        self.serve_as(None, reader, writer).await
    }

    /// As [`Self::serve`], for a client that has proved who it is.
    ///
    /// # Errors
    /// As [`Self::stdio`].
    pub async fn serve_as<R, W>(self, principal: Option<Principal>, reader: R, writer: W) -> Result<()>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (built, hooks) = self.build(principal)?;
        serve(built, hooks, Stream::new(reader, writer)).await
    }

    /// Makes a connection that is not served yet, without hooks.
    pub(crate) fn into_connection(self, stream: Stream) -> Result<(Arc<Built>, Stream)> {
        let (built, _) = self.build(None)?;
        Ok((built, stream))
    }

    fn build(self, principal: Option<Principal>) -> Result<(Arc<Built>, Hooks)> {
        if self.info.name.is_empty() || self.revisions.is_empty() {
            let message = "expected the server to have a name and at least one revision".to_owned();
            return Err(Error::Declaration { at: self.at, message });
        }
        let keys = match self.sealing.keys.as_deref().map(SealingKeys::new) {
            Some(None) => {
                let message =
                    format!("expected 1 to {MAX_KEYS} sealing keys, but found another number of them");
                return Err(Error::Declaration { at: self.at, message });
            }
            Some(keys) => keys,
            None => None,
        };
        let names = (self.info.name.as_str(), self.info.version.as_str());
        let sealer = Sealer::new(keys, names, self.sealing.ttl, self.sealing.single_use);
        let Self { cache_hint, page_size, slow_step, .. } = self;
        self.shared.begin(&self.info.name, Settings { cache_hint, page_size, slow_step })?;
        let mut capabilities = self.experimental;
        self.shared.see(|declared| declare(&mut capabilities, declared, self.handled));
        if self.logging {
            capabilities.declare("logging", json!({}));
        }
        let mut config = ServerConfig::new(self.info, capabilities);
        config.cache_hint = self.cache_hint;
        config.instructions = self.instructions;
        config.keep_alive = self.keep_alive;
        config.limits = self.limits;
        config.revisions = self.revisions;
        let built = Built {
            ask_timeout: self.ask_timeout,
            config: Arc::new(config),
            drain: self.drain,
            max_questions: self.max_questions,
            sealer: Arc::new(sealer),
            principal: principal.map(Arc::new),
            progress: self.progress,
            shared: self.shared,
            tap: self.tap,
            timeout: self.timeout,
        };
        Ok((Arc::new(built), self.hooks))
    }
}

async fn serve(built: Arc<Built>, hooks: Hooks, stream: Stream) -> Result<()> {
    let failed = |hook, why| Error::Hook { hook, why };
    for hook in hooks.start {
        hook().await.map_err(|why| failed("start", why))?;
    }
    let served = driver::serve(built, stream).await;
    for hook in hooks.shutdown {
        hook().await.map_err(|why| failed("shutdown", why))?;
    }
    served
}

/// Declares what the entries can do. With a handle, whatever may come.
fn declare(capabilities: &mut Capabilities, declared: &Declared, handled: bool) {
    let settings = |changes: bool, subscribes: bool| {
        let mut settings = serde_json::Map::new();
        for (name, on) in [("listChanged", changes), ("subscribe", subscribes)] {
            if on {
                settings.insert(name.to_owned(), true.into());
            }
        }
        serde_json::Value::Object(settings)
    };
    if handled || !declared.prompts.is_empty() {
        capabilities.declare("prompts", settings(handled, false));
    }
    if handled || !(declared.resources.is_empty() && declared.templates.is_empty()) {
        capabilities.declare("resources", settings(handled, handled || declared.subscribes()));
    }
    if handled || !declared.tools.is_empty() {
        capabilities.declare("tools", settings(handled, false));
    }
    if declared.completes() {
        capabilities.declare("completions", json!({}));
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("info", &self.info).finish_non_exhaustive()
    }
}
