//! The JSON-RPC envelope: parses a message in one pass, and writes the JSON around its content.
//!
//! In: one frame (the bytes of a message or batch). Out: a [`Message`] with [`Span`]s (byte ranges) of the
//! frame, or a [`Malformed`] with the error and, if it could be read, the id. Parsing copies only the id.
//! This module does not interpret `method`.

use crate::error::{Error, ErrorKind};
use crate::json::scan::{DEPTH, Kind, Scanner, Syntax};
use crate::json::{Span, shorten, unquote};

mod id;
mod write;

pub use id::{Id, MAX_ID};
pub use write::{begin_notification, begin_request, begin_result, end, error};

/// One JSON-RPC message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A request, which needs an answer.
    Request {
        /// The id that the sender chose.
        id: Id,
        /// The method, a JSON string.
        method: Span,
        /// The parameters.
        params: Params,
    },
    /// A notification, which is never answered.
    Notification {
        /// The method, a JSON string.
        method: Span,
        /// The parameters.
        params: Params,
    },
    /// A successful answer.
    Result {
        /// The id of the request that this message answers.
        id: Id,
        /// The JSON value of `result`.
        result: Span,
    },
    /// A failed answer.
    Error {
        /// The id of the failed request; `None` if the sender of the error could not read it.
        id: Option<Id>,
        /// The JSON value of `error`.
        error: Span,
    },
}

/// The members of `params` that are read in the same pass as the message itself. A member that is absent is
/// `None`. A span may hold a JSON value of any type; the code that uses it checks the type.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Params {
    /// The whole value of `params`.
    pub all: Option<Span>,
    /// `params.arguments`.
    pub arguments: Option<Span>,
    /// `params.cursor`.
    pub cursor: Option<Span>,
    /// `params.id`, which only `$/cancelRequest` has, a method of the Language Server Protocol.
    pub id: Option<Span>,
    /// `params.inputResponses`.
    pub input_responses: Option<Span>,
    /// `params._meta`.
    pub meta: Meta,
    /// `params.name`.
    pub name: Option<Span>,
    /// `params.requestId`.
    pub request_id: Option<Span>,
    /// `params.requestState`.
    pub request_state: Option<Span>,
    /// `params.uri`.
    pub uri: Option<Span>,
}

/// The members of `params._meta` that are read together with `params`. A member that is absent is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Meta {
    /// The whole value of `_meta`.
    pub all: Option<Span>,
    /// `io.modelcontextprotocol/clientCapabilities`.
    pub client_capabilities: Option<Span>,
    /// `io.modelcontextprotocol/clientInfo`.
    pub client_info: Option<Span>,
    /// `io.modelcontextprotocol/logLevel`.
    pub log_level: Option<Span>,
    /// `progressToken`.
    pub progress_token: Option<Span>,
    /// `io.modelcontextprotocol/protocolVersion`.
    pub protocol_version: Option<Span>,
    /// `io.modelcontextprotocol/subscriptionId`, which only notifications have.
    pub subscription_id: Option<Span>,
}

/// The report of a text that is not a valid message.
#[derive(Clone, Debug, PartialEq)]
pub struct Malformed {
    /// The error to send back, or to log if the sender waits for no answer.
    pub error: Error,
    /// The id in the text; `None` if there is none or it could not be read with certainty.
    pub id: Option<Id>,
    /// Whether the sender may wait for an answer: false if the text is known to be an answer or notification.
    pub answer: bool,
    /// Whether the text was meant as an answer: it has a `result` or an `error`, and no method.
    pub is_answer: bool,
}

/// Parses the message whose text is the span `place` of `frame`.
///
/// # Errors
/// [`Malformed`] for text that is not JSON, has more than `max_depth` levels, or is not a JSON-RPC message.
pub fn parse(frame: &str, place: Span, max_depth: usize) -> Result<Message, Malformed> {
    let mut draft = Draft::default();
    match draft.read(frame, place, max_depth) {
        Ok(()) => draft.finish(frame),
        Err(syntax) => Err(draft.broken(frame, place, syntax)),
    }
}

/// Returns the report of a message that is refused with `error` before all of it was read. Its id, and
/// whether it is an answer, are taken from its beginning, `start`.
pub fn cut_off(start: &str, max_depth: usize, error: Error) -> Malformed {
    let mut draft = Draft::default();
    let end =
        draft.read(start, Span::whole(start), max_depth).map_or_else(|syntax| syntax.at, |()| start.len());
    let is_answer = draft.is_answer();
    Malformed { error, id: draft.certain_id(start, end), answer: !is_answer, is_answer }
}

