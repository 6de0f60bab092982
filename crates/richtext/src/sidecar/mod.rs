//! Markdown to edit, and what it takes to put the edit back.
//!
//! In: a source, and later its Markdown as somebody edited it. Out: Markdown with a sidecar, and later the source with the edit: every
//! block that was not touched comes back byte for byte, from its own entry.
//!
//! A sidecar is JSON, as a text; [`Sidecar::to_json`] documents it. It holds all of the source.

mod edited;
mod pieces;
mod restore;
mod split;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::adf;
use crate::diagnostic::Diagnostic;
use crate::format::{Dialect, Format};
use crate::loss::Loss;
use crate::names::renamed;
use crate::tree::Node;

/// What a source says that its Markdown does not, block by block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sidecar {
    /// Always [`Sidecar::VERSION`].
    version: u32,
    format: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<String>,
    entries: Vec<Entry>,
    /// What stands after the last block.
    after: String,
}

/// One block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Entry {
    /// What stands before it: after the block before, or at the beginning.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    before: String,
    /// Its bytes.
    source: String,
    /// The blocks of Markdown that were made of it, mostly one.
    markdown: Vec<String>,
}

/// Why an edit can't be put back.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SidecarError {
    /// It is not a sidecar.
    Malformed(String),
    /// It is one of another version.
    Version {
        /// Which.
        found: u32,
    },
    /// It belongs to another document: nothing of the Markdown is in it.
    OtherDocument,
}

/// A source with an edit put back.
#[derive(Clone, Debug)]
pub struct Restored {
    /// The source with the edit.
    pub text: String,
    /// What can't be decided without a person: something that Markdown has no syntax for is gone. It is not in [`Restored::text`].
    pub conflicts: Vec<Conflict>,
    /// What of the edit the text does not say, found by reading it again.
    pub losses: Vec<Loss>,
    /// What is wrong with the Markdown.
    pub diagnostics: Vec<Diagnostic>,
    /// What the edit says that Atlassian's schema does not allow (`:status[OK]{color=freen}`), or does not say although it has to
    /// (`:mention[@Jane]` of nobody), with the places in the Markdown; not if the source is Markdown. The text says it all the same, where
    /// a format has no other way as JSON.
    pub invalid: Vec<Diagnostic>,
    /// How many blocks were copied from their entries, unchanged.
    pub copied: usize,
}

/// Something rich that the edit made vanish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// What: "status \"OK\"".
    pub what: String,
    /// The block of the source it was in, counted from 0.
    pub block: usize,
}

/// What [`Restored::invalid`] tells of an edit.
pub(crate) fn invalid(format: Format, base: &[Node<'_>], edited: &[Node<'_>]) -> Vec<Diagnostic> {
    match format {
        Format::Markdown(_) => Vec::new(),
        Format::Adf => adf::new_complaints(base, edited),
        Format::Storage | Format::Wiki(_) => {
            let mut found = adf::new_complaints(base, edited);
            found.extend(renamed(base, edited));
            found
        }
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected the {} of block [{}], but found it gone", self.what, self.block)
    }
}

impl Sidecar {
    /// The version that is written and read.
    pub const VERSION: u32 = 1;

    /// How the source is written.
    #[must_use]
    pub fn format(&self) -> Format {
        match (self.format.parse(), self.dialect.as_deref()) {
            (Ok(Format::Wiki(_)), Some("jira")) => Format::Wiki(Dialect::Jira),
            (Ok(format), _) => format,
            // `from_json` lets no such name through.
            (Err(_), _) => Format::EDITED,
        }
    }

    /// The sidecar as JSON: `version`, `format`, `dialect` (of wiki markup), `entries` and `after`. An entry has `before` (what stands
    /// before the block), `source` (its bytes) and `markdown` (the blocks that were made of it).
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("strings and numbers are JSON")
    }

    /// Reads what [`Sidecar::to_json`] wrote.
    ///
    /// # Errors
    ///
    /// If it is none, or one of another version.
    pub fn from_json(json: &str) -> Result<Self, SidecarError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let malformed = |error: serde_json::Error| SidecarError::Malformed(error.to_string());
        // One of another version may have other fields: what it is comes before what is wrong with it.
        let read = serde_json::from_str::<Self>(json);
        let found = match &read {
            Ok(sidecar) => sidecar.version,
            Err(_) => serde_json::from_str::<Versioned>(json).map_err(malformed)?.version,
        };
        if found != Self::VERSION {
            return Err(SidecarError::Version { found });
        }
        let sidecar = read.map_err(malformed)?;
        match sidecar.format.parse::<Format>() {
            Ok(_) => Ok(sidecar),
            Err(_) => Err(SidecarError::Malformed(format!(
                "expected the format adf, storage, wiki or markdown, but found {:?}",
                sidecar.format
            ))),
        }
    }

    /// How many blocks the source has.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.entries.len()
    }
}

impl fmt::Display for SidecarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(found) => {
                write!(f, "expected the JSON of a sidecar, but found something else: {found}")
            }
            Self::Version { found } => {
                write!(f, "expected a sidecar of version {}, but found version {found}", Sidecar::VERSION)
            }
            Self::OtherDocument => {
                write!(f, "expected the Markdown this sidecar belongs to, but found nothing of it")
            }
        }
    }
}

impl std::error::Error for SidecarError {}
