//! Fuzz target for slimming schemas, which removes what models do not need: a schema does not get longer, a
//! second pass changes nothing, and the same values are valid as before.
//!
//! In: JSON text that is slimmed; or the byte 0 and then bytes that select a schema, with definitions,
//! recursion and names that look like keywords, and values to validate. The validator of another project
//! decides which values are valid.

use plainwire::schema::{slim, slim_arguments};
use serde_json::{Map, Value, json};

use super::bytes::Bytes;

/// Slims a schema twice, and compares the values that are valid before with those that are valid after.
pub fn slimming(data: &[u8]) {
    if let Some((0, program)) = data.split_first() {
        let mut bytes = Bytes::new(program);
        let schema = root(&mut bytes);
        let slimmed = shrinks(&schema);
        let values: Vec<Value> = (0..4).map(|_| instance(&mut bytes, 3)).collect();
        fits_as_before(&schema, &slimmed, &values);
    } else if let Ok(value) = serde_json::from_slice(data) {
        shrinks(&value);
    }
}

fn shrinks(schema: &Value) -> Value {
    for change in [slim, slim_arguments] {
        let mut once = schema.clone();
        change(&mut once);
        assert!(once.to_string().len() <= schema.to_string().len(), "{schema} became {once}");
        let mut twice = once.clone();
        change(&mut twice);
        assert_eq!(twice, once, "{schema}");
    }
    let mut slimmed = schema.clone();
    slim(&mut slimmed);
    slimmed
}

fn fits_as_before(before: &Value, after: &Value, values: &[Value]) {
    let Ok(before_judge) = jsonschema::draft202012::new(before) else { return };
    let after_judge = jsonschema::draft202012::new(after)
        .unwrap_or_else(|why| panic!("{before} became {after}, which is no schema: {why}"));
    for value in values {
        let (fitted, fits) = (before_judge.is_valid(value), after_judge.is_valid(value));
        assert_eq!(fitted, fits, "{value} in {before}, which became {after}");
    }
}

/// Number of definitions. Outside of properties and items, a definition may refer only to later definitions,
/// so that validation ends. Inside a property or an item it may refer to every definition: that recursion
/// ends where the value does.
const DEFINITIONS: usize = 3;

fn root(bytes: &mut Bytes<'_>) -> Value {
    let mut defs = Map::new();
    for n in 0..DEFINITIONS {
        defs.insert(format!("D{n}"), schema(bytes, 3, n + 1));
    }
    let mut root = schema(bytes, 4, 0);
    if let Value::Object(keywords) = &mut root {
        keywords.insert("$defs".to_owned(), Value::Object(defs));
    }
    root
}

/// Returns a schema. Outside of properties and items, it refers only to definitions with the number `from` or
/// a larger one.
fn schema(bytes: &mut Bytes<'_>, levels: usize, from: usize) -> Value {
    let mut it = kind(bytes, levels, from);
    if let Value::Object(keywords) = &mut it {
        let bits = bytes.byte();
        let extras = [
            ("title", json!("Title")),
            ("description", json!("What it is.")),
            ("$schema", json!("https://json-schema.org/draft/2020-12/schema")),
            ("default", json!({ "title": "kept", "format": "uint8" })),
            ("examples", json!([{ "$ref": "#/$defs/D0" }])),
        ];
        for (n, (name, value)) in extras.into_iter().enumerate().filter(|(n, _)| bits >> n & 1 == 1) {
            // `$schema` is allowed at the root only.
            if n != 2 || from == 0 && levels == 4 {
                keywords.insert(name.to_owned(), value);
            }
        }
    }
    it
}

