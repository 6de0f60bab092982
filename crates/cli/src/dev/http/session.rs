//! A session of a client, which each new server has to open again.

use std::collections::BTreeMap;

use bytes::Bytes;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, Method};
use serde_json::{Value, json};

use super::forward::{self, SESSION};
use super::front::Front;
use crate::dev::{MAX_FRAME, changes};
use crate::visible;

/// The state that the client of a session has set up.
pub(super) struct Session {
    /// The capabilities of the newest server.
    capabilities: Value,
    /// The number of the server that knows the session.
    pub(super) generation: u64,
    /// The id that the client knows.
    pub(super) id: String,
    /// The request `initialize`.
    initialize: Value,
    is_initialized: bool,
    log_level: Option<Value>,
    path: String,
    subscribed: BTreeMap<String, Value>,
    /// The id that the newest server knows.
    upstream: HeaderValue,
}

impl Session {
    /// Returns the session that this answer to `initialize` has opened; `None` if the server has no sessions.
    pub(super) fn opened(
        initialize: &Value,
        path: &str,
        answer: &Value,
        headers: &HeaderMap,
        generation: u64,
    ) -> Option<Self> {
        let upstream = headers.get(SESSION)?.clone();
        let capabilities = answer.pointer("/result/capabilities")?.clone();
        Some(Self {
            capabilities,
            generation,
            id: upstream.to_str().ok()?.to_owned(),
            initialize: initialize.clone(),
            is_initialized: false,
            log_level: None,
            path: path.to_owned(),
            subscribed: BTreeMap::new(),
            upstream,
        })
    }

    /// Returns the notifications that everything has changed.
    pub(super) fn changes(&self) -> Vec<String> {
        changes::of_session(&self.capabilities, self.subscribed.keys())
    }

    /// Remembers what a message of the client sets up.
    pub(super) fn note(&mut self, message: &Value) {
        let uri = || message["params"]["uri"].as_str().unwrap_or_default().to_owned();
        match message["method"].as_str() {
            Some("notifications/initialized") => self.is_initialized = true,
            Some("logging/setLevel") => self.log_level = Some(message.clone()),
            Some("resources/subscribe") => drop(self.subscribed.insert(uri(), message.clone())),
            Some("resources/unsubscribe") => drop(self.subscribed.remove(&uri())),
            _ => {}
        }
    }

    /// Returns the id that the server of this generation knows. A server that does not know the session is asked to open
    /// it, with the headers of a request of its client.
    pub(super) async fn at(
        &mut self,
        generation: u64,
        front: &Front,
        headers: &HeaderMap,
    ) -> Result<HeaderValue, String> {
        if self.generation == generation {
            return Ok(self.upstream.clone());
        }
        let mut headers = headers.clone();
        headers.remove(SESSION);
        // The client's request may be one for a stream.
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let revision = headers.remove("mcp-protocol-version");
        let (opened, answer) = self.post(front, &headers, &self.initialize).await?;
        let upstream = opened.get(SESSION).cloned().ok_or("expected a session, but found none")?;
        let capabilities = answer.pointer("/result/capabilities").cloned();
        self.capabilities = capabilities.ok_or_else(|| {
            format!("expected a result, but found {}", visible::short_line(&answer.to_string(), 200))
        })?;
        headers.insert(SESSION, upstream.clone());
        headers.extend(revision.map(|it| (forward::REVISION, it)));
        if self.is_initialized {
            let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            self.post(front, &headers, &initialized).await?;
            for request in self.subscribed.values().chain(&self.log_level) {
                self.post(front, &headers, request).await?;
            }
        }
        self.upstream = upstream;
        self.generation = generation;
        Ok(self.upstream.clone())
    }

    /// Sends a message of the session. Returns the headers of the response, and the answer.
    async fn post(
        &self,
        front: &Front,
        headers: &HeaderMap,
        message: &Value,
    ) -> Result<(HeaderMap, Value), String> {
        let body = Bytes::from(message.to_string());
        let request = forward::to_server(front, Method::POST, &self.path, headers, body)?;
        let mut response = front.ask(request).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        if !status.is_success() {
            return Err(format!("{} got the status {status}", message["method"]));
        }
        let id = message.get("id").map(Value::to_string);
        let answer = forward::answer(&mut response, id.as_deref(), MAX_FRAME).await;
        Ok((headers, answer.unwrap_or_default()))
    }

    #[cfg(test)]
    pub(super) fn for_test(id: &str) -> Self {
        let headers = HeaderMap::from_iter([(SESSION, HeaderValue::from_str(id).expect("an id"))]);
        let answer = json!({ "result": { "capabilities": {} } });
        Self::opened(&Value::Null, "/mcp", &answer, &headers, 1).expect("a session")
    }
}
