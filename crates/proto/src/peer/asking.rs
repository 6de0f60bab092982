//! Questions to the client of a legacy session, asked while one of its requests is being worked on.
//!
//! In: a request of the client that is still open, and what to ask. Out: a request of ours on the same stream, and
//! later exactly one [`Event::Result`] or [`Event::Failed`]. Modern clients are asked by results instead:
//! [`crate::codec::Encoder::input_required`].

use super::{CallKey, Event, Now, Peer, RequestKey, RequestOptions, Role, Route, TransmitKind};
use crate::envelope::{self, Id};
use crate::error::{Error, ErrorKind};
use crate::json::write;
use crate::model::InputMethod;
use crate::revision::Feature;

impl Peer {
    /// Asks the client something for the sake of its request `call`; `params` is what
    /// [`crate::codec::input_params`] wrote.
    ///
    /// The question ends with an answer, with its deadline, or with `call`: an answered or cancelled request has no
    /// questions left.
    ///
    /// # Errors
    /// If `call` is no longer open, or is modern, where requests of servers do not exist; or after
    /// [`Self::handle_end`].
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

    /// Takes note that the other side will send nothing more: none of our requests will be answered.
    pub fn handle_end(&mut self, now: Now) {
        self.ended = true;
        while let Some(key) = self.outbound.first() {
            self.outbound.close(key);
            self.settle(key, Err(Error::new(ErrorKind::Internal, ENDED)), now);
        }
    }

    /// Withdraws the questions that were asked for the sake of `call`.
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
