//! A session of a client, which each new server has to open again.

use bytes::Bytes;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, Method};
use serde_json::{Value, json};

use super::forward::{self, SESSION};
use super::front::{Front, Unanswered};
use crate::dev::set_up::SetUp;
use crate::dev::{MAX_FRAME, changes};
use crate::visible;

/// A session: what its client has set up, and how the newest server knows it.
pub(super) struct Session {
    /// The header `authorization` of its client.
    authorization: Option<HeaderValue>,
    /// The number of the server that knows the session.
    pub(super) generation: u64,
    /// The id that the client knows.
    pub(super) id: String,
    /// The lists of the newest server.
    lists: Vec<&'static str>,
    path: String,
    set_up: SetUp,
    /// The id that the newest server knows.
    upstream: HeaderValue,
}

impl Session {
    /// Returns the session that this answer to `initialize` has opened; `None` if the server has no sessions, or if the
    /// request is too large to be remembered.
    pub(super) fn opened(
        initialize: &Value,
        (path, sent): (&str, &HeaderMap),
        answer: &Value,
        headers: &HeaderMap,
        generation: u64,
    ) -> Option<Self> {
        let upstream = headers.get(SESSION)?.clone();
        let mut set_up = SetUp::default();
        set_up.note(initialize).then_some(Self {
            authorization: sent.get(AUTHORIZATION).cloned(),
            generation,
            id: upstream.to_str().ok()?.to_owned(),
            lists: changes::lists(answer.pointer("/result/capabilities")?),
            path: path.to_owned(),
            set_up,
            upstream,
        })
    }

    /// Returns whether a request to `path` with these headers comes from the client of this session.
    pub(super) fn is_of(&self, path: &str, headers: &HeaderMap) -> bool {
        self.path == path && headers.get(AUTHORIZATION) == self.authorization.as_ref()
    }

    /// Remembers the credentials of a request that the server has accepted.
    pub(super) fn renew(&mut self, headers: &HeaderMap) {
        self.authorization = headers.get(AUTHORIZATION).cloned();
    }

    /// Returns the notifications that everything has changed.
    pub(super) fn changes(&self) -> Vec<String> {
        changes::of_session(&self.lists, self.set_up.uris())
    }

    /// Remembers what a message of the client sets up. Returns whether there was room for it.
    pub(super) fn note(&mut self, message: &Value) -> bool {
        self.set_up.note(message)
    }

    /// Forgets requests that the server has refused.
    pub(super) fn refused(&mut self, ids: &[Value]) {
        ids.iter().for_each(|id| self.set_up.refused(id));
    }

    /// Returns the id that the server of this generation knows. A server that does not know the session is asked to open
    /// it, with the headers of a request of its client.
    pub(super) async fn at(
        &mut self,
        generation: u64,
        front: &Front,
        headers: &HeaderMap,
    ) -> Result<HeaderValue, Unanswered> {
        if self.generation >= generation {
            return Ok(self.upstream.clone());
        }
        let mut headers = headers.clone();
        headers.remove(SESSION);
        // The client's request may be one for a stream.
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let revision = headers.remove("mcp-protocol-version");
        let initialize = self.set_up.initialize().ok_or("expected a session that was initialized")?;
        let (opened, answer) = self.post(front, &headers, initialize).await?;
        let upstream = opened.get(SESSION).cloned().ok_or("expected a session, but found none")?;
        let capabilities = answer.pointer("/result/capabilities").ok_or_else(|| {
            format!("expected a result, but found {}", visible::short_line(&answer.to_string(), 200))
        })?;
        self.lists = changes::lists(capabilities);
        headers.insert(SESSION, upstream.clone());
        headers.extend(revision.map(|it| (forward::REVISION, it)));
        if self.set_up.is_initialized() {
            let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            self.post(front, &headers, &initialized).await?;
            for request in self.set_up.requests() {
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
    ) -> Result<(HeaderMap, Value), Unanswered> {
        let body = Bytes::from(message.to_string());
        let request = forward::to_server(front, Method::POST, &self.path, headers, body)?;
        let mut response = front.ask(request).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        if !status.is_success() {
            return Err(format!("{} got the status {status}", message["method"]).into());
        }
        let id = message.get("id").map(Value::to_string);
        let answer = forward::answer(&mut response, id.as_deref(), MAX_FRAME).await;
        Ok((headers, answer.unwrap_or_default()))
    }

    #[cfg(test)]
    pub(super) fn for_test(id: &str) -> Self {
        let headers = HeaderMap::from_iter([(SESSION, HeaderValue::from_str(id).expect("an id"))]);
        let (initialize, answer) =
            (json!({ "method": "initialize" }), json!({ "result": { "capabilities": {} } }));
        Self::opened(&initialize, ("/mcp", &HeaderMap::new()), &answer, &headers, 1).expect("a session")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_of_its_path_and_of_its_token() {
        let session = Session::for_test("1");
        let stranger = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static("Bearer bob"))]);
        assert!(session.is_of("/mcp", &HeaderMap::new()) && !session.is_of("/mcpx", &HeaderMap::new()));
        assert!(!session.is_of("/mcp", &stranger));
    }
}
