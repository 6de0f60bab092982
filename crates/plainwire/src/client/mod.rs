//! Clients: connect to a server and make requests.
//!
//! In: a target, such as a command, a URL or a pair of streams. Out: typed answers. The client finds out
//! which revision the server speaks. Each answer is decoded by the type of its request; additional members
//! stay readable as raw JSON.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use plainwire_proto::json::{shorten, write};
use plainwire_proto::model::{
    CallToolResult, GetPromptResult, Implementation, RawJson, ReadResourceResult, ServerHello,
};
use plainwire_proto::peer::RequestOptions;
use plainwire_proto::revision::{Feature, Revision};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{mpsc, oneshot};

use crate::error::{Error, Result};
use crate::runtime::AbortOnDrop;
pub use crate::tool_failure::ToolFailure;
pub use crate::trace_context::TraceContext;
use crate::trace_context::TraceSource;

mod asked;
mod builder;
mod cache;
mod call;
mod check_results;
pub mod config;
pub(crate) mod connection;
mod eras;
mod far_end;
pub mod host;
#[cfg(feature = "http-client")]
pub mod http;
mod known_tools;
mod listen;
mod lists;
mod notice;
mod pages;
pub mod process;
mod replayable;
mod sampling;
mod target;
mod trace;
mod url;
mod utility;
mod value;

pub(crate) use asked::{Answer, Asked};
pub use builder::ClientBuilder;
pub(crate) use cache::Cache;
pub use call::Call;
pub use check_results::ResultCheck;
use connection::{Ask, Command, Reply};
pub use eras::Eras;
use far_end::FarEnd;
pub use far_end::Transport;
use known_tools::KnownTools;
pub use listen::Listen;
pub(crate) use listen::{AskToListen, Speaker};
pub(crate) use notice::NoticeSender;
pub use notice::{Notice, Notices, Progress};
pub use pages::{Page, Pages};
pub use plainwire_proto::peer::Change;
pub(crate) use replayable::is_replayable;
pub use sampling::Sampling;
pub use target::{OpenStream, Target};
pub(crate) use trace::Recorder;
pub use trace::{Stage, Step, Trace};
pub(crate) use value::value_of;

/// A client with a connection to a server.
///
/// ```no_run
/// # async fn run() -> plainwire::Result<()> {
/// use plainwire::Client;
/// use plainwire::serde_json::json;
///
/// let client = Client::builder().command(std::process::Command::new("my-server")).await?;
/// for tool in client.list_tools().await? {
///     println!("{}: {}", tool.name, tool.description.unwrap_or_default());
/// }
/// let sum: f64 = client.call("add", json!({ "a": 1, "b": 2 })).await?;
/// # Ok(()) }
/// ```
///
/// A clone uses the same connection: give each task that makes requests one of its own. Dropping the last clone
/// ends the connection. Dropping the future of a request cancels the request.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

/// The parts of a client that all of its clones share.
struct Shared {
    /// The cached answers; `None` without a cache. Shared with the connection task, which removes outdated
    /// answers.
    cache: Option<Arc<Cache>>,
    /// The queue to the connection task with the tickets of requests whose future was dropped. A ticket is
    /// the client's number of a request or a subscription. Sending never blocks. The queue needs no bound:
    /// each ticket is that of a request that was open.
    cancels: mpsc::UnboundedSender<u64>,
    check: ResultCheck,
    /// Whether the client declared roots, so that the program may change them.
    has_roots: bool,
    hello: ServerHello,
    /// The client's number, called ticket, of the next request or subscription.
    last_ticket: AtomicU64,
    notices: Mutex<Option<Notices>>,
    options: RequestOptions,
    far_end: FarEnd,
    /// The facts about the server's tools. Shared with the connection task, which learns them from lists.
    tools: KnownTools,
    commands: mpsc::Sender<Command>,
    /// The source of the trace context of each request; `None` if the program has none.
    trace_source: Option<TraceSource>,
    task: AbortOnDrop,
}

/// The most commands of the client that wait for the connection task. The sender of a further command waits
/// for room.
const COMMANDS: usize = 64;

/// The longest wait for the sending of notifications before [`Client::close`] ends the connection.
const FLUSH: Duration = Duration::from_millis(100);

