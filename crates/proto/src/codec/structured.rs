//! Structured content and output schemas, in the form that a revision allows.
//!
//! In: the JSON of a value or of its schema. Out: the member `structuredContent` or `outputSchema`, if the
//! revision has it. Spec: 2025-06-18 and 2025-11-25 allow only objects and schemas of objects, so that other
//! values become the member `result` of an object there; 2026-07-28 allows any JSON value.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::json::write::Object;
use crate::revision::{Feature, Revision};

/// Writes the value `json` as the structured content of a result.
pub(super) fn content(result: &mut Object<'_>, json: &str, revision: Revision) {
    if revision.has(Feature::AnyStructuredContent) {
        result.raw("structuredContent", json);
    } else if revision.has(Feature::StructuredContent) {
        match json.trim_start().starts_with('{') {
            true => result.raw("structuredContent", json),
            false => {
                let mut wrapper = Object::open(result.name("structuredContent"));
                wrapper.raw("result", json);
                wrapper.close();
            }
        }
    }
}

/// Writes the output schema of a tool. It is left out if the revision has no place for it, if the keyword
/// `type` at its root does not say whether values are objects, or if it describes other values than objects
/// and cannot become the schema of a member.
pub(super) fn schema(tool: &mut Object<'_>, schema: &str, revision: Revision) {
    if revision.has(Feature::AnyStructuredContent) {
        tool.raw("outputSchema", schema);
    } else if revision.has(Feature::StructuredContent) {
        match serde_json::from_str::<Members<'_>>(schema) {
            Ok(root) if root.is_of_objects() => tool.raw("outputSchema", schema),
            Ok(root) if root.is_of_others() && root.can_move() => {
                root.wrapped(tool.name("outputSchema"));
            }
            _ => {}
        }
    }
}

/// The keywords at the root of a schema, in order.
struct Members<'s>(Vec<(String, &'s RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a schema that is an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

impl Members<'_> {
    fn types(&self) -> Vec<String> {
        let Some((_, kind)) = self.0.iter().find(|(name, _)| name == "type") else { return Vec::new() };
        let one = serde_json::from_str(kind.get()).map(|one| vec![one]);
        one.or_else(|_| serde_json::from_str(kind.get())).unwrap_or_default()
    }

    fn is_of_objects(&self) -> bool {
        self.types() == ["object"]
    }

    fn is_of_others(&self) -> bool {
        let types = self.types();
        !types.is_empty() && types.iter().all(|it| it != "object")
    }

    /// Returns whether the schema keeps its meaning as the schema of a member: it has no `$id`, and all of its
    /// references are to definitions, which stay at the root.
    fn can_move(&self) -> bool {
        self.0.iter().all(|(name, value)| {
            // Any text that begins with `#` counts as a reference.
            let mut references = value.get().split("\"#").skip(1);
            name != "$id" && references.all(|it| DEFINITIONS_AT.iter().any(|place| it.starts_with(place)))
        })
    }

    /// Writes the schema of an object whose only member, `result`, has this schema.
    fn wrapped(&self, out: &mut Vec<u8>) {
        let mut object = Object::open(out);
        let write = |object: &mut Object<'_>, which: &dyn Fn(&str) -> bool| {
            for (name, value) in self.0.iter().filter(|(name, _)| which(name)) {
                object.raw(name, value.get());
            }
        };
        let (is_dialect, is_definition) =
            (|name: &str| name == "$schema", |name: &str| DEFINITIONS.contains(&name));
        write(&mut object, &is_dialect);
        object.string("type", "object");
        let mut properties = Object::open(object.name("properties"));
        let mut result = Object::open(properties.name("result"));
        write(&mut result, &|name| !is_dialect(name) && !is_definition(name));
        result.close();
        properties.close();
        object.raw("required", "[\"result\"]");
        write(&mut object, &is_definition);
        object.close();
    }
}

/// The keywords that hold the schemas to which references point.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// The beginnings of references to the schemas in [`DEFINITIONS`], after `#`.
const DEFINITIONS_AT: [&str; 2] = ["/$defs/", "/definitions/"];
