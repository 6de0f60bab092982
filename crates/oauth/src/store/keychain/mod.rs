//! A token store in the keychain of the operating system: the Secret Service of Linux and BSD desktops, the
//! Keychain of macOS, the Credential Manager of Windows.
//!
//! In: a name for the items, and a folder. Out: items of that name in the keychain, one per text. The folder
//! holds what a keychain lacks: lock files, like those of [`FileStore`], and an empty file for each item.
//! Without that file, the keychain is not opened, and the user is not asked to unlock it for an item that
//! does not exist. The folder holds no secrets. The store never falls back to files: the program decides
//! whether a token may be stored in one.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::Duration;

use backend::Keychain;
use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::{FileStore, Held, StoreKey, TokenFuture, TokenStore};

#[cfg(not(all(unix, not(target_os = "macos"))))]
#[path = "native.rs"]
mod backend;
#[cfg(all(unix, not(target_os = "macos")))]
#[path = "secret_service.rs"]
mod backend;
#[cfg(any(test, not(all(unix, not(target_os = "macos")))))]
mod pieces;

/// A token store in the keychain of the user, which the user's programs share.
///
/// On Linux and the BSDs, secrets cross the session bus to the Secret Service unencrypted: a process that can
/// listen there could also ask for them. A locked keychain is unlocked first; for this, the system asks the
/// user.
///
/// ```no_run
/// use plainwire_oauth::{KeychainStore, OAuth};
///
/// # fn main() -> plainwire::Result<()> {
/// let store = KeychainStore::new("my-host", "/home/ada/.local/share/my-host/tokens");
/// let oauth = OAuth::builder("My host").store(store).build()?;
/// # Ok(())
/// # }
/// ```
pub struct KeychainStore {
    name: String,
    folder: PathBuf,
    locks: FileStore,
    keychain: OnceCell<Keychain>,
}

impl KeychainStore {
    /// Returns a store for items that are called `name`, as users see it in their keychain. The locks of the
    /// store are in `folder`. Processes that share tokens must use the same name and folder.
    pub fn new(name: impl Into<String>, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self { name: name.into(), locks: FileStore::new(&folder), folder, keychain: OnceCell::new() }
    }

    /// Checks that there is a keychain. Does not ask the user to unlock it.
    ///
    /// # Errors
    /// The reason why there is no keychain. On Linux and the BSDs: no session bus, as in a container or over
    /// SSH, or no Secret Service on that bus.
    pub async fn reach(&self) -> io::Result<()> {
        self.keychain().await.map(|_| ())
    }

    async fn keychain(&self) -> io::Result<&Keychain> {
        self.keychain.get_or_try_init(|| reached(Keychain::open(&self.name))).await
    }

    /// Returns the path of the empty file that marks an item as existing.
    fn mark(&self, key: &StoreKey) -> PathBuf {
        self.folder.join(key.file_name()).with_extension("keychain")
    }
}

impl TokenStore for KeychainStore {
    fn load<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Option<String>> {
        Box::pin(async {
            if !self.mark(key).exists() {
                return Ok(None);
            }
            answered(self.keychain().await?.load(&key.file_name())).await
        })
    }

    fn save<'s>(&'s self, key: &'s StoreKey, text: &'s str) -> TokenFuture<'s, ()> {
        Box::pin(async {
            let keychain = self.keychain().await?;
            // The mark comes first: without it, `load` would never find the item.
            super::file::touch(&self.folder, &self.mark(key))?;
            answered(keychain.save(&key.file_name(), text)).await
        })
    }

    fn remove<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, ()> {
        Box::pin(async {
            let mark = self.mark(key);
            if !mark.exists() {
                return Ok(());
            }
            answered(self.keychain().await?.remove(&key.file_name())).await?;
            match std::fs::remove_file(mark) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            }
        })
    }

    fn lock<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Held> {
        self.locks.lock(key)
    }
}

impl fmt::Debug for KeychainStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("KeychainStore");
        shown.field("name", &self.name).field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// Waits for a keychain to become reachable, at most [`REACH_TIMEOUT`].
async fn reached<T>(opening: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    within(REACH_TIMEOUT, opening).await
}

/// Waits for a call that may ask the user to unlock the keychain, at most [`UNLOCK_TIMEOUT`].
async fn answered<T>(call: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    within(UNLOCK_TIMEOUT, call).await
}

async fn within<T>(patience: Duration, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(patience, work).await.unwrap_or_else(|_| Err(failed(&format!("no answer within {patience:?}"))))
}

/// Returns the error of a keychain that does not work.
fn failed(found: &impl fmt::Display) -> io::Error {
    io::Error::other(format!("expected the keychain of this user to answer, but found: {found}"))
}

/// Longest wait for a keychain to become reachable: the bus may have to start it.
const REACH_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest wait for a call that may ask the user to unlock the keychain.
const UNLOCK_TIMEOUT: Duration = Duration::from_secs(120);

#[cfg(test)]
mod tests;
