//! Tests of values as Markdown.

use serde_json::{Value, json};

use super::super::tree::Tree;
use super::markdown;

/// Returns the Markdown of the JSON text of a value.
fn of(json: &str) -> String {
    with(json, None)
}

fn with(json: &str, schema: Option<&Value>) -> String {
    markdown(&serde_json::from_str::<Tree>(json).expect("JSON"), schema)
}

#[test]
fn an_object_has_a_title_and_lines_then_parts_with_headings() {
    let value = r#"{
        "id": "ABC-7", "title": "Water the *ferns*", "due": "2026-11-26T10:00:00Z", "done": false, "tags": ["garden", "daily"],
        "owner": {"name": "Ada", "mail": null}, "hours": 1.50, "subtasks": []
    }"#;
    let expected = "\
# Water the *ferns\\*

- **id:** ABC-7
- **due:** 2026-11-26T10:00:00Z
- **done:** false
- **tags:** garden, daily
- **hours:** 1.5
- **subtasks:** *none*

## owner

- **name:** Ada
- **mail:** *none*
";
    assert_eq!(of(value), expected);
}

#[test]
fn a_list_of_like_objects_is_a_table_with_each_member_that_one_has() {
    let value = r#"[{"sku":"A|1","stock":2},{"sku":"B_2","tags":["x","y"]},{"sku":"https://a.example/c"}]"#;
    let expected = "\
| sku | stock | tags |
| --- | --- | --- |
| `A\\|1` | 2 |  |
| B_2 |  | x, y |
| <https://a.example/c> |  |  |
";
    assert_eq!(of(value), expected);
}

#[test]
fn a_list_of_other_things_has_a_heading_for_each() {
    let value =
        r#"{"steps":[{"title":"Dig","notes":"one\ntwo"},{"notes":"three\n\nfour"},"rest",["a","b, c"]]}"#;
    let expected = "\
## steps

### Dig

#### notes

one\\
two

### steps 2

#### notes

three

four

### steps 3

rest

### steps 4

- a
- b, c
";
    assert_eq!(of(value), expected);
}

#[test]
fn the_schema_says_which_texts_are_markdown_or_code() {
    let schema = json!({
        "type": "object",
        "properties": {
            "body": { "type": "string", "contentMediaType": "text/markdown" },
            "examples": { "type": "array", "items": { "$ref": "#/$defs/Example" } }
        },
        "$defs": {
            "Example": { "anyOf": [{ "properties": { "code": { "type": "string", "contentMediaType": "text/x-rust" } } }] }
        }
    });
    let value = r#"{"body":"*See* below:\n```","examples":[{"code":"fn a() {}\n"},{"code":"let x = 1;"}]}"#;
    let expected = "\
## body

> *See* below:
> ```

## examples

### examples 1

#### code

```rust
fn a() {}
```

### examples 2

#### code

```rust
let x = 1;
```
";
    assert_eq!(with(value, Some(&schema)), expected);
}

#[test]
fn a_text_that_paragraphs_would_change_is_in_a_fence() {
    assert_eq!(of(r#"{"code":"if a {\n    ```\n}"}"#), "## code\n\n````\nif a {\n    ```\n}\n````\n");
    assert_eq!(of(r##"{"poem":"# no heading\n- no item"}"##), "## poem\n\n\\# no heading\\\n\\- no item\n");
}

#[test]
fn single_values_are_shown_too() {
    assert_eq!(of("3.0"), "3.0\n");
    assert_eq!(of("null"), "*none*\n");
    assert_eq!(of("[]"), "*none*\n");
    assert_eq!(of(r#"["a","b"]"#), "- a\n- b\n");
    assert_eq!(of("{}"), "*none*\n");
}

#[test]
fn headings_end_at_the_sixth_level() {
    let deep = (0..8).fold("1".to_owned(), |inner, n| format!(r#"{{"n{n}":{inner}}}"#));
    let shown = of(&deep);
    assert!(shown.contains("###### n3\n\n**n2:**\n"), "{shown}");
}

#[test]
fn six_references_of_a_schema_are_followed() {
    let of_length = |length: usize| {
        let mut schema = json!({ "$defs": {}, "properties": { "a": { "$ref": "#/$defs/1" } } });
        for n in 1..length {
            schema["$defs"][n.to_string()] = json!({ "$ref": format!("#/$defs/{}", n + 1) });
        }
        schema["$defs"][length.to_string()] = json!({ "type": "string", "contentMediaType": "text/x-rust" });
        with(r#"{"a":"b"}"#, Some(&schema))
    };
    assert!(of_length(6).contains("```rust"), "{}", of_length(6));
    assert!(!of_length(7).contains("```rust"), "{}", of_length(7));
}
