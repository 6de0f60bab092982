//! JSON Schemas of arguments and results: derived from types, slimmed, and adapted to clients.
//!
//! In: a type with `JsonSchema`, or a schema written by hand. Out: the JSON text that lists send to clients,
//! and the value that arguments are checked against. A model reads schemas on every turn, so [`slim()`] is
//! the default. A [`Preset`] is for clients that can't read all of JSON Schema. A schema written by hand is
//! sent unchanged except for white space, unless a preset rewrites it. The submodule `arguments` checks
//! arguments. References to other documents are never fetched.
//!
//! ```
//! use plainwire::schema::Preset;
//! use plainwire::serde_json::json;
//!
//! let mut schema = json!({
//!     "type": "object",
//!     "properties": { "limit": { "type": "integer" } },
//!     "additionalProperties": false,
//! });
//! Preset::OpenaiStrict.apply(&mut schema);
//! assert_eq!(schema["properties"]["limit"]["type"], json!(["integer", "null"]));
//! assert_eq!(schema["required"], json!(["limit"]));
//! ```

use plainwire_proto::model::RawJson;
use schemars::JsonSchema;
use schemars::generate::{Contract, SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) mod arguments;
mod headers;
mod inline;
mod input;
mod merge;
mod order;
mod patterns;
mod preset;
mod root;
mod slim;
mod text;
pub(crate) mod uri_template;
#[cfg(feature = "validate")]
mod validate;
mod walk;

use arguments::Rejected;
pub(crate) use input::{InputSchema, Rewrite};
pub(crate) use order::fields;
pub(crate) use patterns::Patterns;
pub use preset::{Preset, UnknownPreset};
pub use root::is_object;
pub use slim::{slim, slim_arguments, slim_results};
pub use text::IntoSchema;
pub(crate) use walk::Keywords;

/// Returns a value that fits `part`, a part of the schema `root`: `wished` itself, or else the closest one that is
/// found. `None` if none of at most 80 bytes is found.
///
/// ```
/// use plainwire::schema;
/// use serde_json::json;
///
/// let root = json!({ "type": "object", "properties": { "code": { "type": "string", "minLength": 6 } } });
/// let example = schema::example(json!("text"), &root["properties"]["code"], &root);
/// assert_eq!(example, Some(json!("textte")));
/// ```
pub fn example(wished: Value, part: &Value, root: &Value) -> Option<Value> {
    arguments::fitting(wished, part, &InputSchema::of_server(text::raw(root.to_string())))
}

/// Reads arguments into a `T` like a handler does, for tests of argument types.
///
/// ```
/// use plainwire::prelude::*;
/// use plainwire::schema;
///
/// #[derive(Debug, Deserialize, JsonSchema)]
/// struct Page {
///     #[schemars(range(min = 1, max = 100))]
///     number: u32,
/// }
///
/// assert_eq!(schema::read::<Page>(r#"{"number":"7"}"#).expect("a number in text").number, 7);
/// let rejected = schema::read::<Page>(r#"{"number":500}"#).expect_err("no such page");
/// assert_eq!(rejected.0, "expected `arguments.number` to be at most 100, but found 500; 100 would fit");
/// ```
///
/// # Errors
/// [`Rejected`], with the text that a model would get.
pub fn read<T: DeserializeOwned + JsonSchema>(json: &str) -> Result<T, Rejected> {
    arguments::read(json, &InputSchema::of::<T>())
}

/// Returns the names of the properties that a schema requires.
pub(crate) fn required(keywords: &Keywords) -> Vec<&str> {
    keywords
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// Returns the slimmed schema of a result type.
pub(crate) fn output<T: JsonSchema>() -> RawJson {
    let mut value = derive::<T>(Contract::Serialize);
    headers::remove(&mut value);
    slim(&mut value);
    text::raw(value.to_string())
}

/// Returns the slimmed schema of a result without its descriptions. Text that is no JSON is returned
/// unchanged.
pub(crate) fn undescribed(described: &RawJson) -> RawJson {
    let Ok(mut schema) = serde_json::from_str(described.get()) else { return described.clone() };
    slim_results(&mut schema);
    text::raw(schema.to_string())
}

/// Returns the schema of a type as `schemars` derives it, before slimming.
pub(crate) fn derive<T: JsonSchema>(contract: Contract) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.contract = contract;
    settings.meta_schema = None;
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Follows a `$ref` to a definition in `root`, and a `$ref` in that definition, up to eight in a row. Returns
/// `schema` itself if it has no `$ref` that leads into `root`.
pub(crate) fn resolve<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    // Eight steps are enough: a longer chain of references is taken for a circle.
    let mut at = schema;
    for _ in 0..8 {
        let Some(pointer) = at.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#')) else {
            break;
        };
        let Some(next) = root.pointer(pointer) else { break };
        at = next;
    }
    at
}

#[cfg(test)]
mod tests;

pub(crate) use uri_template::Template;
