//! Schemas as JSON text: written by hand, or made from a value with its properties in order.
//!
//! In: a schema written by hand, or a value. Out: JSON without white space between its tokens. A schema that
//! is given as text keeps the order of its keys and the spelling of its numbers and strings.

use plainwire_proto::model::RawJson;
use serde_json::Value;
use serde_json::value::RawValue;

/// A schema written by hand: a [`Value`] or text. Text keeps the order of its keys, the spelling of its
/// numbers, and unknown keywords.
pub trait IntoSchema {
    /// Returns the schema as JSON without white space.
    ///
    /// # Errors
    /// A message that says why the text is no JSON.
    fn into_schema(self) -> Result<RawJson, String>;
}

impl IntoSchema for Value {
    fn into_schema(self) -> Result<RawJson, String> {
        Ok(raw(self.to_string()))
    }
}

impl IntoSchema for &str {
    fn into_schema(self) -> Result<RawJson, String> {
        match serde_json::from_str::<&RawValue>(self) {
            Ok(json) => Ok(raw(compact(json.get()))),
            Err(error) => Err(format!("expected the schema to be JSON, but found: {error}")),
        }
    }
}

impl IntoSchema for String {
    fn into_schema(self) -> Result<RawJson, String> {
        self.as_str().into_schema()
    }
}

impl IntoSchema for RawJson {
    fn into_schema(self) -> Result<RawJson, String> {
        Ok(raw(compact(self.get())))
    }
}

/// Removes the white space between the tokens of JSON.
fn compact(json: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let keep = |c: &char| {
        let blank = !in_string && matches!(c, ' ' | '\t' | '\n' | '\r');
        in_string = match c {
            '"' if !escaped => !in_string,
            _ => in_string,
        };
        escaped = in_string && *c == '\\' && !escaped;
        !blank
    };
    json.chars().filter(keep).collect()
}

/// Returns the text of a schema. The properties of the root that are in `order` come first, in that order;
/// its other properties follow.
pub(super) fn ordered(schema: &Value, order: &[&str]) -> RawJson {
    let Some(keywords) = schema.as_object().filter(|_| !order.is_empty()) else {
        return raw(schema.to_string());
    };
    let members = keywords.iter().map(|(keyword, inner)| match inner {
        Value::Object(properties) if keyword == "properties" => {
            let first = order.iter().filter_map(|name| properties.get_key_value(*name));
            let rest = properties.iter().filter(|(name, _)| !order.contains(&name.as_str()));
            let members = first.chain(rest).map(|(name, schema)| member(name, &schema.to_string()));
            member(keyword, &object(members))
        }
        _ => member(keyword, &inner.to_string()),
    });
    raw(object(members))
}

fn object(members: impl Iterator<Item = String>) -> String {
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn member(name: &str, json: &str) -> String {
    format!("{}:{json}", Value::from(name))
}

pub(super) fn raw(json: String) -> RawJson {
    RawValue::from_string(json).unwrap_or_default()
}
