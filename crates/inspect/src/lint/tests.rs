//! Tests of each rule with tools that break it and tools that do not, and of the form of findings.

use serde_json::{Value, json};

use super::*;

const GOOD: &str = "Finds issues by text and returns key and summary of each.";

fn tool(schema: &Value) -> Value {
    json!({ "name": "find_issues", "description": GOOD, "inputSchema": schema })
}

/// Returns a tool with one parameter, `it`, whose schema is `parameter`. Adds a description to the schema if
/// it has none.
fn taking(parameter: Value) -> Value {
    let mut parameter = parameter;
    if let Value::Object(it) = &mut parameter {
        it.entry("description").or_insert("What to look for.".into());
    }
    tool(&json!({ "type": "object", "properties": { "it": parameter } }))
}

fn described(description: &str) -> Value {
    let mut it = taking(json!({ "type": "string" }));
    it["description"] = description.into();
    it
}

fn named(name: &str) -> Value {
    let mut it = taking(json!({ "type": "string" }));
    it["name"] = name.into();
    it
}

/// Returns the tool `find_issues` with this `_meta`.
fn shown(meta: Value) -> Value {
    let mut it = named("find_issues");
    it["_meta"] = meta;
    it
}

fn found(tools: &[Value]) -> Vec<Finding> {
    check(&tools.iter().map(|it| Entry::read(&it.to_string())).collect::<Vec<_>>())
}

fn rules(tools: &[Value]) -> Vec<&'static str> {
    found(tools).iter().map(|it| it.rule).collect()
}

/// Several lists of tools. The linter checks each list by itself.
type Lists = Vec<Vec<Value>>;

