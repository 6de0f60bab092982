//! A text that was read.

use thin_vec::ThinVec;

use crate::diagnostic::Diagnostic;
use crate::format::Format;
use crate::tree::Node;

/// The longest source that is read, in bytes: 1 GiB. Of a longer one nothing is read, and a diagnostic says so.
pub const MAX_SOURCE: usize = 1 << 30;

/// A text as a tree, with the text.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// How it is written.
    pub format: Format,
    /// The text.
    pub source: &'a str,
    /// Its blocks, in order. What lies between them in the source is nobody's.
    pub blocks: ThinVec<Node<'a>>,
    /// What is wrong with the text. It was read all the same.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> Document<'a> {
    /// Reads `source`. This never fails: what can't be understood is kept as it is, and said in [`Document::diagnostics`].
    #[must_use]
    pub fn read(format: Format, source: &'a str) -> Self {
        if source.len() > MAX_SOURCE {
            let found = format!("expected at most {MAX_SOURCE} bytes, but found {}", source.len());
            let diagnostics = vec![Diagnostic::new(crate::tree::Span::default(), found)];
            return Self { format, source: "", blocks: ThinVec::new(), diagnostics };
        }
        let (blocks, diagnostics) = crate::spelling::of(format).read(source);
        Self { format, source, blocks, diagnostics }
    }

    /// The text of this document in `format`. What `format` can't carry is missing in it: [`convert`](crate::convert) says what.
    #[must_use]
    pub fn write(&self, format: Format) -> String {
        crate::spelling::of(format).document(&self.blocks)
    }
}
