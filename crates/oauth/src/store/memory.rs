//! A token store in memory. With it, a login is needed in each run of the program.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Held, StoreKey, TokenFuture, TokenStore};

/// A token store in memory: its contents are lost when the program ends. Clones share their contents.
#[derive(Clone, Default)]
pub struct MemoryStore {
    contents: Arc<Mutex<Contents>>,
}

#[derive(Default)]
struct Contents {
    texts: BTreeMap<StoreKey, String>,
    locks: BTreeMap<StoreKey, Arc<tokio::sync::Mutex<()>>>,
}

impl MemoryStore {
    fn contents(&self) -> MutexGuard<'_, Contents> {
        // The code under this lock leaves no partial change behind, so a poisoned lock is still good.
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TokenStore for MemoryStore {
    fn load<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Option<String>> {
        Box::pin(async { Ok(self.contents().texts.get(key).cloned()) })
    }

    fn save<'s>(&'s self, key: &'s StoreKey, text: &'s str) -> TokenFuture<'s, ()> {
        Box::pin(async {
            self.contents().texts.insert(key.clone(), text.to_owned());
            Ok(())
        })
    }

    fn remove<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, ()> {
        Box::pin(async {
            self.contents().texts.remove(key);
            Ok(())
        })
    }

    fn lock<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Held> {
        let lock = Arc::clone(self.contents().locks.entry(key.clone()).or_default());
        Box::pin(async { Ok(Held::new(lock.lock_owned().await)) })
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("texts", &self.contents().texts.len()).finish_non_exhaustive()
    }
}
