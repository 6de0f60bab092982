//! Server-sent events: written, and read from bytes as they arrive, with a limit.
//!
//! In: fields of an event, or bytes cut anywhere. Out: bytes, or [`Piece`]s. What stands in `data` is not looked into, and
//! when to connect again is not decided here.
//!
//! Source: WHATWG HTML "Server-sent events", "Interpreting an event stream".

use std::collections::VecDeque;

/// The fields of an event to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fields<'f> {
    /// What a client names to resume behind this event.
    pub id: Option<&'f str>,
    /// The type; `message` when absent.
    pub event: Option<&'f str>,
    /// Milliseconds to wait before connecting again.
    pub retry: Option<u64>,
    /// The data. Empty data is written too: with an id it is how a stream of 2025-11-25 begins.
    pub data: Option<&'f str>,
}

/// Writes an event.
///
/// `data` may be any text; each of its line breaks, of whatever kind, arrives as `\n`. An `id` or `event` with a line
/// break, and an `id` with NUL, can't be said in this format, and are left out.
pub fn write_event(out: &mut Vec<u8>, fields: Fields<'_>) {
    let one_line = |it: &&str| !it.contains(['\r', '\n']);
    if let Some(id) = fields.id.filter(one_line).filter(|it| !it.contains('\0')) {
        field(out, "id", id);
    }
    if let Some(event) = fields.event.filter(one_line) {
        field(out, "event", event);
    }
    if let Some(retry) = fields.retry {
        field(out, "retry", &retry.to_string());
    }
    for line in fields.data.into_iter().flat_map(lines) {
        field(out, "data", line);
    }
    out.push(b'\n');
}

/// Writes a comment, which readers pass over: it keeps a silent connection open.
pub fn write_comment(out: &mut Vec<u8>, text: &str) {
    for line in lines(text) {
        field(out, "", line);
    }
    out.push(b'\n');
}

fn field(out: &mut Vec<u8>, name: &str, value: &str) {
    out.extend_from_slice(name.as_bytes());
    out.push(b':');
    // One space is taken away by the reader, so that a value may begin with one of its own.
    if !value.is_empty() {
        out.push(b' ');
        out.extend_from_slice(value.as_bytes());
    }
    out.push(b'\n');
}

/// The lines of a text, at least one; CR, LF and CRLF end them.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some((line, after)) = text.split_once(['\r', '\n']) else { return rest.take() };
        let crlf = text[line.len()..].starts_with("\r\n");
        rest = Some(if crlf { &after[1..] } else { after });
        Some(line)
    })
}

/// An event that arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The id that this event brought; [`Events::last_id`] has the one that counts.
    pub id: Option<String>,
    /// The type; `None` means `message`.
    pub event: Option<String>,
    /// Milliseconds to wait before connecting again, from now on.
    pub retry: Option<u64>,
    /// The data, its lines joined by `\n`. `None` where there was no such field: nothing to be handled, just an id or a
    /// time to be remembered.
    pub data: Option<String>,
}

impl Event {
    /// Returns whether there is something to be handled, and not only an id or a time to be remembered.
    ///
    /// Source: 2025-11-25 `basic/transports`: an event of an id and an empty `data` primes the client to reconnect.
    pub fn has_data(&self) -> bool {
        self.data.as_ref().is_some_and(|data| !data.is_empty())
    }
}

/// What a stream has brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// An event.
    Event(Event),
    /// An event over the limit, which is dropped together with its id; the next one is whole again.
    TooLong,
}

/// A stream of events, as it is read.
#[derive(Debug)]
pub struct Events {
    /// The event whose end has not arrived.
    event: Event,
    /// Bytes of the event's lines that have ended.
    size: usize,
    /// The line whose end has not arrived. Of what is dropped only the first byte is here, which says "not blank".
    line: Vec<u8>,
    limit: usize,
    /// The last byte was CR, so that LF would belong to it.
    after_cr: bool,
    /// How much of the byte order mark has been seen; `None` behind the place where it may stand.
    mark: Option<usize>,
    /// Inside an event over the limit.
    skipping: bool,
    last_id: String,
    ready: VecDeque<Piece>,
}

