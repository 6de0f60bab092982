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
    /// Markdown. Both flavours are read alike; the flavour only decides how Markdown is written.
    Markdown(Flavor),
}

/// A dialect of wiki markup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The dialect of Jira: macros that Jira does not have, such as `{info}`, are plain text.
    Jira,
    /// The dialect of Confluence: every macro is read as a macro.
    #[default]
    Confluence,
}

/// A flavour of Markdown, by how much of a document it carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flavor {
    /// Markdown that carries everything but identifiers. Content that Markdown has no syntax for is written
    /// as a directive (`:status[OK]{color=green}`).
    #[default]
    Extended,
    /// Markdown that carries only what GitHub renders, for people to read: a panel becomes an alert, a status
    /// becomes its text.
    Plain,
}

impl Format {
    /// The format in which documents are edited: Markdown of the flavour that carries everything but
    /// identifiers.
    pub const EDITED: Self = Self::Markdown(Flavor::Extended);

    /// Returns the format's name, without dialect or flavour: `adf`, `storage`, `wiki`, `markdown`.
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

/// Returns `name` as a `&'static str` if it is the name of a format, otherwise `None`. Readers use it for the
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

    /// Parses a name as [`Format::name`] returns it. Wiki markup gets the dialect of Confluence, and Markdown
    /// the flavour [`Flavor::Extended`].
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
