//! Finds the rich nodes of edited parts that vanished or moved. Rich nodes are those of kinds that Markdown
//! itself has no syntax for.
//!
//! In: the edited parts, before and after the edit. Out: the rich nodes that vanished from each part, and the
//! edited nodes with the data carried over from their former positions.

use std::collections::HashMap;

use thin_vec::ThinVec;

use super::{Edit, comments};
use crate::compare::{name, print, print_unmarked, shortened};
use crate::counts::{counts, take};
use crate::graft;
use crate::tree::{Kind, Node, Span, all};

/// A rich node (of a kind that Markdown itself has no syntax for) that an edit removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gone {
    /// The span of the node in the source; empty if the node of the source is not known.
    pub(crate) span: Span,
    /// The kind and name of the node, for a message.
    pub(crate) what: String,
    /// The identifier, if it is a comment on text. Such a comment may be about text in other blocks, too.
    pub(crate) comment: Option<String>,
}

impl Gone {
    /// Returns whether nothing of it is in `text`, the document after the edit.
    pub(crate) fn is_gone_from(&self, text: &str) -> bool {
        self.comment.as_deref().is_none_or(|it| !text.contains(it))
    }
}

/// Returns the rich nodes that vanished from each part. A node does not count as vanished if it is now in
/// another part, or if its part has a new node of its kind: the new node counts as the changed version of the
/// old node.
pub(crate) fn gone(edits: &[Edit<'_, '_, '_, '_>]) -> Vec<Vec<Gone>> {
    let mut parts: Vec<Part<'_, '_, '_>> = edits.iter().map(Part::of).collect();
    // First match nodes that are unchanged, in their own part and then in others. After that, a new node
    // counts as the changed version of a missing one if both have the same kind and part.
    parts.iter_mut().for_each(Part::take_kept);
    let mut elsewhere = counts(parts.iter().flat_map(|it| it.new.iter().map(|it| it.0)));
    for part in &mut parts {
        part.missing.retain(|&at| !take(&mut elsewhere, &part.keys[at]));
    }
    let mut moved_here = counts(parts.iter().flat_map(|it| it.new.iter().map(|it| it.0)));
    elsewhere.iter().for_each(|(key, left)| *moved_here.entry(*key).or_default() -= left);
    for part in &mut parts {
        part.new.retain(|it| !take(&mut moved_here, &it.0));
        let mut changed = counts(part.new.iter().map(|it| it.1));
        part.missing.retain(|&at| !take(&mut changed, &part.were[at].kind));
    }
    let comments = comments::gone(edits);
    parts.iter().zip(comments).map(|(part, comments)| [part.gone(), comments].concat()).collect()
}

/// The rich nodes of one edited part, while those before the edit are matched with those after it.
struct Part<'m, 'o, 'b> {
    /// The rich nodes in the part's Markdown before the edit.
    were: Vec<&'m Node<'b>>,
    /// The key of each node in `were`: a hash of its content without its marks.
    keys: Vec<u64>,
    /// The rich nodes in the part's source, usually in the order of `were`.
    places: Vec<&'m Node<'o>>,
    /// Indices in `were` of the nodes for which no node after the edit was found yet.
    missing: Vec<usize>,
    /// The key (as in `keys`) and kind of each rich node after the edit for which no node before it was found
    /// yet.
    new: Vec<(u64, Kind)>,
}

impl<'m, 'o, 'b> Part<'m, 'o, 'b> {
    fn of(edit: &Edit<'m, 'o, 'b, '_>) -> Self {
        let were = all(edit.base, RICH);
        let keys: Vec<u64> = were.iter().map(|it| print_unmarked(it)).collect();
        let new = all(edit.edited, RICH).into_iter().map(|it| (print_unmarked(it), it.kind)).collect();
        Self { missing: (0..were.len()).collect(), were, keys, places: all(edit.ours, RICH), new }
    }

    /// Removes the nodes that the edit left unchanged in this part from `missing` and `new`.
    fn take_kept(&mut self) {
        let mut kept = counts(self.new.iter().map(|it| it.0));
        let mut before = counts(self.keys.iter().copied());
        self.missing.retain(|&at| !take(&mut kept, &self.keys[at]));
        self.new.retain(|it| !take(&mut before, &it.0));
    }

    fn gone(&self) -> Vec<Gone> {
        let place = |at: usize| self.places.get(at).filter(|it| it.kind == self.were[at].kind);
        let one = |&at: &usize| Gone {
            span: place(at).map(|it| it.span).unwrap_or_default(),
            what: described(self.were[at]),
            comment: None,
        };
        self.missing.iter().map(one).collect()
    }
}

