//! Alignment of two sequences.
//!
//! In: two sequences of numbers, where equal numbers stand for equal elements. Out: the elements kept,
//! changed, deleted and inserted, in order. Takes nearly linear time: elements that occur once in each
//! sequence serve as anchors, and only the stretches between them are searched.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// A step of the alignment of two sequences, here called `a` and `b`. The numbers in it are indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// `Keep(i, j)`: the element `a[i]` equals `b[j]`.
    Keep(usize, usize),
    /// `Pair(i, j)`: the element `a[i]` was changed to `b[j]`.
    Pair(usize, usize),
    /// `Delete(i)`: the element `a[i]` is gone.
    Delete(usize),
    /// `Insert(j)`: the element `b[j]` is new.
    Insert(usize),
}

/// A difference between two sequences: a range of indices in the first, and the range in the second that
/// replaces it. One of the two may be empty.
pub(crate) type Hunk = (Range<usize>, Range<usize>);

/// The most pairs of elements (the product of the two lengths) in a stretch between anchors that is searched
/// in full. In a larger stretch only the neighbourhood of each difference is searched.
const MAX_PAIRS: usize = 4_000_000;

/// The most elements, of both sequences together, that the search of a large stretch skips to find equal
/// elements again.
const FAR: usize = 32;

/// The number of consecutive equal elements that end a difference in a large stretch.
const ENOUGH: usize = 4;

/// The most pairs of elements in a [`Hunk`] for which the best pairing is computed. In a larger hunk the
/// elements are paired in order.
const MAX_WEIGHED: usize = 10_000;

/// Aligns `a` and `b`. Elements that differ are paired so that the sum of the pairs' `score`s is highest; in
/// a hunk of more than [`MAX_WEIGHED`] pairs they are paired in order. `score` gets an index of `a` and one
/// of `b`; elements with a score of 0 are never paired.
pub(crate) fn align(a: &[u64], b: &[u64], score: impl Fn(usize, usize) -> u32) -> Vec<Op> {
    paired(&hunks(a, b), a.len(), b.len(), score)
}

/// Like [`align`], for two sequences of these lengths whose differences are known to be `hunks`.
pub(crate) fn paired(
    hunks: &[Hunk],
    a_len: usize,
    b_len: usize,
    score: impl Fn(usize, usize) -> u32,
) -> Vec<Op> {
    let (mut ops, mut i, mut j) = (Vec::new(), 0, 0);
    for (gone, new) in hunks.iter().cloned().chain([(a_len..a_len, b_len..b_len)]) {
        while i < gone.start {
            ops.push(Op::Keep(i, j));
            (i, j) = (i + 1, j + 1);
        }
        (i, j) = (gone.end, new.end);
        if is_weighed(&gone, &new) {
            weigh(gone, new, &score, &mut ops)
        } else {
            in_order(gone, new, &score, &mut ops)
        }
    }
    ops
}

/// Returns whether the hunk of `gone` and `new` has at most [`MAX_WEIGHED`] pairs. If so, its pairs are
/// chosen for the highest sum of scores; in a larger hunk the elements are paired in order.
pub(crate) fn is_weighed(gone: &Range<usize>, new: &Range<usize>) -> bool {
    gone.len().saturating_mul(new.len()) <= MAX_WEIGHED
}

/// Adds the steps for the hunk of `gone` and `new` to `ops`, with the pairs that have the highest sum of
/// scores, found by dynamic programming.
fn weigh(gone: Range<usize>, new: Range<usize>, score: &impl Fn(usize, usize) -> u32, ops: &mut Vec<Op>) {
    let (rows, columns) = (gone.len(), new.len());
    let mut best = vec![0_u32; (rows + 1) * (columns + 1)];
    let at = |i: usize, j: usize| i * (columns + 1) + j;
    let scores: Vec<u32> =
        (0..rows * columns).map(|it| score(gone.start + it / columns, new.start + it % columns)).collect();
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            let paired = scores[i * columns + j]
                + if scores[i * columns + j] > 0 { best[at(i + 1, j + 1)] } else { 0 };
            best[at(i, j)] = paired.max(best[at(i + 1, j)]).max(best[at(i, j + 1)]);
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < rows || j < columns {
        let here = best[at(i, j)];
        let pair = i < rows && j < columns && scores[i * columns + j] > 0;
        if pair && here == scores[i * columns + j] + best[at(i + 1, j + 1)] {
            ops.push(Op::Pair(gone.start + i, new.start + j));
            (i, j) = (i + 1, j + 1);
        } else if i < rows && (j == columns || here == best[at(i + 1, j)]) {
            ops.push(Op::Delete(gone.start + i));
            i += 1;
        } else {
            ops.push(Op::Insert(new.start + j));
            j += 1;
        }
    }
}

