//! The connection between a client that stays and a server that is restarted: which frames go where.
//!
//! In: frames of both sides, each one line, and the start and end of servers. Out: frames for each side, and lines
//! for the developer. No I/O and no clock. Frames are passed on as they were written, except for ids of the server's
//! requests, which must not repeat after a restart, and the capabilities, which gain `listChanged`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use serde_json::Value;

use super::changes;
use super::set_up::SetUp;
use crate::visible;

/// The maximal number of bytes of frames that wait for a server to start.
const MAX_WAITING: usize = 64 << 20;

/// An effect of a frame or an event.
#[derive(Debug, PartialEq)]
pub(super) enum Action {
    /// Shows a line to the developer.
    Say(String),
    /// Sends a frame to the client.
    ToClient(String),
    /// Sends a frame to the server of this generation.
    ToServer(u64, String),
}

use Action::{Say, ToClient, ToServer};

/// The state of the connection.
#[derive(Debug, Default)]
pub(super) struct Proxy {
    /// The open requests of servers, by the id that the client knows: the generation of the server, and the id that the
    /// server knows.
    asked: BTreeMap<String, (u64, Value)>,
    /// The reason why no server runs; `None` while one runs or starts.
    down: Option<String>,
    /// The number of the server that gets new frames; 0 before the first one.
    generation: u64,
    /// Whether any server has answered the client.
    has_answered: bool,
    /// Whether the server of this generation takes frames: it runs, and has answered `initialize` again if needed.
    is_ready: bool,
    /// The open subscriptions (`subscriptions/listen`), by id: the request as it was written.
    listens: BTreeMap<String, String>,
    /// The open requests of the client, by id.
    open: BTreeMap<String, Open>,
    /// The ids of requests that the proxy has made itself.
    own: BTreeSet<String>,
    /// The subscriptions that were opened again and are not acknowledged yet, by id.
    reopened: BTreeSet<String>,
    /// The set-up of the session.
    set_up: SetUp,
    /// The frames that wait for a server.
    waiting: VecDeque<String>,
}

/// An open request of the client.
#[derive(Debug)]
struct Open {
    began: Duration,
    generation: u64,
    id: Value,
    method: String,
    /// The name of the tool or prompt, or the URI of the resource.
    name: String,
}

impl Proxy {
    /// Handles a frame of the client that arrived at `now`.
    pub(super) fn handle_client(&mut self, line: String, now: Duration) -> Vec<Action> {
        let Ok(frame) = serde_json::from_str::<Value>(&line) else {
            return vec![Say("the client wrote a line that is not a message".to_owned())];
        };
        let Some(method) = frame.get("method").and_then(Value::as_str) else {
            return self.answer(frame);
        };
        let params = &frame["params"];
        if let Some(id) = frame.get("id") {
            let open = Open {
                began: now,
                generation: self.generation,
                id: id.clone(),
                method: method.to_owned(),
                name: changes::name(&frame),
            };
            self.open.insert(id.to_string(), open);
        }
        match method {
            "notifications/cancelled" => {
                let id = params["requestId"].to_string();
                self.listens.remove(&id);
                self.open.remove(&id);
            }
            "subscriptions/listen" => drop(self.listens.insert(frame["id"].to_string(), line.clone())),
            _ => {}
        }
        let had_room = self.set_up.note(&frame);
        let mut actions = self.pass_on(line);
        if !had_room {
            actions.push(Say(changes::NOT_REMEMBERED.to_owned()));
        }
        actions
    }

    /// Handles an answer of the client to a request of a server.
    fn answer(&mut self, mut frame: Value) -> Vec<Action> {
        let known = self.asked.remove(frame["id"].as_str().unwrap_or_default());
        // A server that is gone gets no answers.
        let Some((generation, id)) = known.filter(|(generation, _)| *generation == self.generation) else {
            return Vec::new();
        };
        frame["id"] = id;
        vec![ToServer(generation, frame.to_string())]
    }

