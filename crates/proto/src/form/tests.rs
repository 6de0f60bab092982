//! Tests of forms: parsing them, writing them, checking answers, and reading lines that a user has typed.

use serde_json::json;

use super::*;

/// Returns a form with one field, which is named `it`, is required and has the schema `it`.
fn form(it: Value) -> Form {
    let schema = json!({ "type": "object", "properties": { "it": it }, "required": ["it"] });
    Form::parse(&schema.to_string()).expect("a form")
}

fn written(form: &Form, revision: Revision) -> Value {
    let mut out = Vec::new();
    form.write(&mut out, revision).expect("supported");
    serde_json::from_slice(&out).expect("JSON")
}

/// Returns the five ways in which the conformance suite writes a choice, each with its name.
fn five_enums() -> [(&'static str, Value); 5] {
    let titled = json!([{ "const": "a", "title": "First" }, { "const": "b", "title": "Second" }]);
    [
        ("untitled single", json!({ "type": "string", "enum": ["a", "b"], "default": "a" })),
        ("titled single", json!({ "type": "string", "oneOf": titled, "default": "b" })),
        ("legacy", json!({ "type": "string", "enum": ["a", "b"], "enumNames": ["First", "Second"] })),
        (
            "untitled multi",
            json!({ "type": "array", "minItems": 1, "maxItems": 2, "items": { "type": "string", "enum": ["a", "b"] } }),
        ),
        ("titled multi", json!({ "type": "array", "items": { "anyOf": titled }, "default": ["a", "b"] })),
    ]
}

#[test]
fn keeps_every_form_of_choices_where_the_revision_has_it() {
    for (name, schema) in five_enums() {
        let form = form(schema.clone());
        for revision in Revision::ALL.into_iter().filter(|it| it.has(crate::revision::Feature::RicherForms)) {
            let wire = written(&form, revision);
            assert_eq!(wire["properties"]["it"], schema, "{name} in {revision}");
            assert_eq!(Form::parse(&wire.to_string()).as_ref(), Ok(&form), "{name} in {revision}");
        }
    }
}

#[test]
fn says_titles_the_old_way_to_the_revision_that_has_no_other() {
    let named = json!({ "type": "string", "enum": ["a", "b"], "enumNames": ["First", "Second"] });
    for (name, schema) in &five_enums()[1..3] {
        assert_eq!(
            written(&form(schema.clone()), Revision::V2025_06_18)["properties"]["it"],
            named,
            "{name}"
        );
    }
}

#[test]
fn refuses_a_multiple_choice_to_the_revision_that_has_none() {
    for (name, schema) in &five_enums()[3..] {
        let mut out = b"kept".to_vec();
        let error = form(schema.clone()).write(&mut out, Revision::V2025_06_18).expect_err(name);
        assert_eq!(
            error.to_string(),
            "expected `it` to be a string, number, boolean or single choice, which is all that 2025-06-18 has, but \
             found a multiple choice"
        );
        assert_eq!(out, b"kept", "nothing is written");
    }
}

#[test]
fn leaves_out_the_defaults_that_the_old_revision_does_not_have() {
    let schema = json!({
        "type": "object",
        "properties": {
            "b": { "type": "boolean", "default": true },
            "c": { "type": "string", "enum": ["x"], "default": "x" },
            "n": { "type": "number", "default": 1.5 },
            "s": { "type": "string", "default": "x" },
        },
    });
    let form = Form::parse(&schema.to_string()).expect("a form");
    assert_eq!(written(&form, Revision::V2025_11_25), schema);
    let old = written(&form, Revision::V2025_06_18);
    let with: Vec<_> =
        ["b", "c", "n", "s"].into_iter().filter(|it| !old["properties"][it]["default"].is_null()).collect();
    assert_eq!(with, ["b"]);
}

#[test]
fn titles_all_choices_where_one_has_a_title() {
    let wire = written(
        &form(json!({ "type": "string", "oneOf": [{ "const": "a", "title": "A" }, { "const": "b" }] })),
        Revision::NEWEST,
    );
    assert_eq!(
        wire["properties"]["it"]["oneOf"],
        json!([{ "const": "a", "title": "A" }, { "const": "b", "title": "b" }])
    );
}

#[test]
fn takes_what_stands_for_the_same() {
    let plain = |schema| form(schema).fields.remove(0);
    let choices = json!([{ "const": "a", "title": "A" }]);
    for (one, other) in [
        (
            json!({ "type": "array", "items": { "oneOf": choices } }),
            json!({ "type": "array", "items": { "anyOf": choices } }),
        ),
        (json!({ "enum": ["a"] }), json!({ "type": "string", "enum": ["a"] })),
        (json!({ "type": "string", "format": "hostname", "pattern": "x" }), json!({ "type": "string" })),
        (json!({ "type": "integer", "format": "int32" }), json!({ "type": "integer" })),
        (json!({ "type": "string", "minLength": 3.0 }), json!({ "type": "string", "minLength": 3 })),
        (json!({ "type": "string", "title": null, "default": null }), json!({ "type": "string" })),
    ] {
        assert_eq!(plain(one.clone()), plain(other), "{one}");
    }
}

#[test]
fn makes_a_field_optional_that_may_be_null() {
    for (nullable, kind) in [
        (json!({ "type": ["string", "null"] }), json!({ "type": "string" })),
        (
            json!({ "anyOf": [{ "type": "boolean" }, { "type": "null" }], "default": null }),
            json!({ "type": "boolean" }),
        ),
        (
            json!({ "type": ["string", "null"], "enum": ["a", null] }),
            json!({ "type": "string", "enum": ["a"] }),
        ),
    ] {
        let field = form(nullable.clone()).fields.remove(0);
        assert!(!field.required, "{nullable}");
        assert_eq!(field.kind, form(kind).fields.remove(0).kind, "{nullable}");
    }
}

#[test]
fn keeps_the_order_of_the_wire() {
    let form = Form::parse(
        r#"{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}},"required":["a","z"]}"#,
    );
    let form = form.expect("a form");
    assert_eq!(form.fields.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["z", "a"]);
    let mut out = Vec::new();
    form.write(&mut out, Revision::NEWEST).expect("supported");
    assert_eq!(
        String::from_utf8_lossy(&out),
        r#"{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}},"required":["z","a"]}"#
    );
}

#[test]
fn names_what_is_no_form_and_where() {
    let one = |schema: Value| json!({ "type": "object", "properties": { "it": schema } }).to_string();
    let kinds = "to be a string, number, boolean or choice, but found";
    for (schema, expected) in [
        ("[]".to_owned(), "expected `requestedSchema` to be an object, but found []".to_owned()),
        ("{}".to_owned(), "expected `type` to be \"object\", but found nothing".to_owned()),
        (
            r#"{"type":"object"}"#.to_owned(),
            "expected `properties` to be an object, but found nothing".to_owned(),
        ),
        (
            r#"{"type":"object","properties":{},"required":["x"]}"#.to_owned(),
            "expected `required` to name only properties, but found `x`".to_owned(),
        ),
        (
            r#"{"type":"object","properties":{},"required":[1]}"#.to_owned(),
            "expected `required` to be an array of strings, but found [1]".to_owned(),
        ),
        (
            r#"{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"string"}}}"#.to_owned(),
            "expected `properties` to have each name once, but found `a` twice".to_owned(),
        ),
        (
            one(json!({ "type": "object", "properties": {} })),
            format!("expected `properties.it` {kinds} an object"),
        ),
        (one(json!({ "type": "null" })), format!("expected `properties.it` {kinds} {{\"type\":\"null\"}}")),
        (one(json!(true)), format!("expected `properties.it` {kinds} true")),
        (one(json!({})), format!("expected `properties.it` {kinds} {{}}")),
        (
            one(json!({ "type": "array", "items": { "type": "string" } })),
            format!("expected `properties.it` {kinds} an array without choices"),
        ),
        (
            one(json!({ "oneOf": [{ "type": "object" }] })),
            format!("expected `properties.it` {kinds} one of several forms"),
        ),
        (
            one(json!({ "type": "string", "enum": ["a", 2] })),
            "expected `properties.it.enum[1]` to be a string, but found 2".to_owned(),
        ),
        (
            one(json!({ "type": "string", "oneOf": [{ "const": 2 }] })),
            "expected `properties.it.oneOf[0].const` to be a string, but found 2".to_owned(),
        ),
        (
            one(json!({ "type": "string", "enum": ["a", "b"], "enumNames": ["A"] })),
            "expected `properties.it.enumNames` to have 2 items, as `enum` has, but found 1".to_owned(),
        ),
        (
            one(json!({ "type": "string", "minLength": -1 })),
            "expected `properties.it.minLength` to be a whole number, but found -1".to_owned(),
        ),
        (
            one(json!({ "type": "number", "default": "x" })),
            "expected `properties.it.default` to be a number, but found \"x\"".to_owned(),
        ),
        (
            one(json!({ "type": "string", "title": 5 })),
            "expected `properties.it.title` to be a string, but found 5".to_owned(),
        ),
    ] {
        assert_eq!(Form::parse(&schema), Err(expected), "{schema}");
    }
}

#[test]
fn says_what_is_unreadable_in_an_object() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    for (inner, expected) in [(deep.as_str(), "recursion limit exceeded"), ("1e999", "number out of range")] {
        let schema = format!(r#"{{"type":"object","properties":{{"it":{{"minimum":{inner}}}}}}}"#);
        let error = Form::parse(&schema).expect_err(inner);
        assert!(error.starts_with("expected `properties` to be readable, but found: "), "{error}");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn shortens_the_names_that_strangers_choose() {
    let name = "n".repeat(10_000);
    let one = |schema: Value| {
        Form::parse(
            &json!({ "type": "object", "properties": { &*name: schema }, "required": [&*name] }).to_string(),
        )
    };
    let error = one(json!({})).expect_err("no type");
    assert!(error.len() < 200, "{error}");
    let form = one(json!({ "type": "boolean" })).expect("a form");
    let error = form.check(&Map::new()).expect_err("missing");
    assert!(error.len() < 200, "{error}");
}

#[test]
fn refuses_more_picks_than_there_are_choices() {
    let some = json!({ "type": "array", "items": { "enum": ["a", "b"] }, "maxItems": 9 });
    check(some.clone(), json!(["b", "a"]), Ok(()));
    check(some, json!(["a", "a", "a"]), Err("expected `it` to have at most 2 items, but found 3"));
}

#[test]
fn refuses_more_fields_than_anybody_fills_in() {
    let schema = |count: usize| {
        let fields: Map<_, _> = (0..count).map(|n| (n.to_string(), json!({ "type": "boolean" }))).collect();
        json!({ "type": "object", "properties": fields }).to_string()
    };
    assert!(Form::parse(&schema(Form::MAX_FIELDS)).is_ok());
    let error = Form::parse(&schema(Form::MAX_FIELDS + 1)).expect_err("too many");
    assert_eq!(error, "expected `properties` to have at most 100 fields, but found 101");
}

#[test]
fn refuses_a_form_of_more_than_a_mebibyte() {
    let schema = |bytes: usize| {
        let fixed = json!({ "type": "object", "properties": {}, "title": "" }).to_string();
        fixed.replace("\"\"", &format!("\"{}\"", "t".repeat(bytes - fixed.len())))
    };
    assert!(Form::parse(&schema(1 << 20)).is_ok());
    let error = Form::parse(&schema((1 << 20) + 1)).expect_err("too long");
    assert_eq!(error, "expected the schema of a form to have at most 1048576 bytes, but found 1048577");
}

#[test]
fn refuses_more_choices_than_anybody_reads() {
    let plain = |count: usize| json!({ "type": "string", "enum": (0..count).map(|n| n.to_string()).collect::<Vec<_>>() });
    let titled = |count: usize| json!({ "type": "array", "items": { "anyOf": (0..count).map(|n| json!({ "const": n.to_string() })).collect::<Vec<_>>() } });
    for (schema, path) in
        [(&plain as &dyn Fn(usize) -> Value, "properties.it.enum"), (&titled, "properties.it.items.anyOf")]
    {
        let parse = |count| {
            Form::parse(&json!({ "type": "object", "properties": { "it": schema(count) } }).to_string())
        };
        assert!(parse(Form::MAX_CHOICES).is_ok());
        let error = parse(Form::MAX_CHOICES + 1).expect_err("too many");
        assert_eq!(error, format!("expected `{path}` to have at most 1000 choices, but found 1001"));
    }
}

#[test]
fn takes_no_default_that_the_field_would_refuse() {
    for schema in [
        json!({ "type": "string", "format": "email", "default": "" }),
        json!({ "type": "integer", "minimum": 18, "default": 7 }),
        json!({ "type": "string", "enum": ["a"], "default": "b" }),
        json!({ "type": "array", "items": { "enum": ["a"] }, "default": ["b"] }),
    ] {
        assert_eq!(form(schema.clone()).fields[0].default_value(), None, "{schema}");
    }
}

#[track_caller]
fn check(schema: Value, value: Value, expected: Result<(), &str>) {
    let content = json!({ "it": value });
    let found = form(schema).check(content.as_object().expect("an object"));
    assert_eq!(found, expected.map_err(ToOwned::to_owned), "{content}");
}

#[test]
fn checks_numbers() {
    let age = json!({ "type": "integer", "minimum": 18, "maximum": 120 });
    check(age.clone(), json!(18), Ok(()));
    check(age.clone(), json!(30.0), Ok(()));
    check(age.clone(), json!(120), Ok(()));
    check(age.clone(), json!(7), Err("expected `it` to be at least 18, but found 7"));
    check(age.clone(), json!(121), Err("expected `it` to be at most 120, but found 121"));
    check(age.clone(), json!(30.5), Err("expected `it` to be an integer, but found 30.5"));
    check(age.clone(), json!("30"), Err("expected `it` to be an integer, but found \"30\""));
    check(age, json!(null), Err("expected `it` to be an integer, but found null"));
    check(
        json!({ "type": "number", "minimum": 0.5 }),
        json!(0.4),
        Err("expected `it` to be at least 0.5, but found 0.4"),
    );
    let large = json!({ "type": "integer", "maximum": 9_007_199_254_740_992_u64 });
    check(
        large,
        json!(9_007_199_254_740_993_u64),
        Err("expected `it` to be at most 9007199254740992, but found 9007199254740993"),
    );
}

#[test]
fn checks_text_in_characters() {
    let name = json!({ "type": "string", "minLength": 1, "maxLength": 3 });
    check(name.clone(), json!("äöü"), Ok(()));
    check(name.clone(), json!("abcd"), Err("expected `it` to have at most 3 characters, but found 4"));
    check(name.clone(), json!(""), Err("expected `it` to have at least 1 character, but found 0"));
    check(name, json!(5), Err("expected `it` to be a string, but found 5"));
    let mail = json!({ "type": "string", "format": "email" });
    check(mail.clone(), json!("a@b"), Ok(()));
    check(mail, json!("a"), Err("expected `it` to be an email address, but found \"a\""));
    let day = json!({ "type": "string", "format": "date" });
    check(
        day,
        json!("2026-02-29"),
        Err("expected `it` to be a date such as 2026-07-28, but found \"2026-02-29\""),
    );
}

#[test]
fn checks_choices() {
    let one = json!({ "type": "string", "oneOf": [{ "const": "a", "title": "First" }, { "const": "b", "title": "Second" }] });
    check(one.clone(), json!("b"), Ok(()));
    check(one.clone(), json!("First"), Err("expected `it` to be one of \"a\", \"b\", but found \"First\""));
    check(one, json!(["a"]), Err("expected `it` to be one of \"a\", \"b\", but found [\"a\"]"));
    let some = json!({ "type": "array", "items": { "enum": ["a", "b", "c"] }, "minItems": 1, "maxItems": 2 });
    check(some.clone(), json!(["c", "a"]), Ok(()));
    check(some.clone(), json!([]), Err("expected `it` to have at least 1 item, but found 0"));
    check(some.clone(), json!(["a", "b", "c"]), Err("expected `it` to have at most 2 items, but found 3"));
    check(
        some.clone(),
        json!(["a", "x"]),
        Err("expected `it[1]` to be one of \"a\", \"b\", \"c\", but found \"x\""),
    );
    check(
        some,
        json!("a"),
        Err("expected `it` to be an array with some of \"a\", \"b\", \"c\", but found \"a\""),
    );
    check(
        json!({ "type": "boolean" }),
        json!("yes"),
        Err("expected `it` to be a boolean, but found \"yes\""),
    );
}

#[test]
fn shortens_long_lists_of_choices() {
    let names: Vec<_> = (0..100).map(|n| format!("choice {n}")).collect();
    let error =
        form(json!({ "type": "string", "enum": names })).fields[0].check(&json!("x")).expect_err("unknown");
    assert!(
        error.chars().count() < 150 && error.contains("\"choice 1\", ") && error.contains('…'),
        "{error}"
    );
}

#[test]
fn names_what_is_missing_or_unknown() {
    let one = form(json!({ "type": "string" }));
    let content = |value: Value| value.as_object().cloned().expect("an object");
    assert_eq!(
        one.check(&content(json!({}))),
        Err("expected `it` to be a string, but found nothing".to_owned())
    );
    assert_eq!(
        one.check(&content(json!({ "it": "x", "that": 1 }))),
        Err("expected `content` to have only `it`, but found `that`".to_owned())
    );
    let none = Form::default();
    assert_eq!(none.check(&content(json!({}))), Ok(()));
    assert_eq!(
        none.check(&content(json!({ "a": 1 }))),
        Err("expected `content` to be empty, but found `a`".to_owned())
    );
    let mut optional = one;
    optional.fields[0].required = false;
    assert_eq!(optional.check(&content(json!({}))), Ok(()));
    assert_eq!(optional.check(&content(json!({ "it": null }))), Ok(()));
}

/// Returns the form that the conformance suite uses for SEP-1034 (default values).
fn defaults() -> Form {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "User name", "default": "John Doe" },
            "age": { "type": "integer", "description": "User age", "default": 30 },
            "score": { "type": "number", "description": "User score", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "description": "Verification status", "default": true },
        },
        "required": [],
    });
    Form::parse(&schema.to_string()).expect("a form")
}

