//! The server half: declaring a server and serving it.
//!
//! In: functions wrapped as tools, resources, templates and prompts. Out: a server on stdio, on any pair of
//! streams, or over HTTP. Mistakes in declarations are collected and reported when serving begins. The client
//! half is separate.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use plainwire_proto::model::{CacheHint, Capabilities, Icon, Implementation};
use plainwire_proto::peer::Limits;
use plainwire_proto::revision::Revision;
use tracing::Level;

use crate::error::Result;
use crate::log;
use crate::schema::{Preset, Rewrite};
use crate::stream::Tap;

pub(crate) mod asking;
pub mod audit;
mod built;
pub(crate) mod catalog;
mod changes;
pub(crate) mod connection;
pub(crate) mod context;
pub(crate) mod entry;
pub(crate) mod handler;
mod hooks;
#[cfg(feature = "http")]
pub mod http;
pub mod layer;
pub(crate) mod layering;
mod layers;
mod mount;
#[cfg(feature = "outputs")]
pub mod outputs;
pub mod presentation;
mod principal;
pub(crate) mod result;
pub(crate) mod roots;
mod serving;
#[cfg(feature = "http")]
pub mod store;
mod subscribed;

pub(crate) use built::Built;
use catalog::{ServerHandle, SharedCatalog};
use context::{ProgressRate, States};
use entry::{AnyResource, IntoEntry, Prompt, Provider, ResourceTemplate, Tool};
pub(crate) use hooks::Hooks;
use layering::Layering;
pub use mount::Mounted;
pub use principal::Principal;
pub use subscribed::Subscriptions;

/// An MCP server, built step by step and then served.
///
/// Add tools, resources and prompts, set options, and end with [`Self::stdio`] or [`Self::serve`]. Mistakes,
/// such as two tools with the same name, are reported when serving begins.
///
/// ```no_run
/// use plainwire::prelude::*;
///
/// #[data]
/// struct Greet {
///     /// The person to greet.
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
    /// The prefixes and instructions of mounted servers.
    instructions_of_mounted: Vec<(String, String)>,
    keep_alive: Option<Duration>,
    layering: Layering,
    limits: Limits,
    log_format: log::Format,
    log_level: Option<Level>,
    logging: bool,
    max_questions: usize,
    /// The first mistake in mounting a server, and its source line; `None` if there is none.
    mistake: Option<(&'static Location<'static>, String)>,
    page_size: usize,
    preset: Option<Rewrite>,
    progress: ProgressRate,
    revisions: Vec<Revision>,
    sealing: Sealing,
    shared: Arc<SharedCatalog>,
    slow_step: Duration,
    states: States,
    tap: Option<Tap>,
    timeout: Option<Duration>,
}

/// The settings for sealing request state: the data that a call leaves with its client between two rounds.
struct Sealing {
    keys: Option<Vec<[u8; 32]>>,
    single_use: bool,
    ttl: Duration,
}

impl Server {
    /// Creates a server with the name that clients see. Its version is `0.0.0` unless you call
    /// [`Self::version`].
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
            instructions_of_mounted: Vec::new(),
            keep_alive: None,
            layering: Layering::default(),
            limits: Limits::default(),
            log_format: log::Format::default(),
            log_level: Some(Level::INFO),
            logging: false,
            max_questions: 256,
            mistake: None,
            page_size: 250,
            preset: None,
            progress: ProgressRate::default(),
            revisions: Revision::ALL.to_vec(),
            sealing: Sealing { keys: None, single_use: false, ttl: Duration::from_secs(1_800) },
            shared: Arc::default(),
            slow_step: Duration::from_micros(250),
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
    pub fn resource<R: AnyResource, Via>(self, resource: impl IntoEntry<R, Via>) -> Self {
        self.with(resource.into_entry().into_entries())
    }

    /// Adds a resource template. If several templates match a URI, the first one added reads it.
    pub fn resource_template<Via>(self, template: impl IntoEntry<ResourceTemplate, Via>) -> Self {
        self.shared.declare(template.into_entry());
        self
    }

    /// Adds a prompt: a function with `#[prompt]`, or a [`Prompt`].
    pub fn prompt<Via>(self, prompt: impl IntoEntry<Prompt, Via>) -> Self {
        self.shared.declare(prompt.into_entry());
        self
    }

    /// Adds all entries of a provider: [`crate::Entries`], or a value whose `impl` has `#[server]`.
    pub fn with(self, provider: impl Provider) -> Self {
        self.shared.declare_all(Arc::new(provider).entries().declared);
        self
    }