    fn pass_on(&mut self, line: String) -> Vec<Action> {
        if self.is_ready {
            return vec![ToServer(self.generation, line)];
        }
        if let Some(why) = self.down.clone().filter(|_| !self.has_answered) {
            return self.refuse(&line, &why);
        }
        let waiting: usize = self.waiting.iter().map(String::len).sum();
        if waiting + line.len() > MAX_WAITING {
            return vec![Say("a frame of the client is dropped: too many wait for the server".to_owned())];
        }
        self.waiting.push_back(line);
        Vec::new()
    }

    /// Handles that no server runs. A client that no server has answered yet gets an error for each request, since it
    /// would wait in silence. For any other client, requests wait until a server runs again.
    pub(super) fn down(&mut self, why: &str) -> Vec<Action> {
        self.is_ready = false;
        self.down = Some(why.to_owned());
        if self.has_answered {
            return Vec::new();
        }
        let waiting = std::mem::take(&mut self.waiting);
        waiting.iter().flat_map(|line| self.refuse(line, why)).collect()
    }

    /// Answers a request with the reason why no server runs. Drops other frames.
    fn refuse(&mut self, line: &str, why: &str) -> Vec<Action> {
        let frame: Value = serde_json::from_str(line).unwrap_or_default();
        let Some(id) = frame.get("id") else { return Vec::new() };
        let key = id.to_string();
        self.open.remove(&key);
        self.listens.remove(&key);
        if frame["method"] == "initialize" {
            self.set_up.refused();
        }
        vec![ToClient(changes::not_running(id, why))]
    }

    /// Handles a frame of the server of this generation that arrived at `now`.
    pub(super) fn handle_server(&mut self, generation: u64, line: String, now: Duration) -> Vec<Action> {
        let Ok(mut frame) = serde_json::from_str::<Value>(&line) else {
            let line = visible::short_line(&line, 200);
            return vec![Say(format!("the server wrote a line that is not a message: {line}"))];
        };
        let id = frame.get("id").cloned();
        match (id, frame.get("method").and_then(Value::as_str)) {
            (Some(id), None) => self.result(generation, &id, frame, line, now),
            _ if generation != self.generation => Vec::new(),
            (Some(id), Some(_)) => {
                let known = format!("dev-{generation}-{id}");
                self.asked.insert(known.clone(), (generation, id));
                frame["id"] = known.into();
                vec![ToClient(frame.to_string())]
            }
            (None, Some("notifications/subscriptions/acknowledged")) => {
                let of = changes::subscription(&frame).to_string();
                if self.reopened.remove(&of) {
                    return self.changed_in(&of);
                }
                let listen = self.listens.get(&of).and_then(|it| serde_json::from_str::<Value>(it).ok());
                listen.iter().for_each(|listen| changes::acknowledge(listen, &mut frame));
                vec![ToClient(frame.to_string())]
            }
            (None, _) => vec![ToClient(line)],
        }
    }

    /// Handles an answer of the server of this generation.
    fn result(
        &mut self,
        generation: u64,
        id: &Value,
        mut frame: Value,
        line: String,
        now: Duration,
    ) -> Vec<Action> {
        let key = id.to_string();
        if self.own.remove(&key) {
            let is_greeting = key.contains("-initialize-");
            return if is_greeting && generation == self.generation {
                self.greeted(&frame)
            } else {
                Vec::new()
            };
        }
        // The end of a subscription at a server that is restarted is not for the client.
        if generation != self.generation && self.listens.contains_key(&key) {
            return Vec::new();
        }
        let Some(open) = self.open.remove(&key) else { return Vec::new() };
        self.listens.remove(&key);
        self.has_answered = true;
        let millis = now.saturating_sub(open.began).as_millis();
        let failed = frame.get("error").is_some() || frame["result"]["isError"] == true;
        let said = Say(changes::said(&open.method, &open.name, failed, millis));
        let is_changed = changes::announce(&open.method, &mut frame);
        vec![said, ToClient(if is_changed { frame.to_string() } else { line })]
    }

