//! Splits texts that are too long for one item of a keychain, and joins them again.
//!
//! In: a text, and the longest size of an item. Out: pieces; the first begins with the number of pieces and a
//! digest of the text. Pieces of two texts, as a crash between two writes leaves them, do not join to a text.

use std::io::{self, ErrorKind};

use plainwire::proto::base64::encode_url;
use ring::digest::{SHA256, digest};

/// Most pieces into which a text is split.
pub(super) const MAX: usize = 64;
/// Longest item of the Credential Manager of Windows, in bytes. It accepts 2,560
/// (`CRED_MAX_CREDENTIAL_BLOB_SIZE`).
pub(super) const MAX_BYTES_WINDOWS: usize = 2_500;
/// Longest item of the Keychain of macOS, in bytes. The system has no such limit, and two thirds of a
/// megabyte are more than any token needs.
pub(super) const MAX_BYTES_MACOS: usize = 640 << 10;
/// Bytes reserved for the head of the first piece. Two digits, a blank, a digest and the line end take 47.
const HEAD: usize = 48;

/// Splits `text` into pieces of at most `max_bytes`, which must exceed the head by at least one character.
pub(super) fn split(text: &str, max_bytes: usize) -> io::Result<Vec<String>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    loop {
        let room = if pieces.is_empty() { max_bytes - HEAD } else { max_bytes };
        let (piece, more) = rest.split_at(boundary(rest, room));
        pieces.push(piece.to_owned());
        rest = more;
        if rest.is_empty() {
            break;
        }
    }
    if pieces.len() > MAX {
        let message = format!("expected at most {MAX} pieces of {max_bytes} bytes, but found more");
        return Err(io::Error::new(ErrorKind::InvalidInput, message));
    }
    pieces[0] = format!("{} {}\n{}", pieces.len(), checksum(text), pieces[0]);
    Ok(pieces)
}

/// Joins the pieces of a text; `None` if a piece is missing, or if they are not from one text. `piece`
/// returns the piece with a given number; the first piece has the number 0.
pub(super) fn join(mut piece: impl FnMut(usize) -> io::Result<Option<String>>) -> io::Result<Option<String>> {
    let Some(first) = piece(0)? else { return Ok(None) };
    let head = first.split_once('\n').and_then(|(head, text)| Some((head.split_once(' ')?, text)));
    let Some(((count, expected), start)) = head else { return Ok(None) };
    let Some(count) = count.parse().ok().filter(|it| (1..=MAX).contains(it)) else { return Ok(None) };
    let mut text = start.to_owned();
    for n in 1..count {
        let Some(more) = piece(n)? else { return Ok(None) };
        text.push_str(&more);
    }
    Ok((checksum(&text) == expected).then_some(text))
}

fn checksum(text: &str) -> String {
    encode_url(digest(&SHA256, text.as_bytes()).as_ref())
}

/// Returns the last boundary between characters that is not past `at`. `str::floor_char_boundary` of the
/// standard library does this from Rust 1.91 on.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, max_bytes: usize, count: usize) -> Vec<String> {
        let pieces = split(text, max_bytes).expect("pieces");
        assert_eq!(pieces.len(), count, "{text}");
        assert!(pieces.iter().all(|it| it.len() <= max_bytes), "{pieces:?}");
        assert_eq!(join(|n| Ok(pieces.get(n).cloned())).expect("no error").as_deref(), Some(text));
        pieces
    }

    #[test]
    fn what_was_cut_comes_together_again() {
        check("", 60, 1);
        check("short", 60, 1);
        check(&"x".repeat(12), 60, 1);
        check(&"x".repeat(13), 60, 2);
        check(&"x".repeat(12 + 2 * 60), 60, 3);
        check(&"ü€🎉".repeat(40), 61, 7);
        check(&"x".repeat(12 + 63 * 60), 60, 64);
        assert!(split(&"x".repeat(12 + 63 * 60 + 1), 60).is_err());
    }

    #[test]
    fn a_text_longer_than_an_item_of_windows_or_macos_takes_two() {
        for (limit, bytes) in [(MAX_BYTES_WINDOWS, 2_500), (MAX_BYTES_MACOS, 655_360)] {
            // 48 bytes of the first item are reserved.
            for (length, count) in [(bytes - 48, 1), (bytes - 47, 2)] {
                let pieces = check(&"x".repeat(length), limit, count);
                assert!(pieces.iter().all(|it| it.len() <= bytes), "{bytes}");
            }
        }
    }

    #[test]
    fn pieces_of_two_texts_are_no_text() {
        let (old, new) = (check(&"a".repeat(100), 60, 3), check(&"b".repeat(100), 60, 3));
        for mixed in [[&new[0], &old[1], &old[2]], [&old[0], &old[1], &new[2]]] {
            assert_eq!(join(|n| Ok(Some(mixed[n].clone()))).expect("no error"), None);
        }
        assert_eq!(join(|n| Ok((n < 2).then(|| old[n].clone()))).expect("no error"), None);
        for strange in ["", "x", "0 x\n", "1 x\ntext", "65 x\n", "1\n"] {
            assert_eq!(join(|_| Ok(Some(strange.to_owned()))).expect("no error"), None, "{strange}");
        }
        assert!(join(|_| Err(io::Error::other("locked"))).is_err());
    }
}
