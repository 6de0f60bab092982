//! What is right and wrong in a declaration.
//!
//! In: entries. Out: the first mistake, with the line that made it.

use std::collections::HashMap;

use crate::catalog::Declared;
use crate::error::{Error, Result};

/// Finds the first mistake in a declaration.
pub(crate) fn check(declared: &Declared) -> Result<()> {
    let mut seen = HashMap::new();
    let entries = (declared.tools.iter().map(|it| ("tool", &it.entry.name, it.at, &it.problem)))
        .chain(declared.prompts.iter().map(|it| ("prompt", &it.entry.name, it.at, &it.problem)))
        .chain(declared.resources.iter().map(|it| ("resource", &it.entry.uri, it.at, &it.problem)))
        .chain(
            declared
                .templates
                .iter()
                .map(|it| ("resource template", &it.entry.uri_template, it.at, &it.problem)),
        );
    for (kind, name, at, problem) in entries {
        let wrong = |message| Err(Error::Declaration { at, message: format!("{kind} `{name}`: {message}") });
        if let Some(problem) = problem {
            return wrong(problem.clone());
        }
        if kind == "tool" && !is_tool_name(name) {
            return wrong("expected a name of 1 to 128 of `A-Z a-z 0-9 _ . -`".to_owned());
        }
        if kind.starts_with("resource") && !name.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme))
        {
            return wrong("expected a URI that begins with a scheme, such as `file:`".to_owned());
        }
        if name.is_empty() {
            return wrong("expected a name".to_owned());
        }
        if let Some(first) = seen.insert((kind, name), at) {
            return wrong(format!("expected the name once, but it is also declared at {first}"));
        }
    }
    Ok(())
}

/// Spec: 2025-11-25 tools "Tool Names".
fn is_tool_name(name: &str) -> bool {
    (1..=128).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+.-".contains(&b))
}
