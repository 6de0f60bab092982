//! Base64 encoding and decoding, for binary content and for sealed state.
//!
//! In: bytes or base64 text. Out: base64 text or bytes. Text in the standard alphabet of RFC 4648 has
//! padding; text in the URL alphabet (section 5) has none. This module is written by hand instead of taken
//! from a crate: a small server must not need more than fifty crates, and this code is one page long.

/// Encodes `bytes` in base64, with padding.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = digits(STANDARD, bytes);
    text.extend(std::iter::repeat_n('=', text.len().next_multiple_of(4) - text.len()));
    text
}

/// Encodes `bytes` in base64 for URLs, without padding.
pub fn encode_url(bytes: &[u8]) -> String {
    digits(URL, bytes)
}

/// Decodes `text` as written by [`encode`]; `None` for text that [`encode`] never writes.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    undigits(digits, |digit| match digit {
        b'+' => value(b'-'),
        b'/' => value(b'_'),
        b'-' | b'_' => None,
        digit => value(digit),
    })
}

/// Decodes `text` as written by [`encode_url`].
///
/// Strict, so that no two texts decode to the same bytes: `None` for padding, for bytes outside the alphabet,
/// for an impossible length, and for bits other than zero after the last byte.
pub fn decode_url(text: &str) -> Option<Vec<u8>> {
    undigits(text, value)
}

fn undigits(text: &str, value: impl Fn(u8) -> Option<u32>) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for chunk in text.as_bytes().chunks(4) {
        // A single digit has six bits, less than a byte.
        if chunk.len() == 1 {
            return None;
        }
        let mut bits = 0;
        for (n, &digit) in chunk.iter().enumerate() {
            bits |= value(digit)? << (18 - 6 * n);
        }
        let [_, three @ ..] = bits.to_be_bytes();
        let (whole, rest) = three.split_at(chunk.len() - 1);
        if rest.iter().any(|&byte| byte != 0) {
            return None;
        }
        bytes.extend_from_slice(whole);
    }
    Some(bytes)
}

/// Returns `bytes` as base64 digits of `alphabet`, without padding: three bytes become four digits. One byte
/// that is left over at the end becomes two digits; two bytes become three.
fn digits(alphabet: [u8; 64], bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |n: usize| u32::from(chunk.get(n).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        text.extend((0..=chunk.len()).map(|n| char::from(alphabet[(bits >> (18 - 6 * n) & 63) as usize])));
    }
    text
}

/// Returns the six bits that a digit of the URL alphabet stands for; `None` for any other byte.
fn value(digit: u8) -> Option<u32> {
    Some(u32::from(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    }))
}

const STANDARD: [u8; 64] = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL: [u8; 64] = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        assert_eq!(encode(&[0xfb, 0xff, 0xfe]), "+//+");
        assert_eq!(decode("+//+"), Some(vec![0xfb, 0xff, 0xfe]));
    }

    #[test]
    fn refuses_text_that_it_never_writes() {
        for text in [
            "A", "Zg", "Zg=", "Zm8", "Zm9v=", "Zm9v==", "=", "==", "====", "Z===", "-A==", "_A==", "A A=",
            "Zh==", "Zm9=",
        ] {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }

    #[test]
    fn reads_back_what_it_wrote_for_urls() {
        for length in 0..=66 {
            for shift in [0, 85, 170, 255] {
                let bytes: Vec<u8> = (0..length).map(|n: u8| n.wrapping_mul(37) ^ shift).collect();
                let text = encode_url(&bytes);
                assert_eq!(decode_url(&text), Some(bytes), "{text}");
            }
        }
        assert_eq!(encode_url(&[0xfb, 0xff, 0xfe, 0]), "-__-AA");
    }

    #[test]
    fn refuses_text_for_urls_that_it_never_writes() {
        for text in
            ["A", "AAAAA", "Zg==", "Zm8=", "Zg=", "+A", "/A", "A A", "AA\n", "é", "AB", "Zh", "Zm9", "AAAAAB"]
        {
            assert_eq!(decode_url(text), None, "{text:?}");
        }
    }
}
