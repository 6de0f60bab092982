//! Checks of the bounds of numbers, texts and lists.
//!
//! In: a value, and the keywords of its schema. Out: the first bound that it violates. Two whole numbers are
//! compared exactly, other numbers as `f64`.

use std::cmp::Ordering;
use std::collections::HashSet;

use plainwire_proto::json::{shorten, visible};
use serde_json::{Number, Value};

use super::format;
use super::wording::{Fault, MAX_NAME, beginning};
use crate::schema::{Keywords, Patterns};

/// Checks a value against the bounds in `keywords`, the members of `schema`. The bounds are the limits of
/// numbers and of the lengths of texts, lists and objects, and `multipleOf`, `uniqueItems`, `format` and
/// `pattern`.
pub(super) fn check<'s>(
    value: &Value,
    keywords: &Keywords,
    schema: &'s Value,
    patterns: &Patterns,
) -> Result<(), Fault<'s>> {
    let broken = match value {
        Value::Number(number) => {
            number_breaks(number, keywords).map(|expected| (expected, value.to_string()))
        }
        Value::String(text) => text_breaks(text, keywords, patterns),
        Value::Array(items) => items_break(items, keywords),
        Value::Object(members) => size(members.len(), "member", "Properties", keywords),
        _ => None,
    };
    match broken {
        Some((expected, found)) => Err(Fault::new(schema, expected, &found)),
        None => Ok(()),
    }
}

fn number_breaks(number: &Number, keywords: &Keywords) -> Option<String> {
    let bounds = [
        ("minimum", "at least", Ordering::Less, true),
        ("maximum", "at most", Ordering::Greater, true),
        ("exclusiveMinimum", "more than", Ordering::Less, false),
        ("exclusiveMaximum", "less than", Ordering::Greater, false),
    ];
    for (keyword, relation, beyond, inclusive) in bounds {
        let Some(Value::Number(bound)) = keywords.get(keyword) else { continue };
        let order = compare(number, bound);
        if order == beyond || (order == Ordering::Equal && !inclusive) {
            return Some(format!("be {relation} {}", written(bound)));
        }
    }
    match keywords.get("multipleOf") {
        Some(Value::Number(step)) if !is_multiple(number, step) => {
            Some(format!("be a multiple of {}", written(step)))
        }
        _ => None,
    }
}

/// Returns the value of a whole number, also of one that is written as `2.0`; `None` for other numbers.
pub(super) fn whole(number: &Number) -> Option<i128> {
    let float = || number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() < 9_007_199_254_740_992.0);
    (number.as_i64().map(i128::from))
        .or_else(|| number.as_u64().map(i128::from))
        .or_else(|| float().map(|n| n as i128))
}

fn compare(one: &Number, other: &Number) -> Ordering {
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => {
            let float = |number: &Number| number.as_f64().unwrap_or_default();
            float(one).total_cmp(&float(other))
        }
    }
}

/// Returns whether a number is a multiple of `step`. Exact for whole numbers. Other numbers may be off by a
/// billionth of a step, so that 0.3 is a multiple of 0.1.
fn is_multiple(number: &Number, step: &Number) -> bool {
    if let (Some(number), Some(step)) = (whole(number), whole(step)) {
        return step == 0 || number % step == 0;
    }
    let (number, step) = (number.as_f64().unwrap_or_default(), step.as_f64().unwrap_or_default());
    let count = number / step;
    step == 0.0 || (count - count.round()).abs() < 1e-9
}

/// Returns a bound as text: `100`, even if the schema has `100.0`.
fn written(bound: &Number) -> String {
    whole(bound).map_or_else(|| bound.to_string(), |whole| whole.to_string())
}

fn text_breaks(text: &str, keywords: &Keywords, patterns: &Patterns) -> Option<(String, String)> {
    let bounded = keywords.contains_key("minLength") || keywords.contains_key("maxLength");
    if bounded && let Some(broken) = size(text.chars().count(), "character", "Length", keywords) {
        return Some(broken);
    }
    let named = |keyword| keywords.get(keyword).and_then(Value::as_str);
    let expected = match (named("format").and_then(format::known), named("pattern")) {
        (Some(format), _) if !(format.fits)(text) => {
            format!("be {} such as {}", format.in_words, format.example)
        }
        (_, Some(pattern)) if !patterns.fits(pattern, text) => format!("match `{pattern}`"),
        _ => return None,
    };
    Some((expected, beginning(&Value::from(shorten(text)))))
}

fn items_break(items: &[Value], keywords: &Keywords) -> Option<(String, String)> {
    if let Some(broken) = size(items.len(), "item", "Items", keywords) {
        return Some(broken);
    }
    if keywords.get("uniqueItems") != Some(&Value::Bool(true)) {
        return None;
    }
    let mut seen = HashSet::new();
    let twice = items.iter().find(|item| !seen.insert(item.to_string()))?;
    // Shorter than other values, so that the word behind it is not cut off.
    let twice = visible(&beginning(twice), MAX_NAME - " twice…".len());
    Some(("have each item once".to_owned(), format!("{twice} twice")))
}

/// Checks a count against the keywords `min…` and `max…`, where `keyword` is the part behind `min` and `max`,
/// for example `Length`. Returns the expectation and the found count if the count is out of bounds.
fn size(count: usize, what: &str, keyword: &str, keywords: &Keywords) -> Option<(String, String)> {
    let count = count as u64;
    let bound = |side: &str| keywords.get(&format!("{side}{keyword}")).and_then(|it| whole(it.as_number()?));
    let expected = |relation: &str, bound: i128| {
        let plural = if bound == 1 { "" } else { "s" };
        (format!("have {relation} {bound} {what}{plural}"), count.to_string())
    };
    if let Some(least) = bound("min").filter(|least| i128::from(count) < *least) {
        return Some(expected("at least", least));
    }
    bound("max").filter(|most| i128::from(count) > *most).map(|most| expected("at most", most))
}
