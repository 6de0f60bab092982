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
use crate::catalog::{Catalog, Declared, Settings};
use crate::context::Principal;
use crate::driver;
use crate::error::{Error, Result};
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
    declared: Declared,
    drain: Duration,
    experimental: Capabilities,
    hooks: Hooks,
    info: Implementation,
    instructions: Option<String>,
    limits: Limits,
    log_level: Option<Level>,
    max_questions: usize,
    page_size: usize,
    revisions: Vec<Revision>,
    sealing: Sealing,
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
    pub(crate) catalog: Catalog,
    pub(crate) config: Arc<ServerConfig>,
    pub(crate) drain: Duration,
    pub(crate) max_questions: usize,
    pub(crate) principal: Option<Arc<Principal>>,
    pub(crate) sealer: Arc<Sealer>,
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
            declared: Declared::default(),
            drain: Duration::from_secs(5),
            experimental: Capabilities::default(),
            hooks: Hooks::default(),
            info: Implementation::new(name, "0.0.0"),
            instructions: None,
            limits: Limits::default(),
            log_level: Some(Level::INFO),
            max_questions: 256,
            page_size: 250,
            revisions: Revision::ALL.to_vec(),
            sealing: Sealing { keys: None, single_use: false, ttl: Duration::from_secs(1_800) },
            slow_step: Duration::from_micros(100),
            tap: None,
            timeout: None,
        }
    }

    /// Adds a tool.
    pub fn tool(mut self, tool: Tool) -> Self {
        self.declared.tools.push(tool);
        self
    }

    /// Adds a resource.
    pub fn resource(mut self, resource: Resource) -> Self {
        self.declared.resources.push(resource);
        self
    }

    /// Adds a family of resources. Where several match a URI, the first one reads it.
    pub fn resource_template(mut self, template: ResourceTemplate) -> Self {
        self.declared.templates.push(template);
        self
    }

    /// Adds a prompt.
    pub fn prompt(mut self, prompt: Prompt) -> Self {
        self.declared.prompts.push(prompt);
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
    /// same keys.
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
        check(&self.declared)?;
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
        let mut capabilities = self.experimental;
        for (name, used) in [
            ("prompts", !self.declared.prompts.is_empty()),
            ("resources", !(self.declared.resources.is_empty() && self.declared.templates.is_empty())),
            ("tools", !self.declared.tools.is_empty()),
        ] {
            if used {
                capabilities.declare(name, json!({}));
            }
        }
        let Self { cache_hint, page_size, slow_step, .. } = self;
        let catalog =
            Catalog::new(&self.info.name, self.declared, Settings { cache_hint, page_size, slow_step });
        let mut config = ServerConfig::new(self.info, capabilities);
        config.cache_hint = self.cache_hint;
        config.instructions = self.instructions;
        config.limits = self.limits;
        config.revisions = self.revisions;
        let built = Built {
            ask_timeout: self.ask_timeout,
            catalog,
            config: Arc::new(config),
            drain: self.drain,
            max_questions: self.max_questions,
            sealer: Arc::new(sealer),
            principal: principal.map(Arc::new),
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

/// Finds the first mistake in a declaration.
fn check(declared: &Declared) -> Result<()> {
    let mut seen = std::collections::HashMap::new();
    let entries = (declared.tools.iter().map(|it| ("tool", &it.entry.name, it.at, &it.problem)))
        .chain(declared.prompts.iter().map(|it| ("prompt", &it.entry.name, it.at, &it.problem)))
        .chain(declared.resources.iter().map(|it| ("resource", &it.entry.uri, it.at, &it.problem)))
        .chain(
            declared
                .templates
                .iter()
                .map(|it| ("resource template", &it.entry.uri_template, it.at, &it.problem)),
        );
    for (kind, name, at, problem) in entries {
        let wrong = |message| Err(Error::Declaration { at, message: format!("{kind} `{name}`: {message}") });
        if let Some(problem) = problem {
            return wrong(problem.clone());
        }
        if kind == "tool" && !is_tool_name(name) {
            return wrong("expected a name of 1 to 128 of `A-Z a-z 0-9 _ . -`".to_owned());
        }
        if kind.starts_with("resource") && !name.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme))
        {
            return wrong("expected a URI that begins with a scheme, such as `file:`".to_owned());
        }
        if name.is_empty() {
            return wrong("expected a name".to_owned());
        }
        if let Some(first) = seen.insert((kind, name), at) {
            return wrong(format!("expected the name once, but it is also declared at {first}"));
        }
    }
    Ok(())
}

/// Spec: 2025-11-25 tools "Tool Names".
fn is_tool_name(name: &str) -> bool {
    (1..=128).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+.-".contains(&b))
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("info", &self.info).finish_non_exhaustive()
    }
}