/// Adds the steps for the hunk of `gone` and `new` to `ops`: pairs the elements in order, up to the length of
/// the shorter range. Elements with a score of 0, and those left over, are deleted or inserted.
fn in_order(gone: Range<usize>, new: Range<usize>, score: &impl Fn(usize, usize) -> u32, ops: &mut Vec<Op>) {
    let pairs = gone.len().min(new.len());
    for (i, j) in gone.clone().zip(new.clone()) {
        ops.extend(if score(i, j) > 0 { vec![Op::Pair(i, j)] } else { vec![Op::Delete(i), Op::Insert(j)] });
    }
    ops.extend((gone.start + pairs..gone.end).map(Op::Delete));
    ops.extend((new.start + pairs..new.end).map(Op::Insert));
}

/// Returns the ranges in which `a` and `b` differ, in order. Elements between the ranges are equal.
pub(crate) fn hunks(a: &[u64], b: &[u64]) -> Vec<Hunk> {
    let start = a.iter().zip(b).take_while(|it| it.0 == it.1).count();
    let end = a[start..].iter().rev().zip(b[start..].iter().rev()).take_while(|it| it.0 == it.1).count();
    let (a_end, b_end) = (a.len() - end, b.len() - end);
    let (mut found, mut i, mut j) = (Vec::new(), start, start);
    for (x, y) in
        anchors(&a[start..a_end], &b[start..b_end]).into_iter().chain([(a_end - start, b_end - start)])
    {
        let (x, y) = (start + x, start + y);
        between(a, b, i..x, j..y, &mut found);
        (i, j) = (x + 1, y + 1);
    }
    found
}

/// Adds the differences between the range `x` of `a` and the range `y` of `b` to `found`.
fn between(a: &[u64], b: &[u64], x: Range<usize>, y: Range<usize>, found: &mut Vec<Hunk>) {
    if x.is_empty() && y.is_empty() {
        return;
    }
    if !have_common(&a[x.clone()], &b[y.clone()]) {
        return join(found, x, y);
    }
    if x.len().saturating_mul(y.len()) > MAX_PAIRS {
        return step_by_step(a, b, x, y, found);
    }
    for op in capture_diff_slices(Algorithm::Myers, &a[x.clone()], &b[y.clone()]) {
        if !matches!(op, DiffOp::Equal { .. }) {
            let (old, new) = (op.old_range(), op.new_range());
            join(found, x.start + old.start..x.start + old.end, y.start + new.start..y.start + new.end);
        }
    }
}

