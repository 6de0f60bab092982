//! Checks a value against its schema and repairs it where possible.
//!
//! In: arguments as a tree, and their schema. Out: the repaired tree, or the first fault. There are four
//! repairs: text is read as JSON where JSON is expected, an integer that is written as `2.0` becomes `2`, and
//! an optional `null`, or an optional empty text that does not fit, is removed. Unknown keywords are ignored.
//! Time is linear except for nested alternatives, which multiply; [`MAX_STEPS`] limits those.

use serde_json::Value;

use super::bounds;
use super::wording::{Fault, Step, beginning, one_of, only};
use crate::schema::{InputSchema, Keywords, required, resolve};

/// Largest number of steps for one set of arguments. Steps are counted while alternatives (`anyOf`, `oneOf`)
/// are tried: one for each comparison of a value with a schema, and one for each value that is copied for an
/// attempt. Nested alternatives multiply the steps. Arguments that need more steps are refused, because
/// otherwise a large value could avoid a check.
pub(super) const MAX_STEPS: usize = 100_000;

/// Largest nesting depth of arguments, including JSON inside text. `serde_json` has the same limit for one
/// text.
pub(super) const MAX_DEPTH: usize = 128;

/// Largest number of schemas that are applied one inside the other: four for each level of arguments, because
/// a reference or an alternative applies a further schema on the same level. The check of a circular schema
/// ends at this number, without a fault.
const MAX_CALLS: usize = 4 * MAX_DEPTH;

/// The state of a check of one set of arguments: a walk over a value along its schema.
pub(super) struct Check<'s> {
    /// The number of alternatives that are being tried around the current value. Steps are counted while it
    /// is above 0. An attempt that is cheap, of a scalar without repairs, is not included.
    pub(super) attempts: usize,
    /// The number of schemas that are being applied around the current value.
    calls: usize,
    /// Whether any value in the arguments was repaired.
    pub(super) changed: bool,
    depth: usize,
    /// Whether a `null` is a value like any other, also where the schema does not require the member.
    keeps_nulls: bool,
    pub(super) schema: &'s InputSchema,
    /// The number of steps that are left, of [`MAX_STEPS`].
    pub(super) steps: usize,
    /// Whether no text and no number is repaired, as in the first attempt at each alternative. Nulls that
    /// count as absent are removed even then. An alternative that fits without repairs is preferred, because
    /// the Rust type reads the value as that alternative too.
    pub(super) strict: bool,
}

pub(super) type Checked<'s> = Result<(), Fault<'s>>;

impl<'s> Check<'s> {
    pub(super) fn new(schema: &'s InputSchema) -> Self {
        let (attempts, calls, depth, steps) = (0, 0, 0, MAX_STEPS);
        Self { attempts, calls, changed: false, depth, keeps_nulls: false, schema, steps, strict: false }
    }

    /// Makes a check without any repair.
    pub(super) fn exact(schema: &'s InputSchema) -> Self {
        Self { keeps_nulls: true, strict: true, ..Self::new(schema) }
    }

