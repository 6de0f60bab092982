//! The front door for clients: connect to a server, ask it things.
//!
//! In: a command, or any pair of streams. Out: typed answers. The client finds out which revision the server speaks;
//! answers are decoded by what was asked, and what they hold beyond that stays readable as raw JSON.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use plainwire_proto::cursor::List;
use plainwire_proto::error::{Error as Refusal, ErrorKind};
use plainwire_proto::http::param_headers;
use plainwire_proto::json::{shorten, write};
use plainwire_proto::model::{
    self, CallToolResult, Content, GetPromptResult, Implementation, RawJson, ReadResourceResult, ServerHello,
};
use plainwire_proto::peer::RequestOptions;
use plainwire_proto::revision::{Feature, Revision};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::to_raw_value;
use tokio::sync::{mpsc, oneshot};

use crate::error::{Error, Result};
use crate::runtime::AbortOnDrop;

mod asked;
mod builder;
mod cache;
pub mod config;
pub(crate) mod connection;
mod eras;
mod far_end;
pub mod host;
#[cfg(feature = "http-client")]
pub mod http;
mod listen;
mod notice;
mod pages;
pub mod process;
mod replay;
mod sampling;
mod target;
mod trace;
mod url;
mod utility;

pub(crate) use asked::{Answer, Asked};
pub use builder::ClientBuilder;
pub(crate) use cache::Cache;
use connection::{Ask, Reply, Wish};
pub use eras::Eras;
use far_end::Server;
pub use listen::Listen;
pub(crate) use listen::{AskToListen, Speaker};
pub use notice::{Notice, Progress};
pub use pages::{Page, Pages};
pub(crate) use replay::{is_harmless, is_replayable};
pub use sampling::Sampling;
pub use target::Target;
pub(crate) use trace::Recorder;
pub use trace::{Stage, Step, Trace};

/// A connection to a server.
///
/// ```no_run
/// # async fn run() -> plainwire::Result<()> {
/// use plainwire::Client;
///
/// let client = Client::builder().command(std::process::Command::new("my-server")).await?;
/// for tool in client.list_tools().await? {
///     println!("{}: {}", tool.name, tool.description.unwrap_or_default());
/// }
/// let sum: f64 = client.call("add", serde_json::json!({ "a": 1, "b": 2 })).await?;
/// # Ok(()) }
/// ```
///
/// Dropping the client ends the connection. Dropping the future of a request cancels the request.
pub struct Client {
    /// Shared with the connection's task, which takes out what has changed.
    cache: Option<Arc<Cache>>,
    /// Tickets of requests that nobody waits for any more: a queue of their own, which is never held up. Not bounded itself: each
    /// stands for a request that was open.
    cancels: mpsc::UnboundedSender<u64>,
    /// Whether roots were declared, and may change.
    has_roots: bool,
    hello: ServerHello,
    last_ticket: AtomicU64,
    notices: Mutex<Option<mpsc::Receiver<Notice>>>,
    options: RequestOptions,
    server: Server,
    wishes: mpsc::Sender<Wish>,
    _task: AbortOnDrop,
}

/// Wishes on their way to the connection. More wait for room.
const WISHES: usize = 64;

/// Notices that wait to be read.
const NOTICES: usize = 256;

impl Client {
    /// Begins to describe a client.
    pub fn builder() -> ClientBuilder {
        let info = Implementation::new("plainwire", env!("CARGO_PKG_VERSION"));
        ClientBuilder::new(info)
    }

    /// Returns what the server said of itself.
    pub fn hello(&self) -> &ServerHello {
        &self.hello
    }

    /// Returns the revision that both speak.
    pub fn revision(&self) -> Revision {
        self.hello.revision
    }

    /// Returns all tools.
    ///
    /// # Errors
    /// As [`Self::request`]; [`Error::Decode`] for a list that is none.
    ///
    /// A page that the server still counts as fresh is not asked for again; [`Self::pages`] has them one by one.
    ///
    /// Over HTTP in 2026-07-28, tools whose `x-mcp-header` no client can follow are left out, as the specification wants it;
    /// the log names them.
    pub async fn list_tools(&self) -> Result<Vec<model::Tool>> {
        let mut tools: Vec<model::Tool> = self.list(List::Tools).await?;
        if self.has_param_headers() {
            tools.retain(can_be_called);
        }
        Ok(tools)
    }

    /// As [`Self::list_raw`], without tools that [`Self::list_tools`] leaves out.
    pub(crate) async fn list_usable(&self, list: List) -> Result<Vec<RawJson>> {
        let mut entries = self.list_raw(list).await?;
        if list == List::Tools && self.has_param_headers() {
            entries.retain(|entry| decode(entry).as_ref().is_ok_and(can_be_called));
        }
        Ok(entries)
    }

    fn has_param_headers(&self) -> bool {
        self.server.is_remote() && self.revision().has(Feature::ParamHeaders)
    }

    /// Returns all resources.
    ///
    /// # Errors
    /// As [`Self::list_tools`].
    pub async fn list_resources(&self) -> Result<Vec<model::Resource>> {
        self.list(List::Resources).await
    }