impl Client {
    /// Returns the builder of a client.
    pub fn builder() -> ClientBuilder {
        let info = Implementation::new("plainwire", env!("CARGO_PKG_VERSION"));
        ClientBuilder::new(info)
    }

    /// Returns the last lines that the server process has written to its stderr until now, at most 20 lines or 4 KiB,
    /// without colours and with control characters escaped. `None` if there are none, if the server is no child
    /// process, or with [`Stderr::AsTheCommandSays`](process::Stderr::AsTheCommandSays).
    pub fn server_stderr(&self) -> Option<String> {
        self.shared.far_end.stderr()
    }

    /// Returns the server's description of itself: its capabilities, instructions, name and version.
    pub fn hello(&self) -> &ServerHello {
        &self.shared.hello
    }

    /// Returns the name, version and title of the server. `None` if the server did not send them, which only
    /// modern servers may do.
    pub fn server_info(&self) -> Option<&Implementation> {
        self.shared.hello.server_info.as_ref()
    }

    /// Returns the revision of the connection.
    pub fn revision(&self) -> Revision {
        self.shared.hello.revision
    }

    /// Calls a tool. If the tool fails, that is a result too: see [`CallToolResult::is_error`].
    /// [`ClientBuilder::check_results`] checks results against the tool's output schema.
    ///
    /// # Errors
    /// Like [`Self::request`]; also [`Error::Decode`] if the arguments can't be written as JSON, or the result can't be
    /// read.
    pub fn call_tool(&self, name: &str, arguments: impl Serialize) -> Call<CallToolResult> {
        self.call_of(name, arguments, Ok)
    }

