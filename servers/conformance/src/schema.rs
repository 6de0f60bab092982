//! Tools with unusual keywords in their schemas. For the scenarios `json-schema-2020-12` and
//! `http-custom-header-server-validation`.

use plainwire::Entries;
use plainwire::prelude::*;
use plainwire::serde_json::{Map, Value};

pub(crate) fn entries() -> Entries {
    Entries::new().tool(json_schema_2020_12_tool).tool(test_custom_header)
}

/// The input schema that the suite expects of `json_schema_2020_12_tool`.
const SCHEMA: &str = r##"{
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
        }
    },
    "properties": {
        "name": { "type": "string" },
        "address": { "$ref": "#/$defs/address" },
        "contactMethod": { "type": "string", "enum": ["phone", "email"] },
        "phone": { "type": "string" },
        "email": { "type": "string" }
    },
    "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
    "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
    "then": { "required": ["phone"] },
    "else": { "required": ["email"] },
    "additionalProperties": false
}"##;

/// Returns its arguments, which have a schema with much of JSON Schema 2020-12 in it.
#[tool(read_only, input_schema = SCHEMA)]
async fn json_schema_2020_12_tool(#[arguments] arguments: Map<String, Value>) -> String {
    Value::Object(arguments).to_string()
}

/// Returns a value that clients on HTTP repeat in a header.
#[tool(read_only)]
async fn test_custom_header(
    /// Anything.
    #[header("Value")]
    value: String,
) -> String {
    value
}
