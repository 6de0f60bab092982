//! Calls that are answered with questions: what is asked, and the request that is made again.
//!
//! Spec: 2026-07-28 `mrtr`. Its request is over when a call comes here. While somebody thinks about a question no
//! request is open, so that no idle deadline runs; the hard one spans all rounds. The next request has an id of its
//! own, and progress under that id goes where it went before.

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
use super::questions::{End, MAX_QUESTIONS, Place};
use super::state::Desk;
use crate::client::{Stage, too_late};
use crate::error::{Error, Result};
use crate::runtime::AbortOnDrop;

/// A request of the program's, however often it is made.
pub(super) struct Call {
    pub(super) ask: Ask,
    /// Whether it was made again for a server that died: a call that kills servers kills two and no more.
    pub(super) is_repeated: bool,
    /// How often the server has wanted to be asked again, without a question in between.
    naps: u32,
    rounds: u32,
    /// When it fails in any case.
    pub(super) until: Duration,
}

impl Call {
    pub(super) fn new(ask: Ask, until: Duration) -> Self {
        Self { ask, is_repeated: false, naps: 0, rounds: 0, until }
    }

    /// Whether the server has answered with questions before.
    pub(super) fn is_retried(&self) -> bool {
        self.rounds > 0
    }
}

/// A call between two requests.
pub(super) struct Round {
    /// Keys and what to answer, in the order of the wire.
    answers: Vec<(String, Option<String>)>,
    pub(super) call: Call,
    /// When to make the request again, if nothing was asked.
    resume_at: Duration,
    state: Option<String>,
    /// Whoever thinks about a question stops with the round.
    _thinking: Vec<AbortOnDrop>,
}

impl Round {
    /// When something has to happen, whoever thinks.
    fn deadline(&self) -> Duration {
        if self.answers.is_empty() { self.resume_at.min(self.call.until) } else { self.call.until }
    }

    fn is_answered(&self) -> bool {
        self.answers.iter().all(|(_, answer)| answer.is_some())
    }
}

/// How long to wait before a request that the server wants made again, the first time.
const NAP: Duration = Duration::from_millis(100);

/// How long that gets.
const LONGEST_NAP: Duration = Duration::from_secs(5);

impl Desk {
    /// Takes a result that asks first.
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
        let checked = self.check(&call, result.text(frame), revision);
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

    /// Nothing is asked unless everything may be asked.
    fn check(&self, call: &Call, result: &str, revision: Revision) -> Result<InputRequired> {
        let method = &call.ask.method;
        let refuse = |kind, text| Err(Error::Rpc(Refusal::new(kind, text)));
        let limit = self.max_rounds;
        if call.rounds > limit {
            let text = format!(
                "expected an answer to `{method}` after at most {limit} rounds of questions (limit `max_rounds`), but found one more"
            );
            return refuse(ErrorKind::Overloaded, text);
        }
        let required = InputRequired::parse(result).map_err(Error::Rpc)?;
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

    fn begin(&mut self, mut call: Call, required: InputRequired, now: Now) -> Round {
        let nap = NAP.saturating_mul(1 << call.naps.min(16)).min(LONGEST_NAP);
        call.naps = if required.requests.is_empty() { call.naps.saturating_add(1) } else { 0 };
        let (mut answers, mut thinking) = (Vec::new(), Vec::new());
        for (index, (key, question)) in required.requests.into_iter().enumerate() {
            let place = Place::Round { ticket: call.ask.ticket, index };
            thinking.push(AbortOnDrop(self.questions.ask(place, self.asked.answer(question))));
            answers.push((key, None));
        }
        let resume_at = now.monotonic.saturating_add(nap);
        Round { answers, call, resume_at, state: required.state, _thinking: thinking }
    }

    /// Takes the answer to a question. One that has none ends the call: there is no way to say so to the server.
    pub(super) fn answered(&mut self, ticket: u64, index: usize, end: End, peer: &mut Peer, now: Now) {
        let revision = peer.revision().unwrap_or(Revision::NEWEST);
        // Whoever was stopped has no round any more.
        let (Some(round), End::Answered(answer)) = (self.rounds.get_mut(&ticket), end) else { return };
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
        // The end of time is no moment that anybody could wait for.
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

    /// Makes the request again, if there is time left for it.
    fn resume(&mut self, ticket: u64, peer: &mut Peer, now: Now) {
        let Some(Round { answers, call, state, .. }) = self.rounds.remove(&ticket) else { return };
        let hard = call.until.saturating_sub(now.monotonic);
        let ask = &call.ask;
        if hard.is_zero() {
            let error = too_late(&ask.method, "hard");
            drop(call.ask.answer.send(Err(error)));
        } else if !ask.answer.is_closed() {
            let answers: Vec<(String, String)> =
                answers.into_iter().filter_map(|(key, answer)| Some((key, answer?))).collect();
            let params = retry_params(&without_answers(&ask.params), &answers, state.as_deref());
            let options = RequestOptions { idle: ask.options.idle, hard };
            let key = peer.request(&ask.method, &params, options, now);
            self.wait(key, call);
        }
    }
}

/// A program that has answered questions of an earlier request by itself has put them into `params`.
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
