//! Forms derived from Rust types, and reading answers back into these types.
//!
//! In: a type with `JsonSchema`, or the `content` of an answer. Out: the [`Form`] that asks for the type, or
//! a value of the type, or an error that names the field. Sending the question is done by [`crate::Context`].
//! The protocol allows only flat fields, so structs in structs, maps, tuples and enums with data are refused.
//!
//! A struct has one form field per field, in the order of declaration. A struct with a flattened part
//! (`#[serde(flatten)]`) has its form fields in the order of their names. Any other type gets a single field
//! called `value`. A struct without fields gives a form without fields, which is a plain confirmation.

use plainwire_proto::form::{FieldKind, Form};
use schemars::JsonSchema;
use schemars::generate::Contract;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::schema;
use crate::schema::arguments::{typed, whole};

/// The name of the only field in the form for a type other than a struct.
const BARE: &str = "value";

/// Derives the form that asks for a `T`.
///
/// `Option` and `#[serde(default)]` make a field optional. An enum without data becomes a choice, with the
/// doc comments of its variants as titles; a list or set of such an enum becomes a multiple choice.
/// Attributes of `schemars` are kept.
///
/// # Errors
/// A message about the first part of `T` that forms can't express. It names the field and the keyword, as far as
/// these are the reason.
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
            // This title is the name of the Rust type, which means nothing to the user.
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

/// Reads an answer to `form`, which was derived from `T`.
///
/// # Errors
/// A message from [`Form::check`], or about a value that `T` refuses.
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
    // A struct may also have exactly one field called `value`, or none. Only deserializing tells such a
    // struct from a type that is not a struct.
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

/// Refuses the schema of an object that may have fields besides its `properties`: a map, or an enum flattened
/// into a struct.
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

/// Constraints of a type that forms can't express. Without them the form would accept values that the type
/// refuses.
const UNKNOWN_TO_FORMS: [&str; 4] = ["exclusiveMaximum", "exclusiveMinimum", "multipleOf", "pattern"];

/// Formats of a text that forms can't express.
const FORMATS_UNKNOWN_TO_FORMS: [&str; 4] = ["hostname", "ipv4", "ipv6", "uuid"];

/// Returns the schema of the form field `name` in the shape that forms allow. The error names a keyword that
/// forms do not support.
fn field(name: &str, schema: &Value, root: &Value) -> Result<Value, String> {
    // An enum in a list in an `Option` is three levels deep.
    let schema = inlined(schema, root, 4);
    let unknown = UNKNOWN_TO_FORMS.into_iter().find(|keyword| schema.contains_key(*keyword));
    let format = schema.get("format").and_then(Value::as_str);
    match unknown.or(format.filter(|it| FORMATS_UNKNOWN_TO_FORMS.contains(it))) {
        Some(found) => {
            Err(format!("expected `properties.{name}` to ask for what forms know, but found `{found}`"))
        }
        None => Ok(Value::Object(schema)),
    }
}

/// Returns the schema with references replaced by their definitions in `root`, down to `depth` levels of
/// nesting. Also rewrites the variants of an enum into the choices that forms have.
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

/// Returns the choices in one alternative of the `oneOf` of an enum. A variant with a doc comment has an
/// alternative of its own; the variants without doc comments share one.
fn named(alternative: &Value) -> Vec<Value> {
    let Some(values) = alternative.get("enum").and_then(Value::as_array) else {
        return vec![alternative.clone()];
    };
    let words = alternative.get("title").or_else(|| alternative.get("description")).and_then(Value::as_str);
    let title = words.map(|words| words.split("\n\n").next().unwrap_or(words).replace('\n', " "));
    values.iter().map(|value| json!({ "const": value, "title": title })).collect()
}

/// Returns the schema merged with the target of its `$ref`. Keywords beside the reference take precedence.
fn merged(schema: &Value, root: &Value) -> Map<String, Value> {
    let mut map = schema.as_object().cloned().unwrap_or_default();
    // Eight steps, as in `schema::resolve`: a longer chain of references is almost certainly a cycle.
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
