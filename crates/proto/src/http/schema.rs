//! Which arguments of a tool are repeated in headers: `x-mcp-header` in its input schema.
//!
//! In: an input schema. Out: names of headers and where their values stand, or why no client can follow it. Calls are
//! looked at in `params.rs`.
//!
//! Source: 2026-07-28 `streamable-http` "Custom Headers from Tool Parameters", "Schema Extension".

use std::collections::BTreeSet;

use serde_json::Value;

/// An argument that is repeated in a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamHeader {
    /// The whole name of the header in lower case, such as `mcp-param-region`.
    pub header: String,
    /// The names of the properties that lead to the argument, outermost first; never empty.
    pub path: Vec<String>,
    /// What the schema lets the argument be.
    pub kind: Primitive,
}

/// A type that a header can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// `true` or `false`.
    Boolean,
    /// A whole number within ±(2^53 − 1).
    Integer,
    /// Text.
    String,
}

/// The annotation.
const KEYWORD: &str = "x-mcp-header";

/// Levels of a schema. 128: what parsers take.
const MOST_LEVELS: usize = 128;

/// Returns which arguments `schema` repeats in headers, in the order of the schema.
///
/// `null` beside the one type is allowed: the specification says what a `null` argument means for the header.
///
/// # Errors
/// What is wrong, for the log: a client leaves out such a tool, a server should not offer it. A name that is empty, no
/// token or taken, an argument that is neither string nor integer nor boolean, and an annotation that `properties` alone
/// do not lead to.
pub fn param_headers(schema: &Value) -> Result<Vec<ParamHeader>, String> {
    let mut walk = Walk { found: Vec::new(), names: BTreeSet::new(), path: Vec::new() };
    walk.schema(schema, Place::Reachable, 0)?;
    Ok(walk.found)
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Elsewhere,
    Reachable,
}

struct Walk {
    found: Vec<ParamHeader>,
    names: BTreeSet<String>,
    path: Vec<String>,
}

impl Walk {
    fn schema(&mut self, schema: &Value, place: Place, level: usize) -> Result<(), String> {
        if level > MOST_LEVELS {
            return Err(format!("expected a schema of at most {MOST_LEVELS} levels, but found more"));
        }
        let members = match schema {
            Value::Object(members) => members,
            Value::Array(schemas) => {
                return schemas.iter().try_for_each(|it| self.schema(it, Place::Elsewhere, level + 1));
            }
            _ => return Ok(()),
        };
        if let Some(name) = members.get(KEYWORD) {
            self.annotation(name, members.get("type"), place)?;
        }
        for (keyword, value) in members {
            match (keyword.as_str(), value) {
                // Data, whatever it looks like.
                (KEYWORD | "const" | "default" | "enum" | "example" | "examples", _) => {}
                ("properties", Value::Object(properties)) => {
                    for (name, property) in properties {
                        self.path.push(name.clone());
                        self.schema(property, place, level + 1)?;
                        self.path.pop();
                    }
                }
                // Their members are names, not keywords.
                (
                    "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties",
                    Value::Object(named),
                ) => {
                    for it in named.values() {
                        self.schema(it, Place::Elsewhere, level + 1)?;
                    }
                }
                (_, value) => self.schema(value, Place::Elsewhere, level + 1)?,
            }
        }
        Ok(())
    }

    fn annotation(&mut self, name: &Value, kind: Option<&Value>, place: Place) -> Result<(), String> {
        let path = self.path.join(".");
        let Some(name) = name.as_str().filter(|it| is_token(it)) else {
            return Err(format!(
                "expected `{KEYWORD}` of `{path}` to be a name of a header, but found {name}"
            ));
        };
        // The root itself is no argument.
        if place == Place::Elsewhere || self.path.is_empty() {
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

/// Source: RFC 9110 section 5.6.2, `token`.
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
