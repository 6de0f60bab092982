//! Rich text as Atlassian's products and assistants write it: ADF, Confluence storage format, wiki markup and Markdown, through one
//! tree, without loss.
//!
//! In: a text in one of the formats. Out: a tree with the places in that text ([`Document`]), and a text in another format. Nothing
//! here does I/O, knows the protocol, or asks a server anything.
//!
//! Reading never fails. What a format can't carry is never dropped in silence.

pub mod adf;
mod align;
mod compare;
mod convert;
#[cfg(test)]
#[path = "../tests/corpus/mod.rs"]
mod corpus;
mod diagnostic;
#[cfg(test)]
mod dice;
mod document;
mod format;
mod loss;
mod markdown;
mod merge;
mod minimize;
mod names;
mod section;
mod sidecar;
mod spelling;
mod storage;
pub mod tree;
mod values;
mod wiki;

pub use convert::{Conversion, convert, convert_with};
pub use diagnostic::{Diagnostic, Position, Positions};
pub use document::{Document, MAX_SOURCE};
pub use format::{Dialect, Flavor, Format};
pub use loss::{Loss, LossKind, MAX_LOSSES};
pub use minimize::{Minimal, minimize};
pub use names::{Attachment, Names, Page, Resolver, User};
pub use section::{Address, Section, SectionError};
pub use sidecar::{Conflict, Restored, Sidecar, SidecarError};
