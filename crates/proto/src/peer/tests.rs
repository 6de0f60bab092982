//! Tests of a peer: frames in, frames and events out.
//!
//! This file has the helpers that the test modules share: a server and a client whose frames and clock the
//! test controls, and events as short texts.

mod asking;
mod bad_input;
mod batch;
mod cancel;
mod client;
mod handshake;
mod listening;
mod notifications;
mod requests;

use serde_json::json;

use super::*;
use crate::model::{Capabilities, Implementation};
use crate::revision::Era;
use crate::testing::Pair;

const V24: Revision = Revision::V2024_11_05;
const V25A: Revision = Revision::V2025_03_26;
const V25B: Revision = Revision::V2025_06_18;
const V25C: Revision = Revision::V2025_11_25;
const V26: Revision = Revision::V2026_07_28;

/// The member `_meta` that makes a request a modern one.
const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// An empty result in the form of the modern era.
const MODERN_RESULT: &str =
    r#"{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}"#;

/// Returns a request without parameters.
fn request(id: &str, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)
}

/// Returns a call of the tool `t`; `more` is further members of `params`, with a comma before each.
fn call(id: &str, more: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t"{more}}}}}"#)
}

/// Returns a request of 2026-07-28; `more` is further members of `params`, with a comma before each.
fn modern(id: &str, method: &str, more: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{MODERN}{more}}}}}"#)
}

fn initialize(id: &str, version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
    )
}

fn cancelled(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
}

