//! Names of tools, as the protocol has them.

use proc_macro2::Span;
use syn::{Error, Result};

/// # Errors
/// If `name` is none. Spec: 2025-11-25 tools "Tool Names".
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
