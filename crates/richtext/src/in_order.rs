//! Pairs of equal elements of two sequences that are in the same order.
//!
//! In: two sequences of numbers, where equal numbers stand for equal elements. Out: pairs of indices. Elements that are only once
//! in both are anchors; of others, those belong together that stand at the same place.

use std::collections::HashMap;

use crate::align::{hunks, rising};
use crate::counts::counts;

/// Pairs of an index of the first and one of the second sequence, in order.
pub(crate) struct Pairs {
    pub(crate) all: Vec<(usize, usize)>,
    /// True if what lies between the pairs is still to be compared.
    pub(crate) are_anchors: bool,
}

/// Returns pairs of equal elements in the same order. Up to `most` possible pairs are weighed against each other.
pub(crate) fn pairs_in_order(a: &[u64], b: &[u64], most: usize) -> Pairs {
    let anchors = anchors(a, b);
    if !anchors.is_empty() {
        return Pairs { all: anchors, are_anchors: true };
    }
    let all = if a.len().saturating_mul(b.len()) <= most { in_place(a, b) } else { common(a, b) };
    Pairs { all, are_anchors: false }
}

/// Returns the pairs of equal elements that are only once in `a` and only once in `b`, as far as they are in the same order.
fn anchors(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    let once = |all: &[u64]| -> HashMap<u64, usize> {
        let found = counts(all.iter().copied());
        all.iter().enumerate().filter(|it| found[it.1] == 1).map(|(at, it)| (*it, at)).collect()
    };
    let (of_a, of_b) = (once(a), once(b));
    let mut pairs: Vec<(usize, usize)> =
        of_b.iter().filter_map(|(it, j)| Some((*j, *of_a.get(it)?))).collect();
    pairs.sort_unstable();
    rising(&pairs).into_iter().map(|(j, i)| (i, j)).collect()
}

/// Returns the most pairs of equal elements in the same order; of several ways, the one in which they move least.
fn in_place(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    const PAIR: i64 = 1 << 32;
    let width = b.len() + 1;
    let mut best = vec![0_i64; (a.len() + 1) * width];
    let worth = |i: usize, j: usize| if a[i] == b[j] { PAIR - i.abs_diff(j) as i64 } else { i64::MIN / 2 };
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            let pair = worth(i, j) + best[(i + 1) * width + j + 1];
            best[i * width + j] = pair.max(best[(i + 1) * width + j]).max(best[i * width + j + 1]);
        }
    }
    let (mut pairs, mut i, mut j) = (Vec::new(), 0, 0);
    while i < a.len() && j < b.len() {
        let here = best[i * width + j];
        if here == worth(i, j) + best[(i + 1) * width + j + 1] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if here == best[(i + 1) * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Returns the pairs of equal elements of a longest common subsequence.
fn common(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    let (mut pairs, mut i, mut j) = (Vec::new(), 0, 0);
    for (gone, new) in hunks(a, b).into_iter().chain([(a.len()..a.len(), b.len()..b.len())]) {
        while i < gone.start {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        }
        (i, j) = (gone.end, new.end);
    }
    pairs
}
