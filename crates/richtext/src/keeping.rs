//! Content that a format has no place for, in edits: it is kept if the caller asks for that, or if the source keeps such content
//! already.

use crate::format::{Dialect, Format};
use crate::spelling::{Spelling, keeping};

/// Returns the implementation of a format for edits of `sources`: what a source has already, an edit of it may write, too.
pub(crate) fn of_edits<'s>(
    format: Format,
    mut sources: impl Iterator<Item = &'s str>,
    keep_raw: bool,
) -> Box<dyn Spelling> {
    let in_wiki = if format == Format::Wiki(Dialect::Confluence) { &["{adf"][..] } else { &[] };
    let has_raw = |it: &str| PRIVATE.iter().chain(in_wiki).any(|name| it.contains(name));
    keeping(format, keep_raw || sources.any(has_raw))
}

/// What only this crate reads, wherever it is written.
pub(crate) const PRIVATE: [&str; 3] = ["plainwire-raw", "com.plainwire.raw", "data-plainwire"];