    /// Handles the start of the next server. Returns its generation, and what is sent to it.
    pub(super) fn started(&mut self) -> (u64, Vec<Action>) {
        self.generation += 1;
        let generation = self.generation;
        self.is_ready = false;
        self.down = None;
        let initialize = self.set_up.initialize().filter(|_| self.set_up.is_initialized()).cloned();
        let Some(mut again) = initialize else { return (generation, self.ready()) };
        // A legacy server has to be greeted again. The client does not see it.
        let id = Value::from(format!("plainwire-dev-initialize-{generation}"));
        self.own.insert(id.to_string());
        again["id"] = id;
        (generation, vec![ToServer(generation, again.to_string())])
    }

    /// Handles the answer to the repeated `initialize`.
    fn greeted(&mut self, frame: &Value) -> Vec<Action> {
        let generation = self.generation;
        let Some(result) = frame.get("result") else {
            let why = visible::short_line(&frame["error"].to_string(), 200);
            return vec![Say(format!("the server refused `initialize`: {why}"))];
        };
        let mut actions = vec![ToServer(
            generation,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        )];
        let again: Vec<Value> = self.set_up.requests().cloned().collect();
        for (n, mut request) in again.into_iter().enumerate() {
            let id = Value::from(format!("plainwire-dev-again-{generation}-{n}"));
            self.own.insert(id.to_string());
            request["id"] = id;
            actions.push(ToServer(generation, request.to_string()));
        }
        actions.extend(self.ready());
        let changed = changes::of_session(&changes::lists(&result["capabilities"]), self.set_up.uris());
        actions.extend(changed.into_iter().map(ToClient));
        actions
    }

    /// Sends what has waited, and opens the subscriptions of 2026-07-28 again.
    fn ready(&mut self) -> Vec<Action> {
        self.is_ready = true;
        let generation = self.generation;
        let waiting: Vec<String> = self.waiting.drain(..).collect();
        let mut actions = Vec::new();
        for (id, line) in self.listens.iter().filter(|(_, line)| !waiting.contains(line)) {
            self.reopened.insert(id.clone());
            if let Some(open) = self.open.get_mut(id) {
                open.generation = generation;
            }
            actions.push(ToServer(generation, line.clone()));
        }
        for line in waiting {
            let id = serde_json::from_str::<Value>(&line)
                .ok()
                .and_then(|frame| frame.get("id").map(Value::to_string));
            if let Some(open) = id.and_then(|id| self.open.get_mut(&id)) {
                open.generation = generation;
            }
            actions.push(ToServer(generation, line));
        }
        actions
    }

    /// Returns the notifications that everything in a subscription may have changed.
    fn changed_in(&self, id: &str) -> Vec<Action> {
        let listen = self.listens.get(id).and_then(|line| serde_json::from_str::<Value>(line).ok());
        listen.iter().flat_map(changes::of_listen).map(ToClient).collect()
    }

    /// Handles the end of the server of this generation: its open requests are answered with an error.
    pub(super) fn ended(&mut self, generation: u64) -> Vec<Action> {
        if generation == self.generation {
            self.is_ready = false;
        }
        let is_lost =
            |(id, open): &(&String, &Open)| open.generation == generation && !self.listens.contains_key(*id);
        let ids: Vec<String> = self.open.iter().filter(is_lost).map(|(id, _)| id.clone()).collect();
        let answers = ids
            .iter()
            .filter_map(|id| self.open.remove(id))
            .map(|open| ToClient(changes::lost(&open.id, &open.method)));
        answers.collect()
    }

