//! Storage for tokens and registrations between runs of a program.
//!
//! In: texts under keys, and requests to lock a key. Out: the same texts. A store does not interpret the
//! texts, but must keep them secret. The processes of a user can share a [`FileStore`], and also the keychain
//! of the system (feature `keychain`); the contents of a [`MemoryStore`] are lost when the program ends.

use std::future::Future;
use std::pin::Pin;
use std::{fmt, io};

use plainwire::proto::base64::encode_url;
use ring::digest::{SHA256, digest};

mod file;
#[cfg(feature = "keychain")]
mod keychain;
mod memory;

pub use file::FileStore;
#[cfg(feature = "keychain")]
pub use keychain::KeychainStore;
pub use memory::MemoryStore;

/// The future that a method of [`TokenStore`] returns.
pub type TokenFuture<'s, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 's>>;

/// A store for the secrets of OAuth clients: tokens and client registrations.
///
/// A future that is dropped early must have done all of its work or none. A store needs no limit on its texts:
/// it holds one text per authorization server, and two per server that is used.
pub trait TokenStore: fmt::Debug + Send + Sync + 'static {
    /// Returns the text that is stored under `key`; `None` if there is none.
    fn load<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Option<String>>;

    /// Stores `text` under `key`, all of it or nothing.
    fn save<'s>(&'s self, key: &'s StoreKey, text: &'s str) -> TokenFuture<'s, ()>;

    /// Removes the text under `key`, if there is one.
    fn remove<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, ()>;

    /// Locks `key` against all other users of the store, in this process and in others. Waits until the lock
    /// is free.
    fn lock<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Held>;
}

/// A lock of a store's key. Dropping it releases the lock.
pub struct Held {
    _lock: Box<dyn Send>,
}

/// The name of a text in a store: the kind of the text, and the URLs that it is about, or the name of a secret.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoreKey(String);

impl Held {
    /// Wraps a value that releases the lock when it is dropped.
    pub fn new(lock: impl Send + 'static) -> Self {
        Self { _lock: Box::new(lock) }
    }
}

impl StoreKey {
    /// Returns the key of the client that `issuer` has registered.
    pub(super) fn client(issuer: &str) -> Self {
        Self(format!("client {issuer}"))
    }

    /// Returns the key of the record that says which issuer the MCP server `resource` belongs to.
    pub(super) fn server(resource: &str) -> Self {
        Self(format!("server {resource}"))
    }

    /// Returns the key of the tokens of `issuer` for the MCP server `resource`. Neither URL can contain a
    /// blank.
    pub(super) fn tokens(issuer: &str, resource: &str) -> Self {
        Self(format!("tokens {issuer} {resource}"))
    }

    /// Returns the key of a secret that the user named, such as an API token. Programs may keep such secrets in the same
    /// store as tokens.
    pub fn secret(name: &str) -> Self {
        Self(format!("secret {name}"))
    }

    /// Returns the key as text, with its URLs: `tokens https://as.example https://mcp.example/mcp`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the key as a name for files and the like: at most 51 letters, digits, `-` and `_`.
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