#[test]
fn fills_in_the_defaults_of_every_kind() {
    let given = json!({ "age": 31, "score": null });
    let filled = defaults().with_defaults(given.as_object().cloned().expect("an object"));
    let expected =
        json!({ "name": "John Doe", "age": 31, "score": 95.5, "status": "active", "verified": true });
    assert_eq!(Value::from(filled), expected);
    let several = form(five_enums()[4].1.clone()).with_defaults(Map::new());
    assert_eq!(Value::from(several), json!({ "it": ["a", "b"] }));
}

#[track_caller]
fn typed(schema: Value, text: &str, expected: Result<Value, &str>) {
    let found = form(schema).fields[0].read(text);
    assert_eq!(found, expected.map(Some).map_err(ToOwned::to_owned), "{text:?}");
}

#[test]
fn reads_what_was_typed() {
    let yes_or_no = json!({ "type": "boolean" });
    for (text, value) in
        [("y", true), ("YES", true), (" true ", true), ("n", false), ("No", false), ("false", false)]
    {
        typed(yes_or_no.clone(), text, Ok(json!(value)));
    }
    typed(yes_or_no, "maybe", Err("expected `it` to be yes or no, but found \"maybe\""));
    let whole = json!({ "type": "integer", "minimum": 1 });
    typed(whole.clone(), "42", Ok(json!(42)));
    typed(whole.clone(), "+3.0", Ok(json!(3)));
    typed(whole.clone(), "18446744073709551615", Ok(json!(u64::MAX)));
    typed(whole.clone(), "0", Err("expected `it` to be at least 1, but found 0"));
    typed(whole.clone(), "3.5", Err("expected `it` to be an integer, but found 3.5"));
    typed(whole, "ten", Err("expected `it` to be an integer, but found \"ten\""));
    typed(json!({ "type": "number" }), "95.5", Ok(json!(95.5)));
    typed(json!({ "type": "number" }), "inf", Err("expected `it` to be a number, but found \"inf\""));
    typed(json!({ "type": "string" }), " Ada L. \n", Ok(json!("Ada L.")));
    typed(
        json!({ "type": "string", "maxLength": 2 }),
        "abc",
        Err("expected `it` to have at most 2 characters, but found 3"),
    );
}

