//! Tests of questions that a server asks: all orders of actions and deliveries, on a clock that only the test
//! moves.
//!
//! A client and a server are connected by two queues of frames. Each test but the last plays every sequence
//! of its actions up to a length. The delivery of a single frame is an action too, so frames cross each other
//! in every way; impossible actions are skipped. After each sequence, all frames are delivered and all work
//! ends. Then each question and each call must have ended exactly once, a cancelled call without an event.

use super::*;
use crate::codec::{KeyedRequest, retry_params};
use crate::model::InputMethod;

const ASK: RequestOptions = RequestOptions { idle: Duration::from_secs(10), hard: Duration::from_secs(10) };
/// The deadlines of the client for its call. `idle` is longer than the deadline of a question, `ASK`. While
/// the client works on a question, only `hard` applies.
const CALL: RequestOptions = RequestOptions { idle: Duration::from_secs(12), hard: Duration::from_secs(25) };
const FORM: &str = r#"{"message":"?","requestedSchema":{"type":"object","properties":{}}}"#;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    /// The client answers the oldest question that has arrived and is not answered.
    Answer,
    /// The server asks one more question.
    Ask,
    /// The client cancels its call.
    Cancel,
    /// The connection ends.
    End,
    /// The client sends an error as answer to the oldest question that has arrived and is not answered.
    Refuse,
    /// The newest answer is sent a second time: in a session, the client's answer to a question; in
    /// 2026-07-28, the server's answer to a call.
    Repeat,
    /// The server answers the call.
    Respond,
    /// 2026-07-28 only: the client repeats the call, with an answer to the question.
    Retry,
    /// 2026-07-28 only: the server answers the call with a question.
    Round,
    /// The next frame reaches the client.
    ToClient,
    /// The next frame reaches the server.
    ToServer,
    /// The clock moves by the deadline of a question.
    Wait,
    /// The server withdraws the oldest question that is open.
    Withdraw,
}

use Action::*;

const SESSION: [Action; 11] =
    [Answer, Ask, Cancel, End, Refuse, Repeat, Respond, ToClient, ToServer, Wait, Withdraw];
const ROUNDS: [Action; 9] = [Cancel, End, Repeat, Respond, Retry, Round, ToClient, ToServer, Wait];

/// A question that the server has asked.
struct Asked {
    key: RequestKey,
    /// The number of times that the question was answered, failed or was withdrawn; must become 1. A
    /// withdrawn question yields no event.
    settled: usize,
}

/// A call that the client has made.
struct Called {
    /// Whether the client cancelled the call before it received the answer.
    given_up: bool,
    key: RequestKey,
    settled: usize,
}

/// A request, as recorded for the side that works on it. The work goes on after a cancellation, and may still
/// answer.
struct Work {
    /// The length of `wire`, the log of all frames, when the cancellation arrived; `None` without a
    /// cancellation.
    cancelled: Option<usize>,
    done: bool,
    /// The id of the request on the wire.
    id: u64,
    key: CallKey,
}

/// A client and a server, and a record of the client's calls and the server's questions.
struct Simulation {
    asked: Vec<Asked>,
    called: Vec<Called>,
    ended: bool,
    last_answer: Option<String>,
    pair: Pair,
    /// The questions that arrived at the client.
    questions: Vec<Work>,
    revision: Revision,
    /// Whether the client has received a result with questions, and can answer it by a retry.
    round: bool,
    /// The calls that arrived at the server.
    served: Vec<Work>,
}

