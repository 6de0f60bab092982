//! Where tokens and registrations are kept between runs of a program.
//!
//! In: texts under keys, and a lock for one of them. Out: the same texts. What they mean is not the store's business; that they are
//! secret is. A [`FileStore`] is shared by all processes of a user, and so is the keychain of the system (feature `keychain`); a
//! [`MemoryStore`] ends with its program.

use std::future::Future;
use std::pin::Pin;
use std::{fmt, io};

use plainwire_proto::base64::encode_url;
use ring::digest::{SHA256, digest};

mod file;
#[cfg(feature = "keychain")]
mod keychain;
mod memory;

pub use file::FileStore;
#[cfg(feature = "keychain")]
pub use keychain::KeychainStore;
pub use memory::MemoryStore;

/// What a store does, done later.
pub type TokenFuture<'s, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 's>>;

/// Keeps secrets of OAuth clients.
///
/// Futures that are dropped have done their work or nothing. A store has no limit of its own: there is one text per
/// authorization server, and two per server that is used.
pub trait TokenStore: fmt::Debug + Send + Sync + 'static {
    /// Returns the text under `key`; `None` if there is none.
    fn load<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Option<String>>;

    /// Puts `text` under `key`, all of it or nothing.
    fn save<'s>(&'s self, key: &'s StoreKey, text: &'s str) -> TokenFuture<'s, ()>;

    /// Removes what is under `key`, if anything is.
    fn remove<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, ()>;

    /// Waits until nobody else holds the lock of `key`, in this process or another that shares the store, and takes it.
    fn lock<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Held>;
}

/// A lock that somebody holds, until it is dropped.
pub struct Held {
    _lock: Box<dyn Send>,
}

/// The name of a text in a store: what it is, and whose.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoreKey(String);

impl Held {
    /// Makes a lock of what gives it back when it is dropped.
    pub fn new(lock: impl Send + 'static) -> Self {
        Self { _lock: Box::new(lock) }
    }
}

impl StoreKey {
    /// The client as `issuer` has registered it.
    pub(super) fn client(issuer: &str) -> Self {
        Self(format!("client {issuer}"))
    }

    /// Which issuer the server `resource` belongs to.
    pub(super) fn server(resource: &str) -> Self {
        Self(format!("server {resource}"))
    }

    /// The tokens of `issuer` for the server `resource`. Neither can have a blank.
    pub(super) fn tokens(issuer: &str, resource: &str) -> Self {
        Self(format!("tokens {issuer} {resource}"))
    }

    /// Returns the key as text, URLs and all: `tokens https://as.example https://mcp.example/mcp`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the key as a name for files and the like: letters, digits, `-` and `_`, 51 of them at most.
    pub fn file_name(&self) -> String {
        let kind = self.0.split(' ').next().unwrap_or_default();
        format!("{kind}-{}", encode_url(digest(&SHA256, self.0.as_bytes()).as_ref()))
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Held")
    }
}