    /// Adds a value that handlers take as a parameter of type [`crate::State`]. A second value of one type is
    /// reported as a mistake when serving begins.
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.states.add(value);
        self
    }

    /// Returns a handle with which other parts of the program add and remove entries while the server serves,
    /// and notify clients of changed resources.
    ///
    /// A server with a handle declares prompts, resources and tools to its clients, with `listChanged` and
    /// resource subscriptions, even if it has no entries yet.
    pub fn handle(&mut self) -> ServerHandle {
        self.handled = true;
        ServerHandle::new(&self.shared)
    }

    /// Declares the `logging` capability, so that [`crate::Context::log`] sends log messages to the client.
    ///
    /// Deprecated by the protocol since 2026-07-28: log for the operator to stderr or OpenTelemetry, through
    /// `tracing`, and put what the model should read into the answer. The method remains for clients that
    /// show log messages.
    pub fn logging(mut self) -> Self {
        self.logging = true;
        self
    }

    /// Pings the client of a session after `silence` without a message, and closes the connection if another
    /// `silence` passes without the answer or any other message; a session of Streamable HTTP stays. Off by default: if
    /// the client on a pipe ends, the server notices it at once. Has no effect in revision 2026-07-28, which has no pings.
    pub fn ping_every(mut self, silence: Duration) -> Self {
        self.keep_alive = Some(silence);
        self
    }

    /// Sets how many progress notifications a call may send: `burst` at once, then `per_second` each second.
    /// If reports come faster, the newest is kept: it is sent right before the answer, unless a later report
    /// replaces it. A `burst` of 0 counts as 1. 64 and 50 by default: a loop over a few dozen steps is shown in
    /// full, and users can't see more than 50 a second.
    pub fn progress_rate(mut self, burst: u32, per_second: u32) -> Self {
        self.progress = ProgressRate { burst: burst.max(1), per_second };
        self
    }

    /// Sets the version that clients see, usually `env!("CARGO_PKG_VERSION")`.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.info.version = version.into();
        self
    }

    /// Sets the display name of the server for users.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info.title = Some(title.into());
        self
    }

    /// Sets the description of the server.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.info.description = Some(description.into());
        self
    }

    /// Sets the URL of a page about the server.
    pub fn website(mut self, url: impl Into<String>) -> Self {
        self.info.website_url = Some(url.into());
        self
    }

    /// Adds an icon of the server, for hosts that show one.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.info.icons.push(icon);
        self
    }

    /// Sets instructions that tell models how to use the server. Clients may put them into the system prompt.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Declares the experimental capability `name`, with its settings.
    pub fn experimental(mut self, name: &str, settings: serde_json::Value) -> Self {
        self.experimental.declare_in("experimental", name, settings);
        self
    }

    /// Declares the extension `identifier`, with its settings. If an entry uses
    /// [views](crate::server::entry::apps), the extension for views is declared without this method.
    pub fn extension(mut self, identifier: &str, settings: serde_json::Value) -> Self {
        self.experimental.declare_in("extensions", identifier, settings);
        self
    }

    /// Sets how long clients may cache lists and resources, and whether other users may share a cached copy.
    /// Sent in revision 2026-07-28. By default, a copy is stale at once, and for one user only.
    pub fn cache(mut self, hint: CacheHint) -> Self {
        self.cache_hint = hint;
        self
    }

    /// Sets the largest number of entries on one page of a list; 0 counts as 1. 250 by default: the lists of
    /// most servers fit into one page.
    pub fn page_size(mut self, entries: usize) -> Self {
        self.page_size = entries;
        self
    }

    /// Sets the subset of JSON Schema that listed input schemas use, for clients that can't read all of it.
    /// [`Preset::Slim`] by default. Arguments are checked against the full schema in any case.
    pub fn schema_preset(mut self, preset: Preset) -> Self {
        self.preset = Rewrite::of(preset);
        self
    }

    /// Sets the limits of a connection, such as the size of a frame and the number of requests in flight.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the revisions of the protocol that are served. All by default.
    pub fn revisions(mut self, revisions: &[Revision]) -> Self {
        self.revisions = revisions.to_vec();
        self.revisions.sort_unstable();
        self.revisions.dedup();
        self
    }

    /// Sets the deadline of each call of a resource, a prompt, a completion, or a tool without a
    /// [`Tool::timeout`]. No deadline by default. Time in which a call waits for an answer of the client does
    /// not count.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets how long a question to the client may stay unanswered in revisions up to 2025-11-25, where a
    /// question is a request to the client. 10 min by default: a user who is away longer usually no longer
    /// follows the call.
    pub fn ask_timeout(mut self, timeout: Duration) -> Self {
        self.ask_timeout = timeout;
        self
    }

    /// Sets how many questions and steps one call may have (error messages call this limit
    /// `questions`), and how often the call may run again with answers in revision 2026-07-28. 256 by default:
    /// more than a user would answer.
    pub fn max_questions(mut self, questions: usize) -> Self {
        self.max_questions = questions;
        self
    }

    /// Sets the keys that seal request state, the data that a call leaves with its client when it asks a
    /// question (2026-07-28): 1 to 16 keys of 32 random bytes. The first key seals and every key opens, so
    /// that you can rotate keys while calls are in flight.
    ///
    /// Without keys, each process seals with a random key of its own, and only the process that began a call
    /// can continue it. Replicas of a server need the same keys. To rotate: add the new key behind the old
    /// one on all replicas, then move it to the front on all replicas.
    pub fn sealing_keys(mut self, keys: impl IntoIterator<Item = [u8; 32]>) -> Self {
        self.sealing.keys = Some(keys.into_iter().collect());
        self
    }

    /// Sets how long request state (see [`Self::sealing_keys`]) is valid after the server sent it. 30 min by
    /// default, so that a user has time to think about a form.
    pub fn state_lifetime(mut self, lifetime: Duration) -> Self {
        self.sealing.ttl = lifetime;
        self
    }

    /// Accepts each request state (see [`Self::sealing_keys`]) only once. The process remembers up to 10,000
    /// used states of each principal, up to 10,000 of each network of callers without a principal, and up to
    /// 100,000 of all these callers. Beyond that it refuses further request states of that principal, that network
    /// or these callers until old ones expire. Replicas do not share the used states.
    ///
    /// A client that repeats a round because the answer was lost is then refused.
    pub fn single_use_states(mut self) -> Self {
        self.sealing.single_use = true;
        self
    }

    /// Sets the threshold for slow entries: if a call computes longer than this before its first wait, its
    /// entry counts as slow. The next calls of a slow entry start on tasks of their own, where they delay no
    /// other message of their connection. 250 µs by default: about 250 ordinary calls take as long, and an
    /// ordinary answer of 1 MB takes less.
    pub fn slow_step(mut self, slow_step: Duration) -> Self {
        self.slow_step = slow_step;
        self
    }

    /// Sets how long running calls may continue after the input of their connection has ended, and how long
    /// an HTTP server waits for running requests when it ends. 5 s by default: clients kill servers that
    /// linger.
    ///
    /// An HTTP server does not wait for calls of sessions whose client has disconnected: it cancels them as
    /// soon as no connection is open.
    pub fn drain(mut self, drain: Duration) -> Self {
        self.drain = drain;
        self
    }

    /// Sets the level of logging to stderr; `None` turns it off. `INFO` by default.
    ///
    /// A panic of a handler is a line of the log, in place of what Rust's own panic hook writes. A panic hook that
    /// the program has set stays.
    ///
    /// Has no effect if the program has installed its own `tracing` subscriber.
    pub fn log_level(mut self, level: Option<Level>) -> Self {
        self.log_level = level;
        self
    }

    /// Writes log lines to stderr as JSON objects with `timestamp`, `level`, `target` and `fields`, as
    /// `tracing-subscriber` does, for programs that read them.
    ///
    /// Has no effect if the program has installed its own `tracing` subscriber.
    pub fn log_json(mut self) -> Self {
        self.log_format = log::Format::Json;
        self
    }

    /// Calls `tap` with every frame (the bytes of one message or batch) that the server receives or sends,
    /// with secrets masked.
    pub fn tap(mut self, tap: Tap) -> Self {
        self.tap = Some(tap);
        self
    }

    /// Runs `hook` before the first request is read. If the hook fails, serving does not begin. Hooks do not
    /// run in a server that is connected to a client in its own process, as by [`crate::testing::client`].
    pub fn on_start<Fut: Future<Output = Result<(), String>> + Send + 'static>(
        mut self,
        hook: impl FnOnce() -> Fut + Send + 'static,
    ) -> Self {
        self.hooks.start.push(Box::new(move || Box::pin(hook())));
        self
    }

    /// Runs `hook` after the last answer was sent. Like the hooks of [`Self::on_start`], the hook does not run in a
    /// server that is connected to a client in its own process.
    pub fn on_shutdown<Fut: Future<Output = Result<(), String>> + Send + 'static>(
        mut self,
        hook: impl FnOnce() -> Fut + Send + 'static,
    ) -> Self {
        self.hooks.shutdown.push(Box::new(move || Box::pin(hook())));
        self
    }

    /// Runs `work` on a task of its own while clients are subscribed to at least one resource, for example to ask another program whether
    /// the resources have changed. The work begins with the first subscription of any client, is dropped at its current `.await` after
    /// the last one has ended, and begins again with the next one. All connections of the process share one task.
    pub fn while_subscribed<Fut: Future<Output = ()> + Send + 'static>(
        mut self,
        work: impl Fn(Subscriptions) -> Fut + Send + Sync + 'static,
    ) -> Self {
        self.hooks.subscribed.push(Box::new(move |subscriptions| Box::pin(work(subscriptions))));
        self
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("info", &self.info).finish_non_exhaustive()
    }
}