/// Returns for each rule but `repeats-name`: its name, lists that break this rule and no other, and lists
/// that break no rule.
fn cases() -> Vec<(&'static str, Lists, Lists)> {
    let defs = |it: Value, definition: Value| json!({ "type": "object", "properties": { "it": it }, "$defs": { "It": definition } });
    let reference = json!({ "$ref": "#/$defs/It", "description": "What to look for." });
    let string = json!({ "type": "string", "description": "What to look for." });
    let deep = |levels: usize| {
        let nest =
            |inner, _| json!({ "type": "object", "properties": { "it": inner }, "description": "Inside." });
        (0..levels).fold(string.clone(), nest)
    };
    let many = |n: usize| {
        let all: serde_json::Map<_, _> = (0..n).map(|n| (format!("p{n}"), string.clone())).collect();
        tool(&json!({ "type": "object", "properties": all }))
    };
    let root = |keyword: &str| {
        let mut schema = json!({ "type": "object", "properties": { "it": string } });
        schema[keyword] = json!([{ "required": ["it"], "properties": { "it": true } }]);
        vec![tool(&schema)]
    };
    vec![
        (
            "missing-description",
            vec![
                vec![described("")],
                vec![json!({ "name": "a", "inputSchema": { "type": "object", "properties": {} } })],
            ],
            vec![vec![described(GOOD)]],
        ),
        (
            "short-description",
            vec![vec![described("Returns what is there by word, as it is")]],
            vec![vec![described("Returns what is there by words, as it is")]],
        ),
        (
            "no-result",
            vec![vec![described("Evaluates an expression with numbers and brackets.")]],
            vec![
                vec![described("Evaluates an expression with numbers. The result is text.")],
                vec![described("Lists everything that was changed since yesterday.")],
                vec![described("Berechnet einen Ausdruck mit Zahlen für größere Aufgaben.")],
            ],
        ),
        (
            "narrating-description",
            vec![
                vec![described("This tool returns the issues that contain a text.")],
                vec![described("A tool that returns the issues that contain a text.")],
                vec![described("Allows you to get the issues that contain a text.")],
            ],
            vec![vec![described("Returns the issues that this tool knows. Use it to find one.")]],
        ),
        (
            "long-description",
            vec![vec![described(&format!("Returns {}", "a".repeat(1_017)))]],
            vec![vec![described(&format!("Returns {}", "a".repeat(1_016)))]],
        ),
        (
            "undocumented-parameter",
            vec![vec![taking(json!({ "type": "string", "description": " " }))]],
            vec![
                vec![taking(json!({ "type": "string", "enum": ["open", "closed"], "description": "" }))],
                vec![taking(json!({ "type": "string", "description": "" , "enum": ["a"] }))],
            ],
        ),
        (
            "type-as-description",
            vec![
                vec![taking(json!({ "type": "string", "description": "A string." }))],
                vec![taking(json!({ "type": "string", "description": "Optional string parameter" }))],
                vec![taking(json!({ "type": "string", "description": "The list of strings." }))],
            ],
            vec![vec![taking(
                json!({ "type": "string", "description": "A string that stands in the summary." }),
            )]],
        ),
        ("missing-name", vec![vec![named("")]], vec![vec![named("a")]]),
        (
            "duplicate-name",
            vec![vec![named("a"), named("b"), named("a")]],
            vec![vec![named("a"), named("b")]],
        ),
        (
            "similar-name",
            vec![vec![named("get_issue"), named("getIssue")], vec![named("a-b"), named("a_b")]],
            vec![vec![named("get_issue"), named("get_issues")]],
        ),
        (
            "tool-name",
            vec![vec![named("issues.find")], vec![named("find issues")], vec![named("fünf")]],
            vec![vec![named("Find-issues_2")], vec![named(&"a".repeat(50))]],
        ),
        ("tool-name-start", vec![vec![named("2nd")], vec![named("-a")]], vec![vec![named("_2")]]),
        ("long-tool-name", vec![vec![named(&"a".repeat(51))]], vec![vec![named(&"a".repeat(50))]]),
        (
            "root-not-object",
            vec![
                vec![json!({ "name": "a", "description": GOOD })],
                vec![tool(&json!({ "properties": {} }))],
                vec![tool(&json!({ "type": "string" }))],
            ],
            vec![vec![tool(&json!({ "type": "object", "properties": {} }))]],
        ),
        ("root-combinator", vec![root("anyOf")], vec![root("examples")]),
        (
            "missing-properties",
            vec![vec![tool(&json!({ "type": "object" }))]],
            vec![vec![tool(&json!({ "type": "object", "properties": {} }))]],
        ),
        (
            "not-a-schema",
            vec![
                vec![taking(json!({ "type": "text" }))],
                vec![taking(json!({ "type": "object", "properties": { "x": "number" } }))],
            ],
            vec![vec![taking(
                json!({ "type": "object", "properties": { "type": { "type": "number" }, "any": true } }),
            )]],
        ),
        (
            "property-name",
            vec![vec![tool(&json!({ "type": "object", "properties": { "filter[id]": string } }))]],
            vec![
                vec![tool(&json!({ "type": "object", "properties": { "filter.id-1_a": string } }))],
                vec![taking(json!({ "type": "object", "properties": { "$top": string } }))],
            ],
        ),
        (
            "array-items",
            vec![vec![taking(json!({ "type": "array" }))]],
            vec![vec![taking(json!({ "type": "array", "items": { "type": "string" } }))]],
        ),
        (
            "dangling-reference",
            vec![vec![tool(&defs(
                json!({ "$ref": "#/$defs/That", "description": "Which one." }),
                json!({}),
            ))]],
            vec![vec![taking(json!({ "type": "object", "properties": { "$ref": string } }))]],
        ),
        (
            "reference",
            vec![
                vec![tool(&defs(reference.clone(), json!({ "type": "string" })))],
                vec![taking(json!({ "$ref": "https://example.com/issue" }))],
            ],
            vec![vec![tool(&defs(string.clone(), json!({ "type": "string" })))]],
        ),
        (
            "recursive-reference",
            vec![vec![tool(&defs(
                reference.clone(),
                json!({ "type": "object", "properties": { "next": { "$ref": "#/$defs/It" } } }),
            ))]],
            vec![vec![tool(&defs(string.clone(), json!({ "type": "string" })))]],
        ),
        (
            "union",
            vec![
                vec![taking(json!({ "anyOf": [has("a", string.clone()), has("b", string.clone())] }))],
                // Wherever it stands.
                vec![taking(
                    json!({ "type": "array", "items": { "anyOf": [has("a", string.clone()), has("b", string.clone())] } }),
                )],
            ],
            vec![
                vec![taking(json!({ "anyOf": [has("a", string.clone()), { "type": "null" }] }))],
                vec![taking(json!({ "anyOf": [has("by", one_of("id")), has("by", one_of("name"))] }))],
            ],
        ),
        (
            "limit-in-words",
            vec![
                vec![taking(json!({ "type": "integer", "description": "How many, at most 100." }))],
                vec![taking(json!({ "type": "string", "description": "A name of up to 1,000 letters." }))],
                vec![taking(json!({ "type": "number", "description": "A share between 0 and 1." }))],
            ],
            vec![
                vec![taking(
                    json!({ "type": "integer", "description": "How many, at most 100.", "maximum": 100 }),
                )],
                vec![taking(json!({ "type": "string", "description": "At most one word." }))],
            ],
        ),
        (
            "required-unknown",
            vec![vec![tool(
                &json!({ "type": "object", "properties": { "it": string }, "required": ["that"] }),
            )]],
            vec![vec![tool(
                &json!({ "type": "object", "properties": { "it": string }, "required": ["it"] }),
            )]],
        ),
        (
            "type-list",
            vec![vec![taking(json!({ "type": ["string", "null"] }))]],
            vec![vec![taking(json!({ "type": "string" }))]],
        ),
        (
            "format",
            vec![
                vec![taking(json!({ "type": "string", "format": "uri" }))],
                vec![taking(json!({ "type": "integer", "format": "uint32" }))],
            ],
            vec![
                vec![taking(json!({ "type": "string", "format": "date-time" }))],
                vec![taking(json!({ "type": "number", "format": "double" }))],
            ],
        ),
        (
            "enum-type",
            vec![
                vec![taking(json!({ "type": "integer", "enum": [1, 2] }))],
                vec![taking(json!({ "enum": ["a"] }))],
            ],
            vec![vec![taking(json!({ "type": "string", "enum": ["a"] }))]],
        ),
        (
            "keyword",
            vec![vec![taking(json!({ "type": "integer", "exclusiveMinimum": 0 }))]],
            vec![vec![taking(
                json!({ "type": "object", "properties": { "const": string, "minimum": string } }),
            )]],
        ),
        (
            "empty-object",
            vec![vec![taking(json!({ "type": "object", "additionalProperties": { "type": "string" } }))]],
            vec![vec![tool(&json!({ "type": "object", "properties": {} }))]],
        ),
        (
            "deep-schema",
            vec![vec![tool(&json!({ "type": "object", "properties": { "it": deep(10) } }))]],
            vec![vec![tool(&json!({ "type": "object", "properties": { "it": deep(9) } }))]],
        ),
        ("many-properties", vec![vec![many(5_001)]], vec![vec![many(5_000)]]),
        (
            "page-uri",
            vec![
                vec![shown(json!({ "ui": { "resourceUri": "https://a.example" } }))],
                vec![shown(json!({ "ui": { "resourceUri": 5 } }))],
                vec![shown(json!({ "ui/resourceUri": "ui://" }))],
            ],
            vec![
                vec![shown(json!({ "ui": { "resourceUri": "ui://a" }, "ui/resourceUri": "ui://a" }))],
                vec![shown(json!({ "ui": { "visibility": ["app"] } }))],
            ],
        ),
        (
            "page-settings",
            vec![
                vec![shown(json!({ "ui": { "resourceUri": "ui://a", "csp": {} } }))],
                vec![shown(json!({ "ui": { "permissions": {}, "prefersBorder": true } }))],
            ],
            vec![vec![shown(json!({ "csp": {} }))], vec![shown(json!({ "ui": "csp" }))]],
        ),
    ]
}

