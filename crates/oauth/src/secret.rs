//! Texts that must not be shown: tokens, client secrets.
//!
//! In: a text. Out: the same text, only through [`Secret::reveal`] and serde, which writes it for the store.
//! `Debug` shows none of it, and there is no `Display`. Memory is not wiped: the bytes have also passed
//! through buffers of HTTP and JSON, which are not wiped either.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A text that `Debug` does not show.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Secret(String);

impl Secret {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text itself. Reviews look at every call of this function.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
