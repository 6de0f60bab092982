//! `gemini`: the subset of OpenAPI 3.0 for function declarations of Gemini.
//!
//! In: a schema whose only references are to recursive types. Out: a schema without references. Comments have
//! the numbers of the rules in docs/schemas.md.

use serde_json::{Value, json};

use super::node::{self, is_map, json_text, move_to_description, name_of, normalize, types};
use crate::schema::walk::Keywords;

/// Largest number of times that a recursive type is repeated inside itself (rule 2).
const MAX_REPEATS: usize = 2;

/// Largest number of levels of objects, lists and alternatives. It limits the text of a type that refers to
/// itself several times (rule 2).
const MAX_LEVELS: usize = 16;

/// Largest number of schemas that are written out. Further ones become strings that hold JSON (rule 2).
const MAX_SCHEMAS: usize = 2_000;

/// The keywords that stay (rule 1). Those in [`WORDS`] move into the description, and all others are removed.
const KEYWORDS: [&str; 16] = [
    "anyOf",
    "description",
    "enum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "nullable",
    "pattern",
    "properties",
    "required",
    "type",
];

/// Keywords that move into the description, because a model should see them (rule 1).
const WORDS: [&str; 6] =
    ["default", "examples", "exclusiveMaximum", "exclusiveMinimum", "multipleOf", "uniqueItems"];

pub(super) fn rewrite(schema: &mut Value) {
    let mut root = node::united(normalize(node::keywords(schema)));
    // Rule 8: the root is always an object.
    root.entry("properties").or_insert_with(|| json!({}));
    let mut rewriter = Rewriter { whole: schema, open: Vec::new(), schemas: MAX_SCHEMAS };
    let root = Value::Object(rewriter.object(root, MAX_LEVELS));
    *schema = root;
}

struct Rewriter<'s> {
    /// The schema before the rewrite, in which references are looked up.
    whole: &'s Value,
    /// The references around the current position that are being replaced by their definitions. A recursive
    /// reference appears several times.
    open: Vec<String>,
    /// The number of schemas that are left of [`MAX_SCHEMAS`] for the parts not yet written out.
    schemas: usize,
}