/// Returns the answer to the request `id` with the result `result`.
fn result(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// Returns the answer to the request `id` with an error. `id` is JSON text, such as `1` or `null`; if it is
/// `None`, the answer has no member `id`.
fn error<'i>(id: impl Into<Option<&'i str>>, code: i32, message: &str) -> String {
    let id = id.into().map_or_else(String::new, |id| format!(r#""id":{id},"#));
    let message = json!(message);
    format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":{code},"message":{message}}}}}"#)
}

/// Returns the configuration of a server that offers prompts, resources and tools.
fn server_config(revisions: &[Revision]) -> ServerConfig {
    let mut capabilities = Capabilities::default();
    for name in ["prompts", "resources", "tools"] {
        capabilities.declare(name, json!({}));
    }
    let mut config = ServerConfig::new(Implementation::new("s", "1"), capabilities);
    config.revisions = revisions.to_vec();
    config
}

fn client_config(revisions: &[Revision], era: EraChoice) -> ClientConfig {
    let mut config = ClientConfig::new(Implementation::new("c", "1"));
    config.revisions = revisions.to_vec();
    config.era = era;
    config
}

/// The server's peer. The test passes frames to it and takes frames and events from it.
struct Server {
    peer: Peer,
}

impl Server {
    fn new(config: ServerConfig) -> Self {
        Self { peer: Peer::server(Arc::new(config)) }
    }

    /// Creates a server of all revisions that has received nothing yet.
    fn fresh() -> Self {
        Self::new(server_config(&Revision::ALL))
    }

    /// Creates a server of all revisions in a session of `revision`.
    fn speaking(revision: Revision) -> Self {
        let mut server = Self::fresh();
        server.begin(revision);
        server
    }

    fn limited(revision: Revision, limit: impl FnOnce(&mut Limits)) -> Self {
        let mut config = server_config(&Revision::ALL);
        limit(&mut config.limits);
        let mut server = Self::new(config);
        server.begin(revision);
        server
    }

    fn begin(&mut self, revision: Revision) {
        self.hear(initialize("\"begin\"", revision.as_str()));
        assert_eq!(self.sent().len(), 1);
        assert_eq!(self.peer.revision(), Some(revision));
    }

    /// Passes a frame to the server, and returns the events that the server reports.
    fn hear(&mut self, frame: impl AsRef<[u8]>) -> Vec<Event> {
        self.peer.handle_frame(frame.as_ref(), Now::default());
        std::iter::from_fn(|| self.peer.poll_event()).collect()
    }

    /// Passes a frame to the server, and returns the events that the server reports, as short texts.
    fn hears(&mut self, frame: impl AsRef<[u8]>) -> Vec<String> {
        let events = self.hear(&frame);
        let frame = String::from_utf8_lossy(frame.as_ref());
        events.iter().map(|event| told(event, &frame)).collect()
    }

    /// Passes a frame to the server, and returns the keys of the requests in it.
    fn open(&mut self, frame: impl AsRef<[u8]>) -> Vec<CallKey> {
        let key = |event| if let Event::Request { key, .. } = event { Some(key) } else { None };
        self.hear(frame).into_iter().filter_map(key).collect()
    }

    /// Passes a frame with one request to the server, and returns the key of that request.
    fn open_one(&mut self, frame: impl AsRef<[u8]>) -> CallKey {
        let keys = self.open(frame);
        assert_eq!(keys.len(), 1, "{:?}", self.sent());
        keys[0]
    }

    /// Answers the request `key` with an empty result.
    fn answer(&mut self, key: CallKey) {
        let encoder = self.peer.encoder(key);
        self.peer.respond(key, |out| encoder.empty(out));
    }

    /// Takes and returns the frames that the server has to send.
    fn sent(&mut self) -> Vec<String> {
        frames(&mut self.peer)
    }

    /// Passes a frame to the server, answers every request in it, and returns the frames that the server has
    /// to send.
    fn serve(&mut self, frame: impl AsRef<[u8]>) -> Vec<String> {
        for key in self.open(frame) {
            self.answer(key);
        }
        self.sent()
    }
}

/// The client's peer and its clock. The test passes frames to the client and takes frames and events from it.
struct Client(Pair);

impl Client {
    /// Creates a client that has begun to connect. Its first frame is ready to be sent.
    fn connecting(config: ClientConfig) -> Self {
        let mut pair = Pair::new(server_config(&Revision::ALL), config);
        pair.client.connect(pair.now);
        Self(pair)
    }

    /// Creates a client that has connected to a server of this crate in `revision`. Its next request has the
    /// id 2.
    fn speaking(revision: Revision) -> Self {
        let mut pair =
            Pair::new(server_config(&Revision::ALL), client_config(&[revision], EraChoice::default()));
        pair.client.connect(pair.now);
        pair.drive(|_, _, _| {});
        assert_eq!(outcome(&pair), [format!("connected: {revision}")]);
        pair.client_events.clear();
        Self(pair)
    }

    /// Makes a call of the tool `t`, and discards the frame that the client would send.
    fn call(&mut self) -> RequestKey {
        let (peer, now) = (&mut self.0.client, self.0.now);
        let key = peer.request("tools/call", r#"{"name":"t"}"#, RequestOptions::default(), now);
        assert_eq!(self.sent().len(), 1);
        key
    }

    /// Passes a frame to the client, and returns the events that the client reports, as short texts.
    fn hears(&mut self, frame: impl AsRef<[u8]>) -> Vec<String> {
        let peer = &mut self.0.client;
        peer.handle_frame(frame.as_ref(), self.0.now);
        let frame = String::from_utf8_lossy(frame.as_ref());
        std::iter::from_fn(|| peer.poll_event()).map(|event| told(&event, &frame)).collect()
    }

    /// Moves the clock forward by `time`, and returns the events that the client reports, as short texts.
    fn waits(&mut self, time: Duration) -> Vec<String> {
        self.0.advance(time);
        self.0.client_events.drain(..).map(|event| told(&event, "")).collect()
    }

    /// Takes and returns the frames that the client has to send.
    fn sent(&mut self) -> Vec<String> {
        frames(&mut self.0.client)
    }
}

fn frames(peer: &mut Peer) -> Vec<String> {
    let sent = std::iter::from_fn(|| peer.poll_transmit());
    sent.map(|it| String::from_utf8(it.bytes).expect("frames are UTF-8")).collect()
}

/// Returns the events that the client has reported so far, as short texts.
fn outcome(pair: &Pair) -> Vec<String> {
    pair.client_events.iter().map(|event| told(event, "")).collect()
}

/// Returns an event as a short text; `frame` is the frame that caused it.
fn told(event: &Event, frame: &str) -> String {
    let text = |span: &Span| span.text(frame).to_owned();
    let maybe = |span: &Option<Span>| span.as_ref().map_or_else(|| "nothing".to_owned(), text);
    match event {
        Event::Cancelled { reason, .. } => format!("cancelled: {reason:?}"),
        Event::Connected(hello) => format!("connected: {}", hello.revision),
        Event::Failed { request, error } => format!("failed {}: {:?}: {error}", request.0, error.kind()),
        Event::Ignored(text) => format!("ignored: {text}"),
        Event::Initialized => "initialized".to_owned(),
        Event::InputRequired { request, result } => format!("input required {}: {}", request.0, text(result)),
        Event::LogLevel(level) => format!("log level: {}", level.as_str()),
        Event::ListChanged(list) => format!("changed: {}", list.method()),
        Event::Notification { method, params } => {
            format!("notification: {} {}", text(method), maybe(params))
        }
        Event::SubscriptionNotice { request, news } => format!("news {}: {news:?}", request.0),
        Event::Progress { request, progress, total, message } => {
            format!("progress {}: {progress} {total:?} {message:?}", request.0)
        }
        Event::Refused(error) => format!("refused: {error}"),
        Event::RootsChanged => "roots changed".to_owned(),
        Event::Request { request, meta, .. } => {
            let request = match request {
                Request::CallTool { name, arguments } => format!("call {} {}", text(name), maybe(arguments)),
                Request::Complete { params } => format!("complete {}", maybe(params)),
                Request::GetPrompt { name, arguments } => format!("get {} {}", text(name), maybe(arguments)),
                Request::Input { method, params } => format!("{} {}", method.as_str(), maybe(params)),
                Request::List { list, cursor } => format!("{} {}", list.method(), maybe(cursor)),
                Request::Listen => "listen".to_owned(),
                Request::ReadResource { uri } => format!("read {}", text(uri)),
                Request::Subscribe { uri } => format!("subscribe {}", text(uri)),
                Request::Unsubscribe { uri } => format!("unsubscribe {}", text(uri)),
            };
            format!("{}: {request}", meta.revision)
        }
        Event::Result { request, result } => format!("result {}: {}", request.0, text(result)),
        Event::Unresponsive => "unresponsive".to_owned(),
    }
}

#[test]
fn the_crate_depends_on_four_others() {
    let manifest = include_str!("../../Cargo.toml");
    let section =
        manifest.split("\n[").find(|section| section.starts_with("dependencies]")).expect("a section");
    let names: Vec<_> = section
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(['=', '.']))
        .map(|it| it.0.trim())
        .collect();
    assert_eq!(names, ["chacha20poly1305", "memchr", "serde", "serde_json"]);
    // Dependencies for some platforms only would be in a table of their own.
    assert_eq!(manifest.matches("dependencies").count(), 2, "one for the crate, one for its tests");
}
