//! Fuzz target for the bodies that a client posts in a session of 2025-03-26, the only revision with batches.
//!
//! In: bytes. The first one selects whether the others are a body, or select the members of a batch. Out: a panic
//! if one of these invariants does not hold:
//!
//! - Each request of a batch is answered once, whatever stands beside it. A request that a member cancels, or
//!   whose id is repeated, is answered at most once for each time.
//! - A body that is not answered has a status that says so, and an answer is JSON-RPC.
//! - The session answers afterwards.

use std::collections::BTreeMap;
use std::time::Duration;

use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use plainwire::http::{Body, Http, HttpService};
use plainwire::{Server, Tool, ToolError};
use serde_json::{Value, json};

use super::bytes::Bytes;

/// The longest time for one response. Nothing in this target waits for a clock.
const PATIENCE: Duration = Duration::from_secs(5);

/// Posts the body that the bytes encode.
pub fn http_batch(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let batch = (!bytes.byte().is_multiple_of(4)).then(|| Batch::read(&mut bytes));
    let body = batch.as_ref().map_or_else(|| bytes.rest().to_vec(), |batch| batch.text.clone().into_bytes());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let session = Session::begin().await;
        let (status, answers) = session.post(&body).await;
        let shown = String::from_utf8_lossy(&body);
        assert!([200, 202, 400, 404, 413, 415].contains(&status), "{status} for {shown:?}");
        if let Some(batch) = batch {
            batch.judge(status, &answers);
        }
        let ping = r#"{"jsonrpc":"2.0","id":"afterwards","method":"ping"}"#;
        let (status, answers) = session.post(ping.as_bytes()).await;
        assert_eq!((status, answers.len()), (200, 1), "after {shown:?}");
    });
}

/// A batch, and how often each of its ids stands in it.
struct Batch {
    /// The ids that a member cancels.
    cancelled: Vec<u8>,
    /// The number of requests with each id.
    requests: BTreeMap<u8, usize>,
    text: String,
    /// Whether the batch has nothing but requests, so that all of it must be answered.
    is_plain: bool,
}

impl Batch {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        let (mut cancelled, mut requests, mut is_plain) = (Vec::new(), BTreeMap::new(), true);
        let mut members = Vec::new();
        while !bytes.is_empty() && members.len() < 200 {
            let (kind, id) = (bytes.below(10), bytes.byte());
            let call = |tool: &str| {
                format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}"}}}}"#)
            };
            let (member, is_request) = match kind {
                0 | 1 => (call("now"), true),
                2 | 3 => (call("later"), true),
                4 => (call("fails"), true),
                5 => (call("unknown"), true),
                6 => (format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#), true),
                7 => (format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#), false),
                8 => {
                    cancelled.push(id);
                    let params = format!(r#"{{"requestId":{id}}}"#);
                    (
                        format!(
                            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{params}}}"#
                        ),
                        false,
                    )
                }
                _ => (Value::String(bytes.text()).to_string(), false),
            };
            is_plain &= is_request;
            if is_request {
                *requests.entry(id).or_insert(0) += 1;
            }
            members.push(member);
        }
        Self { cancelled, requests, text: format!("[{}]", members.join(",")), is_plain }
    }

    /// Checks the answers to the batch.
    fn judge(&self, status: u16, answers: &[Value]) {
        if self.requests.is_empty() {
            return;
        }
        assert!(status == 200 || !self.is_plain, "{status} for {}", self.text);
        if status != 200 {
            return;
        }
        for (id, asked) in &self.requests {
            let answered = answers.iter().filter(|answer| answer["id"] == json!(id)).count();
            let least = if self.cancelled.contains(id) { 0 } else { 1 };
            let fits = (least..=*asked).contains(&answered);
            assert!(fits, "{answered} answers to the {asked} requests {id} of {}", self.text);
        }
    }
}

/// A session of 2025-03-26 at a service of its own.
struct Session {
    id: String,
    service: HttpService,
}

impl Session {
    async fn begin() -> Self {
        let fails = || async { Err::<(), _>(ToolError::failed("on purpose")) };
        let later = || async {
            tokio::task::yield_now().await;
            "later"
        };
        let server = Server::new("fuzzed")
            .log_level(None)
            .tool(Tool::new("now", || async { "now" }))
            .tool(Tool::new("later", later))
            .tool(Tool::new("fails", fails));
        let service = Http::new(server).into_service().expect("a legal server");
        let mut this = Self { id: String::new(), service };
        let info = json!({ "name": "c", "version": "1" });
        let params = json!({ "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": info });
        let initialize = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let response = this.send(initialize.to_string().as_bytes()).await;
        let id = response.headers().get("mcp-session-id").expect("a session");
        this.id = id.to_str().expect("text").to_owned();
        let (status, _) = this.post(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        assert_eq!(status, 202);
        this
    }

    async fn send(&self, body: &[u8]) -> Response<Body> {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri("/mcp")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        if !self.id.is_empty() {
            request = request.header("mcp-session-id", &self.id);
        }
        let request = request.body(Full::new(bytes::Bytes::copy_from_slice(body))).expect("a request");
        tokio::time::timeout(PATIENCE, self.service.handle(request)).await.expect("a response in time")
    }

    /// Posts `body`. Returns the status and the messages of the response.
    async fn post(&self, body: &[u8]) -> (u16, Vec<Value>) {
        let response = self.send(body).await;
        let status = response.status().as_u16();
        let is_stream = response.headers().get("content-type").is_some_and(|it| it == "text/event-stream");
        let whole = tokio::time::timeout(PATIENCE, response.into_body().collect()).await;
        let whole = whole.expect("an end in time").expect("a whole body").to_bytes();
        let text = std::str::from_utf8(&whole).expect("UTF-8");
        let frames: Vec<&str> = match is_stream {
            true => text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).collect(),
            false => vec![text],
        };
        let mut messages = Vec::new();
        for frame in frames.into_iter().filter(|frame| !frame.is_empty()) {
            match serde_json::from_str(frame).expect("JSON") {
                Value::Array(all) => messages.extend(all),
                one => messages.push(one),
            }
        }
        assert!(messages.iter().all(|it| it["jsonrpc"] == "2.0"), "{messages:?}");
        (status, messages)
    }
}