    /// Returns whether a server of an earlier generation still has open requests.
    pub(super) fn is_needed(&self, generation: u64) -> bool {
        self.open.iter().any(|(id, open)| open.generation == generation && !self.listens.contains_key(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Returns a proxy with a server that has been greeted in a session.
    fn in_session() -> Proxy {
        let mut proxy = Proxy::default();
        assert_eq!(proxy.started(), (1, Vec::new()));
        let initialize = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#.to_owned();
        assert_eq!(proxy.handle_client(initialize.clone(), SECOND), [ToServer(1, initialize)]);
        let answer = r#"{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"tools":{}}}}"#;
        let [Say(said), ToClient(frame)] = &proxy.handle_server(1, answer.to_owned(), 2 * SECOND)[..] else {
            panic!("an answer")
        };
        assert_eq!(said, "initialize 1000 ms");
        assert!(frame.contains(r#""tools":{"listChanged":true}"#), "{frame}");
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned();
        proxy.handle_client(initialized, SECOND);
        proxy
    }

    #[test]
    fn a_session_goes_on_at_the_next_server_and_the_client_learns_of_the_change() {
        let mut proxy = in_session();
        proxy.handle_client(
            r#"{"id":1,"method":"resources/subscribe","params":{"uri":"a:b"}}"#.to_owned(),
            SECOND,
        );
        proxy.handle_server(1, r#"{"id":1,"result":{}}"#.to_owned(), SECOND);
        let (generation, actions) = proxy.started();
        let [ToServer(2, greeting)] = &actions[..] else { panic!("{actions:?}") };
        assert!(generation == 2 && greeting.contains("plainwire-dev-initialize-2"), "{greeting}");
        // A request that comes meanwhile waits.
        let call = r#"{"id":2,"method":"tools/call","params":{"name":"t"}}"#;
        assert_eq!(proxy.handle_client(call.to_owned(), SECOND), []);
        let greeted =
            r#"{"id":"plainwire-dev-initialize-2","result":{"capabilities":{"tools":{},"prompts":{}}}}"#;
        let actions = proxy.handle_server(2, greeted.to_owned(), SECOND);
        let shown: Vec<String> = actions.iter().map(|action| format!("{action:?}")).collect();
        let has = |text: &str| shown.iter().any(|it| it.contains(text));
        assert!(
            has("notifications/initialized") && has("resources/subscribe") && has("tools/call"),
            "{shown:?}"
        );
        assert!(
            has("notifications/tools/list_changed") && has("notifications/prompts/list_changed"),
            "{shown:?}"
        );
        assert!(!has("notifications/resources/list_changed"), "{shown:?}");
        // What the proxy has asked itself is not answered to the client.
        assert_eq!(
            proxy.handle_server(2, r#"{"id":"plainwire-dev-again-2-0","result":{}}"#.to_owned(), SECOND),
            []
        );
    }

    #[test]
    fn a_request_of_a_server_that_is_gone_is_answered_once() {
        let mut proxy = in_session();
        let call = r#"{"id":7,"method":"tools/call","params":{"name":"slow"}}"#;
        proxy.handle_client(call.to_owned(), SECOND);
        proxy.started();
        assert!(proxy.is_needed(1));
        let [ToClient(answer)] = &proxy.ended(1)[..] else { panic!("an answer") };
        assert!(answer.contains(r#""id":7"#) && answer.contains("restarted before it answered `tools/call`"));
        assert!(
            !proxy.is_needed(1)
                && proxy.handle_server(1, r#"{"id":7,"result":{}}"#.to_owned(), SECOND).is_empty()
        );
    }

    #[test]
    fn answers_of_the_client_go_to_the_server_that_has_asked() {
        let mut proxy = in_session();
        let question = r#"{"id":1,"method":"elicitation/create","params":{}}"#;
        let [ToClient(asked)] = &proxy.handle_server(1, question.to_owned(), SECOND)[..] else {
            panic!("a question")
        };
        assert!(asked.contains(r#""id":"dev-1-1""#), "{asked}");
        let answer = r#"{"id":"dev-1-1","result":{"action":"decline"}}"#;
        let [ToServer(1, answered)] = &proxy.handle_client(answer.to_owned(), SECOND)[..] else {
            panic!("an answer")
        };
        assert!(answered.contains(r#""id":1"#), "{answered}");
        proxy.handle_server(1, question.to_owned(), SECOND);
        proxy.started();
        assert_eq!(proxy.handle_client(answer.to_owned(), SECOND), []);
    }

    #[test]
    fn a_subscription_goes_on_and_reports_that_everything_may_have_changed() {
        let mut proxy = Proxy::default();
        proxy.started();
        let listen = r#"{"id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}}}"#;
        proxy.handle_client(listen.to_owned(), SECOND);
        let acknowledged = r#"{"method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}"#;
        let [ToClient(_)] = &proxy.handle_server(1, acknowledged.to_owned(), SECOND)[..] else {
            panic!("an acknowledgement")
        };
        assert_eq!(proxy.started(), (2, vec![ToServer(2, listen.to_owned())]));
        // The old server ends the subscription, which the client does not see.
        assert_eq!(proxy.handle_server(1, r#"{"id":"l","result":{}}"#.to_owned(), SECOND), []);
        assert_eq!(proxy.ended(1), []);
        let shown: Vec<String> = proxy
            .handle_server(2, acknowledged.to_owned(), SECOND)
            .iter()
            .map(|it| format!("{it:?}"))
            .collect();
        assert!(
            shown[0].contains("tools/list_changed") && shown[1].contains("resources/updated"),
            "{shown:?}"
        );
    }

    #[test]
    fn a_client_that_no_server_has_answered_learns_why() {
        let mut proxy = Proxy::default();
        let ask = |id: u64| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{}}}}"#);
        assert_eq!(proxy.handle_client(ask(1), SECOND), []);
        for (actions, id) in [(proxy.down("its build failed"), 1), (proxy.handle_client(ask(2), SECOND), 2)] {
            let [ToClient(frame)] = &actions[..] else { panic!("{actions:?}") };
            let frame: Value = serde_json::from_str(frame).expect("JSON");
            assert_eq!(frame["id"], id);
            assert_eq!(frame["error"]["message"], "the server is not running: its build failed");
        }
        // The next server is for whoever asks then.
        assert_eq!(proxy.started(), (1, Vec::new()));
        assert_eq!(proxy.handle_client(ask(3), SECOND), [ToServer(1, ask(3))]);
        // A client that was answered waits.
        let mut proxy = in_session();
        assert_eq!(proxy.down("it ended"), []);
        assert_eq!(proxy.handle_client(ask(4).replace("initialize", "ping"), SECOND), []);
    }

    #[test]
    fn a_restart_reports_the_resources_of_a_session_too() {
        let mut proxy = in_session();
        let subscribe = r#"{"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":"a://b"}}"#;
        proxy.handle_client(subscribe.to_owned(), SECOND);
        proxy.handle_server(1, r#"{"jsonrpc":"2.0","id":5,"result":{}}"#.to_owned(), SECOND);
        proxy.started();
        let answer =
            r#"{"jsonrpc":"2.0","id":"plainwire-dev-initialize-2","result":{"capabilities":{"tools":{}}}}"#;
        let shown = format!("{:?}", proxy.handle_server(2, answer.to_owned(), SECOND));
        assert!(shown.contains("tools/list_changed") && shown.contains("resources/updated"), "{shown}");
    }

    #[test]
    fn a_subscription_is_acknowledged_with_what_a_restart_reports() {
        let mut proxy = Proxy::default();
        proxy.started();
        let listen = r#"{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a://b"]}}}"#;
        proxy.handle_client(listen.to_owned(), SECOND);
        let acknowledged = r#"{"method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"},"notifications":{}}}"#;
        let [ToClient(frame)] = &proxy.handle_server(1, acknowledged.to_owned(), SECOND)[..] else {
            panic!("an acknowledgement")
        };
        let frame: Value = serde_json::from_str(frame).expect("JSON");
        let granted = serde_json::json!({ "toolsListChanged": true, "resourceSubscriptions": ["a://b"] });
        assert_eq!(frame["params"]["notifications"], granted);
    }

    #[test]
    fn frames_that_wait_for_a_server_have_a_limit() {
        let mut proxy = Proxy::default();
        let big =
            format!(r#"{{"id":1,"method":"ping","params":{{"pad":"{}"}}}}"#, "p".repeat(MAX_WAITING / 2));
        assert_eq!(proxy.handle_client(big.clone(), SECOND), []);
        let [Say(said)] = &proxy.handle_client(big, SECOND)[..] else { panic!("a line") };
        assert!(said.contains("too many wait"), "{said}");
    }
}
