//! Log messages of a server: the level that the client wants, and the notifications.
//!
//! In: `logging/setLevel`, the level in a request's `_meta`, and log messages of the program. Out:
//! `notifications/message` on the stream of the request that the message belongs to. The program decides what
//! it logs.

use super::inbound::Answer;
use super::{CallKey, Event, Peer, Role, Route, TransmitKind};
use crate::envelope::{self, Id, Params};
use crate::error::{Error, ErrorKind};
use crate::json::write::{self, Object};
use crate::json::{shorten, unquote};
use crate::model::LogLevel;
use crate::revision::{Feature, Revision};

/// The level of a session before the client has set one.
///
/// The specification leaves the choice to the server. Clients can ask for finer levels.
pub(super) const DEFAULT: LogLevel = LogLevel::Info;

/// The path of the level in a request, for error messages.
pub(super) const LOG_LEVEL: &str = "_meta.io.modelcontextprotocol/logLevel";

impl Peer {
    /// Sends a log message that belongs to the request `key`, if the request is still open and its client
    /// wants messages of `level`.
    ///
    /// `data` is a JSON value. Spec: a legacy client sets the level by `logging/setLevel`; a request of
    /// 2026-07-28 names it in its own `_meta`. A server that did not declare `logging` sends nothing.
    pub fn log(&mut self, key: CallKey, level: LogLevel, logger: Option<&str>, data: &str) {
        if self.log_level(key).is_none_or(|least| level < least) {
            return;
        }
        let mut out = self.buffer();
        envelope::begin_notification(&mut out, "notifications/message");
        let mut params = Object::open(&mut out);
        params.string("level", level.as_str());
        params.maybe_string("logger", logger);
        write::raw(params.name("data"), data);
        params.close();
        envelope::end(&mut out);
        self.transmit(TransmitKind::Message, Route::Request(key), out);
    }

    /// Returns the lowest level of messages that the client now wants for the request `key`; `None` if no
    /// messages may be sent for it.
    fn log_level(&self, key: CallKey) -> Option<LogLevel> {
        let Role::Server(session) = &self.role else { return None };
        let open = self.inbound.get(key).filter(|open| !open.is_listen)?;
        if !session.capabilities().has("logging") {
            return None;
        }
        if open.revision.has(Feature::LegacySubscriptions) {
            Some(session.log_level())
        } else {
            open.log_level
        }
    }

    /// Handles `logging/setLevel`: sets the level of the session, reports it as an event, and answers the
    /// request.
    pub(super) fn serve_set_level(
        &mut self,
        frame: &str,
        id: &Id,
        params: Params,
        answer: Answer,
        revision: Revision,
    ) {
        #[derive(serde::Deserialize)]
        struct SetLevel<'p> {
            #[serde(borrow)]
            level: Option<&'p serde_json::value::RawValue>,
        }
        let text = params.all.map_or("{}", |span| span.text(frame));
        let found = serde_json::from_str::<SetLevel<'_>>(text).ok().and_then(|it| it.level);
        match read("level", found.map_or("nothing", |level| level.get())) {
            Ok(level) => {
                let Role::Server(session) = &mut self.role else { return };
                session.set_log_level(level);
                self.events.push_back(Event::LogLevel(level));
                self.answer_at_once(answer, id, revision, |out| out.extend_from_slice(b"{}"));
            }
            Err(error) => self.send_error(answer, Route::Unsolicited, Some(id), &error, Some(revision)),
        }
    }
}

/// Reads a level from the JSON string `json`. `place` is the path of the level in the message, for the error.
pub(super) fn read(place: &str, json: &str) -> Result<LogLevel, Error> {
    unquote(json).and_then(|text| LogLevel::parse(&text)).ok_or_else(|| {
        let levels = LogLevel::ALL.map(LogLevel::as_str).join(", ");
        let text = format!("expected `{place}` to be one of {levels}, but found {}", shorten(json));
        Error::new(ErrorKind::InvalidParams, text)
    })
}
