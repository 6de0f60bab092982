//! Formats, dialects and flavours of rich text.

use std::fmt;
use std::str::FromStr;

/// The format of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Atlassian Document Format: JSON.
    Adf,
    /// Confluence's storage format: XHTML with macros.
    Storage,
    /// Wiki markup, in the dialect of Jira or of Confluence.
    Wiki(Dialect),
    /// Markdown. The reader treats both flavours alike.
    Markdown(Flavor),
}

/// A dialect of wiki markup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Jira's: `{info}` and similar macros are plain text.
    Jira,
    /// Confluence's: every macro is read as a macro.
    #[default]
    Confluence,
}

/// A flavour of Markdown, by how much of a document it carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flavor {
    /// Everything but identifiers. Content that Markdown has no syntax for is written as a directive
    /// (`:status[OK]{color=green}`).
    #[default]
    Extended,
    /// Only what GitHub renders, for reading: panels are alerts, a status is its text.
    Plain,
}

impl Format {
    /// The flavour of Markdown to use for edits: it carries everything but identifiers.
    pub const EDITED: Self = Self::Markdown(Flavor::Extended);

    /// Returns the format's name on a command line: `adf`, `storage`, `wiki`, `markdown`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Adf => "adf",
            Self::Storage => "storage",
            Self::Wiki(_) => "wiki",
            Self::Markdown(_) => "markdown",
        }
    }
}

/// Returns the format's name as a `&'static str`; `None` if `name` is not a format. Readers use it for the
/// format of raw nodes.
pub(crate) fn known(name: &str) -> Option<&'static str> {
    name.parse().ok().map(Format::name)
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    /// Parses a name as [`Format::name`] returns it, with the default dialect and flavour.
    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "adf" => Ok(Self::Adf),
            "storage" => Ok(Self::Storage),
            "wiki" => Ok(Self::Wiki(Dialect::default())),
            "markdown" => Ok(Self::Markdown(Flavor::default())),
            _ => Err(format!("expected one of adf, storage, wiki, markdown, but found {name:?}")),
        }
    }
}
