//! Reads a line that a user typed as the value of a field.
//!
//! In: a line of text. Out: the value, checked against the field, or an error. Showing the field is the job
//! of the program with the terminal.

use serde_json::{Number, Value};

use super::check::{list, mismatch, one_of};
use super::one_line;
use super::{Choice, Field, FieldKind};

impl Field {
    /// Reads a line; surrounding white space is ignored. An empty line means the default, or no value if the
    /// field is optional.
    ///
    /// Booleans are `y`, `yes`, `true`, `n`, `no` or `false`. A choice is given by value, title or number
    /// from 1, tried in this order; several are separated by commas. Case is ignored, unless values differ
    /// only in case.
    ///
    /// # Errors
    /// Like [`Field::check`], with the line as the found value.
    pub fn read(&self, text: &str) -> Result<Option<Value>, String> {
        self.understood(text).map_err(one_line)
    }

    fn understood(&self, text: &str) -> Result<Option<Value>, String> {
        let text = text.trim();
        if text.is_empty() {
            return match self.default_value() {
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

    /// Reads several choices. The whole line may be one choice that contains a comma.
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

/// Reads a number. Unlike in JSON, `+5`, `.5` and `007` are accepted.
fn number(text: &str, integer: bool) -> Option<Value> {
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Some(whole.into());
    }
    let float = text.parse::<f64>().ok()?;
    // From 2^53 on, one float stands for several whole numbers.
    if integer && float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0 {
        return Some(Value::from(float as i64));
    }
    Number::from_f64(float).map(Value::Number)
}

/// Returns the value of the choice that `text` names; `None` if it fits two choices equally well.
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
