//! Cursors for paged lists: authenticated, valid across restarts, and not stored on the server.
//!
//! In: a list and an offset, or a cursor from the wire. Out: a cursor, or an offset. A cursor holds the
//! offset of the next page, which is not encrypted, and an authentication tag. The tag *seals* the cursor: a
//! damaged or guessed cursor, or one of another server or list, is refused.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};

/// The key that makes (*seals*) and checks (*opens*) the cursors of one server.
#[derive(Clone)]
pub struct CursorKey(ChaCha20Poly1305);

/// A list of a server, which clients request page by page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum List {
    /// The prompts, requested by `prompts/list`.
    Prompts,
    /// The resources, requested by `resources/list`.
    Resources,
    /// The resource templates, requested by `resources/templates/list`.
    ResourceTemplates,
    /// The tools, requested by `tools/list`.
    Tools,
}

impl List {
    /// All lists.
    pub const ALL: [Self; 4] = [Self::Prompts, Self::Resources, Self::ResourceTemplates, Self::Tools];

    /// Returns the method that requests the list.
    pub const fn method(self) -> &'static str {
        match self {
            Self::Prompts => "prompts/list",
            Self::Resources => "resources/list",
            Self::ResourceTemplates => "resources/templates/list",
            Self::Tools => "tools/list",
        }
    }

    /// Returns the name of the member that holds the entries in the result of the request, such as `tools`.
    pub const fn member(self) -> &'static str {
        match self {
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::ResourceTemplates => "resourceTemplates",
            Self::Tools => "tools",
        }
    }
}

/// Length of the authentication tag in bytes.
const TAG: usize = 16;

impl CursorKey {
    /// Derives the key from the name of the server and from `catalog`, the names of all entries of its lists
    /// in one text.
    ///
    /// Name and catalog are public, so an attacker can derive the key too. It only makes replicas and
    /// restarts of the same server accept each other's cursors, and refuse those of another server or of a
    /// changed list.
    pub fn derive(server: &str, catalog: &str) -> Self {
        let fixed = ChaCha20Poly1305::new(&Key::from(*b"plainwire cursor key derivation."));
        let mut key = [0; 32];
        for (n, half) in key.chunks_exact_mut(TAG).enumerate() {
            let nonce = Nonce::from([n as u8; 12]);
            let aad = [&(server.len() as u64).to_le_bytes(), server.as_bytes(), catalog.as_bytes()].concat();
            let tag = fixed.encrypt(&nonce, Payload { msg: b"", aad: &aad }).unwrap_or_default();
            half.iter_mut().zip(tag).for_each(|(to, from)| *to = from);
        }
        Self(ChaCha20Poly1305::new(&Key::from(key)))
    }

    /// Returns the cursor for the page of `list` that begins with entry number `offset`, counted from 0.
    pub fn seal(&self, list: List, offset: u32) -> String {
        let head = Self::head(list, offset);
        let mut bytes = head[..5].to_vec();
        bytes.extend(self.0.encrypt(&Nonce::from(head), b"".as_slice()).unwrap_or_default());
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the offset in `cursor`; `None` unless the cursor was sealed with this key for `list`.
    pub fn open(&self, list: List, cursor: &str) -> Option<u32> {
        if cursor.len() != 2 * (5 + TAG) || !cursor.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let bytes: Vec<u8> = (0..cursor.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&cursor[at..at + 2], 16).ok())
            .collect::<Option<_>>()?;
        let offset = u32::from_le_bytes(bytes[1..5].try_into().ok()?);
        let head = Self::head(list, offset);
        (bytes[0] == head[0] && self.0.decrypt(&Nonce::from(head), &bytes[5..]).is_ok()).then_some(offset)
    }

    /// Returns the nonce for the tag of a cursor: its list and offset, as bytes. The tag authenticates the
    /// nonce, so the sealed message is empty. Each pair of list and offset has a nonce of its own, so no
    /// nonce is used for two different cursors.
    fn head(list: List, offset: u32) -> [u8; 12] {
        let mut head = [0; 12];
        head[0] = list as u8;
        head[1..5].copy_from_slice(&offset.to_le_bytes());
        head
    }
}

impl std::fmt::Debug for CursorKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CursorKey")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_what_it_sealed_also_after_a_restart() {
        let (before, after) = (CursorKey::derive("a", "x,y"), CursorKey::derive("a", "x,y"));
        for list in List::ALL {
            for offset in [0, 1, 1000, u32::MAX] {
                assert_eq!(after.open(list, &before.seal(list, offset)), Some(offset));
            }
        }
    }

    #[test]
    fn refuses_cursors_of_other_servers_lists_and_catalogs() {
        let key = CursorKey::derive("a", "x,y");
        let cursor = key.seal(List::Tools, 5);
        assert_eq!(CursorKey::derive("b", "x,y").open(List::Tools, &cursor), None);
        assert_eq!(CursorKey::derive("a", "x,z").open(List::Tools, &cursor), None);
        assert_eq!(CursorKey::derive("ax", ",y").open(List::Tools, &cursor), None);
        assert_eq!(key.open(List::Prompts, &cursor), None);
    }

    #[test]
    fn refuses_every_changed_byte() {
        let key = CursorKey::derive("a", "x");
        let cursor = key.seal(List::Tools, 5);
        for at in 0..cursor.len() {
            let mut other = cursor.clone().into_bytes();
            other[at] = if other[at] == b'0' { b'1' } else { b'0' };
            assert_eq!(key.open(List::Tools, std::str::from_utf8(&other).expect("ASCII")), None, "byte {at}");
        }
        for garbage in ["", "é", "zz", &cursor[1..], &"é".repeat(21)] {
            assert_eq!(key.open(List::Tools, garbage), None, "{garbage:?}");
        }
    }
}
