//! The identity of a caller, by which its limits are counted.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};
use std::sync::{Arc, LazyLock};

/// The identity of a caller: the name of the principal, or a network; empty if neither is known.
///
/// It is hashed once, and then counted in several tables for each request.
#[derive(Clone, Debug)]
pub(crate) struct CallerId {
    hash: u64,
    name: Arc<str>,
}

/// A table with an entry for each caller.
pub(super) type ByCaller<T> = HashMap<CallerId, T, BuildHasherDefault<KnownHash>>;

/// The secret keys of the hashes. Without them, callers could choose names or IPv6 networks with equal
/// hashes.
static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);

impl CallerId {
    pub(crate) fn as_str(&self) -> &str {
        &self.name
    }

    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }
}

impl From<&str> for CallerId {
    fn from(name: &str) -> Self {
        Self { hash: KEYS.hash_one(name), name: name.into() }
    }
}

impl PartialEq for CallerId {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.name, &other.name) || self.name == other.name
    }
}

impl Eq for CallerId {}

impl Hash for CallerId {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.hash);
    }
}

impl std::fmt::Display for CallerId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

/// A hasher of values that know their hash.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KnownHash(u64);

impl Hasher for KnownHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only the hash of a caller is written");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_with_the_same_name_are_one_and_others_are_not() {
        let mut table = ByCaller::default();
        for name in ["ada", "bob", "ada", ""] {
            *table.entry(CallerId::from(name)).or_insert(0) += 1;
        }
        let count = |name: &str| table.get(&name.into()).copied();
        assert_eq!([count("ada"), count("bob"), count(""), count("eve")], [Some(2), Some(1), Some(1), None]);
    }
}