    /// Calls a tool and returns its value: the structured content; without it, the text, read as JSON or else
    /// as a string. Before 2026-07-28, servers wrap values that are not objects as `{"result": …}`: of such an
    /// object, the value inside is returned.
    ///
    /// # Errors
    /// Like [`Self::request`]; also [`Error::Tool`] with the text of a tool that failed; [`Error::Decode`] if
    /// the arguments can't be written as JSON, or the value is not a `T`.
    pub fn call<T: DeserializeOwned + 'static>(&self, name: &str, arguments: impl Serialize) -> Call<T> {
        self.call_of(name, arguments, |result| value_of(&result))
    }

    /// Returns the call of a tool whose checked result is read by `read`.
    fn call_of<T: 'static>(
        &self,
        name: &str,
        arguments: impl Serialize,
        read: fn(CallToolResult) -> Result<T>,
    ) -> Call<T> {
        let (params, name) = (named(name, arguments), name.to_owned());
        Call::new(self, "tools/call", params, move |client, raw| {
            let result = decode(&raw)?;
            client.shared.check.check(&client.shared.tools, &name, &result)?;
            read(result)
        })
    }

    /// Reads a resource. If a cached answer is still fresh according to the server, returns that answer
    /// without a request.
    ///
    /// # Errors
    /// Like [`Self::request`]; also [`Error::Decode`] if the result can't be read.
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult> {
        let mut params = Vec::new();
        let mut object = write::Object::open(&mut params);
        object.string("uri", uri);
        object.close();
        decode(&self.fetch("resources/read", &text(params)).await?)
    }

    /// Gets a prompt. The values in `arguments` have to be strings.
    ///
    /// # Errors
    /// Like [`Self::request`]; also [`Error::Decode`] if the arguments can't be written as JSON, or the result can't be
    /// read.
    pub fn get_prompt(&self, name: &str, arguments: impl Serialize) -> Call<GetPromptResult> {
        Call::new(self, "prompts/get", named(name, arguments), |_, raw| decode(&raw))
    }

    /// Checks that the server still answers. In revisions without `ping` the request is `server/discover`.
    ///
    /// # Errors
    /// Like [`Self::request`].
    pub async fn ping(&self) -> Result<()> {
        let method = if self.revision().has(Feature::Ping) { "ping" } else { "server/discover" };
        self.request(method, "{}").await.map(drop)
    }

    /// Makes any request. `params` is a JSON object; the client adds the `_meta` of the revision to the `_meta`
    /// that `params` may have.
    ///
    /// If a modern server answers with questions, the client's handlers answer them, and the request is made
    /// again. Cancel safe: if the [`Call`] is dropped, the request is cancelled at the server, and its
    /// questions end.
    ///
    /// # Errors
    /// [`Error::Rpc`] for an error answer; [`Error::Deadline`] if no answer arrives in time; [`Error::Unanswered`] if this
    /// client could not answer a question of the server; [`Error::OutcomeUnknown`] if the connection is lost
    /// before the answer to a request that may change something; [`Error::Closed`] if it is lost before the
    /// answer to any other request; [`Error::Decode`] if `params` is no JSON object. Over HTTP also
    /// [`Error::Http`] if the server refuses the request.
    pub fn request(&self, method: &str, params: &str) -> Call<RawJson> {
        Call::new(self, method, object(method, params).map(ToOwned::to_owned), |_, raw| Ok(raw))
    }

    /// Sends a notification. `params` is a JSON object.
    ///
    /// # Errors
    /// [`Error::Closed`] if the connection has ended; [`Error::Decode`] if `params` is no JSON object.
    pub async fn notify(&self, method: &str, params: &str) -> Result<()> {
        let params = object(method, params)?.to_owned();
        self.send_command(Command::Notify { method: method.to_owned(), params }).await
    }

    /// Returns the queue of the messages that the server sends on its own. Only the first call returns it,
    /// later calls return `None`.
    pub fn notices(&self) -> Option<Notices> {
        self.shared.notices.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Drops cached answers that were meant for one login only. Call it when the connection begins to act for
    /// another user, for example with another token.
    pub fn forget_private(&self) {
        self.shared.cache.as_ref().inspect(|cache| cache.forget_private());
    }

    /// Ends the connection for all clones of the client: their open requests end with [`Error::Closed`]. Notifications,
    /// and cancellations of requests that were dropped before, are still sent, unless that takes longer than 100 ms. If the
    /// client started the server's process, ends the process too: closes its input, and if it still runs after
    /// its [grace period](process), sends SIGTERM, and 2 s later SIGKILL. Over HTTP, deletes the session at the
    /// server. Dropping the last clone ends process and session in the background, but does not wait until
    /// notifications and cancellations are sent.
    pub async fn close(&self) {
        self.shared.end().await;
    }

    /// Ends the connection like [`Self::close`] if no other clone is left.
    pub(crate) async fn close_if_last(self) {
        if let Some(last) = Arc::into_inner(self.shared) {
            last.end().await;
        }
    }

    /// Returns whether `other` is a clone of this client.
    pub(crate) fn is_clone_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// Returns whether the connection has ended.
    pub(crate) fn is_gone(&self) -> bool {
        self.shared.commands.is_closed()
    }

    /// Waits for the end of the connection, and returns its reason. Cancel safe.
    pub(crate) async fn gone(&self) -> Error {
        self.shared.commands.closed().await;
        self.shared.far_end.closed(GONE).await
    }

    /// Returns whether the connection is over HTTP. Then only a request can show that the connection has
    /// ended.
    pub(crate) fn is_remote(&self) -> bool {
        self.shared.far_end.transport == Transport::Http
    }

    fn next_ticket(&self) -> u64 {
        self.shared.last_ticket.fetch_add(1, Ordering::Relaxed)
    }

    /// Makes a request whose answer may be cached, or returns a fresh cached answer.
    async fn fetch(&self, method: &'static str, params: &str) -> Result<RawJson> {
        let Some(cache) = self.shared.cache.as_ref().filter(|_| self.revision().has(Feature::CacheHints))
        else {
            return self.request(method, params).await;
        };
        let asked = match cache.find(method, params) {
            Ok(fresh) => return Ok(fresh),
            Err(asked) => asked,
        };
        let reply = self.ask(method, params, None, None).await?;
        // Spec: the answer of a request that was made again depends on more than its parameters.
        if !reply.is_retried {
            cache.keep(asked, method, params, &reply.raw);
        }
        Ok(reply.raw)
    }

    /// Returns `params` with the trace context of the program, if it has one.
    fn traced_params(&self, params: &str) -> String {
        let trace = self.shared.trace_source.as_ref().and_then(TraceSource::current);
        trace.map_or_else(|| params.to_owned(), |trace| trace.add_to(params))
    }

    /// Makes a request, and waits for its answer. Dropping this future cancels the request.
    async fn ask(
        &self,
        method: &str,
        params: &str,
        progress: Option<Box<dyn FnMut(Progress) + Send>>,
        trace: Option<Recorder>,
    ) -> Result<Reply> {
        self.ask_within(method, params, progress, trace, self.shared.options).await
    }

    /// Like [`Self::ask`], with other deadlines than those of the client.
    async fn ask_within(
        &self,
        method: &str,
        params: &str,
        progress: Option<Box<dyn FnMut(Progress) + Send>>,
        trace: Option<Recorder>,
        options: RequestOptions,
    ) -> Result<Reply> {
        let (answer, answered) = oneshot::channel();
        let ticket = self.next_ticket();
        let ask = Ask {
            answer,
            method: method.to_owned(),
            options,
            params: self.traced_params(params),
            progress,
            ticket,
            trace,
        };
        if self.shared.commands.send(Command::Request(Box::new(ask))).await.is_err() {
            return Err(self.shared.far_end.closed(GONE).await);
        }
        let mut give_up = GiveUp { cancels: &self.shared.cancels, done: false, ticket };
        let answer = answered.await;
        give_up.done = true;
        match answer {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(error)) => Err(self.shared.far_end.explain(error).await),
            Err(_) => Err(self.shared.far_end.closed(GONE).await),
        }
    }
}

