//! A byte-level client with a scripted person, who answers questions in the form of each era.

use plainwire::{Principal, Server};
use serde_json::{Value, json};

use crate::raw_client::{LEGACY, MODERN, Raw, request};

/// The newest revision of each era, and the oldest revision that has forms.
pub(crate) const ERAS: [&str; 3] = ["2025-06-18", LEGACY, MODERN];

/// Answers by the message of the question; questions without a message are known by their method.
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

/// Returns the answer of a person who put `value` into the only field.
pub(crate) fn accept(value: impl Into<Value>) -> Value {
    json!({"action": "accept", "content": {"value": value.into()}})
}

/// Returns the text of a tool's result, or `answer` if it is not such a result.
pub(crate) fn text(answer: &str) -> String {
    let message: Value = serde_json::from_str(answer).expect("JSON");
    message["result"]["content"][0]["text"].as_str().unwrap_or(answer).to_owned()
}

/// Returns the line that answers the question in `line`.
pub(crate) fn reply(line: &str, result: &Value) -> String {
    let question: Value = serde_json::from_str(line).expect("JSON");
    assert!(question["method"].is_string(), "no question: {line}");
    json!({"jsonrpc": "2.0", "id": question["id"], "result": result}).to_string()
}

/// Returns the keys of the questions of a round.
pub(crate) fn keys(answer: &str) -> Vec<String> {
    let message: Value = serde_json::from_str(answer).expect("JSON");
    let questions = message["result"]["inputRequests"].as_object();
    questions.unwrap_or_else(|| panic!("no round: {answer}")).keys().cloned().collect()
}

/// Returns the state of a round, as JSON.
pub(crate) fn state(answer: &str) -> Value {
    let message: Value = serde_json::from_str(answer).expect("JSON");
    message["result"]["requestState"].clone()
}

/// A connection of a client with the capabilities for all questions.
pub(crate) struct Asked {
    capabilities: String,
    last_id: u64,
    pub(crate) raw: Raw,
    revision: &'static str,
    /// Every question so far: its key in a modern round, else its method; and its parameters.
    pub(crate) seen: Vec<(String, Value)>,
}

/// The capabilities that the client declares.
pub(crate) const CAPABILITIES: &str =
    r#"{"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true},"sampling":{"tools":{}}}"#;

impl Asked {
    pub(crate) async fn connect(server: Server, revision: &'static str) -> Self {
        Self::declaring(Raw::connect(server), revision, CAPABILITIES).await
    }

    /// Connects as the principal `name`.
    pub(crate) async fn named(server: Server, name: Option<&str>) -> Self {
        let principal = name.map(|name| Principal { name: name.to_owned() });
        Self::declaring(Raw::connect_as(server, principal), MODERN, CAPABILITIES).await
    }

    /// Connects and declares `capabilities`.
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

    /// Like [`Self::call`], for a request with any method.
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

    /// Returns the parameters of the next round: the answers and the state, then the parameters of the first
    /// round.
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