    /// Checks one value and all values inside it against `schema`, and repairs them where possible.
    pub(super) fn value(&mut self, value: &mut Value, schema: &'s Value) -> Checked<'s> {
        if self.attempts > 0 {
            self.steps = self.steps.saturating_sub(1);
            if self.steps == 0 {
                return Err(exhausted(schema));
            }
        }
        let keywords = match schema {
            Value::Object(keywords) => keywords,
            Value::Bool(false) => return Err(Fault::new(schema, "be absent", &beginning(value))),
            _ => return Ok(()),
        };
        if self.calls == MAX_CALLS {
            return Ok(());
        }
        self.calls += 1;
        let checked = self.keywords(value, keywords, schema);
        self.calls -= 1;
        checked
    }

    /// Checks a value inside another value. Refuses it if it is nested deeper than [`MAX_DEPTH`].
    fn inner(&mut self, value: &mut Value, schema: &'s Value) -> Checked<'s> {
        if self.depth == MAX_DEPTH {
            let expected = format!("be nested at most {MAX_DEPTH} levels deep");
            return Err(Fault::new(schema, expected, "more").without_example());
        }
        self.depth += 1;
        let checked = self.value(value, schema);
        self.depth -= 1;
        checked
    }

    fn keywords(&mut self, value: &mut Value, keywords: &'s Keywords, schema: &'s Value) -> Checked<'s> {
        if keywords.contains_key("$ref") {
            let target = resolve(schema, &self.schema.value);
            // A target that is still a reference belongs to a circle, and restricts nothing.
            if target.get("$ref").is_none() {
                self.value(value, target)?;
            }
        }
        if self.strict {
            let types = types(keywords);
            let fits = |name: &&str| if self.keeps_nulls { is(value, name) } else { is_exactly(value, name) };
            if !types.is_empty() && !types.iter().any(fits) {
                return Err(mismatch(schema, &kinds(&types), value));
            }
        } else {
            self.changed |= retype(value, keywords, schema)?;
        }
        if let Some(Value::Array(parts)) = keywords.get("allOf") {
            parts.iter().try_for_each(|part| self.value(value, part))?;
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(choices)) = keywords.get(keyword) {
                self.choice(value, choices, schema)?;
            }
        }
        if let Some(Value::Array(allowed)) = keywords.get("enum")
            && !allowed.contains(value)
        {
            return Err(mismatch(schema, &one_of(allowed.iter()), value));
        }
        if let Some(constant) = keywords.get("const").filter(|constant| *constant != value) {
            return Err(mismatch(schema, &constant.to_string(), value));
        }
        bounds::check(value, keywords, schema, &self.schema.patterns)?;
        match value {
            Value::Array(items) => self.items(items, keywords),
            Value::Object(members) => self.members(members, keywords),
            _ => Ok(()),
        }
    }

