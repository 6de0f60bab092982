//! Examples of values that would fit, close to the found value.
//!
//! In: the schema of a value that does not fit, and the value. Out: a value that fits, or none. Candidates
//! are guessed, and each is checked like arguments before it is shown.

use std::cell::Cell;

use plainwire_proto::json::shorten;
use serde_json::{Map, Number, Value, json};

use super::check::Check;
use super::wording::{Step, beginning};
use super::{bounds, format};
use crate::schema::{InputSchema, Keywords, required, resolve};

/// Largest length of an example as text, in bytes. A longer example is not shown at all, because a shortened
/// one would not fit.
const MAX_EXAMPLE: usize = 80;

/// Largest nesting depth of the examples that are made from a schema.
const MAX_LEVELS: usize = 6;

/// Largest number of schemas for which a value is made in order to find one example. 1,000: more than one example of
/// [`MAX_EXAMPLE`] bytes has. Without it, objects whose members contain themselves would take for ever.
const MAX_TRIES: usize = 1_000;

/// Largest length of texts and names that are compared by edit distance, in bytes.
const MAX_COMPARED: usize = 64;

/// Largest number of constants or known names that are compared with the found value or name.
const MAX_CHOICES: usize = 1_000;

/// Returns a value that fits `wanted`, a part of `schema`, and is close to `found` if possible. `None` if no
/// candidate fits.
pub(super) fn closest(wanted: &Value, found: Option<&Value>, schema: &InputSchema) -> Option<Value> {
    let maker = Maker { left: Cell::new(MAX_TRIES), schema };
    let near = found.map(|found| maker.near(wanted, found)).unwrap_or_default();
    near.into_iter().find(|it| maker.fits(it, wanted)).or_else(|| maker.any(wanted, MAX_LEVELS))
}

/// Returns `wished` if it fits `part`, a part of `schema`, and otherwise the closest value that fits; `None` if there is
/// no such value of at most [`MAX_EXAMPLE`] bytes.
pub(crate) fn fitting(wished: Value, part: &Value, schema: &InputSchema) -> Option<Value> {
    let maker = Maker { left: Cell::new(MAX_TRIES), schema };
    if maker.fits(&wished, part) { Some(wished) } else { closest(part, Some(&wished), schema) }
}

/// Returns the reason why the default of a property of the root does not fit the property, for the first one that does
/// not.
pub(crate) fn unfit_default(schema: &InputSchema) -> Option<String> {
    schema.properties().into_iter().find_map(|(name, property, _)| {
        let mut default = property.get("default").filter(|it| !it.is_null())?.clone();
        let fault = Check::new(schema).value(&mut default, property).err()?;
        let why = fault.within(Step::Name(name.to_owned())).text(None);
        Some(format!("the default of `{name}` does not fit: {why}"))
    })
}

/// Returns the known name that `name` was probably meant to be, if one is similar.
pub(crate) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let bare = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
    let wanted = bare(name);
    let length = wanted.chars().count();
    // Two typing mistakes, or one in a short name. From a single letter, any other one is one mistake away.
    let most = match length {
        0 | 1 => 0,
        2..=4 => 1,
        _ => 2,
    };
    // A name of a very different length can't be similar. This check is cheap, which matters if a client asks
    // for many names.
    let candidates = known.take(MAX_CHOICES).map(|other| (bare(other), other));
    let similar = candidates.filter(|(other, _)| other.chars().count().abs_diff(length) <= most);
    let (far, near) =
        similar.map(|(other, name)| (distance(&wanted, &other), name)).min_by_key(|(far, _)| *far)?;
    (far <= most).then_some(near)
}

