//! The formats.

use std::fmt;
use std::str::FromStr;

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Atlassian Document Format: JSON.
    Adf,
    /// Confluence's storage format: XHTML with macros.
    Storage,
    /// Wiki markup, as one of the two products reads it.
    Wiki(Dialect),
    /// Markdown; both flavours are read alike.
    Markdown(Flavor),
}

/// Whose wiki markup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Jira's: `{info}` and the like are text.
    Jira,
    /// Confluence's: every macro is one.
    #[default]
    Confluence,
}

/// How much of a document Markdown is to carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flavor {
    /// Everything but identifiers: what Markdown has no syntax for is a directive (`:status[OK]{color=green}`).
    #[default]
    Extended,
    /// What GitHub shows, for reading: panels are alerts, a status is its text.
    Plain,
}

impl Format {
    /// The Markdown that is edited: the one that says all but identifiers.
    pub const EDITED: Self = Self::Markdown(Flavor::Extended);

    /// Its name on a command line: `adf`, `storage`, `wiki`, `markdown`.
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

/// The name of the format, if `name` is one: whose raw text another format carries.
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

    /// Takes the names of [`Format::name`], with the default dialect and flavour.
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
