//! A check of the messages of one connection against the official schemas. A request is checked by its
//! method, and a result by the request that it answers and the revision of that request. Questions of the
//! server and their answers are checked too, whether they are requests or parts of a result.
//!
//! In: the lines of both sides, in order. Out: the errors in them.

use std::collections::{HashMap, HashSet};

use plainwire::proto::revision::{Era, Revision};
use serde_json::{Value, json};

use crate::oracle::Oracles;

/// Each method of a client's request, with the names of the request and of the result in the schemas.
const METHODS: [(&str, &str, &str); 15] = [
    ("completion/complete", "CompleteRequest", "CompleteResult"),
    ("initialize", "InitializeRequest", "InitializeResult"),
    ("logging/setLevel", "SetLevelRequest", "EmptyResult"),
    ("ping", "PingRequest", "EmptyResult"),
    ("prompts/get", "GetPromptRequest", "GetPromptResult"),
    ("prompts/list", "ListPromptsRequest", "ListPromptsResult"),
    ("resources/list", "ListResourcesRequest", "ListResourcesResult"),
    ("resources/read", "ReadResourceRequest", "ReadResourceResult"),
    ("resources/subscribe", "SubscribeRequest", "EmptyResult"),
    ("resources/templates/list", "ListResourceTemplatesRequest", "ListResourceTemplatesResult"),
    ("resources/unsubscribe", "UnsubscribeRequest", "EmptyResult"),
    ("server/discover", "DiscoverRequest", "DiscoverResult"),
    ("subscriptions/listen", "SubscriptionsListenRequest", "SubscriptionsListenResult"),
    ("tools/call", "CallToolRequest", "CallToolResult"),
    ("tools/list", "ListToolsRequest", "ListToolsResult"),
];

const NOTIFICATIONS: [(&str, &str); 10] = [
    ("notifications/cancelled", "CancelledNotification"),
    ("notifications/initialized", "InitializedNotification"),
    ("notifications/message", "LoggingMessageNotification"),
    ("notifications/progress", "ProgressNotification"),
    ("notifications/prompts/list_changed", "PromptListChangedNotification"),
    ("notifications/resources/list_changed", "ResourceListChangedNotification"),
    ("notifications/resources/updated", "ResourceUpdatedNotification"),
    ("notifications/roots/list_changed", "RootsListChangedNotification"),
    ("notifications/subscriptions/acknowledged", "SubscriptionsAcknowledgedNotification"),
    ("notifications/tools/list_changed", "ToolListChangedNotification"),
];

/// The notifications of 2026-07-28 that belong to a `subscriptions/listen` request, in addition to those
/// whose name ends in `/list_changed`.
const NEWS: [&str; 2] = ["notifications/resources/updated", "notifications/subscriptions/acknowledged"];

/// Each method of a server's question, with the names of the question and of the answer in the schemas. In a
/// session questions are requests, in 2026-07-28 parts of a result.
const QUESTIONS: [(&str, &str, &str); 3] = [
    ("elicitation/create", "ElicitRequest", "ElicitResult"),
    ("roots/list", "ListRootsRequest", "ListRootsResult"),
    ("sampling/createMessage", "CreateMessageRequest", "CreateMessageResult"),
];

/// The methods whose result may be questions.
const MAY_ASK: [&str; 3] = ["prompts/get", "resources/read", "tools/call"];

/// The codes of the errors that 2026-07-28 defines, with the name in the schema, and whether the definition
/// is of the member `error` or of the whole message.
const ERRORS: [(i64, &str, Scope); 7] = [
    (-32700, "ParseError", Scope::Member),
    (-32603, "InternalError", Scope::Member),
    (-32602, "InvalidParamsError", Scope::Member),
    (-32601, "MethodNotFoundError", Scope::Member),
    (-32600, "InvalidRequestError", Scope::Member),
    (-32022, "UnsupportedProtocolVersionError", Scope::Message),
    (-32021, "MissingRequiredClientCapabilityError", Scope::Message),
];

enum Scope {
    Member,
    Message,
}

pub(crate) struct Connection<'o> {
    /// Whether the server has answered `initialize` with a revision.
    agreed: bool,
    oracles: &'o Oracles,
    /// The method of each question that the server has asked. The key is the id of the question as JSON in a
    /// session, and its key in `inputRequests` in 2026-07-28.
    questions: HashMap<String, String>,
    /// The method and the revision of each request of the client, by its id as JSON.
    requests: HashMap<String, (String, Revision)>,
    /// The ids, as JSON, of the client's requests that carry answers to questions or a request state.
    retries: HashSet<String>,
    /// The revision of messages that do not name one.
    session: Revision,
    /// The revision of the request that has each progress token, by the token as JSON.
    tokens: HashMap<String, Revision>,
}

impl<'o> Connection<'o> {
    /// Returns a connection whose messages are of the revision `session`, until `initialize` agrees on
    /// another revision.
    pub(crate) fn new(oracles: &'o Oracles, session: Revision) -> Self {
        let (questions, requests, tokens) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { agreed: false, oracles, questions, requests, retries: HashSet::new(), session, tokens }
    }

