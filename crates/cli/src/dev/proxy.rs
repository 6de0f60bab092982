//! The connection between a client that stays and a server that is restarted: which frames go where.
//!
//! In: frames of both sides, each one line, and the start and end of servers. Out: frames for each side, and lines
//! for the developer. No I/O and no clock. Frames are passed on as they were written, except for ids of the server's
//! requests, which must not repeat after a restart, and the capabilities, which gain `listChanged`. A batch that has to
//! wait for a server is passed on message by message.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use serde_json::Value;

use super::set_up::SetUp;
use super::{batch, changes};
use crate::visible;

/// The maximal number of bytes of frames that wait for a server to start.
const MAX_WAITING: usize = 64 << 20;

/// The maximal number of open requests of each side, and of bytes in the id of one. Clients and servers of one
/// developer have a few at a time.
const MAX_OPEN: usize = 1_000;
const MAX_ID: usize = 1 << 10;

/// The maximal number of bytes of the subscriptions that are opened again at the next server.
const MAX_LISTENS: usize = 1 << 20;

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
    /// Handles a frame of the client, a message or a batch, that arrived at `now`.
    pub(super) fn handle_client(&mut self, line: String, now: Duration) -> Vec<Action> {
        match batch::messages(&line) {
            Some(messages) => {
                let each = messages.into_iter().flat_map(|message| self.client_message(message, now));
                batch::together(each.collect())
            }
            None => self.client_message(line, now),
        }
    }

    fn client_message(&mut self, line: String, now: Duration) -> Vec<Action> {
        let frame: Value = serde_json::from_str(&line).unwrap_or_default();
        let Some(method) = frame.get("method").and_then(Value::as_str) else {
            if frame.get("result").or(frame.get("error")).is_some() {
                return self.answer(frame);
            }
            // The server answers with an error, as without `dev`.
            let mut actions = vec![Say("the client wrote a line that is not a message".to_owned())];
            actions.extend(self.pass_on(line));
            return actions;
        };
        let params = &frame["params"];
        if let Some(id) = frame.get("id") {
            if !has_room(self.open.len(), id) {
                return vec![ToClient(changes::too_many(id))];
            }
            let open = Open {
                began: now,
                generation: self.generation,
                id: id.clone(),
                method: visible::short_line(method, changes::MAX_NAME),
                name: changes::name(&frame),
            };
            self.open.insert(id.to_string(), open);
        }
        if method == "notifications/cancelled" {
            let id = params["requestId"].to_string();
            self.listens.remove(&id);
            if let Some(at) = self.waiting.iter().position(|line| request_id(line).as_ref() == Some(&id)) {
                self.waiting.remove(at);
                self.open.remove(&id);
                return Vec::new();
            }
            // A server that is replaced still runs the calls that it has.
            if let Some(open) = self.open.remove(&id).filter(|open| open.generation < self.generation) {
                return vec![ToServer(open.generation, line)];
            }
        }
        let had_room = match method {
            "subscriptions/listen" => self.note_listen(&frame["id"], &line),
            _ => self.set_up.note(&frame),
        };
        let mut actions = self.pass_on(line);
        if !had_room {
            actions.push(Say(changes::NOT_REMEMBERED.to_owned()));
        }
        actions
    }

    /// Remembers a subscription. Returns whether there was room for it.
    fn note_listen(&mut self, id: &Value, line: &str) -> bool {
        let bytes: usize = self.listens.values().map(String::len).sum();
        if bytes + line.len() > MAX_LISTENS {
            return false;
        }
        self.listens.insert(id.to_string(), line.to_owned());
        true
    }

    /// Handles an answer of the client to a request of a server.
    fn answer(&mut self, mut frame: Value) -> Vec<Action> {
        // The questions of a server that is gone are forgotten.
        let Some((generation, id)) = self.asked.remove(frame["id"].as_str().unwrap_or_default()) else {
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
        self.set_up.refused(id);
        vec![ToClient(changes::not_running(id, why))]
    }

    /// Handles a frame of the server of this generation, a message or a batch, that arrived at `now`.
    pub(super) fn handle_server(&mut self, generation: u64, line: String, now: Duration) -> Vec<Action> {
        match batch::messages(&line) {
            Some(messages) => {
                let each = messages.into_iter().flat_map(|it| self.server_message(generation, it, now));
                batch::together(each.collect())
            }
            None => self.server_message(generation, line, now),
        }
    }

    fn server_message(&mut self, generation: u64, line: String, now: Duration) -> Vec<Action> {
        let Ok(mut frame) = serde_json::from_str::<Value>(&line) else {
            let line = visible::short_line(&line, 200);
            return vec![Say(format!("the server wrote a line that is not a message: {line}"))];
        };
        let id = frame.get("id").cloned();
        match (id, frame.get("method").and_then(Value::as_str)) {
            (Some(id), None) => self.result(generation, &id, frame, line, now),
            // A server that is replaced still reports on the calls that it has, and asks for them.
            (None, Some(method))
                if generation != self.generation
                    && !(changes::is_of_call(method) && self.is_needed(generation)) =>
            {
                Vec::new()
            }
            (Some(id), Some(_)) if !has_room(self.asked.len(), &id) => {
                vec![ToServer(generation, changes::too_many(&id))]
            }
            (Some(id), Some(_)) => {
                let known = format!("dev-{generation}-{id}");
                self.asked.insert(known.clone(), (generation, id));
                frame["id"] = known.into();
                vec![ToClient(frame.to_string())]
            }
            (None, Some("notifications/subscriptions/acknowledged")) => {
                let of = changes::subscription(&frame).to_string();
                if self.reopened.remove(&of) {
                    return self.changed_in(&of, &frame);
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
        let Some(open) = self.open.remove(&key) else {
            // An error without an id answers a line that is not a message.
            let is_error = id.is_null() && frame.get("error").is_some();
            return if is_error { vec![ToClient(line)] } else { Vec::new() };
        };
        self.listens.remove(&key);
        self.has_answered = true;
        let millis = now.saturating_sub(open.began).as_millis();
        if frame.get("error").is_some() {
            self.set_up.refused(id);
        }
        let failed = frame.get("error").is_some() || frame["result"]["isError"] == true;
        let said = Say(changes::said(&open.method, &open.name, failed, millis));
        let is_changed = changes::announce(&open.method, &mut frame);
        vec![said, ToClient(if is_changed { frame.to_string() } else { line })]
    }

    /// Returns the number of the next server.
    pub(super) fn next_generation(&self) -> u64 {
        self.generation + 1
    }

    /// Returns whether frames wait for a server that runs.
    pub(super) fn holds_back(&self) -> bool {
        !self.waiting.is_empty() && self.down.is_none()
    }

    /// Handles the start of the next server. Returns its generation, and what is sent to it.
    pub(super) fn started(&mut self) -> (u64, Vec<Action>) {
        self.generation += 1;
        let generation = self.generation;
        self.is_ready = false;
        self.down = None;
        let initialize = self.set_up.initialize().filter(|_| self.set_up.is_initialized()).cloned();
        // A client that did not wait for the answer greets this server itself.
        let waits = |it: &Value| {
            let line = |line: &String| serde_json::from_str(line).is_ok_and(|line: Value| line == *it);
            self.waiting.iter().any(line)
        };
        let Some(mut again) = initialize.filter(|it| !waits(it)) else { return (generation, self.ready()) };
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
            if let Some(open) = request_id(&line).and_then(|id| self.open.get_mut(&id)) {
                open.generation = generation;
            }
            actions.push(ToServer(generation, line));
        }
        actions
    }

    /// Returns the notifications that everything in a subscription may have changed.
    fn changed_in(&self, id: &str, acknowledgement: &Value) -> Vec<Action> {
        let listen = self.listens.get(id).and_then(|line| serde_json::from_str::<Value>(line).ok());
        listen.iter().flat_map(|it| changes::of_listen(it, acknowledgement)).map(ToClient).collect()
    }

    /// Handles the end of the server of this generation: its open requests are answered with an error that says what
    /// happened to it, as in `was restarted`, and its own questions are withdrawn.
    pub(super) fn ended(&mut self, generation: u64, why: &str) -> Vec<Action> {
        if generation == self.generation {
            self.is_ready = false;
        }
        let (gone, asked) =
            std::mem::take(&mut self.asked).into_iter().partition(|(_, (of, _))| *of == generation);
        self.asked = asked;
        let gone: BTreeMap<_, _> = gone;
        let withdrawn = gone.keys().map(|id| ToClient(changes::withdrawn(id)));
        let is_lost =
            |(id, open): &(&String, &Open)| open.generation == generation && !self.listens.contains_key(*id);
        let ids: Vec<String> = self.open.iter().filter(is_lost).map(|(id, _)| id.clone()).collect();
        let lost: Vec<Open> = ids.iter().filter_map(|id| self.open.remove(id)).collect();
        // The client has an error, and may try again.
        lost.iter().for_each(|open| self.set_up.refused(&open.id));
        let answers = lost.iter().map(|open| ToClient(changes::lost(&open.id, &open.method, why)));
        withdrawn.chain(answers).collect()
    }

    /// Returns whether the server of this generation still has open requests.
    pub(super) fn is_needed(&self, generation: u64) -> bool {
        self.open.iter().any(|(id, open)| open.generation == generation && !self.listens.contains_key(id))
    }
}

/// Returns the id of a request, as JSON.
fn request_id(line: &str) -> Option<String> {
    let frame: Value = serde_json::from_str(line).ok()?;
    frame.get("method")?;
    frame.get("id").map(Value::to_string)
}

/// Returns whether one more request may be open beside `open` others.
fn has_room(open: usize, id: &Value) -> bool {
    open < MAX_OPEN && id.as_str().map_or_else(|| id.to_string().len(), str::len) <= MAX_ID
}

#[cfg(test)]
mod tests;
