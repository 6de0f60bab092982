//! Texts that nobody may see: tokens, client secrets.
//!
//! In: a text. Out: the text, for those who ask for it by name. `Debug` shows none of it, and there is no `Display`. Memory is
//! not wiped: the same bytes have passed through buffers of HTTP and JSON that nobody wipes.

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

    /// The text itself. Every call is a place to look at.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
