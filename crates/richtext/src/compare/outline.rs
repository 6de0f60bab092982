//! Outlines: hashes of a document's blocks, enough to find the blocks that differ from another document's.
//!
//! In: blocks, and later the blocks to compare them with. Out: the differences. A tree takes many times the
//! bytes of its source. With an outline two documents are compared with only one whole tree in memory at a
//! time.

use thin_vec::ThinVec;

use super::print::{inlines, prints};
use super::{Comparison, similarity};
use crate::align::{Hunk, hunks, is_weighed, paired};
use crate::loss::{Loss, MAX_LOSSES};
use crate::tree::{Kind, Node, Span};

/// The most blocks with differing content that are compared: nearly each of them has a loss, and only
/// [`MAX_LOSSES`] are reported. Blocks in which only identifiers differ are counted separately, with an equal
/// limit.
const MAX_COMPARED: usize = 4 * MAX_LOSSES;

/// The kinds of a document's top-level blocks, and two hashes for each block.
pub(crate) struct Outline {
    /// The kind of each top-level block.
    kinds: Vec<Kind>,
    /// The hash of each top-level block, without identifiers.
    said: Vec<u64>,
    /// The hash of each top-level block, with identifiers.
    all: Vec<u64>,
    /// The hash of all nodes as one sequence of inline nodes, if any node at the top level is inline; `None`
    /// if all are blocks.
    run: Option<u64>,
}

impl Outline {
    pub(crate) fn of(blocks: &[Node<'_>]) -> Self {
        let (said, all) = blocks.iter().map(prints).unzip();
        Self {
            kinds: blocks.iter().map(|it| it.kind).collect(),
            said,
            all,
            run: blocks.iter().any(|it| it.kind.is_inline()).then(|| inlines(blocks)),
        }
    }

    /// Returns the differences between the outlined blocks and `theirs`: what `theirs` lacks or has
    /// differently, and what only `theirs` has. At most 1,000 losses of content and attributes, and 1,000
    /// more of identifiers. Calls `again` only if hashes differ, to get the outlined blocks once more.
    pub(crate) fn differences<'o>(
        &self,
        theirs: ThinVec<Node<'_>>,
        again: impl FnOnce() -> ThinVec<Node<'o>>,
    ) -> Vec<Loss> {
        let other = Self::of(&theirs);
        let mut comparison = Comparison::default();
        if self.run != other.run {
            comparison.siblings(&again(), &theirs, Span::default());
        } else if self.run.is_none() && self.kinds == other.kinds {
            self.one_by_one(&other, theirs, again, &mut comparison);
        } else if self.run.is_none() {
            self.aligned(&other, theirs, again, &mut comparison);
        }
        comparison.found
    }

