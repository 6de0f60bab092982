//! Sidecars: Markdown for editing, and the data to put an edit back into the source.
//!
//! In: a source, and later its edited Markdown. Out: Markdown with a sidecar, and later the source with the
//! edit. Every block that the edit did not touch comes back byte for byte, from its entry in the sidecar.
//!
//! A sidecar is JSON text; [`Sidecar::to_json`] documents it. It contains the whole source.

mod around;
mod cut_off;
mod edited;
mod pieces;
mod restore;
mod split;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;
use crate::format::{Dialect, Format};
use crate::loss::Loss;

/// The data of a document that its Markdown does not show, block by block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sidecar {
    /// Always [`Sidecar::VERSION`].
    version: u32,
    /// The name of the source's format ([`Format::name`]).
    format: String,
    /// The dialect of wiki markup, `jira` or `confluence`; `None` for other formats.
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<String>,
    /// The entries: the blocks of the source with their Markdown, in order.
    entries: Vec<Entry>,
    /// The source after the last block.
    after: String,
    /// True if what the format has no place for is written in ways that only this crate reads.
    #[serde(skip)]
    keep_raw: bool,
}

/// A block of the source with its Markdown, or several blocks that have their meaning only together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Entry {
    /// The source before the block, from the end of the previous entry or the beginning of the source.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    before: String,
    /// The source of the block, copied verbatim.
    source: String,
    /// The Markdown blocks that were written for the block, usually one.
    markdown: Vec<String>,
}

/// The reason why an edit can't be put back into a source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SidecarError {
    /// The text is not the JSON of a sidecar. The value is the reason.
    Malformed(String),
    /// The sidecar has another version than [`Sidecar::VERSION`].
    Version {
        /// The version that the sidecar has.
        found: u32,
    },
    /// The sidecar belongs to another document: the edited Markdown has nothing, or almost nothing, in common
    /// with the Markdown in the sidecar.
    OtherDocument,
}

/// A source into which an edit was put back.
#[derive(Clone, Debug)]
pub struct Restored {
    /// The source with the edit.
    pub text: String,
    /// Nodes that Markdown itself has no syntax for and that the edit removed, perhaps by accident; only a
    /// person can decide whether that was meant. [`Restored::text`] does not contain them.
    pub conflicts: Vec<Conflict>,
    /// Content of the edited Markdown that [`Restored::text`] does not carry, found by reading that text
    /// again; and names that the edit gave to mentions, if the format has only their ids.
    pub losses: Vec<Loss>,
    /// Errors in the edited Markdown: wrong syntax, and exceeded limits.
    pub diagnostics: Vec<Diagnostic>,
    /// Mistakes that the edit added, with spans in the Markdown: content that Atlassian's schema does not
    /// allow (`:status[OK]{color=freen}`), and required attributes that are missing (`:mention[@Jane]`
    /// without an id). For storage format and wiki markup also mentions whose name does not fit their id.
    /// Empty if the source is Markdown. [`Restored::text`] carries this content all the same; a format that
    /// has no other spelling for it embeds it as JSON.
    pub invalid: Vec<Diagnostic>,
    /// The number of entries of the sidecar whose source was copied unchanged and that are in their old
    /// order. If [`Section::patch`](crate::Section::patch) made this: the number of top-level blocks outside
    /// the section.
    pub copied: usize,
}

/// A node that Markdown itself has no syntax for and that the edit removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The kind and the name of the node, such as `status "OK"`.
    pub what: String,
    /// The index, from 0, of the block of the source that contained the node. A block is an entry of the
    /// sidecar, or for [`Section::patch`](crate::Section::patch) a top-level block of the document.
    pub block: usize,
}

impl Restored {
    /// Returns the source as it is: an edit that changes nothing can't lose anything.
    pub(crate) fn unedited(source: &str, diagnostics: Vec<Diagnostic>, copied: usize) -> Self {
        let (conflicts, losses, invalid) = (Vec::new(), Vec::new(), Vec::new());
        Self { text: source.to_owned(), conflicts, losses, diagnostics, invalid, copied }
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected the {} of block [{}], but the edit removed it", self.what, self.block)
    }
}

impl Sidecar {
    /// The version of the sidecar's JSON that this crate writes and reads.
    pub const VERSION: u32 = 1;

    /// Returns the format of the source.
    #[must_use]
    pub fn format(&self) -> Format {
        match (self.format.parse(), self.dialect.as_deref()) {
            (Ok(Format::Wiki(_)), Some("jira")) => Format::Wiki(Dialect::Jira),
            (Ok(format), _) => format,
            // `from_json` accepts no other names.
            (Err(_), _) => Format::EDITED,
        }
    }

    /// Returns the sidecar as JSON: `version`, `format`, `dialect` (of wiki markup), `entries` and `after`.
    /// An entry has `before` (the source before the block), `source` (the bytes of the block) and `markdown`
    /// (the Markdown blocks that were written for it).
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("strings and numbers are JSON")
    }

    /// Parses the output of [`Sidecar::to_json`].
    ///
    /// # Errors
    ///
    /// [`Malformed`](SidecarError::Malformed) if `json` is not a sidecar, [`Version`](SidecarError::Version)
    /// if it has another version than [`VERSION`](Self::VERSION).
    pub fn from_json(json: &str) -> Result<Self, SidecarError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let malformed = |error: serde_json::Error| SidecarError::Malformed(error.to_string());
        // A sidecar of another version may have other fields, so report the version before errors in the
        // fields.
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

    /// Returns the sidecar, with which an edit is restored like the content of a document with
    /// [`Document::keep_raw`](crate::Document::keep_raw). Not part of the JSON.
    #[must_use]
    pub fn keeping_raw(self, keep_raw: bool) -> Self {
        Self { keep_raw, ..self }
    }

    /// Returns the number of blocks in the source. Blocks that have their meaning only together count as one.
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
                write!(f, "expected the Markdown this sidecar belongs to, but found that of another document")
            }
        }
    }
}

impl std::error::Error for SidecarError {}
