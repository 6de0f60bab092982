//! Reduces a document that loses content in a conversion: finds a small part that still loses content, for
//! examination and reports.

use thin_vec::{ThinVec, thin_vec};

use crate::convert::convert;
use crate::document::Document;
use crate::format::Format;
use crate::loss::{Loss, LossKind};
use crate::spelling;
use crate::tree::Node;

/// A small document with a loss of the same kind as the large document it was made from.
#[derive(Clone, Debug)]
pub struct Minimal {
    /// The small document, in the format of the large one.
    pub source: String,
    /// The losses of converting the small document.
    pub losses: Vec<Loss>,
}

/// The most documents that are converted in the search for a smaller one with the loss.
const MAX_TRIES: usize = 5000;

/// Converts `source`, and removes parts of it while the gravest loss of the conversion keeps its kind.
/// Returns the smallest document found; `None` if `source` loses nothing but identifiers.
///
/// Returns `source` unchanged if the loss depends on the spelling of `source`, and so vanishes when the tree
/// is written anew.
#[must_use]
pub fn minimize(from: Format, to: Format, source: &str) -> Option<Minimal> {
    let losses = convert(from, to, source).losses;
    let worst = worst(&losses)?;
    let document = Document::read(from, source);
    let mut search = Search { from, source, to, worst, tries: 0 };
    let mut blocks = document.blocks;
    if search.loses(&blocks).is_none() {
        // Written anew, the document does not have the loss, so the loss depends on how the source is
        // spelled. Only the source itself shows it.
        return Some(Minimal { source: source.to_owned(), losses });
    }
    while let Some(smaller) = search.smaller(&blocks) {
        blocks = smaller;
    }
    let losses = search.loses(&blocks)?;
    Some(Minimal { source: spelling::of(from).document(&blocks), losses })
}

/// Returns the kind of the gravest loss; `None` if nothing but identifiers is lost.
fn worst(losses: &[Loss]) -> Option<LossKind> {
    losses.iter().map(|it| it.kind).max().filter(|it| *it != LossKind::Identity)
}

/// The beginning of what wiki markup writes for a node that it does not have. A document with it is no part of a source without
/// it.
const INVENTED: &str = "{adf";

struct Search<'s> {
    from: Format,
    /// The original document.
    source: &'s str,
    to: Format,
    /// The kind of the gravest loss of the original document.
    worst: LossKind,
    /// The number of documents that were converted so far.
    tries: usize,
}

impl Search<'_> {
    /// Returns the losses of converting a document of `blocks`, if the gravest of them has the kind
    /// [`worst`](Self::worst); otherwise `None`.
    fn loses(&mut self, blocks: &[Node<'_>]) -> Option<Vec<Loss>> {
        self.tries += 1;
        let source = spelling::of(self.from).document(blocks);
        if source.contains(INVENTED) && !self.source.contains(INVENTED) {
            return None;
        }
        let losses = convert(self.from, self.to, &source).losses;
        (worst(&losses) == Some(self.worst)).then_some(losses)
    }

    /// Returns a smaller document whose gravest loss has the kind [`worst`](Self::worst): a single block, the
    /// children of a block, or all blocks without one part (see [`parts`]). Returns `None` if none of these
    /// has such a loss, or if [`MAX_TRIES`] is reached.
    fn smaller<'a>(&mut self, blocks: &[Node<'a>]) -> Option<ThinVec<Node<'a>>> {
        if blocks.len() > 1 {
            let single = blocks.iter().map(|it| thin_vec![it.clone()]);
            if let Some(found) = self.first(single) {
                return Some(found);
            }
        }
        let inside = blocks
            .iter()
            .filter(|it| it.children.iter().any(|it| !it.kind.is_inline()))
            .map(|it| it.children.clone());
        if let Some(found) = self.first(inside) {
            return Some(found);
        }
        let count = parts(blocks);
        self.first((0..count).map(|at| without(blocks, at)))
    }

    /// Returns the first of `candidates` whose gravest loss has the kind [`worst`](Self::worst); `None` if
    /// there is none or [`MAX_TRIES`] is reached.
    fn first<'a>(
        &mut self,
        candidates: impl Iterator<Item = ThinVec<Node<'a>>>,
    ) -> Option<ThinVec<Node<'a>>> {
        for candidate in candidates {
            if self.tries >= MAX_TRIES {
                return None;
            }
            if self.loses(&candidate).is_some() {
                return Some(candidate);
            }
        }
        None
    }
}