    /// Compares each block with the block at its position in the other document, if their hashes differ.
    /// `again` is as in [`differences`](Self::differences). Expects documents with equal numbers and kinds of
    /// blocks.
    fn one_by_one<'o>(
        &self,
        other: &Self,
        theirs: ThinVec<Node<'_>>,
        again: impl FnOnce() -> ThinVec<Node<'o>>,
        comparison: &mut Comparison,
    ) {
        let mut left = [MAX_COMPARED; 2];
        let mut differs = |at: usize| {
            let left = &mut left[usize::from(self.said[at] == other.said[at])];
            let differs = self.all[at] != other.all[at] && *left > 0;
            *left -= usize::from(differs);
            differs
        };
        let differ: Vec<bool> = (0..self.all.len()).map(&mut differs).collect();
        if differ.contains(&true) {
            let theirs = ComparedBlocks::of(theirs, &differ);
            let ours = ComparedBlocks::of(again(), &differ);
            ours.nodes.iter().zip(&theirs.nodes).for_each(|it| comparison.node(it.0, it.1));
        }
    }

    /// Compares the blocks of documents that have different numbers or kinds of blocks: aligns them by
    /// content first. Identifiers in blocks of equal content are not compared.
    fn aligned<'o>(
        &self,
        other: &Self,
        theirs: ThinVec<Node<'_>>,
        again: impl FnOnce() -> ThinVec<Node<'o>>,
        comparison: &mut Comparison,
    ) {
        let hunks = self.first(other, hunks(&self.said, &other.said));
        let (mut gone, mut new) = (vec![false; self.said.len()], vec![false; other.said.len()]);
        for (ours, theirs) in &hunks {
            gone[ours.clone()].fill(true);
            new[theirs.clone()].fill(true);
        }
        let theirs = ComparedBlocks::of(theirs, &new);
        let ours = ComparedBlocks::of(again(), &gone);
        let score = |i: usize, j: usize| similarity(ours.at(i), theirs.at(j));
        let (ours_end, theirs_end) = hunks.last().map_or((0, 0), |it| (it.0.end, it.1.end));
        for op in paired(&hunks, ours_end, theirs_end, score) {
            comparison.step(op, |i| ours.at(i), |j| theirs.at(j), Span::default());
        }
    }

    /// Returns the hunks from the beginning up to the one that reaches [`MAX_COMPARED`] differing blocks. If
    /// that last hunk is large, it is cut there.
    fn first(&self, other: &Self, hunks: Vec<Hunk>) -> Vec<Hunk> {
        let mut differ = 0;
        let mut enough = |count: usize| {
            differ += count;
            differ >= MAX_COMPARED
        };
        let mut first = Vec::new();
        for (ours, theirs) in hunks {
            let pairs = ours.clone().zip(theirs.clone());
            let last =
                pairs.enumerate().find(|(_, (i, j))| enough(usize::from(self.said[*i] != other.said[*j])));
            match last {
                // The blocks of a large hunk are paired in order, so the hunk can be cut.
                Some((at, _)) if !is_weighed(&ours, &theirs) => {
                    first.push((ours.start..ours.start + at + 1, theirs.start..theirs.start + at + 1));
                    break;
                }
                _ => first.push((ours.clone(), theirs.clone())),
            }
            if last.is_some() || enough(ours.len().abs_diff(theirs.len())) {
                break;
            }
        }
        first
    }
}

/// The blocks of a document that are to be compared.
struct ComparedBlocks<'a> {
    nodes: ThinVec<Node<'a>>,
    /// The index that each block had in the document, in rising order.
    places: Vec<usize>,
}

impl<'a> ComparedBlocks<'a> {
    /// Creates the list of those `nodes` for which `wanted` is true, and drops the others.
    fn of(nodes: ThinVec<Node<'a>>, wanted: &[bool]) -> Self {
        let places: Vec<usize> = (0..nodes.len()).filter(|it| wanted[*it]).collect();
        let mut nodes: ThinVec<Node<'a>> =
            nodes.into_iter().zip(wanted).filter(|it| *it.1).map(|it| it.0).collect();
        nodes.shrink_to_fit();
        Self { nodes, places }
    }

    /// Returns the block that had the index `place` in the document.
    fn at(&self, place: usize) -> &Node<'a> {
        &self.nodes[self.places.binary_search(&place).expect("only kept nodes are requested")]
    }
}

#[cfg(test)]
mod tests {
    use thin_vec::thin_vec;

    use super::*;
    use crate::loss::LossKind;

