//! The schema of arguments: its text, which lists send to clients, and its value, which arguments are checked
//! against.
//!
//! In: a type, or a schema written by hand. Out: its text, its value, and whether it has constraints that the
//! type does not check by itself.

use std::borrow::Cow;

use plainwire_proto::model::RawJson;
use schemars::JsonSchema;
use schemars::generate::Contract;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::arguments::{Rejected, unfit_default};
use super::patterns::Patterns;
use super::preset::Preset;
use super::slim::{slim_arguments, without_open};
use super::walk::{self, Keywords};
use super::{derive, headers, order, required, text};

/// The JSON Schema of arguments. The protocol requires that its root is an object.
#[derive(Clone, Debug)]
pub(crate) struct InputSchema {
    /// Whether the schema has constraints that the Rust types do not check by themselves, such as a length.
    pub(crate) constrained: bool,
    /// The names of the properties in the order of their declaration; empty if that order is not known.
    order: &'static [&'static str],
    pub(crate) patterns: Patterns,
    /// The mistake in the schema, if there is one.
    problem: Option<String>,
    /// The schema as JSON text. `tools/list` sends it, unless a [`Preset`] rewrites it.
    text: RawJson,
    /// The titles of the properties of the root, which `text` leaves out: models have no use for them.
    titles: Vec<(String, String)>,
    #[cfg(feature = "validate")]
    pub(crate) validator: Option<super::validate::Validator>,
    /// The schema as a parsed value; arguments are checked against it.
    pub(crate) value: Value,
}

/// A preset, and the function that applies it to a schema. The function is a pointer, so that a program that
/// uses no preset does not contain the code of presets.
#[derive(Clone, Copy)]
pub(crate) struct Rewrite {
    by: fn(Preset, &mut Value),
    preset: Preset,
}

impl Rewrite {
    /// Returns `None` for [`Preset::Slim`], which changes no listed schema.
    pub(crate) fn of(preset: Preset) -> Option<Self> {
        (preset != Preset::Slim).then_some(Self { by: Preset::apply, preset })
    }
}

impl InputSchema {
    /// Derives the schema of an argument type.
    ///
    /// The root of the schema forbids unknown properties, unless the type accepts them (a flattened map), or
    /// the root gets properties from a reference, alternatives or patterns. A root that is not an object
    /// stays as it is: [`Self::is_object`].
    pub(crate) fn of<T: DeserializeOwned + JsonSchema>() -> Self {
        let mut value = derive::<T>(Contract::Deserialize);
        let constrained = is_constrained(&value);
        let titles = titles(&value);
        slim_arguments(&mut value);
        if let Value::Object(root) = &mut value
            && root.get("type") == Some(&json!("object"))
        {
            root.entry("properties").or_insert_with(|| json!({}));
            // Next to alternatives, `additionalProperties: false` would forbid their properties.
            if !OPEN.iter().any(|keyword| root.contains_key(*keyword)) {
                root.entry("additionalProperties").or_insert(Value::Bool(false));
            }
        }
        without_open(&mut value);
        headers::add_types(&mut value);
        let order = order::fields::<T>();
        let (patterns, misspelled) = Patterns::of(&value);
        let text = text::ordered(&without_deprecated(&value), order);
        let problem = misspelled.or_else(|| headers::problem(&value));
        let mut this = Self { order, patterns, problem, text, titles, ..Self::unchecked(value, constrained) };
        this.problem = this.problem.take().or_else(|| unfit_default(&this));
        this
    }

    /// Makes a schema from JSON text written by hand, and keeps that text for [`Self::listed`]. A `pattern`
    /// that this crate can't compile is not a mistake: it is not checked.
    pub(crate) fn by_hand(text: RawJson) -> Self {
        let read = serde_json::from_str::<Value>(text.get());
        let problem = match &read {
            Err(error) => Some(format!("expected the input schema to be JSON, but found: {error}")),
            Ok(value) if !is_object(value) => {
                Some("expected the input schema to have `\"type\": \"object\"`".to_owned())
            }
            Ok(value) => headers::problem(value),
        };
        let value = read.unwrap_or_default();
        let patterns = Patterns::of(&value).0;
        // `constrained` is true because the type of the handler and a schema by hand are independent.
        Self { patterns, problem, text, ..Self::unchecked(value, true) }
    }

    /// Makes a schema from the text of a server that is not trusted. Its patterns are not compiled: a short one can
    /// take megabytes.
    pub(crate) fn of_server(text: RawJson) -> Self {
        let value = serde_json::from_str::<Value>(text.get()).unwrap_or_default();
        Self { text, ..Self::unchecked(value, true) }
    }

