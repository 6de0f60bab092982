//! Server-sent events: writes them, and reads them from bytes as they arrive, with a limit on their size.
//!
//! In: fields of an event, or bytes split at any position. Out: bytes, or [`Piece`]s. The content of `data`
//! is not interpreted, and reconnecting is not handled here.
//!
//! Source: WHATWG HTML "Server-sent events", "Interpreting an event stream".

use std::collections::VecDeque;

/// The fields of an event to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fields<'f> {
    /// The id with which a client resumes after this event.
    pub id: Option<&'f str>,
    /// The event type; `message` when absent.
    pub event: Option<&'f str>,
    /// Milliseconds that the client should wait before it connects again.
    pub retry: Option<u64>,
    /// The data. Empty data is written too: with an id, it is the first event of a stream of 2025-11-25.
    pub data: Option<&'f str>,
}

/// Writes an event.
///
/// `data` may be any text; each of its line breaks, of any kind, arrives as `\n`. An `id` or `event` with a
/// line break, and an `id` with NUL, cannot be expressed in this format and are left out.
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

/// Writes a comment, which readers ignore: it keeps an idle connection open.
pub fn write_comment(out: &mut Vec<u8>, text: &str) {
    for line in lines(text) {
        field(out, "", line);
    }
    out.push(b'\n');
}

fn field(out: &mut Vec<u8>, name: &str, value: &str) {
    out.extend_from_slice(name.as_bytes());
    out.push(b':');
    // The reader removes one space, so that a value may itself begin with a space.
    if !value.is_empty() {
        out.push(b' ');
        out.extend_from_slice(value.as_bytes());
    }
    out.push(b'\n');
}

/// Returns the lines of a text, at least one; CR, LF and CRLF end a line.
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

/// A received event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The id of this event, if it has one; [`Events::last_id`] is the id to resume with. An id of more than
    /// 8 KiB is read as empty: the stream can't be resumed after it.
    pub id: Option<String>,
    /// The event type; `None` means `message`.
    pub event: Option<String>,
    /// Milliseconds to wait before reconnecting, for this and all later reconnections; `None` leaves the time
    /// as it was.
    pub retry: Option<u64>,
    /// The data, its lines joined by `\n`. `None` if the event has no `data` field: it only sets an id or a
    /// reconnection time.
    pub data: Option<String>,
}

impl Event {
    /// Returns whether the event has data that is not empty.
    ///
    /// Source: 2025-11-25 `basic/transports`: an event with an id and empty `data` only gives the client an
    /// id to reconnect with.
    pub fn has_data(&self) -> bool {
        self.data.as_ref().is_some_and(|data| !data.is_empty())
    }
}

/// A piece of a stream: an event, or the report of an event that was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A complete event.
    Event(Event),
    /// An event over the limit. It is dropped together with its id; the next event is read normally.
    TooLong,
}

/// A reader of an event stream.
#[derive(Debug)]
pub struct Events {
    /// The event being read.
    event: Event,
    /// Number of bytes in the completed lines of the event being read, without comments.
    size: usize,
    /// The line being read. For a line that is dropped, only one byte, which marks the line as not blank.
    line: Vec<u8>,
    /// Largest size of an event in bytes, counting field names but not comments.
    limit: usize,
    /// Whether the most recent byte was CR, so that a following LF is part of the same line break.
    after_cr: bool,
    /// Number of bytes of the byte order mark seen so far; `None` once the mark is complete or other bytes
    /// have arrived.
    mark: Option<usize>,
    /// Whether the stream is inside an event over the limit.
    skipping: bool,
    /// The id of the most recent event that had one; empty before the first.
    last_id: String,
    /// The pieces that were read and not taken yet, in order.
    ready: VecDeque<Piece>,
}

/// Largest size in bytes of a line whose memory is kept for the next line.
const LARGE: usize = 64 << 10;

/// The room in bytes that a large event gets at once. 33 MiB: the allocator of glibc returns blocks above 32 MiB to
/// the system as soon as they are freed, and may keep smaller ones.
const ROOM: usize = 33 << 20;

/// The most bytes of the id of an event; the id is kept beyond its event. 8 KiB: as much as servers accept in a header.
const MAX_ID: usize = 8 << 10;

/// The byte order mark, U+FEFF.
const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

impl Events {
    /// Creates a reader for a new stream whose events have at most `limit` bytes, counting field names but
    /// not comments.
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

    /// Adds received bytes. Then call [`Self::next_piece`] until it returns `None`; pieces not taken are
    /// kept.
    ///
    /// An event that the end of the stream cuts off is never reported.
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

    /// Returns the next complete piece, in the order of the stream; `None` if more bytes are needed.
    pub fn next_piece(&mut self) -> Option<Piece> {
        self.ready.pop_front()
    }

    /// Returns the number of bytes that are kept of the event being read, whose end has not arrived.
    pub fn unfinished(&self) -> usize {
        if self.skipping { 0 } else { self.size + self.line.len() }
    }

    /// Reserves room for the rest of a large event. The room costs nothing before it is used, and growing by
    /// doubling would leave memory behind that the allocator keeps.
    pub fn expect_large(&mut self) {
        self.line.reserve_exact(ROOM.saturating_sub(self.line.len()));
    }

    /// Returns the id to resume with: the id of the most recent event that had an id. Empty if there was none.
    pub fn last_id(&self) -> &str {
        &self.last_id
    }

    /// Skips a byte order mark at the very beginning, which may arrive in parts.
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

    /// Adds `part` to the line being read. Of comments, and of lines in an event over the limit, only one
    /// byte is kept. If the event would exceed the limit with `part`, drops it and reports
    /// [`Piece::TooLong`].
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
            if line.len() > LARGE {
                return self.large_line(line);
            }
            let text = String::from_utf8_lossy(&line);
            let (name, value) = text.split_once(':').unwrap_or((&text, ""));
            self.field(name, value.strip_prefix(' ').unwrap_or(value));
        }
        // Reuses the memory for the next line.
        self.line = line;
        self.line.clear();
    }

    /// Ends a large line. The value of the first field `data` is not copied, and the memory of other large lines
    /// is freed.
    fn large_line(&mut self, mut line: Vec<u8>) {
        let data = line.strip_prefix(b"data:").filter(|_| self.event.data.is_none());
        match data.map(|value| line.len() - value.strip_prefix(b" ").unwrap_or(value).len()) {
            Some(start) => {
                line.drain(..start);
                line.shrink_to_fit();
                let text = String::from_utf8(line);
                self.event.data =
                    Some(text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()));
            }
            None => {
                let text = String::from_utf8_lossy(&line);
                let (name, value) = text.split_once(':').unwrap_or((&text, ""));
                self.field(name, value.strip_prefix(' ').unwrap_or(value));
            }
        }
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
            "id" if value.len() > MAX_ID => self.event.id = Some(String::new()),
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            "retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                // An empty number, or one of more than 64 bits, is ignored.
                self.event.retry = value.parse().ok().or(self.event.retry);
            }
            _ => {}
        }
    }

    /// Ends an event at a blank line. An event that has nothing but a type is not reported.
    fn end_event(&mut self) {
        let mut event = std::mem::take(&mut self.event);
        self.size = 0;
        if std::mem::take(&mut self.skipping) {
            return;
        }
        if let Some(id) = &event.id {
            self.last_id.clone_from(id);
        }
        // An empty type means the default.
        event.event = event.event.filter(|it| !it.is_empty());
        if event.id.is_some() || event.retry.is_some() || event.data.is_some() {
            self.ready.push_back(Piece::Event(event));
        }
    }
}

#[cfg(test)]
mod tests;
