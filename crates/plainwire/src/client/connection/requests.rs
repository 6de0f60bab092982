//! Questions of legacy servers: requests of theirs, each answered by one task. Only [`MAX_QUESTIONS`] handlers think at a
//! time; roots need none.

use plainwire_proto::codec::{input_response, read_input_params};
use plainwire_proto::error::{Error as Refusal, ErrorKind};
use plainwire_proto::model::{InputMethod, InputRequest};
use plainwire_proto::peer::{CallKey, Peer};
use plainwire_proto::revision::Revision;

use super::questions::{End, MAX_QUESTIONS, Place};
use super::state::Desk;

impl Desk {
    pub(super) fn handle_request(
        &mut self,
        key: CallKey,
        method: InputMethod,
        params: Option<&str>,
        revision: Revision,
        peer: &mut Peer,
    ) {
        let question = self.read(method, params.unwrap_or("{}"), revision);
        match question {
            Ok(question) => {
                let is_thought_about = method != InputMethod::ListRoots;
                self.pages.asked(key, &question);
                let answer = self.asked.answer(question);
                let thinking = self.questions.ask(Place::Request { key, revision }, answer);
                if is_thought_about {
                    self.requests.insert(key, thinking);
                }
            }
            Err(error) => peer.respond_error(key, &error),
        }
    }

    /// Nothing is asked that may not be, or while too much is.
    fn read(&self, method: InputMethod, params: &str, revision: Revision) -> Result<InputRequest, Refusal> {
        let question = read_input_params(method, params)?;
        self.asked.check(&question, revision)?;
        if method != InputMethod::ListRoots && self.requests.len() >= MAX_QUESTIONS {
            let text = format!(
                "expected at most {MAX_QUESTIONS} questions at a time (limit `MAX_QUESTIONS`), but found one more"
            );
            return Err(Refusal::new(ErrorKind::Overloaded, text));
        }
        Ok(question)
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
