//! Reads and writes one part of a document, a section. The source outside of the section stays byte for byte,
//! except for the comma beside an ADF section that becomes empty.
//!
//! In: a document and the address of a section. Out: the section's Markdown, and the document with the
//! section edited. No state is kept between reading and editing.

mod address;

use std::fmt;

pub use address::Address;

use crate::document::Document;
use crate::format::Format;
use crate::keeping::of_edits;
use crate::legal::{Known, invalid};
use crate::loss::{MAX_LOSSES, take_losses};
use crate::markdown::{for_edit, join_code};
use crate::merge::{Edit, Gone, Merged, brought, gone, is_unedited, merge, seam};
use crate::names::{Names, Resolver, identify};
use crate::sidecar::{Conflict, Restored};
use crate::spelling::with_line_ends;
use crate::tree::{Kind, Node, Span};
use crate::unshown::{json_in_wiki, of_edit};

/// A section of a document: the sibling blocks that an [`Address`] leads to.
#[derive(Clone, Copy, Debug)]
pub struct Section<'d, 'a> {
    document: &'d Document<'a>,
    parent: Option<&'d Node<'a>>,
    nodes: &'d [Node<'a>],
}

/// The error for an address that does not lead to exactly one section.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SectionError {
    /// No section has this address.
    Unknown {
        /// The unknown address, as text.
        address: String,
        /// Addresses of the same kind that the document has, as suggestions: the range of block numbers, the
        /// first headings or the first identifiers.
        known: Vec<String>,
    },
    /// Several sections have this address.
    Ambiguous {
        /// The ambiguous address, as text.
        address: String,
        /// The number of sections that have the address.
        count: usize,
    },
    /// The address leads into a block whose parts have no text of their own in the source, such as JSON in wiki markup.
    Within {
        /// The address, as text.
        address: String,
        /// The index of the block, which can be edited as a whole.
        block: usize,
    },
}

impl<'a> Document<'a> {
    /// Returns the section at `address`.
    ///
    /// # Errors
    ///
    /// [`Unknown`](SectionError::Unknown) if no section has the address,
    /// [`Ambiguous`](SectionError::Ambiguous) if several have it, [`Within`](SectionError::Within) if it leads into JSON.
    pub fn section(&self, address: &Address) -> Result<Section<'_, 'a>, SectionError> {
        let found = address::find(self, address);
        let named = address.to_string();
        match found.as_slice() {
            [(parent, nodes)] => {
                let section = Section { document: self, parent: *parent, nodes };
                let block = section.block(section.span());
                // The JSON of a block has no bytes of its own for its parts.
                let says = |it: &Node<'_>| !it.children.is_empty() || !it.text.is_empty();
                let is_within = section.span().is_empty() && parent.is_some() && nodes.iter().any(says);
                if is_within { Err(SectionError::Within { address: named, block }) } else { Ok(section) }
            }
            [] => Err(SectionError::Unknown { address: named, known: address::known(self, address) }),
            several => Err(SectionError::Ambiguous { address: named, count: several.len() }),
        }
    }
}

impl Section<'_, '_> {
    /// Returns the section as extended Markdown, to be edited and given to [`patch`](Self::patch).
    #[must_use]
    pub fn markdown(&self) -> String {
        for_edit(self.nodes).0
    }

    /// Returns the section's span in the source.
    #[must_use]
    pub fn span(&self) -> Span {
        match (self.nodes.first(), self.nodes.last()) {
            (Some(first), Some(last)) => Span { start: first.span.start, end: last.span.end },
            _ => Span::default(),
        }
    }

    /// Returns the source of the document after an edit of this section: `markdown` is the edited output of
    /// [`markdown`](Self::markdown). Content of the section that the edit did not touch is copied from the
    /// source. [`Restored::copied`] counts the top-level blocks outside the section.
    #[must_use]
    pub fn patch(&self, markdown: &str) -> Restored {
        self.patch_with(markdown, &Names::default())
    }

