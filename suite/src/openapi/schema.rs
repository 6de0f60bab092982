//! Schemas of OpenAPI 3.0 as JSON Schema.
//!
//! In: a schema of a document, and a value. Out: problems. A schema is translated to draft 4, together with
//! the components that it needs, and compiled when it is first used.
//!
//! Requests are judged strictly. Responses may have members that the document does not know, since products
//! get new ones all the time. `readOnly` members may be in a request, but are never required there;
//! `writeOnly` likewise in a response. `format` and `discriminator` are not checked.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, ValidationError, Validator};
use serde_json::{Map, Value, json};

use super::document::{Document, component_of};
use super::shown;

/// The side of an exchange that a schema describes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Request,
    Response,
}

/// The compiled schemas of a document, by name.
#[derive(Default)]
pub(super) struct Judges(Mutex<HashMap<String, Arc<Validator>>>);

impl Judges {
    /// Checks a value. See [`Document::faults`].
    pub(super) fn faults(
        &self,
        document: &Document,
        name: &str,
        side: Side,
        schema: &Value,
        value: &Value,
        place: &str,
    ) -> Vec<String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).map(Arc::clone);
        // Two threads may compile the same schema, which is rare and does no harm.
        let judge = known.unwrap_or_else(|| {
            let judge = Arc::new(compiled(document, name, side, schema));
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(name.to_owned(), Arc::clone(&judge));
            judge
        });
        judge.iter_errors(value).map(|error| problem(place, &error)).collect()
    }
}

fn compiled(document: &Document, name: &str, side: Side, schema: &Value) -> Validator {
    let mut translation = Translation { needed: BTreeSet::new(), side };
    let root = translation.schema(schema);
    let mut components = Map::new();
    while let Some(name) = translation.needed.iter().find(|it| !components.contains_key(*it)).cloned() {
        let component = translation.schema(document.component(&name));
        components.insert(name, component);
    }
    // In draft 4, members beside a `$ref` do not count.
    let whole = json!({ "allOf": [root], "components": { "schemas": components } });
    let options = jsonschema::options().with_draft(Draft::Draft4).should_validate_formats(false);
    options.build(&whole).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The translation of one schema and of the components that it needs.
struct Translation {
    needed: BTreeSet<String>,
    side: Side,
}

/// Keywords that mean the same in both languages, and contain no schema.
const SAME: [&str; 13] = [
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "uniqueItems",
];

impl Translation {
    fn schema(&mut self, schema: &Value) -> Value {
        if let Some(name) = component_of(schema) {
            self.needed.insert(name.to_owned());
            return json!({ "$ref": schema["$ref"] });
        }
        let mut out = Map::new();
        let nullable = schema["nullable"] == true;
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            let translated = match keyword.as_str() {
                "type" if nullable => json!([value, "null"]),
                "enum" if nullable => {
                    value.as_array().into_iter().flatten().chain([&Value::Null]).cloned().collect()
                }
                "type" | "enum" => value.clone(),
                "properties" => {
                    let all = value.as_object().into_iter().flatten();
                    all.map(|(name, it)| (name.clone(), self.schema(it))).collect()
                }
                "required" => match self.required(schema) {
                    Some(names) => names,
                    None => continue,
                },
                "additionalProperties" if value.is_object() => self.schema(value),
                // See the module's documentation: responses may have more members.
                "additionalProperties" if self.side == Side::Response => continue,
                "additionalProperties" => value.clone(),
                "items" | "not" => self.schema(value),
                "allOf" | "anyOf" | "oneOf" => {
                    value.as_array().into_iter().flatten().map(|it| self.schema(it)).collect()
                }
                same if SAME.contains(&same) => value.clone(),
                _ => continue,
            };
            // Many alternatives differ only in the value of the discriminator, so several fit.
            let keyword = if keyword == "oneOf" { "anyOf" } else { keyword };
            out.insert(keyword.to_owned(), translated);
        }
        if nullable && !out.contains_key("type") {
            return json!({ "anyOf": [{ "type": "null" }, out] });
        }
        Value::Object(out)
    }

    /// Returns the members that this side has to have; `None` if there are none. Draft 4 has no empty
    /// `required`.
    fn required(&self, schema: &Value) -> Option<Value> {
        let excused = if self.side == Side::Request { "readOnly" } else { "writeOnly" };
        let names = schema["required"].as_array()?.iter();
        let own = names.filter(|name| {
            let property = name.as_str().map(|name| &schema["properties"][name]);
            property.is_none_or(|it| it[excused] != true)
        });
        let own: Vec<Value> = own.cloned().collect();
        (!own.is_empty()).then(|| own.into())
    }
}

/// Returns a problem with its place. Of alternatives that all fail, the one counts whose fault lies deepest:
/// the author of the value probably meant it.
pub(super) fn problem(place: &str, error: &ValidationError<'_>) -> String {
    let error = deepest(error);
    let (at, what) = (error.instance_path(), error.masked_with("the value"));
    format!("{place}{at}: {what}; found {}", shown(error.instance()))
}

fn deepest<'a, 'b>(error: &'a ValidationError<'b>) -> &'a ValidationError<'b> {
    let depth = |it: &ValidationError<'_>| it.instance_path().as_str().matches('/').count();
    match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            let best = context.iter().flatten().map(deepest).max_by_key(|it| depth(it));
            best.filter(|it| depth(it) > depth(error)).unwrap_or(error)
        }
        _ => error,
    }
}