    /// Returns all resource templates.
    ///
    /// # Errors
    /// As [`Self::list_tools`].
    pub async fn list_resource_templates(&self) -> Result<Vec<model::ResourceTemplate>> {
        self.list(List::ResourceTemplates).await
    }

    /// Returns all prompts.
    ///
    /// # Errors
    /// As [`Self::list_tools`].
    pub async fn list_prompts(&self) -> Result<Vec<model::Prompt>> {
        self.list(List::Prompts).await
    }

    /// Returns the entries of a list as they were sent, from all its pages.
    ///
    /// # Errors
    /// As [`Self::list_tools`].
    pub async fn list_raw(&self, list: List) -> Result<Vec<RawJson>> {
        self.list(list).await
    }

    /// Calls a tool. A tool that fails is an answer too: see [`CallToolResult::is_error`].
    ///
    /// # Errors
    /// As [`Self::request`].
    pub async fn call_tool(&self, name: &str, arguments: impl Serialize) -> Result<CallToolResult> {
        decode(&self.request("tools/call", &named(name, arguments)?).await?)
    }

    /// Calls a tool and reports its progress.
    ///
    /// # Errors
    /// As [`Self::request`].
    pub async fn call_tool_with_progress(
        &self,
        name: &str,
        arguments: impl Serialize,
        progress: impl FnMut(Progress) + Send + 'static,
    ) -> Result<CallToolResult> {
        let params = named(name, arguments)?;
        decode(&self.ask("tools/call", &params, Some(Box::new(progress)), None).await?.raw)
    }

    /// Calls a tool and returns its value: the structured content, else its text, read as JSON or as it is. Servers in Python
    /// wrap what is no object as `{"result": …}`; what is inside is the value then.
    ///
    /// # Errors
    /// As [`Self::request`]; [`Error::Tool`] with the text of a tool that failed; [`Error::Decode`] for a value that is
    /// no `T`.
    pub async fn call<T: DeserializeOwned>(&self, name: &str, arguments: impl Serialize) -> Result<T> {
        value_of(&self.call_tool(name, arguments).await?)
    }

    /// Reads a resource, unless the server has allowed to use an earlier answer again, and it is fresh.
    ///
    /// # Errors
    /// As [`Self::request`].
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult> {
        let mut params = Vec::new();
        let mut object = write::Object::open(&mut params);
        object.string("uri", uri);
        object.close();
        decode(&self.fetch("resources/read", &text(params)).await?)
    }

    /// Gets a prompt; the arguments are strings.
    ///
    /// # Errors
    /// As [`Self::request`].
    pub async fn get_prompt(&self, name: &str, arguments: impl Serialize) -> Result<GetPromptResult> {
        decode(&self.request("prompts/get", &named(name, arguments)?).await?)
    }

    /// Asks whether the server is still there. Revisions without `ping` are asked by `server/discover`.
    ///
    /// # Errors
    /// As [`Self::request`].
    pub async fn ping(&self) -> Result<()> {
        let method = if self.revision().has(Feature::Ping) { "ping" } else { "server/discover" };
        self.request(method, "{}").await.map(drop)
    }

    /// Makes any request; `params` is a JSON object, to which the revision's `_meta` is added.
    ///
    /// A modern server may answer with questions: they are answered as the builder says, and the request is made again.
    /// Cancel safe: a request whose future is dropped is cancelled at the server, and its questions end.
    ///
    /// # Errors
    /// [`Error::Rpc`] for an error answer or none in time; [`Error::Unanswered`] if the server asked something that was
    /// not answered here; [`Error::OutcomeUnknown`] if the answer to what may change something gets lost; [`Error::Closed`] if
    /// the connection ends otherwise.
    pub async fn request(&self, method: &str, params: &str) -> Result<RawJson> {
        Ok(self.ask(method, params, None, None).await?.raw)
    }

