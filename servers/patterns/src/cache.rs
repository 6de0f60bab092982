//! A cache: the values that were found a short time ago.
//!
//! In: keys and values. Out: values that are not too old. Errors and empty results are not kept, and neither is anything that says
//! when it was made: provenance is added to each answer.

use std::hash::Hash;
use std::num::NonZeroUsize;
use std::time::Duration;

use lru::LruCache;
use tokio::time::Instant;

/// The largest number of entries.
const MAX_ENTRIES: NonZeroUsize = NonZeroUsize::new(1_000).expect("more than zero");

/// The largest size of all entries, in bytes.
const MAX_BYTES: usize = 32 << 20;

/// A cache that drops its oldest entry when it is full.
pub(crate) struct Cache<K: Hash + Eq, V> {
    bytes: usize,
    entries: LruCache<K, Entry<V>>,
    lifetime: Duration,
}

struct Entry<V> {
    bytes: usize,
    ends: Instant,
    value: V,
}

impl<K: Hash + Eq, V: Clone> Cache<K, V> {
    pub(crate) fn new(lifetime: Duration) -> Self {
        Self { bytes: 0, entries: LruCache::new(MAX_ENTRIES), lifetime }
    }

    /// Returns the value of a key, if it is not too old. Asking for it does not make it younger.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let entry = self.entries.peek(key)?;
        (Instant::now() < entry.ends).then(|| entry.value.clone())
    }

    /// Keeps a value of about `bytes` bytes.
    pub(crate) fn put(&mut self, key: K, value: V, bytes: usize) {
        if bytes > MAX_BYTES {
            return;
        }
        let entry = Entry { bytes, ends: Instant::now() + self.lifetime, value };
        self.bytes += bytes;
        if let Some((_, old)) = self.entries.push(key, entry) {
            self.bytes -= old.bytes;
        }
        while self.bytes > MAX_BYTES
            && let Some((_, old)) = self.entries.pop_lru()
        {
            self.bytes -= old.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_entry_ends_with_its_time_however_often_it_is_asked_for() {
        let mut cache = Cache::new(Duration::from_secs(300));
        cache.put("a", 1, 10);
        tokio::time::advance(Duration::from_secs(299)).await;
        assert_eq!(cache.get(&"a"), Some(1));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(cache.get(&"a"), None);
    }

    #[tokio::test]
    async fn the_oldest_entry_goes_first() {
        let mut cache = Cache::new(Duration::from_secs(300));
        (0..1_000).for_each(|it| cache.put(it, it, 10));
        assert_eq!(cache.get(&0), Some(0), "asking does not make it younger");
        cache.put(1_000, 1_000, 10);
        assert_eq!((cache.get(&0), cache.get(&1), cache.get(&1_000)), (None, Some(1), Some(1_000)));
        cache.put(1_001, 1_001, MAX_BYTES - 10);
        assert_eq!((cache.get(&999), cache.get(&1_000), cache.get(&1_001)), (None, Some(1_000), Some(1_001)));
        cache.put(1_002, 1_002, MAX_BYTES + 1);
        assert_eq!((cache.get(&1_002), cache.bytes), (None, MAX_BYTES));
    }
}
