//! Differences between two lists of tools.
//!
//! In: two [`Report`]s. Out: the tools that only one report has, or whose cost differs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Cost, Field, Report};

/// A tool that was added, changed or removed, and its cost before and now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Difference {
    /// The name of the tool.
    pub name: String,
    /// The kind of change.
    pub change: Change,
    /// The tokens of the tool before the change; 0 if the tool is new.
    pub before: usize,
    /// The tokens of the tool after the change; 0 if the tool was removed.
    pub now: usize,
    /// The names of the fields that a changed tool has got or lost, or whose cost differs, such as `description`; empty
    /// for a tool that is new or was removed.
    pub fields: Vec<String>,
}

/// The kind of change of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// The tool is new.
    Added,
    /// A field of the tool was added or removed, or costs more or fewer tokens or bytes.
    Changed,
    /// The tool was removed.
    Removed,
}

/// Returns the differences from `before` to `now`: first the tools of `now` in their order, then the removed
/// tools. A tool that costs the same in every field is left out.
///
/// If several tools of a report have one name, the cost of the first one counts.
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
    let fields = old.zip(new).map(|(old, new)| changed_fields(old, new)).unwrap_or_default();
    Some(Difference { name: name.to_owned(), change, before: tokens(old), now: tokens(new), fields })
}

/// Returns the names of the fields that differ: first those of `new` in their order, then those that only `old` has.
fn changed_fields(old: &Cost, new: &Cost) -> Vec<String> {
    let differs = |field: &&Field| !old.fields.contains(field);
    let gone = old.fields.iter().filter(|field| new.fields.iter().all(|it| it.name != field.name));
    new.fields.iter().filter(differs).chain(gone).map(|field| field.name.clone()).collect()
}