/// Returns how many parts can be removed from `nodes` and their descendants: nodes, attributes, marks, and
/// halves of texts.
fn parts(nodes: &[Node<'_>]) -> usize {
    nodes.iter().map(|it| 1 + own_parts(it) + parts(&it.children)).sum()
}

fn own_parts(node: &Node<'_>) -> usize {
    node.attrs.len() + node.marks.len() + if halves(&node.text).is_some() { 2 } else { 0 }
}

/// Returns `nodes` without the part number `at`, counted from 0 in the order in which [`parts`] counts them.
/// If that part is half of a text, only that half stays.
fn without<'a>(nodes: &[Node<'a>], mut at: usize) -> ThinVec<Node<'a>> {
    let mut all = ThinVec::from(nodes);
    for place in 0..all.len() {
        if at == 0 {
            all.remove(place);
            return all;
        }
        at -= 1;
        let (own, below) = (own_parts(&all[place]), parts(&all[place].children));
        if at < own {
            take(&mut all[place], at);
            return all;
        }
        at -= own;
        if at < below {
            all[place].children = without(&all[place].children, at);
            return all;
        }
        at -= below;
    }
    all
}

fn take(node: &mut Node<'_>, at: usize) {
    let (attrs, marks) = (node.attrs.len(), node.marks.len());
    if at < attrs {
        node.attrs.remove(at);
    } else if at < attrs + marks {
        node.marks.remove(at - attrs);
    } else if let Some((first, second)) = halves(&node.text) {
        let half = if at == attrs + marks { first } else { second };
        node.text = half.to_owned().into();
    }
}

/// Splits a text at its middle, or at the first character boundary after it; `None` if that boundary is the
/// end of the text.
fn halves(text: &str) -> Option<(&str, &str)> {
    let middle = text.len().div_ceil(2);
    let middle = (middle..text.len()).find(|&it| text.is_char_boundary(it))?;
    Some(text.split_at(middle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Flavor;

    #[test]
    fn what_the_source_does_not_have_is_no_part_of_it() {
        let source = "<p>Status: <ac:structured-macro ac:name=\"status\"><ac:parameter ac:name=\"title\">On track\
                      </ac:parameter></ac:structured-macro></p>";
        let found = minimize(Format::Storage, Format::Markdown(Flavor::Plain), source).expect("a loss");
        assert!(found.source.contains("ac:name=\"status\""), "{}", found.source);
        assert!(!found.source.contains("plainwire-raw"), "{}", found.source);
    }

    #[test]
    fn a_search_for_a_smaller_document_tries_5000() {
        let (from, to) = (Format::Storage, Format::Markdown(Flavor::Plain));
        let blocks = |source: &'static str| Document::read(from, source).blocks;
        let (kept, lost) = (blocks("<p>a</p>"), blocks("<ac:structured-macro ac:name=\"toc\" />"));
        let worst =
            worst(&convert(from, to, "<ac:structured-macro ac:name=\"toc\" />").losses).expect("a loss");
        let found_after = |tries: usize| {
            let mut search = Search { from, source: "", to, worst, tries };
            search.first([kept.clone(), lost.clone()].into_iter()).is_some()
        };
        assert_eq!([found_after(0), found_after(4_998), found_after(4_999)], [true, true, false]);
    }
}
