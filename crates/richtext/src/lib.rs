//! Rich text as Atlassian's products and assistants write it: reads and writes ADF, Confluence storage
//! format, wiki markup and Markdown through one tree.
//!
//! In: a text in one of the formats. Out: a tree whose nodes have spans (byte ranges) in that text
//! ([`Document`]), and a text in another format. This crate does no I/O, does not know MCP, and sends no
//! request to a server.
//!
//! Reading never fails. A conversion reports the content that the written text does not carry ([`Loss`]), up
//! to [`MAX_LOSSES`].

pub mod adf;
mod align;
mod compare;
mod convert;
#[cfg(test)]
#[path = "../tests/corpus/mod.rs"]
mod corpus;
mod counts;
mod diagnostic;
#[cfg(test)]
mod dice;
mod document;
mod emoji;
mod empty_lines;
mod format;
mod graft;
mod in_order;
mod keeping;
mod lean;
mod legal;
mod loss;
mod markdown;
mod matching;
mod merge;
mod minimize;
mod names;
mod plainer;
mod section;
mod sidecar;
mod spelling;
mod storage;
pub mod tree;
mod unshown;
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