    /// Returns the schema for a handler without arguments: an object without properties.
    pub(crate) fn empty() -> Self {
        let value = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        Self::unchecked(value, false)
    }

    fn unchecked(value: Value, constrained: bool) -> Self {
        Self {
            constrained,
            order: &[],
            patterns: Patterns::default(),
            problem: None,
            text: text::raw(value.to_string()),
            titles: Vec::new(),
            #[cfg(feature = "validate")]
            validator: None,
            value,
        }
    }

    /// Returns whether the root is an object, as the protocol requires.
    pub(crate) fn is_object(&self) -> bool {
        is_object(&self.value)
    }

    /// Returns whether arguments have to be parsed into a tree and checked there, because the Rust type does
    /// not check all of the schema.
    pub(crate) fn needs_tree(&self) -> bool {
        #[cfg(feature = "validate")]
        if self.validator.is_some() {
            return true;
        }
        self.constrained
    }

    /// Refuses arguments that are too long for the validator, before they are parsed. Without a validator,
    /// accepts all.
    ///
    /// # Errors
    /// [`Rejected`], for the model.
    #[cfg_attr(
        not(feature = "validate"),
        expect(clippy::unused_self, reason = "there is no validator to ask")
    )]
    pub(crate) fn admits(&self, text: &str) -> Result<(), Rejected> {
        #[cfg(feature = "validate")]
        if self.validator.is_some() {
            return super::validate::admit(text);
        }
        let _ = text;
        Ok(())
    }

    /// Checks arguments with the compiled validator, if the tool has one (`Tool::validate`).
    ///
    /// # Errors
    /// [`Rejected`], for the model.
    #[cfg_attr(
        not(feature = "validate"),
        expect(clippy::unused_self, reason = "there is no validator to ask")
    )]
    pub(crate) fn validate(&self, tree: &Value) -> Result<(), Rejected> {
        #[cfg(feature = "validate")]
        if let Some(validator) = &self.validator {
            return validator.check(tree);
        }
        let _ = tree;
        Ok(())
    }

    /// Returns the mistake in the schema, if there is one.
    pub(crate) fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Returns the text of the schema, without the changes that a [`Preset`] makes.
    pub(crate) fn to_raw(&self) -> RawJson {
        self.text.clone()
    }

    /// Returns the text that lists send to clients. A preset rewrites it, for clients that can't read all of
    /// JSON Schema; without one it is the text of [`Self::to_raw`].
    pub(crate) fn listed(&self, rewrite: Option<Rewrite>) -> RawJson {
        let Some(Rewrite { by, preset }) = rewrite else {
            return self.to_raw();
        };
        let mut value = without_deprecated(&self.value).into_owned();
        by(preset, &mut value);
        text::ordered(&value, self.order)
    }

    /// Returns the HTTP headers by which clients repeat arguments (`x-mcp-header`). Mistakes in them were
    /// reported when the tool was declared.
    #[cfg(feature = "http")]
    pub(crate) fn param_headers(&self) -> Vec<plainwire_proto::http::ParamHeader> {
        plainwire_proto::http::param_headers(&self.value).unwrap_or_default()
    }

    /// Returns the title of a property of the root, if its type declares one.
    pub(crate) fn title(&self, property: &str) -> Option<&str> {
        self.titles.iter().find(|(name, _)| name == property).map(|(_, title)| &**title)
    }

    /// Returns whether the root has a property `name`.
    pub(crate) fn has_property(&self, name: &str) -> bool {
        self.value.get("properties").is_some_and(|it| it.get(name).is_some())
    }

    /// Returns the schema with one more property of the root, behind the others. Its order is that of the declaration only
    /// if the schema comes from a type.
    pub(crate) fn with_property(&self, name: &str, schema: Value) -> Self {
        let mut this = self.clone();
        if let Some(root) = this.value.as_object_mut()
            && let Value::Object(properties) = root.entry("properties").or_insert_with(|| json!({}))
        {
            properties.insert(name.to_owned(), schema);
        }
        this.text = text::ordered(&without_deprecated(&this.value), self.order);
        this
    }

    /// Returns the schema in which the property `name` of the root has one of `values`; `None` if there is no such property.
    pub(crate) fn with_choices(&self, name: &str, values: Vec<String>) -> Option<Self> {
        let mut property = self.value.get("properties")?.get(name)?.clone();
        property.as_object_mut()?.insert("enum".to_owned(), values.into());
        Some(Self { constrained: true, ..self.with_property(name, property) })
    }

    /// Returns each property of the root: its name, its schema, and whether it is required. The properties
    /// are in the order of their declaration, or sorted by name if that order is not known.
    pub(crate) fn properties(&self) -> Vec<(&str, &Value, bool)> {
        let Some(keywords) = self.value.as_object() else { return Vec::new() };
        let required = required(keywords);
        let properties = keywords.get("properties").and_then(Value::as_object).into_iter().flatten();
        let mut properties: Vec<_> = properties
            .map(|(name, schema)| (name.as_str(), schema, required.contains(&name.as_str())))
            .collect();
        properties.sort_unstable_by_key(|(name, ..)| {
            (self.order.iter().position(|known| known == name).unwrap_or(usize::MAX), *name)
        });
        properties
    }
}

