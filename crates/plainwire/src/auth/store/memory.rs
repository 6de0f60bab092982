//! Tokens in memory: every run of the program signs in anew.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Held, StoreKey, TokenFuture, TokenStore};

/// A store that ends with its program. Its clones are the same store.
#[derive(Clone, Default)]
pub struct MemoryStore {
    kept: Arc<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    texts: BTreeMap<StoreKey, String>,
    locks: BTreeMap<StoreKey, Arc<tokio::sync::Mutex<()>>>,
}

impl MemoryStore {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Nothing in here panics half-way.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TokenStore for MemoryStore {
    fn load<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Option<String>> {
        Box::pin(async { Ok(self.kept().texts.get(key).cloned()) })
    }

    fn save<'s>(&'s self, key: &'s StoreKey, text: &'s str) -> TokenFuture<'s, ()> {
        Box::pin(async {
            self.kept().texts.insert(key.clone(), text.to_owned());
            Ok(())
        })
    }

    fn remove<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, ()> {
        Box::pin(async {
            self.kept().texts.remove(key);
            Ok(())
        })
    }

    fn lock<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Held> {
        let lock = Arc::clone(self.kept().locks.entry(key.clone()).or_default());
        Box::pin(async { Ok(Held::new(lock.lock_owned().await)) })
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("texts", &self.kept().texts.len()).finish_non_exhaustive()
    }
}
