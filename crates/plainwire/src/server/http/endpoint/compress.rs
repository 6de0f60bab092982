//! Responses that are smaller on their way: gzip, for clients that take it.
//!
//! In: a response and what its client accepts. Out: the same, piece by piece, each piece such that what was said so far can
//! be read at once. Other codings are not worth their code: everybody who takes one takes gzip. Requests are taken as
//! they are.
//!
//! Source: RFC 9110 sections 8.4 and 12.5.3, RFC 1952.

use std::io::Write as _;

use bytes::Bytes;
use flate2::Compression as Level;
use flate2::write::GzEncoder;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue, Response};

use super::body::Body;

/// Which responses are compressed for clients that accept gzip.
///
/// A response that is being compressed takes 350 KB until it ends, and 20 µs more than one that is not. That is a good trade
/// for a few kilobytes on a network, and a bad one for a stream that is open all day and says little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// None: for servers that are reached from the same machine only, or behind a proxy that compresses by itself.
    Off,
    /// JSON of 1 KiB and more.
    #[default]
    Json,
    /// JSON, and streams of events. Each event is flushed, so that it can be read before the next one is there.
    JsonAndEvents,
}

/// Bytes below which JSON is sent as it is: it fits into one packet anyway.
const WORTH_IT: u64 = 1_024;

/// Bytes that are compressed in one go, so that a large answer does not hold up its thread.
const PIECE: usize = 64 << 10;

impl Compression {
    /// Compresses a response if its client is better off.
    pub(crate) fn apply(self, accepted: Accepted, response: Response<Body>) -> Response<Body> {
        let (mut head, mut body) = response.into_parts();
        if self.concerns(&head.headers, &body) {
            head.headers.append(VARY, HeaderValue::from_static("accept-encoding"));
            if accepted == Accepted::Gzip {
                head.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
                body = body.gzip();
            }
        }
        Response::from_parts(head, body)
    }

    /// Whether it depends on the client how this is sent.
    fn concerns(self, headers: &HeaderMap, body: &Body) -> bool {
        let size = http_body::Body::size_hint(body).lower();
        match headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes) {
            Some(b"application/json") => self != Self::Off && size >= WORTH_IT,
            Some(b"text/event-stream") => self == Self::JsonAndEvents,
            _ => false,
        }
    }
}

/// What a client accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accepted {
    Gzip,
    Plain,
}

impl Accepted {
    /// Reads `Accept-Encoding`. Gzip counts only if it is named, by itself or by `*`, and not behind `identity`.
    pub(crate) fn read(headers: &HeaderMap) -> Self {
        let mut weights = Weights::default();
        let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).for_each(|item| weights.note(item));
        let gzip = weights.gzip.or(weights.any).unwrap_or(0);
        let is_wanted = gzip > 0 && weights.identity.is_none_or(|identity| identity <= gzip);
        if is_wanted { Self::Gzip } else { Self::Plain }
    }
}

/// Weights in thousandths, of what was named.
#[derive(Default)]
struct Weights {
    any: Option<u16>,
    gzip: Option<u16>,
    identity: Option<u16>,
}

impl Weights {
    /// Takes note of one coding, as in `gzip;q=0.5`.
    fn note(&mut self, item: &str) {
        let mut parts = item.split(';').map(str::trim);
        let coding = parts.next().unwrap_or_default().to_ascii_lowercase();
        let weight = parts.find_map(|it| it.strip_prefix("q=").or(it.strip_prefix("Q=")));
        let place = match coding.as_str() {
            "*" => &mut self.any,
            "gzip" | "x-gzip" => &mut self.gzip,
            "identity" => &mut self.identity,
            _ => return,
        };
        // What can't be read is no wish.
        *place = Some(weight.map_or(1_000, |it| thousandths(it).unwrap_or(0)));
    }
}

/// Reads a weight: `1`, `0.5` or `0.125`.
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

/// A body that is being compressed.
pub(crate) struct Gzip {
    /// `None` behind the end.
    encoder: Option<GzEncoder<Vec<u8>>>,
}

impl Gzip {
    pub(crate) fn new() -> Self {
        // The fastest level: it makes JSON a tenth, and the slowest makes it a little less than that.
        Self { encoder: Some(GzEncoder::new(Vec::new(), Level::fast())) }
    }

    /// Compresses what comes next, such that it can be read without anything behind it.
    pub(crate) fn piece(&mut self, plain: &[u8]) -> Bytes {
        let Some(encoder) = &mut self.encoder else { return Bytes::new() };
        // Memory does not fail: both are there because of what an encoder may write to.
        let written = encoder.write_all(plain).and_then(|()| encoder.flush());
        written.map(|()| std::mem::take(encoder.get_mut()).into()).unwrap_or_default()
    }

    /// Returns what stands at the end; `None` the second time.
    pub(crate) fn end(&mut self) -> Option<Bytes> {
        self.encoder.take()?.finish().ok().map(Bytes::from)
    }
}

/// Takes from `bytes` what is compressed in one go.
pub(crate) fn next_piece(bytes: &mut Bytes) -> Bytes {
    bytes.split_to(bytes.len().min(PIECE))
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