    /// Like [`patch`](Self::patch), but a mention by name alone (`:mention[@Jane Doe]`) gets the id that
    /// `resolver` knows.
    #[must_use]
    pub fn patch_with(&self, markdown: &str, resolver: &dyn Resolver) -> Restored {
        let before = self.markdown();
        let mut base = Document::read(Format::EDITED, &before);
        let mut edited = Document::read(Format::EDITED, markdown);
        join_code(&mut edited.blocks);
        let old = take_losses(&mut base.diagnostics);
        let slips = take_losses(&mut edited.diagnostics).into_iter();
        let slips = slips.filter(|it| !old.iter().any(|old| old.message == it.message)).take(MAX_LOSSES);
        identify(&mut edited.blocks, resolver);
        if self.document.format == Format::Adf {
            let known = Known::of([&base.blocks[..]].into_iter());
            edited.diagnostics.extend(known.make_legal(&mut edited.blocks));
        }
        let Document { format, keep_raw, .. } = self.document;
        let spelling = of_edits(*format, [self.document.source].into_iter(), *keep_raw);
        let (source, span) = (self.document.source, self.span());
        let edit = Edit { ours: self.nodes, base: &base.blocks, edited: &edited.blocks };
        if is_unedited(&edit) {
            // Some sections can't be read without the source around them, and would seem to lose content.
            return Restored::unedited(source, edited.diagnostics, self.outside());
        }
        let brought = brought(&[edit]).remove(0);
        let its = Edit { base: &brought.base, edited: &brought.edited, ..edit };
        let mut merged = merge(spelling.as_ref(), source, span, self.parent, its);
        self.keep_apart(spelling.between(self.parent), &mut merged);
        merged.losses.extend(slips);
        merged.losses.extend(of_edit(*format, &base.blocks, &edited.blocks, &|it| source.contains(it)));
        // If the section becomes empty, the comma that separated it has to go too.
        let outer = if merged.text.is_empty() && spelling.between(self.parent) == "," {
            self.separated()
        } else {
            span
        };
        let text =
            format!("{}{}{}", &source[..outer.start as usize], merged.text, &source[outer.end as usize..]);
        let text = with_line_ends(text, self.document.format, &[source]);
        edited.diagnostics.extend(json_in_wiki(*format, source, &text, &edited.blocks));
        let gone = gone(&[edit]).into_iter().flatten().filter(|it| it.is_gone_from(&text));
        Restored {
            conflicts: gone.map(|it| self.conflict(it)).collect(),
            text,
            losses: merged.losses,
            invalid: invalid(self.document.format, &base.blocks, &edited.blocks),
            diagnostics: edited.diagnostics,
            copied: self.outside(),
        }
    }

    /// Returns the number of top-level blocks outside the section.
    fn outside(&self) -> usize {
        let span = self.span();
        self.document.blocks.iter().filter(|it| !it.span.holds(span) && !span.holds(it.span)).count()
    }

    /// Returns the span of the section and of the separator after it. If no sibling follows, returns the span
    /// of the section and of the separator before it.
    fn separated(&self) -> Span {
        let span = self.span();
        let siblings = self.parent.map_or(&self.document.blocks, |it| &it.children);
        let after = siblings.iter().find(|it| it.span.start >= span.end);
        let before = siblings.iter().rev().find(|it| it.span.end <= span.start);
        match (after, before) {
            _ if span.is_empty() => span,
            (Some(after), _) => Span { end: after.span.start, ..span },
            (None, Some(before)) => Span { start: before.span.end, ..span },
            (None, None) => span,
        }
    }

    /// Adds separators at the start and end of the section's new text if the neighbouring blocks would
    /// otherwise be read as one with it. `new` is the format's separator for new blocks. If no separator
    /// helps, adds a loss. Does nothing for blocks that have a parent, and if the text is empty or unchanged.
    fn keep_apart(&self, new: &str, merged: &mut Merged) {
        let (source, format, span) = (self.document.source, self.document.format, self.span());
        let was = span.of(source);
        if self.parent.is_some() || merged.text.is_empty() || merged.text == was {
            return;
        }
        let blocks = &self.document.blocks;
        let wanted = ["", "\n", new];
        let before = blocks.iter().rev().find(|it| it.span.end <= span.start);
        let before = before.map(|it| &source[it.span.start as usize..span.start as usize]);
        // Blocks that were not apart before the edit do not have to be apart after it.
        if let Some(before) = before.filter(|it| seam::apart(format, it, "", was)) {
            match seam::between(format, before, &merged.text, &wanted) {
                Some(between) => merged.text.insert_str(0, between),
                None => merged.losses.push(seam::lost(&merged.text)),
            }
        }
        let after = blocks.iter().find(|it| it.span.start >= span.end);
        let after = after.map(|it| &source[span.end as usize..it.span.end as usize]);
        if let Some(after) = after.filter(|it| seam::apart(format, was, "", it)) {
            match seam::between(format, &merged.text, after, &wanted) {
                Some(between) => merged.text.push_str(between),
                None => merged.losses.push(seam::lost(after)),
            }
        }
    }

    fn conflict(&self, gone: Gone) -> Conflict {
        Conflict { what: gone.what, block: self.block(gone.span) }
    }

    /// Returns the index of the block of the document that contains `span`.
    fn block(&self, span: Span) -> usize {
        self.document.blocks.iter().position(|it| it.span.holds(span)).unwrap_or(0)
    }
}

impl fmt::Display for SectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Within { address, block } => {
                write!(
                    f,
                    "expected a section with a text of its own, but {address} is within block [{block}]: edit [{block}]"
                )
            }
            Self::Unknown { address, known } if known.is_empty() => {
                write!(f, "expected a section {address:?}, but found no section with this kind of address")
            }
            Self::Unknown { address, known } => {
                write!(f, "expected a section {address:?}, but found only {}", known.join(", "))
            }
            Self::Ambiguous { address, count } => {
                write!(f, "expected one section {address:?}, but found {count}")
            }
        }
    }
}

impl std::error::Error for SectionError {}

/// Returns the level of a heading, 1 if it has none; `None` for other nodes.
fn level(node: &Node<'_>) -> Option<i64> {
    (node.kind == Kind::Heading).then(|| node.integer("level").unwrap_or(1))
}
