//! A tool as a typed signature, for people who choose one.
//!
//! In: an [`Entry`]. Out: text such as `search(query: string, limit?: integer = 10)`.

use serde_json::Value;

use crate::{Entry, Shape};

/// The most characters of a default that a signature shows.
const MAX_DEFAULT: usize = 40;

/// Returns the name of a tool, and its parameters with their types and defaults, in the order of the schema.
/// `?` follows the name of an optional parameter. The type of an optional parameter is shown without `null`:
/// to leave the parameter out means the same.
pub fn signature(entry: &Entry) -> String {
    let nothing = Value::Null;
    let root = entry.input_schema().unwrap_or(&nothing);
    let parameter = |(name, schema, is_required): (&str, &Value, bool)| {
        let shape = Shape::of(schema, root).to_string();
        let shape = if is_required { shape } else { without_null(&shape) };
        let mark = if is_required { "" } else { "?" };
        format!("{name}{mark}: {shape}{}", default(schema))
    };
    let parameters: Vec<String> = entry.parameters().map(parameter).collect();
    format!("{}({})", entry.name(), parameters.join(", "))
}

fn without_null(shape: &str) -> String {
    let parts: Vec<&str> = shape.split('|').filter(|it| *it != "null").collect();
    if parts.is_empty() { shape.to_owned() } else { parts.join("|") }
}

fn default(schema: &Value) -> String {
    match schema.get("default").filter(|it| !it.is_null()).map(Value::to_string) {
        Some(text) if text.chars().count() <= MAX_DEFAULT => format!(" = {text}"),
        Some(_) => " = …".to_owned(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_types_defaults_and_what_is_optional_in_the_order_of_the_schema() {
        let entry = Entry::read(
            r##"{"name":"search_books","inputSchema":{"type":"object","required":["query"],"properties":{
                "query":{"type":"string"},
                "limit":{"type":"integer","default":10},
                "genre":{"anyOf":[{"$ref":"#/$defs/Genre"},{"type":"null"}],"default":null},
                "all":{"type":"boolean","default":false},
                "near":{"type":"array","items":{"type":"number"}}},
                "$defs":{"Genre":{"enum":["fiction","science"]}}}}"##,
        );
        assert_eq!(
            signature(&entry),
            "search_books(query: string, limit?: integer = 10, genre?: fiction|science, all?: boolean = false, \
             near?: number[])"
        );
        assert_eq!(signature(&Entry::read(r#"{"name":"now"}"#)), "now()");
    }
}
