//! Compresses responses with gzip, for clients that accept it.
//!
//! In: a response and the `Accept-Encoding` of its client. Out: the response, compressed piece by piece. Each
//! piece is flushed, so the client can read it at once. There are no other codings, because clients that
//! accept another coding also accept gzip. Requests are not decompressed.
//!
//! Source: RFC 9110 sections 8.4 and 12.5.3, RFC 1952.

use std::io::Write as _;

use bytes::Bytes;
use flate2::Compression as Level;
use flate2::write::GzEncoder;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue, Response};

use super::body::Body;

/// The responses that are compressed for clients that accept gzip.
///
/// Compressing a response takes 20 µs of time and 350 KB of memory. A JSON response of at most 64 KiB takes this
/// memory for a moment only. A larger one and a stream take it until they end, and it counts as memory of the
/// caller. Compression is a good trade for a few kilobytes on a network, and a bad one for a stream that is open
/// all day with few events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// No response is compressed. This is for servers on loopback, or behind a proxy that compresses.
    Off,
    /// JSON responses of at least 1 KiB are compressed; event streams are not.
    #[default]
    Json,
    /// Event streams are compressed, and JSON responses of at least 1 KiB. Each event is flushed, so the
    /// client can read it before the next one exists.
    JsonAndEvents,
}

/// The size in bytes of the smallest JSON response that is compressed. A smaller one fits into one packet
/// anyway.
const WORTH_IT: u64 = 1_024;

/// The largest number of bytes of a JSON response that are compressed in one poll, so that a large answer
/// does not block its thread. An event is compressed as a whole.
const PIECE: usize = 64 << 10;

impl Compression {
    /// Compresses a response if this setting covers its type and size, and the client accepts gzip. A
    /// response that the setting covers gets the header `Vary`.
    ///
    /// `claim` claims the memory of an encoder that lives as long as the response; without memory the response is
    /// sent as it is.
    pub(crate) fn apply<C: Send + Sync + 'static>(
        self,
        accepted: Accepted,
        response: Response<Body>,
        claim: impl FnOnce(usize) -> Option<C>,
    ) -> Response<Body> {
        let (mut head, mut body) = response.into_parts();
        if self.concerns(&head.headers, &body) {
            head.headers.append(VARY, HeaderValue::from_static("accept-encoding"));
            let is_short = body.whole().is_some_and(|bytes| bytes.len() <= PIECE);
            let held: Option<Option<C>> = match accepted {
                Accepted::Plain => None,
                // The whole is compressed at once, so that the encoder is gone when the client takes it.
                Accepted::Gzip if is_short => Some(None),
                Accepted::Gzip => claim(ENCODER).map(Some),
            };
            if let Some(held) = held {
                head.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
                body = body.gzip(held);
            }
        }
        Response::from_parts(head, body)
    }

    /// Returns whether the response with these headers and this body is compressed for clients that accept
    /// gzip.
    fn concerns(self, headers: &HeaderMap, body: &Body) -> bool {
        let size = http_body::Body::size_hint(body).lower();
        match headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes) {
            Some(b"application/json") => self != Self::Off && size >= WORTH_IT,
            Some(b"text/event-stream") => self == Self::JsonAndEvents,
            _ => false,
        }
    }
}

/// The content coding of the responses to a client: gzip, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accepted {
    Gzip,
    Plain,
}

impl Accepted {
    /// Reads `Accept-Encoding`. Gzip is chosen only if the header names it, as `gzip`, `x-gzip` or `*`, with
    /// a weight above 0 and not below that of `identity`.
    pub(crate) fn read(headers: &HeaderMap) -> Self {
        let mut weights = Weights::default();
        let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).for_each(|item| weights.note(item));
        let gzip = weights.gzip.or(weights.any).unwrap_or(0);
        let is_wanted = gzip > 0 && weights.identity.is_none_or(|identity| identity <= gzip);
        if is_wanted { Self::Gzip } else { Self::Plain }
    }
}

/// The weights of the codings in `Accept-Encoding`, in thousandths; `None` for a coding that is not named.
#[derive(Default)]
struct Weights {
    /// The weight of `*`, which stands for every coding that is not named.
    any: Option<u16>,
    gzip: Option<u16>,
    identity: Option<u16>,
}