#[test]
fn reads_choices_by_value_title_or_number() {
    let numbers = json!({ "type": "string", "enum": ["2", "1", "x"] });
    typed(numbers.clone(), "1", Ok(json!("1")));
    typed(numbers.clone(), "3", Ok(json!("x")));
    for text in ["0", "4", "-1", "y"] {
        let error = format!("expected `it` to be one of \"2\", \"1\", \"x\", but found {text:?}");
        typed(numbers.clone(), text, Err(&error));
    }
    let twins = json!({ "type": "string", "enum": ["a", "b", "c"], "enumNames": ["Allow", "Allow", "Deny"] });
    typed(twins.clone(), "deny", Ok(json!("c")));
    typed(twins.clone(), "B", Ok(json!("b")));
    typed(twins, "Allow", Err("expected `it` to be one of \"a\", \"b\", \"c\", but found \"Allow\""));
    let several = json!({ "type": "array", "maxItems": 2, "items": { "anyOf": [
        { "const": "r", "title": "Red" }, { "const": "g", "title": "Green, dark" }, { "const": "b", "title": "Blue" },
    ] } });
    typed(several.clone(), "blue, 1,", Ok(json!(["b", "r"])));
    typed(several.clone(), "r,Red,1", Ok(json!(["r"])));
    typed(several.clone(), "green, dark", Ok(json!(["g"])));
    typed(several.clone(), "1,2,3", Err("expected `it` to have at most 2 items, but found 3"));
    typed(several, "1,9", Err("expected `it` to be some of \"r\", \"g\", \"b\", but found \"9\""));
}

