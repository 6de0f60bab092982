//! JSON Schemas from Rust types, lean: what a model reads on every turn is paid for on every turn.
//!
//! In: a type with `JsonSchema`. Out: its schema without titles, `$schema` and integer formats, as the text that
//! goes over the wire and as the value that arguments are checked against. Schemas are not changed otherwise.

use plainwire_proto::model::RawJson;
use schemars::JsonSchema;
use schemars::generate::{Contract, SchemaSettings};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// What a function takes, as JSON Schema. The root is always an object.
#[derive(Clone, Debug)]
pub(crate) struct InputSchema {
    /// Whether it asks for more than the Rust types check by themselves, such as a length.
    pub(crate) constrained: bool,
    pub(crate) value: Value,
}

impl InputSchema {
    /// The schema of a type that is filled in from arguments.
    ///
    /// Unknown names are refused, and the schema says so, unless the type itself takes them (a flattened map).
    pub(crate) fn of<T: JsonSchema>() -> Self {
        let mut value = derive::<T>(Contract::Deserialize);
        let constrained = is_constrained(&value);
        slim(&mut value);
        if let Value::Object(root) = &mut value
            && root.get("type") == Some(&json!("object"))
        {
            root.entry("properties").or_insert_with(|| json!({}));
            root.entry("additionalProperties").or_insert(Value::Bool(false));
        }
        Self { constrained, value }
    }

    /// A schema that somebody wrote by hand; it is sent as it is.
    pub(crate) fn by_hand(value: Value) -> Self {
        Self { constrained: is_constrained(&value), value }
    }

    /// The schema of a function without parameters.
    pub(crate) fn empty() -> Self {
        let value = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        Self { constrained: false, value }
    }

    /// Returns whether the root is an object's, as the protocol wants it.
    pub(crate) fn is_object(&self) -> bool {
        self.value.get("type") == Some(&json!("object"))
    }

    pub(crate) fn to_raw(&self) -> RawJson {
        to_raw(&self.value)
    }

    /// Name, schema and "is required" of each property.
    pub(crate) fn properties(&self) -> Vec<(&str, &Value, bool)> {
        let required = required(&self.value);
        let properties = self.value.get("properties").and_then(Value::as_object).into_iter().flatten();
        properties.map(|(name, schema)| (name.as_str(), schema, required.contains(&name.as_str()))).collect()
    }
}

/// The names that a schema requires.
pub(crate) fn required(schema: &Value) -> Vec<&str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The schema of a type that is returned.
pub(crate) fn output<T: JsonSchema>() -> RawJson {
    let mut value = derive::<T>(Contract::Serialize);
    slim(&mut value);
    to_raw(&value)
}

pub(crate) fn to_raw(value: &Value) -> RawJson {
    RawValue::from_string(value.to_string()).unwrap_or_default()
}

/// The schema of a type as it is derived, with everything in it.
pub(crate) fn derive<T: JsonSchema>(contract: Contract) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.contract = contract;
    settings.meta_schema = None;
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Keywords that no Rust type checks while it is read. `minimum: 0` of an unsigned integer is the one exception.
const CONSTRAINTS: [&str; 8] = [
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
];

fn is_constrained(schema: &Value) -> bool {
    let Value::Object(object) = schema else {
        return schema.as_array().is_some_and(|schemas| schemas.iter().any(is_constrained));
    };
    let unsigned =
        object.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint"));
    object.iter().any(|(keyword, inner)| match keyword.as_str() {
        "minimum" if unsigned && inner == &json!(0) => false,
        // Below these keywords names are the user's, so that only what stands there as a schema counts.
        _ if inner.is_object() || inner.is_array() => is_constrained(inner),
        keyword => CONSTRAINTS.contains(&keyword) && inner.is_number(),
    })
}

/// Integer formats say what the machine holds, which no model needs and some clients refuse.
const FORMATS: [&str; 14] = [
    "double", "float", "int", "int8", "int16", "int32", "int64", "int128", "uint", "uint8", "uint16",
    "uint32", "uint64", "uint128",
];

/// Removes noise from a schema and from the schemas inside it, but nothing from places where names are the user's.
fn slim(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    object.remove("title");
    object.remove("$schema");
    if object.get("format").and_then(Value::as_str).is_some_and(|format| FORMATS.contains(&format)) {
        object.remove("format");
    }
    for (keyword, inner) in object.iter_mut() {
        match (keyword.as_str(), inner) {
            ("properties" | "patternProperties" | "$defs" | "dependentSchemas", Value::Object(named)) => {
                named.values_mut().for_each(slim);
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                schemas.iter_mut().for_each(slim);
            }
            (
                "additionalProperties"
                | "contains"
                | "else"
                | "if"
                | "items"
                | "not"
                | "propertyNames"
                | "then",
                one,
            ) => {
                slim(one);
            }
            _ => {}
        }
    }
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
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Inner {
        /// A title.
        title: String,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Outer {
        /// How many.
        limit: Option<u32>,
        inner: Inner,
        next: Option<Box<Self>>,
    }

    #[test]
    fn leaves_out_noise_and_keeps_what_users_named() {
        let schema = InputSchema::of::<Outer>().value;
        let text = schema.to_string();
        assert!(!text.contains("uint32") && !text.contains("$schema"), "{text}");
        assert_eq!(schema["properties"]["limit"]["description"], "How many.");
        assert_eq!(schema["$defs"]["Inner"]["properties"]["title"]["description"], "A title.");
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(schema["required"], json!(["inner"]));
    }

    #[test]
    fn ends_on_recursive_types() {
        assert!(InputSchema::of::<Outer>().value.to_string().len() < 2_000);
    }
}
