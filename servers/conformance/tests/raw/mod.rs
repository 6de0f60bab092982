//! A client of 2026-07-28 that writes raw lines, for requests that our client would not send.

use std::time::Duration;

use plainwire::prelude::json;
use plainwire::serde_json::{self, Value};
use plainwire_conformance::server;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio::task::JoinSet;

pub(crate) struct Raw {
    from_server: Lines<BufReader<DuplexStream>>,
    last_id: u64,
    to_server: DuplexStream,
    _served: JoinSet<plainwire::Result<()>>,
}

impl Raw {
    pub(crate) fn connect() -> Self {
        let (ours, theirs) = (tokio::io::duplex(64 * 1024), tokio::io::duplex(64 * 1024));
        let mut served = JoinSet::new();
        served.spawn(server().serve(ours.1, theirs.0));
        Self { from_server: BufReader::new(theirs.1).lines(), last_id: 0, to_server: ours.0, _served: served }
    }

    /// Sends a request as a client with `capabilities`, and returns all messages up to the answer, which is
    /// the last one.
    pub(crate) async fn all(&mut self, method: &str, params: Value, capabilities: Value) -> Vec<Value> {
        self.last_id += 1;
        let mut params = params;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "raw", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        let request = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        self.to_server.write_all(format!("{request}\n").as_bytes()).await.expect("a server that reads");
        let mut heard = Vec::new();
        loop {
            let line = tokio::time::timeout(Duration::from_secs(30), self.from_server.next_line());
            let line = line.await.expect("a line in time").expect("UTF-8").expect("a server that answers");
            heard.push(serde_json::from_str::<Value>(&line).expect("JSON"));
            if heard.last().expect("one at least")["id"] == self.last_id {
                return heard;
            }
        }
    }

    /// Like [`Self::all`], but with all capabilities for questions, and returns only the answer.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let everything = json!({ "elicitation": {}, "roots": {}, "sampling": {} });
        self.all(method, params, everything).await.pop().expect("an answer")
    }

    pub(crate) async fn call(&mut self, tool: &str) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": {} })).await
    }

    /// Calls a tool again, with the answers to its questions and the state from its previous result.
    pub(crate) async fn again(&mut self, tool: &str, answers: Value, state: &Value) -> Value {
        let params =
            json!({ "name": tool, "arguments": {}, "inputResponses": answers, "requestState": state });
        self.ask("tools/call", params).await
    }
}

/// Returns the reply of a user who accepts a form with `content`.
pub(crate) fn accepted(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

/// Returns the key and the method of each question in an answer that requires input.
pub(crate) fn questions(answer: &Value) -> Vec<(&str, &str)> {
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    assert!(answer["result"]["requestState"].is_string(), "{answer}");
    let asked = answer["result"]["inputRequests"].as_object().expect("questions");
    asked.iter().map(|(key, it)| (key.as_str(), it["method"].as_str().expect("a method"))).collect()
}
