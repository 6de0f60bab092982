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
    let has = |source: &str, name: &str| memchr::memmem::find(source.as_bytes(), name.as_bytes()).is_some();
    let is_confluence = format == Format::Wiki(Dialect::Confluence);
    // All names have the first one in them.
    let has_raw = |it: &str| {
        has(it, "plainwire") && PRIVATE.iter().any(|name| has(it, name)) || is_confluence && has(it, "{adf")
    };
    keeping(format, keep_raw || sources.any(has_raw))
}

/// The names of the macro, the extension and the attributes that only this crate reads.
const PRIVATE: [&str; 3] = ["plainwire-raw", "com.plainwire.raw", "data-plainwire"];
