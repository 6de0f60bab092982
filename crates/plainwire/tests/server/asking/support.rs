//! A client that sends and reads lines, with a scripted person who answers questions in the form of each era.

use plainwire::{Principal, Server};
use serde_json::{Value, json};

use crate::raw_client::{LEGACY, MODERN, Raw, request};

/// The revisions of these tests: the oldest one that has forms, and the newest one of each era.
pub(crate) const ERAS: [&str; 3] = ["2025-06-18", LEGACY, MODERN];

/// A scripted user with prepared answers. Each pair is the message of a question (its method if it has no
/// message) and the answer as JSON.
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

/// Returns the answer to a form by which `value` is filled into the form's only field.
pub(crate) fn accept(value: impl Into<Value>) -> Value {
    json!({"action": "accept", "content": {"value": value.into()}})
}

/// Returns the text of a tool's result. If `answer` has no such text, returns `answer`.
pub(crate) fn text(answer: &str) -> String {
    let message: Value = serde_json::from_str(answer).expect("JSON");
    message["result"]["content"][0]["text"].as_str().unwrap_or(answer).to_owned()
}

/// Returns the line that answers the question in `line` with `result`.
pub(crate) fn reply(line: &str, result: &Value) -> String {
    let question: Value = serde_json::from_str(line).expect("JSON");
    assert!(question["method"].is_string(), "no question: {line}");
    json!({"jsonrpc": "2.0", "id": question["id"], "result": result}).to_string()
}

/// Returns the keys of the questions in the result of a modern round.
pub(crate) fn keys(answer: &str) -> Vec<String> {
    let message: Value = serde_json::from_str(answer).expect("JSON");
    let questions = message["result"]["inputRequests"].as_object();
    questions.unwrap_or_else(|| panic!("no round: {answer}")).keys().cloned().collect()
}

/// Returns the `requestState` in the result of a modern round.
pub(crate) fn state(answer: &str) -> Value {
    let message: Value = serde_json::from_str(answer).expect("JSON");
    message["result"]["requestState"].clone()
}

/// A client's connection to a server. Unless a test declares others, the client has the capabilities for all
/// questions.
pub(crate) struct Asked {
    capabilities: String,
    last_id: u64,
    pub(crate) raw: Raw,
    revision: &'static str,
    /// Every question that a scripted user has answered, with its parameters. In the modern era it is named
    /// by its key, in the legacy era by its method.
    pub(crate) seen: Vec<(String, Value)>,
}

/// The capabilities for all kinds of questions, as JSON.
pub(crate) const CAPABILITIES: &str =
    r#"{"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true},"sampling":{"tools":{}}}"#;

impl Asked {
    pub(crate) async fn connect(server: Server, revision: &'static str) -> Self {
        Self::declaring(Raw::connect(server), revision, CAPABILITIES).await
    }

    /// Connects in the modern era as the principal `name`; `None` connects without a principal.
    pub(crate) async fn named(server: Server, name: Option<&str>) -> Self {
        let principal = name.map(|name| Principal { name: name.to_owned() });
        Self::declaring(Raw::connect_as(server, principal), MODERN, CAPABILITIES).await
    }

    /// Takes over the connection `raw`, and declares `capabilities` on it. Completes the handshake if
    /// `revision` has one.
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

    /// Calls a tool, lets `person` answer all questions, and returns the line with the result or the error.
    pub(crate) async fn call(&mut self, tool: &str, arguments: &str, person: &Person) -> String {
        let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
        self.make("tools/call", &params, person).await
    }

    /// Like [`Self::call`], but for a request with any method.
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

    /// Sends a request with the next id, and returns the line that the server sends next.
    pub(crate) async fn begin(&mut self, method: &str, params: &str) -> String {
        self.post(method, params).await;
        self.raw.line().await
    }

    /// Sends a request with the next id, and returns that id.
    pub(crate) async fn post(&mut self, method: &str, params: &str) -> u64 {
        self.last_id += 1;
        let line = request(self.revision, &self.last_id.to_string(), method, params);
        self.raw.send(&line.replace(r#"{"elicitation":{}}"#, &self.capabilities)).await;
        self.last_id
    }

    /// Calls a tool without arguments, and returns the line that the server sends next.
    pub(crate) async fn tool(&mut self, tool: &str) -> String {
        self.begin("tools/call", &format!(r#"{{"name":"{tool}"}}"#)).await
    }

    /// Repeats a call without arguments, with `inputResponses` and a `requestState`. Returns the line that
    /// the server sends next.
    pub(crate) async fn again(&mut self, tool: &str, responses: &Value, state: &Value) -> String {
        let more = format!(r#""inputResponses":{responses},"requestState":{state}"#);
        self.begin("tools/call", &format!(r#"{{"name":"{tool}",{more}}}"#)).await
    }

    /// Answers the question in `line`, and returns the line that the server sends next.
    pub(crate) async fn reply(&mut self, line: &str, result: &Value) -> String {
        self.raw.ask(&reply(line, result)).await
    }

    /// Returns the parameters with which a request is repeated: the person's answers to the questions in
    /// `result`, the state in `result`, and `params`, the parameters of the first request.
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
