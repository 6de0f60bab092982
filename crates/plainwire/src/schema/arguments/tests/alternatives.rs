//! Tests of alternatives: tags, variants, constants, and their limits.

use super::*;

#[test]
fn goes_by_the_tag_of_an_enum_and_ends_on_deep_ones() {
    let num = r#"{"op":"num","value":1}"#;
    let mut wrong = r#"{"op":"num","value":"x"}"#.to_owned();
    for _ in 0..30 {
        wrong = format!(r#"{{"op":"mul","left":{wrong},"right":{num}}}"#);
    }
    let message = evaluate(&format!(r#"{{"expr":{wrong}}}"#)).expect_err("a text is no number");
    let path = format!(
        "expected `arguments.expr{}.value` to be a number, but found \"x\"; 1 would fit",
        ".left".repeat(30)
    );
    assert_eq!(message, path);
    let missing = evaluate(r#"{"expr":{"op":"num"}}"#).expect_err("no value");
    assert_eq!(missing, "expected `arguments.expr.value` to be a number, but found nothing; 1 would fit");
}

#[test]
fn names_the_tag_that_no_form_has() {
    let unknown = evaluate(r#"{"expr":{"op":"mull","left":1,"right":2}}"#).expect_err("an unknown tag");
    let tags = r#"expected `arguments.expr.op` to be one of "add", "mul", "num", but found"#;
    assert_eq!(unknown, format!(r#"{tags} "mull"; "mul" would fit"#));
    let none = evaluate(r#"{"expr":{"left":1}}"#).expect_err("no tag");
    assert_eq!(none, format!(r#"{tags} nothing; "add" would fit"#));
}

#[test]
fn names_the_variants_of_an_enum_with_data() {
    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    struct Marked {
        mark: Mark,
    }
    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    enum Mark {
        At(u32),
        None,
        Text { text: String },
    }
    let fault = |json: &str| crate::schema::read::<Marked>(json).expect_err("no such variant").0;
    let forms = r#"expected `arguments.mark` to be one of "None", {"At": …}, {"Text": …}, but found"#;
    for wrong in [r#"{"mark":{"Zone":1}}"#, r#"{"mark":"Nun"}"#] {
        assert!(fault(wrong).starts_with(forms), "{}", fault(wrong));
    }
}

#[test]
fn the_comparisons_of_many_empty_texts_are_limited_together() {
    // An empty text fits none of 2 × 2 × 2 × 2 × 2 alternatives.
    let member = (0..5).fold(json!({ "minLength": 1 }), |inner, _| json!({ "anyOf": [inner, inner] }));
    let items = json!({ "type": "object", "properties": { "a": member } });
    let schema = json!({ "type": "object", "properties": { "it": { "type": "array", "items": items } } });
    let schema = InputSchema::by_hand(schema.into_schema().expect("JSON"));
    let all = |count| json!({ "it": vec![json!({ "a": "" }); count] }).to_string();
    assert_eq!(read(&all(2), &schema), Ok(json!({ "it": [{}, {}] })));
    let said = read::<Value>(&all(20_000), &schema).map(drop).expect_err("too many").0;
    assert!(said.ends_with("within 100000 steps (limit `steps`), but found more"), "{said}");
}

#[test]
fn stops_comparing_alternatives_that_multiply() {
    let form = json!({ "type": "object", "properties": { "l": { "$ref": "#/$defs/t" } }, "required": ["l"] });
    let schema = json!({
        "type": "object",
        "properties": { "t": { "$ref": "#/$defs/t" } },
        "$defs": { "t": { "anyOf": [form, form, { "type": "number" }] } },
    });
    let schema = InputSchema::by_hand(schema.into_schema().expect("JSON"));
    let mut value = Value::from("x");
    for _ in 0..60 {
        value = json!({ "l": value });
    }
    let mut check = Check::new(&schema);
    // A full check of these arguments would take two to the sixtieth comparisons.
    let fault = check.value(&mut json!({ "t": value }), &schema.value).expect_err("no verdict");
    assert!(fault.text(None).contains("within 100000 steps (limit `steps`)"), "{fault:?}");
    assert_eq!(check.steps, 0);
}

#[test]
fn lists_the_values_of_an_enum_with_descriptions() {
    let wrong = evaluate(r#"{"expr":{"op":"num","value":1},"kind":"Three"}"#).expect_err("no such kind");
    assert_eq!(
        wrong,
        "expected `arguments.kind` to be one of \"One\", \"Two\", but found \"Three\"; \"One\" would fit"
    );
}

#[test]
fn goes_by_the_tag_in_text_too() {
    let said = evaluate(r#"{"expr":"{\"op\":\"num\",\"value\":\"x\"}"}"#).expect_err("a text is no number");
    assert_eq!(said, "expected `arguments.expr.value` to be a number, but found \"x\"; 1 would fit");
}

#[test]
fn a_bound_in_an_enum_holds_behind_many_that_fit() {
    let schema = InputSchema::of::<Ops>();
    for (good, count) in [(json!({ "Move": { "x": 1 } }), 10_000), (json!("Stop"), 51_000)] {
        let mut ops = vec![good; count];
        assert!(read::<Ops>(&json!({ "ops": ops }).to_string(), &schema).is_ok());
        ops.push(json!({ "Move": { "x": 4_000_000 } }));
        let said = read::<Ops>(&json!({ "ops": ops }).to_string(), &schema).expect_err("too far").0;
        let expected = format!(
            "expected `arguments.ops[{count}].Move.x` to be at most 9, but found 4000000; 9 would fit"
        );
        assert_eq!(said, expected);
    }
}

#[test]
fn what_would_take_too_many_comparisons_is_refused() {
    let form = |most: u32| json!({ "type": "object", "properties": { "a": { "maximum": most } } });
    let items = json!({ "anyOf": [form(9), form(8)] });
    let schema = json!({ "type": "object", "properties": { "it": { "type": "array", "items": items } } });
    let schema = InputSchema::by_hand(schema.into_schema().expect("JSON"));
    let mut list = vec![json!({ "a": 1 }); 60_000];
    list.push(json!({ "a": 10 }));
    let said = read::<Value>(&json!({ "it": list }).to_string(), &schema).expect_err("too many").0;
    assert!(said.ends_with("within 100000 steps (limit `steps`), but found more"), "{said}");
}
