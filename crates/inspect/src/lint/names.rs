//! Rules about the names of tools, alone and compared with each other.
//!
//! In: an [`Entry`] and the names of the tools before it in the list. Out: the rules of this file that the
//! entry breaks.

use std::collections::BTreeMap;

use super::Broken;
use crate::Entry;

/// Limit on the characters of a name in the APIs of Claude and of OpenAI.
const MAX_CHARS: usize = 64;

/// Limit on the characters of a tool's name in Cursor. Cursor accepts 60 for the names of tool and server
/// together; a limit of 50 leaves ten for the server.
const MAX_CHARS_IN_CURSOR: usize = 50;

/// The names of the tools that were checked so far.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Names of tools, by their folded form, see [`folded`].
    by_fold: BTreeMap<String, Vec<String>>,
}

impl Known {
    /// Adds `name`. Returns the earlier names with the same folded form; `name` itself may be one of them.
    fn add(&mut self, name: &str) -> Vec<String> {
        let alike = self.by_fold.entry(folded(name)).or_default();
        let before = alike.clone();
        if !alike.iter().any(|it| it == name) {
            alike.push(name.to_owned());
        }
        before
    }
}

pub(super) fn check(tool: &Entry, known: &mut Known, broken: &mut Broken) {
    let name = tool.name();
    let mut add = |rule, message| broken.add(rule, "name", || message);
    if name.is_empty() {
        return add("missing-name", "expected a name, but found none".into());
    }
    let alike = known.add(name);
    if alike.iter().any(|it| it == name) {
        add("duplicate-name", format!("expected a unique name, but found {name:?} a second time"));
    } else if let Some(other) = alike.first() {
        add(
            "similar-name",
            format!(
                "expected names that differ in more than case, `_`, `-` and `.`, but found {other:?} and {name:?}"
            ),
        );
    }
    let length = name.chars().count();
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if let Some(c) = name.chars().find(|c| !is_legal(*c)) {
        add("tool-name", format!("expected letters, digits, `_` and `-`, but found {c:?} in {name:?}"));
    } else if length > MAX_CHARS {
        add("tool-name", format!("expected at most {MAX_CHARS} characters, but found {length}"));
    }
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        add("tool-name-start", format!("expected a letter or `_` first, but found {name:?}"));
    }
    if length > MAX_CHARS_IN_CURSOR {
        add(
            "long-tool-name",
            format!("expected at most {MAX_CHARS_IN_CURSOR} characters, but found {length}"),
        );
    }
}

/// Returns the name in lower case and without `_`, `-` and `.`. Names that are easily mixed up become equal.
fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | '.')).flat_map(char::to_lowercase).collect()
}
