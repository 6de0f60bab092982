//! The text of a page: bytes in one of the encodings of the web.
//!
//! In: bytes and what the header says of them. Out: text. A byte that has no meaning becomes U+FFFD, as in a browser.

use encoding_rs::{Encoding, UTF_8};

/// The part of a page in which it may name its encoding, in bytes.
const HEAD: usize = 1_024;

/// Returns the text. A mark at the beginning counts first, then the header, then what the page says; then it is guessed.
pub(super) fn decode(bytes: &[u8], charset: Option<&str>) -> String {
    let named = || charset.and_then(|it| Encoding::for_label(it.as_bytes()));
    let marked = Encoding::for_bom(bytes).map(|it| it.0);
    let encoding = marked.or_else(named).or_else(|| declared(bytes)).unwrap_or_else(|| guessed(bytes));
    encoding.decode(bytes).0.into_owned()
}

/// Returns whether bytes are no text in any encoding of a page: they have zero bytes, and not as UTF-16 has them.
pub(super) fn is_binary(bytes: &[u8], charset: Option<&str>) -> bool {
    let named = charset.and_then(|it| Encoding::for_label(it.as_bytes()));
    let is_wide = named.is_some_and(|it| !it.is_ascii_compatible());
    Encoding::for_bom(bytes).is_none() && !is_wide && bytes.iter().take(8 * HEAD).any(|it| *it == 0)
}

/// Returns the encoding in `<meta charset>` or in `<meta http-equiv>`.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).to_ascii_lowercase();
    let tags = head.split("<meta").skip(1).filter_map(|it| it.split('>').next());
    let found = tags.filter_map(|tag| tag.split_once("charset")).find_map(|(_, rest)| {
        let label = rest.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
        let end = label.find(|it: char| matches!(it, '"' | '\'' | ';' | '/') || it.is_whitespace());
        Encoding::for_label(&label.as_bytes()[..end.unwrap_or(label.len())])
    })?;
    // A page that can be read as ASCII is not in UTF-16, whatever it says.
    Some(if found.is_ascii_compatible() { found } else { UTF_8 })
}

fn guessed(bytes: &[u8]) -> &'static Encoding {
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_name_an_encoding_is_understood() {
        let latin = b"caf\xe9";
        assert_eq!(decode(latin, Some("ISO-8859-1")), "café");
        assert_eq!(
            decode(b"<meta charset='windows-1252'>caf\xe9", None),
            "<meta charset='windows-1252'>café"
        );
        let http_equiv = b"<META http-equiv=Content-Type content=\"text/html; charset=koi8-r\">\xc1";
        assert!(decode(http_equiv, None).ends_with('а'), "Cyrillic");
        assert_eq!(decode("café".as_bytes(), None), "café");
        assert_eq!(decode(b"\xff\xfec\0a\0f\0\xe9\0", Some("utf-8")), "café", "the mark counts first");
        assert_eq!(decode(b"\0c\0a\0f\0\xe9", Some("utf-16be")), "café");
        assert_eq!(decode("<meta charset=utf-16>é".as_bytes(), None), "<meta charset=utf-16>é");
        assert_eq!(decode(b"a\xffb", Some("utf-8")), "a\u{fffd}b");
        assert_eq!(decode(b"x", Some("no-such-encoding")), "x");
    }

    #[test]
    fn zero_bytes_are_text_only_in_utf_16() {
        assert!(is_binary(b"GIF89a\0\x01", None) && is_binary(b"a\0", Some("utf-8")));
        assert!(!is_binary(b"\xff\xfea\0", None) && !is_binary(b"\0a", Some("UTF-16BE")));
        assert!(!is_binary(b"text", None));
    }
}
