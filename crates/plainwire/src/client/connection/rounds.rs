//! Rounds of a modern call: the questions that a server returns instead of a result, and the request that is
//! made again with their answers.
//!
//! Spec: 2026-07-28 `mrtr`. When a call arrives in this module, its request has just been answered with
//! questions. While question handlers run, no request is open, so no idle deadline runs; the hard deadline
//! spans all rounds. The next request has an id of its own, and progress under that id goes to the same
//! callback.

use std::borrow::Cow;
use std::time::Duration;

use plainwire_proto::codec::{input_response, members, retry_params};
use plainwire_proto::error::{Error as Refusal, ErrorKind};
use plainwire_proto::json::Span;
use plainwire_proto::json::write::Object;
use plainwire_proto::model::InputRequired;
use plainwire_proto::peer::{Now, Peer, RequestKey, RequestOptions};
use plainwire_proto::revision::Revision;

use super::Ask;
use super::questions::{Held, MAX_QUESTIONS, QuestionOutcome, QuestionSource, bytes_of_parts};
use super::state::ConnectionState;
use crate::client::{Progress, Stage};
use crate::error::{Error, Result};
use crate::runtime::{AbortOnDrop, panics};

/// One call of the program, with all requests that are made for it.
pub(super) struct Call {
    pub(super) ask: Ask,
    /// Whether the call was made again on a restarted server. This happens once only, so that a call that
    /// crashes its server crashes it twice and no more.
    pub(super) is_repeated: bool,
    /// The number of times in a row that the server has asked for a retry without asking a question.
    delays: u32,
    /// The permit to keep the questions and the state of the newest round, until the server has answered the next
    /// request; `None` before the first round.
    held: Option<Held>,
    /// The greatest progress that the program has heard of.
    reported: f64,
    /// The number of times that the server has answered with questions, or asked for a retry.
    rounds: u32,
    /// The hard deadline of the call, in the time of the connection's clock.
    pub(super) until: Duration,
}

impl Call {
    pub(super) fn new(ask: Ask, until: Duration) -> Self {
        Self { ask, is_repeated: false, delays: 0, held: None, reported: f64::NEG_INFINITY, rounds: 0, until }
    }

    /// Hands a report of progress to the program. In a later round, the handler runs from its beginning again: reports
    /// that are not greater than those before are left out.
    pub(super) fn report(&mut self, report: Progress) {
        if self.is_retried() && report.done <= self.reported {
            return;
        }
        self.reported = self.reported.max(report.done);
        if let Some(mut handler) = self.ask.progress.take() {
            match panics::catch(|| handler(report)) {
                Ok(()) => self.ask.progress = Some(handler),
                // The call goes on, without further reports.
                Err(panic) => panic.log("the handler of progress"),
            }
        }
    }

    /// Returns whether the server has answered the call with questions, or asked for a retry, at least once.
    pub(super) fn is_retried(&self) -> bool {
        self.rounds > 0
    }
}

/// A call between two requests: its question handlers run, or it waits for the time of a retry.
pub(super) struct Round {
    /// The key of each question and its encoded answer, in the order of the server's result. The answer is
    /// `None` while the handler runs.
    answers: Vec<(String, Option<String>)>,
    pub(super) call: Call,
    /// The time at which the request is made again if the server asked no question.
    resume_at: Duration,
    /// The `requestState` that the server wants back with the answers.
    state: Option<String>,
    /// The running question handlers, which stop when this round is dropped.
    _handlers: Vec<AbortOnDrop>,
}

impl Round {
    /// Returns the time of the next action: the retry, or the hard deadline of the call.
    fn deadline(&self) -> Duration {
        if self.answers.is_empty() { self.resume_at.min(self.call.until) } else { self.call.until }
    }

    fn is_answered(&self) -> bool {
        self.answers.iter().all(|(_, answer)| answer.is_some())
    }
}

