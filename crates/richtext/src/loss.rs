//! Losses of a conversion: differences between the content of the source and that of the written text.

use crate::diagnostic::Diagnostic;
use crate::tree::Span;

/// The most losses of content and attributes that a conversion reports. Losses of identifiers
/// ([`LossKind::Identity`]) are counted separately, with an equal limit, so that they never hide a loss of
/// content.
pub const MAX_LOSSES: usize = 1000;

/// Content of the source that the written text does not carry or carries differently, or content that only
/// the written text has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// True if the loss concerns content, an attribute or only an identifier.
    pub kind: LossKind,
    /// The message, such as "panel: expected param:title = \"T\", but found none".
    pub message: String,
    /// The bytes of the lost content in the source. For content that only the written text has: the bytes of
    /// the node around it, or an empty span at the top level.
    pub span: Span,
}

/// The gravity of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossKind {
    /// Data that people do not see in the document: an identifier such as `localId`, the choice between two
    /// spellings of equal meaning, an attribute that has its default value, or the name of a user whose id is
    /// carried. A [`Sidecar`](crate::Sidecar) restores it.
    Identity,
    /// An attribute or a mark of a node: a colour, a width, bold.
    Attribute,
    /// Text, or a whole node.
    Content,
}

impl LossKind {
    /// Returns the kind's name in reports: `identity`, `attribute`, `content`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Attribute => "attribute",
            Self::Content => "content",
        }
    }
}

/// Returns the losses of two lists, with at most [`MAX_LOSSES`] of content and attributes.
pub(crate) fn joined(first: Vec<Loss>, second: Vec<Loss>) -> Vec<Loss> {
    let mut left = MAX_LOSSES;
    let mut fits = |it: &Loss| {
        let counts = it.kind != LossKind::Identity;
        let fits = !counts || left > 0;
        left -= usize::from(counts && fits);
        fits
    };
    first.into_iter().chain(second).filter(|it| fits(it)).collect()
}

/// Moves those diagnostics that are losses out of `all`, and returns them as losses of content.
pub(crate) fn take_losses(all: &mut Vec<Diagnostic>) -> Vec<Loss> {
    let losses = all.extract_if(.., |it| it.is_loss);
    losses.map(|it| Loss { kind: LossKind::Content, message: it.message, span: it.span }).collect()
}