impl Weights {
    /// Records the weight of `item`, one element of the header, as in `gzip;q=0.5`. Ignores codings that have
    /// no field here.
    fn note(&mut self, item: &str) {
        let mut parts = item.split(';').map(str::trim);
        let coding = parts.next().unwrap_or_default().to_ascii_lowercase();
        let weight = parts.find_map(|it| it.strip_prefix("q=").or(it.strip_prefix("Q=")));
        let field = match coding.as_str() {
            "*" => &mut self.any,
            "gzip" | "x-gzip" => &mut self.gzip,
            "identity" => &mut self.identity,
            _ => return,
        };
        // A weight that can't be read counts as 0.
        *field = Some(weight.map_or(1_000, |it| thousandths(it).unwrap_or(0)));
    }
}

/// Parses a weight, as in `1`, `0.5` or `0.125`, into thousandths; `None` if it is not legal.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_legal = part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    let part: u16 = format!("{part:0<3}").parse().ok().filter(|_| is_legal)?;
    match whole {
        "0" => Some(part),
        "1" if part == 0 => Some(1_000),
        _ => None,
    }
}

/// The memory of an encoder, in bytes.
const ENCODER: usize = 350 << 10;

/// The encoder of a compressed body.
pub(crate) struct Gzip {
    /// The encoder; `None` before the first piece, so that a response that its client does not take has none.
    encoder: Option<GzEncoder<Vec<u8>>>,
    /// Whether the end of the gzip stream was returned.
    is_done: bool,
    /// A claim that the body holds, such as that of the memory of the encoder.
    _held: Box<dyn Send + Sync>,
}

impl Gzip {
    pub(crate) fn new(held: impl Send + Sync + 'static) -> Self {
        Self { encoder: None, is_done: false, _held: Box::new(held) }
    }

    /// Compresses the next piece of the body, and flushes it so that the client can read it without later
    /// pieces.
    pub(crate) fn piece(&mut self, plain: &[u8]) -> Bytes {
        let encoder = self.encoder();
        // Writing to a `Vec` does not fail; the results exist because an encoder can write to anything.
        let written = encoder.write_all(plain).and_then(|()| encoder.flush());
        written.map(|()| std::mem::take(encoder.get_mut()).into()).unwrap_or_default()
    }

    /// Compresses the last piece of the body, and returns it with the end of the gzip stream.
    pub(crate) fn last_piece(&mut self, plain: &[u8]) -> Bytes {
        self.is_done = true;
        let written = self.encoder().write_all(plain);
        let rest = self.encoder.take().filter(|_| written.is_ok()).and_then(|encoder| encoder.finish().ok());
        rest.unwrap_or_default().into()
    }

    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    fn encoder(&mut self) -> &mut GzEncoder<Vec<u8>> {
        // The fastest level shrinks JSON to a tenth; the slowest one shrinks it only a little more.
        self.encoder.get_or_insert_with(|| GzEncoder::new(Vec::new(), Level::fast()))
    }
}

/// Returns the piece to compress next from the front of `bytes`, and whether it is the last. Removes it from
/// `bytes` unless it is the last.
pub(crate) fn next_piece(bytes: &mut Bytes) -> (Bytes, bool) {
    if bytes.len() <= PIECE { (bytes.clone(), true) } else { (bytes.split_to(PIECE), false) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_counts_if_it_is_named_and_not_refused() {
        let accepted = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(ACCEPT_ENCODING, value.parse().expect("a value"));
            }
            Accepted::read(&headers)
        };
        for values in [
            &["gzip"][..],
            &["gzip, deflate, br"],
            &["br", "deflate , GZIP ; q=0.5"],
            &["x-gzip"],
            &["*"],
            &["*;q=0.1"],
            &["gzip;q=1.0, identity; q=0.5, *;q=0"],
            &["gzip;Q=0.001"],
            &["identity;q=0, *"],
        ] {
            assert_eq!(accepted(values), Accepted::Gzip, "{values:?}");
        }
        for values in [
            &[][..],
            &[""],
            &["identity"],
            &["gzip;q=0"],
            &["gzip; q=0.000, *"],
            &["br, deflate"],
            &["*;q=0"],
            &["identity, gzip;q=0.5"],
            &["gzip;q=2"],
            &["gzip;q=0.1234"],
            &["gzip;q=-1"],
            &["gzip;q=1.001"],
            &["gzip;q="],
            &["gzip;q=+1"],
            &["gzipped"],
        ] {
            assert_eq!(accepted(values), Accepted::Plain, "{values:?}");
        }
    }
}
