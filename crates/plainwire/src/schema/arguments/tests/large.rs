//! Tests of arguments with many values, and with large ones.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::super::*;

#[test]
fn arguments_of_very_many_values_are_not_parsed_into_a_tree() {
    let schema = InputSchema::of::<OneText>();
    let list = |values: usize| format!("[{}0]", "0,".repeat(values - 1));
    // The object, the list and its values.
    let (most, over) = (list(MAX_VALUES - 2), list(MAX_VALUES - 1));
    assert!(
        !has_too_many_values(&format!("{{\"a\":{most}}}"))
            && has_too_many_values(&format!("{{\"a\":{over}}}"))
    );
    let refused = |text: &str| read::<OneText>(text, &schema).map(drop).expect_err("a list").0;
    assert!(refused(&format!(r#"{{"text":{most}}}"#)).contains("expected `arguments.text` to be a string"));
    let said = refused(&format!(r#"{{"text":{over}}}"#));
    assert!(said.starts_with("expected `arguments` to fit, but found: invalid type: sequence"), "{said}");
    let said = refused(&format!(r#"{{"text":"a","more":{over}}}"#));
    assert!(said.contains("`more`"), "{said}");
    // Commas within text are no values.
    let long = format!(r#"{{"text":"{}\",["}}"#, ",".repeat(3 * MAX_VALUES));
    assert!(read::<OneText>(&long, &schema).is_ok());
    // JSON within text is not read either.
    assert!(within_text(&over).is_some() && within_text(&list(MAX_VALUES + 1)).is_none());
}

/// A type with a text.
#[derive(Debug, Deserialize, JsonSchema)]
struct OneText {
    #[expect(dead_code, reason = "only read from JSON")]
    text: String,
}

#[test]
fn of_a_large_value_only_the_beginning_is_written() {
    let text = Value::from("é".repeat(1_000_000));
    let list = Value::from(vec![1; 100_000]);
    for (value, start) in [(&text, "\"éé"), (&list, "[1,1,")] {
        let beginning = wording::beginning(value);
        assert!(beginning.starts_with(start) && (600..=650).contains(&beginning.len()), "{beginning}");
    }
    assert_eq!(wording::beginning(&json!({ "a": [1, "b"] })), r#"{"a":[1,"b"]}"#);
}

#[test]
fn the_first_of_very_many_names_is_reported_without_a_tree() {
    let schema = InputSchema::of::<()>();
    let refused = |text: &str| refuse_any(text, &schema).map_err(|Rejected(why)| why);
    assert!(refused(r#"{"b":[0],"a":1}"#).expect_err("a name").contains("`b`"));
    assert_eq!((refused("{}"), refused("[1]"), refused("null")), (Ok(()), Ok(()), Ok(())));
}

#[test]
fn a_long_item_that_is_there_twice_is_cut_before_the_word_that_says_so() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "array", "uniqueItems": true } } });
    let schema = InputSchema::by_hand(serde_json::value::to_raw_value(&schema).expect("JSON"));
    let long = "x".repeat(200);
    let refused = fits(&json!({ "a": [long, long] }).to_string(), &schema).expect_err("an item twice").0;
    assert!(refused.contains("xx… twice"), "{refused}");
}
