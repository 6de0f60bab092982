//! A client of Streamable HTTP for one legacy revision, which checks the messages of both sides.
//!
//! In: a server. Out: statuses, messages as JSON, and events as they arrive. Requests go to the HTTP service
//! directly, without a network. Without the official schemas, the client checks no messages.

use std::cell::RefCell;
use std::io::Cursor;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use http::{HeaderMap, Method, Request};
use http_body_util::{BodyExt as _, Full};
use plainwire::Server;
use plainwire::http::{Body, Http, HttpService};
use plainwire::proto::revision::Revision;
use plainwire::proto::sse::{Event, Events, Piece};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::connection::Connection;
use crate::oracle::Oracles;

/// The time after which a wait fails the test.
const PATIENCE: Duration = Duration::from_secs(10);

type Judge<'o> = Rc<RefCell<Option<Connection<'o>>>>;

#[derive(Clone)]
pub(super) struct Web<'o> {
    headers: Vec<(&'static str, String)>,
    judge: Judge<'o>,
    pub(super) revision: Revision,
    service: HttpService,
}

impl<'o> Web<'o> {
    /// Starts `server`, and returns a client that has no session. If `oracles` is `None`, the client checks
    /// no messages.
    pub(super) fn new(server: Server, revision: Revision, oracles: Option<&'o Oracles>) -> Self {
        let headers = vec![
            ("accept", "application/json, text/event-stream".to_owned()),
            ("content-type", "application/json".to_owned()),
        ];
        let judge = oracles.map(|oracles| Connection::new(oracles, revision));
        let service = Http::new(server).session_idle(Duration::from_secs(3_600)).into_service();
        let service = service.expect("a legal server");
        Self { headers, judge: Rc::new(RefCell::new(judge)), revision, service }
    }

    /// Begins a session, and returns a client whose requests belong to it.
    pub(super) async fn begin(self) -> Self {
        let answer = self.post(&self.initialize(self.revision.as_str())).await;
        assert_eq!(answer.status, 200);
        let id = answer.header("mcp-session-id").expect("a session").to_owned();
        assert_eq!(answer.json().await["result"]["protocolVersion"], self.revision.as_str());
        // The header for the version exists only since 2025-06-18.
        let version = (self.revision >= Revision::V2025_06_18).then(|| self.revision.as_str());
        let web = self.with("mcp-session-id", &id).with("mcp-protocol-version", version.unwrap_or_default());
        web.tell(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        web
    }

    pub(super) fn initialize(&self, version: &str) -> Value {
        let mut capabilities = json!({ "roots": { "listChanged": true }, "sampling": {} });
        if self.revision >= Revision::V2025_06_18 {
            capabilities["elicitation"] = json!({});
        }
        let client = json!({ "name": "suite", "version": "1" });
        let params =
            json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": client });
        request(0, "initialize", params)
    }

    /// Returns a copy of the client that sends the header `name` with `value`, or no such header if `value`
    /// is empty.
    pub(super) fn with(&self, name: &'static str, value: &str) -> Self {
        let mut this = self.clone();
        this.headers.retain(|(known, _)| *known != name);
        this.headers.extend((!value.is_empty()).then(|| (name, value.to_owned())));
        this
    }

    /// Sends a message or a batch, which must fit the schema of the revision.
    pub(super) async fn post(&self, message: &Value) -> Answer<'o> {
        let text = message.to_string();
        let faults = self.judge.borrow_mut().as_mut().map(|it| it.judge_client(&text)).unwrap_or_default();
        assert!(faults.is_empty(), "{}: {text}\n{}", self.revision, faults.join("\n"));
        self.send(Method::POST, text).await
    }

