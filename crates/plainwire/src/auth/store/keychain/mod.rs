//! Tokens in the keychain of the operating system: the Secret Service of Linux and BSD desktops, the Keychain of macOS, the Credential
//! Manager of Windows.
//!
//! In: a name for the items, and a folder for what a keychain has not. Out: items of that name, one per text; in the folder lock files,
//! as [`FileStore`] has them, and an empty file for each item, so that a keychain is not asked, and nobody is asked to unlock it, for
//! what was never kept. No secret is in the folder. There is no way back to files here: whether a token may lie in one is for the program
//! to say.

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

/// A store in the keychain of the user, which the user's programs share.
///
/// On Linux and the BSDs secrets go to the Secret Service over the session bus, in the clear: whoever may listen there may ask for
/// them as well. A locked keychain is unlocked first, which asks the user.
///
/// ```no_run
/// use plainwire::auth::{KeychainStore, OAuth};
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
    /// Makes a store of items that are called `name`, as people see it in their keychain, with its locks in `folder`. Processes that
    /// share tokens share both.
    pub fn new(name: impl Into<String>, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self { name: name.into(), locks: FileStore::new(&folder), folder, keychain: OnceCell::new() }
    }

    /// Finds out whether there is a keychain. Nobody is asked to unlock it.
    ///
    /// # Errors
    /// Why there is none: no session bus, as in a container or over SSH, or nobody on it who keeps secrets.
    pub async fn reach(&self) -> io::Result<()> {
        self.keychain().await.map(|_| ())
    }

    async fn keychain(&self) -> io::Result<&Keychain> {
        self.keychain.get_or_try_init(|| within(ANSWER, Keychain::open(&self.name))).await
    }

    /// The file that says that there is an item.
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
            within(PERSON, self.keychain().await?.load(&key.file_name())).await
        })
    }

    fn save<'s>(&'s self, key: &'s StoreKey, text: &'s str) -> TokenFuture<'s, ()> {
        Box::pin(async {
            let keychain = self.keychain().await?;
            // The mark is first: an item without one would be found by nobody.
            super::file::touch(&self.folder, &self.mark(key))?;
            within(PERSON, keychain.save(&key.file_name(), text)).await
        })
    }

    fn remove<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, ()> {
        Box::pin(async {
            let mark = self.mark(key);
            if !mark.exists() {
                return Ok(());
            }
            within(PERSON, self.keychain().await?.remove(&key.file_name())).await?;
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

async fn within<T>(patience: Duration, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(patience, work).await.unwrap_or_else(|_| Err(failed(&format!("no answer within {patience:?}"))))
}

/// Why a keychain does not do what it is there for.
fn failed(found: &impl fmt::Display) -> io::Error {
    io::Error::other(format!("expected the keychain of this user to answer, but found: {found}"))
}

/// Longest wait for a keychain to be there: the bus may have to start it.
const ANSWER: Duration = Duration::from_secs(10);
/// Longest wait where a person may be asked to unlock it.
const PERSON: Duration = Duration::from_secs(120);

#[cfg(test)]
mod tests;
