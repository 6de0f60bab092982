//! Similarity of two nodes.

use crate::tree::Node;

/// Returns how likely `b` is the node `a` after an edit: 0 if their kinds differ, otherwise 1 to 101, by the
/// share of words and attributes that they have in common. Words count more: a task that was ticked is still that task.
pub(crate) fn similarity(a: &Node<'_>, b: &Node<'_>) -> u32 {
    if a.kind != b.kind {
        return 0;
    }
    let (a, b) = (Said::of(a), Said::of(b));
    let (words, attrs) = (share(&a.words(), &b.words()), share(&a.attrs(), &b.attrs()));
    1 + match (words, attrs) {
        (Some(words), Some(attrs)) => (words * WORDS + attrs * (100 - WORDS)) / 100,
        (only, None) | (None, only) => only.unwrap_or(100),
    }
}

/// The weight of the words, in percent, if there are attributes, too.
const WORDS: u32 = 80;

/// Returns the share of the elements that are in both lists, in percent; `None` if both are empty.
fn share(a: &[&str], b: &[&str]) -> Option<u32> {
    let all = a.len().max(b.len());
    (all > 0).then(|| u32::try_from(100 * common(a, b) / all).unwrap_or(100))
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

    /// Returns the words of the text, sorted, without duplicates.
    fn words(&self) -> Vec<&str> {
        sorted(self.within.split_whitespace().chain(self.own.split_whitespace()))
    }

    /// Returns the attributes, sorted.
    fn attrs(&self) -> Vec<&str> {
        sorted(self.attrs.iter().map(String::as_str))
    }
}

fn sorted<'s>(all: impl Iterator<Item = &'s str>) -> Vec<&'s str> {
    let mut all: Vec<&str> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}
