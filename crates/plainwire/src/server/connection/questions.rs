//! Open questions to the client of a session (elicitation, sampling and roots requests), and the calls that
//! wait for the answers.
//!
//! In: questions of running calls, answers from the peer. Out: requests through the peer, and exactly one
//! answer or error for each question. The peer ends questions whose call ends.

use std::collections::HashMap;

use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::RawJson;
use plainwire_proto::peer::{Now, Peer, RequestKey, RequestOptions};
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::server::context::Question;

/// The channel by which the call that asked a question gets its answer.
pub(crate) type AnswerSender = oneshot::Sender<Result<RawJson, Error>>;

/// The open questions of one connection.
#[derive(Default)]
pub(crate) struct Questions {
    /// The ticket (the number by which the call can withdraw the question) and the channel of each open
    /// question, by the request that asks it.
    senders: HashMap<RequestKey, (u64, AnswerSender)>,
    /// The request of each open question, by the question's ticket: the number by which its call can withdraw
    /// the question.
    tickets: HashMap<u64, RequestKey>,
}

impl Questions {
    /// Sends a question of a call to the client. If the question can't be sent, `sender` gets the error at
    /// once.
    pub(crate) fn ask(
        &mut self,
        peer: &mut Peer,
        question: &Question,
        (ticket, sender): (u64, AnswerSender),
        options: RequestOptions,
        now: Now,
    ) {
        match peer.ask(question.call, question.method, &question.params, options, now) {
            Ok(request) => {
                self.senders.insert(request, (ticket, sender));
                self.tickets.insert(ticket, request);
            }
            Err(error) => drop(sender.send(Err(error))),
        }
    }

    /// Cancels the question with this ticket (the number that its call got for it), whose answer is no longer
    /// wanted. Does nothing if the question was answered.
    pub(crate) fn withdraw(&mut self, peer: &mut Peer, ticket: u64) {
        if let Some(request) = self.tickets.remove(&ticket) {
            self.senders.remove(&request);
            peer.cancel(request, "the handler no longer waits for the answer");
        }
    }

    /// Passes an answer to the call that asked: the JSON of `result`, or an error. Does nothing if the
    /// question was withdrawn.
    pub(crate) fn settle(&mut self, request: RequestKey, answer: Result<&str, Error>) {
        let Some((ticket, sender)) = self.senders.remove(&request) else { return };
        self.tickets.remove(&ticket);
        let answer = answer.and_then(|text| {
            let invalid = |error: serde_json::Error| Error::new(ErrorKind::InvalidRequest, error.to_string());
            RawValue::from_string(text.to_owned()).map_err(invalid)
        });
        drop(sender.send(answer));
    }
}
