//! A client without sockets. It calls the server's HTTP service directly, and reads responses piece by piece.

use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use plainwire::http::{Body, Http, HttpService};
use serde_json::{Value, json};
use tokio::time::timeout;

/// Time after which a wait fails the test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const MODERN: &str = "2026-07-28";

/// A client: the HTTP service that it calls, its path, and the headers that it sends with each request.
#[derive(Clone)]
pub(crate) struct Web {
    pub(crate) service: HttpService,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) uri: String,
}

impl Web {
    pub(crate) fn new(http: Http) -> Self {
        let headers = vec![
            ("accept", "application/json, text/event-stream".to_owned()),
            ("content-type", "application/json".to_owned()),
            ("host", "localhost:8000".to_owned()),
        ];
        Self { service: http.into_service().expect("a legal server"), headers, uri: "/mcp".to_owned() }
    }

    /// Returns a copy of the client that sends to the path `uri`.
    pub(crate) fn at(&self, uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), ..self.clone() }
    }

    /// Returns a copy of the client that sends the header `name` with `value`, or no such header if `value`
    /// is empty.
    pub(crate) fn with(&self, name: &'static str, value: impl Into<String>) -> Self {
        let mut this = self.clone();
        this.headers.retain(|(known, _)| *known != name);
        let value = value.into();
        if !value.is_empty() {
            this.headers.push((name, value));
        }
        this
    }

    /// Begins a session in the revision `version`. Returns a client whose requests belong to it.
    pub(crate) async fn session(&self, version: &str) -> Self {
        let params = json!({ "protocolVersion": version, "capabilities": { "elicitation": {} }, "clientInfo": { "name": "c", "version": "1" } });
        let answer = self.post(&request(0, "initialize", params)).await;
        assert_eq!(answer.status, 200);
        let id = answer.header("mcp-session-id").expect("a session").to_owned();
        assert_eq!(answer.json().await["result"]["protocolVersion"], version);
        let web = self.with("mcp-session-id", id).with("mcp-protocol-version", version);
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(web.post(&initialized).await.status, 202);
        web
    }

    pub(crate) async fn post(&self, message: &Value) -> Answer {
        self.post_for(message, PATIENCE).await
    }

    /// Like [`Self::post`], but waits for the response at most `patience`.
    pub(crate) async fn post_for(&self, message: &Value, patience: Duration) -> Answer {
        self.send_for(Method::POST, Full::new(Bytes::from(message.to_string())), patience).await
    }

    /// Sends a request of the modern era, with the `_meta` and the headers that it needs.
    pub(crate) async fn ask(&self, id: i64, method: &str, mut params: Value) -> Answer {
        let name = params.get("name").or(params.get("uri")).and_then(Value::as_str).map(ToOwned::to_owned);
        let meta = &mut params["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = MODERN.into();
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let web = self.with("mcp-protocol-version", MODERN).with("mcp-method", method);
        let web = web.with("mcp-name", name.unwrap_or_default());
        web.post(&request(id, method, params)).await
    }

    pub(crate) async fn get(&self) -> Answer {
        self.send(Method::GET, Full::default()).await
    }

    /// Opens a stream that continues after the event with the id `last`.
    pub(crate) async fn resume(&self, last: &str) -> Answer {
        self.with("last-event-id", last).get().await
    }

    pub(crate) async fn send<B>(&self, method: Method, body: B) -> Answer
    where
        B: http_body::Body<Data = Bytes, Error: std::fmt::Display>,
    {
        self.send_for(method, body, PATIENCE).await
    }

    async fn send_for<B>(&self, method: Method, body: B, patience: Duration) -> Answer
    where
        B: http_body::Body<Data = Bytes, Error: std::fmt::Display>,
    {
        let mut request = Request::builder().method(method).uri(&self.uri);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let response = self.service.handle(request.body(body).expect("a request"));
        Answer::new(timeout(patience, response).await.expect("a response in time"))
    }
}

pub(crate) fn request(id: i64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(crate) fn call(id: i64, tool: &str, arguments: Value) -> Value {
    request(
        id,
        "tools/call",
        json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": id } }),
    )
}

/// A response whose body is still being read.
pub(crate) struct Answer {
    body: Pin<Box<Body>>,
    headers: HeaderMap,
    /// Text of the body that was received and not parsed yet.
    rest: String,
    pub(crate) status: u16,
}

/// One event of a response that is an event stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) data: String,
    pub(crate) id: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) retry: Option<u64>,
}

impl Event {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.data).expect("JSON")
    }
}

impl Answer {
    fn new(response: Response<Body>) -> Self {
        let (head, body) = response.into_parts();
        Self {
            body: Box::pin(body),
            headers: head.headers,
            rest: String::new(),
            status: head.status.as_u16(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns all values of a header of the response.
    pub(crate) fn headers(&self, name: &str) -> Vec<&str> {
        self.headers.get_all(name).iter().filter_map(|it| it.to_str().ok()).collect()
    }

    /// Reads the response to its end, and returns the part of the body that was not parsed yet.
    pub(crate) async fn text(mut self) -> String {
        while self.read().await {}
        self.rest
    }

    /// Returns the body, which must be one JSON value.
    pub(crate) async fn json(self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"));
        let text = self.text().await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
    }

    /// Reads the response as a stream of events. Returns the next event that has an id or data; `None` at the
    /// end of the stream.
    pub(crate) async fn event(&mut self) -> Option<Event> {
        assert_eq!(self.header("content-type"), Some("text/event-stream"), "status {}", self.status);
        loop {
            if let Some((event, rest)) = self.rest.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.rest = rest;
                let field = |name: &str| {
                    event
                        .lines()
                        .filter_map(|line| line.split_once(": ").or(line.split_once(':')))
                        .find(|(it, _)| *it == name)
                };
                if field("data").is_none() && field("id").is_none() {
                    continue;
                }
                let text = |name| field(name).map(|(_, value)| value.to_owned());
                let retry = text("retry").map(|it| it.parse().expect("milliseconds"));
                return Some(Event {
                    data: text("data").unwrap_or_default(),
                    id: text("id"),
                    name: text("event"),
                    retry,
                });
            }
            if !self.read().await {
                assert_eq!(self.rest, "", "an event that is cut off");
                return None;
            }
        }
    }

    /// Returns the remaining events of a response that is a stream.
    pub(crate) async fn events(mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.event().await {
            events.push(event);
        }
        events
    }

    /// Returns the text of the body that was received and not parsed yet, and waits for some if there is
    /// none; empty at the end of the body. Unlike [`Self::event`], it includes comments of the stream.
    pub(crate) async fn bytes(&mut self) -> String {
        while self.rest.is_empty() && self.frame().await {}
        std::mem::take(&mut self.rest)
    }

    /// Returns the next bytes of the body without parsing them; `None` at the end of the body.
    pub(crate) async fn raw(&mut self) -> Option<Bytes> {
        let frame = timeout(4 * PATIENCE, self.body.frame()).await.expect("more in time, or the end")?;
        frame.ok()?.into_data().ok()
    }

    async fn read(&mut self) -> bool {
        timeout(PATIENCE, self.frame()).await.expect("more in time, or the end")
    }

    async fn frame(&mut self) -> bool {
        let frame = self.body.frame().await;
        let Some(Ok(frame)) = frame else { return false };
        let data = frame.into_data().expect("data");
        self.rest.push_str(std::str::from_utf8(&data).expect("UTF-8"));
        true
    }
}
