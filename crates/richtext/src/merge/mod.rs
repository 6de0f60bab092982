//! An edit of Markdown, made in the source the Markdown came from.
//!
//! In: blocks of a source with their places, the Markdown that was made of them as blocks, and the same after somebody edited it. Out: the
//! source with that edit: what the edit did not touch is copied byte for byte. Nothing here knows a format; what has to be spelled
//! anew, [`Spelling`] spells.
//!
//! First the least is tried: characters put into a text where it stands. The result is read again; if it does not say what was edited, a
//! wider part is written anew: the runs of text, the block, the whole.

mod graft;
mod inline;
mod moved;
pub(crate) mod seam;
mod siblings;

pub(crate) use moved::{Gone, brought, gone};

use thin_vec::ThinVec;

use crate::compare;
use crate::loss::{Loss, LossKind};
use crate::spelling::Spelling;
use crate::tree::{Node, Span};

/// How much is written anew where an edit touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// Characters within a text.
    Text,
    /// The runs of text that changed.
    Runs,
    /// The paragraphs that changed.
    Blocks,
    /// Everything.
    All,
}

const REACHES: [Reach; 4] = [Reach::Text, Reach::Runs, Reach::Blocks, Reach::All];

/// What the three parties of an edit are.
#[derive(Clone, Copy)]
pub(crate) struct Edit<'m, 'o, 'b, 'e> {
    /// The source's own nodes.
    pub(crate) ours: &'m [Node<'o>],
    /// What Markdown says of them, node by node.
    pub(crate) base: &'m [Node<'b>],
    /// What it says after the edit.
    pub(crate) edited: &'m [Node<'e>],
}

/// The source after an edit.
#[derive(Debug)]
pub(crate) struct Merged {
    pub(crate) text: String,
    /// What of the edit the text does not say.
    pub(crate) losses: Vec<Loss>,
}

/// Makes the edit in `region` of `source`, in which `ours` stand side by side, within `parent`.
pub(crate) fn merge(
    spelling: &dyn Spelling,
    source: &str,
    region: Span,
    parent: Option<&Node<'_>>,
    edit: Edit<'_, '_, '_, '_>,
) -> Merged {
    let mut best: Option<(String, Vec<Loss>)> = None;
    let was_full = spelling.is_full(edit.ours);
    for reach in REACHES {
        let merge = Merge { spelling, source, reach };
        let Some(text) = merge.region(region, parent, edit) else { continue };
        if was_full && reach < Reach::All && !spelling.is_full(&spelling.read(&spelling.alone(&text)).0) {
            continue;
        }
        let losses = unsaid(spelling, &text, edit.edited);
        let done = losses.is_empty();
        if best.as_ref().is_none_or(|it| weight(&losses) < weight(&it.1)) {
            best = Some((text, losses));
        }
        if done {
            break;
        }
    }
    let (text, losses) = best.expect("writing everything anew always works");
    Merged { text, losses }
}

/// Blocks that are new at the top of a document, and what of them the text does not say.
pub(crate) fn written(spelling: &dyn Spelling, nodes: &[Node<'_>]) -> (String, Vec<Loss>) {
    let text = spelling.part(nodes, None);
    let losses = unsaid(spelling, &text, nodes);
    (text, losses)
}

/// What `text`, read again, does not say of `edited`.
fn unsaid(spelling: &dyn Spelling, text: &str, edited: &[Node<'_>]) -> Vec<Loss> {
    let alone = spelling.alone(text);
    let (read, _) = spelling.read(&alone);
    let mut losses = compare::differences(edited, &read);
    losses.retain(|it| it.kind != LossKind::Identity);
    losses
}

fn weight(losses: &[Loss]) -> usize {
    losses.iter().map(|it| if it.kind == LossKind::Content { 10 } else { 1 }).sum()
}

struct Merge<'m> {
    spelling: &'m dyn Spelling,
    source: &'m str,
    reach: Reach,
}

impl Merge<'_> {
    fn region(&self, region: Span, parent: Option<&Node<'_>>, edit: Edit<'_, '_, '_, '_>) -> Option<String> {
        if self.reach < Reach::All {
            return self.siblings(edit.ours, edit.base, edit.edited, parent, region);
        }
        let grafted: ThinVec<Node<'_>> = graft::siblings(edit.ours, edit.base, edit.edited);
        let (Some(first), Some(last)) = (edit.ours.first(), edit.ours.last()) else {
            return Some(self.spelling.part(&grafted, parent));
        };
        let head = &self.source[region.start as usize..first.span.start as usize];
        let tail = &self.source[last.span.end as usize..region.end as usize];
        Some(format!("{head}{}{tail}", self.spelling.part(&grafted, parent)))
    }
}

impl Span {
    /// What of `source` lies between this and the next.
    fn until(self, next: Self, source: &str) -> &str {
        source.get(self.end as usize..next.start as usize).unwrap_or_default()
    }
}
