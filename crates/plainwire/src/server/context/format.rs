//! The form of a result, as a call asks for it.
//!
//! In: the argument `format` of a call, which the presentation of the server takes out. Out: [`Format`], for the presentation
//! and for a handler that returns less data in one form than in another.

use std::fmt;
use std::str::FromStr;

use super::Context;

/// The form of a result, which a call of a server with [`crate::presentation::Presentation::gated`] names in the argument
/// `format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Markdown, and no JSON among the blocks.
    #[default]
    Markdown,
    /// JSON, and no Markdown.
    Json,
    /// Markdown, and JSON as the last block.
    Both,
}

impl Format {
    /// All forms, in the order in which a schema names them.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Json, Self::Both];

    /// Returns the word for the form, as in the argument `format`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Json => "json",
            Self::Both => "both",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = String;

    /// Reads the word for a form.
    ///
    /// # Errors
    /// A sentence with the words that there are.
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|it| it.as_str() == text).ok_or_else(|| {
            format!(
                "expected \"markdown\", \"json\" or \"both\", but found {:?}",
                plainwire_proto::json::shorten(text)
            )
        })
    }
}

impl Context {
    /// Returns the form of the result that the call asks for. [`Format::Json`] unless the server has the profile
    /// [`crate::presentation::Presentation::gated`].
    ///
    /// Few handlers need it: the presentation makes each form from the value. It is for data that only readers want, such as
    /// the code of a preview.
    pub fn format(&self) -> Format {
        self.format
    }

    pub(crate) fn set_format(&mut self, format: Format) {
        self.format = format;
    }
}
