//! A client with a person behind it, made of bytes: it answers questions whichever way they come.

use plainwire::{Principal, Server};
use serde_json::{Value, json};

use crate::raw::{Raw, request};

/// The revision that asks by results.
pub(crate) const MODERN: &str = "2026-07-28";

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

/// The answer of a person who put `value` into the only field.
pub(crate) fn accept(value: impl Into<Value>) -> Value {
    json!({"action": "accept", "content": {"value": value.into()}})
}

/// The text of a tool's result; what is none stays as it is.
pub(crate) fn text(answer: &str) -> String {
    let message: Value = serde_json::from_str(answer).expect("JSON");
    message["result"]["content"][0]["text"].as_str().unwrap_or(answer).to_owned()
}

/// The answer to the question in `line`.
pub(crate) fn reply(line: &str, result: &Value) -> String {
    let question: Value = serde_json::from_str(line).expect("JSON");
    assert!(question["method"].is_string(), "no question: {line}");
    json!({"jsonrpc": "2.0", "id": question["id"], "result": result}).to_string()
}

/// The questions of a round, by key.
pub(crate) fn keys(answer: &str) -> Vec<String> {
    let message: Value = serde_json::from_str(answer).expect("JSON");
    let questions = message["result"]["inputRequests"].as_object();
    questions.unwrap_or_else(|| panic!("no round: {answer}")).keys().cloned().collect()
}

/// The state of a round, as JSON.
pub(crate) fn state(answer: &str) -> Value {
    let message: Value = serde_json::from_str(answer).expect("JSON");
    message["result"]["requestState"].clone()
}

/// A connection of a client that can be asked everything.
pub(crate) struct Asked {
    capabilities: String,
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
        Self::declaring(Raw::connect(server), revision, CAPABILITIES).await
    }

    /// Connects as somebody.
    pub(crate) async fn named(server: Server, name: Option<&str>) -> Self {
        let principal = name.map(|name| Principal { name: name.to_owned() });
        Self::declaring(Raw::connect_as(server, principal), MODERN, CAPABILITIES).await
    }

    /// Connects and declares what stands in `capabilities`.
    pub(crate) async fn declaring(mut raw: Raw, revision: &'static str, capabilities: &str) -> Self {
        if revision != MODERN {
            let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": revision, "clientInfo": {"name": "asked", "version": "1"},
                "capabilities": serde_json::from_str::<Value>(capabilities).expect("JSON"),
            }});
            raw.ask(&hello.to_string()).await;
            raw.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        }
        Self { capabilities: capabilities.to_owned(), last_id: 0, raw, revision, seen: Vec::new() }
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
        self.post(method, params).await;
        self.raw.line().await
    }

    /// Sends a request, and returns its id.
    pub(crate) async fn post(&mut self, method: &str, params: &str) -> u64 {
        self.last_id += 1;
        let line = request(self.revision, &self.last_id.to_string(), method, params);
        self.raw.send(&line.replace(r#"{"elicitation":{}}"#, &self.capabilities)).await;
        self.last_id
    }

    /// Calls a tool without arguments, and returns the next line.
    pub(crate) async fn tool(&mut self, tool: &str) -> String {
        self.begin("tools/call", &format!(r#"{{"name":"{tool}"}}"#)).await
    }

    /// Calls a tool without arguments again, with answers and a state.
    pub(crate) async fn again(&mut self, tool: &str, responses: &Value, state: &Value) -> String {
        let more = format!(r#""inputResponses":{responses},"requestState":{state}"#);
        self.begin("tools/call", &format!(r#"{{"name":"{tool}",{more}}}"#)).await
    }

    /// Answers the question in `line`, and returns the next line.
    pub(crate) async fn reply(&mut self, line: &str, result: &Value) -> String {
        self.raw.ask(&reply(line, result)).await
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
