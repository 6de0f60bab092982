//! A scripted server over a pair of streams: the test reads each message of the client, and writes each
//! message of the server.
//!
//! A wait of more than 30 seconds fails the test. With a paused clock, these are seconds of that clock, which
//! moves only while all tasks wait.

#![allow(dead_code, reason = "each test program that shares this module uses another part of it")]

use std::time::Duration;

use plainwire::Client;
use plainwire::client::ClientBuilder;
use plainwire::proto::peer::EraChoice;
use plainwire::proto::revision::{Era, Revision};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::time::timeout;

pub(crate) const LEGACY: Revision = Revision::V2025_11_25;
pub(crate) const MODERN: Revision = Revision::V2026_07_28;
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The server's end of a connection to a client of this crate.
pub(crate) struct Script {
    from_client: Lines<BufReader<ReadHalf<DuplexStream>>>,
    /// The first message of the client: `initialize` or `server/discover`.
    pub(crate) hello: Value,
    to_client: WriteHalf<DuplexStream>,
}

impl Script {
    /// Connects a client to a server of `revision`, which declares logging, prompts, resources and tools.
    pub(crate) async fn connect(client: ClientBuilder, revision: Revision) -> (Client, Self) {
        let capabilities = json!({
            "logging": {}, "prompts": { "listChanged": true }, "tools": { "listChanged": true },
            "resources": { "subscribe": true },
        });
        Self::connect_to(client, revision, capabilities).await
    }

    pub(crate) async fn connect_to(
        client: ClientBuilder,
        revision: Revision,
        capabilities: Value,
    ) -> (Client, Self) {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(ours);
        let (from, to_client) = tokio::io::split(theirs);
        let mut script = Self { from_client: BufReader::new(from).lines(), hello: Value::Null, to_client };
        let modern = revision.era() == Era::Modern;
        let era = if modern { EraChoice::Modern } else { EraChoice::Legacy };
        let connecting = client.era(era).streams(reader, writer);
        let greeting = async {
            let hello = script.next().await;
            let result = json!({
                "resultType": "complete", "supportedVersions": [revision.as_str()],
                "protocolVersion": revision.as_str(), "capabilities": capabilities,
                "serverInfo": { "name": "script", "version": "1" },
            });
            script.answer(&hello["id"], result).await;
            if !modern {
                assert_eq!(script.next().await["method"], "notifications/initialized");
            }
            script.hello = hello;
        };
        let (client, ()) = tokio::join!(connecting, greeting);
        (client.expect("a connection"), script)
    }

    /// Reads the next line of the client; `None` if the client has closed the connection.
    pub(crate) async fn line(&mut self) -> Option<String> {
        timeout(PATIENCE, self.from_client.next_line()).await.expect("a line in time").expect("UTF-8")
    }

    /// Reads the next message of the client.
    pub(crate) async fn next(&mut self) -> Value {
        let line = self.line().await.expect("a line, but the client closed its output");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Reads the next message of the client, which must be a request or a notification with `method`. Returns
    /// its id and its parameters.
    pub(crate) async fn expect(&mut self, method: &str) -> (Value, Value) {
        let message = self.next().await;
        assert_eq!(message["method"], method, "{message}");
        (message["id"].clone(), message["params"].clone())
    }

    /// Checks that the client has sent nothing, by a ping: the next message of the client must be the answer
    /// to it.
    pub(crate) async fn expect_silence(&mut self) {
        self.send(json!({ "jsonrpc": "2.0", "id": "silence", "method": "ping" })).await;
        assert_eq!(self.next().await, json!({ "jsonrpc": "2.0", "id": "silence", "result": {} }));
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.send_line(&message.to_string()).await;
    }

    pub(crate) async fn send_line(&mut self, line: &str) {
        let line = format!("{line}\n");
        timeout(PATIENCE, self.to_client.write_all(line.as_bytes())).await.expect("room").expect("a client");
    }

    pub(crate) async fn answer(&mut self, id: &Value, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "result": result })).await;
    }

    pub(crate) async fn refuse(&mut self, id: &Value, code: i32) {
        let error = json!({ "code": code, "message": "no" });
        self.send(json!({ "jsonrpc": "2.0", "id": id, "error": error })).await;
    }

    /// Answers the call `id` with the text `done`.
    pub(crate) async fn done(&mut self, id: &Value) {
        self.answer(id, json!({ "resultType": "complete", "content": [{ "type": "text", "text": "done" }] }))
            .await;
    }

    /// Answers the request `id` with a result that asks questions (`input_required`). `questions` or `state`
    /// is left out of it if null.
    pub(crate) async fn requires(&mut self, id: &Value, questions: Value, state: Value) {
        let mut result = json!({ "resultType": "input_required" });
        if !questions.is_null() {
            result["inputRequests"] = questions;
        }
        if !state.is_null() {
            result["requestState"] = state;
        }
        self.answer(id, result).await;
    }

    pub(crate) async fn ask(&mut self, id: &str, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    /// Sends a notification that belongs to the subscription `id`.
    pub(crate) async fn tell(&mut self, id: &Value, method: &str, mut params: Value) {
        params["_meta"] = json!({ "io.modelcontextprotocol/subscriptionId": id });
        self.notify(method, params).await;
    }
}

/// Returns the parameters of an elicitation by a form with a required field `n`, and a field `d` with the
/// default 7.
pub(crate) fn form(message: &str) -> Value {
    json!({
        "mode": "form",
        "message": message,
        "requestedSchema": {
            "type": "object",
            "properties": { "n": { "type": "string" }, "d": { "type": "integer", "default": 7 } },
            "required": ["n"],
        },
    })
}

/// Returns an elicitation in the form in which a result of 2026-07-28 asks it.
pub(crate) fn elicit(message: &str) -> Value {
    json!({ "method": "elicitation/create", "params": form(message) })
}

/// Returns the parameters of a sampling request with this `maxTokens`.
pub(crate) fn sample(max_tokens: u64) -> Value {
    json!({ "maxTokens": max_tokens, "messages": [{ "role": "user", "content": { "type": "text", "text": "?" } }] })
}