fn kind(bytes: &mut Bytes<'_>, levels: usize, from: usize) -> Value {
    let which = bytes.below(if levels == 0 { 9 } else { 20 });
    match which {
        0 => json!({ "type": "string", "minLength": bytes.below(3), "format": "date" }),
        1 => json!({ "type": "integer", "format": "uint8", "minimum": 0, "maximum": 255 }),
        2 => json!({ "type": "number", "exclusiveMinimum": -1.5, "format": "double" }),
        3 => json!({ "type": ["boolean", "null"] }),
        4 => json!({ "const": CONSTANTS[bytes.below(CONSTANTS.len())] }),
        5 => json!({ "enum": [CONSTANTS[bytes.below(CONSTANTS.len())], null, { "title": "a" }] }),
        6 => json!({ "type": "null" }),
        7 => Value::Bool(!bytes.byte().is_multiple_of(4)),
        8 => json!({}),
        9 | 10 => object(bytes, levels - 1),
        11 => json!({ "type": "array", "items": below(bytes, levels - 1), "maxItems": bytes.below(4) }),
        12 => json!({ "prefixItems": [below(bytes, levels - 1)], "items": below(bytes, levels - 1) }),
        13 => json!({ "anyOf": [schema(bytes, levels - 1, from), { "type": "null" }] }),
        14 => json!({ "anyOf": [schema(bytes, levels - 1, from), schema(bytes, levels - 1, from)] }),
        15 => json!({ "oneOf": [schema(bytes, levels - 1, from), schema(bytes, levels - 1, from)] }),
        16 => json!({ "allOf": [schema(bytes, levels - 1, from), schema(bytes, levels - 1, from)] }),
        17 => json!({ "not": schema(bytes, levels - 1, from) }),
        18 => json!({ "if": schema(bytes, levels - 1, from), "then": schema(bytes, levels - 1, from) }),
        _ => {
            let mut beside = if bytes.byte().is_multiple_of(2) { json!({}) } else { schema(bytes, 0, from) };
            let wanted = from + bytes.below(DEFINITIONS);
            if let Value::Object(keywords) = &mut beside
                && wanted < DEFINITIONS
            {
                keywords.insert("$ref".to_owned(), json!(format!("#/$defs/D{wanted}")));
            }
            beside
        }
    }
}

/// Returns a schema for a property or an item. It may reference every definition, also the one that contains
/// it.
fn below(bytes: &mut Bytes<'_>, levels: usize) -> Value {
    schema(bytes, levels, 0)
}

fn object(bytes: &mut Bytes<'_>, levels: usize) -> Value {
    let mut properties = Map::new();
    for _ in 0..bytes.below(4) {
        let name = NAMES[bytes.below(NAMES.len())];
        properties.insert(name.to_owned(), below(bytes, levels));
    }
    let required: Vec<&String> = properties.keys().filter(|name| name.len() % 2 == 1).collect();
    let mut object = json!({ "type": "object", "required": required, "properties": properties });
    match bytes.below(4) {
        0 => object["additionalProperties"] = json!(false),
        1 => object["additionalProperties"] = below(bytes, levels),
        2 => object["propertyNames"] = json!({ "maxLength": 5 }),
        _ => {}
    }
    object
}

/// Names of properties, some of which look like keywords.
const NAMES: [&str; 8] = ["a", "b", "c", "title", "$ref", "format", "properties", "$defs"];

const CONSTANTS: [&str; 4] = ["", "a", "title", "uint8"];

fn instance(bytes: &mut Bytes<'_>, levels: usize) -> Value {
    match bytes.below(if levels == 0 { 7 } else { 10 }) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(CONSTANTS[bytes.below(CONSTANTS.len())]),
        3 => json!([-1, 0, 1, 5, 255, 300][bytes.below(6)]),
        4 => json!(1.5),
        5 => json!({ "title": "a" }),
        6 => json!([]),
        7 => Value::Array((0..bytes.below(4)).map(|_| instance(bytes, levels - 1)).collect()),
        _ => {
            let mut object = Map::new();
            for _ in 0..bytes.below(4) {
                let name = NAMES[bytes.below(NAMES.len())];
                object.insert(name.to_owned(), instance(bytes, levels - 1));
            }
            Value::Object(object)
        }
    }
}