fn has(name: &str, schema: Value) -> Value {
    json!({ "type": "object", "properties": { name: schema } })
}

fn one_of(value: &str) -> Value {
    json!({ "type": "string", "enum": [value], "description": "By what." })
}

#[test]
fn finds_what_breaks_a_rule_and_nothing_else() {
    for (rule, bad, good) in cases() {
        for tools in bad {
            assert_eq!(rules(&tools), [rule], "{tools:?}");
        }
        for tools in good {
            assert_eq!(rules(&tools), [""; 0], "{rule}: {tools:?}");
        }
    }
}

#[test]
fn has_an_example_for_each_rule() {
    // A description that repeats the name always breaks other rules too, so `cases` has no list that breaks
    // only this rule.
    let alone: Vec<_> = cases().into_iter().map(|(rule, ..)| rule).collect();
    let missing: Vec<_> = RULES.iter().map(|it| it.name).filter(|it| !alone.contains(it)).collect();
    assert_eq!(missing, ["repeats-name"]);
}

#[test]
fn finds_descriptions_that_only_repeat_the_name() {
    for (name, description, repeats) in [
        ("get_issue", "Gets an issue.", true),
        ("listProjects", "List projects", true),
        ("create-page", "Creates a page", true),
        ("get_issue", "Gets an issue by its key.", false),
        ("get_issue", "", false),
    ] {
        let mut it = named(name);
        it["description"] = description.into();
        assert_eq!(rules(&[it]).contains(&"repeats-name"), repeats, "{name}: {description}");
    }
}

