//! Forms from Rust types, and answers back into them.
//!
//! In: a type with `JsonSchema`, or the `content` of an answer. Out: the [`Form`] that asks for the type, or a value of
//! it, or what does not fit and where. Asking is somebody else's work, and what a form can have is the protocol's:
//! fields are flat, so that structs in structs, maps, tuples and enums with data are refused.
//!
//! A struct has a field for each of its own, in the order of their declaration; one with a flattened part, in the order of
//! their names. Any other type has a field of its own called `value`; a struct without fields makes a form without fields,
//! which is a plain confirmation.

use plainwire_proto::form::{FieldKind, Form};
use schemars::JsonSchema;
use schemars::generate::Contract;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::schema;
use crate::schema::arguments::{typed, whole};

/// The name of the field of a type that is no struct.
const BARE: &str = "value";

/// Derives the form that asks for a `T`.
///
/// `Option` and `#[serde(default)]` make a field optional, an enum of names makes it a choice with the doc comments of the
/// variants as titles, a list or set of such an enum a multiple choice. Attributes of `schemars` carry over.
///
/// # Errors
/// The first field that no form can have, or the keyword in it.
pub(crate) fn of<T: DeserializeOwned + JsonSchema>() -> Result<Form, String> {
    let root = schema::derive::<T>(Contract::Deserialize);
    let mut top = merged(&root, &root);
    let kind = top.get("type").and_then(Value::as_str).unwrap_or_default();
    let (properties, required) = match kind {
        "null" => (json!({}), json!([])),
        "object" => {
            refuse_open(&top)?;
            let properties = top.get("properties").and_then(Value::as_object).into_iter().flatten();
            let fields = properties.map(|(name, schema)| Ok((name.clone(), field(name, schema, &root)?)));
            let fields: Map<_, _> = fields.collect::<Result<_, String>>()?;
            (Value::Object(fields), top.remove("required").unwrap_or_else(|| json!([])))
        }
        _ => {
            // That is the name of the type, which means nothing to whoever is asked.
            if top.get("title").is_some_and(|title| *title == *T::schema_name()) {
                top.remove("title");
            }
            let field = field(BARE, &Value::Object(top), &root)?;
            (json!({ BARE: field }), json!([BARE]))
        }
    };
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let mut form = Form::parse(&schema.to_string())?;
    let order = schema::fields::<T>();
    form.fields.sort_by_key(|field| order.iter().position(|name| *name == field.name));
    Ok(form)
}

/// Reads an answer to `form`, which is the one of `T`.
///
/// # Errors
/// As [`Form::check`], and what `T` itself refuses.
pub(crate) fn read<T: DeserializeOwned>(form: &Form, content: &Map<String, Value>) -> Result<T, String> {
    form.check(content)?;
    let mut content = content.clone();
    content.retain(|_, value| !value.is_null());
    for field in &form.fields {
        if let (FieldKind::Number { integer: true, .. }, Some(value)) =
            (&field.kind, content.get_mut(&field.name))
        {
            whole(value);
        }
    }
    let bare = match &form.fields[..] {
        [] => Some(Value::Null),
        [only] if only.name == BARE => Some(content.get(BARE).cloned().unwrap_or_default()),
        _ => None,
    };
    // A struct may have one field called `value`, or none, too: only the type itself can tell.
    let misfit = match (typed(&Value::Object(content)), bare) {
        (Ok(value), _) => return Ok(value),
        (Err(misfit), Some(bare)) if misfit.path.is_none() => match typed(&bare) {
            Ok(value) => return Ok(value),
            Err(misfit) => misfit.at(BARE),
        },
        (Err(misfit), _) => misfit.at(misfit.path.as_deref().unwrap_or("content")),
    };
    Err(misfit)
}

/// Refuses an object that is more than its properties: a map, or an enum flattened into a struct.
fn refuse_open(object: &Map<String, Value>) -> Result<(), String> {
    let closed = |schema: &Value| *schema == Value::Bool(false);
    if object.get("additionalProperties").is_some_and(|schema| !closed(schema)) {
        return Err("expected a form to have named fields only, but found a map".to_owned());
    }
    match ["allOf", "anyOf", "oneOf"].iter().find(|keyword| object.contains_key(**keyword)) {
        Some(keyword) => {
            Err(format!("expected a form to have the same fields always, but found `{keyword}`"))
        }
        None => Ok(()),
    }
}

/// What a type can ask for and a form can not; without it the form would promise too much.
const UNKNOWN_TO_FORMS: [&str; 4] = ["exclusiveMaximum", "exclusiveMinimum", "multipleOf", "pattern"];

/// The schema of a field as a form has it.
fn field(name: &str, schema: &Value, root: &Value) -> Result<Value, String> {
    // An enum in a list in an option is three deep.
    let schema = inlined(schema, root, 4);
    match UNKNOWN_TO_FORMS.iter().find(|keyword| schema.contains_key(**keyword)) {
        Some(keyword) => {
            Err(format!("expected `properties.{name}` to ask for what forms know, but found `{keyword}`"))
        }
        None => Ok(Value::Object(schema)),
    }
}

/// A schema with the definitions that it refers to in their places, as deep as `depth`.
fn inlined(schema: &Value, root: &Value, depth: usize) -> Map<String, Value> {
    let mut map = merged(schema, root);
    let Some(depth) = depth.checked_sub(1) else { return map };
    for (keyword, inner) in &mut map {
        match (keyword.as_str(), inner) {
            ("anyOf" | "oneOf", Value::Array(all)) => {
                all.iter_mut().for_each(|one| *one = Value::Object(inlined(one, root, depth)));
            }
            ("items", items) => *items = Value::Object(inlined(items, root, depth)),
            _ => {}
        }
    }
    if let Some(Value::Array(all)) = map.get_mut("oneOf") {
        *all = all.iter().flat_map(named).collect();
    }
    if let Some(only) = map.remove("const") {
        map.insert("enum".to_owned(), json!([only]));
    }
    map
}

/// The choices of one alternative: a variant with a doc comment is an alternative of its own, others share one.
fn named(alternative: &Value) -> Vec<Value> {
    let Some(values) = alternative.get("enum").and_then(Value::as_array) else {
        return vec![alternative.clone()];
    };
    let words = alternative.get("title").or_else(|| alternative.get("description")).and_then(Value::as_str);
    let title = words.map(|words| words.split("\n\n").next().unwrap_or(words).replace('\n', " "));
    values.iter().map(|value| json!({ "const": value, "title": title })).collect()
}

/// A schema with what its reference stands for; what stands beside a reference comes first.
fn merged(schema: &Value, root: &Value) -> Map<String, Value> {
    let mut map = schema.as_object().cloned().unwrap_or_default();
    // Eight steps, as in `schema::resolve`: a chain of references is short or a circle.
    for _ in 0..8 {
        let Some(reference) = map.remove("$ref") else { break };
        let pointer = reference.as_str().and_then(|reference| reference.strip_prefix('#'));
        let target = pointer.and_then(|pointer| root.pointer(pointer)).and_then(Value::as_object);
        for (keyword, value) in target.into_iter().flatten() {
            map.entry(keyword).or_insert_with(|| value.clone());
        }
    }
    map
}

#[cfg(test)]
mod tests;
