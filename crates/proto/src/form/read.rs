//! Converts a line that a user typed into the value of a field.
//!
//! In: a line of text. Out: the value, checked against the field, or an error. The program that has the
//! terminal shows the field to the user.

use serde_json::{Number, Value};

use super::check::{list, mismatch, one_of};
use super::one_line;
use super::{Choice, Field, FieldKind};

impl Field {
    /// Converts a typed line; surrounding white space is ignored. An empty line means the default. Without a
    /// default, it means no value for an optional field, and is an error for a required one, except for a required
    /// multiple choice that may be empty: there it means none of the choices.
    ///
    /// Booleans are `y`, `yes`, `true`, `n`, `no` or `false`. A choice is given by its value, its title or
    /// its number, counted from 1; they are tried in this order. Several choices are separated by commas.
    /// Case is ignored, unless two choices differ only in case.
    ///
    /// # Errors
    /// Like [`Field::check`]; also for a line that has no value of the field's type, and for an empty line if
    /// a value is required.
    pub fn read(&self, text: &str) -> Result<Option<Value>, String> {
        self.understood(text).map_err(one_line)
    }

    fn understood(&self, text: &str) -> Result<Option<Value>, String> {
        let text = text.trim();
        if text.is_empty() {
            return match self.default_value() {
                None if self.required && self.may_be_none() => Ok(Some(Value::Array(Vec::new()))),
                None if self.required => Err(self.missing()),
                default => Ok(default),
            };
        }
        let value = match &self.kind {
            FieldKind::Boolean { .. } => boolean(text).ok_or("yes or no".to_owned()),
            FieldKind::MultiSelect { choices, .. } => return self.read_several(text, choices).map(Some),
            FieldKind::Number { integer, .. } => {
                number(text, *integer).ok_or(if *integer { "an integer" } else { "a number" }.to_owned())
            }
            FieldKind::SingleSelect { choices, .. } => {
                pick(text, choices).map(Value::from).ok_or_else(|| one_of(choices))
            }
            FieldKind::Text { .. } => Ok(Value::from(text)),
        };
        let value = value.map_err(|expected| mismatch(&self.path(), &expected, &Value::from(text)))?;
        self.check(&value).map(|()| Some(value))
    }

    /// Returns whether the field is a multiple choice that accepts an answer without a choice.
    pub fn may_be_none(&self) -> bool {
        matches!(&self.kind, FieldKind::MultiSelect { min_items, .. } if min_items.is_none_or(|least| least == 0))
    }

    /// Converts a line with several choices. A line that is itself one choice is not split at its commas.
    fn read_several(&self, text: &str, choices: &[Choice]) -> Result<Value, String> {
        let mut picked = Vec::new();
        let parts = if pick(text, choices).is_some() { vec![text] } else { text.split(',').collect() };
        for part in parts.into_iter().map(str::trim).filter(|part| !part.is_empty()) {
            let Some(value) = pick(part, choices) else {
                return Err(mismatch(&self.path(), &format!("some of {}", list(choices)), &part.into()));
            };
            if !picked.contains(&value) {
                picked.push(value);
            }
        }
        let value = Value::from(picked);
        self.check(&value).map(|()| value)
    }
}

fn boolean(text: &str) -> Option<Value> {
    match text.to_lowercase().as_str() {
        "y" | "yes" | "true" => Some(Value::Bool(true)),
        "n" | "no" | "false" => Some(Value::Bool(false)),
        _ => None,
    }
}

/// Parses a number. Unlike in JSON, `+5`, `.5` and `007` are accepted. With `integer`, a whole number below
/// 2^53 that is written with a fraction or exponent, such as `3.0`, becomes an integer.
fn number(text: &str, integer: bool) -> Option<Value> {
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Some(whole.into());
    }
    let float = text.parse::<f64>().ok()?;
    // From 2^53 on, one float stands for several whole numbers, so it is not converted to one of them.
    if integer && float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0 {
        return Some(Value::from(float as i64));
    }
    Number::from_f64(float).map(Value::Number)
}

/// Returns the value of the choice that `text` selects; `None` if it selects none, or fits two equally well.
fn pick<'c>(text: &str, choices: &'c [Choice]) -> Option<&'c str> {
    let lower = text.to_lowercase();
    let exact = choices.iter().find(|choice| choice.value == text);
    let found = exact
        .or_else(|| the_only(choices, |choice| choice.value.to_lowercase() == lower))
        .or_else(|| the_only(choices, |choice| choice.label().to_lowercase() == lower))
        .or_else(|| choices.get(text.parse::<usize>().ok()?.checked_sub(1)?));
    found.map(|choice| choice.value.as_str())
}

fn the_only(choices: &[Choice], fits: impl Fn(&Choice) -> bool) -> Option<&Choice> {
    let mut found = choices.iter().filter(|choice| fits(choice));
    found.next().filter(|_| found.next().is_none())
}
