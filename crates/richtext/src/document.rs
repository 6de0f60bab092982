//! A document: a source text and the tree that was read from it.

use thin_vec::ThinVec;

use crate::diagnostic::Diagnostic;
use crate::format::Format;
use crate::tree::{MAX_NODES, Node, Room};

/// The largest source that is read, in bytes: 1 GiB. For a larger one the tree stays empty and a diagnostic
/// says so.
pub const MAX_SOURCE: usize = 1 << 30;

/// A source text with its tree.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// The format of the source.
    pub format: Format,
    /// The source text.
    pub source: &'a str,
    /// The top-level blocks, in order. Bytes between them in the source belong to no block; nor does a byte
    /// order mark before them.
    pub blocks: ThinVec<Node<'a>>,
    /// Errors in the source. Text that could not be understood is in the tree as raw nodes.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> Document<'a> {
    /// Reads `source`. This never fails: a part that can't be understood is kept raw and reported in
    /// [`Document::diagnostics`].
    #[must_use]
    pub fn read(format: Format, source: &'a str) -> Self {
        Self::read_within(format, source, Room::default())
    }

    /// Reads the output of a conversion, with twice the node limit. Reading can need more nodes than the tree
    /// that was written, because tags in Markdown count as nodes.
    pub(crate) fn read_back(format: Format, written: &'a str) -> Self {
        Self::read_within(format, written, Room::of(2 * MAX_NODES))
    }

    fn read_within(format: Format, source: &'a str, room: Room) -> Self {
        if source.len() > MAX_SOURCE {
            let found = format!("expected at most {MAX_SOURCE} bytes, but found {}", source.len());
            let diagnostics = vec![Diagnostic::new(crate::tree::Span::default(), found)];
            return Self { format, source: "", blocks: ThinVec::new(), diagnostics };
        }
        let mark = mark(format, source);
        let (mut blocks, mut diagnostics) = crate::spelling::of(format).read_within(&source[mark..], room);
        moved(mark, &mut blocks, &mut diagnostics);
        Self { format, source, blocks, diagnostics }
    }

    /// Returns the text of this document in `format`, without the content that `format` can't carry.
    /// [`convert`](crate::convert) reports that content.
    #[must_use]
    pub fn write(&self, format: Format) -> String {
        crate::spelling::of(format).document(&self.blocks)
    }
}

/// The byte order mark.
pub(crate) const MARK: char = '\u{feff}';

/// Returns the length in bytes of the byte order mark that some editors put before a text. Returns 0 for ADF,
/// whose reader skips the mark itself.
pub(crate) fn mark(format: Format, source: &str) -> usize {
    if format != Format::Adf && source.starts_with(MARK) { MARK.len_utf8() } else { 0 }
}

/// Moves the spans of nodes and diagnostics by `mark`, the length in bytes of a byte order mark before the
/// text they were read from.
pub(crate) fn moved(mark: usize, blocks: &mut [Node<'_>], diagnostics: &mut [Diagnostic]) {
    if mark > 0 {
        blocks.iter_mut().for_each(|it| it.shift(mark));
        diagnostics.iter_mut().for_each(|it| it.span = it.span.shifted(mark));
    }
}