/// Returns the properties of the root that have a title, with their titles.
fn titles(schema: &Value) -> Vec<(String, String)> {
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let titled =
        properties.filter_map(|(name, it)| Some((name.clone(), it.get("title")?.as_str()?.to_owned())));
    titled.collect()
}

/// Returns the schema without the optional properties of its root that are `deprecated`: a server accepts them, for callers
/// of former versions, and lists leave them out.
fn without_deprecated(schema: &Value) -> Cow<'_, Value> {
    let required = schema.as_object().map(required).unwrap_or_default();
    let unlisted = |name: &str, it: &Value| {
        it.get("deprecated") == Some(&Value::Bool(true)) && !required.contains(&name)
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    if !properties.into_iter().flatten().any(|(name, it)| unlisted(name, it)) {
        return Cow::Borrowed(schema);
    }
    let mut listed = schema.clone();
    if let Some(Value::Object(properties)) = listed.get_mut("properties") {
        properties.retain(|name, it| !unlisted(name, it));
    }
    Cow::Owned(listed)
}

/// Keywords by which a root can get properties that are not in its `properties`.
const OPEN: [&str; 5] = ["$ref", "allOf", "anyOf", "oneOf", "patternProperties"];

fn is_object(schema: &Value) -> bool {
    schema.get("type") == Some(&json!("object"))
}

/// Keywords that no Rust type checks while it is deserialized.
const CONSTRAINTS: [&str; 10] = [
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "multipleOf",
    "uniqueItems",
];

/// The formats of integers, each with the `minimum` and the `maximum` that `schemars` writes for it; `None`
/// if it writes no `maximum`. The Rust types check these bounds by themselves.
const INTEGERS: [(&str, i64, Option<i64>); 8] = [
    ("int16", i16::MIN as i64, Some(i16::MAX as i64)),
    ("int8", i8::MIN as i64, Some(i8::MAX as i64)),
    ("uint", 0, None),
    ("uint128", 0, None),
    ("uint16", 0, Some(u16::MAX as i64)),
    ("uint32", 0, None),
    ("uint64", 0, None),
    ("uint8", 0, Some(u8::MAX as i64)),
];

/// Returns whether the schema has constraints that no Rust type checks. Returns false for a schema that is
/// nested deeper than 128 levels.
fn is_constrained(schema: &Value) -> bool {
    !walk::is_deeper(schema, super::slim::MAX_DEPTH) && walk::any(schema, &mut constrains)
}

fn constrains(keywords: &Keywords) -> bool {
    let format = keywords.get("format").and_then(Value::as_str).unwrap_or_default();
    let integer = INTEGERS.iter().find(|(name, ..)| *name == format);
    let bound = |keyword: &&str| match (*keyword, keywords.get(*keyword), integer) {
        (_, None, _) => false,
        ("minimum", Some(bound), Some((_, least, _))) => bound != least,
        ("maximum", Some(bound), Some((_, _, Some(most)))) => bound != most,
        ("uniqueItems", Some(on), _) => *on == Value::Bool(true),
        (_, Some(bound), _) => bound.is_number(),
    };
    // If the default is not null and the type allows null, a null in the arguments has to be replaced by the
    // default.
    let defaults = keywords.get("default").is_some_and(|default| !default.is_null());
    let nulls = keywords
        .get("type")
        .is_some_and(|types| types.as_array().is_some_and(|it| it.contains(&json!("null"))))
        || keywords.get("anyOf").is_some_and(|any| any.to_string().contains(r#"{"type":"null"}"#));
    CONSTRAINTS.iter().any(bound)
        || super::arguments::is_checked(format)
        || (cfg!(feature = "pattern") && keywords.contains_key("pattern"))
        || (defaults && nulls)
}
