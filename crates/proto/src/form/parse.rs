//! Parses a form from its schema.
//!
//! In: the text of a `requestedSchema`, from an untrusted server or derived from a Rust type. Out: the form
//! with its fields in the order of the text, or an error that names the path of the invalid part. References
//! (`$ref`) are not followed; unknown keywords and formats are ignored.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use super::{Choice, Field, FieldKind, Form, Format, one_line};
use crate::json::shorten;

impl Form {
    /// Parses the schema of a form, in the syntax of any revision. A field that also allows `null` is
    /// optional, even if `required` names it. A default of the right type that does not fit its own field,
    /// such as a number out of range, is dropped.
    ///
    /// # Errors
    /// For a part that is not valid in a form, such as ``expected `properties.address` to be a string,
    /// number, boolean or choice, but found an object``, for more than [`Form::MAX_FIELDS`] fields or
    /// [`Form::MAX_CHOICES`] choices, and for a text of more than [`Form::MAX_BYTES`].
    pub fn parse(schema: &str) -> Result<Self, String> {
        Self::parsed(schema).map_err(one_line)
    }

    fn parsed(schema: &str) -> Result<Self, String> {
        let (most, found) = (Self::MAX_BYTES, schema.len());
        if found > most {
            return Err(format!(
                "expected the schema of a form to have at most {most} bytes, but found {found}"
            ));
        }
        let root: BTreeMap<String, Box<RawValue>> =
            serde_json::from_str(schema).map_err(|error| no_object("requestedSchema", schema, &error))?;
        let text = |name: &str| root.get(name).map_or("nothing", |raw| raw.get());
        if text("type") != r#""object""# {
            return Err(format!("expected `type` to be \"object\", but found {}", shorten(text("type"))));
        }
        let properties: InOrder = serde_json::from_str(text("properties"))
            .map_err(|error| no_object("properties", text("properties"), &error))?;
        at_most(Self::MAX_FIELDS, properties.0.len(), "properties", "fields")?;
        let required: Vec<String> = match root.get("required") {
            Some(raw) => serde_json::from_str(raw.get()).map_err(|_| {
                format!("expected `required` to be an array of strings, but found {}", shorten(raw.get()))
            })?,
            None => Vec::new(),
        };
        let mut fields: Vec<Field> = Vec::with_capacity(properties.0.len());
        for (name, schema) in properties.0 {
            if fields.iter().any(|field| field.name == name) {
                let name = shorten(&name);
                return Err(format!(
                    "expected `properties` to have each name once, but found `{name}` twice"
                ));
            }
            let required = required.contains(&name);
            fields.push(field(name, schema, required)?);
        }
        if let Some(unknown) = required.iter().find(|name| !fields.iter().any(|it| it.name == **name)) {
            let unknown = shorten(unknown);
            return Err(format!("expected `required` to name only properties, but found `{unknown}`"));
        }
        Ok(Self { fields })
    }
}

/// Returns the error for the text `found`, which could not be parsed as an object. If `found` begins like an
/// object, the returned text gives `error` as the reason, such as too deep nesting or a number out of range.
fn no_object(path: &str, found: &str, error: &serde_json::Error) -> String {
    match found.trim_start().starts_with('{') {
        true => format!("expected `{path}` to be readable, but found: {error}"),
        false => format!("expected `{path}` to be an object, but found {}", shorten(found)),
    }
}

