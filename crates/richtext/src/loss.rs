//! What was not carried over.

use crate::tree::Span;

/// No more losses than these are told of one conversion, and besides them no more identifiers
/// ([`LossKind::Identity`]): however many of these are left out, what is lost is told.
pub const MAX_LOSSES: usize = 1000;

/// Something that was not carried over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// How much it matters.
    pub kind: LossKind,
    /// What: "panel: expected param:title = \"T\", but found none".
    pub message: String,
    /// Where in the source.
    pub span: Span,
}

/// How much a loss matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossKind {
    /// An identifier, such as `localId`, or the name of somebody whose id is there; a sidecar brings it back.
    Identity,
    /// Something said of a node or of text: a colour, a width.
    Attribute,
    /// Text, or a node.
    Content,
}

impl LossKind {
    /// Its name in reports: `identity`, `attribute`, `content`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Attribute => "attribute",
            Self::Content => "content",
        }
    }
}