/// Like [`between`], for a large stretch: takes linear time, but may find more differences than necessary.
fn step_by_step(a: &[u64], b: &[u64], x: Range<usize>, y: Range<usize>, found: &mut Vec<Hunk>) {
    let (mut i, mut j) = (x.start, y.start);
    while i < x.end && j < y.end {
        if a[i] == b[j] {
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let (gone, new) = resumed(&a[i..x.end], &b[j..y.end]);
        join(found, i..i + gone, j..j + new);
        (i, j) = (i + gone, j + new);
    }
    if i < x.end || j < y.end {
        join(found, i..x.end, j..y.end);
    }
}

/// Returns how many elements of `a` and of `b` to skip so that the next [`ENOUGH`] elements are equal.
/// Returns `(1, 1)` if skipping up to [`FAR`] elements does not lead there.
fn resumed(a: &[u64], b: &[u64]) -> (usize, usize) {
    let goes_on = |gone: usize, new: usize| {
        let both = a.get(gone..gone + ENOUGH).zip(b.get(new..new + ENOUGH));
        both.is_some_and(|it| it.0 == it.1)
    };
    let mut ways = (1..=FAR).flat_map(|all| (0..=all).map(move |gone| (gone, all - gone)));
    ways.find(|it| goes_on(it.0, it.1)).unwrap_or((1, 1))
}

/// Returns whether the sequences have a common element. If they have none, as in text that lost all its
/// marks, [`between`] skips the search by Myers' algorithm, which takes longest for such sequences.
fn have_common(a: &[u64], b: &[u64]) -> bool {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let mut sorted = few.to_vec();
    sorted.sort_unstable();
    many.iter().any(|it| sorted.binary_search(it).is_ok())
}

/// Adds the hunk of `x` and `y` to `found`. If it directly follows the hunk before it in both sequences, the
/// two are merged.
fn join(found: &mut Vec<Hunk>, x: Range<usize>, y: Range<usize>) {
    match found.last_mut() {
        Some(last) if last.0.end == x.start && last.1.end == y.start => {
            last.0.end = x.end;
            last.1.end = y.end;
        }
        _ => found.push((x, y)),
    }
}

/// Returns the indices, in `a` and in `b`, of elements that occur once in each sequence: the largest set of
/// elements that has the same order in both.
fn anchors(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    let (a, b) = (single(a), single(b));
    let mut both = Vec::new();
    let mut others = b.into_iter().peekable();
    for (id, place) in a {
        while others.next_if(|it| it.0 < id).is_some() {}
        both.extend(others.next_if(|it| it.0 == id).map(|it| (place, it.1)));
    }
    both.sort_unstable();
    rising(&both)
}

/// Returns the elements that occur exactly once in `all`, sorted by value, each with its index.
fn single(all: &[u64]) -> Vec<(u64, usize)> {
    let mut places: Vec<(u64, usize)> = all.iter().copied().zip(0..).collect();
    places.sort_unstable();
    let once = |it: &[(u64, usize)]| if let [it] = it { Some(*it) } else { None };
    places.chunk_by(|it, next| it.0 == next.0).filter_map(once).collect()
}

/// Returns the longest subsequence of `pairs` in which the second numbers rise.
pub(crate) fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&it| pairs[it].1 < pair.1);
        before.push(length.checked_sub(1).map(|it| ends[it]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut found = Vec::new();
    let mut next = ends.last().copied();
    while let Some(at) = next {
        found.push(pairs[at]);
        next = before[at];
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_alike(a: &[u64], b: &[u64]) -> Vec<Op> {
        align(a, b, |_, _| 1)
    }

    #[test]
    fn equal_sequences_are_kept() {
        assert_eq!(all_alike(&[1, 2], &[1, 2]), [Op::Keep(0, 0), Op::Keep(1, 1)]);
    }

    #[test]
    fn a_changed_thing_is_a_pair_between_what_is_kept() {
        assert_eq!(all_alike(&[1, 2, 3], &[1, 9, 3]), [Op::Keep(0, 0), Op::Pair(1, 1), Op::Keep(2, 2)]);
    }

    #[test]
    fn what_is_not_alike_is_taken_away_and_put_in() {
        assert_eq!(align(&[1], &[2], |_, _| 0), [Op::Delete(0), Op::Insert(0)]);
    }

    #[test]
    fn things_put_in_and_taken_away_do_not_disturb_their_neighbours() {
        assert_eq!(all_alike(&[1, 3], &[1, 2, 3]), [Op::Keep(0, 0), Op::Insert(1), Op::Keep(1, 2)]);
        assert_eq!(all_alike(&[1, 2, 3], &[1, 3]), [Op::Keep(0, 0), Op::Delete(1), Op::Keep(2, 1)]);
    }

    #[test]
    fn a_hundred_thousand_changed_things_take_no_time() {
        let (a, b): (Vec<u64>, Vec<u64>) = ((0..100_000).collect(), (200_000..300_000).collect());
        assert_eq!(hunks(&a, &b), [(0..100_000, 0..100_000)]);
    }

    #[test]
    fn what_is_put_into_a_long_sequence_that_repeats_itself_moves_nothing() {
        let a: Vec<u64> = (0..10_000).map(|it| it % 7).collect();
        let mut b = a.clone();
        b[3000] = 8;
        b.splice(5000..5000, [9, 9]);
        b.drain(7000..7003);
        assert_eq!(
            hunks(&a, &b),
            [(3000..3001, 3000..3001), (5000..5000, 5000..5002), (6998..7001, 7000..7000)]
        );
    }
}
