//! The Keychain of macOS and the Credential Manager of Windows.
//!
//! In: names and texts. Out: items in the keychain; a text that is too long for one item takes several. Calls
//! of both systems block, and macOS may ask the user meanwhile, so they run outside the async threads.

use std::io;

#[cfg(target_os = "macos")]
use apple_native_keyring_store::keychain::Store;
use keyring_core::api::CredentialStoreApi as _;
use keyring_core::{Entry, Error};
#[cfg(windows)]
use windows_native_keyring_store::Store;

use super::{failed, pieces};
use plainwire::handler::blocking;

/// The keychain of the user. It holds only the name of the items: these systems have one keychain per user,
/// which needs no session.
#[derive(Debug)]
pub(super) struct Keychain {
    name: String,
}

/// The items that hold the pieces of one text. The account is the file name of the text's key.
struct Items {
    name: String,
    account: String,
}

impl Keychain {
    pub(super) async fn open(name: &str) -> io::Result<Self> {
        Store::new().map_err(|error| failed(&error))?;
        Ok(Self { name: name.to_owned() })
    }

    pub(super) async fn load(&self, account: &str) -> io::Result<Option<String>> {
        let items = self.items(account);
        blocking(move || pieces::join(|n| items.load(n))).await
    }

    pub(super) async fn save(&self, account: &str, text: &str) -> io::Result<()> {
        let (items, pieces) = (self.items(account), pieces::split(text, MAX_BYTES)?);
        blocking(move || pieces.iter().enumerate().try_for_each(|(n, piece)| items.save(n, piece))).await
    }

    pub(super) async fn remove(&self, account: &str) -> io::Result<()> {
        let items = self.items(account);
        // Begins with the first piece: without that piece, `load` ignores the others, even if the removal
        // stops half-way.
        blocking(move || (0..pieces::MAX).find_map(|n| items.remove(n).transpose()).unwrap_or(Ok(()))).await
    }

    fn items(&self, account: &str) -> Items {
        Items { name: self.name.clone(), account: account.to_owned() }
    }
}

impl Items {
    fn load(&self, n: usize) -> io::Result<Option<String>> {
        match self.item(n)?.get_secret() {
            Ok(bytes) => {
                String::from_utf8(bytes).map(Some).map_err(|_| failed(&"a secret that is not UTF-8"))
            }
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }

    fn save(&self, n: usize, piece: &str) -> io::Result<()> {
        self.item(n)?.set_secret(piece.as_bytes()).map_err(|error| failed(&error))
    }

    /// Removes the item of the piece `n`. Returns `Some` if there was none, which means that all pieces are
    /// removed.
    fn remove(&self, n: usize) -> io::Result<Option<()>> {
        match self.item(n)?.delete_credential() {
            Ok(()) => Ok(None),
            Err(Error::NoEntry) => Ok(Some(())),
            Err(error) => Err(failed(&error)),
        }
    }

    fn item(&self, n: usize) -> io::Result<Entry> {
        let account = if n == 0 { self.account.clone() } else { format!("{} {n}", self.account) };
        let store = Store::new().map_err(|error| failed(&error))?;
        store.build(&self.name, &account, None).map_err(|error| failed(&error))
    }
}

/// Longest item, in bytes.
const MAX_BYTES: usize = if cfg!(windows) { pieces::MAX_BYTES_WINDOWS } else { pieces::MAX_BYTES_MACOS };
