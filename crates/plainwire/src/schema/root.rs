//! A check at compile time that the root of a schema is an object.
//!
//! In: JSON text. Out: yes or no. When the server starts, it checks whether the text is valid JSON and a
//! schema.

/// Returns whether the root of a JSON Schema has `"type": "object"`, as the protocol requires for the input
/// of a tool.
///
/// `#[tool(input_schema = include_str!("…"))]` makes the compiler check this. To check it in your own
/// program:
///
/// ```
/// const SCHEMA: &str = r#"{ "type": "object", "properties": { "id": { "type": "integer" } } }"#;
/// const _: () = assert!(plainwire::schema::is_object(SCHEMA));
/// assert!(!plainwire::schema::is_object(r#"{ "items": { "type": "object" } }"#));
/// ```
#[must_use]
pub const fn is_object(text: &str) -> bool {
    let text = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while at < text.len() {
        match text[at] {
            b'"' => {
                let end = end_of_string(text, at);
                if depth == 1 && is(text, at, end, b"\"type\"") {
                    let colon = skip_blanks(text, end);
                    if colon < text.len() && text[colon] == b':' {
                        let value = skip_blanks(text, colon + 1);
                        return is(text, value, end_of_string(text, value), b"\"object\"");
                    }
                }
                at = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    false
}

/// Returns the position behind the string that begins at `start`, or `start + 1` if no string begins there.
const fn end_of_string(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    if start >= text.len() || text[start] != b'"' {
        return at;
    }
    while at < text.len() && text[at] != b'"' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

const fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && text[at].is_ascii_whitespace() {
        at += 1;
    }
    at
}

/// Returns whether the bytes from `start` to `end` are `expected`.
const fn is(text: &[u8], start: usize, end: usize, expected: &[u8]) -> bool {
    if end > text.len() || end < start || end - start != expected.len() {
        return false;
    }
    let mut n = 0;
    while n < expected.len() {
        if text[start + n] != expected[n] {
            return false;
        }
        n += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::is_object;

    #[test]
    fn finds_the_type_of_the_root() {
        for text in [
            r#"{"type":"object"}"#,
            " {\n  \"$schema\": \"{\", \"type\" :\t\"object\" } ",
            r#"{"properties":{"type":{"type":"string"}},"required":["type"],"type":"object"}"#,
            r#"{"description":"a \"type\": \"string\"","type":"object"}"#,
            r#"{"title":"type","type":"object"}"#,
        ] {
            assert!(is_object(text), "{text}");
        }
    }

    #[test]
    fn a_type_elsewhere_is_not_that_of_the_root() {
        for text in [
            "",
            "{",
            "\"type",
            r#"{"type"#,
            r#"{"type":"#,
            r#"{"type":"object"#,
            r#"{"type":"array","items":{"type":"object"}}"#,
            r#"{"properties":{"a":{"type":"object"}}}"#,
            r#"{"description":"\"type\":\"object\""}"#,
            r#"{"type":["object","null"]}"#,
            r#"["type","object"]"#,
            r#""type":"object""#,
            "{\"a\":\"\\",
        ] {
            assert!(!is_object(text), "{text}");
        }
    }
}
