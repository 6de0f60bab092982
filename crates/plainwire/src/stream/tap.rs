//! Taps: callbacks that see every frame with its time, direction and exact bytes, with secrets masked.
//!
//! In: frames as they pass. Out: [`Tapped`] frames for a sink. A tap changes nothing on the wire.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use plainwire_proto::json::{Span, visible_json};

/// The direction of a frame, as seen from the program that holds the tap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The program received the frame.
    In,
    /// The program sends the frame.
    Out,
}

/// A frame as a tap, the callback for every frame of a connection, gets it.
#[derive(Debug)]
pub struct Tapped<'f> {
    /// The time at which the frame passed.
    pub at: SystemTime,
    /// The bytes of the frame without the line break. Secret values are masked: a `*` replaces each byte of
    /// their strings (but not the quotes), numbers and other scalars.
    pub bytes: &'f [u8],
    /// The direction of the frame: received or sent.
    pub direction: Direction,
}

/// A callback that sees every frame of a connection.
#[derive(Clone)]
pub struct Tap {
    sink: Arc<Mutex<Sink>>,
}

type Sink = dyn FnMut(Tapped<'_>) + Send;

impl Tap {
    /// Makes a tap that calls `sink` with each frame. The connection waits for `sink`, so it should return
    /// quickly.
    pub fn new(sink: impl FnMut(Tapped<'_>) + Send + 'static) -> Self {
        Self { sink: Arc::new(Mutex::new(sink)) }
    }

    /// Makes a tap that writes one line per frame: seconds since 1970 with six decimals, `<-` for in or `->`
    /// for out, and the bytes.
    ///
    /// Lines that can't be written are dropped: a full disk must not stop the server. The bytes may have
    /// characters that change a terminal; [`Self::stderr`] escapes them.
    pub fn lines(mut to: impl Write + Send + 'static) -> Self {
        Self::new(move |frame| {
            let time = frame.at.duration_since(UNIX_EPOCH).unwrap_or_default();
            let arrow = match frame.direction {
                Direction::In => "<-",
                Direction::Out => "->",
            };
            let mut line = format!("{}.{:06} {arrow} ", time.as_secs(), time.subsec_micros()).into_bytes();
            line.extend_from_slice(frame.bytes);
            line.push(b'\n');
            let _ = to.write_all(&line).and_then(|()| to.flush());
        })
    }

    /// Makes a tap that writes one line per frame to stderr, as [`Self::lines`] does. Characters that could
    /// change a terminal are escaped in the way of JSON, so that the frame is the same JSON value.
    pub fn stderr() -> Self {
        Self::lines(Escaped(io::stderr()))
    }

    pub(crate) fn see(&self, direction: Direction, bytes: &[u8]) {
        let masked = mask(bytes);
        let frame = Tapped { at: SystemTime::now(), bytes: &masked, direction };
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        sink(frame);
    }
}

/// A writer that escapes the characters of JSON lines that could change a terminal.
struct Escaped<W>(W);

impl<W: Write> Write for Escaped<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.write_all(visible_json(&String::from_utf8_lossy(line)).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tap")
    }
}

/// Names of JSON members whose values are secrets, in lower case and without `_` and `-`.
const SECRETS: [&str; 14] = [
    "accesstoken",
    "apikey",
    "authorization",
    "clientsecret",
    "cookie",
    "credentials",
    "idtoken",
    "passwd",
    "password",
    "privatekey",
    "refreshtoken",
    "secret",
    "setcookie",
    "token",
];

/// Endings of the names of JSON members whose values are secrets. `progressToken` is the only name in the
/// protocol that has such an ending but is no secret.
const SECRET_ENDINGS: [&str; 4] = ["apikey", "password", "secret", "token"];

fn is_secret(name: &str) -> bool {
    let name: String =
        name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect();
    name != "progresstoken"
        && (SECRETS.contains(&name.as_str()) || SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending)))
}