    /// Records the messages in a line of the client. It does not check them, because they may be wrong on
    /// purpose.
    pub(crate) fn client_says(&mut self, line: &str) {
        for message in messages(line) {
            let revision = self.revision_of(&message);
            if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) {
                self.requests.insert(id.to_string(), (method.to_owned(), revision));
                let answers = ["/params/inputResponses", "/params/requestState"];
                if MAY_ASK.contains(&method) && answers.iter().any(|path| message.pointer(path).is_some()) {
                    self.retries.insert(id.to_string());
                }
            }
            if let Some(token) = message.pointer("/params/_meta/progressToken") {
                self.tokens.insert(token.to_string(), revision);
            }
        }
    }

    /// Records and checks a line of the client, and returns its errors.
    pub(crate) fn judge_client(&mut self, line: &str) -> Vec<String> {
        self.client_says(line);
        let mut faults = Vec::new();
        for message in messages(line) {
            let (revision, method) = (self.revision_of(&message), message["method"].as_str());
            faults.extend(self.oracles.faults(revision, "JSONRPCMessage", &message));
            if method.is_none() {
                faults.extend(self.judge_reply(&message));
                continue;
            }
            if let Some(responses) = message.pointer("/params/inputResponses").and_then(Value::as_object) {
                faults.extend(responses.iter().flat_map(|(key, it)| self.judge_response(revision, key, it)));
            }
            let request =
                METHODS.iter().find(|(name, ..)| Some(*name) == method).map(|(_, request, _)| *request);
            let notification =
                NOTIFICATIONS.iter().find(|(name, _)| Some(*name) == method).map(|(_, it)| *it);
            match request.or(notification) {
                Some(name) => faults.extend(self.oracles.faults(revision, name, &message)),
                None => faults.push(format!("a client of ours has no reason to say {method:?}")),
            }
        }
        faults
    }

    /// Checks a line of the server, and returns its errors.
    pub(crate) fn judge_server(&mut self, line: &str) -> Vec<String> {
        let mut faults = Vec::new();
        let frame: Value = match serde_json::from_str(line) {
            Ok(frame) => frame,
            Err(error) => return vec![format!("no JSON: {error}")],
        };
        if let Value::Array(batch) = &frame {
            let batch = batch.iter().map(|message| self.with_an_id(message)).collect();
            faults.extend(self.oracles.faults(self.session, "JSONRPCMessage", &Value::Array(batch)));
        }
        for message in messages(line) {
            faults.extend(self.judge_answer(&message));
        }
        faults
    }

    fn judge_answer(&mut self, message: &Value) -> Vec<String> {
        let id = message.get("id").filter(|_| message.get("method").is_none());
        let asked = id.and_then(|id| self.requests.get(&id.to_string())).cloned();
        let token = message.pointer("/params/progressToken").map(Value::to_string);
        if let Some(agreed) = message.pointer("/result/protocolVersion").and_then(Value::as_str) {
            self.session = Revision::parse(agreed).unwrap_or(self.session);
            self.agreed = true;
        }
        let (method, revision) = match (asked, token) {
            (Some((method, _)), _) if method == "initialize" => (method, self.session),
            (Some((method, revision)), _) => (method, revision),
            (None, Some(token)) => (String::new(), self.tokens.get(&token).copied().unwrap_or(self.session)),
            (None, None) => (String::new(), self.session),
        };
        let mut faults = self.oracles.faults(revision, "JSONRPCMessage", &self.with_an_id(message));
        if let (Some(method), Some(id)) = (message["method"].as_str(), message.get("id")) {
            self.questions.insert(id.to_string(), method.to_owned());
            faults.extend(self.judge_question(self.session, method, message));
            if self.session.era() == Era::Modern {
                faults.push("a request of a server, which 2026-07-28 does not have".to_owned());
            }
        } else if let Some(method) = message["method"].as_str() {
            match NOTIFICATIONS.iter().find(|(name, _)| *name == method) {
                Some((_, name)) => faults.extend(self.oracles.faults(revision, name, message)),
                None => faults.push(format!("a server of ours has no reason to say {method}")),
            }
            faults.extend(self.judge_tag(revision, method, message));
        } else if let Some(result) = message.get("result").filter(|it| it["resultType"] == "input_required") {
            faults.extend(self.judge_round(revision, &method, result));
        } else if let Some(result) = message.get("result") {
            // Spec: 2026-07-28 caching "Cache Key": a result that depends on answers to questions must not be
            // cached.
            let retried = message.get("id").is_some_and(|id| self.retries.contains(&id.to_string()));
            if retried && result.get("ttlMs").is_some_and(|ttl| *ttl != 0) {
                faults.push(format!("a result that depends on answers, fresh for {} ms", result["ttlMs"]));
            }
            match METHODS.iter().find(|(name, ..)| *name == method) {
                Some((.., name)) => faults.extend(self.oracles.faults(revision, name, result)),
                None => faults.push(format!("a result of nothing that was asked: {method:?}")),
            }
        } else {
            faults.extend(self.judge_error(revision, message));
        }
        faults
    }

    /// Checks that a notification has the id of a `subscriptions/listen` request if and only if it belongs to
    /// one, which the schemas do not require. Returns the error; `None` if the notification is right.
    ///
    /// Spec: 2026-07-28 subscriptions "Receiving Notifications".
    fn judge_tag(&self, revision: Revision, method: &str, message: &Value) -> Option<String> {
        let tag = message.pointer("/params/_meta/io.modelcontextprotocol~1subscriptionId");
        let listen = tag.and_then(|tag| self.requests.get(&tag.to_string()));
        let expected =
            revision.era() == Era::Modern && (method.ends_with("/list_changed") || NEWS.contains(&method));
        let found = listen.is_some_and(|(method, _)| method == "subscriptions/listen");
        (expected != found || tag.is_some() && !found).then(|| format!("{method} has the tag {tag:?}"))
    }

    /// Checks a result that asks questions, and records its questions.
    fn judge_round(&mut self, revision: Revision, method: &str, result: &Value) -> Vec<String> {
        let mut faults = self.oracles.faults(revision, "InputRequiredResult", result);
        if !MAY_ASK.contains(&method) {
            faults.push(format!("{method} may not ask"));
        }
        let requests = result.get("inputRequests").and_then(Value::as_object);
        // Spec: a result with questions has `inputRequests`, `requestState` or both. The schema does not
        // require this.
        if requests.is_none() && result.get("requestState").is_none() {
            faults.push("neither questions nor a state".to_owned());
        }
        for (key, question) in requests.into_iter().flatten() {
            let method = question["method"].as_str().unwrap_or_default();
            self.questions.insert(key.clone(), method.to_owned());
            faults.extend(self.judge_question(revision, method, question));
        }
        faults
    }

    /// Checks a question against the definition of its own kind. The definition of all questions would accept
    /// a question of one kind as one of another.
    fn judge_question(&self, revision: Revision, method: &str, question: &Value) -> Vec<String> {
        match QUESTIONS.iter().find(|(name, ..)| *name == method) {
            Some((_, name, _)) => self.oracles.faults(revision, name, question),
            None => vec![format!("no server may ask {method}")],
        }
    }

    /// Checks the client's answer to a question that the server has asked in a session.
    fn judge_reply(&self, message: &Value) -> Vec<String> {
        match (message.get("id"), message.get("result")) {
            (Some(id), Some(result)) => self.judge_response(self.session, &id.to_string(), result),
            _ => Vec::new(),
        }
    }

    /// Checks an answer against the definition for the kind of its question. The answer to an unknown
    /// question may be of any kind.
    fn judge_response(&self, revision: Revision, question: &str, response: &Value) -> Vec<String> {
        let method = self.questions.get(question);
        match QUESTIONS.iter().find(|(name, ..)| method.is_some_and(|it| it == name)) {
            Some((.., name)) => self.oracles.faults(revision, name, response),
            None if revision.era() == Era::Modern => self.oracles.faults(revision, "InputResponse", response),
            None => self.oracles.faults(revision, "ClientResult", response),
        }
    }

    fn judge_error(&self, revision: Revision, message: &Value) -> Vec<String> {
        let code = message.pointer("/error/code").and_then(Value::as_i64);
        match ERRORS.iter().find(|(known, ..)| Some(*known) == code) {
            Some((_, name, _)) if !self.oracles.knows(revision, name) => Vec::new(),
            Some((_, name, Scope::Member)) => self.oracles.faults(revision, name, &message["error"]),
            Some((_, name, Scope::Message)) => self.oracles.faults(revision, name, message),
            None => Vec::new(),
        }
    }

    /// Replaces `"id": null` of an error by an id, unless the session has a revision in which the server must
    /// not send null. JSON-RPC requires null in the error for a message whose id could not be read.
    ///
    /// The schemas of MCP do not allow null. Those up to 2025-06-18 require an id, so a server can only send
    /// null. The later schemas make the id optional, but a server does not know that before it has agreed on
    /// a revision.
    fn with_an_id(&self, message: &Value) -> Value {
        let mut message = message.clone();
        let may_be_null = !self.agreed || self.session < Revision::V2025_11_25;
        if may_be_null && message.get("error").is_some() && message.get("id") == Some(&Value::Null) {
            message["id"] = json!(0);
        }
        message
    }

    fn revision_of(&self, message: &Value) -> Revision {
        let named = message.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion");
        if named.is_some() { Revision::NEWEST } else { self.session }
    }
}

fn messages(line: &str) -> Vec<Value> {
    match serde_json::from_str(line) {
        Ok(Value::Array(batch)) => batch,
        Ok(message) => vec![message],
        Err(_) => Vec::new(),
    }
}