impl Shared {
    async fn end(&self) {
        let (sent, all_sent) = oneshot::channel();
        if self.commands.try_send(Command::Flush(sent)).is_ok() {
            // Late or never only if the server reads nothing. Then it would not read the cancellations either.
            let _ = tokio::time::timeout(FLUSH, all_sent).await;
        }
        self.task.0.abort();
        self.far_end.end().await;
    }
}

/// The reason that errors give for the end of a connection if no other reason is known.
const GONE: &str = "the server is no longer connected";

/// A guard that cancels a request if the request's future is dropped before the answer has arrived.
struct GiveUp<'c> {
    cancels: &'c mpsc::UnboundedSender<u64>,
    /// Whether the answer has arrived.
    done: bool,
    ticket: u64,
}

impl Drop for GiveUp<'_> {
    fn drop(&mut self) {
        if !self.done {
            // Sending fails only if the connection has ended: then nothing is left to cancel.
            let _ = self.cancels.send(self.ticket);
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("revision", &self.shared.hello.revision).finish_non_exhaustive()
    }
}

/// Returns the `params` of a request that names a tool or a prompt and has arguments.
fn named(name: &str, arguments: impl Serialize) -> Result<String> {
    let arguments = to_raw_value(&arguments).map_err(|error| Error::Decode {
        message: format!("the arguments can't be written as JSON: {error}"),
    })?;
    let mut params = Vec::new();
    let mut object = write::Object::open(&mut params);
    object.string("name", name);
    object.raw("arguments", arguments.get());
    object.close();
    Ok(text(params))
}

/// Checks that the parameters of a request are a JSON object.
fn object<'p>(method: &str, params: &'p str) -> Result<&'p str> {
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(params).is_ok();
    if is_json && params.trim_start().starts_with('{') {
        return Ok(params);
    }
    let found = if is_json { shorten(params).into_owned() } else { "no JSON".to_owned() };
    let message = format!("expected the parameters of `{method}` to be a JSON object, but found {found}");
    Err(Error::Decode { message })
}

pub(crate) fn decode<T: DeserializeOwned>(raw: &RawValue) -> Result<T> {
    serde_json::from_str(raw.get()).map_err(|error| other_type(&error))
}

/// Returns the error for a result that is not of the type that its caller expects.
fn other_type(error: &serde_json::Error) -> Error {
    Error::Decode { message: format!("the result is of another type than expected: {error}") }
}

/// Converts the bytes of JSON that this module has written to a string. They are always UTF-8.
fn text(json: Vec<u8>) -> String {
    String::from_utf8(json).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Waker};

    use crate::Server;

    #[tokio::test]
    async fn up_to_64_commands_wait_for_the_connection_task() {
        let client = crate::testing::client(Server::new("s")).await.expect("a connection");
        let mut pings: Vec<_> = (0..70).map(|_| Box::pin(client.ping())).collect();
        // The connection task does not run between these polls: all tasks share one thread.
        for ping in &mut pings {
            assert!(ping.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        assert_eq!((client.shared.commands.max_capacity(), client.shared.commands.capacity()), (64, 0));
        for ping in pings {
            ping.await.expect("an answer");
        }
    }
}