    /// Sends a body without checking it, because it is wrong on purpose.
    pub(super) async fn post_wrong(&self, text: String) -> Answer<'o> {
        if let Some(judge) = self.judge.borrow_mut().as_mut() {
            judge.client_says(&text);
        }
        self.send(Method::POST, text).await
    }

    /// Sends a request and returns its answer, which must be a JSON body and not a stream.
    pub(super) async fn ask(&self, id: i64, method: &str, params: Value) -> Value {
        let answer = self.post(&request(id, method, params)).await;
        assert_eq!(answer.status, 200, "{method}");
        let answer = answer.json().await;
        assert_eq!(answer["id"], id, "{method}");
        answer
    }

    /// Sends a notification or an answer, and checks that the response has no message.
    pub(super) async fn tell(&self, message: Value) {
        let answer = self.post(&message).await;
        assert_eq!((answer.status, answer.text().await.as_str()), (202, ""), "{message}");
    }

    pub(super) async fn get(&self) -> Answer<'o> {
        self.send(Method::GET, String::new()).await
    }

    pub(super) async fn delete(&self) -> Answer<'o> {
        self.send(Method::DELETE, String::new()).await
    }

    async fn send(&self, method: Method, body: String) -> Answer<'o> {
        let mut request = Request::builder().method(method).uri("/mcp");
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let request = request.body(Full::new(Cursor::new(body.into_bytes()))).expect("a request");
        let response = timeout(PATIENCE, self.service.handle(request)).await.expect("a response in time");
        let (head, body) = response.into_parts();
        Answer {
            body: Box::pin(body),
            events: Events::new(1 << 20),
            headers: head.headers,
            judge: Rc::clone(&self.judge),
            revision: self.revision,
            status: head.status.as_u16(),
        }
    }
}

pub(super) fn request(id: i64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(super) fn call(id: i64, tool: &str, arguments: Value) -> Value {
    request(id, "tools/call", json!({ "name": tool, "arguments": arguments }))
}

/// Like [`call`], but with a progress token.
pub(super) fn followed(id: i64, tool: &str, arguments: Value) -> Value {
    let mut call = call(id, tool, arguments);
    call["params"]["_meta"] = json!({ "progressToken": id });
    call
}

/// A response whose body is still being read. Its methods check the messages that they return against the
/// schema. `text` checks nothing; from 2025-11-25 on, `json` does not check refusals.
pub(super) struct Answer<'o> {
    body: Pin<Box<Body>>,
    events: Events,
    headers: HeaderMap,
    judge: Judge<'o>,
    revision: Revision,
    pub(super) status: u16,
}

impl Answer<'_> {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the body, which must be one JSON value.
    pub(super) async fn json(self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "status {}", self.status);
        let (judge, revision, status) = (Rc::clone(&self.judge), self.revision, self.status);
        let text = self.text().await;
        let mut json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        // Spec: "Sending Messages": the body of a refusal may have no id. The schemas before 2025-11-25
        // require one, so null is added for the check.
        if let Value::Object(json) = &mut json
            && status >= 400
        {
            json.entry("id").or_insert(Value::Null);
        }
        if status < 400 || revision < Revision::V2025_11_25 {
            judged(&judge, revision, &json.to_string());
        }
        json
    }

    /// Returns the whole body as text, without checking its messages.
    pub(super) async fn text(mut self) -> String {
        let mut bytes = Vec::new();
        while let Some(frame) = self.frame().await {
            bytes.extend(frame);
        }
        String::from_utf8(bytes).expect("UTF-8")
    }

    /// Returns the next event of a response that is a stream; `None` at the end of the stream.
    pub(super) async fn event(&mut self) -> Option<Event> {
        assert_eq!(self.header("content-type"), Some("text/event-stream"), "status {}", self.status);
        loop {
            match self.events.next_piece() {
                Some(Piece::Event(event)) => {
                    if event.has_data() {
                        judged(&self.judge, self.revision, event.data.as_deref().unwrap_or_default());
                    }
                    return Some(event);
                }
                Some(Piece::TooLong) => panic!("an event of more than 1 MiB"),
                None => {
                    let bytes = self.frame().await?;
                    self.events.push(&bytes);
                }
            }
        }
    }

    /// Returns the next message of a stream; `None` at the end.
    pub(super) async fn message(&mut self) -> Option<Value> {
        loop {
            let event = self.event().await?;
            if let Some(data) = event.data.filter(|data| !data.is_empty()) {
                return Some(serde_json::from_str(&data).expect("JSON"));
            }
        }
    }

    /// Returns all remaining messages of a stream.
    pub(super) async fn messages(mut self) -> Vec<Value> {
        let mut messages = Vec::new();
        while let Some(message) = self.message().await {
            messages.push(message);
        }
        messages
    }

    async fn frame(&mut self) -> Option<Vec<u8>> {
        let frame = timeout(PATIENCE, self.body.frame()).await.expect("more in time, or the end")?;
        let Ok(frame) = frame;
        Some(frame.into_data().expect("data").to_vec())
    }
}

fn judged(judge: &Judge<'_>, revision: Revision, line: &str) {
    let faults = judge.borrow_mut().as_mut().map(|it| it.judge_server(line)).unwrap_or_default();
    assert!(faults.is_empty(), "{revision}: {line}\n{}", faults.join("\n"));
}
