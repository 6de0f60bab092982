//! Finds the arguments of a tool that headers repeat: `x-mcp-header` in its input schema.
//!
//! In: an input schema. Out: header names and the paths to their values, or the reason why the schema is
//! invalid. Calls are checked in `params.rs`.
//!
//! Source: 2026-07-28 `streamable-http` "Custom Headers from Tool Parameters", "Schema Extension".

use std::collections::BTreeSet;

use serde_json::Value;

/// An argument of a tool that a header repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamHeader {
    /// The full name of the header in lower case, such as `mcp-param-region`.
    pub header: String,
    /// The names of the properties that lead to the argument, outermost first; never empty.
    pub path: Vec<String>,
    /// The type of the argument in the schema.
    pub kind: Primitive,
}

/// The type of an argument that a header can repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// `true` or `false`.
    Boolean,
    /// A whole number within ±(2^53 − 1).
    Integer,
    /// Text.
    String,
}

/// The keyword that declares, in the schema of an argument, the header that repeats it.
const KEYWORD: &str = "x-mcp-header";

/// Largest number of nesting levels in a schema. 128: the limit of common parsers.
const MOST_LEVELS: usize = 128;

/// Returns the arguments that headers repeat, in the order of the schema.
///
/// An argument has one type, beside which `null` is allowed, since the specification defines the header for a
/// `null` argument.
///
/// # Errors
/// The reason, for the log: clients leave out such a tool, and servers should not offer it. Reasons are a
/// header name that is empty, not an HTTP token or already used, an argument that is neither string nor
/// integer nor boolean, an annotation that is not reachable through `properties` alone, and a schema of more
/// than 128 levels.
pub fn param_headers(schema: &Value) -> Result<Vec<ParamHeader>, String> {
    let mut walk = Walk { found: Vec::new(), names: BTreeSet::new(), path: Vec::new() };
    walk.schema(schema, SubschemaPosition::Reachable, 0)?;
    Ok(walk.found)
}

/// The position of a subschema: reachable from the root through `properties` alone, or elsewhere.
#[derive(Clone, Copy, PartialEq)]
enum SubschemaPosition {
    Elsewhere,
    Reachable,
}

struct Walk {
    found: Vec<ParamHeader>,
    names: BTreeSet<String>,
    path: Vec<String>,
}

impl Walk {
    fn schema(&mut self, schema: &Value, place: SubschemaPosition, level: usize) -> Result<(), String> {
        if level > MOST_LEVELS {
            return Err(format!("expected a schema of at most {MOST_LEVELS} levels, but found more"));
        }
        let members = match schema {
            Value::Object(members) => members,
            Value::Array(schemas) => {
                return schemas
                    .iter()
                    .try_for_each(|it| self.schema(it, SubschemaPosition::Elsewhere, level + 1));
            }
            _ => return Ok(()),
        };
        if let Some(name) = members.get(KEYWORD) {
            self.annotation(name, members.get("type"), place)?;
        }
        for (keyword, value) in members {
            match (keyword.as_str(), value) {
                // The values of these keywords are data, even if they look like schemas.
                (KEYWORD | "const" | "default" | "enum" | "example" | "examples", _) => {}
                ("properties", Value::Object(properties)) => {
                    for (name, property) in properties {
                        self.path.push(name.clone());
                        self.schema(property, place, level + 1)?;
                        self.path.pop();
                    }
                }
                // The members of these keywords are names, not keywords.
                (
                    "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties",
                    Value::Object(named),
                ) => {
                    for it in named.values() {
                        self.schema(it, SubschemaPosition::Elsewhere, level + 1)?;
                    }
                }
                (_, value) => self.schema(value, SubschemaPosition::Elsewhere, level + 1)?,
            }
        }
        Ok(())
    }

    fn annotation(
        &mut self,
        name: &Value,
        kind: Option<&Value>,
        place: SubschemaPosition,
    ) -> Result<(), String> {
        let path = self.path.join(".");
        let Some(name) = name.as_str().filter(|it| is_token(it)) else {
            return Err(format!(
                "expected `{KEYWORD}` of `{path}` to be a name of a header, but found {name}"
            ));
        };
        // The root itself is not an argument.
        if place == SubschemaPosition::Elsewhere || self.path.is_empty() {
            return Err(format!(
                "expected `{KEYWORD}` under `properties` only, but found {name:?} elsewhere"
            ));
        }
        let Some(kind) = kind.and_then(primitive) else {
            let found = kind.map_or("nothing".to_owned(), Value::to_string);
            return Err(format!(
                "expected `type` of `{path}` to be string, integer or boolean for `{KEYWORD}`, but found {found}"
            ));
        };
        let header = format!("mcp-param-{}", name.to_ascii_lowercase());
        if !self.names.insert(header.clone()) {
            return Err(format!("expected each `{KEYWORD}` once, but found {name:?} again"));
        }
        self.found.push(ParamHeader { header, path: self.path.clone(), kind });
        Ok(())
    }
}

/// Returns whether `name` is a `token` of HTTP. Source: RFC 9110 section 5.6.2.
fn is_token(name: &str) -> bool {
    let is_tchar = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_tchar)
}

fn primitive(kind: &Value) -> Option<Primitive> {
    match kind {
        Value::Array(kinds) => match kinds.as_slice() {
            [one] => primitive(one),
            [Value::String(null), one] | [one, Value::String(null)] if null == "null" => primitive(one),
            _ => None,
        },
        kind => match kind.as_str()? {
            "boolean" => Some(Primitive::Boolean),
            "integer" => Some(Primitive::Integer),
            "string" => Some(Primitive::String),
            _ => None,
        },
    }
}
