//! Questions to the client of a legacy session: elicitation, sampling and roots requests that the server
//! makes while it works on a request of the client.
//!
//! In: an open request of the client, and a question. Out: a request to the client on the stream of the
//! client's own request, and later exactly one [`Event::Result`] or [`Event::Failed`], unless the program
//! ends the question by [`Peer::cancel`]. Questions to modern clients are results instead:
//! [`crate::codec::Encoder::input_required`].

use super::{CallKey, Event, Now, Peer, RequestKey, RequestOptions, Role, Route, TransmitKind};
use crate::envelope::{self, Id};
use crate::error::{Error, ErrorKind};
use crate::json::write;
use crate::model::InputMethod;
use crate::revision::Feature;

impl Peer {
    /// Asks the client a question (an elicitation, sampling or roots request) on behalf of the client's own
    /// request `call`; `params` is the output of [`crate::codec::input_params`].
    ///
    /// The question ends with its answer, at its deadline, or together with `call`: once `call` is answered
    /// or cancelled, its questions are withdrawn and fail.
    ///
    /// # Errors
    /// If `call` is no longer open; if it is a modern request, since modern servers make no requests; or
    /// after [`Self::handle_end`].
    pub fn ask(
        &mut self,
        call: CallKey,
        method: InputMethod,
        params: &str,
        options: RequestOptions,
        now: Now,
    ) -> Result<RequestKey, Error> {
        match self.inbound.revision(call) {
            Some(revision) if !revision.has(Feature::InputRequired) => {}
            found => {
                let found = found.map_or("one that is over", |_| "one without requests of servers");
                let text = format!("expected to ask for the sake of an open request, but found {found}");
                return Err(Error::new(ErrorKind::Internal, text));
            }
        }
        if self.ended {
            return Err(Error::new(ErrorKind::Internal, ENDED));
        }
        let key = self.outbound.open(method.as_str(), Some(call), options, now);
        let mut out = self.buffer();
        envelope::begin_request(&mut out, &Id::Integer(key.0.into()), method.as_str());
        write::raw(&mut out, params);
        envelope::end(&mut out);
        self.transmit(TransmitKind::Message, Route::Request(call), out);
        Ok(key)
    }

    /// Records that the other side will send nothing more. All unanswered requests of this peer fail.
    pub fn handle_end(&mut self, now: Now) {
        self.ended = true;
        while let Some(key) = self.outbound.first() {
            self.outbound.close(key);
            self.settle(key, Err(Error::new(ErrorKind::Internal, ENDED)), now);
        }
    }

    /// Cancels the questions that this server asked on behalf of the client's request `call`, and reports
    /// each as [`Event::Failed`]. Does nothing on a client, which asks no questions.
    pub(super) fn withdraw(&mut self, call: CallKey) {
        if matches!(self.role, Role::Client(_)) {
            return;
        }
        for key in self.outbound.asked_for(call) {
            let text = "the request it was asked for is over";
            self.cancel(key, text);
            let error = Error::new(ErrorKind::Internal, format!("expected an answer, but {text}"));
            self.events.push_back(Event::Failed { request: key, error });
        }
    }
}

const ENDED: &str = "expected an answer, but the connection has ended";