impl Simulation {
    /// Creates a simulation in which the client has made a call and the server has sent the first question,
    /// which has not arrived at the client.
    fn new(revision: Revision) -> Self {
        let mut config = client_config(&[revision], EraChoice::default());
        config.capabilities.declare("elicitation", json!({}));
        let mut pair = Pair::new(server_config(&[revision]), config);
        pair.client.connect(pair.now);
        pair.drive(|_, _, _| {});
        pair.client_events.clear();
        pair.server_events.clear();
        pair.wire.clear();
        let mut world = Self {
            asked: vec![],
            called: vec![],
            ended: false,
            last_answer: None,
            pair,
            questions: vec![],
            revision,
            round: false,
            served: vec![],
        };
        world.call(r#"{"name":"t"}"#);
        world.act(ToServer);
        world.act(if revision == V26 { Round } else { Ask });
        world
    }

    fn call(&mut self, params: &str) {
        let key = self.pair.client.request("tools/call", params, CALL, self.pair.now);
        self.called.push(Called { given_up: false, key, settled: 0 });
    }

    /// Returns the index of the call for which the client waits.
    fn waiting(&self) -> Option<usize> {
        self.called.iter().position(|it| it.settled == 0 && !it.given_up)
    }

    fn unanswered(&self) -> Option<usize> {
        self.questions.iter().position(|it| !it.done)
    }

    fn working(&self) -> Option<usize> {
        self.served.iter().position(|it| !it.done)
    }

    /// Returns whether the simulation allows `action` now.
    fn possible(&self, action: Action) -> bool {
        match action {
            Answer | Refuse => self.unanswered().is_some(),
            Ask => self.working().is_some_and(|at| self.served[at].cancelled.is_none()) && !self.ended,
            Cancel => self.waiting().is_some() || self.round,
            End => !self.ended,
            Repeat => self.last_answer.is_some() && !self.ended,
            Respond | Round => self.working().is_some(),
            Retry => self.round && !self.ended,
            ToClient => !self.pair.to_client.is_empty(),
            ToServer => !self.pair.to_server.is_empty(),
            Wait => [&self.pair.client, &self.pair.server].iter().any(|it| it.poll_timeout().is_some()),
            Withdraw => self.asked.iter().any(|it| it.settled == 0),
        }
    }

    fn act(&mut self, action: Action) {
        let (before, left) = (self.pair.wire.len(), if self.revision == V26 { "< " } else { "> " });
        let mut frame = None;
        match action {
            Answer | Refuse => {
                let at = self.unanswered().expect("a question");
                self.questions[at].done = true;
                let (client, key) = (&mut self.pair.client, self.questions[at].key);
                match action {
                    Answer => client.respond(key, |out| out.extend_from_slice(br#"{"action":"decline"}"#)),
                    _ => client.respond_error(key, &Error::new(ErrorKind::Internal, "no")),
                }
            }
            Ask => {
                let at = self.working().expect("a call");
                let key = self.ask(at).expect("an open call");
                assert!(self.asked.iter().all(|it| it.key != key), "an id is used again");
                self.asked.push(Asked { key, settled: 0 });
            }
            Cancel => match self.waiting() {
                Some(at) => {
                    self.called[at].given_up = true;
                    self.pair.client.cancel(self.called[at].key, "enough");
                }
                None => self.round = false,
            },
            End => {
                self.ended = true;
                self.pair.end();
            }
            Repeat => {
                let way =
                    if self.revision == V26 { &mut self.pair.to_client } else { &mut self.pair.to_server };
                way.extend(self.last_answer.clone());
            }
            Respond => {
                let at = self.working().expect("a call");
                self.served[at].done = true;
                self.pair.server.respond(self.served[at].key, |out| out.extend_from_slice(b"{}"));
            }
            Retry => {
                self.round = false;
                let answer = ("q".to_owned(), r#"{"action":"decline"}"#.to_owned());
                self.call(&retry_params(r#"{"name":"t"}"#, &[answer], Some("s")));
            }
            Round => {
                let at = self.working().expect("a call");
                self.served[at].done = true;
                let (server, key) = (&mut self.pair.server, self.served[at].key);
                let encoder = server.encoder(key);
                let params = FORM.to_owned();
                let question = KeyedRequest { key: "q".to_owned(), method: InputMethod::Elicit, params };
                server.respond(key, |out| encoder.input_required(out, &[question], Some("s")));
            }
            ToClient => frame = self.pair.deliver_to_client(),
            ToServer => frame = self.pair.deliver_to_server(),
            Wait => self.pair.advance(ASK.hard),
            Withdraw => {
                let open = self.asked.iter_mut().find(|it| it.settled == 0).expect("a question");
                open.settled += 1;
                self.pair.server.cancel(open.key, "no longer");
            }
        }
        self.pair.post();
        let answer = self.pair.wire[before..].iter().rev().find(|it| it.starts_with(left) && is_answer(it));
        self.last_answer = answer.map(|line| line[2..].to_owned()).or(self.last_answer.take());
        self.note(frame.as_deref(), before);
    }

    fn ask(&mut self, at: usize) -> Result<RequestKey, Error> {
        self.pair.server.ask(self.served[at].key, InputMethod::Elicit, FORM, ASK, self.pair.now)
    }

    /// Takes the events of client and server, and records what they say of calls and questions. `frame` is
    /// the frame that has just been delivered, if any; `before` is the length of `wire`, the log of all
    /// frames, before the action.
    fn note(&mut self, frame: Option<&str>, before: usize) {
        let arrived = |key| {
            let id = frame.and_then(id).expect("a frame with a request");
            Work { cancelled: None, done: false, id, key }
        };
        for event in std::mem::take(&mut self.pair.server_events) {
            match event {
                Event::Request { key, .. } => {
                    self.served.push(arrived(key));
                    if self.revision == V26 {
                        self.ask(self.served.len() - 1).expect_err("no requests of servers");
                    }
                }
                Event::Cancelled { key, .. } => {
                    let at = self.served.iter().position(|it| it.key == key).expect("a call that arrived");
                    self.served[at].cancelled = Some(before);
                    self.ask(at).expect_err("a call that is over");
                }
                Event::Result { request, .. } | Event::Failed { request, .. } => {
                    let asked = self.asked.iter_mut().find(|it| it.key == request).expect("a question");
                    asked.settled += 1;
                }
                _ => {}
            }
        }
        for event in std::mem::take(&mut self.pair.client_events) {
            match event {
                Event::Request { key, .. } => self.questions.push(arrived(key)),
                Event::Cancelled { key, .. } => {
                    let question = self.questions.iter_mut().find(|it| it.key == key).expect("a question");
                    question.cancelled = Some(before);
                }
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
        self.called.iter_mut().find(|it| it.key == request).expect("a call").settled += 1;
    }

    /// Delivers frames until none is left.
    fn drive(&mut self) {
        while let Some(way) = [ToServer, ToClient].into_iter().find(|it| self.possible(*it)) {
            self.act(way);
        }
    }

    /// Delivers all frames, ends all work, and checks that each question and each call ended exactly once, a
    /// cancelled call without an event. `path` is the sequence of actions played, for messages.
    fn check(mut self, path: &[Action]) {
        self.drive();
        while self.possible(Respond) {
            self.act(Respond);
            self.drive();
        }
        while let Some(at) = self.unanswered() {
            let question = &mut self.questions[at];
            assert!(question.cancelled.is_some() || self.ended, "{path:?}: a question outlives its call");
            question.done = true;
            self.pair.client.finished(question.key);
        }
        self.drive();
        for it in &self.called {
            assert_eq!(it.settled, usize::from(!it.given_up), "{path:?}: call {} of the client", it.key.0);
        }
        for it in &self.asked {
            assert_eq!(it.settled, 1, "{path:?}: question {}", it.key.0);
        }
        for (peer, who) in [(&self.pair.client, "client"), (&self.pair.server, "server")] {
            assert_eq!((peer.in_flight(), peer.waiting()), (0, 0), "{path:?}: {who}");
            assert_eq!(peer.poll_timeout(), None, "{path:?}: {who}");
        }
        self.check_wire(path);
    }

    fn check_wire(&self, path: &[Action]) {
        let wire = &self.pair.wire;
        let answers = |from: usize, way: &str, number: u64| {
            let all = wire[from..].iter().filter(|it| it.starts_with(way) && is_answer(it));
            all.filter(|it| id(it) == Some(number)).count()
        };
        for it in &self.called {
            let found = answers(0, "< ", it.key.0);
            assert!(found <= 1, "{path:?}: {found} answers to call {}", it.key.0);
            let withdrawal = format!(r#"{{"requestId":{},"#, it.key.0);
            let given_up = wire.iter().any(|it| it.starts_with("> ") && it.contains(&withdrawal));
            assert!(found == 1 || given_up || self.ended, "{path:?}: no answer to call {}", it.key.0);
        }
        for it in &self.served {
            let Some(from) = it.cancelled else { continue };
            // After the cancellation, the server may answer only later calls. There is one call at a time, so
            // any other frame is about the cancelled one.
            for line in wire[from..].iter().filter(|it| it.starts_with("< ")) {
                let another = is_answer(line) && id(line) != Some(it.id);
                let allowed = another || line.contains("notifications/cancelled");
                assert!(allowed, "{path:?}: {line} after the cancellation of {}", it.id);
            }
        }
        for it in &self.questions {
            let found = answers(0, "> ", it.id);
            assert!(found <= 1, "{path:?}: {found} answers to question {}", it.id);
            let late = it.cancelled.map_or(0, |from| answers(from, "> ", it.id));
            assert_eq!(late, 0, "{path:?}: question {} is answered after its withdrawal", it.id);
        }
    }
}

/// Returns whether a line is an answer: whether `result` or `error` follows its id.
fn is_answer(line: &str) -> bool {
    // Looking for `method` would not do, because an answer with questions contains methods.
    let (_, rest) = line.split_once(r#""id":"#).unwrap_or_default();
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.starts_with(r#","result":"#) || rest.starts_with(r#","error":"#)
}

/// Returns the number after the first `"id":` of a frame.
fn id(line: &str) -> Option<u64> {
    let (_, rest) = line.split_once(r#""id":"#)?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Plays `path`, and then every sequence of up to `depth` more actions. Returns the number of sequences.
fn play(revision: Revision, actions: &[Action], path: &mut Vec<Action>, depth: usize) -> usize {
    let mut world = Simulation::new(revision);
    path.iter().for_each(|action| world.act(*action));
    let possible: Vec<_> = actions.iter().copied().filter(|action| world.possible(*action)).collect();
    world.check(path);
    let mut count = 1;
    if depth > 0 {
        for action in possible {
            path.push(action);
            count += play(revision, actions, path, depth - 1);
            path.pop();
        }
    }
    count
}

#[test]
fn the_books_balance_after_every_order_of_questions_in_a_session() {
    let count = play(V25B, &SESSION, &mut Vec::new(), 6);
    assert!(count > 39_000, "{count} sequences were played");
}

#[test]
fn the_books_balance_after_every_order_of_what_follows_a_question_that_arrived() {
    // Only the first question is asked, and `Refuse` is left out: with all actions the test takes twenty
    // seconds.
    let actions: Vec<_> = SESSION.into_iter().filter(|it| !matches!(it, Ask | Refuse)).collect();
    let count = play(V25B, &actions, &mut vec![ToClient], 6);
    assert!(count > 10_000, "{count} sequences were played");
}

#[test]
fn the_books_balance_after_every_order_of_rounds() {
    // Fewer actions are possible at each step than in a session, so sequences of eight actions take no longer
    // than six there.
    let count = play(V26, &ROUNDS, &mut Vec::new(), 8);
    assert!(count > 32_000, "{count} sequences were played");
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
