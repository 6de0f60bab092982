//! The regular expressions of a schema, compiled once.
//!
//! In: a schema with `pattern`. Out: whether a text matches a pattern. Matching takes linear time, so
//! look-around and back references are not supported. Without the feature `pattern`, every text matches.

use serde_json::Value;

#[cfg(feature = "pattern")]
use super::walk;

/// The patterns of one schema.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patterns {
    #[cfg(feature = "pattern")]
    by_text: std::sync::Arc<std::collections::BTreeMap<String, regex_lite::Regex>>,
}

#[cfg(feature = "pattern")]
impl Patterns {
    /// Compiles the patterns of a schema and leaves out invalid ones. Also returns an error message for the
    /// first invalid one.
    pub(super) fn of(schema: &Value) -> (Self, Option<String>) {
        let (mut by_text, mut problem) = (std::collections::BTreeMap::new(), None);
        walk::any(schema, &mut |keywords| {
            if let Some(Value::String(text)) = keywords.get("pattern") {
                match regex_lite::Regex::new(text) {
                    Ok(pattern) => drop(by_text.insert(text.clone(), pattern)),
                    Err(error) => drop(problem.get_or_insert_with(|| misspelled(text, &error))),
                }
            }
            false
        });
        (Self { by_text: std::sync::Arc::new(by_text) }, problem)
    }

    /// Returns whether `text` matches `pattern`, one of the patterns of the schema. A pattern that could not
    /// be compiled matches every text.
    pub(crate) fn fits(&self, pattern: &str, text: &str) -> bool {
        self.by_text.get(pattern).is_none_or(|pattern| pattern.is_match(text))
    }
}

#[cfg(feature = "pattern")]
fn misspelled(text: &str, error: &regex_lite::Error) -> String {
    format!("expected `pattern` to be a regular expression without look-around, but found {text:?}: {error}")
}

#[cfg(not(feature = "pattern"))]
impl Patterns {
    pub(super) fn of(_: &Value) -> (Self, Option<String>) {
        (Self::default(), None)
    }

    pub(crate) fn fits(&self, _: &str, _: &str) -> bool {
        true
    }
}