/// Returns whether a frame holds a batch: its first character that is not white space is `[`.
pub fn is_batch(frame: &str) -> bool {
    frame.trim_start().starts_with('[')
}

/// Returns the spans of the messages in a batch. They do not overlap; [`parse`] still has to check each of
/// them.
///
/// # Errors
/// [`Malformed`] for text that is not JSON, for an empty batch, and for a batch of more than `max_depth`
/// levels or `max_messages` messages.
pub fn split_batch(frame: &str, max_depth: usize, max_messages: usize) -> Result<Vec<Span>, Malformed> {
    let whole = Span::new(0, frame.len());
    let mut scanner = Scanner::new(frame, max_depth);
    let mut messages = Vec::new();
    let mut scan = || -> Result<(), Syntax> {
        scanner.open_array()?;
        while messages.len() <= max_messages && scanner.element(messages.is_empty())? {
            messages.push(scanner.value()?);
        }
        if messages.len() > max_messages { Ok(()) } else { scanner.end() }
    };
    scan().map_err(|syntax| Draft::default().broken(frame, whole, syntax))?;
    let refuse = |text| {
        let error = Error::new(ErrorKind::InvalidRequest, text);
        Err(Malformed { error, id: None, answer: true, is_answer: false })
    };
    match messages.len() {
        0 => refuse("expected a batch to hold a message, but found `[]`".to_owned()),
        n if n > max_messages => {
            refuse(format!("expected a batch to hold at most {max_messages} messages (limit `batch`)"))
        }
        _ => Ok(messages),
    }
}

/// The members of a message that were found so far. They may come in any order, so they are interpreted only
/// when all of them have been read.
#[derive(Default)]
struct Draft {
    error: Option<Span>,
    id: Option<Span>,
    jsonrpc: Option<Span>,
    method: Option<Span>,
    /// The type of the message, if it is not an object.
    not_an_object: Option<Kind>,
    /// Whether the message has a `result` or an `error`, even if its value is incomplete.
    outcome: bool,
    params: Params,
    /// The type of `params`; `None` if there are none.
    params_kind: Option<Kind>,
    /// The path of a member that appears twice, such as `params.cursor`; `None` if there is none.
    repeated: Option<&'static str>,
    result: Option<Span>,
    /// Whether there are two members `id` with different values.
    two_ids: bool,
}

impl Draft {
    fn read(&mut self, frame: &str, place: Span, max_depth: usize) -> Result<(), Syntax> {
        let mut scanner = Scanner::new(frame, max_depth).at(place);
        let kind = scanner.peek()?;
        if kind != Kind::Object {
            self.not_an_object = Some(kind);
            scanner.value()?;
            return scanner.end();
        }
        scanner.open_object()?;
        let mut first = true;
        while let Some(name) = scanner.member(first)? {
            first = false;
            let name = unquote(name.text(frame)).unwrap_or_default();
            self.outcome |= matches!(&*name, "error" | "result");
            let (slot, known) = match &*name {
                "error" => (&mut self.error, "error"),
                "id" => (&mut self.id, "id"),
                "jsonrpc" => (&mut self.jsonrpc, "jsonrpc"),
                "method" => (&mut self.method, "method"),
                "params" => {
                    if self.params_kind.is_some() {
                        self.repeated = Some("params");
                    }
                    self.params_kind = Some(scanner.peek()?);
                    self.params = read_params(&mut scanner, frame, &mut self.repeated)?;
                    continue;
                }
                "result" => (&mut self.result, "result"),
                _ => {
                    scanner.value()?;
                    continue;
                }
            };
            // Repeated members are an error: if one program used the first value and another program the
            // second, the two would read different messages.
            let value = scanner.value()?;
            if let Some(before) = slot.replace(value) {
                self.two_ids |= known == "id" && before.text(frame) != value.text(frame);
                self.repeated = Some(known);
            }
        }
        scanner.end()
    }

