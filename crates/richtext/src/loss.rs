//! Losses of a conversion: content of the source that the written text does not carry.

use crate::tree::Span;

/// The most losses that a conversion reports. Losses of identifiers ([`LossKind::Identity`]) are counted
/// separately, with an equal limit, so that they never hide a loss of content.
pub const MAX_LOSSES: usize = 1000;

/// Content of the source that the written text does not carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The gravity of the loss.
    pub kind: LossKind,
    /// The message: "panel: expected param:title = \"T\", but found none".
    pub message: String,
    /// The span in the source.
    pub span: Span,
}

/// The gravity of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossKind {
    /// An identifier, such as `localId`, or the name of a user whose id is carried; a sidecar restores it.
    Identity,
    /// An attribute of a node or a mark of text: a colour, a width.
    Attribute,
    /// Text, or a node.
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
