//! Questions of a server in all orders in which things can happen, on a clock that only moves when told to.
//!
//! Every sequence of actions up to a length is played; an action that means nothing at its place ends that branch.
//! After each sequence everything is brought to rest, and then the books have to balance.

use super::*;
use crate::codec::{KeyedRequest, retry_params};
use crate::model::InputMethod;

const ASK: RequestOptions = RequestOptions { idle: Duration::from_secs(10), hard: Duration::from_secs(10) };
/// How long the client waits for its call: longer than for a question.
const CALL: RequestOptions = RequestOptions { idle: Duration::from_secs(60), hard: Duration::from_secs(60) };

#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Answer,
    Refuse,
    Cancel,
    Respond,
    Withdraw,
    Wait,
    End,
    Repeat,
    Ask,
    /// Modern only: ends a round with a question.
    Round,
    /// Modern only: makes the call again.
    Retry,
}

use Action::*;

/// Both sides of one call, with what was seen of it.
struct World {
    pair: Pair,
    revision: Revision,
    /// The client's calls that it did not give up or see settled.
    calls: Vec<RequestKey>,
    /// The server's keys for them, in order, while they are open for it.
    served: Vec<CallKey>,
    /// Questions by the server, each with how often it was settled or withdrawn by hand.
    asked: Vec<(RequestKey, usize)>,
    /// Questions that the client has and did not answer.
    questions: Vec<(CallKey, RequestKey)>,
    last_answer: Option<String>,
    /// How often each call was settled for the client.
    settled: Vec<(RequestKey, usize)>,
    /// Ids of calls that were cancelled or given up.
    cancelled: Vec<RequestKey>,
    /// A round that waits for its retry.
    round: bool,
    ended: bool,
}

