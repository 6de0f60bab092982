//! Conversion from one format to another, with a list of losses.

use crate::adf;
use crate::compare::{Outline, differences};
use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::format::Format;
use crate::loss::{Loss, LossKind, joined, take_losses};
use crate::markdown::join_code;
use crate::spelling;
use crate::storage;
use crate::tree::Node;
use crate::unshown;

/// The result of a conversion: the text in the target format, its losses, and the errors in the source.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The text in the target format.
    pub text: String,
    /// Differences between the content of the source and of [`text`](Self::text), found by reading the text
    /// again and comparing it with the source. At most 1,000 losses, and 1,000 more of identifiers
    /// ([`LossKind::Identity`]).
    pub losses: Vec<Loss>,
    /// Errors in the source: wrong syntax, and exceeded limits.
    pub diagnostics: Vec<Diagnostic>,
    /// Mistakes in the content of the source, with spans in the source; at most 100.
    /// [`text`](Self::text) carries this content all the same. Which mistakes are looked for depends on the
    /// formats:
    ///
    /// - To ADF from another format: attributes and marks that Atlassian's schema does not allow
    ///   (`:status[OK]{color=freen}`). Atlassian's products refuse such a document.
    /// - From Markdown to storage format or wiki markup: the same, and attributes that a directive lacks and that these
    ///   formats can't do without (the id of a mention, the colour of a status, the type of a panel); storage format that is
    ///   not well-formed.
    /// - Otherwise none. [`adf::check`] checks a source that is ADF.
    pub invalid: Vec<Diagnostic>,
}

impl Conversion {
    /// Returns whether the conversion lost nothing but identifiers. [`Conversion::invalid`] makes no
    /// difference.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        self.losses.iter().all(|it| it.kind == LossKind::Identity)
    }
}

/// Converts `source` to the format `to`, then reads the written text again and compares it with the source to
/// find [`Conversion::losses`].
#[must_use]
pub fn convert(from: Format, to: Format, source: &str) -> Conversion {
    convert_with(from, to, source, |_| {})
}

/// Like [`convert`], but applies `change` to the document before it is written, for example to [resolve
/// names](Document::resolve) or to set [`Document::keep_raw`].
///
/// The source is read up to three times; `change` runs after each reading and must do the same each time. Use
/// [`Document::convert`] for a document that is already read; it holds two trees in memory at a time.
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
        settle(&mut document, to);
        document
    };
    let Document { blocks, mut diagnostics, keep_raw, .. } = read_again();
    let text = spelling::keeping(to, keep_raw).document(&blocks);
    let mut invalid = written_wrong(from, to, &blocks);
    // Of the tree of the source and the tree of the text, only one is in memory at a time. So the source is
    // read again if blocks differ, and once more to find what is invalid.
    let outline = Outline::of(&blocks);
    let unreachable = if from == to { Vec::new() } else { unshown::addresses(to, &blocks, &|_| false) };
    diagnostics.extend(unshown::json_in_wiki(to, source, &text, &blocks));
    drop(blocks);
    let mut again = || read_again().blocks;
    let read = Document::read_back(to, &text).blocks;
    let became_invalid = became_invalid(from, to, &read);
    let losses = joined(take_losses(&mut diagnostics), unreachable);
    let losses = joined(losses, outline.differences(read, &mut again));
    if became_invalid {
        invalid = adf::complaints(&again());
    }
    Conversion { text, losses, diagnostics, invalid }
}

impl Document<'_> {
    /// Converts this document to the format `to`, with a list of losses. To fill in names, call
    /// [`resolve`](Self::resolve) first.
    #[must_use]
    pub fn convert(mut self, to: Format) -> Conversion {
        settle(&mut self, to);
        let Self { format: from, blocks, diagnostics, .. } = &self;
        let text = self.write(to);
        let read = Document::read_back(to, &text).blocks;
        let mut diagnostics = diagnostics.clone();
        let unreachable = if *from == to { Vec::new() } else { unshown::addresses(to, blocks, &|_| false) };
        diagnostics.extend(unshown::json_in_wiki(to, self.source, &text, blocks));
        let losses = joined(joined(take_losses(&mut diagnostics), unreachable), differences(blocks, &read));
        let invalid = if became_invalid(*from, to, &read) {
            adf::complaints(blocks)
        } else {
            written_wrong(*from, to, blocks)
        };
        drop(read);
        Conversion { text, losses, diagnostics, invalid }
    }
}

/// Joins the texts of blocks of code in Markdown that is converted to another format.
fn settle(document: &mut Document<'_>, to: Format) {
    if matches!(document.format, Format::Markdown(_)) && !matches!(to, Format::Markdown(_)) {
        join_code(&mut document.blocks);
    }
}

/// Returns whether the conversion was from another format to ADF and its text breaks Atlassian's schema.
/// `read` has the blocks that were read from the text.
fn became_invalid(from: Format, to: Format, read: &[Node<'_>]) -> bool {
    to == Format::Adf && from != Format::Adf && !adf::complaints(read).is_empty()
}

/// Returns what an author of Markdown wrote wrong in `blocks`, if the conversion is to storage format or wiki markup:
/// attributes that are missing or have a value that no product knows, and storage format that is not well-formed.
fn written_wrong(from: Format, to: Format, blocks: &[Node<'_>]) -> Vec<Diagnostic> {
    match (from, to) {
        (Format::Markdown(_), Format::Storage | Format::Wiki(_)) => {
            let mut found = adf::new_complaints(&[], blocks);
            found.extend(storage::malformed(blocks));
            found
        }
        _ => Vec::new(),
    }
}
