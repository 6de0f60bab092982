//! Checks that an answer fits its form.
//!
//! In: a form and the `content` of an answer. Out: nothing, or the first error in the answer. The answer is
//! not changed.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::{Choice, Field, FieldKind, Form, one_line};
use crate::json::shorten;

impl Form {
    /// Checks `content`, an answer to this form. For optional fields, null counts as absent, as in tool
    /// arguments.
    ///
    /// # Errors
    /// For a required field that is missing, a member that is not a field, and a value that does not fit its
    /// field, such as ``expected `age` to be at least 18, but found 7``.
    pub fn check(&self, content: &Map<String, Value>) -> Result<(), String> {
        self.checked(content).map_err(one_line)
    }

    fn checked(&self, content: &Map<String, Value>) -> Result<(), String> {
        for field in &self.fields {
            match content.get(&field.name) {
                None if field.required => return Err(field.missing()),
                None => {}
                Some(Value::Null) if !field.required => {}
                Some(value) => field.checked(value)?,
            }
        }
        let known = |name: &String| self.fields.iter().any(|field| field.name == *name);
        match content.keys().find(|name| !known(name)) {
            Some(unknown) => Err(self.unknown(unknown)),
            None => Ok(()),
        }
    }

    fn unknown(&self, name: &str) -> String {
        let name = shorten(name);
        if self.fields.is_empty() {
            return format!("expected `content` to be empty, but found `{name}`");
        }
        let known: Vec<_> = self.fields.iter().map(|field| format!("`{}`", field.name)).collect();
        format!("expected `content` to have only {}, but found `{name}`", shorten(&known.join(", ")))
    }
}

impl Field {
    /// Checks that `value` fits this field.
    ///
    /// # Errors
    /// If it does not fit. The text says what was expected and what was found.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        self.checked(value).map_err(one_line)
    }

    fn checked(&self, value: &Value) -> Result<(), String> {
        match (&self.kind, value) {
            (FieldKind::Boolean { .. }, Value::Bool(_)) => Ok(()),
            (FieldKind::MultiSelect { choices, min_items, max_items, .. }, Value::Array(items)) => {
                // An answer with more items than choices repeats a choice, so it is refused; this also limits
                // the number of comparisons below.
                let all = choices.len() as u64;
                let most = max_items.map_or(all, |most| most.min(all));
                self.size(items.len() as u64, "item", *min_items, Some(most))?;
                match items.iter().enumerate().find(|(_, item)| !is_choice(choices, item)) {
                    Some((n, item)) => {
                        Err(mismatch(&format!("{}[{n}]", self.path()), &one_of(choices), item))
                    }
                    None => Ok(()),
                }
            }
            (FieldKind::Number { integer, minimum, maximum, .. }, Value::Number(n))
                if !integer || is_whole(n) =>
            {
                self.range(n, minimum.as_ref(), maximum.as_ref())
            }
            (FieldKind::SingleSelect { choices, .. }, value) if is_choice(choices, value) => Ok(()),
            (FieldKind::Text { min_length, max_length, format, .. }, Value::String(text)) => {
                self.size(text.chars().count() as u64, "character", *min_length, *max_length)?;
                match format {
                    Some(format) if !format.fits(text) => {
                        Err(mismatch(&self.path(), format.in_words(), value))
                    }
                    _ => Ok(()),
                }
            }
            _ => Err(mismatch(&self.path(), &self.expectation(), value)),
        }
    }

    /// Returns the name of the field for error messages, shortened: names come from untrusted servers and can
    /// be long.
    pub(super) fn path(&self) -> Cow<'_, str> {
        shorten(&self.name)
    }

    pub(super) fn missing(&self) -> String {
        format!("expected `{}` to be {}, but found nothing", self.path(), self.expectation())
    }

    fn expectation(&self) -> String {
        match &self.kind {
            FieldKind::Boolean { .. } => "a boolean".to_owned(),
            FieldKind::MultiSelect { choices, .. } => format!("an array with some of {}", list(choices)),
            FieldKind::Number { integer: true, .. } => "an integer".to_owned(),
            FieldKind::Number { .. } => "a number".to_owned(),
            FieldKind::SingleSelect { choices, .. } => one_of(choices),
            FieldKind::Text { format, .. } => format.map_or("a string", |it| it.in_words()).to_owned(),
        }
    }

    fn size(&self, found: u64, what: &str, least: Option<u64>, most: Option<u64>) -> Result<(), String> {
        let (relation, bound) = match (least, most) {
            (Some(least), _) if found < least => ("at least", least),
            (_, Some(most)) if found > most => ("at most", most),
            _ => return Ok(()),
        };
        let plural = if bound == 1 { "" } else { "s" };
        let name = self.path();
        Err(format!("expected `{name}` to have {relation} {bound} {what}{plural}, but found {found}"))
    }

    fn range(&self, found: &Number, least: Option<&Number>, most: Option<&Number>) -> Result<(), String> {
        let (relation, bound) = match (least, most) {
            (Some(least), _) if order(found, least) == Ordering::Less => ("at least", least),
            (_, Some(most)) if order(found, most) == Ordering::Greater => ("at most", most),
            _ => return Ok(()),
        };
        Err(format!("expected `{}` to be {relation} {bound}, but found {found}", self.path()))
    }
}

pub(super) fn mismatch(path: &str, expected: &str, found: &Value) -> String {
    let found = found.to_string();
    format!("expected `{path}` to be {expected}, but found {}", shorten(&found))
}

pub(super) fn one_of(choices: &[Choice]) -> String {
    format!("one of {}", list(choices))
}

/// Returns the values of the choices as one text for error messages, shortened to 80 characters.
pub(super) fn list(choices: &[Choice]) -> String {
    // 80 values are always longer than the 80 characters that are kept.
    let values: Vec<_> = choices.iter().take(80).map(|it| Value::from(&*it.value).to_string()).collect();
    shorten(&values.join(", ")).into_owned()
}

fn is_choice(choices: &[Choice], value: &Value) -> bool {
    value.as_str().is_some_and(|value| choices.iter().any(|choice| choice.value == value))
}

fn is_whole(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|n| n.fract() == 0.0)
}

/// Compares two whole numbers exactly, and other pairs of numbers as floating point numbers.
fn order(one: &Number, other: &Number) -> Ordering {
    let whole = |it: &Number| it.as_i64().map(i128::from).or_else(|| it.as_u64().map(i128::from));
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal),
    }
}
