//! JSON Schemas of what functions take and return: derived from types, made lean, fitted to clients.
//!
//! In: a type with `JsonSchema`, or a schema that somebody wrote. Out: the text that is listed and the value that arguments
//! are checked against. What a model reads on every turn is paid for on every turn, so that [`slim`] is the default; a
//! [`Preset`] is for clients that can't read all of JSON Schema; a schema by hand is sent as it is. Checking is the
//! business of `handler::arguments`; nothing here is ever fetched.
//!
//! ```
//! use plainwire::schema::Preset;
//! use serde_json::json;
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

use crate::server::handler::Rejected;

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

pub(crate) use input::{InputSchema, Rewrite};
pub(crate) use order::fields;
pub(crate) use patterns::Patterns;
pub use preset::{Preset, UnknownPreset};
pub use root::is_object;
pub use slim::{slim, slim_arguments, slim_results};
pub use text::IntoSchema;
pub(crate) use walk::Keywords;

/// Reads arguments into a `T` as a handler would, for tests of types of arguments.
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
/// What a model would be told.
pub fn read<T: DeserializeOwned + JsonSchema>(json: &str) -> Result<T, Rejected> {
    arguments::read(json, &InputSchema::of::<T>())
}

/// The names that a schema requires.
pub(crate) fn required(keywords: &Keywords) -> Vec<&str> {
    keywords
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// The schema of a type that is returned.
pub(crate) fn output<T: JsonSchema>() -> RawJson {
    let mut value = derive::<T>(Contract::Serialize);
    slim(&mut value);
    text::raw(value.to_string())
}

/// The schema of a result without its descriptions. One that is no JSON stays what it is.
pub(crate) fn undescribed(described: &RawJson) -> RawJson {
    let Ok(mut schema) = serde_json::from_str(described.get()) else { return described.clone() };
    slim_results(&mut schema);
    text::raw(schema.to_string())
}

/// The schema of a type as it is derived, with everything in it.
pub(crate) fn derive<T: JsonSchema>(contract: Contract) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.contract = contract;
    settings.meta_schema = None;
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Follows a local `$ref` to its definition; other schemas are returned as they are.
pub(crate) fn resolve<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    // Eight steps: a chain of references is short or a circle.
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
