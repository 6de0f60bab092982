//! From one format to another, with an account of what was lost.

use crate::adf;
use crate::compare::Outline;
use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::format::Format;
use crate::loss::{Loss, LossKind};
use crate::spelling;
use crate::tree::Node;

/// A text in another format.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The text.
    pub text: String,
    /// What it does not say and the source does, found by reading it again and comparing; at most 1,000 things.
    pub losses: Vec<Loss>,
    /// What is wrong with the source.
    pub diagnostics: Vec<Diagnostic>,
    /// What the source says that Atlassian's schema does not allow in ADF, and the text says all the same (`:status[OK]{color=freen}`),
    /// with the places in the source; at most 100 things. Atlassian's products refuse such a document. Empty if the source is ADF:
    /// [`adf::check`](crate::adf::check) tells of that. From Markdown to storage format and wiki markup, what a directive lacks that these
    /// have no spelling without: the id of a mention, the colour of a status, the type of a panel.
    pub invalid: Vec<Diagnostic>,
}

impl Conversion {
    /// Whether nothing but identifiers was lost; [`Conversion::invalid`] is another question.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        self.losses.iter().all(|it| it.kind == LossKind::Identity)
    }
}

/// Converts `source`. The text is read again and compared with the source: this is what [`Conversion::losses`] tells.
#[must_use]
pub fn convert(from: Format, to: Format, source: &str) -> Conversion {
    let Document { blocks, diagnostics, .. } = Document::read(from, source);
    let text = spelling::of(to).document(&blocks);
    // Of the two trees that are compared there is one at a time.
    let outline = Outline::of(&blocks);
    drop(blocks);
    compared(&outline, from, to, text, diagnostics, || Document::read(from, source).blocks)
}

impl Document<'_> {
    /// This document in another format, with an account of what was lost. [`resolve`](Self::resolve) it before to have names in it.
    #[must_use]
    pub fn convert(self, to: Format) -> Conversion {
        let text = self.write(to);
        let Self { format, blocks, diagnostics, .. } = self;
        compared(&Outline::of(&blocks), format, to, text, diagnostics, || blocks)
    }
}

/// `text`, which was made of a document, with what it lacks. If it lacks something, `again` is asked for the document's blocks.
fn compared<'o>(
    outline: &Outline,
    from: Format,
    to: Format,
    text: String,
    diagnostics: Vec<Diagnostic>,
    again: impl FnOnce() -> Vec<Node<'o>>,
) -> Conversion {
    let read = Document::read(to, &text).blocks;
    let by_hand = matches!((from, to), (Format::Markdown(_), Format::Storage | Format::Wiki(_)));
    let is_invalid = to == Format::Adf && from != Format::Adf && !adf::complaints(&read).is_empty();
    let (losses, invalid) = if is_invalid || by_hand {
        let blocks = again();
        let invalid = if is_invalid { adf::complaints(&blocks) } else { adf::missing_parts(&blocks) };
        (outline.differences(read, || blocks), invalid)
    } else {
        (outline.differences(read, again), Vec::new())
    };
    Conversion { text, losses, diagnostics, invalid }
}