/// U+FEFF.
const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

impl Events {
    /// Makes the reader of a new stream, whose events are at most `limit` bytes, names of fields included and comments
    /// not.
    pub fn new(limit: usize) -> Self {
        Self {
            event: Event::default(),
            size: 0,
            line: Vec::new(),
            limit,
            after_cr: false,
            mark: Some(0),
            skipping: false,
            last_id: String::new(),
            ready: VecDeque::new(),
        }
    }

    /// Takes what a read brought. [`Self::next_piece`] comes next, until it is `None`: what is not taken is kept.
    ///
    /// What the end of a stream cuts off never becomes an event.
    pub fn push(&mut self, bytes: &[u8]) {
        let mut bytes = self.pass_mark(bytes);
        while let Some(&first) = bytes.first() {
            if std::mem::take(&mut self.after_cr) && first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let Some(end) = memchr::memchr2(b'\r', b'\n', bytes) else { return self.hold(bytes) };
            self.hold(&bytes[..end]);
            self.after_cr = bytes[end] == b'\r';
            self.end_line();
            bytes = &bytes[end + 1..];
        }
    }

    /// Returns what has arrived whole, in order.
    pub fn next_piece(&mut self) -> Option<Piece> {
        self.ready.pop_front()
    }

    /// Returns the id of the last event that brought one: what to resume behind. Empty when there was none.
    pub fn last_id(&self) -> &str {
        &self.last_id
    }

    /// A byte order mark may stand at the very beginning, and may be cut.
    fn pass_mark<'b>(&mut self, mut bytes: &'b [u8]) -> &'b [u8] {
        while let (Some(seen), Some((&first, rest))) = (self.mark, bytes.split_first()) {
            if first != MARK[seen] {
                self.mark = None;
                self.hold(&MARK[..seen]);
                break;
            }
            self.mark = (seen + 1 < MARK.len()).then_some(seen + 1);
            bytes = rest;
        }
        bytes
    }

    /// Keeps a part of a line. Comments take no room, however long they are.
    fn hold(&mut self, part: &[u8]) {
        let comment = self.line.first().or(part.first()) == Some(&b':');
        if self.skipping || comment {
            let blank = self.line.is_empty();
            return self.line.extend(part.first().filter(|_| blank));
        }
        if self.size + self.line.len() + part.len() <= self.limit {
            return self.line.extend_from_slice(part);
        }
        self.skipping = true;
        self.event = Event::default();
        self.line = vec![b'x'];
        self.ready.push_back(Piece::TooLong);
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            self.end_event();
        } else if !self.skipping && line[0] != b':' {
            self.size += line.len();
            let text = String::from_utf8_lossy(&line);
            let (name, value) = text.split_once(':').unwrap_or((&text, ""));
            self.field(name, value.strip_prefix(' ').unwrap_or(value));
        }
        // The same memory for the next line.
        self.line = line;
        self.line.clear();
    }

    fn field(&mut self, name: &str, value: &str) {
        match name {
            "data" => match &mut self.event.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                none => *none = Some(value.to_owned()),
            },
            "event" => self.event.event = Some(value.to_owned()),
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            "retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                // Neither nothing nor more than 64 bits is a time.
                self.event.retry = value.parse().ok().or(self.event.retry);
            }
            _ => {}
        }
    }

    /// A blank line ends an event. A type alone is none.
    fn end_event(&mut self) {
        let mut event = std::mem::take(&mut self.event);
        self.size = 0;
        if std::mem::take(&mut self.skipping) {
            return;
        }
        if let Some(id) = &event.id {
            self.last_id.clone_from(id);
        }
        // An empty type is the usual one.
        event.event = event.event.filter(|it| !it.is_empty());
        if event.id.is_some() || event.retry.is_some() || event.data.is_some() {
            self.ready.push_back(Piece::Event(event));
        }
    }
}

#[cfg(test)]
mod tests;