    fn finish(self, frame: &str) -> Result<Message, Malformed> {
        let id = self.only_id().and_then(|span| Id::parse(span.text(frame)));
        // The sender waits for an answer, unless the message is itself an answer, or is a notification (a
        // message with a method and without an id).
        let is_answer = self.is_answer();
        let answer = !is_answer && (self.id.is_some() || self.method.is_none());
        let refuse =
            |kind, text| Err(Malformed { error: Error::new(kind, text), id: id.clone(), answer, is_answer });
        let invalid = |text| refuse(ErrorKind::InvalidRequest, text);

        if let Some(kind) = self.not_an_object {
            return invalid(format!("expected a message to be an object, but found {}", kind.name()));
        }
        if let Some(name) = self.repeated {
            return invalid(format!("expected `{name}` once, but found it twice"));
        }
        match self.jsonrpc.map(|span| (span.string(frame), span)) {
            Some((Some(version), _)) if version == "2.0" => {}
            None => return invalid("expected `jsonrpc` to be \"2.0\", but found nothing".to_owned()),
            Some((_, span)) => {
                let found = shorten(span.text(frame));
                return invalid(format!("expected `jsonrpc` to be \"2.0\", but found {found}"));
            }
        }
        if let (Some(span), None) = (self.id, &id) {
            let found = span.text(frame);
            let unread_error = self.error.is_some() && found == "null";
            if found.len() > MAX_ID {
                let found = found.len();
                return invalid(format!("expected `id` to have at most {MAX_ID} bytes, but found {found}"));
            }
            if !unread_error {
                let found = shorten(found);
                return invalid(format!("expected `id` to be a string or a whole number, but found {found}"));
            }
        }
        let Some(method) = self.method else {
            return match (self.result, self.error, &id) {
                (Some(result), None, Some(id)) => Ok(Message::Result { id: id.clone(), result }),
                (None, Some(error), _) => Ok(Message::Error { id, error }),
                (Some(_), Some(_), _) => invalid("expected `result` or `error`, but found both".to_owned()),
                (Some(_), None, None) => {
                    invalid("expected `id` beside `result`, but found nothing".to_owned())
                }
                (None, None, _) => invalid("expected `method`, but found nothing".to_owned()),
            };
        };
        if method.string(frame).is_none() {
            let found = shorten(method.text(frame));
            return invalid(format!("expected `method` to be a string, but found {found}"));
        }
        match self.params_kind {
            None | Some(Kind::Object) => {}
            Some(kind) => {
                let text = format!("expected `params` to be an object, but found {}", kind.name());
                return refuse(ErrorKind::InvalidParams, text);
            }
        }
        Ok(match id {
            Some(id) => Message::Request { id, method, params: self.params },
            None => Message::Notification { method, params: self.params },
        })
    }

    /// Returns the report of a syntax fault, with the id of the message if the id comes before the fault. In
    /// a message that is nested too deeply, the id may also come after the fault.
    #[cold]
    fn broken(&self, frame: &str, place: Span, syntax: Syntax) -> Malformed {
        let is_answer = self.is_answer();
        if syntax.expected == DEPTH {
            let text = format!("expected {DEPTH}, but found more at byte {}", syntax.at);
            let error = Error::new(ErrorKind::InvalidRequest, text);
            // A complete message with a method and without an id is a notification, which gets no answer.
            let (id, notification) = match id_of_deep(place.text(frame)) {
                Some(DeepId::Absent) => (None, self.method.is_some()),
                Some(DeepId::Certain(id)) => (Some(id), false),
                Some(DeepId::Uncertain) => (None, false),
                None => (self.only_id().and_then(|span| Id::parse(span.text(frame))), false),
            };
            return Malformed { error, id, answer: !is_answer && !notification, is_answer };
        }
        let found = match frame.get(syntax.at..).and_then(|rest| rest.chars().next()) {
            Some(c) => format!("{c:?}"),
            None => "the end of the message".to_owned(),
        };
        let text = format!("expected {} at byte {}, but found {found}", syntax.expected, syntax.at);
        let id = self.certain_id(frame, syntax.at);
        Malformed { error: Error::new(ErrorKind::Parse, text), id, answer: !is_answer, is_answer }
    }

    /// Returns whether the message is an answer. A message with a method is a request or a notification,
    /// whatever else it has.
    fn is_answer(&self) -> bool {
        self.outcome && self.method.is_none()
    }

    /// Returns the span of the id; `None` if there is no id, or if there are two that differ.
    fn only_id(&self) -> Option<Span> {
        self.id.filter(|_| !self.two_ids)
    }

    /// Returns the id; `None` if [`Self::only_id`] returns none, if the id is invalid, or if it is a number
    /// that may continue after `end`, where reading stopped.
    fn certain_id(&self, frame: &str, end: usize) -> Option<Id> {
        let span = self.only_id()?;
        let text = span.text(frame);
        if text.ends_with('"') || span.range().end < end { Id::parse(text) } else { None }
    }
}

