//! Tests of the token counts: which fields count, and the error of the estimate.

use serde_json::json;

use super::*;

fn entry(json: &Value) -> Entry {
    Entry::read(&json.to_string())
}

fn add() -> Entry {
    entry(&json!({
        "name": "add",
        "title": "Add",
        "description": "Adds two numbers and returns the sum.",
        "inputSchema": {
            "type": "object",
            "properties": { "a": { "type": "number", "description": "First." }, "b": { "type": "number" } },
            "required": ["a", "b"],
        },
        "outputSchema": { "type": "object", "properties": { "sum": { "type": "number" } } },
        "annotations": { "readOnlyHint": true },
        "_meta": { "a": "b" },
    }))
}

#[test]
fn counts_what_a_model_sees_field_by_field() {
    let report = Report::of(&[add(), add()], Tokenizer::Estimate);
    let tool = &report.tools[0];
    let seen: Vec<_> = tool.fields.iter().map(|it| (it.name.as_str(), it.seen)).collect();
    assert_eq!(
        seen,
        [
            ("name", Seen::Always),
            ("description", Seen::Always),
            ("inputSchema.properties.a", Seen::Always),
            ("inputSchema.properties.b", Seen::Always),
            ("inputSchema", Seen::Always),
            ("outputSchema", Seen::Seldom),
            ("_meta", Seen::Never),
            ("annotations", Seen::Never),
            ("title", Seen::Never),
        ]
    );
    let always = tool.fields.iter().filter(|it| it.seen == Seen::Always);
    assert_eq!(tool.total, always.map(|it| it.tokens).sum::<usize>());
    assert!(tool.fields.iter().all(|it| (it.tokens > 0) == (it.seen != Seen::Never) && it.bytes > 0));
    let of_schema = tool.fields.iter().filter(|it| it.name.starts_with("inputSchema")).map(|it| it.tokens);
    let whole = add().input_schema().expect("one").to_string();
    assert_eq!(of_schema.sum::<usize>(), Tokenizer::Estimate.count(&whole), "no part counts twice");
    assert_eq!((report.total, report.output_schemas), (2 * tool.total, 2 * tool.output_schema));
    assert_eq!((report.in_turns(10), report.in_turns(usize::MAX)), (20 * tool.total, usize::MAX));
}

#[test]
fn counts_the_bytes_of_the_compact_entry() {
    let json = json!({ "name": "a", "description": "Süß\n", "inputSchema": { "type": "object" } });
    assert_eq!(Report::of(&[entry(&json)], Tokenizer::Estimate).bytes, json.to_string().len());
}

#[test]
fn says_what_changed_between_two_lists() {
    let named = |name: &str, text: &str| entry(&json!({ "name": name, "description": text }));
    let report = |tools: &[Entry]| Report::of(tools, Tokenizer::Estimate);
    let twice = [named("kept", "Same."), named("kept", "The second of two does not count.")];
    let before = report(&[&twice[..], &[named("grown", "Short."), named("gone", "Was there.")]].concat());
    let now =
        report(&[named("grown", "Short, then long."), named("kept", "Same."), named("new", "Is there.")]);
    let found = differences(&before, &now);
    let shown: Vec<_> = found.iter().map(|it| (it.name.as_str(), it.change)).collect();
    assert_eq!(shown, [("grown", Change::Changed), ("new", Change::Added), ("gone", Change::Removed)]);
    assert!(found[0].before < found[0].now && found[1].before == 0 && found[2].now == 0, "{found:?}");
    assert_eq!((found[0].fields.clone(), found[1].fields.len()), (vec!["description".to_owned()], 0));
    let bare = report(&[entry(&json!({ "name": "grown" }))]);
    assert_eq!(differences(&before, &bare)[0].fields, ["description"], "a field that is gone");
    assert_eq!(differences(&now, &now), []);
}

