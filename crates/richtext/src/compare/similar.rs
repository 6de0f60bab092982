//! Similarity of two nodes.

use crate::tree::Node;

/// Returns how likely `b` is the node `a` after an edit: 0 if their kinds differ, otherwise 1 to 101, by the
/// share of words and attributes that they have in common.
pub(crate) fn similarity(a: &Node<'_>, b: &Node<'_>) -> u32 {
    if a.kind != b.kind {
        return 0;
    }
    let (a_text, b_text) = (Said::of(a), Said::of(b));
    let (a_words, b_words) = (a_text.words(), b_text.words());
    let all = a_words.len().max(b_words.len()).max(1);
    1 + u32::try_from(100 * common(&a_words, &b_words) / all).unwrap_or(100)
}

/// Returns how many elements are in both lists. Each list is sorted, without duplicates.
fn common(a: &[&str], b: &[&str]) -> usize {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        both += usize::from(x == y);
        (i, j) = (i + usize::from(x <= y), j + usize::from(y <= x));
    }
    both
}

/// The text of a node and its descendants, and the node's attributes, for a comparison by words.
struct Said<'n> {
    within: String,
    own: &'n str,
    attrs: Vec<String>,
}

impl<'n> Said<'n> {
    fn of(node: &'n Node<'_>) -> Self {
        let attrs = node.attrs.iter().map(|it| format!("{}={}", it.name, it.value.shown())).collect();
        Self { within: node.plain_text(), own: &node.text, attrs }
    }

    /// Returns the words of the text and the attributes, sorted, without duplicates.
    fn words(&self) -> Vec<&str> {
        let words = self.within.split_whitespace().chain(self.own.split_whitespace());
        let mut all: Vec<&str> = words.chain(self.attrs.iter().map(String::as_str)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
