//! The values that a JSON Schema allows, as far as a command line or a signature shows them.
//!
//! In: a schema, and the document that its references point into. Out: types, listed values, and the schemas
//! of members and elements. Nothing is validated here, and nothing is refused: what a schema says in another
//! way, such as by `not`, is left out.

use std::fmt;

use serde_json::Value;

/// The depth to which references, alternatives and members are followed: a schema may refer to itself.
const DEPTH: usize = 8;

/// The most parts of one schema that are looked at for alternatives: lists of references to lists grow fast.
const PARTS: usize = 1_000;

/// The type of a JSON value, as JSON Schema names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A list of values.
    Array,
    /// `true` or `false`.
    Boolean,
    /// A number without a fraction.
    Integer,
    /// `null`.
    Null,
    /// A number.
    Number,
    /// Members with names.
    Object,
    /// A text.
    String,
}

impl Kind {
    const ALL: [Self; 7] =
        [Self::Array, Self::Boolean, Self::Integer, Self::Null, Self::Number, Self::Object, Self::String];

    /// Returns the name of the type in JSON Schema, such as `integer`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Null => "null",
            Self::Number => "number",
            Self::Object => "object",
            Self::String => "string",
        }
    }
}

/// The values that a schema allows: its alternatives, with references resolved.
///
/// Written as text, it is the type in a signature: `integer`, `string[]`, `fiction|science`, `string|null`, or
/// `any` for a schema without types.
#[derive(Clone, Debug)]
pub struct Shape<'s> {
    alternatives: Vec<&'s Value>,
    depth: usize,
    /// Whether some of the alternatives hold together: the parts of an `allOf`, or a schema beside its own `anyOf`.
    are_joined: bool,
    root: &'s Value,
}

impl<'s> Shape<'s> {
    /// Reads `schema`, which is a part of the document `root`.
    pub fn of(schema: &'s Value, root: &'s Value) -> Self {
        Self::at(schema, root, DEPTH)
    }

    fn at(schema: &'s Value, root: &'s Value, depth: usize) -> Self {
        let mut found = Found { alternatives: Vec::new(), are_joined: false, left: PARTS };
        collect((schema, root), depth, &mut found);
        let Found { alternatives, are_joined, .. } = found;
        Self { alternatives, depth: depth.saturating_sub(1), are_joined, root }
    }

    /// Returns whether the schema names `kind` as a type, or lists a value of this type. A schema that allows
    /// numbers does not count as a schema that allows integers.
    pub fn allows(&self, kind: Kind) -> bool {
        let listed = |it: &Value| match kind {
            Kind::Array => it.is_array(),
            Kind::Boolean => it.is_boolean(),
            Kind::Integer => it.is_i64() || it.is_u64(),
            Kind::Null => it.is_null(),
            Kind::Number => it.is_f64(),
            Kind::Object => it.is_object(),
            Kind::String => it.is_string(),
        };
        self.alternatives.iter().any(|it| {
            let mut values = values(it).peekable();
            if values.peek().is_some() { values.any(listed) } else { types(it).any(|it| it == kind) }
        })
    }

    /// Returns whether the schema says nothing about the type of its values.
    pub fn is_open(&self) -> bool {
        !Kind::ALL.iter().any(|&kind| self.allows(kind))
    }