#[test]
fn sees_descriptions_and_enums_behind_a_reference() {
    for (definition, is_explained) in [
        (json!({ "type": "string", "description": "Which one." }), true),
        (json!({ "type": "string", "enum": ["a", "b"] }), true),
        (json!({ "type": "string" }), false),
    ] {
        let parameter = json!({ "$ref": "#/$defs/It" });
        let schema =
            json!({ "type": "object", "properties": { "it": parameter }, "$defs": { "It": definition } });
        let is_found = rules(&[tool(&schema)]).contains(&"undocumented-parameter");
        assert_eq!(!is_found, is_explained, "{definition}");
    }
    let optional =
        json!({ "anyOf": [{ "enum": ["a"], "type": "string" }, { "type": "null" }], "description": "" });
    assert_eq!(rules(&[taking(optional)]), [""; 0]);
}

#[test]
fn tells_circles_from_references_that_meet() {
    let schema = |a: Value, b: Value| {
        let it = json!({ "$ref": "#/$defs/A", "description": "What to look for." });
        tool(&json!({ "type": "object", "properties": { "it": it }, "$defs": { "A": a, "B": b } }))
    };
    let to = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    let (a, b) = (to("B"), json!({ "type": "array", "items": to("A") }));
    assert_eq!(rules(&[schema(a, b)]), ["recursive-reference"]);
    let twice = json!({ "type": "object", "properties": { "a": to("B"), "b": to("B") } });
    let found = found(&[schema(twice, json!({ "type": "string" }))]);
    assert_eq!(found.len(), 1);
    assert!(found[0].message.ends_with("\"#/$defs/B\" (and in 2 more places)"), "{found:?}");
}

#[test]
fn follows_no_more_references_than_the_limit() {
    let it = json!({ "$ref": "#/$defs/D0", "description": "What to look for." });
    let found = |next: &dyn Fn(usize) -> usize, n: usize| {
        let to = |at| json!({ "$ref": format!("#/$defs/D{}", next(at)) });
        let defs: serde_json::Map<_, _> = (0..n).map(|at| (format!("D{at}"), to(at))).collect();
        let all = json!({ "type": "object", "properties": { "it": it }, "$defs": defs });
        rules(&[tool(&all)])
    };
    let circle = |n: usize| move |at: usize| (at + 1) % n;
    assert_eq!(found(&circle(256), 256), ["recursive-reference"]);
    assert_eq!(found(&circle(300), 300), ["reference"], "longer than what is followed");
    assert_eq!(found(&|at| at, 256), ["recursive-reference"]);
    assert_eq!(found(&|at| at, 257), ["reference", "recursive-reference"], "one more than are followed");
}

#[test]
fn counts_the_characters_of_names() {
    for (length, is_too_long) in [(64, false), (65, true)] {
        let name = "a".repeat(length);
        assert_eq!(rules(&[named(&name)]).contains(&"tool-name"), is_too_long, "{length}");
        let parameter = json!({ "type": "string", "description": "What to look for." });
        let schema = json!({ "type": "object", "properties": { name: parameter } });
        assert_eq!(rules(&[tool(&schema)]).contains(&"property-name"), is_too_long, "{length}");
    }
}

#[test]
fn says_what_where_for_whom_and_what_to_do() {
    let parameter = |format: &str| json!({ "type": "string", "format": format, "description": "When." });
    let schema =
        json!({ "type": "object", "properties": { "a": parameter("date"), "b": parameter("time") } });
    let found = found(&[tool(&schema)]);
    let [finding] = &found[..] else { panic!("one: {found:?}") };
    assert_eq!(
        (&*finding.tool, finding.rule, finding.severity),
        ("find_issues", "format", Severity::Warning)
    );
    assert_eq!(finding.place, "inputSchema.properties.a");
    assert_eq!(
        finding.message,
        r#"expected "date-time" or "enum" as format, but found "date" (and in one more place)"#
    );
    assert!(finding.concerns(Client::Gemini) && !finding.concerns(Client::Claude));
    assert_eq!(serde_json::to_value(finding).expect("JSON")["where"], "inputSchema.properties.a");
    assert!(Severity::Error > Severity::Warning && Severity::Warning > Severity::Note);
}

#[test]
fn takes_a_list_of_nonsense() {
    for json in [
        "",
        "[]",
        "{}",
        r#"{"name":1,"inputSchema":[]}"#,
        r#"{"inputSchema":{"properties":[1],"required":{}}}"#,
    ] {
        let found = check(&[Entry::read(json)]);
        assert!(found.iter().any(|it| it.rule == "missing-name"), "{json}: {found:?}");
    }
}
