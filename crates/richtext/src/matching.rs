//! Matching of the elements after an edit with those before it.
//!
//! In: two sequences of numbers, where equal numbers stand for equal elements, and how similar two elements
//! are. Out: for each element after the edit, the one before it that it is. What is equal is the same element,
//! wherever it stands; after that the most similar elements belong together; the position decides last.

use std::collections::HashMap;

use crate::align::{Op, paired, rising};
use crate::in_order::pairs_in_order;

/// An element before the edit that an element after it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    /// The index of the element before the edit.
    pub(crate) at: usize,
    /// True if the two are equal.
    pub(crate) is_equal: bool,
    /// True if the element stands elsewhere now, among those that have an element before the edit.
    pub(crate) is_moved: bool,
}

/// The most pairs of elements without a match whose similarity is computed. If there are more, only elements at the
/// same position are compared.
const MAX_PAIRS: usize = 10_000;

/// The similarity above which two elements belong together wherever they stand.
const SIMILAR: u32 = 50;

/// Returns the match of each element of `b`, the elements after the edit, among `a`, those before it. No two have the
/// same match. `score` gets an index of `a` and one of `b`, and returns 0 if the two can't be the same element, otherwise 1
/// to 101.
pub(crate) fn matches(a: &[u64], b: &[u64], score: impl Fn(usize, usize) -> u32) -> Vec<Option<Match>> {
    let mut matching = Matching { of: vec![None; b.len()], is_taken: vec![false; a.len()] };
    matching.equal_in_order(a, b);
    matching.equal_elsewhere(a, b);
    let (gone, new) = (matching.gone(), matching.added());
    if gone.len().saturating_mul(new.len()) <= MAX_PAIRS {
        matching.similar(&gone, &new, &score);
    }
    matching.at_the_same_position(&score);
    if let (true, [i], [j]) = (a.len() == b.len(), &matching.gone()[..], &matching.added()[..])
        && score(*i, *j) > 0
    {
        // All others have moved, so the position says nothing.
        matching.take(*i, *j, false);
    }
    matching.with_moves()
}

struct Matching {
    /// For each element of `b`, the index of its match and whether it is equal.
    of: Vec<Option<(usize, bool)>>,
    /// For each element of `a`, whether it is the match of an element of `b`.
    is_taken: Vec<bool>,
}

impl Matching {
    fn take(&mut self, i: usize, j: usize, is_equal: bool) {
        self.of[j] = Some((i, is_equal));
        self.is_taken[i] = true;
    }

    /// Returns the elements before the edit without a match.
    fn gone(&self) -> Vec<usize> {
        (0..self.is_taken.len()).filter(|it| !self.is_taken[*it]).collect()
    }

    /// Returns the elements after the edit without a match.
    fn added(&self) -> Vec<usize> {
        (0..self.of.len()).filter(|it| self.of[*it].is_none()).collect()
    }

    /// Matches elements that are equal and in the same order. Of several equal ones, those belong together that stand at the same
    /// place among their neighbours.
    fn equal_in_order(&mut self, a: &[u64], b: &[u64]) {
        let mut gaps = vec![(0..a.len(), 0..b.len())];
        while let Some((mut i, mut j)) = gaps.pop() {
            while !i.is_empty() && !j.is_empty() && a[i.start] == b[j.start] {
                self.take(i.start, j.start, true);
                (i.start, j.start) = (i.start + 1, j.start + 1);
            }
            while !i.is_empty() && !j.is_empty() && a[i.end - 1] == b[j.end - 1] {
                (i.end, j.end) = (i.end - 1, j.end - 1);
                self.take(i.end, j.end, true);
            }
            if i.is_empty() || j.is_empty() {
                continue;
            }
            let pairs = pairs_in_order(&a[i.clone()], &b[j.clone()], MAX_PAIRS);
            if pairs.are_anchors {
                let (mut from, ends) = ((i.start, j.start), [(i.len(), j.len())]);
                for (x, y) in pairs.all.iter().chain(&ends) {
                    gaps.push((from.0..i.start + x, from.1..j.start + y));
                    from = (i.start + x + 1, j.start + y + 1);
                }
            }
            pairs.all.into_iter().for_each(|(x, y)| self.take(i.start + x, j.start + y, true));
        }
    }

    fn equal_elsewhere(&mut self, a: &[u64], b: &[u64]) {
        let mut waiting: HashMap<u64, Vec<usize>> = HashMap::new();
        self.gone().into_iter().rev().for_each(|it| waiting.entry(a[it]).or_default().push(it));
        for j in self.added() {
            if let Some(i) = waiting.get_mut(&b[j]).and_then(Vec::pop) {
                self.take(i, j, true);
            }
        }
    }

    /// Matches elements that are alike, the most similar first; of equally similar ones, those that stand closest to each
    /// other.
    fn similar(&mut self, gone: &[usize], new: &[usize], score: &impl Fn(usize, usize) -> u32) {
        let all = gone.iter().flat_map(|i| new.iter().map(move |j| (*i, *j)));
        let mut pairs: Vec<(u32, usize, usize)> = all.map(|(i, j)| (score(i, j), i, j)).collect();
        pairs.retain(|it| it.0 > SIMILAR);
        pairs.sort_by_key(|&(score, i, j)| (std::cmp::Reverse(score), i.abs_diff(j), j));
        for (_, i, j) in pairs {
            if !self.is_taken[i] && self.of[j].is_none() {
                self.take(i, j, false);
            }
        }
    }