/// The nodes of a part before and after the edit, of which rich nodes have the data of their originals.
pub(crate) struct Brought<'x> {
    /// The nodes of the Markdown before the edit.
    pub(crate) base: ThinVec<Node<'x>>,
    /// The nodes of the Markdown after the edit.
    pub(crate) edited: ThinVec<Node<'x>>,
}

/// Returns the nodes of each part in `edits`. The edit may have moved a rich node or a task from one place to
/// another. If the node is found exactly once before and exactly once after the edit, it has the data that
/// Markdown does not show, in both, so that what did not change is still equal. Nodes before the edit are not looked for in a
/// part whose rich nodes (or tasks) in `ours` and `base` differ in kind or number.
pub(crate) fn brought<'x>(edits: &[Edit<'_, 'x, 'x, 'x>]) -> Vec<Brought<'x>> {
    let mut homes: HashMap<u64, Vec<OldNode<'_, 'x, 'x>>> = HashMap::new();
    let kinds: [fn(&Node<'_>) -> bool; 3] = [RICH, TASK, TABLE];
    for (edit, of_kind) in edits.iter().flat_map(|it| kinds.map(|kind| (it, kind))) {
        let (ours, base) = (all(edit.ours, of_kind), all(edit.base, of_kind));
        if ours.len() == base.len() && ours.iter().zip(&base).all(|it| it.0.kind == it.1.kind) {
            for (ours, base) in ours.into_iter().zip(base) {
                homes.entry(print_unmarked(base)).or_default().push(OldNode { ours, base });
            }
        }
    }
    let movable = |it: &Node<'_>| kinds.iter().any(|kind| kind(it));
    let now = counts(edits.iter().flat_map(|it| all(it.edited, movable)).map(print_unmarked));
    let homes: Homes<'_, 'x> =
        homes.into_iter().filter_map(|(key, all)| Some((key, home(&all, *now.get(&key)?)?))).collect();
    let all = |nodes: &[Node<'x>]| nodes.iter().map(|it| with_its_own(it, &homes)).collect();
    edits.iter().map(|edit| Brought { base: all(edit.base), edited: all(edit.edited) }).collect()
}

/// A rich node before the edit: as it is in the source, and in the source's Markdown.
struct OldNode<'m, 'o, 'b> {
    ours: &'m Node<'o>,
    base: &'m Node<'b>,
}

/// The originals of nodes, by a hash of their content without marks.
type Homes<'m, 'x> = HashMap<u64, Home<'m, 'x>>;

/// The original of a node.
struct Home<'m, 'x> {
    node: OldNode<'m, 'x, 'x>,
    /// True if the node may have identifiers of the original: it is there once before and once after the edit.
    is_only: bool,
}

/// Returns the original of the nodes that were `all` before the edit and are there `now` times after it. Of several, it is any if
/// they differ only in identifiers, else none.
fn home<'m, 'x>(all: &[OldNode<'m, 'x, 'x>], now: usize) -> Option<Home<'m, 'x>> {
    let first = all.first()?;
    let without = |it: &OldNode<'m, 'x, 'x>| graft::without_ids(it.ours.clone());
    let are_alike = || all[1..].iter().all(|it| print(&without(it)) == print(&without(first)));
    let is_only = all.len() == 1 && now == 1;
    (is_only || now > all.len() && are_alike()).then_some(Home { node: OldNode { ..*first }, is_only })
}

/// Returns the edited `node` with the data of its original that Markdown does not show; without identifiers if it is one of
/// several copies. If `node` is not rich or has no original in `homes`, does so for its descendants instead.
fn with_its_own<'x>(node: &Node<'x>, homes: &Homes<'_, 'x>) -> Node<'x> {
    if homes.is_empty() {
        return node.clone();
    }
    if (node.is_rich() || TASK(node) || TABLE(node))
        && let Some(home) = homes.get(&print_unmarked(node))
    {
        let own = graft::node(home.node.ours, home.node.base, node);
        return if home.is_only { own } else { graft::without_ids(own) };
    }
    let children = node.children.iter().map(|it| with_its_own(it, homes)).collect();
    Node { children, ..node.clone() }
}

/// The kinds of nodes that may move from part to part: rich nodes, and tasks.
const RICH: fn(&Node<'_>) -> bool = |it| it.is_rich();
const TASK: fn(&Node<'_>) -> bool = |it| it.kind == Kind::TaskItem;
const TABLE: fn(&Node<'_>) -> bool = |it| it.kind == Kind::Table;

fn described(node: &Node<'_>) -> String {
    format!("{} {:?}", node.kind.shown(), shortened(&name(node).unwrap_or_default()))
}
