//! Finds the arguments of a tool that headers repeat: `x-mcp-header` in its input schema.
//!
//! In: an input schema. Out: header names and the paths to their values, or the reason why the schema is
//! invalid. Calls are checked in `params.rs`.
//!
//! Source: 2026-07-28 `streamable-http` "Custom Headers from Tool Parameters", "Schema Extension".

use std::collections::BTreeSet;

use serde_json::Value;

use crate::json::shorten;

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

/// Largest size in bytes of a server's schema that is parsed for the keyword. 256 KiB: as a tree, it takes up to
/// 10 MiB.
const MAX_SCHEMA: usize = 256 << 10;

/// Largest size in bytes of all headers of a tool, each with the path to its argument. 64 KiB: more than HTTP servers
/// accept in a request.
const MAX_HEADERS: usize = 64 << 10;

/// Returns the arguments that headers repeat, in the order of the schema.
///
/// An argument has one type, beside which `null` is allowed, since the specification defines the header for a
/// `null` argument.
///
/// # Errors
/// The reason, for the log: clients leave out such a tool, and servers should not offer it. Reasons are a
/// header name that is empty, not an HTTP token or already used, an argument that is neither string nor
/// integer nor boolean, an annotation that is not reachable through `properties` alone, a schema of more than
/// 128 levels, and headers of more than 64 KiB with the paths to their arguments.
pub fn param_headers(schema: &Value) -> Result<Vec<ParamHeader>, String> {
    let mut walk = Walk { bytes: 0, found: Vec::new(), names: BTreeSet::new(), path: Vec::new() };
    walk.schema(schema, SubschemaPosition::Reachable, 0)?;
    Ok(walk.found)
}

/// Like [`param_headers`], from the text of a schema. A text without the keyword `x-mcp-header` is not parsed.
///
/// # Errors
/// Also for a schema of more than 256 KiB with the keyword, and for text that is no JSON.
pub fn param_headers_of(schema: &str) -> Result<Vec<ParamHeader>, String> {
    if !may_have_keyword(schema) {
        return Ok(Vec::new());
    }
    let found = schema.len();
    if found > MAX_SCHEMA {
        return Err(format!(
            "expected a schema with `{KEYWORD}` to have at most {MAX_SCHEMA} bytes, but found {found}"
        ));
    }
    let schema = serde_json::from_str(schema)
        .map_err(|error| format!("expected a schema that can be read, but found: {error}"))?;
    param_headers(&schema)
}

/// Returns whether `schema` contains the keyword, or an escape that may stand for one of its characters.
fn may_have_keyword(schema: &str) -> bool {
    let escapes = ["\\u002d", "\\u002D", "\\u006", "\\u007"];
    schema.contains(KEYWORD)
        || (schema.contains("\\u00") && escapes.iter().any(|escape| schema.contains(escape)))
}

/// The position of a subschema: reachable from the root through `properties` alone, or elsewhere.
#[derive(Clone, Copy, PartialEq)]
enum SubschemaPosition {
    Elsewhere,
    Reachable,
}

struct Walk {
    /// The size of the headers in `found` and of their paths.
    bytes: usize,
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
        let Some(name) = name.as_str().filter(|it| is_token(it)) else {
            let (path, found) = (self.path.join("."), name.to_string());
            let (path, found) = (shorten(&path), shorten(&found));
            return Err(format!(
                "expected `{KEYWORD}` of `{path}` to be a name of a header, but found {found}"
            ));
        };
        // The root itself is not an argument.
        if place == SubschemaPosition::Elsewhere || self.path.is_empty() {
            return Err(format!(
                "expected `{KEYWORD}` under `properties` only, but found {:?} elsewhere",
                shorten(name)
            ));
        }
        let Some(kind) = kind.and_then(primitive) else {
            let (path, found) = (self.path.join("."), kind.map_or("nothing".to_owned(), Value::to_string));
            let (path, found) = (shorten(&path), shorten(&found));
            return Err(format!(
                "expected `type` of `{path}` to be string, integer or boolean for `{KEYWORD}`, but found {found}"
            ));
        };
        let header = format!("mcp-param-{}", name.to_ascii_lowercase());
        self.bytes += header.len() + self.path.iter().map(String::len).sum::<usize>();
        if self.bytes > MAX_HEADERS {
            return Err(format!(
                "expected the headers of a tool, with the paths to their arguments, to have at most {MAX_HEADERS} \
                 bytes, but found more"
            ));
        }
        if !self.names.insert(header.clone()) {
            return Err(format!("expected each `{KEYWORD}` once, but found {:?} again", shorten(name)));
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
