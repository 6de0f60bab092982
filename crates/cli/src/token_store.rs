//! The store of the user's tokens and secrets, and the use of stored tokens by all commands.
//!
//! In: the environment, a target. Out: a store, and the target with the stored tokens. Nothing here signs in:
//! `plainwire login` does that.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use plainwire::Error;
use plainwire::client::Target;
use plainwire::proto::base64;
use plainwire_oauth::{
    AuthFault, FileStore, Held, KeychainStore, OAuth, OAuthBuilder, StoreKey, TokenFuture, TokenStore,
};

use crate::exit::Failure;
use crate::{output, paths, target};

/// The name of this client on the sign-in page.
const NAME: &str = "Plainwire";

/// The environment variable with the keys that encrypt stored tokens.
const KEY: &str = "PLAINWIRE_TOKEN_KEY";

/// The maximal number of keys in [`KEY`].
const MAX_KEYS: usize = plainwire::proto::seal::MAX_KEYS;

/// A token store in the system's keychain, or in files if the keychain can't be reached.
///
/// A token in a file stays in a file until it is removed: its renewal in the background must not make the
/// system ask the user to unlock the keychain. Keychain and files use the same lock files, in the same
/// folder.
#[derive(Debug)]
struct KeychainOrFiles {
    files: FileStore,
    folder: PathBuf,
    keychain: KeychainStore,
    has_warned: AtomicBool,
}

impl KeychainOrFiles {
    fn new(folder: &Path) -> Self {
        let (files, keychain) = (FileStore::new(folder), KeychainStore::new("plainwire", folder));
        Self { files, folder: folder.to_owned(), keychain, has_warned: AtomicBool::new(false) }
    }

    /// Prints that tokens are stored in files, and why. Later calls print nothing.
    fn warn_once(&self, why: &io::Error) {
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            let folder = self.folder.display();
            output::to_stderr(&format!("tokens are stored in files below {folder}, mode 0600: {why}\n"));
        }
    }
}

impl TokenStore for KeychainOrFiles {
    fn load<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Option<String>> {
        Box::pin(async {
            match self.files.load(key).await? {
                Some(text) => Ok(Some(text)),
                None => self.keychain.load(key).await,
            }
        })
    }

    fn save<'s>(&'s self, key: &'s StoreKey, text: &'s str) -> TokenFuture<'s, ()> {
        Box::pin(async move {
            if self.files.load(key).await?.is_some() {
                return self.files.save(key, text).await;
            }
            match self.keychain.save(key, text).await {
                Ok(()) => Ok(()),
                Err(why) => {
                    self.warn_once(&why);
                    self.files.save(key, text).await
                }
            }
        })
    }

    fn remove<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, ()> {
        Box::pin(async {
            self.files.remove(key).await?;
            self.keychain.remove(key).await
        })
    }

    fn lock<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Held> {
        self.files.lock(key)
    }
}

/// The store of the user: encrypted files if there is a key for them, else the keychain.
#[derive(Debug)]
pub(crate) struct UserStore(Box<dyn TokenStore>);

impl TokenStore for UserStore {
    fn load<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Option<String>> {
        self.0.load(key)
    }

    fn save<'s>(&'s self, key: &'s StoreKey, text: &'s str) -> TokenFuture<'s, ()> {
        self.0.save(key, text)
    }

    fn remove<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, ()> {
        self.0.remove(key)
    }

    fn lock<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Held> {
        self.0.lock(key)
    }
}

/// Returns the builder of an OAuth client whose store all commands share.
pub(crate) fn oauth() -> Result<OAuthBuilder, Failure> {
    Ok(OAuth::builder(NAME).store(store()?))
}

/// Returns the store that all commands share.
pub(crate) fn store() -> Result<UserStore, Failure> {
    let folder = paths::data().ok_or_else(|| {
        Failure::usage("expected HOME to be set, to store tokens below it, but found nothing".into())
    })?;
    Ok(UserStore(match target::variable(KEY) {
        // A separate folder: tokens that were stored without a key stay readable after a key is set.
        Some(text) => Box::new(FileStore::encrypted(folder.join("encrypted-tokens"), &keys(&text)?)),
        None => Box::new(KeychainOrFiles::new(&folder.join("tokens"))),
    }))
}

/// Adds the stored tokens to a target over HTTP, unless the command line or the configuration sets
/// `Authorization`. Other targets stay unchanged.
pub(crate) async fn with_tokens(target: Target) -> Result<Target, Failure> {
    let Target::Remote(remote) = target else { return Ok(target) };
    let url = match remote.url() {
        Ok(url) if !remote.has_header("authorization") && paths::data().is_some() => url,
        _ => return Ok(remote.into()),
    };
    let oauth = oauth()?.build()?;
    Ok(match oauth.signed_in(&url).await {
        Ok(Some(_)) => remote.authorize(oauth).into(),
        Err(error @ Error::Auth { fault: AuthFault::Store, .. }) => return Err(error.into()),
        // There are no tokens, or the server can't be trusted with any. The connection is tried without a
        // token; a server that requires one will refuse it.
        _ => remote.into(),
    })
}

/// Parses keys separated by commas, each 32 bytes in hexadecimal or base64. The first key encrypts; all of
/// them decrypt.
fn keys(text: &str) -> Result<Vec<[u8; 32]>, Failure> {
    let keys: Option<Vec<_>> = text.split(',').map(|it| key(it.trim())).collect();
    keys.filter(|it| it.len() <= MAX_KEYS).ok_or_else(|| {
        // The message does not show the text: it is a secret.
        Failure::usage(format!("{KEY}: expected 1 to {MAX_KEYS} keys of 32 bytes, in hexadecimal or base64"))
    })
}

fn key(text: &str) -> Option<[u8; 32]> {
    if text.len() == 64 && text.bytes().all(|it| it.is_ascii_hexdigit()) {
        let byte = |at: usize| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok();
        let bytes: Option<Vec<u8>> = (0..32).map(byte).collect();
        return bytes?.try_into().ok();
    }
    base64::decode(text)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_keys_in_hexadecimal_and_base64() {
        let hex = "07".repeat(32);
        let base64 = base64::encode(&[8; 32]);
        assert_eq!(keys(&hex).expect("a key"), [[7; 32]]);
        assert_eq!(keys(&format!("{base64}, {hex}")).expect("two keys"), [[8; 32], [7; 32]]);
        for wrong in
            ["", "s3cret", &hex[2..], &format!("{hex},"), &"+7".repeat(32), &base64::encode(&[8; 31])]
        {
            let failure = keys(wrong).expect_err("an error");
            assert!(!failure.text.contains("s3cret") && failure.text.starts_with(KEY), "{wrong}");
        }
        assert!(keys(&[hex.as_str(); 17].join(",")).is_err());
    }
}
