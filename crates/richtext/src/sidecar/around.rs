//! Finds what a model puts around an edited text: words about it, or a fence.

use super::Sidecar;
use super::edited::Edited;
use super::pieces::Piece;
use crate::compare::shortened;
use crate::loss::{Loss, LossKind};
use crate::tree::Kind;

/// The beginnings of paragraphs that tell of the text, before it and after it.
const BEFORE: [&str; 10] = [
    "here is",
    "here's",
    "here are",
    "sure",
    "certainly",
    "of course",
    "below is",
    "i have ",
    "i've ",
    "okay",
];
const AFTER: [&str; 8] = [
    "let me know",
    "i hope",
    "feel free",
    "if you need",
    "if you want",
    "is there anything",
    "would you like",
    "please let me",
];

impl Sidecar {
    /// Returns a loss for words about the text at its beginning and end, and for a fence around all of it.
    pub(super) fn around(&self, pieces: &[Piece], edited: &Edited<'_>) -> Vec<Loss> {
        let loss = |at: usize, message: String| Loss {
            kind: LossKind::Content,
            message,
            span: edited.read.blocks[at].span,
        };
        if let (1, true) = (edited.len(), self.blocks() > 1)
            && edited.block(0).kind == Kind::CodeBlock
            && matches!(edited.block(0).text_of("language"), Some("markdown" | "md"))
        {
            return vec![loss(
                0,
                "expected the text, but found a fence around all of it: leave the fence out".to_owned(),
            )];
        }
        let about = |piece: Option<&Piece>, starts: &[&str], is_right: &dyn Fn(&str) -> bool| {
            let Some(Piece::New(at)) = piece else { return None };
            let text = edited.block(*at).plain_text();
            let begins = |it: &&str| text.get(..it.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(it));
            let is_about =
                edited.block(*at).kind == Kind::Paragraph && starts.iter().any(begins) && is_right(&text);
            let shown = shortened(&text);
            is_about.then(|| {
                loss(*at, format!("expected the text, but found words about it: leave out {shown:?}"))
            })
        };
        let before = about(pieces.first(), &BEFORE, &|it| it.trim_end().ends_with([':', '!']));
        let after = about(pieces.last(), &AFTER, &|_| true);
        before.into_iter().chain(after).collect()
    }
}
