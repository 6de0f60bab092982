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
use plainwire_proto::peer::Limits;
use plainwire_proto::revision::Revision;
use tracing::Level;

use crate::error::Result;
use crate::schema::{Preset, Rewrite};
use crate::stream::Tap;

pub(crate) mod asking;
pub(crate) mod catalog;
pub(crate) mod connection;
pub(crate) mod context;
pub(crate) mod entry;
pub(crate) mod handler;
#[cfg(feature = "http")]
pub mod http;
pub mod layer;
mod layers;
pub(crate) mod roots;
mod serving;
#[cfg(feature = "http")]
pub mod store;

use catalog::{ServerHandle, Shared};
use context::ProgressRate;
use entry::{Entries, IntoEntry, Prompt, Provider, ResourceTemplate, Tool};
use handler::States;
use layers::Layering;
pub(crate) use serving::Built;

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
    layering: Layering,
    limits: Limits,
    log_level: Option<Level>,
    logging: bool,
    max_questions: usize,
    page_size: usize,
    preset: Option<Rewrite>,
    progress: ProgressRate,
    revisions: Vec<Revision>,
    sealing: Sealing,
    shared: Arc<Shared>,
    slow_step: Duration,
    states: States,
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
pub(crate) struct Hooks {
    start: Vec<Hook>,
    shutdown: Vec<Hook>,
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
            layering: Layering::default(),
            limits: Limits::default(),
            log_level: Some(Level::INFO),
            logging: false,
            max_questions: 256,
            page_size: 250,
            preset: None,
            progress: ProgressRate::default(),
            revisions: Revision::ALL.to_vec(),
            sealing: Sealing { keys: None, single_use: false, ttl: Duration::from_secs(1_800) },
            shared: Arc::default(),
            slow_step: Duration::from_micros(100),
            states: States::default(),
            tap: None,
            timeout: None,
        }
    }

    /// Adds a tool: a function with `#[tool]`, or a [`Tool`].
    pub fn tool<Via>(self, tool: impl IntoEntry<Tool, Via>) -> Self {
        self.shared.declare(tool.into_entry());
        self
    }

    /// Adds a resource: a function with `#[resource]`, or a [`Resource`](crate::Resource).
    pub fn resource<R: Into<Entries>, Via>(self, resource: impl IntoEntry<R, Via>) -> Self {
        self.with(resource.into_entry().into())
    }

    /// Adds a family of resources. Where several match a URI, the first one reads it.
    pub fn resource_template<Via>(self, template: impl IntoEntry<ResourceTemplate, Via>) -> Self {
        self.shared.declare(template.into_entry());
        self
    }

    /// Adds a prompt: a function with `#[prompt]`, or a [`Prompt`].
    pub fn prompt<Via>(self, prompt: impl IntoEntry<Prompt, Via>) -> Self {
        self.shared.declare(prompt.into_entry());
        self
    }

    /// Adds all entries of a value: of [`Entries`], or of a type with `#[server]` above its `impl`.
    pub fn with(self, provider: impl Provider) -> Self {
        self.shared.declare_all(Arc::new(provider).entries().declared);
        self
    }

    /// Gives handlers a value that they take as [`crate::State`]. There can be one of each type.
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.states.add(value);
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

    /// Declares an extension. A server with [views](crate::server::entry::apps) declares theirs by itself.
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

    /// Sets which part of JSON Schema the listed schemas of arguments use, for clients that can't read all of it.
    /// [`Preset::Slim`] by default. Arguments are checked all the same.
    pub fn schema_preset(mut self, preset: Preset) -> Self {
        self.preset = Some(preset.into());
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
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("info", &self.info).finish_non_exhaustive()
    }
}