/// Reads `params`. If a member that [`Params`] has a field for appears twice, sets `repeated` to the path of
/// this member.
fn read_params(
    scanner: &mut Scanner<'_>,
    frame: &str,
    repeated: &mut Option<&'static str>,
) -> Result<Params, Syntax> {
    let mut params = Params::default();
    let start = scanner.position();
    if scanner.peek()? != Kind::Object {
        params.all = Some(scanner.value()?);
        return Ok(params);
    }
    scanner.open_object()?;
    let mut first = true;
    while let Some(name) = scanner.member(first)? {
        first = false;
        let (slot, known) = match &*unquote(name.text(frame)).unwrap_or_default() {
            "_meta" => {
                if params.meta.all.is_some() {
                    *repeated = Some("params._meta");
                }
                params.meta = read_meta(scanner, frame, repeated)?;
                continue;
            }
            "arguments" => (&mut params.arguments, "params.arguments"),
            "cursor" => (&mut params.cursor, "params.cursor"),
            "id" => (&mut params.id, "params.id"),
            "inputResponses" => (&mut params.input_responses, "params.inputResponses"),
            "name" => (&mut params.name, "params.name"),
            "requestId" => (&mut params.request_id, "params.requestId"),
            "requestState" => (&mut params.request_state, "params.requestState"),
            "uri" => (&mut params.uri, "params.uri"),
            _ => {
                scanner.value()?;
                continue;
            }
        };
        if slot.replace(scanner.value()?).is_some() {
            *repeated = Some(known);
        }
    }
    params.all = Some(scanner.since(start));
    Ok(params)
}

/// Reads `params._meta`. If a member that [`Meta`] has a field for appears twice, sets `repeated` to the path
/// of this member.
fn read_meta(
    scanner: &mut Scanner<'_>,
    frame: &str,
    repeated: &mut Option<&'static str>,
) -> Result<Meta, Syntax> {
    let mut meta = Meta::default();
    let start = scanner.position();
    if scanner.peek()? != Kind::Object {
        meta.all = Some(scanner.value()?);
        return Ok(meta);
    }
    scanner.open_object()?;
    let mut first = true;
    while let Some(name) = scanner.member(first)? {
        first = false;
        let value = scanner.value()?;
        let (slot, known) = match &*unquote(name.text(frame)).unwrap_or_default() {
            "io.modelcontextprotocol/clientCapabilities" => {
                (&mut meta.client_capabilities, "params._meta.io.modelcontextprotocol/clientCapabilities")
            }
            "io.modelcontextprotocol/clientInfo" => {
                (&mut meta.client_info, "params._meta.io.modelcontextprotocol/clientInfo")
            }
            "io.modelcontextprotocol/logLevel" => {
                (&mut meta.log_level, "params._meta.io.modelcontextprotocol/logLevel")
            }
            "io.modelcontextprotocol/protocolVersion" => {
                (&mut meta.protocol_version, "params._meta.io.modelcontextprotocol/protocolVersion")
            }
            "io.modelcontextprotocol/subscriptionId" => {
                (&mut meta.subscription_id, "params._meta.io.modelcontextprotocol/subscriptionId")
            }
            "progressToken" => (&mut meta.progress_token, "params._meta.progressToken"),
            _ => continue,
        };
        if slot.replace(value).is_some() {
            *repeated = Some(known);
        }
    }
    meta.all = Some(scanner.since(start));
    Ok(meta)
}

/// The id of a message that is nested too deeply to parse.
enum DeepId {
    Absent,
    Certain(Id),
    /// The id is not a valid id, or there are two that differ.
    Uncertain,
}

/// Finds the id of a message that is nested too deeply to parse, by counting brackets without checking the
/// JSON. Returns `None` unless the brackets balance at the end of the text.
fn id_of_deep(text: &str) -> Option<DeepId> {
    let text = text.trim();
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, 0usize);
    let (mut found, mut differ) = (None, false);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b'"' => {
                let start = at;
                at += 1;
                while *bytes.get(at)? != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                if depth == 1
                    && let Some(rest) = text[at + 1..].trim_start().strip_prefix(':')
                    && unquote(&text[start..=at]).as_deref() == Some("id")
                {
                    let rest = rest.trim_start();
                    let id = Scanner::new(rest, 1).value().map_or("", |span| span.text(rest));
                    differ |= found.replace(id).is_some_and(|before| before != id);
                }
            }
            _ => {}
        }
        at += 1;
    }
    let id = match found {
        None => DeepId::Absent,
        Some(id) if !differ => Id::parse(id).map_or(DeepId::Uncertain, DeepId::Certain),
        Some(_) => DeepId::Uncertain,
    };
    (depth == 0).then_some(id)
}

#[cfg(test)]
mod tests;
