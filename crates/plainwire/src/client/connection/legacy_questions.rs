//! Questions of legacy servers (elicitation, sampling and roots requests), which arrive as requests. A task
//! of its own answers each. At most [`MAX_QUESTIONS`] handlers run at a time; `roots/list` needs no handler.

use plainwire_proto::codec::{input_response, read_input_params};
use plainwire_proto::error::{Error as Refusal, ErrorKind};
use plainwire_proto::model::{InputMethod, InputRequest};
use plainwire_proto::peer::{CallKey, Peer};
use plainwire_proto::revision::Revision;

use super::questions::{Held, MAX_QUESTIONS, QuestionOutcome, QuestionSource, bytes_of_parts};
use super::state::ConnectionState;

impl ConnectionState {
    /// Handles a question of a legacy server: starts the task that answers it, or answers it with an error.
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
            Ok((question, held)) => {
                self.pages.asked(key, &question);
                let answer = self.asked.answer(question);
                let handler = self.questions.ask(QuestionSource::Request { key, revision }, answer);
                if let Some(held) = held {
                    self.requests.insert(key, (handler, held));
                }
            }
            Err(error) => peer.respond_error(key, &error),
        }
    }

    /// Reads a question. Checks that the client declared this kind of question, that not too many handlers
    /// run, and that there is room for the question.
    fn read(
        &self,
        method: InputMethod,
        params: &str,
        revision: Revision,
    ) -> Result<(InputRequest, Option<Held>), Refusal> {
        // Of `roots/list`, nothing is kept.
        let has_handler = method != InputMethod::ListRoots;
        let mut held = has_handler.then(|| self.questions.hold(params.len())).transpose()?;
        let question = read_input_params(method, params)?;
        if let Some(held) = &mut held {
            held.merge(self.questions.hold(bytes_of_parts(&question))?);
        }
        self.asked.check(&question, revision)?;
        if has_handler && self.requests.len() >= MAX_QUESTIONS {
            let text = format!(
                "expected at most {MAX_QUESTIONS} questions at a time (limit `MAX_QUESTIONS`), but found one more"
            );
            return Err(Refusal::new(ErrorKind::Overloaded, text));
        }
        Ok((question, held))
    }
}

/// Sends the outcome of a handler to the server. If the server has cancelled the question, the peer sends
/// nothing.
pub(super) fn respond(key: CallKey, revision: Revision, outcome: QuestionOutcome, peer: &mut Peer) {
    match outcome {
        QuestionOutcome::Answered(Ok(answer)) => {
            peer.respond(key, |out| input_response(out, &answer, revision))
        }
        QuestionOutcome::Answered(Err(error)) => peer.respond_error(key, &error),
        QuestionOutcome::Stopped => peer.finished(key),
    }
}