    fn paragraph(text: &'static str, id: &'static str) -> Node<'static> {
        Node::new(Kind::Paragraph).with("localId", id).holding(thin_vec![Node::of_text(text)])
    }

    /// Returns the kinds of the losses, and how often the outlined tree was read again. Asserts that outlines
    /// and whole trees have the same losses.
    fn found(ours: &[Node<'static>], theirs: &[Node<'static>]) -> (Vec<LossKind>, usize) {
        let mut asked = 0;
        let again = || {
            asked += 1;
            ours.into()
        };
        let found = Outline::of(ours).differences(theirs.into(), again);
        assert_eq!(found, crate::compare::differences(ours, theirs));
        (found.into_iter().map(|it| it.kind).collect(), asked)
    }

    #[test]
    fn a_tree_that_says_the_same_is_not_asked_for_again() {
        let ours = [paragraph("a", "1"), paragraph("b", "2")];
        assert_eq!(found(&ours, &ours.clone()), (vec![], 0));
        let cut = Node::new(Kind::Paragraph).with("localId", "3");
        let cut = cut.holding(thin_vec![Node::of_text("c"), Node::of_text(""), Node::of_text("d")]);
        assert_eq!(found(&[paragraph("cd", "3")], &[cut]), (vec![], 0));
    }

    #[test]
    fn blocks_that_differ_are_compared() {
        let ours = [paragraph("a", "1"), paragraph("b", "2"), paragraph("c", "3")];
        let theirs = [paragraph("a", "1"), paragraph("b", "4"), paragraph("d", "3")];
        assert_eq!(found(&ours, &theirs), (vec![LossKind::Identity, LossKind::Content], 1));
    }

    #[test]
    fn blocks_that_are_missing_or_new_are_found() {
        let (one, two, three) = (paragraph("a", "1"), paragraph("b", "2"), paragraph("c", "3"));
        assert_eq!(
            found(&[one.clone(), two.clone()], std::slice::from_ref(&two)),
            (vec![LossKind::Content], 1)
        );
        assert_eq!(found(&[one.clone(), three.clone()], &[one, two, three]), (vec![LossKind::Content], 1));
    }

    #[test]
    fn text_that_stands_in_no_block_is_compared() {
        assert_eq!(found(&[Node::of_text("ab")], &[Node::of_text("a"), Node::of_text("b")]), (vec![], 0));
        assert_eq!(found(&[Node::of_text("a")], &[paragraph("a", "1")]).1, 1);
    }

    #[test]
    fn of_many_blocks_that_differ_the_first_are_told() {
        let all = |text| (0..6000).map(|_| paragraph(text, "1")).collect::<Vec<_>>();
        let (mut ours, mut theirs) = (all("a"), all("b"));
        assert_eq!(found(&ours, &theirs).0.len(), 1000);
        ours.insert(0, Node::new(Kind::Rule));
        assert_eq!(found(&ours, &theirs).0.len(), 1000);
        (ours[5000], theirs[4999]) = (paragraph("c", "1"), paragraph("d", "1"));
        ours[1..5000].clone_from_slice(&all("b")[1..5000]);
        assert_eq!(found(&ours, &theirs).0.len(), 1000);
    }

    #[test]
    fn what_is_lost_is_told_behind_any_number_of_identifiers() {
        let all = |id| (0..6000).map(|_| paragraph("a", id)).collect::<Vec<_>>();
        let (mut ours, mut theirs) = (all("1"), all("2"));
        assert_eq!(found(&ours, &theirs).0, vec![LossKind::Identity; 1000]);
        (ours[5999], theirs[5999]) = (paragraph("b", "1"), paragraph("c", "1"));
        let mut expected = vec![LossKind::Identity; 1000];
        expected.push(LossKind::Content);
        assert_eq!(found(&ours, &theirs).0, expected);
        ours.push(Node::new(Kind::Rule));
        assert!(found(&ours, &theirs).0.contains(&LossKind::Content));
    }

    #[test]
    fn identifiers_among_text_are_told() {
        let status = |id| Node::new(Kind::Status).with("text", "OK").with("localId", id);
        let holding = |id| Node::new(Kind::Paragraph).holding(thin_vec![Node::of_text("a"), status(id)]);
        assert_eq!(found(&[holding("1")], &[holding("2")]), (vec![LossKind::Identity], 1));
        assert_eq!(found(&[holding("1")], &[holding("1")]), (vec![], 0));
    }
}
