//! What is remembered of a document while its tree is not there: enough to find the blocks that may differ from another's.
//!
//! In: blocks, and later those they are to be compared with. Out: the differences. A tree takes many times the bytes of its source: two
//! documents are compared this way so that there is never more than one whole tree at a time.

use super::print::{inlines, prints};
use super::{Comparison, similarity};
use crate::align::{hunks, paired};
use crate::loss::Loss;
use crate::tree::{Kind, Node, Span};

/// The blocks of a document, each as two numbers.
pub(crate) struct Outline {
    kinds: Vec<Kind>,
    /// Equal for blocks that say the same, identity aside.
    said: Vec<u64>,
    /// Equal for blocks that say the same.
    all: Vec<u64>,
    /// Of text that stands in no block, what it says.
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

    /// What `theirs` does not say of the blocks this is the outline of, at most 1,000 things. If something differs, `again` is asked for
    /// the blocks once more.
    pub(crate) fn differences<'o>(
        &self,
        theirs: Vec<Node<'_>>,
        again: impl FnOnce() -> Vec<Node<'o>>,
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

    /// Compares blocks of which each is what stands at the same place in the other document.
    fn one_by_one<'o>(
        &self,
        other: &Self,
        theirs: Vec<Node<'_>>,
        again: impl FnOnce() -> Vec<Node<'o>>,
        comparison: &mut Comparison,
    ) {
        let differ: Vec<bool> = self.all.iter().zip(&other.all).map(|it| it.0 != it.1).collect();
        if differ.contains(&true) {
            let theirs = Kept::of(theirs, &differ);
            let ours = Kept::of(again(), &differ);
            ours.nodes.iter().zip(&theirs.nodes).for_each(|it| comparison.node(it.0, it.1));
        }
    }

    /// Compares blocks of which some are missing, or new, or of another kind.
    fn aligned<'o>(
        &self,
        other: &Self,
        theirs: Vec<Node<'_>>,
        again: impl FnOnce() -> Vec<Node<'o>>,
        comparison: &mut Comparison,
    ) {
        let hunks = hunks(&self.said, &other.said);
        let (mut gone, mut new) = (vec![false; self.said.len()], vec![false; other.said.len()]);
        for (ours, theirs) in &hunks {
            gone[ours.clone()].fill(true);
            new[theirs.clone()].fill(true);
        }
        let theirs = Kept::of(theirs, &new);
        let ours = Kept::of(again(), &gone);
        let score = |i: usize, j: usize| similarity(ours.at(i), theirs.at(j));
        for op in paired(&hunks, gone.len(), new.len(), score) {
            comparison.step(op, |i| ours.at(i), |j| theirs.at(j), Span::default());
        }
    }
}

/// Some of the blocks of a document.
struct Kept<'a> {
    nodes: Vec<Node<'a>>,
    /// Where each was, in order.
    places: Vec<usize>,
}

impl<'a> Kept<'a> {
    /// Those that are wanted.
    fn of(nodes: Vec<Node<'a>>, wanted: &[bool]) -> Self {
        let places: Vec<usize> = (0..nodes.len()).filter(|it| wanted[*it]).collect();
        let mut nodes: Vec<Node<'a>> =
            nodes.into_iter().zip(wanted).filter(|it| *it.1).map(|it| it.0).collect();
        nodes.shrink_to_fit();
        Self { nodes, places }
    }

    /// The one that was at this place.
    fn at(&self, place: usize) -> &Node<'a> {
        &self.nodes[self.places.binary_search(&place).expect("only what was kept is asked for")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::LossKind;

    fn paragraph(text: &'static str, id: &'static str) -> Node<'static> {
        Node::new(Kind::Paragraph).with("localId", id).holding(vec![Node::of_text(text)])
    }

    /// The kinds of what is found, by outlines and by trees, and how often a tree was asked for again.
    fn found(ours: &[Node<'static>], theirs: &[Node<'static>]) -> (Vec<LossKind>, usize) {
        let mut asked = 0;
        let again = || {
            asked += 1;
            ours.to_vec()
        };
        let found = Outline::of(ours).differences(theirs.to_vec(), again);
        assert_eq!(found, crate::compare::differences(ours, theirs));
        (found.into_iter().map(|it| it.kind).collect(), asked)
    }

    #[test]
    fn a_tree_that_says_the_same_is_not_asked_for_again() {
        let ours = [paragraph("a", "1"), paragraph("b", "2")];
        assert_eq!(found(&ours, &ours.clone()), (vec![], 0));
        let cut = Node::new(Kind::Paragraph).with("localId", "3");
        let cut = cut.holding(vec![Node::of_text("c"), Node::of_text(""), Node::of_text("d")]);
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
}
