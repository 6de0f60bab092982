//! `openai-strict`: the subset that OpenAI enforces while a model generates arguments.
//!
//! In: a schema whose only references are to recursive types. Out: a schema that "strict" mode accepts.
//! Comments have the numbers of the rules in docs/schemas.md.

use serde_json::{Value, json};

use super::node::{self, is_map, json_text, move_to_description, name_of, normalize, types};
use crate::schema::walk::Keywords;

/// Largest number of levels of objects and lists (rule 8).
const MAX_LEVELS: usize = 10;

/// Largest number of values in all enums of a schema (rule 9).
const MAX_VALUES: usize = 1_000;

/// The values of `format` that OpenAI enforces (rule 6).
const FORMATS: [&str; 9] =
    ["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"];

/// The keywords that stay, besides `type` (rule 5). Those in [`WORDS`] move into the description, and all
/// others are removed.
const KEYWORDS: [&str; 18] = [
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "multipleOf",
    "pattern",
    "properties",
    "required",
];

/// Keywords that move into the description, because a model should see them (rule 5).
const WORDS: [&str; 5] = ["default", "maxLength", "minLength", "uniqueItems", "examples"];

pub(super) fn rewrite(schema: &mut Value) {
    let mut root = node::united(normalize(node::keywords(schema)));
    let mut rewriter = Rewriter { values: MAX_VALUES };
    // Rule 7: the root is always an object.
    root.entry("properties").or_insert_with(|| json!({}));
    root.insert("additionalProperties".to_owned(), Value::Bool(false));
    let defs = root.remove("$defs").or_else(|| root.remove("definitions"));
    let mut root = rewriter.object(root, MAX_LEVELS);
    if let Some(Value::Object(mut defs)) = defs {
        for schema in defs.values_mut() {
            *schema = rewriter.schema(schema, MAX_LEVELS);
        }
        root.insert("$defs".to_owned(), Value::Object(defs));
    }
    *schema = Value::Object(root);
}

struct Rewriter {
    /// The number of enum values that are left of [`MAX_VALUES`] for the parts not yet rewritten.
    values: usize,
}

impl Rewriter {
    fn schema(&mut self, schema: &Value, levels: usize) -> Value {
        let it = normalize(node::keywords(schema));
        // Rule 4: a reference has no keywords beside it.
        if let Some(reference) = it.get("$ref") {
            let reference = reference.as_str().unwrap_or_default().replacen("#/definitions/", "#/$defs/", 1);
            return json!({ "$ref": reference });
        }
        let types = types(&it);
        let Some(below) = levels.checked_sub(1) else {
            return Value::Object(json_text(it.get("description"), name_of(&types)));
        };
        if it.contains_key("anyOf") {
            return Value::Object(self.alternatives(it, levels));
        }
        let has = |name: &str| types.iter().any(|it| it == name);
        let it = match () {
            // Rule 10: a value of any type is text, a number, a boolean or null.
            () if types.is_empty() => {
                let mut it = it;
                it.insert("type".to_owned(), json!(["string", "number", "boolean", "null"]));
                it
            }
            // Rule 3: members whose names are not known in advance can't be described.
            () if has("object") && is_map(&it) => return text_instead(&it, &types, "object"),
            () if has("object") => self.object(it, below),
            () if has("array") && !it.contains_key("items") => return text_instead(&it, &types, "array"),
            () if has("array") => self.array(it, below),
            () => it,
        };
        Value::Object(self.finish(it))
    }

    /// Rules 1 and 2: makes all properties required, lets the optional properties be null, and allows no other
    /// properties.
    fn object(&mut self, mut it: Keywords, levels: usize) -> Keywords {
        let required: Vec<String> = crate::schema::required(&it).into_iter().map(ToOwned::to_owned).collect();
        let mut names = Vec::new();
        if let Some(Value::Object(properties)) = it.get_mut("properties") {
            for (name, schema) in properties {
                let rewritten = self.schema(schema, levels);
                *schema = if required.contains(name) { rewritten } else { nullable(rewritten) };
                names.push(json!(name));
            }
        }
        it.insert("required".to_owned(), Value::Array(names));
        it.insert("additionalProperties".to_owned(), Value::Bool(false));
        self.finish(it)
    }

    fn array(&mut self, mut it: Keywords, levels: usize) -> Keywords {
        if let Some(items) = it.get_mut("items") {
            *items = self.schema(items, levels);
        }
        it
    }

    fn alternatives(&mut self, mut it: Keywords, levels: usize) -> Keywords {
        if let Some(Value::Array(all)) = it.get_mut("anyOf") {
            all.iter_mut().for_each(|one| *one = self.schema(one, levels));
        }
        it.retain(|keyword, _| matches!(keyword.as_str(), "anyOf" | "description"));
        it
    }

    /// Removes the keywords that are not in [`KEYWORDS`], except `type`. First moves those in [`WORDS`], and
    /// a `format` that is not in [`FORMATS`], into the description. Removes an `enum` with more values than
    /// are left of [`MAX_VALUES`].
    fn finish(&mut self, mut it: Keywords) -> Keywords {
        let values = it.get("enum").and_then(Value::as_array).map_or(0, Vec::len);
        match self.values.checked_sub(values) {
            Some(left) => self.values = left,
            None => drop(it.remove("enum")),
        }
        if it.get("format").and_then(Value::as_str).is_some_and(|format| !FORMATS.contains(&format)) {
            move_to_description(&mut it, "format");
        }
        WORDS.iter().for_each(|keyword| move_to_description(&mut it, keyword));
        it.retain(|keyword, _| keyword == "type" || KEYWORDS.contains(&keyword.as_str()));
        it
    }
}

fn text_instead(it: &Keywords, types: &[String], what: &str) -> Value {
    let text = json_text(it.get("description"), name_of(&[what.to_owned()]));
    let text = Value::Object(text);
    if types.iter().any(|it| it == "null") { nullable(text) } else { text }
}

/// Returns the schema changed so that it also allows null (rule 2).
fn nullable(schema: Value) -> Value {
    let Value::Object(mut it) = schema else { return schema };
    if it.contains_key("$ref") {
        return json!({ "anyOf": [it, { "type": "null" }] });
    }
    if let Some(Value::Array(all)) = it.get_mut("anyOf") {
        if !all.iter().any(crate::schema::slim::is_null) {
            all.push(json!({ "type": "null" }));
        }
        return Value::Object(it);
    }
    let mut types = types(&it);
    if !types.iter().any(|name| name == "null") {
        types.push("null".to_owned());
        if let Some(Value::Array(values)) = it.get_mut("enum") {
            values.push(Value::Null);
        }
    }
    it.insert("type".to_owned(), json!(types));
    Value::Object(it)
}