impl World {
    fn new(revision: Revision) -> Self {
        let mut config = client_config(&[revision], EraChoice::default());
        config.capabilities.declare("elicitation", json!({}));
        let mut pair = Pair::new(server_config(&Revision::ALL), config);
        pair.client.connect(pair.now);
        pair.drive(|_, _, _| {});
        pair.client_events.clear();
        pair.server_events.clear();
        pair.wire.clear();
        let mut world = Self {
            pair,
            revision,
            calls: vec![],
            served: vec![],
            asked: vec![],
            questions: vec![],
            last_answer: None,
            settled: vec![],
            cancelled: vec![],
            round: false,
            ended: false,
        };
        world.call(r#"{"name":"t"}"#);
        world
    }

    fn call(&mut self, params: &str) {
        let key = self.pair.client.request("tools/call", params, CALL, self.pair.now);
        self.calls.push(key);
        self.settled.push((key, 0));
        self.drive();
    }

    /// Carries frames, unless the connection is gone, and takes note of what happened.
    fn drive(&mut self) {
        if self.ended {
            for peer in [&mut self.pair.client, &mut self.pair.server] {
                while peer.poll_transmit().is_some() {}
            }
            self.pair.client_events.extend(std::iter::from_fn(|| self.pair.client.poll_event()));
            self.pair.server_events.extend(std::iter::from_fn(|| self.pair.server.poll_event()));
        } else {
            self.pair.drive(|_, _, _| {});
        }
        for event in std::mem::take(&mut self.pair.server_events) {
            match event {
                Event::Request { key, .. } => self.served.push(key),
                Event::Cancelled { key, .. } => {
                    self.served.retain(|it| *it != key);
                    self.pair.server.finished(key);
                }
                Event::Result { request, .. } | Event::Failed { request, .. } => {
                    self.asked.iter_mut().filter(|it| it.0 == request).for_each(|it| it.1 += 1);
                }
                _ => {}
            }
        }
        for event in std::mem::take(&mut self.pair.client_events) {
            match event {
                Event::Request { key, .. } => {
                    // Questions arrive in the order in which they were asked, and none is lost while we drive.
                    let known = self.questions.len();
                    let number = self.asked.get(known).map(|it| it.0);
                    self.questions.push((key, number.expect("a question that was asked")));
                }
                Event::Cancelled { key, .. } => self.pair.client.finished(key),
                Event::InputRequired { request, .. } => {
                    self.settle(request);
                    self.round = true;
                }
                Event::Result { request, .. } | Event::Failed { request, .. } => self.settle(request),
                _ => {}
            }
        }
    }

    fn settle(&mut self, request: RequestKey) {
        self.settled.iter_mut().filter(|it| it.0 == request).for_each(|it| it.1 += 1);
        self.calls.retain(|it| *it != request);
    }

    fn open_question(&self) -> Option<CallKey> {
        self.questions.iter().map(|it| it.0).find(|key| self.pair.client.inbound.revision(*key).is_some())
    }

    /// Does something; `false` if there is nothing to do it to.
    fn act(&mut self, action: Action) -> bool {
        match action {
            Answer | Refuse => {
                let Some(key) = self.open_question() else { return false };
                if action == Answer {
                    self.pair.client.respond(key, |out| out.extend_from_slice(br#"{"action":"decline"}"#));
                } else {
                    self.pair.client.respond_error(key, &Error::new(ErrorKind::Internal, "no"));
                }
                let before = self.pair.wire.len();
                self.drive();
                let said = self.pair.wire[before..].iter().find(|line| line.starts_with("> "));
                self.last_answer = said.map(|line| line[2..].to_owned()).or(self.last_answer.take());
            }
            Repeat => {
                let Some(answer) = self.last_answer.clone().filter(|_| !self.ended) else { return false };
                self.pair.server.handle_frame(answer.as_bytes(), self.pair.now);
                self.drive();
            }
            Cancel => {
                let Some(key) = self.calls.pop() else { return false };
                self.cancelled.push(key);
                self.pair.client.cancel(key, "enough");
                self.drive();
            }
            Respond => {
                let Some(key) = self.served.pop() else { return false };
                self.pair.server.respond(key, |out| out.extend_from_slice(b"{}"));
                self.drive();
            }
            Round => {
                let Some(key) = self.served.pop() else { return false };
                let encoder = self.pair.server.encoder(key);
                let question = KeyedRequest {
                    key: "q".to_owned(),
                    method: InputMethod::Elicit,
                    params: r#"{"message":"?","requestedSchema":{"type":"object","properties":{}}}"#
                        .to_owned(),
                };
                self.pair.server.respond(key, |out| encoder.input_required(out, &[question], Some("s")));
                self.drive();
            }
            Retry => {
                if !std::mem::take(&mut self.round) || self.ended {
                    return false;
                }
                let answer = ("q".to_owned(), r#"{"action":"decline"}"#.to_owned());
                self.call(&retry_params(r#"{"name":"t"}"#, &[answer], Some("s")));
            }
            Withdraw => {
                let open = self.asked.iter_mut().find(|it| it.1 == 0);
                let Some((key, settled)) = open else { return false };
                // Whoever withdraws hears no more of it.
                *settled += 1;
                let key = *key;
                self.pair.server.cancel(key, "no longer");
                self.drive();
            }
            Wait => {
                let by = if self.revision == V26 { CALL.hard } else { ASK.hard };
                self.pair.advance(by);
                self.drive();
            }
            End => {
                if self.ended {
                    return false;
                }
                self.ended = true;
                self.pair.client.handle_end(self.pair.now);
                self.pair.server.handle_end(self.pair.now);
                self.drive();
            }
            Ask => {
                let Some(&key) = self.served.last() else { return false };
                let params = r#"{"message":"?","requestedSchema":{"type":"object","properties":{}}}"#;
                match self.pair.server.ask(key, InputMethod::Elicit, params, ASK, self.pair.now) {
                    Ok(request) => {
                        assert!(self.asked.iter().all(|it| it.0 != request), "an id is used again");
                        self.asked.push((request, 0));
                    }
                    Err(_) => {
                        assert!(self.ended || self.revision == V26);
                        return false;
                    }
                }
                self.drive();
            }
        }
        true
    }

    /// Brings everything to rest and compares the books.
    fn check(mut self, path: &[Action]) {
        while let Some(key) = self.served.pop() {
            self.pair.server.respond(key, |out| out.extend_from_slice(b"{}"));
            self.drive();
        }
        while let Some(key) = self.open_question() {
            assert!(self.ended, "{path:?}: a question outlives its call");
            self.pair.client.finished(key);
        }
        let calls = &self.settled;
        for (key, times) in calls {
            let wanted = usize::from(!self.cancelled.contains(key));
            assert_eq!(*times, wanted, "{path:?}: call {} of the client", key.0);
        }
        for (key, times) in &self.asked {
            assert_eq!(*times, 1, "{path:?}: question {}", key.0);
        }
        for (peer, who) in [(&self.pair.client, "client"), (&self.pair.server, "server")] {
            assert_eq!((peer.in_flight(), peer.waiting()), (0, 0), "{path:?}: {who}");
            assert_eq!(peer.poll_timeout(), None, "{path:?}: {who}");
        }
        self.check_wire(path);
    }

    /// Each call is answered once at most, and after its cancellation nothing but withdrawals are sent.
    fn check_wire(&self, path: &[Action]) {
        let wire: Vec<(bool, serde_json::Value)> = (self.pair.wire.iter())
            .map(|line| (line.starts_with("< "), serde_json::from_str(&line[2..]).expect("JSON")))
            .collect();
        for (call, _) in &self.settled {
            let of_call = |it: &serde_json::Value| it["id"] == call.0 && it.get("method").is_none();
            let answers = wire.iter().filter(|(by_server, it)| *by_server && of_call(it)).count();
            assert!(answers <= 1, "{path:?}: {answers} answers to {}", call.0);
            let is_cancel = |it: &serde_json::Value| {
                it["method"] == "notifications/cancelled" && it["params"]["requestId"] == call.0
            };
            let Some(at) = wire.iter().position(|(by_server, it)| !by_server && is_cancel(it)) else {
                continue;
            };
            // Each call has at most one other behind it, whose answers have another id.
            for (by_server, it) in &wire[at + 1..] {
                let allowed = it["method"] == "notifications/cancelled" || it["id"] != call.0 || !by_server;
                assert!(allowed, "{path:?}: {it} after the cancellation of {}", call.0);
                assert!(!by_server || it["method"] != "elicitation/create", "{path:?}: {it}");
            }
        }
    }
}

/// Plays every sequence of up to `depth` actions after `path`; returns how many there were.
fn play(revision: Revision, actions: &[Action], path: &mut Vec<Action>, depth: usize) -> usize {
    let replay = |path: &[Action]| {
        let mut world = World::new(revision);
        path.iter().all(|action| world.act(*action)).then_some(world)
    };
    let Some(world) = replay(path) else { return 0 };
    world.check(path);
    let mut count = 1;
    if path.len() < depth {
        for action in actions {
            path.push(*action);
            count += play(revision, actions, path, depth);
            path.pop();
        }
    }
    count
}

#[test]
fn the_books_balance_after_every_order_of_questions_in_a_session() {
    let actions = [Ask, Answer, Refuse, Cancel, Respond, Withdraw, Wait, End, Repeat];
    let count = play(V25C, &actions, &mut Vec::new(), 6);
    assert!(count > 4_000, "{count} sequences were played");
}

#[test]
fn the_books_balance_after_every_order_of_rounds() {
    let actions = [Round, Retry, Cancel, Respond, Wait, End, Ask];
    let count = play(V26, &actions, &mut Vec::new(), 6);
    assert!(count > 200, "{count} sequences were played");
}

#[test]
fn nothing_is_asked_once_the_other_side_has_ended() {
    let mut server = Server::speaking(V25C);
    let key = server.open_one(call("1", ""));
    server.peer.handle_end(Now::default());
    let error = server.peer.ask(key, InputMethod::Elicit, "{}", ASK, Now::default()).expect_err("the end");
    assert_eq!(error.message(), "expected an answer, but the connection has ended");
    assert_eq!((server.sent(), server.peer.waiting()), (vec![], 0));
}
