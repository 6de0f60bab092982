//! A client with a person behind it, made of bytes: it answers questions whichever way they come.

use plainwire::Server;
use serde_json::{Value, json};

use crate::raw::{Raw, request};

/// The newest revision of each era, and the oldest that has forms.
pub(crate) const ERAS: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];

/// What is answered to which question, by its message; questions without a message go by their method.
#[derive(Default)]
pub(crate) struct Person(Vec<(String, String)>);

impl Person {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn answers(mut self, question: &str, answer: &str) -> Self {
        self.0.push((question.to_owned(), answer.to_owned()));
        self
    }

    fn answer(&self, method: &str, params: &Value) -> Value {
        let question = params.get("message").and_then(Value::as_str).unwrap_or(method);
        let known = self.0.iter().find(|(known, _)| known == question);
        let (_, answer) = known.unwrap_or_else(|| panic!("nobody expected to be asked {question:?}"));
        serde_json::from_str(answer).expect("an answer in JSON")
    }
}

/// A connection of a client that can be asked everything.
pub(crate) struct Asked {
    last_id: u64,
    pub(crate) raw: Raw,
    revision: &'static str,
    /// Every question so far: its key in a modern round, else its method, and its parameters.
    pub(crate) seen: Vec<(String, Value)>,
}

/// What the client declares.
pub(crate) const CAPABILITIES: &str =
    r#"{"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true},"sampling":{"tools":{}}}"#;

impl Asked {
    pub(crate) async fn connect(server: Server, revision: &'static str) -> Self {
        let mut raw = Raw::connect(server);
        if revision != "2026-07-28" {
            let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": revision, "clientInfo": {"name": "asked", "version": "1"},
                "capabilities": serde_json::from_str::<Value>(CAPABILITIES).expect("JSON"),
            }});
            raw.ask(&hello.to_string()).await;
            raw.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        }
        Self { last_id: 0, raw, revision, seen: Vec::new() }
    }

    /// Calls a tool, lets `person` answer all questions, and returns the line that ends the call.
    pub(crate) async fn call(&mut self, tool: &str, arguments: &str, person: &Person) -> String {
        let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
        self.make("tools/call", &params, person).await
    }

    /// Makes a request; otherwise as [`Self::call`].
    pub(crate) async fn make(&mut self, method: &str, params: &str, person: &Person) -> String {
        let mut line = self.begin(method, params).await;
        loop {
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if let Some(method) = message["method"].as_str() {
                if let Some(id) = message.get("id") {
                    let answer = person.answer(method, &message["params"]);
                    self.seen.push((method.to_owned(), message["params"].clone()));
                    self.raw.send(&json!({"jsonrpc": "2.0", "id": id, "result": answer}).to_string()).await;
                }
                line = self.raw.line().await;
            } else if message["result"]["resultType"] == "input_required" {
                let retry = self.answered(params, &message["result"], person);
                line = self.begin(method, &retry).await;
            } else {
                return line;
            }
        }
    }

    /// Sends a request with an id of its own, and returns the next line.
    pub(crate) async fn begin(&mut self, method: &str, params: &str) -> String {
        self.last_id += 1;
        let line = request(self.revision, &self.last_id.to_string(), method, params);
        let line = line.replace(r#"{"elicitation":{}}"#, CAPABILITIES);
        self.raw.ask(&line).await
    }

    /// The parameters of the next round: answers and state in front of what was asked for.
    pub(crate) fn answered(&mut self, params: &str, result: &Value, person: &Person) -> String {
        let questions = result["inputRequests"].as_object().expect("questions");
        let mut responses = serde_json::Map::new();
        for (key, question) in questions {
            let method = question["method"].as_str().expect("a method");
            responses.insert(key.clone(), person.answer(method, &question["params"]));
            self.seen.push((key.clone(), question["params"].clone()));
        }
        let state = &result["requestState"];
        format!(r#"{{"inputResponses":{},"requestState":{state},{}"#, Value::Object(responses), &params[1..])
    }
}
