//! Log messages of a server: from which level on the client wants them, and writing them.
//!
//! In: `logging/setLevel`, the level in a request's `_meta`, and messages. Out: `notifications/message` on the stream
//! of the request that they belong to. What is logged, and how much of it, is the program's business.

use super::inbound::Answer;
use super::{CallKey, Event, Peer, Role, Route, TransmitKind};
use crate::envelope::{self, Id, Params};
use crate::error::{Error, ErrorKind};
use crate::json::write::{self, Object};
use crate::json::{shorten, unquote};
use crate::model::LogLevel;
use crate::revision::{Feature, Revision};

/// From which level on a session hears messages before it has said anything about it.
///
/// Source: none; the revisions leave it to the server. What is finer is for those who ask.
pub(super) const DEFAULT: LogLevel = LogLevel::Info;

/// The key of the level in a request's `_meta`.
pub(super) const LOG_LEVEL: &str = "_meta.io.modelcontextprotocol/logLevel";

impl Peer {
    /// Sends a log message of the request `key`, if it is still open and its sender wants messages of this level.
    ///
    /// `data` is a JSON value. Spec: a session says what it wants by `logging/setLevel`, a request of 2026-07-28 by
    /// its own `_meta`; a server that did not declare `logging` sends nothing.
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

    /// Returns the level from which messages of the request `key` are wanted now; `None` if none are.
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

    /// Answers `logging/setLevel`.
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

/// Reads a level, a JSON string that stands at `place`.
pub(super) fn read(place: &str, json: &str) -> Result<LogLevel, Error> {
    unquote(json).and_then(|text| LogLevel::parse(&text)).ok_or_else(|| {
        let levels = LogLevel::ALL.map(LogLevel::as_str).join(", ");
        let text = format!("expected `{place}` to be one of {levels}, but found {}", shorten(json));
        Error::new(ErrorKind::InvalidParams, text)
    })
}
