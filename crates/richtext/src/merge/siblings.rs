//! Merges an edit of sibling blocks: copies unchanged blocks with the separators before them, and merges the
//! children of changed ones.

use std::slice::from_ref;

use super::{Edit, Merge, Reach, without_old};
use crate::compare::{differences, print, similarity};
use crate::graft;
use crate::lean::seen;
use crate::loss::LossKind;
use crate::matching::{Match, matches};
use crate::tree::{Holds, Kind, Node, Span};

/// A piece of the new text of a region.
pub(super) enum Piece {
    /// A node of the source, by its index among its siblings, and its copied or changed text.
    Ours(usize, String),
    /// The text of a new node, or of a node that moved.
    New(String),
}

impl Merge<'_> {
    /// Returns the new text of `region`, the part of the source with the siblings `ours`. Returns `None` if
    /// `ours` and `base`, the nodes of the source and of its Markdown, do not correspond one to one.
    pub(super) fn siblings(
        &self,
        ours: &[Node<'_>],
        base: &[Node<'_>],
        edited: &[Node<'_>],
        parent: Option<&Node<'_>>,
        region: Span,
    ) -> Option<String> {
        if ours.iter().chain(base).chain(edited).any(|it| it.kind.is_inline()) {
            return self.inlines(ours, base, edited, parent, region);
        }
        // Empty paragraphs that Markdown does not show stay with the separators between the others.
        let ours = seen(ours, base);
        if ours.len() != base.len() || ours.iter().zip(base).any(|it| it.0.kind != it.1.kind) {
            return None;
        }
        let prints = |nodes: &[Node<'_>]| nodes.iter().map(print).collect::<Vec<u64>>();
        let (old, new) = (prints(base), prints(edited));
        let piece = |(j, found): (usize, Option<Match>)| {
            let Some(Match { at, is_equal, is_moved }) = found else {
                return Piece::New(self.part(&edited[j..=j], parent));
            };
            let text = match is_equal {
                true => ours[at].span.of(self.source).to_owned(),
                false => self.node(ours[at], &base[at], &edited[j], parent),
            };
            if is_moved { Piece::New(text) } else { Piece::Ours(at, text) }
        };
        let found = matches(&old, &new, |i, j| similarity(&base[i], &edited[j]));
        let pieces: Vec<Piece> = found.into_iter().enumerate().map(piece).collect();
        let spans: Vec<Span> = ours.iter().map(|it| it.span).collect();
        Some(self.joined(&pieces, &spans, parent, region))
    }

    /// Returns the new source text of a node that the edit changed.
    fn node(&self, ours: &Node<'_>, base: &Node<'_>, edited: &Node<'_>, parent: Option<&Node<'_>>) -> String {
        let written = |it: &Self| {
            let node = graft::node(ours, base, edited);
            it.around_its_content(&node, [ours, base, edited]).unwrap_or_else(|| it.part(&[node], parent))
        };
        let same_head = graft::same_head(base, edited) || graft::has_head_of(ours, base, edited);
        // Children without bytes of their own can't be copied: the source has them inside a macro's parameter
        // or an attribute.
        let opened = !ours.inner.is_empty();
        let whole = self.reach == Reach::Blocks && ours.kind.holds() == Holds::Inlines;
        if !same_head || !opened || whole || ours.kind.holds() == Holds::Nothing {
            return written(self);
        }
        match self.siblings(&ours.children, &base.children, &edited.children, Some(ours), ours.inner) {
            Some(inner) => {
                let text = self.within_markup_of(ours, &inner);
                let edit = Edit { ours: from_ref(ours), base: from_ref(base), edited: from_ref(edited) };
                if self.is_said(&text, edit, parent) { text } else { written(self) }
            }
            None => written(self),
        }
    }

    /// Returns `inner` between the opening and the closing markup of a node of the source.
    fn within_markup_of(&self, node: &Node<'_>, inner: &str) -> String {
        let (span, within) = (node.span.range(), node.inner.range());
        format!("{}{inner}{}", &self.source[span.start..within.start], &self.source[within.end..span.end])
    }

    /// Returns whether `text`, the new text of an item with other blocks than before, says what the edit says: if not, only
    /// this item is written anew. Other nodes, and items that can't be read alone in their list, are not checked.
    fn is_said(&self, text: &str, edit: Edit<'_, '_, '_, '_>, parent: Option<&Node<'_>>) -> bool {
        let kinds = |it: &Node<'_>| it.children.iter().map(|it| it.kind).collect::<Vec<Kind>>();
        let (Edit { ours: [ours], base: [base], edited: [edited] }, Some(list)) = (edit, parent) else {
            return true;
        };
        if ours.kind != Kind::ListItem || kinds(base) == kinds(edited) {
            return true;
        }
        let lost = |text: &str, expected: &[Node<'_>]| {
            let alone = self.spelling.alone(&self.within_markup_of(list, text));
            let (read, _) = self.spelling.read(&alone);
            let [list] = &read[..] else { return None };
            let mut losses = without_old(differences(expected, &list.children), edit);
            losses.retain(|it| it.kind != LossKind::Identity);
            Some(losses.len())
        };
        let is_readable = lost(ours.span.of(self.source), edit.ours) == Some(0);
        !is_readable || lost(text, edit.edited) == Some(0)
    }

    /// Returns the new text of a block whose attributes the edit changed: only its markup is written, and its content is
    /// merged. `node` is the block after the edit; the others are the block in the source, in its Markdown before the edit,
    /// and after it. Returns `None` if the block has no content of its own, or can't be read alone.
    fn around_its_content(&self, node: &Node<'_>, [ours, base, edited]: [&Node<'_>; 3]) -> Option<String> {
        let is_whole = self.reach == Reach::Blocks && ours.kind.holds() == Holds::Inlines;
        let is_same_kind = ours.kind == edited.kind && base.kind == edited.kind;
        if is_whole || !is_same_kind || ours.inner.is_empty() || ours.kind.holds() == Holds::Nothing {
            return None;
        }
        let text = self.spelling.alone(&self.spelling.part(from_ref(node), None));
        let (read, _) = self.spelling.read(&text);
        let [shell] = &read[..] else { return None };
        if shell.kind != ours.kind || shell.inner.is_empty() {
            return None;
        }
        let inner =
            self.siblings(&ours.children, &base.children, &edited.children, Some(ours), ours.inner)?;
        let (span, within) = (shell.span.range(), shell.inner.range());
        Some(format!("{}{inner}{}", &text[span.start..within.start], &text[within.end..span.end]))
    }

    /// Joins the pieces into the new text of `region`; `spans` has the span of each source node there. A
    /// source node keeps the separator that is before it in the source; before a new piece comes the
    /// separator of the format.
    pub(super) fn joined(
        &self,
        pieces: &[Piece],
        spans: &[Span],
        parent: Option<&Node<'_>>,
        region: Span,
    ) -> String {
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else {
            let texts: Vec<&str> = pieces.iter().map(Piece::text).filter(|it| !it.is_empty()).collect();
            return texts.join(self.spelling.between(parent));
        };
        let mut text = self.source[region.start as usize..first.start as usize].to_owned();
        // A node that the format writes as nothing gets no separator.
        let pieces: Vec<&Piece> = pieces.iter().filter(|it| !it.is_nothing(spans)).collect();
        for (at, piece) in pieces.iter().enumerate() {
            let before = at.checked_sub(1).map(|it| pieces[it]);
            match (before, piece) {
                (None, _) => {}
                (Some(_), Piece::Ours(at, _)) if *at > 0 => {
                    text.push_str(spans[*at - 1].until(spans[*at], self.source))
                }
                _ => text.push_str(self.spelling.between(parent)),
            }
            text.push_str(piece.text());
        }
        text.push_str(&self.source[last.end as usize..region.end as usize]);
        text
    }
}

impl Piece {
    /// Returns whether the piece has no text, unless it is a source node whose text was empty before the edit
    /// too.
    fn is_nothing(&self, spans: &[Span]) -> bool {
        match self {
            Self::Ours(at, text) => text.is_empty() && !spans[*at].is_empty(),
            Self::New(text) => text.is_empty(),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Ours(_, text) | Self::New(text) => text,
        }
    }
}
