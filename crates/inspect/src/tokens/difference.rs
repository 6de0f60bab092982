//! Differences between two lists of tools.
//!
//! In: two [`Report`]s. Out: the tools that only one of them has, or whose cost differs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Cost, Report};

/// The difference in one tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Difference {
    /// The tool.
    pub name: String,
    /// The kind of change.
    pub change: Change,
    /// Its tokens before; 0 if it did not exist.
    pub before: usize,
    /// Its tokens now; 0 if it is removed.
    pub now: usize,
}

/// The kind of change of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// The tool is new.
    Added,
    /// Some of its fields cost more or less.
    Changed,
    /// The tool is gone.
    Removed,
}

/// Returns the differences from `before` to `now`: first the present tools in their order, then the removed
/// ones. Tools that cost the same in every field are left out.
///
/// If several tools have one name, the first counts.
pub fn differences(before: &Report, now: &Report) -> Vec<Difference> {
    let (old, new) = (by_name(before), by_name(now));
    let gone = before.tools.iter().filter(|it| !new.contains_key(&*it.name));
    let names = now.tools.iter().chain(gone).map(|it| &*it.name);
    names.filter_map(|name| difference(name, old.get(name).copied(), new.get(name).copied())).collect()
}

fn by_name(report: &Report) -> BTreeMap<&str, &Cost> {
    report.tools.iter().rev().map(|it| (&*it.name, it)).collect()
}

fn difference(name: &str, old: Option<&Cost>, new: Option<&Cost>) -> Option<Difference> {
    let change = match (old, new) {
        (old, new) if old == new => return None,
        (None, _) => Change::Added,
        (_, None) => Change::Removed,
        _ => Change::Changed,
    };
    let tokens = |it: Option<&Cost>| it.map_or(0, |it| it.total);
    Some(Difference { name: name.to_owned(), change, before: tokens(old), now: tokens(new) })
}
