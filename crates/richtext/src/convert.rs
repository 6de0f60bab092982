//! From one format to another, with an account of what was lost.

use crate::adf;
use crate::compare::{Outline, differences};
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
    /// What it does not say and the source does, found by reading it again and comparing; at most 1,000 things,
    /// and as many identifiers ([`LossKind::Identity`]).
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
    convert_with(from, to, source, |_| {})
}

/// Like [`convert`], of what `change` makes of the document: [names](Document::resolve), for example. It is called each time that the
/// source is read, up to three times, and has to do the same each time. A document that is there already has [`Document::convert`], which
/// holds two trees at a time.
#[must_use]
pub fn convert_with(
    from: Format,
    to: Format,
    source: &str,
    mut change: impl FnMut(&mut Document<'_>),
) -> Conversion {
    let mut read_again = || {
        let mut document = Document::read(from, source);
        change(&mut document);
        document
    };
    let Document { blocks, diagnostics, .. } = read_again();
    let text = spelling::of(to).document(&blocks);
    let mut invalid = missing_parts(from, to, &blocks);
    // The source is read again if something differs, and again to tell what is invalid: of the two trees there is one at a time.
    let outline = Outline::of(&blocks);
    drop(blocks);
    let mut again = || read_again().blocks;
    let read = Document::read_back(to, &text).blocks;
    let became_invalid = became_invalid(from, to, &read);
    let losses = outline.differences(read, &mut again);
    if became_invalid {
        invalid = adf::complaints(&again());
    }
    Conversion { text, losses, diagnostics, invalid }
}

impl Document<'_> {
    /// This document in another format, with an account of what was lost. [`resolve`](Self::resolve) it before to have names in it.
    #[must_use]
    pub fn convert(self, to: Format) -> Conversion {
        let Self { format: from, blocks, diagnostics, .. } = &self;
        let text = self.write(to);
        let read = Document::read_back(to, &text).blocks;
        let losses = differences(blocks, &read);
        let invalid = if became_invalid(*from, to, &read) {
            adf::complaints(blocks)
        } else {
            missing_parts(*from, to, blocks)
        };
        drop(read);
        Conversion { text, losses, diagnostics: diagnostics.clone(), invalid }
    }
}

/// Whether what was read is no ADF that Atlassian's schema allows, and it is not the source that was so.
fn became_invalid(from: Format, to: Format, read: &[Node<'_>]) -> bool {
    to == Format::Adf && from != Format::Adf && !adf::complaints(read).is_empty()
}

/// What people forget in Markdown that other formats have no spelling without.
fn missing_parts(from: Format, to: Format, blocks: &[Node<'_>]) -> Vec<Diagnostic> {
    match (from, to) {
        (Format::Markdown(_), Format::Storage | Format::Wiki(_)) => adf::missing_parts(blocks),
        _ => Vec::new(),
    }
}
