//! From one format to another, with an account of what was lost.

use crate::adf;
use crate::compare;
use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::format::Format;
use crate::loss::{Loss, LossKind};

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
    /// with the places in the source; at most 100 things. Atlassian's products refuse such a document. Empty for other formats, and if
    /// the source is ADF: [`adf::check`](crate::adf::check) tells of that.
    pub invalid: Vec<Diagnostic>,
}

impl Conversion {
    /// Whether nothing but identifiers was lost.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        self.losses.iter().all(|it| it.kind == LossKind::Identity)
    }
}

/// Converts `source`. The text is read again and compared with the source: this is what [`Conversion::losses`] tells.
#[must_use]
pub fn convert(from: Format, to: Format, source: &str) -> Conversion {
    Document::read(from, source).convert(to)
}

impl Document<'_> {
    /// This document in another format, with an account of what was lost. [`resolve`](Self::resolve) it before to have names in it.
    #[must_use]
    pub fn convert(self, to: Format) -> Conversion {
        let text = self.write(to);
        let read = Document::read(to, &text);
        let losses = compare::differences(&self.blocks, &read.blocks);
        let invalid = self.invalid(&read);
        Conversion { text, losses, diagnostics: self.diagnostics, invalid }
    }

    /// What makes `written`, which is this document, invalid.
    fn invalid(&self, written: &Document<'_>) -> Vec<Diagnostic> {
        if written.format != Format::Adf
            || self.format == Format::Adf
            || adf::complaints(&written.blocks).is_empty()
        {
            return Vec::new();
        }
        adf::complaints(&self.blocks)
    }
}
