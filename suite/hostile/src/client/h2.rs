//! The few frames of HTTP/2 that a hostile client sends, written by hand so that they may be wrong.

/// Returns the preface and SETTINGS with this initial window.
pub(crate) fn open(window: u32) -> Vec<u8> {
    let mut out = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    let mut settings = vec![0, 4];
    settings.extend(window.to_be_bytes());
    out.extend(frame(4, 0, 0, &settings));
    out
}

/// `accept-encoding: gzip, deflate`, from the static table.
pub(crate) const GZIP: &[u8] = &[0x90];

/// Removes the frames that are whole from the front of `read`. Returns the number of streams that ended with
/// them.
pub(crate) fn ended(read: &mut Vec<u8>) -> usize {
    let (mut at, mut streams) = (0, 0);
    while let Some([a, b, c, kind, flags, ..]) = read.get(at..at + 9) {
        let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
        if read.len() < at + 9 + length {
            break;
        }
        // DATA and HEADERS with END_STREAM, or RST_STREAM. PROTOCOL_ERROR would be a mistake of ours.
        streams += usize::from(match kind {
            0 | 1 => flags & 1 == 1,
            3 => read.get(at + 9..at + 13) != Some(&[0, 0, 0, 1]),
            _ => false,
        });
        at += 9 + length;
    }
    read.drain(..at);
    streams
}

/// Returns a frame of this type.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX).to_be_bytes();
    let mut out = length[1..].to_vec();
    out.extend([kind, flags]);
    out.extend(stream.to_be_bytes());
    out.extend(payload);
    out
}

/// Returns HEADERS of a POST on a stream, and DATA with the message if there is one. `extra` are further fields
/// of the head, encoded.
pub(crate) fn post(stream: u32, message: &[u8], extra: &[u8]) -> Vec<u8> {
    // `:method: POST`, `:scheme: http`, then literals without an index: the numbers of their names are those of
    // RFC 7541, appendix A.
    let mut head = vec![0x83, 0x86];
    for (name, value) in [
        (&[0x04][..], "/mcp"),
        (&[0x01], "localhost"),
        (&[0x0f, 0x10], "application/json"),
        (&[0x0f, 0x04], "application/json, text/event-stream"),
    ] {
        head.extend(name);
        head.push(value.len() as u8);
        head.extend(value.as_bytes());
    }
    head.extend(extra);
    for (name, value) in super::messages::modern_headers(message) {
        for text in [name.as_bytes(), value.as_bytes()] {
            if text.as_ptr() == name.as_ptr() {
                head.push(0);
            }
            head.push(text.len() as u8);
            head.extend(text);
        }
    }
    let mut out = frame(1, 4, stream, &head);
    if !message.is_empty() {
        for (at, part) in message.chunks(16_000).enumerate() {
            let is_last = (at + 1) * 16_000 >= message.len();
            out.extend(frame(0, u8::from(is_last), stream, part));
        }
    }
    out
}
