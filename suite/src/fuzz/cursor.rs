//! Fuzz target for the cursors of paginated lists: a sealed cursor opens for its own list only, and any other
//! text is refused.

use plainwire::proto::cursor::{CursorKey, List};

use super::bytes::Bytes;

/// Seals an offset, then tries changed and made-up cursors.
pub fn cursor(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let offset = u32::from_le_bytes(bytes.array());
    let list = List::ALL[bytes.below(4)];
    let (server, catalog) = (bytes.text(), bytes.text());
    let key = CursorKey::derive(&server, &catalog);
    let sealed = key.seal(list, offset);
    let again = CursorKey::derive(&server, &catalog);
    for other in List::ALL {
        let expected = (other == list).then_some(offset);
        assert_eq!(again.open(other, &sealed), expected, "{sealed} for {other:?}");
    }

    let rest = bytes.rest();
    let other = CursorKey::derive(&catalog, &server);
    if server != catalog {
        assert_eq!(other.open(list, &sealed), None, "opened by another server");
    }
    if let [at, with, ..] = *rest {
        let mut changed = sealed.clone().into_bytes();
        let at = usize::from(at) % changed.len();
        changed[at] = with;
        refuses(&key, &sealed, &String::from_utf8_lossy(&changed));
    }
    refuses(&key, &sealed, &String::from_utf8_lossy(rest));
    for length in [0, 1, sealed.len() - 1] {
        refuses(&key, &sealed, &sealed[..length]);
    }
}

/// Checks that a made-up cursor is refused, unless it is the sealed one in upper or lower case: the case of a
/// hexadecimal digit does not change the byte. Any other change is detected.
fn refuses(key: &CursorKey, sealed: &str, made_up: &str) {
    if made_up.eq_ignore_ascii_case(sealed) {
        return;
    }
    for list in List::ALL {
        // A fuzzer can't guess a tag of 16 bytes.
        assert_eq!(key.open(list, made_up), None, "{made_up} for {list:?}");
    }
}
