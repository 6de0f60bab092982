//! A tool as it appears in the answer to `tools/list`.
//!
//! In: JSON, or a [`Tool`]. Out: the members of the entry. Nothing is refused here: a name or description
//! of the wrong type counts as missing, and [`crate::lint`] reports it.

use std::collections::HashMap;
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
    /// required.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &Value, bool)> {
        let schema = self.input_schema();
        let required = schema.and_then(|it| it.get("required")).and_then(Value::as_array);
        let is_required = move |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
        let properties = schema.and_then(|it| it.get("properties")).and_then(Value::as_object);
        let places: HashMap<&str, usize> =
            self.order.iter().enumerate().map(|(at, name)| (&**name, at)).collect();
        let mut all: Vec<(&String, &Value)> = properties.into_iter().flatten().collect();
        all.sort_by_key(|(name, _)| places.get(name.as_str()).copied());
        all.into_iter().map(move |(name, it)| (name.as_str(), it, is_required(name)))
    }

    /// Returns every member of the entry unchanged, in the order of the members' names.
    pub fn members(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.members.iter().map(|(name, value)| (name.as_str(), value))
    }

    fn text(&self, member: &str) -> Option<&str> {
        self.members.get(member).and_then(Value::as_str)
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
