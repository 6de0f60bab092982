//! Tests of elicitation forms: the official examples are read and written back, and the forms of this
//! repository fit the schemas.

use std::collections::HashMap;

use plainwire::proto::form::Form;
use plainwire::proto::revision::{Feature, Revision};
use plainwire::serde_json::value::RawValue;
use plainwire_suite::{files_below, official_spec};
use serde_json::{Value, json};

use crate::oracle::Oracles;

/// The types of the schema whose examples are a single field of a form.
const FIELDS: [&str; 7] = [
    "BooleanSchema",
    "NumberSchema",
    "StringSchema",
    "TitledMultiSelectEnumSchema",
    "TitledSingleSelectEnumSchema",
    "UntitledMultiSelectEnumSchema",
    "UntitledSingleSelectEnumSchema",
];

#[test]
fn every_official_form_is_read_and_written_back_whole() {
    let Some(spec) = official_spec() else { return };
    let mut judged = 0;
    for path in files_below(&spec.join("examples"), ".json") {
        let kind = path.parent().and_then(|folder| folder.file_name()).expect("a folder").to_string_lossy();
        let text = std::fs::read_to_string(&path).expect("an example");
        let schema = match &*kind {
            kind if FIELDS.contains(&kind) => {
                format!(r#"{{ "type": "object", "properties": {{ "it": {text} }} }}"#)
            }
            "ElicitRequest" | "ElicitRequestFormParams" => requested_schema(&text),
            _ => continue,
        };
        let form = Form::parse(&schema).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let schema: Value = serde_json::from_str(&schema).expect("JSON");
        assert_eq!(written(&form, Revision::V2026_07_28).as_ref(), Ok(&schema), "{path:?}");
        judged += 1;
    }
    assert!(judged >= 10, "there are more examples than that: {judged}");
}

/// Returns the member `requestedSchema` of an example as text. Parsed by serde_json, it would lose the order
/// of its properties.
fn requested_schema(example: &str) -> String {
    type Members = HashMap<String, Box<RawValue>>;
    let read = |text: &str| serde_json::from_str::<Members>(text).expect("an object");
    let example = read(example);
    let params = example.get("params").map_or(example.clone(), |params| read(params.get()));
    params["requestedSchema"].get().to_owned()
}

#[test]
fn what_we_write_of_a_form_fits_the_official_schemas() {
    let Some(spec) = official_spec() else { return };
    let oracles = Oracles::new(spec);
    let (titled, names) = (json!([{ "const": "a", "title": "A" }, { "const": "b" }]), json!(["a", "b"]));
    let mut written_in = Vec::new();
    for field in [
        json!({ "type": "boolean", "title": "T", "description": "D", "default": true }),
        json!({ "type": "integer", "minimum": 1, "maximum": 9, "default": 3, "format": "int32" }),
        json!({ "type": "number", "minimum": 0.5, "default": 95.5 }),
        json!({ "type": "string", "minLength": 1, "maxLength": 50, "format": "date-time" }),
        json!({ "type": "string", "format": "hostname", "default": "John Doe" }),
        json!({ "type": ["string", "null"] }),
        json!({ "type": "string", "enum": names, "default": "a" }),
        json!({ "type": "string", "enum": names, "enumNames": ["A", "B"] }),
        json!({ "type": "string", "oneOf": titled, "default": "b" }),
        json!({ "type": "array", "items": { "type": "string", "enum": names }, "minItems": 1, "maxItems": 2 }),
        json!({ "type": "array", "items": { "anyOf": titled }, "default": ["a"] }),
        json!({ "type": "array", "items": { "oneOf": titled } }),
    ] {
        let schema = json!({ "type": "object", "properties": { "it": field }, "required": ["it"] });
        let form = Form::parse(&schema.to_string()).expect("a form");
        for revision in Revision::ALL.into_iter().filter(|it| it.has(Feature::Elicitation)) {
            let Ok(schema) = written(&form, revision) else { continue };
            let params = json!({ "message": "m", "requestedSchema": schema });
            let request =
                json!({ "jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": params });
            let faults = oracles.faults(revision, "ElicitRequest", &request);
            assert!(faults.is_empty(), "{field} as {schema}\n{}", faults.join("\n"));
            let faults = oracles.faults(revision, "PrimitiveSchemaDefinition", &schema["properties"]["it"]);
            assert!(faults.is_empty(), "{field} as {schema}\n{}", faults.join("\n"));
            written_in.push(revision);
        }
    }
    let count = |revision| written_in.iter().filter(|it| **it == revision).count();
    assert_eq!(Revision::ALL.map(count), [0, 0, 9, 12, 12]);
}

fn written(form: &Form, revision: Revision) -> Result<Value, String> {
    let mut out = Vec::new();
    form.write(&mut out, revision).map_err(|error| error.to_string())?;
    serde_json::from_slice(&out).map_err(|error| error.to_string())
}