    /// Returns the values that the schema lists in `enum` and `const`.
    pub fn values(&self) -> impl Iterator<Item = &'s Value> + use<'_, 's> {
        self.alternatives.iter().flat_map(|it| values(it))
    }

    /// Returns the schema of an array's elements; `None` if the schema has none.
    pub fn items(&self) -> Option<Self> {
        self.inner(|it| it.get("items").filter(|items| items.is_object()))
    }

    /// Returns the schema of the member `name`: from `properties`, or else from `additionalProperties`. `None` if
    /// the schema has none.
    pub fn member(&self, name: &str) -> Option<Self> {
        self.inner(|it| it.get("properties")?.get(name))
            .or_else(|| self.inner(|it| it.get("additionalProperties").filter(|it| it.is_object())))
    }

    /// Returns the members that `properties` of the schema names, each with its schema, and whether it is required.
    pub fn properties(&self) -> Vec<(&'s str, &'s Value, bool)> {
        let named = self.alternatives.iter().find_map(|it| Some((it, it.get("properties")?.as_object()?)));
        let Some((schema, properties)) = named else { return Vec::new() };
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
        properties.iter().map(|(name, schema)| (name.as_str(), schema, is_required(name))).collect()
    }

    /// Returns the alternatives of the schema that are objects with `properties`, each with its description, if there
    /// is more than one. None if some of them hold together.
    pub fn forms(&self) -> Vec<(Self, Option<&'s str>)> {
        let is_object = |it: &&&'s Value| it.get("properties").is_some_and(Value::is_object);
        let objects: Vec<&'s Value> = self.alternatives.iter().filter(is_object).copied().collect();
        if objects.len() < 2 || self.are_joined {
            return Vec::new();
        }
        let form = |it: &'s Value| {
            let shape =
                Self { alternatives: vec![it], depth: self.depth, are_joined: false, root: self.root };
            (shape, it.get("description").and_then(Value::as_str))
        };
        objects.into_iter().map(form).collect()
    }

    /// Returns the listed values that have descriptions of their own.
    pub fn described_values(&self) -> Vec<(&'s Value, &'s str)> {
        let described = |it: &&'s Value| Some((it.get("const")?, it.get("description")?.as_str()?));
        self.alternatives.iter().filter_map(described).collect()
    }

    /// Returns whether `properties` of the schema names `name`.
    pub fn has_property(&self, name: &str) -> bool {
        self.alternatives.iter().any(|it| it.get("properties").is_some_and(|it| it.get(name).is_some()))
    }

    fn inner(&self, find: impl Fn(&'s Value) -> Option<&'s Value>) -> Option<Self> {
        let found = self.alternatives.iter().find_map(|it| find(it))?;
        (self.depth > 0).then(|| Self::at(found, self.root, self.depth))
    }
}

impl fmt::Display for Shape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut kinds, mut names): (Vec<Kind>, Vec<String>) = (Vec::new(), Vec::new());
        for it in &self.alternatives {
            let mut listed = values(it).map(value_text).peekable();
            if listed.peek().is_some() {
                names.extend(listed.filter(|text| !names.contains(text)).collect::<Vec<_>>());
                continue;
            }
            // Each type is named once: naming the elements of arrays again at each depth would take for ever.
            for kind in types(it).filter(|kind| !kinds.contains(kind)).collect::<Vec<_>>() {
                kinds.push(kind);
                names.push(self.name(kind));
            }
        }
        f.write_str(if names.is_empty() { "any" } else { "" })?;
        f.write_str(&names.join("|"))
    }
}

impl Shape<'_> {
    fn name(&self, kind: Kind) -> String {
        if kind != Kind::Array {
            return kind.as_str().to_owned();
        }
        match self.items().map(|items| items.to_string()) {
            Some(items) if items.contains('|') => format!("({items})[]"),
            Some(items) => format!("{items}[]"),
            None => "any[]".to_owned(),
        }
    }
}

/// Returns a listed value as a signature shows it: text without quotes, unless it could be read as another
/// value.
fn value_text(value: &Value) -> String {
    let plain = |text: &&str| {
        !text.is_empty()
            && serde_json::from_str::<Value>(text).is_err()
            && !text.contains(|c: char| c.is_whitespace() || "|,()\"".contains(c))
    };
    value.as_str().filter(plain).map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// The alternatives that [`collect`] has found.
struct Found<'s> {
    alternatives: Vec<&'s Value>,
    are_joined: bool,
    /// The number of parts that may still be looked at.
    left: usize,
}

/// Adds the alternatives of `schema`, a part of `root`, to `found`. The parts of an `allOf` count as alternatives too:
/// nearly always only one of them has a type.
fn collect<'s>((schema, root): (&'s Value, &'s Value), depth: usize, found: &mut Found<'s>) {
    if depth == 0 || found.left == 0 {
        return;
    }
    found.left -= 1;
    let reference = schema.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix('#'));
    if let Some(target) = reference.and_then(|it| root.pointer(it)) {
        return collect((target, root), depth - 1, found);
    }
    let before = found.alternatives.len();
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for part in schema.get(keyword).and_then(Value::as_array).into_iter().flatten() {
            found.are_joined |= keyword == "allOf";
            collect((part, root), depth - 1, found);
        }
    }
    if found.alternatives.len() == before || schema.get("type").is_some() {
        found.are_joined |= found.alternatives.len() > before && schema.get("properties").is_some();
        found.alternatives.push(schema);
    }
}

/// Returns the values that `schema` itself lists.
fn values(schema: &Value) -> impl Iterator<Item = &Value> {
    schema.get("enum").and_then(Value::as_array).into_iter().flatten().chain(schema.get("const"))
}

