//! Merges an edit of Markdown into the source that the Markdown was written from.
//!
//! In: blocks of a source with their spans, the blocks of their Markdown, and the blocks of the edited
//! Markdown. Out: the source with the edit; as much of it as possible is copied byte for byte. Only `seam`
//! depends on the format: in the other modules, [`Spelling`] writes the text that has to be new.
//!
//! The merge first tries the smallest change: characters spliced into a text. It reads the result again. If
//! the result does not have the content of the edit, the merge writes a wider part anew: the runs of text,
//! then the block, then everything.

mod comments;
mod inline;
mod moved;
pub(crate) mod seam;
mod siblings;

pub(crate) use moved::{Brought, Gone, brought, gone};

use thin_vec::ThinVec;

use crate::compare;
use crate::graft;
use crate::loss::{Loss, LossKind};
use crate::spelling::Spelling;
use crate::tree::{Node, Span};

/// The extent of the source text that is written anew around a change. The merge tries the variants in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// Only the changed characters within a text are written anew.
    Text,
    /// The changed runs of text, with the inline nodes among them, are written anew.
    Runs,
    /// Changed paragraphs, headings and other blocks of inline nodes are written anew as a whole.
    Blocks,
    /// All blocks of the edited part are written anew.
    All,
}

const REACHES: [Reach; 4] = [Reach::Text, Reach::Runs, Reach::Blocks, Reach::All];

/// An edit of sibling nodes: the nodes of the source, of its Markdown, and of the edited Markdown.
#[derive(Clone, Copy)]
pub(crate) struct Edit<'m, 'o, 'b, 'e> {
    /// The siblings in the source, the document before the edit.
    pub(crate) ours: &'m [Node<'o>],
    /// The siblings in the Markdown before the edit, usually one for each node of the source.
    pub(crate) base: &'m [Node<'b>],
    /// The siblings in the Markdown after the edit.
    pub(crate) edited: &'m [Node<'e>],
}

/// The result of a merge: new source text for the edited region.
#[derive(Debug)]
pub(crate) struct Merged {
    /// The new text of the edited region of the source.
    pub(crate) text: String,
    /// Content of the edited Markdown that the new text does not carry.
    pub(crate) losses: Vec<Loss>,
}

/// Returns the new text of `region`, the part of `source` with the siblings `edit.ours`; `parent` is their
/// parent (`None`: the document). Tries each [`Reach`] in turn until a text has no losses; if all have some,
/// returns the text with the smallest [`weight`].
pub(crate) fn merge(
    spelling: &dyn Spelling,
    source: &str,
    region: Span,
    parent: Option<&Node<'_>>,
    edit: Edit<'_, '_, '_, '_>,
) -> Merged {
    let mut best: Option<Merged> = None;
    let was_full = spelling.is_full(edit.ours);
    // The edit with what its Markdown does not show: all of it has to be in the new text.
    let expected = graft::siblings(edit.ours, edit.base, edit.edited);
    for reach in REACHES {
        let merge = Merge { spelling, source, reach };
        let Some(text) = merge.region(region, parent, edit) else { continue };
        if was_full && reach < Reach::All && !spelling.is_full(&spelling.read(&spelling.alone(&text)).0) {
            continue;
        }
        let losses = without_old(unsaid(spelling, &text, &expected), edit);
        let done = losses.is_empty();
        if best.as_ref().is_none_or(|it| weight(&losses) < weight(&it.losses)) {
            best = Some(Merged { text, losses });
        }
        if done {
            break;
        }
    }
    best.expect("rewriting the whole document always succeeds")
}

/// Returns whether the nodes of the Markdown are the same after the edit as before it, with their identifiers.
pub(crate) fn is_unedited(edit: &Edit<'_, '_, '_, '_>) -> bool {
    compare::differences(edit.base, edit.edited).is_empty()
}

/// Writes new top-level blocks. Returns their text, and the content of the blocks that the text does not
/// carry.
pub(crate) fn written(spelling: &dyn Spelling, nodes: &[Node<'_>]) -> (String, Vec<Loss>) {
    let text = spelling.part(nodes, None);
    let losses = unsaid(spelling, &text, nodes);
    (text, losses)
}

/// Reads `text`, and returns the differences between `edited` and the nodes that were read, except those in
/// identifiers.
fn unsaid(spelling: &dyn Spelling, text: &str, edited: &[Node<'_>]) -> Vec<Loss> {
    let alone = spelling.alone(text);
    let (read, _) = spelling.read(&alone);
    let mut losses = compare::differences(edited, &read);
    losses.retain(|it| it.kind != LossKind::Identity);
    losses
}

/// Returns the losses that the edit caused: without those that the source shows against its own Markdown from before the
/// edit, because Markdown has no syntax for a part of the source.
fn without_old(mut losses: Vec<Loss>, edit: Edit<'_, '_, '_, '_>) -> Vec<Loss> {
    if !losses.is_empty() {
        let mut old = compare::differences(edit.base, edit.ours);
        let was = |old: &mut Vec<Loss>, it: &Loss| {
            let at = old.iter().position(|other| (other.kind, &other.message) == (it.kind, &it.message));
            at.map(|at| old.swap_remove(at)).is_some()
        };
        losses.retain(|it| !was(&mut old, it));
    }
    losses
}

/// Returns the weight of `losses`, by which candidate texts are compared: a loss of content counts 10, any
/// other loss 1.
fn weight(losses: &[Loss]) -> usize {
    losses.iter().map(|it| if it.kind == LossKind::Content { 10 } else { 1 }).sum()
}

struct Merge<'m> {
    spelling: &'m dyn Spelling,
    source: &'m str,
    reach: Reach,
}

impl Merge<'_> {
    /// Returns the text of new nodes in `parent`, a node of the source.
    fn part(&self, nodes: &[Node<'_>], parent: Option<&Node<'_>>) -> String {
        self.spelling.part_in(nodes, parent, parent.map_or("", |it| it.span.of(self.source)))
    }

    fn region(&self, region: Span, parent: Option<&Node<'_>>, edit: Edit<'_, '_, '_, '_>) -> Option<String> {
        if self.reach < Reach::All {
            return self.siblings(edit.ours, edit.base, edit.edited, parent, region);
        }
        let grafted: ThinVec<Node<'_>> = graft::siblings(edit.ours, edit.base, edit.edited);
        let (Some(first), Some(last)) = (edit.ours.first(), edit.ours.last()) else {
            return Some(self.part(&grafted, parent));
        };
        let head = &self.source[region.start as usize..first.span.start as usize];
        let tail = &self.source[last.span.end as usize..region.end as usize];
        Some(format!("{head}{}{tail}", self.part(&grafted, parent)))
    }
}

impl Span {
    /// Returns the part of `source` after this span and before the span `next`.
    fn until(self, next: Self, source: &str) -> &str {
        source.get(self.end as usize..next.start as usize).unwrap_or_default()
    }
}
