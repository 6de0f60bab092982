//! Where the tokens of this user are kept, and who uses them without being told to.
//!
//! In: the environment, a target. Out: a store, and targets that carry what is in it. Nothing here signs in: that is `plainwire login`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use plainwire::auth::{
    AuthFault, FileStore, Held, KeychainStore, OAuth, OAuthBuilder, StoreKey, TokenFuture, TokenStore,
};
use plainwire::proto::base64;
use plainwire::{Error, Target};

use crate::exit::Failure;
use crate::{output, places, target};

/// The name that people are shown when they sign in.
const NAME: &str = "Plainwire";

/// The environment variable with keys for the files.
const KEY: &str = "PLAINWIRE_TOKEN_KEY";

/// Keys that a store takes.
const MAX_KEYS: usize = plainwire::proto::seal::MAX_KEYS;

/// The keychain, and files where it can't be reached.
///
/// What lies in a file stays in a file until it is removed: a token that is renewed in the background is no reason to ask for the
/// keychain. Both have their locks in the same folder, and so the same locks.
#[derive(Debug)]
struct Keep {
    files: FileStore,
    folder: PathBuf,
    keychain: KeychainStore,
    has_told: AtomicBool,
}

impl Keep {
    fn new(folder: &Path) -> Self {
        let (files, keychain) = (FileStore::new(folder), KeychainStore::new("plainwire", folder));
        Self { files, folder: folder.to_owned(), keychain, has_told: AtomicBool::new(false) }
    }

    /// Says once why tokens lie where they do.
    fn tell(&self, why: &io::Error) {
        if !self.has_told.swap(true, Ordering::Relaxed) {
            let folder = self.folder.display();
            output::words(&format!("tokens are kept in files below {folder}, mode 0600: {why}\n"));
        }
    }
}

impl TokenStore for Keep {
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
                    self.tell(&why);
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

/// Begins a client of OAuth that keeps its tokens where all commands find them.
pub(crate) fn oauth() -> Result<OAuthBuilder, Failure> {
    let folder = places::data().ok_or_else(|| {
        Failure::usage("expected HOME to say where tokens are kept, but found nothing".into())
    })?;
    let oauth = OAuth::builder(NAME);
    Ok(match target::variable(KEY) {
        // A folder of its own: a key that is set later makes nothing unreadable that was written before.
        Some(text) => oauth.store(FileStore::encrypted(folder.join("encrypted-tokens"), &keys(&text)?)),
        None => oauth.store(Keep::new(&folder.join("tokens"))),
    })
}

/// Has a server over HTTP get the tokens that are kept for it. One that is told how to prove itself gets none.
pub(crate) async fn with_tokens(target: Target) -> Result<Target, Failure> {
    let Target::Remote(remote) = target else { return Ok(target) };
    let url = match remote.url() {
        Ok(url) if !remote.has_header("authorization") && places::data().is_some() => url,
        _ => return Ok(remote.into()),
    };
    let oauth = oauth()?.build()?;
    Ok(match oauth.signed_in(&url).await {
        Ok(Some(_)) => remote.authorize(oauth).into(),
        Err(error @ Error::Auth { fault: AuthFault::Store, .. }) => return Err(error.into()),
        // None, or a server that can't be trusted with any. If it wants some, it says so.
        _ => remote.into(),
    })
}

/// Reads keys with commas between them, the one that encrypts first. Each is 32 bytes, in hexadecimal or in base64.
fn keys(text: &str) -> Result<Vec<[u8; 32]>, Failure> {
    let keys: Option<Vec<_>> = text.split(',').map(|it| key(it.trim())).collect();
    keys.filter(|it| it.len() <= MAX_KEYS).ok_or_else(|| {
        // Not what stands there.
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