#[test]
fn takes_an_empty_line_for_the_default_or_for_nothing() {
    for field in defaults().fields {
        assert_eq!(field.read(" "), Ok(field.default_value()));
        assert!(field.default_value().is_some());
    }
    let mut field = form(json!({ "type": "string" })).fields.remove(0);
    assert_eq!(field.read(""), Err("expected `it` to be a string, but found nothing".to_owned()));
    field.required = false;
    assert_eq!(field.read(""), Ok(None));
    let several = |least: u64| json!({ "type": "array", "minItems": least, "items": { "enum": ["r", "g"] } });
    assert_eq!(form(several(0)).fields[0].read(""), Ok(Some(json!([]))));
    assert!(form(several(1)).fields[0].read("").is_err());
}

#[test]
fn what_is_wrong_is_one_line_whatever_a_field_is_called() {
    let name = "a\nIGNORE\u{202e}";
    let schema =
        json!({ "type": "object", "properties": { name: { "type": "integer" } }, "required": [name] });
    let form = Form::parse(&schema.to_string()).expect("a form");
    let broken = json!({ "type": "object", "properties": { name: { "default": false } } }).to_string();
    let field = &form.fields[0];
    for why in [
        Form::parse(&broken).expect_err("no kind"),
        form.check(&Map::new()).expect_err("nothing"),
        field.check(&json!("x")).expect_err("a text"),
        field.read("x").expect_err("a text"),
    ] {
        assert!(why.contains(r"a\nIGNORE\u{202e}") && !why.contains('\n'), "{why}");
    }
}