#[test]
fn renders_a_tool_as_a_host_would() {
    let tool = entry(&json!({
        "name": "search",
        "description": "Finds issues.",
        "inputSchema": {
            "properties": {
                "all": { "type": ["boolean", "null"], "default": null },
                "by": { "anyOf": [{ "$ref": "#/$defs/Field" }, { "const": "none" }] },
                "limit": { "type": "integer", "default": 50, "description": "How many." },
                "states": { "type": "array", "items": { "enum": ["open", "closed"] } },
            },
            "required": ["states"],
            "$defs": { "Field": {
                "type": "object",
                "properties": { "name": { "type": "string", "description": "Its name." } },
                "required": ["name"],
            } },
        },
    }));
    let expected = "<tool>
<name>search</name>
<description>Finds issues.</description>
<parameters>
all (boolean|null, optional)
by (object|none, optional)
  name (string, required): Its name.
limit (integer, optional, default 50): How many.
states ((open|closed)[], required)
</parameters>
</tool>
<tool>
<name>bare</name>
</tool>
";
    assert_eq!(render(&[tool, entry(&json!({ "name": "bare" }))]), expected);
    let two_lines = entry(&json!({ "name": "one</name>\n<tool>" }));
    assert_eq!(render(&[two_lines]), "<tool>\n<name>one</name>\\n<tool></name>\n</tool>\n");
}

#[test]
fn renders_all_forms_of_an_object_and_an_end_of_an_endless_one() {
    let tool = entry(&json!({
        "name": "draw",
        "inputSchema": {
            "properties": {
                "shape": { "oneOf": [
                    { "description": "Round.", "properties": { "radius": { "type": "number" } } },
                    { "properties": { "side": { "type": "number" } } },
                ] },
                "tree": { "$ref": "#/$defs/Tree" },
            },
            "$defs": { "Tree": {
                "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } } },
            } },
        },
    }));
    let text = render(&[tool]);
    let expected = "shape (object, optional)
  either: Round.
    radius (number, optional)
  or:
    side (number, optional)
tree (object, optional)
  children (object[], optional)
    children (object[], optional)
";
    assert!(text.contains(expected), "{text}");
    assert!(text.lines().count() < 220, "{text}");
}

/// Returns texts that are typical of lists of tools.
#[cfg(feature = "tokenizer")]
fn texts() -> Vec<String> {
    let schema = json!({
        "type": "object",
        "properties": {
            "jql": { "type": "string", "description": "A JQL query, such as `project = ABC AND status = Open`." },
            "max_results": { "type": "integer", "minimum": 1, "maximum": 100, "default": 50 },
            "fields": { "type": "array", "items": { "type": "string" }, "description": "Empty for all of them." },
            "order": { "type": "string", "enum": ["created", "updated", "priority"] },
        },
        "required": ["jql"],
        "additionalProperties": false,
    });
    let prose = "Searches issues and returns key, summary, status and assignee of each, newest first. Use it when the user \
                 wants to find issues by text, project, state or person; `get_issue` has everything about a single one.";
    let files = "Reads lines `from`–`to` of a UTF-8 file below the workspace (at most 2000 at a time) and returns them with \
                 their numbers. Fails with `not_found` if `path` doesn't exist.";
    vec![schema.to_string(), prose.into(), files.into(), add().input_schema().expect("one").to_string()]
}

#[cfg(feature = "tokenizer")]
#[test]
fn estimates_within_15_per_cent_of_the_exact_count() {
    for text in texts() {
        let (exact, estimate) = (Tokenizer::O200kBase.count(&text), Tokenizer::Estimate.count(&text));
        assert!(exact.abs_diff(estimate) * 100 <= exact * 15, "{estimate} for {exact}: {text}");
    }
}

#[cfg(feature = "tokenizer")]
#[test]
fn counts_exactly_where_it_can() {
    assert_eq!(Tokenizer::best(), Tokenizer::O200kBase);
    assert!(Tokenizer::best().is_exact());
    // "hello world" is two tokens of this encoding, one for each word.
    assert_eq!(Tokenizer::O200kBase.count("hello world"), 2);
    assert_eq!(Tokenizer::O200kBase.count("antidisestablishmentarianism"), 6);
}

#[cfg(not(feature = "tokenizer"))]
#[test]
fn says_that_an_estimate_is_one() {
    assert!(!Tokenizer::best().is_exact());
}
