//! Questions of legacy servers: requests of theirs, each answered by one task.

use plainwire_proto::codec::{input_response, read_input_params};
use plainwire_proto::error::Error as Refusal;
use plainwire_proto::model::{InputMethod, InputRequest};
use plainwire_proto::peer::{CallKey, Peer};
use plainwire_proto::revision::Revision;

use super::desk::Desk;
use super::questions::{End, Place};

impl Desk {
    pub(super) fn handle_request(
        &mut self,
        key: CallKey,
        method: InputMethod,
        params: Option<&str>,
        revision: Revision,
        peer: &mut Peer,
    ) {
        let read = || -> Result<InputRequest, Refusal> {
            let question = read_input_params(method, params.unwrap_or("{}"))?;
            self.asked.check(&question, revision)?;
            Ok(question)
        };
        match read() {
            Ok(question) => {
                let answer = self.asked.answer(question);
                let thinking = self.questions.ask(Place::Request { key, revision }, answer);
                self.requests.insert(key, thinking);
            }
            Err(error) => peer.respond_error(key, &error),
        }
    }
}

/// Answers, unless the server has taken the question back: then the peer writes nothing.
pub(super) fn respond(key: CallKey, revision: Revision, end: End, peer: &mut Peer) {
    match end {
        End::Answered(Ok(answer)) => peer.respond(key, |out| input_response(out, &answer, revision)),
        End::Answered(Err(error)) => peer.respond_error(key, &error),
        End::Stopped => peer.finished(key),
    }
}
