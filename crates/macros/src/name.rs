//! Names of tools as the protocol defines them, and names in error messages.

use proc_macro2::Span;
use syn::{Error, Result};

/// Checks that `name` is a legal tool name.
///
/// # Errors
/// If `name` is not legal. Spec: 2025-11-25 tools "Tool Names".
pub(crate) fn check(name: &str, span: Span) -> Result<()> {
    let legal = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if (1..=128).contains(&name.len()) && name.chars().all(legal) {
        return Ok(());
    }
    let text = format!(
        "expected a tool name of 1 to 128 of `A-Z a-z 0-9 _ . -`, but found `{name}`: write one by `name = \"…\"`"
    );
    Err(Error::new(span, text))
}

/// Returns `names` in the form "`a`, `b` or `c`".
pub(crate) fn any_of(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [only] => format!("`{only}`"),
        [first @ .., last] => {
            let first: Vec<_> = first.iter().map(|name| format!("`{name}`")).collect();
            format!("{} or `{last}`", first.join(", "))
        }
    }
}

/// Returns the one of `names` that `found` was probably meant to be, if any: a name that differs from `found`
/// only in underscores or case, or by one or two edits, or whose first word is `found`.
pub(crate) fn meant<'n>(found: &str, names: &[&'n str]) -> Option<&'n str> {
    let plain = |name: &str| name.to_lowercase().replace('_', "");
    let begins = |name: &str| name.strip_prefix(found).is_some_and(|rest| rest.starts_with('_'));
    let near = names.iter().map(|name| (slips(&plain(found), &plain(name)), *name)).min();
    // Two swapped letters count as two edits.
    let near = near.filter(|(slips, _)| *slips <= if found.len() < 5 { 1 } else { 2 });
    near.map(|(_, name)| name).or_else(|| names.iter().find(|name| begins(name)).copied())
}

/// Returns the number of letters to add, remove or change to make `one` equal to `other`.
fn slips(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (n, c) in one.chars().enumerate() {
        let mut next = vec![n + 1];
        for (m, d) in other.iter().enumerate() {
            let changed = row[m] + usize::from(c != *d);
            next.push(changed.min(row[m + 1] + 1).min(next[m] + 1));
        }
        row = next;
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_known_and_another_word_is_not() {
        let names =
            ["description", "icon", "layer", "meta", "mime_type", "name", "read_only", "size", "title"];
        for (found, expected) in [
            ("readonly", Some("read_only")),
            ("readOnly", Some("read_only")),
            ("mime", Some("mime_type")),
            ("tilte", Some("title")),
            ("titel", Some("title")),
            ("titl", Some("title")),
            ("desciption", Some("description")),
            ("icons", Some("icon")),
            ("names", Some("name")),
            ("cache", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(meant(found, &names), expected, "{found}");
        }
    }
}