/// Replaces each byte of the secret values in a frame with `*`. Strings keep their quotes, and objects and
/// lists their structure, so that the line stays readable.
///
/// Works on tokens and not on a tree, so that secrets in broken JSON are masked as well.
fn mask(frame: &[u8]) -> Vec<u8> {
    let mut out = frame.to_vec();
    // For the frame and each open object or list in it: whether it is part of a secret value.
    let mut secret = vec![false];
    let mut at = 0;
    let mut last_string: Option<Span> = None;
    let mut next_is_secret = false;
    while at < frame.len() {
        let inside = *secret.last().unwrap_or(&false);
        match frame[at] {
            b'{' | b'[' => secret.push(inside || std::mem::take(&mut next_is_secret)),
            b'}' | b']' => {
                if secret.len() > 1 {
                    secret.pop();
                }
                next_is_secret = false;
            }
            b',' => next_is_secret = false,
            b':' => {
                let name = last_string.take().and_then(|span| name_of(frame, span));
                next_is_secret = name.is_some_and(|name| is_secret(&name));
            }
            b'"' => {
                let end = end_of_string(frame, at);
                let is_name = frame[end..].trim_ascii_start().first() == Some(&b':');
                if !is_name && (inside || next_is_secret) {
                    let closed = end - at >= 2 && frame[end - 1] == b'"';
                    out[at + 1..end - usize::from(closed)].fill(b'*');
                }
                last_string = Span::of(at, end);
                at = end;
                continue;
            }
            byte if (inside || next_is_secret) && !byte.is_ascii_whitespace() => out[at] = b'*',
            _ => {}
        }
        at += 1;
    }
    out
}

/// Returns the end of the string that begins at `start`: behind its closing quote, or the end of the frame.
fn end_of_string(frame: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = frame.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    frame.len()
}

fn name_of(frame: &[u8], span: Span) -> Option<String> {
    let text = std::str::from_utf8(frame.get(span.range())?).ok()?;
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(frame: &str) -> String {
        let masked = String::from_utf8(mask(frame.as_bytes())).expect("UTF-8");
        assert_eq!(masked.len(), frame.len(), "{frame}");
        masked
    }

    #[test]
    fn masks_secret_values_and_nothing_else() {
        for (frame, expected) in [
            (r#"{"token":"abc","x":"abc"}"#, r#"{"token":"***","x":"abc"}"#),
            (r#"{"API_KEY": "a\"b"}"#, r#"{"API_KEY": "****"}"#),
            (r#"{"dbPassword":"é"}"#, r#"{"dbPassword":"**"}"#),
            (r#"{"pin":1,"secret":123}"#, r#"{"pin":1,"secret":***}"#),
            (r#"{"progressToken":"t","nextCursor":"c"}"#, r#"{"progressToken":"t","nextCursor":"c"}"#),
            (
                r#"{"credentials":{"user":"u","n":[1,"x"]},"a":"b"}"#,
                r#"{"credentials":{"user":"*","n":[*,"*"]},"a":"b"}"#,
            ),
            (r#"{"p\u0061ssword":"x"}"#, r#"{"p\u0061ssword":"*"}"#),
            (r#"{"a":"token","b":"c"}"#, r#"{"a":"token","b":"c"}"#),
            (r#"{"token":"unfinished"#, r#"{"token":"**********"#),
            ("garbage } ] \"", "garbage } ] \""),
        ] {
            assert_eq!(masked(frame), expected);
        }
    }

    #[test]
    fn writes_one_line_per_frame() {
        let (send, lines) = std::sync::mpsc::channel::<Vec<u8>>();
        struct Lines(std::sync::mpsc::Sender<Vec<u8>>);
        impl Write for Lines {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.send(bytes.to_vec()).map_err(io::Error::other)?;
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let tap = Tap::lines(Lines(send));
        tap.see(Direction::In, b"{\"a\":1}");
        tap.see(Direction::Out, b"{}");
        drop(tap);
        let lines: Vec<String> = lines.into_iter().map(|l| String::from_utf8(l).expect("UTF-8")).collect();
        assert!(lines[0].ends_with(" <- {\"a\":1}\n") && lines[1].ends_with(" -> {}\n"), "{lines:?}");
    }
}
