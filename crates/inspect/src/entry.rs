//! A tool as it appears in the answer to `tools/list`.
//!
//! In: JSON, or a [`Tool`]. Out: the members of the entry. Nothing is refused here: a member that is missing
//! or of the wrong type is absent, and [`crate::lint`] reports it.

use plainwire_proto::codec;
use plainwire_proto::model::Tool;
use plainwire_proto::revision::Revision;
use serde_json::{Map, Value};

/// An entry of `tools/list`, valid or not.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    members: Map<String, Value>,
}

impl Entry {
    /// Reads an entry of `tools/list`. Text that is not a JSON object gives an entry without members.
    pub fn read(json: &str) -> Self {
        Self { members: serde_json::from_str(json).unwrap_or_default() }
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

    /// Returns the parameters of the tool in the order of their names: name, schema, and whether the
    /// parameter is required.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &Value, bool)> {
        let schema = self.input_schema();
        let required = schema.and_then(|it| it.get("required")).and_then(Value::as_array);
        let is_required = move |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
        let properties = schema.and_then(|it| it.get("properties")).and_then(Value::as_object);
        properties.into_iter().flatten().map(move |(name, it)| (name.as_str(), it, is_required(name)))
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
        Self { members: serde_json::from_slice(&out).unwrap_or_default() }
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
