//! Texts that must not be shown: tokens, passwords, values of headers.
//!
//! In: a text. Out: the same text, only through [`Secret::reveal`]. `Debug` shows none of it, and there is no
//! `Display`. Memory is not wiped: the bytes also pass through buffers of HTTP and TLS, which are not wiped
//! either.

use std::fmt;

/// A text that `Debug` does not show.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Hides a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text itself. Reviews look at every call of this function.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
