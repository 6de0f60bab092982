//! A document: a source text and the tree that was read from it.

use thin_vec::ThinVec;

use crate::diagnostic::Diagnostic;
use crate::format::Format;
use crate::tree::{Kind, MAX_NODES, Node, NodeLimit};

/// The size of the largest source that [`Document::read`] reads, in bytes: 1 GiB. A larger source gives a
/// document with an empty source and without blocks, and a diagnostic.
pub const MAX_SOURCE: usize = 1 << 30;

/// A source text and the tree that was read from it.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// The format of the source.
    pub format: Format,
    /// The source text; empty if it was larger than [`MAX_SOURCE`].
    pub source: &'a str,
    /// The top-level blocks, in order. Bytes between them in the source belong to no block; nor does a byte
    /// order mark before them.
    pub blocks: ThinVec<Node<'a>>,
    /// Errors in the source. Text that could not be understood is in the tree verbatim, as a raw node
    /// ([`Kind::RawBlock`](crate::tree::Kind::RawBlock), [`Kind::RawInline`](crate::tree::Kind::RawInline)).
    pub diagnostics: Vec<Diagnostic>,
    /// True if content that another format has no place for is written in ways that only this crate reads: ADF as JSON in the
    /// macro `plainwire-raw` and in attributes `data-plainwire` of storage format, in macros of wiki markup; source of other
    /// formats in extensions `com.plainwire.raw` of ADF. No product knows them, so this is `false` after reading; what shows
    /// most of the content is then written instead, and the rest is lost.
    pub keep_raw: bool,
}

impl<'a> Document<'a> {
    /// Reads `source`. This never fails: a part that can't be understood is kept verbatim and reported in
    /// [`Document::diagnostics`].
    #[must_use]
    pub fn read(format: Format, source: &'a str) -> Self {
        Self::read_within(format, source, NodeLimit::default())
    }

    /// Reads a text that a conversion has written, with twice the usual node limit. The text can need more
    /// nodes than the tree it was written from, because tags in Markdown count as nodes.
    pub(crate) fn read_back(format: Format, written: &'a str) -> Self {
        Self::read_within(format, written, NodeLimit::of(2 * MAX_NODES))
    }

    /// Returns whether the source is no document of its format at all, such as plain text or nothing in place of
    /// ADF. Then [`Document::blocks`] has one raw node with the whole source, or none if the source is blank.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        let whole = self.source.trim_end().len();
        let is_whole = |it: &Node<'_>| it.kind == Kind::RawBlock && it.span.end as usize >= whole;
        self.format == Format::Adf
            && !self.diagnostics.is_empty()
            && match &self.blocks[..] {
                [] => self.source.trim_start_matches(MARK).trim().is_empty(),
                [one] => is_whole(one),
                _ => false,
            }
    }

    fn read_within(format: Format, source: &'a str, room: NodeLimit) -> Self {
        if source.len() > MAX_SOURCE {
            let found = format!("expected at most {MAX_SOURCE} bytes, but found {}", source.len());
            let diagnostics = vec![Diagnostic::new(crate::tree::Span::default(), found)];
            return Self { format, source: "", blocks: ThinVec::new(), diagnostics, keep_raw: false };
        }
        let mark = mark(format, source);
        let (mut blocks, mut diagnostics) = crate::spelling::of(format).read_within(&source[mark..], room);
        moved(mark, &mut blocks, &mut diagnostics);
        Self { format, source, blocks, diagnostics, keep_raw: false }
    }

    /// Returns the text of this document in `format`, without the content that `format` can't carry.
    /// [`convert`](crate::convert()) reports that content.
    #[must_use]
    pub fn write(&self, format: Format) -> String {
        crate::spelling::keeping(format, self.keep_raw).document(&self.blocks)
    }
}

/// The byte order mark, which some editors put at the start of a text.
pub(crate) const MARK: char = '\u{feff}';

/// Returns the length in bytes of the byte order mark at the start of `source`. Returns 0 if there is none,
/// and for ADF, whose reader skips the mark.
pub(crate) fn mark(format: Format, source: &str) -> usize {
    if format != Format::Adf && source.starts_with(MARK) { MARK.len_utf8() } else { 0 }
}

/// Shifts the spans of `blocks` and `diagnostics` forward by `mark` bytes: the length of the byte order mark
/// that was cut off before they were read.
pub(crate) fn moved(mark: usize, blocks: &mut [Node<'_>], diagnostics: &mut [Diagnostic]) {
    if mark > 0 {
        blocks.iter_mut().for_each(|it| it.shift(mark));
        diagnostics.iter_mut().for_each(|it| it.span = it.span.shifted(mark));
    }
}