/// The delay before the first retry that the server asks for without asking a question. It doubles with each
/// further such retry in a row.
const FIRST_DELAY: Duration = Duration::from_millis(100);

/// The longest delay before a retry that the server asks for without asking a question.
const LONGEST_DELAY: Duration = Duration::from_secs(5);

impl ConnectionState {
    /// Handles a result that asks questions, or asks for a retry: starts the question handlers, or fails the
    /// call.
    pub(super) fn handle_questions(
        &mut self,
        request: RequestKey,
        result: Span,
        frame: &str,
        peer: &mut Peer,
        now: Now,
    ) {
        let Some(mut call) = self.waiting.remove(&request) else { return };
        self.tickets.remove(&call.ask.ticket);
        let ticket = call.ask.ticket;
        call.rounds = call.rounds.saturating_add(1);
        let revision = peer.revision().unwrap_or(Revision::NEWEST);
        let checked = self.check(&mut call, result.text(frame), revision);
        match checked {
            Ok(required) => {
                if let Some(trace) = &call.ask.trace {
                    let (bytes, questions) = (frame.len() as u64, required.requests.len());
                    trace.note(Stage::InputRequired { bytes, questions });
                }
                let round = self.begin(call, required, now);
                self.rounds.insert(ticket, round);
            }
            Err(error) => drop(call.ask.answer.send(Err(error))),
        }
    }

    /// Reads the questions of a result, and checks them all before any handler starts.
    fn check(&self, call: &mut Call, result: &str, revision: Revision) -> Result<InputRequired> {
        let method = &call.ask.method;
        let refuse = |kind, text| Err(Error::Rpc(Refusal::new(kind, text)));
        let limit = self.max_rounds;
        if call.rounds > limit {
            let text = format!(
                "expected an answer to `{method}` after at most {limit} rounds of questions (limit `max_rounds`), but found one more"
            );
            return refuse(ErrorKind::Overloaded, text);
        }
        // Those of the round before were needed until now.
        call.held = None;
        let mut held = self.questions.hold(result.len()).map_err(Error::Rpc)?;
        let required = InputRequired::parse(result).map_err(Error::Rpc)?;
        let parts: usize = required.requests.iter().map(|(_, question)| bytes_of_parts(question)).sum();
        let more = parts + bytes_to_return(&required);
        held.merge(self.questions.hold(more).map_err(Error::Rpc)?);
        call.held = Some(held);
        let found = required.requests.len();
        if found > MAX_QUESTIONS {
            let text = format!(
                "expected at most {MAX_QUESTIONS} questions about `{method}` at a time (limit `MAX_QUESTIONS`), but found {found}"
            );
            return refuse(ErrorKind::InvalidRequest, text);
        }
        for (key, question) in &required.requests {
            self.asked
                .check(question, revision)
                .map_err(|why| Error::Unanswered { question: key.clone(), why })?;
        }
        Ok(required)
    }

    /// Begins a round: starts the question handlers, and computes the time of the retry.
    fn begin(&mut self, mut call: Call, required: InputRequired, now: Now) -> Round {
        let delay = FIRST_DELAY.saturating_mul(1 << call.delays.min(16)).min(LONGEST_DELAY);
        call.delays = if required.requests.is_empty() { call.delays.saturating_add(1) } else { 0 };
        let (mut answers, mut handlers) = (Vec::new(), Vec::new());
        for (index, (key, question)) in required.requests.into_iter().enumerate() {
            let source = QuestionSource::Round { ticket: call.ask.ticket, index };
            handlers.push(AbortOnDrop(self.questions.ask(source, self.asked.answer(question))));
            answers.push((key, None));
        }
        let resume_at = now.monotonic.saturating_add(delay);
        Round { answers, call, resume_at, state: required.state, _handlers: handlers }
    }

