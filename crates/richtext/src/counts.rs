//! Counts of equal things.

use std::collections::HashMap;
use std::hash::Hash;

/// Counts the occurrences of each value.
pub(crate) fn counts<T: Eq + Hash>(things: impl Iterator<Item = T>) -> HashMap<T, usize> {
    let mut counts = HashMap::new();
    things.for_each(|it| *counts.entry(it).or_default() += 1);
    counts
}

/// Removes one occurrence of `thing` from `counts`. Returns whether there was one.
pub(crate) fn take<T: Eq + Hash>(counts: &mut HashMap<T, usize>, thing: &T) -> bool {
    let Some(count) = counts.get_mut(thing).filter(|it| **it > 0) else { return false };
    *count -= 1;
    true
}
