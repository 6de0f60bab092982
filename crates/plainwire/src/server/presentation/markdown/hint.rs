//! Hints of a schema about the texts of a value.
//!
//! In: the schema of a value. Out: for each text, the language in which it is written. The keyword for it is
//! `contentMediaType` of JSON Schema: `text/markdown` is Markdown, and `text/x-rust` is code in Rust.

use serde_json::Value;

/// The maximal number of references and alternatives that are followed, one inside the other, for one schema.
const MAX_REFERENCES: usize = 6;

/// The schema of one value, and the whole schema that contains it.
#[derive(Clone, Copy, Default)]
pub(super) struct Hint<'s> {
    root: Option<&'s Value>,
    schema: Option<&'s Value>,
}

impl<'s> Hint<'s> {
    /// Returns the hint for the value of a whole schema.
    pub(super) fn of(schema: Option<&'s Value>) -> Self {
        Self { root: schema, schema }
    }

    /// Returns the hint for the member `name` of an object.
    pub(super) fn member(self, name: &str) -> Self {
        self.part(|schema| schema.get("properties")?.get(name))
    }

    /// Returns the hint for the elements of a list.
    pub(super) fn items(self) -> Self {
        self.part(|schema| schema.get("items"))
    }

    /// Returns the language of a text: `markdown`, or that of a block of code; `None` for text without one.
    pub(super) fn language(self) -> Option<&'s str> {
        let media_type = self.part(|schema| schema.get("contentMediaType")).schema?.as_str()?;
        let (_, language) = media_type.split_once('/')?;
        let is_plain = language == "plain"
            || !language.chars().all(|it| it.is_ascii_alphanumeric() || "-+.".contains(it));
        (!is_plain).then(|| language.strip_prefix("x-").unwrap_or(language))
    }

    /// Returns what `find` finds in the schema, or in the first of its alternatives that has it.
    fn part(self, find: impl Fn(&'s Value) -> Option<&'s Value>) -> Self {
        Self { schema: self.schema.and_then(|schema| self.find_in(schema, &find, MAX_REFERENCES)), ..self }
    }

    fn find_in(
        self,
        schema: &'s Value,
        find: &impl Fn(&'s Value) -> Option<&'s Value>,
        left: usize,
    ) -> Option<&'s Value> {
        if let Some(found) = find(schema) {
            return Some(found);
        }
        let left = left.checked_sub(1)?;
        if let Some(target) = schema.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix('#')) {
            return self.find_in(self.root?.pointer(target)?, find, left);
        }
        let alternatives =
            ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|keyword| schema.get(keyword)?.as_array());
        alternatives.flatten().find_map(|schema| self.find_in(schema, find, left))
    }
}