/// Returns the edit distance of two texts: the smallest number of letters to insert, delete, replace, or swap
/// with the next one. Texts longer than [`MAX_COMPARED`] have the distance `usize::MAX`.
fn distance(one: &str, other: &str) -> usize {
    if one.len() > MAX_COMPARED || other.len() > MAX_COMPARED {
        return usize::MAX;
    }
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for n in 0..one.len() {
        let mut row = vec![n + 1];
        for m in 0..other.len() {
            let changed = rows[n][m] + usize::from(one[n] != other[m]);
            let mut least = changed.min(rows[n][m + 1] + 1).min(row[m] + 1);
            if n > 0 && m > 0 && one[n] == other[m - 1] && one[n - 1] == other[m] {
                least = least.min(rows[n - 1][m - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

/// The generator of example values for one schema and its parts.
struct Maker<'s> {
    /// The number of schemas for which a value may still be made.
    left: Cell<usize>,
    schema: &'s InputSchema,
}

impl<'s> Maker<'s> {
    /// Returns whether an example is short enough and fits the schema `wanted` without repairs.
    fn fits(&self, example: &Value, wanted: &'s Value) -> bool {
        let mut check = Check::new(self.schema);
        let mut copy = example.clone();
        let text = example.to_string();
        shorten(&text).len() == text.len()
            && text.len() <= MAX_EXAMPLE
            && check.value(&mut copy, wanted).is_ok()
            && !check.changed
            && check.steps > 0
    }

    fn resolved(&self, wanted: &'s Value) -> Option<&'s Keywords> {
        resolve(wanted, &self.schema.value).as_object()
    }

    /// Returns candidates for examples that are close to `found`, a value that does not fit the schema
    /// `wanted`. Not every candidate fits.
    fn near(&self, wanted: &'s Value, found: &Value) -> Vec<Value> {
        let Some(keywords) = self.resolved(wanted) else { return Vec::new() };
        let mut near = self.nearest_constant(keywords, found);
        match found {
            Value::Number(number) => {
                near.extend(numbers(keywords, Some(number)));
                near.push(Value::from(number.to_string()));
                near.push(Value::Bool(number.as_f64() != Some(0.0)));
            }
            Value::String(text) => {
                let most = keywords.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
                let most = usize::try_from(most).unwrap_or(usize::MAX).min(MAX_EXAMPLE);
                near.push(Value::from(text.chars().take(most).collect::<String>()));
                let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
                if is(&["true", "t", "yes", "y", "on", "enabled"]) {
                    near.push(Value::Bool(true));
                } else if is(&["false", "f", "no", "n", "off", "disabled"]) {
                    near.push(Value::Bool(false));
                }
                if let Ok(number) = text.parse::<Number>() {
                    near.extend(numbers(keywords, Some(&number)));
                    near.push(Value::Bool(number.as_f64() != Some(0.0)));
                }
            }
            Value::Array(items) if items.len() <= MAX_EXAMPLE => {
                let most = keywords.get("maxItems").and_then(Value::as_u64).unwrap_or(u64::MAX);
                let mut fewer: Vec<Value> = Vec::new();
                for item in items {
                    if (fewer.len() as u64) < most && !fewer.contains(item) {
                        fewer.push(item.clone());
                    }
                }
                near.push(Value::Array(fewer));
                near.extend(items.first().cloned());
            }
            _ => {}
        }
        if kinds(keywords).contains(&"array") && beginning(found).len() <= MAX_EXAMPLE {
            near.push(json!([found]));
        }
        near
    }

    /// Returns the constant of the schema that has the smallest edit distance to `found`; empty if there are
    /// no constants.
    fn nearest_constant(&self, keywords: &'s Keywords, found: &Value) -> Vec<Value> {
        let text = |value: &Value| {
            value.as_str().map_or_else(|| beginning(value), |text| shorten(text).into_owned())
        };
        let wanted = text(found).to_lowercase();
        let constants = self.constants(keywords).into_iter();
        let nearest = constants.min_by_key(|constant| distance(&wanted, &text(constant).to_lowercase()));
        nearest.into_iter().cloned().collect()
    }

    fn constants(&self, keywords: &'s Keywords) -> Vec<&'s Value> {
        let mut constants: Vec<&Value> = keywords.get("const").into_iter().collect();
        constants.extend(keywords.get("enum").and_then(Value::as_array).into_iter().flatten());
        for choice in alternatives(keywords) {
            let choice = resolve(choice, &self.schema.value);
            constants.extend(choice.get("const"));
            constants.extend(choice.get("enum").and_then(Value::as_array).into_iter().flatten());
        }
        constants.truncate(MAX_CHOICES);
        constants
    }

    /// Returns any value that fits `wanted`, nested at most `levels` deep. The examples, the default and the
    /// constants of the schema are tried first.
    fn any(&self, wanted: &'s Value, levels: usize) -> Option<Value> {
        let levels = levels.checked_sub(1)?;
        self.left.set(self.left.get().checked_sub(1)?);
        let keywords = self.resolved(wanted)?;
        let mut candidates: Vec<Value> = Vec::new();
        candidates.extend(
            keywords.get("examples").and_then(Value::as_array).into_iter().flatten().take(8).cloned(),
        );
        candidates.extend(keywords.get("default").filter(|default| !default.is_null()).cloned());
        candidates.extend(self.constants(keywords).into_iter().take(8).cloned());
        for kind in kinds(keywords) {
            match kind {
                "array" => candidates.extend(self.list(keywords, levels)),
                "boolean" => candidates.push(Value::Bool(false)),
                "integer" | "number" => candidates.extend(numbers(keywords, None)),
                "null" => candidates.push(Value::Null),
                "object" => candidates.extend(self.object(keywords, levels)),
                "string" => candidates.extend(texts(keywords)),
                _ => {}
            }
        }
        let fitting = candidates.into_iter().find(|it| self.fits(it, wanted));
        fitting.or_else(|| {
            let choices = alternatives(keywords).take(8);
            choices.filter_map(|choice| self.any(choice, levels)).find(|it| self.fits(it, wanted))
        })
    }

    fn list(&self, keywords: &'s Keywords, levels: usize) -> Option<Value> {
        let least = keywords.get("minItems").and_then(Value::as_u64).unwrap_or_default();
        let least = usize::try_from(least).ok().filter(|least| *least <= MAX_EXAMPLE)?;
        if let Some(Value::Array(parts)) = keywords.get("prefixItems").filter(|_| least > 0) {
            return parts.iter().take(least).map(|part| self.any(part, levels)).collect();
        }
        match keywords.get("items") {
            Some(items) if least > 0 => Some(Value::Array(vec![self.any(items, levels)?; least])),
            _ => (least == 0).then(|| json!([])),
        }
    }

    fn object(&self, keywords: &'s Keywords, levels: usize) -> Option<Value> {
        let mut object = Map::new();
        for name in required(keywords) {
            let member = keywords.get("properties").and_then(|properties| properties.get(name))?;
            object.insert(name.to_owned(), self.any(member, levels)?);
        }
        Some(Value::Object(object))
    }
}

fn alternatives(keywords: &Keywords) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf"].into_iter().flat_map(|keyword| keywords.get(keyword)?.as_array()).flatten()
}

fn kinds(keywords: &Keywords) -> Vec<&str> {
    match keywords.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn texts(keywords: &Keywords) -> Vec<Value> {
    let format = keywords.get("format").and_then(Value::as_str).and_then(format::known);
    let least = keywords.get("minLength").and_then(Value::as_u64).unwrap_or_default();
    let most = keywords.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
    let long = usize::try_from(least).ok().filter(|least| *least <= MAX_EXAMPLE);
    let short = usize::try_from(most).unwrap_or(usize::MAX).min(4);
    let texts = [
        format.map(|format| format.example.to_owned()),
        Some("text"[..short].to_owned()),
        long.map(|long| "text".chars().cycle().take(long).collect()),
    ];
    texts.into_iter().flatten().map(Value::from).collect()
}

/// Returns candidates for a number that fits the bounds and the step in `keywords`; not every candidate fits.
/// Whole numbers come first, the nearest to `found` at the front.
fn numbers(keywords: &Keywords, found: Option<&Number>) -> Vec<Value> {
    let bound = |keyword| keywords.get(keyword).and_then(Value::as_number);
    let exact = |number: &Number| bounds::whole(number).or_else(|| Some(number.as_f64()?.round() as i128));
    let float = |number: &Number| number.as_f64();
    let mut near = Vec::new();

    let start = found.and_then(exact).unwrap_or(1);
    let least = bound("minimum")
        .and_then(exact)
        .max(bound("exclusiveMinimum").and_then(exact).map(|n| n.saturating_add(1)));
    let most = [
        bound("maximum").and_then(exact),
        bound("exclusiveMaximum").and_then(exact).map(|n| n.saturating_sub(1)),
    ];
    let most = most.into_iter().flatten().min();
    let within = start.max(least.unwrap_or(i128::MIN)).min(most.unwrap_or(i128::MAX));
    let step = bound("multipleOf").and_then(bounds::whole).filter(|step| *step > 0);
    near.push(within);
    if let Some(step) = step {
        let below = within.div_euclid(step).saturating_mul(step);
        near.extend([below, below.saturating_add(step)]);
        near.sort_unstable_by_key(|it| (it.saturating_sub(start).unsigned_abs(), *it));
    }
    let mut near: Vec<Value> = near.into_iter().filter_map(to_value).collect();

    let low = bound("minimum").or(bound("exclusiveMinimum")).and_then(float);
    let high = bound("maximum").or(bound("exclusiveMaximum")).and_then(float);
    let mut bounds: Vec<&Number> = bound("minimum").into_iter().chain(bound("maximum")).collect();
    let found_float = found.and_then(float).unwrap_or_default();
    let distance = |bound: &&Number| (float(bound).unwrap_or_default() - found_float).abs();
    bounds.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    let bounds = bounds.into_iter().map(|bound| Value::Number(bound.clone()));
    // A fraction outside of the bounds is near to a bound, not to a whole number.
    let at = if found_float.fract() == 0.0 { near.len() } else { 0 };
    near.splice(at..at, bounds);
    if let (Some(low), Some(high)) = (low, high) {
        near.push(json!(low.midpoint(high)));
    }
    near.extend(low.map(|low| json!(low.floor() + 1.0)));
    near.extend(high.map(|high| json!(high.ceil() - 1.0)));
    if let Some(step) = bound("multipleOf").and_then(float).filter(|step| *step > 0.0) {
        let start = found.and_then(float).unwrap_or(step);
        near.push(json!((start / step).round() * step));
        near.extend(low.map(|low| json!((low / step).ceil() * step)));
        near.extend(high.map(|high| json!((high / step).floor() * step)));
    }
    near
}

fn to_value(number: i128) -> Option<Value> {
    i64::try_from(number).map(Value::from).or_else(|_| u64::try_from(number).map(Value::from)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_made_of_at_most_1_000_schemas() {
        let names: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        let members: Map<String, Value> =
            names.iter().map(|name| (name.clone(), json!({ "$ref": "#" }))).collect();
        let object = json!({ "type": "object", "required": names, "properties": members });
        let root = json!({ "anyOf": [object, { "type": "string" }] });
        let schema = InputSchema::of_server(crate::schema::text::raw(root.to_string()));
        let maker = Maker { left: Cell::new(MAX_TRIES), schema: &schema };
        maker.any(&schema.value, MAX_LEVELS);
        assert_eq!((maker.left.get(), MAX_TRIES), (0, 1_000));
    }
}
