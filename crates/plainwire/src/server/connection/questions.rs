//! Questions to the client of a session, and who waits for the answers.
//!
//! In: questions of running calls, answers from the peer. Out: requests by way of the peer, and to each who asks one
//! answer or one error. A question ends with its call; the peer sees to that.

use std::collections::HashMap;

use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::RawJson;
use plainwire_proto::peer::{Now, Peer, RequestKey, RequestOptions};
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::server::context::Question;

/// Who waits for an answer.
pub(crate) type Asker = oneshot::Sender<Result<RawJson, Error>>;

#[derive(Default)]
pub(crate) struct Questions {
    askers: HashMap<RequestKey, (u64, Asker)>,
    /// The numbers that askers know their questions by.
    tickets: HashMap<u64, RequestKey>,
}

impl Questions {
    /// Asks the client.
    pub(crate) fn ask(
        &mut self,
        peer: &mut Peer,
        question: &Question,
        (ticket, asker): (u64, Asker),
        options: RequestOptions,
        now: Now,
    ) {
        match peer.ask(question.call, question.method, &question.params, options, now) {
            Ok(request) => {
                self.askers.insert(request, (ticket, asker));
                self.tickets.insert(ticket, request);
            }
            Err(error) => drop(asker.send(Err(error))),
        }
    }

    /// Nobody waits for the answer any more.
    pub(crate) fn withdraw(&mut self, peer: &mut Peer, ticket: u64) {
        if let Some(request) = self.tickets.remove(&ticket) {
            self.askers.remove(&request);
            peer.cancel(request, "nobody waits for the answer any more");
        }
    }

    /// Hands on an answer: the JSON of `result`, or an error.
    pub(crate) fn settle(&mut self, request: RequestKey, answer: Result<&str, Error>) {
        let Some((ticket, asker)) = self.askers.remove(&request) else { return };
        self.tickets.remove(&ticket);
        let answer = answer.and_then(|text| {
            let invalid = |error: serde_json::Error| Error::new(ErrorKind::InvalidRequest, error.to_string());
            RawValue::from_string(text.to_owned()).map_err(invalid)
        });
        drop(asker.send(answer));
    }
}