/// Returns the types that `schema` itself names. A schema without `type` counts as naming objects if it has
/// `properties`, and arrays if it has `items`.
fn types(schema: &Value) -> impl Iterator<Item = Kind> {
    let named = |name: &str| match schema.get("type") {
        Some(Value::String(it)) => it == name,
        Some(Value::Array(all)) => all.iter().any(|it| it == name),
        _ => {
            (name == "object" && schema.get("properties").is_some())
                || (name == "array" && schema.get("items").is_some())
        }
    };
    Kind::ALL.into_iter().filter(move |kind| named(kind.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(schema: Value, expected: &str) {
        let root = json!({ "$defs": { "Genre": { "enum": ["fiction", "science"] }, "Loop": { "items": { "$ref": "#/$defs/Loop" } } } });
        assert_eq!(Shape::of(&schema, &root).to_string(), expected, "{schema}");
    }

    #[test]
    fn names_types_values_and_elements() {
        check(json!({ "type": "integer" }), "integer");
        check(json!({ "type": ["string", "null"] }), "null|string");
        check(json!({ "type": "array", "items": { "type": "string" } }), "string[]");
        check(json!({ "type": "array", "items": { "type": ["string", "integer"] } }), "(integer|string)[]");
        check(json!({ "type": "array" }), "any[]");
        check(json!({ "$ref": "#/$defs/Genre" }), "fiction|science");
        check(json!({ "anyOf": [{ "$ref": "#/$defs/Genre" }, { "type": "null" }] }), "fiction|science|null");
        check(json!({ "allOf": [{ "$ref": "#/$defs/Genre" }], "default": "fiction" }), "fiction|science");
        check(json!({ "enum": ["a b", "1", 1, "x|y", ""] }), r#""a b"|"1"|1|"x|y"|"""#);
        check(json!({ "properties": { "a": {} } }), "object");
        check(json!({}), "any");
        check(json!(true), "any");
    }

    #[test]
    fn ends_for_a_schema_that_refers_to_itself() {
        check(json!({ "$ref": "#/$defs/Loop" }), "any[][][][][][][]");
        let root = json!({ "$ref": "#" });
        assert!(Shape::of(&root, &root).is_open());
        let wide = json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }, { "$ref": "#" }, { "$ref": "#" }, { "type": "string" }] });
        assert_eq!(Shape::of(&wide, &wide).to_string(), "string");
    }

    #[test]
    fn reads_a_thousand_parts_and_eight_levels_of_a_schema() {
        // The `anyOf` itself is a part, too.
        let wide = |parts: usize| {
            let nothing = vec![json!({}); parts - 2];
            let all = [nothing, vec![json!({ "type": "string" })]].concat();
            let schema = json!({ "anyOf": all });
            Shape::of(&schema, &schema).to_string()
        };
        assert_eq!((wide(1_000), wide(1_001)), ("string".to_owned(), "any".to_owned()));
        let deep = |levels: usize| {
            let inner = json!({ "type": "string" });
            let schema = (1..levels).fold(inner, |inner, _| json!({ "anyOf": [inner] }));
            Shape::of(&schema, &schema).to_string()
        };
        assert_eq!((deep(8), deep(9)), ("string".to_owned(), "any".to_owned()));
    }

    #[test]
    fn finds_the_schemas_of_members() {
        let schema = json!({
            "type": "object",
            "properties": { "filter": { "type": "object", "additionalProperties": { "type": "integer" } } },
        });
        let shape = Shape::of(&schema, &schema);
        let filter = shape.member("filter").expect("a member");
        assert!(filter.allows(Kind::Object) && shape.member("other").is_none());
        assert_eq!(filter.member("limit").expect("any name").to_string(), "integer");
    }

    #[test]
    fn objects_that_hold_together_are_no_alternatives() {
        let object =
            |name: &str| json!({ "type": "object", "properties": { name: {} }, "description": name });
        let forms = |schema: Value| {
            let forms: Vec<_> =
                Shape::of(&schema, &schema).forms().iter().map(|it| it.1.map(str::to_owned)).collect();
            forms
        };
        assert_eq!(
            forms(json!({ "oneOf": [object("a"), object("b")] })),
            [Some("a".into()), Some("b".into())]
        );
        assert_eq!(forms(json!({ "oneOf": [object("a"), { "type": "null" }] })), []);
        assert_eq!(forms(json!({ "allOf": [object("a"), object("b")] })), []);
        let beside = json!({ "type": "object", "properties": {}, "anyOf": [object("a"), object("b")] });
        assert_eq!(forms(beside), []);
    }
}