    fn items(&mut self, items: &mut [Value], keywords: &'s Keywords) -> Checked<'s> {
        let first = match keywords.get("prefixItems") {
            Some(Value::Array(first)) => first.as_slice(),
            _ => &[],
        };
        for (at, item) in items.iter_mut().enumerate() {
            if let Some(schema) = first.get(at).or_else(|| keywords.get("items")) {
                self.inner(item, schema).map_err(|fault| fault.within(Step::Item(at)))?;
            }
        }
        Ok(())
    }

    fn members(&mut self, members: &mut Keywords, keywords: &'s Keywords) -> Checked<'s> {
        let required = required(keywords);
        let properties = keywords.get("properties").and_then(Value::as_object);
        let others = keywords.get("additionalProperties");
        let pattern = keywords.get("patternProperties").and_then(Value::as_object);
        let closed = others == Some(&Value::Bool(false)) && pattern.is_none();
        // For a map whose keys are not strings, `schemars` writes one pattern and no other members. With
        // several patterns it is not known which one applies.
        let by_pattern = pattern.filter(|it| it.len() == 1 && others == Some(&Value::Bool(false)));
        let others = by_pattern.and_then(|it| it.values().next()).or(others.filter(|_| pattern.is_none()));
        let count = members.len();
        members.retain(|name, value| {
            let member = properties.and_then(|properties| properties.get(name));
            let is_known = closed || member.is_some();
            if self.keeps_nulls || !is_known || required.contains(&name.as_str()) {
                return true;
            }
            match &*value {
                Value::Null => false,
                // Clients with forms send an empty text for a field that was left empty.
                Value::String(text) if text.is_empty() && !self.strict => {
                    member.is_none_or(|member| self.allows_empty_text(member))
                }
                _ => true,
            }
        });
        self.changed |= members.len() < count;
        // Unknown names are checked before missing ones, because a misspelt name is often both.
        if closed
            && let Some(known) = properties
            && let Some(unknown) = members.keys().find(|name| !known.contains_key(*name))
        {
            return Err(Fault::unknown(&only(known.keys()), unknown, known, Some(members)));
        }
        if let Some(missing) = required.iter().find(|name| !members.contains_key(**name)) {
            let member = properties.and_then(|properties| properties.get(*missing));
            let fault = Fault::new(member.unwrap_or(&Value::Null), self.expectation(member), "nothing");
            return Err(fault.within(Step::Name((*missing).to_owned())));
        }
        for (name, value) in members.iter_mut() {
            let member = properties.and_then(|properties| properties.get(name));
            // The type and the validator check whether a name matches the pattern.
            match member.or(others) {
                Some(Value::Bool(false)) if member.is_none() => {}
                Some(wanted) => {
                    self.inner(value, wanted).map_err(|fault| fault.within(Step::Name(name.clone())))?;
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Returns whether an empty text fits `schema`, also if no steps are left to find out: the check of the text
    /// itself refuses it then.
    fn allows_empty_text(&mut self, schema: &'s Value) -> bool {
        let (calls, depth, steps) = (self.calls, self.depth, self.steps);
        let mut attempt = Self { calls, depth, steps, ..Self::exact(self.schema) };
        let fits = attempt.value(&mut Value::from(""), schema).is_ok();
        self.steps = attempt.steps;
        fits || self.steps == 0
    }

    /// Returns the expectation for a missing member with this schema in words, such as "be an integer"; "be
    /// there" if its type is not known.
    fn expectation(&self, schema: Option<&'s Value>) -> String {
        let Some(schema) = schema.map(|schema| resolve(schema, &self.schema.value)) else {
            return "be there".to_owned();
        };
        let list = |keyword| schema.get(keyword).and_then(Value::as_array);
        let constants = list("oneOf").and_then(|choices| self.constants(choices));
        let allowed = list("enum").map(|allowed| one_of(allowed.iter()));
        let kind = || match types(schema.as_object()?)[..] {
            [] => None,
            ref many => Some(kinds(many)),
        };
        format!("be {}", allowed.or(constants).or_else(kind).unwrap_or_else(|| "there".to_owned()))
    }
}

/// Converts a value to one of the expected types: reads text as JSON, and turns `2.0` into a whole number.
/// Returns whether it changed the value.
fn retype<'s>(value: &mut Value, keywords: &Keywords, schema: &'s Value) -> Result<bool, Fault<'s>> {
    let types = types(keywords);
    let fits = |value: &Value| types.iter().any(|name| is(value, name));
    let mut changed = false;
    if !types.is_empty() && !fits(value) {
        match value.as_str().and_then(super::within_text) {
            Some(parsed) if !parsed.is_string() && fits(&parsed) => {
                *value = parsed;
                changed = true;
            }
            _ => {
                return Err(mismatch(schema, &kinds(&types), value));
            }
        }
    }
    if types.contains(&"integer") && !types.contains(&"number") && value.is_f64() {
        changed |= whole(value);
    }
    Ok(changed)
}

pub(super) fn types(keywords: &Keywords) -> Vec<&str> {
    match keywords.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Turns a float without a fraction, such as `2.0`, into an integer. Does nothing for other values, and for
/// numbers from 2^53 on, which a float may not hold exactly. Returns whether it changed the value.
pub(crate) fn whole(value: &mut Value) -> bool {
    if let Some(float) = value.as_f64().filter(|_| value.is_f64())
        && float.fract() == 0.0
        && float.abs() < 9_007_199_254_740_992.0
    {
        *value = Value::from(float as i64);
        return true;
    }
    false
}

/// Returns the fault of a value whose check would take more than [`MAX_STEPS`] steps.
pub(super) fn exhausted(schema: &Value) -> Fault<'_> {
    let expected = format!("be compared with its schema within {MAX_STEPS} steps (limit `steps`)");
    Fault::new(schema, expected, "more").without_example()
}

/// Returns whether a value has a type without any repair: `2.0` is not an integer.
fn is_exactly(value: &Value, name: &str) -> bool {
    is(value, name) && !(name == "integer" && value.is_f64())
}

pub(super) fn mismatch<'s>(schema: &'s Value, expected: &str, found: &Value) -> Fault<'s> {
    Fault::new(schema, format!("be {expected}"), &beginning(found))
}

pub(super) fn is(value: &Value, name: &str) -> bool {
    match name {
        "array" => value.is_array(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "object" => value.is_object(),
        "string" => value.is_string(),
        _ => true,
    }
}

/// Returns "an integer or null" for the names of types.
fn kinds(types: &[&str]) -> String {
    types.iter().map(|name| article(name)).collect::<Vec<_>>().join(" or ")
}

fn article(name: &str) -> &'static str {
    match name {
        "array" => "an array",
        "boolean" => "a boolean",
        "integer" => "an integer",
        "null" => "null",
        "number" => "a number",
        "object" => "an object",
        "string" => "a string",
        _ => "something else",
    }
}