/// Members of an object in the order of the text, which the map of `serde_json` does not keep.
struct InOrder(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for InOrder {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = InOrder;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<InOrder, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(InOrder(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

fn field(name: String, schema: Value, required: bool) -> Result<Field, String> {
    let path = format!("properties.{}", shorten(&name));
    let Value::Object(mut map) = schema else { return Err(no_field(&path, &shorten(&schema.to_string()))) };
    let nullable = strip_null(&mut map);
    let keywords = Keywords { map: &map, path: &path };
    let (title, description) = (keywords.string("title")?, keywords.string("description")?);
    let mut field =
        Field { kind: kind(&keywords)?, name, title, description, required: required && !nullable };
    if field.default_value().is_some_and(|default| field.check(&default).is_err()) {
        forget_default(&mut field.kind);
    }
    Ok(field)
}

/// Removes `null` from the `type`, `enum`, `anyOf` and `oneOf` of a schema. If only one alternative of
/// `anyOf` or `oneOf` remains, its keywords move into the schema. Returns whether there was a `null`.
fn strip_null(map: &mut Map<String, Value>) -> bool {
    let mut found = false;
    for keyword in ["anyOf", "enum", "oneOf", "type"] {
        let Some(Value::Array(all)) = map.get_mut(keyword) else { continue };
        let before = all.len();
        all.retain(|it| !(it.is_null() || it == "null" && keyword == "type" || is_null_schema(it)));
        if all.len() == before {
            continue;
        }
        found = true;
        match (keyword, &mut all[..]) {
            ("type", [one]) => {
                let one = one.take();
                map.insert("type".to_owned(), one);
            }
            ("anyOf" | "oneOf", [Value::Object(one)]) => {
                let one = std::mem::take(one);
                map.remove(keyword);
                for (keyword, value) in one {
                    map.entry(keyword).or_insert(value);
                }
            }
            _ => {}
        }
    }
    found
}

fn is_null_schema(schema: &Value) -> bool {
    schema.get("type").is_some_and(|it| it == "null")
}

fn kind(it: &Keywords<'_>) -> Result<FieldKind, String> {
    let has_choices = it.map.contains_key("enum") || it.map.contains_key("oneOf");
    match it.map.get("type").map(|kind| kind.as_str().unwrap_or_default()) {
        Some("array") => multi_select(it),
        Some("boolean") => {
            Ok(FieldKind::Boolean { default: it.typed("default", "a boolean", Value::as_bool)? })
        }
        Some(kind @ ("integer" | "number")) if !has_choices => Ok(FieldKind::Number {
            integer: kind == "integer",
            minimum: it.number("minimum")?,
            maximum: it.number("maximum")?,
            default: it.number("default")?,
        }),
        Some("string") | None if has_choices => {
            let (choices, legacy_titles) = choices(it, "oneOf")?;
            Ok(FieldKind::SingleSelect { choices, legacy_titles, default: it.string("default")? })
        }
        Some("string") => {
            let format = it.map.get("format").and_then(Value::as_str);
            Ok(FieldKind::Text {
                min_length: it.count("minLength")?,
                max_length: it.count("maxLength")?,
                format: Format::ALL.into_iter().find(|known| Some(known.as_str()) == format),
                default: it.string("default")?,
            })
        }
        Some("object") => Err(no_field(it.path, "an object")),
        _ => Err(no_field(it.path, &shorten(&Value::from(it.map.clone()).to_string()))),
    }
}

fn multi_select(it: &Keywords<'_>) -> Result<FieldKind, String> {
    let path = format!("{}.items", it.path);
    let Some(Value::Object(items)) = it.map.get("items") else {
        return Err(no_field(it.path, "an array without choices"));
    };
    let items = Keywords { map: items, path: &path };
    let (choices, _) = match ["anyOf", "enum", "oneOf"].iter().find(|it| items.map.contains_key(**it)) {
        Some(&"anyOf") => choices(&items, "anyOf")?,
        Some(_) => choices(&items, "oneOf")?,
        None => return Err(no_field(it.path, "an array without choices")),
    };
    let strings = |value: &Value| {
        value.as_array()?.iter().map(|it| it.as_str().map(ToOwned::to_owned)).collect::<Option<Vec<_>>>()
    };
    Ok(FieldKind::MultiSelect {
        choices,
        min_items: it.count("minItems")?,
        max_items: it.count("maxItems")?,
        default: it.typed("default", "an array of strings", strings)?,
    })
}

/// Reads the choices of a schema: the values of `enum`, with `enumNames` as titles if present; or, without
/// `enum`, the `const` of each schema under `keyword`. Also returns whether there were `enumNames`.
fn choices(it: &Keywords<'_>, keyword: &str) -> Result<(Vec<Choice>, bool), String> {
    let Some(values) = it.strings("enum")? else {
        let Some(Value::Array(all)) = it.map.get(keyword) else {
            return Err(it.mismatch(keyword, "an array"));
        };
        at_most(Form::MAX_CHOICES, all.len(), &format!("{}.{keyword}", it.path), "choices")?;
        return all
            .iter()
            .enumerate()
            .map(|(n, one)| constant(it.path, keyword, n, one))
            .collect::<Result<_, _>>()
            .map(|all| (all, false));
    };
    at_most(Form::MAX_CHOICES, values.len(), &format!("{}.enum", it.path), "choices")?;
    let choice = |(value, title)| Choice { value, title };
    let Some(names) = it.strings("enumNames")? else {
        return Ok((values.into_iter().map(|value| choice((value, None))).collect(), false));
    };
    if names.len() != values.len() {
        let (path, expected, found) = (it.path, values.len(), names.len());
        return Err(format!(
            "expected `{path}.enumNames` to have {expected} items, as `enum` has, but found {found}"
        ));
    }
    Ok((values.into_iter().zip(names.into_iter().map(Some)).map(choice).collect(), true))
}

fn constant(path: &str, keyword: &str, n: usize, schema: &Value) -> Result<Choice, String> {
    let Some(map) = schema.as_object().filter(|map| map.contains_key("const")) else {
        return Err(no_field(path, "one of several forms"));
    };
    let path = format!("{path}.{keyword}[{n}]");
    let it = Keywords { map, path: &path };
    let value = it.string("const")?.ok_or_else(|| it.mismatch("const", "a string"))?;
    Ok(Choice { value, title: it.string("title")? })
}

/// The keywords of a schema, and its path for error messages.
struct Keywords<'k> {
    map: &'k Map<String, Value>,
    path: &'k str,
}

impl Keywords<'_> {
    fn string(&self, keyword: &str) -> Result<Option<String>, String> {
        self.typed(keyword, "a string", |it| it.as_str().map(ToOwned::to_owned))
    }

    fn strings(&self, keyword: &str) -> Result<Option<Vec<String>>, String> {
        let Some(all) = self.typed(keyword, "an array", |it| it.as_array().cloned())? else {
            return Ok(None);
        };
        let path = |n| format!("{}.{keyword}[{n}]", self.path);
        let string = |(n, it): (usize, &Value)| match it {
            Value::String(text) => Ok(text.clone()),
            other => Err(super::check::mismatch(&path(n), "a string", other)),
        };
        all.iter().enumerate().map(string).collect::<Result<_, _>>().map(Some)
    }

    fn number(&self, keyword: &str) -> Result<Option<Number>, String> {
        self.typed(keyword, "a number", |it| it.as_number().cloned())
    }

    /// Returns the value of `keyword` as a whole number, which includes `3.0`; `None` if it is absent or
    /// null.
    fn count(&self, keyword: &str) -> Result<Option<u64>, String> {
        let whole = |n: &f64| n.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(n);
        self.typed(keyword, "a whole number", |it| {
            it.as_u64().or_else(|| it.as_f64().filter(whole).map(|n| n as u64))
        })
    }

    /// Returns the value of `keyword`, converted by `read`; `None` if it is absent or null. If `read` returns
    /// `None`, the error names the type that was `expected`.
    fn typed<T>(
        &self,
        keyword: &str,
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, String> {
        match self.map.get(keyword) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| self.mismatch(keyword, expected)),
        }
    }

    fn mismatch(&self, keyword: &str, expected: &str) -> String {
        let found = self.map.get(keyword).unwrap_or(&Value::Null);
        super::check::mismatch(&format!("{}.{keyword}", self.path), expected, found)
    }
}

fn no_field(path: &str, found: &str) -> String {
    format!("expected `{path}` to be a string, number, boolean or choice, but found {found}")
}

fn at_most(most: usize, found: usize, path: &str, what: &str) -> Result<(), String> {
    if found <= most {
        Ok(())
    } else {
        Err(format!("expected `{path}` to have at most {most} {what}, but found {found}"))
    }
}

fn forget_default(kind: &mut FieldKind) {
    match kind {
        FieldKind::Boolean { default } => *default = None,
        FieldKind::MultiSelect { default, .. } => *default = None,
        FieldKind::Number { default, .. } => *default = None,
        FieldKind::SingleSelect { default, .. } | FieldKind::Text { default, .. } => *default = None,
    }
}