impl Rewriter<'_> {
    fn schema(&mut self, schema: &Value, levels: usize) -> Value {
        let it = node::keywords(schema);
        if let Some(reference) = it.get("$ref").and_then(Value::as_str) {
            return self.reference(&it, reference, levels);
        }
        let it = normalize(it);
        let types = types(&it);
        self.schemas = self.schemas.saturating_sub(1);
        let below = levels.checked_sub(1).filter(|_| self.schemas > 0);
        let Some(below) = below else {
            return Value::Object(json_text(it.get("description"), name_of(&types)));
        };
        if it.contains_key("anyOf") {
            return self.alternatives(it, below);
        }
        self.of_types(it, &types, below)
    }

    /// Rule 2: replaces a reference by its definition, which may repeat inside itself [`MAX_REPEATS`] times.
    /// A reference beyond that, or one without a definition, becomes a string that holds JSON.
    fn reference(&mut self, it: &Keywords, reference: &str, levels: usize) -> Value {
        let pointer = reference.strip_prefix('#').unwrap_or("/nowhere");
        let target = self.whole.pointer(pointer);
        let repeats = self.open.iter().filter(|open| *open == reference).count();
        let root_repeats = usize::from(reference == "#");
        let Some(target) = target.filter(|_| repeats + root_repeats <= MAX_REPEATS) else {
            let description = it.get("description").or_else(|| target?.get("description"));
            let types = target.map(|target| types(&normalize(node::keywords(target)))).unwrap_or_default();
            return Value::Object(json_text(description, name_of(&types)));
        };
        let mut target = target.clone();
        if let (Some(description), Value::Object(target)) = (it.get("description"), &mut target) {
            target.insert("description".to_owned(), description.clone());
        }
        self.open.push(reference.to_owned());
        let written = self.schema(&target, levels);
        self.open.pop();
        written
    }

    fn of_types(&mut self, mut it: Keywords, types: &[String], levels: usize) -> Value {
        let nullable = types.iter().any(|name| name == "null");
        let real: Vec<&String> = types.iter().filter(|name| *name != "null").collect();
        let kind = match real[..] {
            [one] => one.clone(),
            // Rule 7: a value of any type is text.
            [] => "string".to_owned(),
            // Rule 4: several types become alternatives.
            _ => {
                let one_of = |kind: &&String| {
                    let mut one = it.clone();
                    one.insert("type".to_owned(), json!(kind));
                    one.remove("description");
                    Value::Object(one)
                };
                let mut all: Vec<Value> = real.iter().map(one_of).collect();
                if nullable {
                    all.push(json!({ "type": "null" }));
                }
                it.retain(|keyword, _| keyword == "description");
                it.insert("anyOf".to_owned(), Value::Array(all));
                return self.alternatives(it, levels);
            }
        };
        it.insert("type".to_owned(), json!(kind));
        if nullable {
            it.insert("nullable".to_owned(), Value::Bool(true));
        }
        let written = match kind.as_str() {
            // Rule 3: an object without known names, and a list without `items`, can't be described.
            "object" if is_map(&it) => json_text(it.get("description"), "an object"),
            "object" => self.object(it, levels),
            "array" if it.contains_key("items") => {
                let items = it.get("items").map(|items| self.schema(items, levels));
                it.extend(items.map(|items| ("items".to_owned(), items)));
                finish(it)
            }
            "array" => json_text(it.get("description"), "an array"),
            _ => finish(it),
        };
        Value::Object(written)
    }

    fn object(&mut self, mut it: Keywords, levels: usize) -> Keywords {
        let mut names = Vec::new();
        if let Some(Value::Object(properties)) = it.get_mut("properties") {
            for (name, schema) in properties {
                *schema = self.schema(schema, levels);
                names.push(name.clone());
            }
        }
        if let Some(Value::Array(required)) = it.get_mut("required") {
            required.retain(|name| name.as_str().is_some_and(|name| names.iter().any(|known| known == name)));
        }
        if it.get("required").is_some_and(|required| *required == json!([])) {
            it.remove("required");
        }
        finish(it)
    }

    /// Rule 4: removes the keywords beside `anyOf`. The description moves to the first alternative, in
    /// front of the description that this has itself. If null is an alternative, the other alternatives get `nullable`.
    fn alternatives(&mut self, it: Keywords, levels: usize) -> Value {
        let all = it.get("anyOf").and_then(Value::as_array).cloned().unwrap_or_default();
        let nullable = all.iter().any(crate::schema::slim::is_null);
        let real = all.iter().filter(|one| !crate::schema::slim::is_null(one));
        let mut real: Vec<Value> = real.map(|one| self.schema(one, levels)).collect();
        for one in real.iter_mut().filter_map(Value::as_object_mut) {
            if nullable {
                one.insert("nullable".to_owned(), Value::Bool(true));
            }
        }
        if let Some(Value::Object(first)) = real.first_mut()
            && let Some(Value::String(description)) = it.get("description")
        {
            let own = first.get("description").and_then(Value::as_str);
            let both = own.map_or_else(|| description.clone(), |own| format!("{description}\n\n{own}"));
            first.insert("description".to_owned(), Value::String(both));
        }
        match real.len() {
            0 => json!({ "type": "string", "nullable": true }),
            1 => real.remove(0),
            _ => json!({ "anyOf": real }),
        }
    }
}

/// Removes the keywords that are not in [`KEYWORDS`]. First moves these into the description: the keywords in
/// [`WORDS`], a `format` other than `date-time`, and an `enum` of a type other than text. An exclusive bound
/// of an integer becomes an inclusive one if there is none yet.
fn finish(mut it: Keywords) -> Keywords {
    let kind = it.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    // Rule 5: only text has an `enum`, and all its values are text.
    if let Some(Value::Array(values)) = it.get("enum") {
        let texts: Vec<_> = values.iter().filter(|value| value.is_string()).cloned().collect();
        if kind == "string" && !texts.is_empty() {
            it.insert("enum".to_owned(), Value::Array(texts));
        } else {
            move_to_description(&mut it, "enum");
        }
    }
    // Rule 6: `date-time` is the only format of text that stays.
    if it
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|format| kind != "string" || format != "date-time")
    {
        move_to_description(&mut it, "format");
    }
    for (exclusive, inclusive, step) in
        [("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)]
    {
        let bound = it.get(exclusive).and_then(Value::as_i64).and_then(|bound| bound.checked_add(step));
        if let (Some(bound), "integer") = (bound, kind.as_str())
            && !it.contains_key(inclusive)
        {
            it.remove(exclusive);
            it.insert(inclusive.to_owned(), json!(bound));
        }
    }
    WORDS.iter().for_each(|keyword| move_to_description(&mut it, keyword));
    it.retain(|keyword, _| KEYWORDS.contains(&keyword.as_str()));
    it
}