    /// Matches elements that stand between the same neighbours, in their order.
    fn at_the_same_position(&mut self, score: &impl Fn(usize, usize) -> u32) {
        let mut end = 0;
        while let Some(start) = (end..self.of.len()).find(|it| self.of[*it].is_none()) {
            end = (start..self.of.len()).find(|it| self.of[*it].is_some()).unwrap_or(self.of.len());
            let candidates = self.between(start, end);
            let whole = [(0..candidates.len(), 0..end - start)];
            let score = |i: usize, j: usize| score(candidates[i], start + j);
            for op in paired(&whole, candidates.len(), end - start, score) {
                if let Op::Pair(i, j) = op {
                    self.take(candidates[i], start + j, false);
                }
            }
        }
    }

    /// Returns the elements before the edit without a match that directly follow the match of the element before `start`, or
    /// directly precede that of the element at `end`.
    fn between(&self, start: usize, end: usize) -> Vec<usize> {
        let at = |it: usize| self.of[it].map_or(0, |it| it.0);
        let from = if start == 0 { 0 } else { at(start - 1) + 1 };
        let to = if end == self.of.len() { self.is_taken.len() } else { at(end) };
        let free = |it: &usize| !self.is_taken[*it];
        let mut all: Vec<usize> = (from..self.is_taken.len()).take_while(free).collect();
        all.extend((0..to).rev().take_while(free));
        all.sort_unstable();
        all.dedup();
        all
    }

    fn with_moves(self) -> Vec<Option<Match>> {
        let pairs: Vec<(usize, usize)> =
            self.of.iter().enumerate().filter_map(|(j, it)| it.map(|(i, _)| (j, i))).collect();
        let mut in_order = rising(&pairs).into_iter().peekable();
        let all = self.of.into_iter().enumerate();
        all.map(|(j, it)| {
            let (at, is_equal) = it?;
            let is_moved = in_order.next_if(|it| it.0 == j).is_none();
            Some(Match { at, is_equal, is_moved })
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matches words: those that begin alike are similar, those of different length can't be the same.
    fn found(a: &[&str], b: &[&str]) -> Vec<String> {
        let numbers = |words: &[&str]| -> Vec<u64> {
            words.iter().map(|it| it.bytes().fold(7, |all, byte| all * 257 + u64::from(byte))).collect()
        };
        let score = |i: usize, j: usize| match (a[i].len() == b[j].len(), a[i][..1] == b[j][..1]) {
            (false, _) => 0,
            (true, alike) => {
                if alike {
                    80
                } else {
                    1
                }
            }
        };
        let shown = |it: Option<Match>| match it {
            None => "new".to_owned(),
            Some(it) => {
                let how = if it.is_equal { "" } else { " edited" };
                format!("{}{how}{}", a[it.at], if it.is_moved { " moved" } else { "" })
            }
        };
        matches(&numbers(a), &numbers(b), score).into_iter().map(shown).collect()
    }

    #[test]
    fn what_is_equal_is_the_same_wherever_it_stands() {
        assert_eq!(found(&["a", "b", "c", "d"], &["b", "a", "d", "c"]), ["b moved", "a", "d moved", "c"]);
        assert_eq!(found(&["a", "a", "b"], &["b", "a", "a"]), ["b moved", "a", "a"]);
    }

    #[test]
    fn of_equal_elements_each_stays_in_its_place() {
        assert_eq!(found(&["a", "a", "a"], &["x", "a", "a"]), ["a edited", "a", "a"].map(str::to_owned));
        let at = |a: &[u64], b: &[u64]| -> Vec<Option<usize>> {
            matches(a, b, |_, _| 60).iter().map(|it| it.map(|it| it.at)).collect()
        };
        assert_eq!(at(&[1, 1, 1], &[2, 1, 1]), [Some(0), Some(1), Some(2)]);
        assert_eq!(at(&[1, 1, 1], &[2, 1, 1, 3]), [Some(0), Some(1), Some(2), None]);
        assert_eq!(at(&[1, 1, 9, 1, 1], &[2, 1, 9, 1, 3]), [0, 1, 2, 3, 4].map(Some));
    }

    #[test]
    fn what_is_similar_is_the_same_if_nothing_is_equal() {
        assert_eq!(
            found(&["a1", "b1", "c1"], &["c2", "b1", "a1"]),
            ["c1 edited moved", "b1 moved", "a1"].map(str::to_owned)
        );
    }

    #[test]
    fn the_position_decides_last() {
        assert_eq!(found(&["a", "b", "c"], &["a", "x", "c"]), ["a", "b edited", "c"]);
        assert_eq!(found(&["a", "b", "c", "d"], &["d", "a", "x", "c"]), ["d moved", "a", "b edited", "c"]);
        assert_eq!(found(&["a", "b", "c"], &["c", "a", "y", "b"]), ["c moved", "a", "new", "b"]);
        assert_eq!(found(&["a", "b"], &["a", "xy"]), ["a", "new"]);
    }

    #[test]
    fn the_last_one_is_the_last_one() {
        assert_eq!(
            found(&["a", "b", "c", "d"], &["d", "c", "b", "x"]),
            ["d moved", "c moved", "b moved", "a edited"]
        );
        assert_eq!(found(&["a", "b", "c"], &["c", "b"]), ["c moved", "b"]);
    }
}
