//! Fuzz target for server-sent events: a stream gives the same events however it is cut, the data of an event
//! stay within the limit, and written events are read back.

use plainwire::proto::sse::{Event, Events, Fields, Piece, write_event};

use super::bytes::Bytes;

/// Reads a stream whole and in parts, and writes each of its events again.
pub fn sse(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let limit = 1 + usize::from(bytes.byte()) * 4;
    let step = 1 + usize::from(bytes.byte());
    let stream = bytes.rest();
    let whole = read(limit, [stream]);
    assert_eq!(read(limit, stream.chunks(step)), whole, "cut into parts of {step}");

    let mut last_id = String::new();
    for piece in &whole.0 {
        let Piece::Event(event) = piece else { continue };
        // A byte of invalid UTF-8 becomes three bytes.
        let data = event.data.as_deref().unwrap_or_default();
        assert!(data.len() <= limit * 3, "{} bytes within {limit}", data.len());
        last_id = event.id.clone().unwrap_or(last_id);
        again(event);
    }
    assert_eq!(whole.1, last_id);
    if let Ok(text) = std::str::from_utf8(stream) {
        let expected = text.replace("\r\n", "\n").replace('\r', "\n");
        again_as(
            Fields { data: Some(text), ..Fields::default() },
            &Event { data: Some(expected), ..Event::default() },
        );
    }
}

fn read<'s>(limit: usize, parts: impl IntoIterator<Item = &'s [u8]>) -> (Vec<Piece>, String) {
    let mut events = Events::new(limit);
    let mut pieces = Vec::new();
    for part in parts {
        events.push(part);
        pieces.extend(std::iter::from_fn(|| events.next_piece()));
    }
    (pieces, events.last_id().to_owned())
}

fn again(event: &Event) {
    let Event { id, event: kind, retry, data } = event;
    let fields = Fields { id: id.as_deref(), event: kind.as_deref(), retry: *retry, data: data.as_deref() };
    again_as(fields, event);
}

fn again_as(fields: Fields<'_>, expected: &Event) {
    let mut out = Vec::new();
    write_event(&mut out, fields);
    assert_eq!(read(usize::MAX, [out.as_slice()]).0, [Piece::Event(expected.clone())]);
}