    /// As [`Self::request`], and reports progress.
    ///
    /// # Errors
    /// As [`Self::request`].
    pub async fn request_with_progress(
        &self,
        method: &str,
        params: &str,
        progress: impl FnMut(Progress) + Send + 'static,
    ) -> Result<RawJson> {
        Ok(self.ask(method, params, Some(Box::new(progress)), None).await?.raw)
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// [`Error::Closed`] if the connection has ended.
    pub async fn notify(&self, method: &str, params: &str) -> Result<()> {
        self.wish(Wish::Notify { method: method.to_owned(), params: params.to_owned() }).await
    }

    /// Returns what the server says on its own. Only the first caller gets it.
    pub fn notices(&self) -> Option<mpsc::Receiver<Notice>> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Forgets answers that were meant for one login only. A program that begins to act for somebody else on the same
    /// connection, as with another token, says so here.
    pub fn forget_private(&self) {
        self.cache.as_ref().inspect(|cache| cache.forget_private());
    }

    /// Ends the connection, and the server's process if it was started here: its input is closed, it gets its
    /// [grace](process) to leave, is asked by SIGTERM, and killed 2 s later. A session of HTTP is deleted. Dropping the client does the same without waiting.
    pub async fn close(self) {
        let Self { server, wishes, _task, .. } = self;
        drop((wishes, _task));
        server.end().await;
    }

    /// Whether the connection has ended.
    pub(crate) fn is_gone(&self) -> bool {
        self.wishes.is_closed()
    }

    /// Waits for the end of the connection, and says what is known of it. Cancel safe.
    pub(crate) async fn gone(&self) -> Error {
        self.wishes.closed().await;
        self.server.closed(GONE).await
    }

    /// Whether each request is one of HTTP, so that no end of a connection is seen between them.
    pub(crate) fn is_remote(&self) -> bool {
        self.server.is_remote()
    }

    fn next_ticket(&self) -> u64 {
        self.last_ticket.fetch_add(1, Ordering::Relaxed)
    }

    /// Makes a request whose answer may be used again, or has an answer that still may.
    async fn fetch(&self, method: &'static str, params: &str) -> Result<RawJson> {
        let Some(cache) = self.cache.as_ref().filter(|_| self.revision().has(Feature::CacheHints)) else {
            return self.request(method, params).await;
        };
        let asked = match cache.find(method, params) {
            Ok(fresh) => return Ok(fresh),
            Err(asked) => asked,
        };
        let reply = self.ask(method, params, None, None).await?;
        // Spec: what came of a request made again depends on more than its parameters.
        if !reply.is_retried {
            cache.keep(asked, method, params, &reply.raw);
        }
        Ok(reply.raw)
    }

    async fn ask(
        &self,
        method: &str,
        params: &str,
        progress: Option<Box<dyn FnMut(Progress) + Send>>,
        trace: Option<Recorder>,
    ) -> Result<Reply> {
        let (answer, answered) = oneshot::channel();
        let ticket = self.next_ticket();
        let ask = Ask {
            answer,
            method: method.to_owned(),
            options: self.options,
            params: params.to_owned(),
            progress,
            ticket,
            trace,
        };
        if self.wishes.send(Wish::Request(Box::new(ask))).await.is_err() {
            return Err(self.server.closed(GONE).await);
        }
        let mut give_up = GiveUp { cancels: &self.cancels, done: false, ticket };
        let answer = answered.await;
        give_up.done = true;
        match answer {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(error)) => Err(self.server.explain(error).await),
            Err(_) => Err(self.server.closed(GONE).await),
        }
    }
}

/// Whether the headers of a call can be made.
fn can_be_called(tool: &model::Tool) -> bool {
    let schema = serde_json::from_str(tool.input_schema.get()).unwrap_or_default();
    param_headers(&schema)
        .inspect_err(|why| tracing::warn!("the tool {:?} is left out: {why}", shorten(&tool.name)))
        .is_ok()
}

/// The error for an answer that did not come in time.
pub(crate) fn too_late(method: &str, limit: &str) -> Error {
    let text = format!("expected an answer to `{method}` in time, but the {limit} deadline passed");
    Error::Rpc(Refusal::new(ErrorKind::Overloaded, text))
}

/// What there is to say of a connection whose end nobody explained.
const GONE: &str = "the server is gone";

/// Cancels the request of a future that was dropped.
struct GiveUp<'c> {
    cancels: &'c mpsc::UnboundedSender<u64>,
    done: bool,
    ticket: u64,
}

impl Drop for GiveUp<'_> {
    fn drop(&mut self) {
        if !self.done {
            // Nothing is left to cancel when the connection is gone.
            let _ = self.cancels.send(self.ticket);
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("revision", &self.hello.revision).finish_non_exhaustive()
    }
}

fn named(name: &str, arguments: impl Serialize) -> Result<String> {
    let arguments = to_raw_value(&arguments)
        .map_err(|error| Error::Decode { message: format!("the arguments have no JSON: {error}") })?;
    let mut params = Vec::new();
    let mut object = write::Object::open(&mut params);
    object.string("name", name);
    object.raw("arguments", arguments.get());
    object.close();
    Ok(text(params))
}

/// What stands in `{"result": …}`, if there is nothing else.
fn unwrapped<T: DeserializeOwned>(structured: &RawJson) -> Option<T> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wrapped<T> {
        result: T,
    }
    serde_json::from_str::<Wrapped<T>>(structured.get()).ok().map(|it| it.result)
}

/// The value of a tool's result: see [`Client::call`].
pub(crate) fn value_of<T: DeserializeOwned>(result: &CallToolResult) -> Result<T> {
    let text: String = result.content.iter().filter_map(Content::as_text).collect();
    if result.is_error {
        return Err(Error::Tool { text });
    }
    if let Some(structured) = &result.structured_content {
        return decode(structured).or_else(|error| unwrapped(structured).ok_or(error));
    }
    serde_json::from_str(&text)
        .or_else(|_| serde_json::from_value(text.into()))
        .map_err(|error| Error::Decode { message: error.to_string() })
}

pub(crate) fn decode<T: DeserializeOwned>(raw: &RawJson) -> Result<T> {
    serde_json::from_str(raw.get())
        .map_err(|error| Error::Decode { message: format!("expected another result: {error}") })
}

/// What was written as JSON is text.
fn text(json: Vec<u8>) -> String {
    String::from_utf8(json).unwrap_or_default()
}