    /// Handles the outcome of a question handler. An error ends the call: the protocol has no way to send it
    /// to the server.
    pub(super) fn answered(
        &mut self,
        ticket: u64,
        index: usize,
        outcome: QuestionOutcome,
        peer: &mut Peer,
        now: Now,
    ) {
        let revision = peer.revision().unwrap_or(Revision::NEWEST);
        // The round of a stopped handler is already dropped.
        let (Some(round), QuestionOutcome::Answered(answer)) = (self.rounds.get_mut(&ticket), outcome) else {
            return;
        };
        let Some((key, slot)) = round.answers.get_mut(index) else { return };
        match answer {
            Ok(answer) => {
                let mut out = Vec::new();
                input_response(&mut out, &answer, revision);
                *slot = Some(String::from_utf8(out).unwrap_or_default());
                if round.is_answered() {
                    self.resume(ticket, peer, now);
                }
            }
            Err(why) => {
                let error = Error::Unanswered { question: std::mem::take(key), why };
                if let Some(round) = self.rounds.remove(&ticket) {
                    let _ = round.call.ask.answer.send(Err(error));
                }
            }
        }
    }

    pub(super) fn poll_timeout(&self) -> Option<Duration> {
        // `Duration::MAX` stands for no deadline.
        self.rounds.values().map(Round::deadline).min().filter(|&deadline| deadline < Duration::MAX)
    }

    pub(super) fn handle_timeout(&mut self, peer: &mut Peer, now: Now) {
        let due = |round: &Round| round.deadline() <= now.monotonic;
        let tickets: Vec<u64> =
            self.rounds.iter().filter(|(_, round)| due(round)).map(|(&ticket, _)| ticket).collect();
        for ticket in tickets {
            self.resume(ticket, peer, now);
        }
    }

    /// Makes the request of a call again, with the answers to its questions. If the hard deadline of the call
    /// has passed, fails the call instead. Does nothing if the caller has given up.
    fn resume(&mut self, ticket: u64, peer: &mut Peer, now: Now) {
        let Some(Round { answers, call, state, .. }) = self.rounds.remove(&ticket) else { return };
        let hard = call.until.saturating_sub(now.monotonic);
        let ask = &call.ask;
        if hard.is_zero() {
            let error = self.carried.late(&call, "hard");
            drop(call.ask.answer.send(Err(error)));
        } else if !ask.answer.is_closed() {
            let answers: Vec<(String, String)> =
                answers.into_iter().filter_map(|(key, answer)| Some((key, answer?))).collect();
            let params = retry_params(&without_answers(&ask.params), &answers, state.as_deref());
            // The parameters contain both. Without this, they would be in memory once more while the request is written.
            drop((answers, state));
            let options = RequestOptions { idle: ask.options.idle, hard };
            let key = peer.request(&ask.method, &params, options, now);
            self.wait(key, call);
        }
    }
}

/// Returns the number of bytes that the state in `required` adds to the size of the result: while the next
/// request is written, the state is in memory twice more, in the parameters and in the frame of that request.
fn bytes_to_return(required: &InputRequired) -> usize {
    let written = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0x00..0x20 => 6,
        _ => 1,
    };
    2 * required.state.as_ref().map_or(0, |state| state.bytes().map(written).sum())
}

/// Returns `params` without the answers and the state of an earlier round. A program that answers questions
/// itself puts them there.
fn without_answers(params: &str) -> Cow<'_, str> {
    let is_answer = |name: &str| matches!(name, "inputResponses" | "requestState");
    match members(params) {
        Ok(all) if all.iter().any(|(name, _)| is_answer(name)) => {
            let mut out = Vec::new();
            let mut object = Object::open(&mut out);
            for (name, value) in all.iter().filter(|(name, _)| !is_answer(name)) {
                object.raw(name, value.get());
            }
            object.close();
            Cow::Owned(String::from_utf8(out).unwrap_or_default())
        }
        _ => Cow::Borrowed(params),
    }
}
