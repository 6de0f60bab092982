//! A text that was read.

use thin_vec::ThinVec;

use crate::diagnostic::Diagnostic;
use crate::format::Format;
use crate::tree::{MAX_NODES, Node, Room};

/// The longest source that is read, in bytes: 1 GiB. Of a longer one nothing is read, and a diagnostic says so.
pub const MAX_SOURCE: usize = 1 << 30;

/// A text as a tree, with the text.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// How it is written.
    pub format: Format,
    /// The text.
    pub source: &'a str,
    /// Its blocks, in order. What lies between them in the source is nobody's; so is a byte order mark before them.
    pub blocks: ThinVec<Node<'a>>,
    /// What is wrong with the text. It was read all the same.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> Document<'a> {
    /// Reads `source`. This never fails: what can't be understood is kept as it is, and said in [`Document::diagnostics`].
    #[must_use]
    pub fn read(format: Format, source: &'a str) -> Self {
        Self::read_within(format, source, Room::default())
    }

    /// What a conversion wrote. It may take more nodes to read than what it was made of: in Markdown tags count.
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

    /// The text of this document in `format`. What `format` can't carry is missing in it: [`convert`](crate::convert) says what.
    #[must_use]
    pub fn write(&self, format: Format) -> String {
        crate::spelling::of(format).document(&self.blocks)
    }
}

/// The byte order mark.
pub(crate) const MARK: char = '\u{feff}';

/// How long the byte order mark is that some editors put before a text, in bytes. The reader of ADF skips it by itself.
pub(crate) fn mark(format: Format, source: &str) -> usize {
    if format != Format::Adf && source.starts_with(MARK) { MARK.len_utf8() } else { 0 }
}

/// Moves what was read of a text to where it is behind a mark so long.
pub(crate) fn moved(mark: usize, blocks: &mut [Node<'_>], diagnostics: &mut [Diagnostic]) {
    if mark > 0 {
        blocks.iter_mut().for_each(|it| it.shift(mark));
        diagnostics.iter_mut().for_each(|it| it.span = it.span.shifted(mark));
    }
}
