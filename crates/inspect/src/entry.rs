//! A tool as it appears in the answer to `tools/list`.
//!
//! In: JSON, or a [`Tool`]. Out: the members of the entry. Nothing is refused here: a name or description
//! of the wrong type counts as missing, and [`crate::lint`] reports it.

use std::collections::{HashMap, HashSet};
use std::fmt;

use plainwire_proto::codec;
use plainwire_proto::model::Tool;
use plainwire_proto::revision::Revision;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

/// An entry of `tools/list`, valid or not.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    members: Map<String, Value>,
    /// The names of the parameters in the order of the schema, which `members` do not keep.
    order: Vec<String>,
}

impl Entry {
    /// Reads an entry of `tools/list`. Text that is not a JSON object gives an entry without members.
    pub fn read(json: &str) -> Self {
        let order = serde_json::from_str(json).map(|Ordered { input_schema }| input_schema.properties.0);
        Self { members: serde_json::from_str(json).unwrap_or_default(), order: order.unwrap_or_default() }
    }

    /// Returns the name of the tool; empty if there is none.
    pub fn name(&self) -> &str {
        self.text("name").unwrap_or_default()
    }

    /// Returns the description of the tool, unless it is missing or blank.
    pub fn description(&self) -> Option<&str> {
        self.text("description").filter(|text| !text.trim().is_empty())
    }

    /// Returns the schema of the tool's arguments; `None` if there is none.
    pub fn input_schema(&self) -> Option<&Value> {
        self.members.get("inputSchema")
    }

    /// Returns the schema of the tool's structured content; `None` if there is none.
    pub fn output_schema(&self) -> Option<&Value> {
        self.members.get("outputSchema")
    }

    /// Returns the member `_meta` of the tool; `None` if there is none.
    pub fn meta(&self) -> Option<&Value> {
        self.members.get("_meta")
    }

    /// Returns the parameters of the tool in the order of its schema: name, schema, and whether the parameter is
    /// required. Those that only parts of the schema name (`$ref`, `allOf`, `anyOf`, `oneOf` at its root) follow. One
    /// that only some alternatives have is not required.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &Value, bool)> {
        let mut found = Parameters::default();
        if let Some(schema) = self.input_schema() {
            found.read((schema, schema), DEPTH, true);
        }
        let places: HashMap<&str, usize> =
            self.order.iter().enumerate().map(|(at, name)| (&**name, at)).collect();
        let Parameters { mut all, required, .. } = found;
        all.sort_by_key(|(name, _)| places.get(name).copied().unwrap_or(usize::MAX));
        all.into_iter().map(move |(name, it)| (name, it, required.contains(name)))
    }

    /// Returns every member of the entry unchanged, in the order of the members' names.
    pub fn members(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.members.iter().map(|(name, value)| (name.as_str(), value))
    }

    fn text(&self, member: &str) -> Option<&str> {
        self.members.get(member).and_then(Value::as_str)
    }
}

/// The maximal depth of parts of an input schema that have parameters.
const DEPTH: usize = 8;

/// The maximal number of these parts.
const PARTS: usize = 100;

/// The parameters that an input schema names.
#[derive(Default)]
struct Parameters<'s> {
    all: Vec<(&'s str, &'s Value)>,
    names: HashSet<&'s str>,
    parts: usize,
    required: HashSet<&'s str>,
}

impl<'s> Parameters<'s> {
    /// Adds the parameters of `schema`, a part of the document `root`. `is_sure`: every call has to fit the part.
    fn read(&mut self, (schema, root): (&'s Value, &'s Value), depth: usize, is_sure: bool) {
        self.parts += 1;
        if depth == 0 || self.parts > PARTS {
            return;
        }
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if self.names.insert(name) {
                self.all.push((name, property));
            }
        }
        if is_sure {
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            self.required.extend(required.filter_map(Value::as_str));
        }
        let reference = schema.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix('#'));
        if let Some(target) = reference.and_then(|it| root.pointer(it)) {
            self.read((target, root), depth - 1, is_sure);
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let parts = schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
            parts.for_each(|part| self.read((part, root), depth - 1, is_sure && keyword == "allOf"));
        }
    }
}

impl From<&Tool> for Entry {
    /// Converts the tool into the members that it has in the newest revision.
    fn from(tool: &Tool) -> Self {
        let mut out = Vec::new();
        codec::tool(&mut out, tool, Revision::NEWEST);
        Self::read(&String::from_utf8_lossy(&out))
    }
}

/// The part of an entry whose order counts.
#[derive(Deserialize)]
struct Ordered {
    #[serde(rename = "inputSchema")]
    input_schema: OrderedSchema,
}

#[derive(Deserialize)]
struct OrderedSchema {
    properties: Names,
}

/// The names of an object's members, in their order.
struct Names(Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Names;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut members: M) -> Result<Names, M::Error> {
                let mut names = Vec::new();
                while let Some((name, IgnoredAny)) = members.next_entry()? {
                    names.push(name);
                }
                Ok(Names(names))
            }
        }
        from.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_same_from_a_tool_and_from_its_json() {
        let json = r#"{"name":"add","title":"Add","description":"Adds.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#;
        let tool: Tool = serde_json::from_str(json).expect("a tool");
        assert_eq!(Entry::from(&tool).members, Entry::read(json).members);
    }

    #[test]
    fn parameters_are_read_from_at_most_100_parts_of_a_schema() {
        let parts: Vec<String> = (0..200).map(|n| format!(r#"{{"properties":{{"p{n}":{{}}}}}}"#)).collect();
        let entry = Entry::read(&format!(r#"{{"inputSchema":{{"allOf":[{}]}}}}"#, parts.join(",")));
        // The whole schema is the first part.
        assert_eq!(entry.parameters().count(), 99);
    }

    #[test]
    fn finds_the_parameters_in_the_parts_of_a_schema() {
        let entry = Entry::read(
            r##"{"name":"t","inputSchema":{"properties":{"y":{"type":"integer"}},"required":["a"],
                "allOf":[{"properties":{"x":{"type":"integer"}},"required":["x"]},{"$ref":"#/$defs/A"}],
                "anyOf":[{"properties":{"one":{}},"required":["one"]},{"properties":{"y":{}}}],
                "$defs":{"A":{"properties":{"a":{}},"allOf":[{"$ref":"#/$defs/A"}]}}}}"##,
        );
        let found: Vec<_> = entry.parameters().map(|(name, _, is_required)| (name, is_required)).collect();
        assert_eq!(found, [("y", false), ("x", true), ("a", true), ("one", false)]);
    }

    #[test]
    fn takes_what_is_no_tool_for_one_without_members() {
        for json in ["", "[]", "{", "null", r#"{"name":1,"description":" ","inputSchema":{"properties":[]}}"#]
        {
            let entry = Entry::read(json);
            assert_eq!(
                (entry.name(), entry.description(), entry.parameters().count()),
                ("", None, 0),
                "{json}"
            );
        }
    }
}
