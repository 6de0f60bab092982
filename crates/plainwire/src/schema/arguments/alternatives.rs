//! Chooses among the alternatives of a schema: `anyOf` and `oneOf`.
//!
//! In: a value and its alternatives. Out: the value as the alternative that fits, or the fault. A tag, a type
//! or a required member often leaves only one alternative; the others are not tried then. Every attempt is
//! counted, because nested alternatives multiply.

use serde_json::Value;

use super::check::{Check, Checked, exhausted, is, mismatch, types};
use super::example::nearest;
use super::wording::{Fault, Step, beginning, constant, list, member, one_of};
use crate::schema::{Keywords, required, resolve};

impl<'s> Check<'s> {
    /// Checks a value against `choices`, the alternatives in `schema`. If the value can only be meant as one
    /// alternative, checks that one and returns its fault. Otherwise takes the first alternative that fits
    /// without repairs, or else the first that fits after repairs.
    pub(super) fn choice(
        &mut self,
        value: &mut Value,
        choices: &'s [Value],
        schema: &'s Value,
    ) -> Checked<'s> {
        if !self.strict {
            self.read_text(value, choices);
        }
        let meant = match self.meant(value, choices) {
            Ok(only) => return self.value(value, only),
            Err(meant) => meant,
        };
        if self.attempt_each(value, &meant, true) {
            return Ok(());
        }
        if !self.strict && !self.attempts_spent() && self.attempt_each(value, &meant, false) {
            return Ok(());
        }
        if self.attempts_spent() {
            return Err(exhausted(schema));
        }
        if let Some(fault) = self.unknown_tag(value, choices) {
            return Err(fault);
        }
        let expected = self.named(choices).unwrap_or_else(|| format!("one of {} forms", choices.len()));
        Err(mismatch(schema, &expected, value))
    }

    /// Returns the fault of an object that has no tag, or one that no alternative has. A tag is a member that
    /// every alternative requires, each with another constant. `None` if there is no such member.
    fn unknown_tag(&self, value: &Value, choices: &'s [Value]) -> Option<Fault<'s>> {
        let members = value.as_object()?;
        let resolved: Vec<_> = choices.iter().map(|choice| resolve(choice, &self.schema.value)).collect();
        let tags = |name: &str| -> Option<Vec<&'s Value>> {
            resolved.iter().map(|choice| choice.get("properties")?.get(name)?.get("const")).collect()
        };
        let first = resolved.first()?;
        let (name, tags) =
            required(first.as_object()?).into_iter().find_map(|name| Some((name, tags(name)?)))?;
        let tag = members.get(name);
        if tag.is_some_and(|tag| tags.contains(&tag)) {
            return None;
        }
        let found = tag.map_or_else(|| "nothing".to_owned(), beginning);
        let names = || tags.iter().filter_map(|it| it.as_str());
        let meant = tag.and_then(Value::as_str).and_then(|tag| nearest(tag, names()));
        let at = meant.and_then(|meant| tags.iter().position(|it| it.as_str() == Some(meant)));
        let schema = &resolved[at.unwrap_or_default()]["properties"][name];
        let expected = format!("be {}", one_of(tags.iter().copied()));
        Some(Fault::new(schema, expected, &found).within(Step::Name(name.to_owned())))
    }

    fn attempts_spent(&self) -> bool {
        self.steps == 0
    }

    /// Tries the alternatives `meant` in order, without repairs if `strict` is set. Returns whether an
    /// alternative fits. If so, `value` now has the repairs of that alternative.
    fn attempt_each(&mut self, value: &mut Value, meant: &[&'s Value], strict: bool) -> bool {
        let outer = self.strict;
        for choice in meant {
            // An attempt at a scalar without repairs does not multiply the work, so it is not counted, unless
            // the alternative is nested. The clone of the value counts as steps too, because it takes time.
            let counted = !strict || value.is_array() || value.is_object() || self.is_nested(choice);
            if counted {
                self.steps = self.steps.saturating_sub(weight(value, self.steps));
            }
            let (mut attempt, changed) = (value.clone(), self.changed);
            self.attempts += usize::from(counted);
            self.strict = outer || strict;
            let fits = self.value(&mut attempt, choice).is_ok();
            self.strict = outer;
            self.attempts -= usize::from(counted);
            if fits {
                *value = attempt;
                return true;
            }
            self.changed = changed;
            if self.attempts_spent() {
                break;
            }
        }
        false
    }

    /// Returns whether the schema `choice`, or the definition that it refers to, applies further schemas to
    /// the same value: by `allOf`, by alternatives, or by another reference.
    fn is_nested(&self, choice: &Value) -> bool {
        let choice = resolve(choice, &self.schema.value);
        ["$ref", "allOf", "anyOf", "oneOf"].iter().any(|keyword| choice.get(keyword).is_some())
    }

    /// Returns the only alternative that a value can be meant as. The error is the list of the alternatives
    /// that have to be tried. Excludes alternatives by tags, then by types, then by required members, while
    /// more than one is left.
    fn meant(&self, value: &Value, choices: &'s [Value]) -> Result<&'s Value, Vec<&'s Value>> {
        let mut meant: Vec<&Value> = choices.iter().filter(|choice| self.tag_allows(value, choice)).collect();
        let parsed = value.as_str().and_then(super::within_text);
        let fits = |choice: &Value| {
            let repaired = parsed.as_ref().filter(|it| !self.strict && !it.is_string());
            self.type_allows(value, choice)
                || repaired.is_some_and(|repaired| self.type_allows(repaired, choice))
        };
        if meant.len() > 1 {
            let typed: Vec<_> = meant.iter().copied().filter(|choice| fits(choice)).collect();
            meant = typed;
        }
        if meant.len() > 1
            && let Some(members) = value.as_object()
        {
            meant.retain(|choice| self.has_required(members, choice));
        }
        match meant[..] {
            [only] => Ok(only),
            _ => Err(meant),
        }
    }

    /// Returns whether the type and the constants of `choice` allow a value.
    fn type_allows(&self, value: &Value, choice: &Value) -> bool {
        let Some(keywords) = resolve(choice, &self.schema.value).as_object() else { return true };
        let types = types(keywords);
        let allowed = keywords.get("enum").and_then(Value::as_array);
        (types.is_empty() || types.iter().any(|name| is(value, name)))
            // A number is compared with the constants later, because a whole number may be written as `2.0`.
            && (value.is_number() || allowed.is_none_or(|allowed| allowed.contains(value)))
    }

    fn has_required(&self, members: &Keywords, choice: &Value) -> bool {
        let keywords = resolve(choice, &self.schema.value).as_object();
        keywords.is_none_or(|keywords| required(keywords).iter().all(|name| members.contains_key(*name)))
    }

    /// Reads text as JSON if no alternative accepts text, so that a tag inside that JSON can choose the
    /// alternative.
    fn read_text(&mut self, value: &mut Value, choices: &'s [Value]) {
        let takes_text = |choice: &'s Value| {
            let keywords = resolve(choice, &self.schema.value).as_object();
            keywords.is_none_or(|keywords| types(keywords).is_empty() || types(keywords).contains(&"string"))
        };
        if let Value::String(text) = value
            && !choices.iter().any(takes_text)
            && let Some(parsed) = super::within_text(text)
            && !parsed.is_string()
        {
            *value = parsed;
            self.changed = true;
        }
    }

    /// Returns whether a value could be meant as `choice`, judged only by constants. A member with a constant
    /// is the tag of an enum, which identifies the variant: alternatives with another tag need not be tried.
    /// Only null can be meant as null.
    fn tag_allows(&self, value: &Value, choice: &'s Value) -> bool {
        let choice = resolve(choice, &self.schema.value);
        if choice.get("type").is_some_and(|kind| kind == "null") {
            return value.is_null();
        }
        let (Some(members), Some(properties)) =
            (value.as_object(), choice.get("properties").and_then(Value::as_object))
        else {
            return choice.get("const").is_none_or(|constant| constant == value);
        };
        properties.iter().all(|(name, schema)| match (schema.get("const"), members.get(name)) {
            (Some(constant), Some(member)) => constant == member,
            _ => true,
        })
    }

    /// Returns the text "one of 1, 2" if all alternatives are constants or lists of constants; `None`
    /// otherwise.
    pub(super) fn constants(&self, choices: &'s [Value]) -> Option<String> {
        let all: Option<Vec<_>> = choices.iter().map(|choice| self.constants_of(choice)).collect();
        Some(one_of(all?.into_iter().flatten()))
    }

    /// Returns the constants of an alternative; `None` if it is not a constant or a list of them.
    fn constants_of(&self, choice: &'s Value) -> Option<&'s [Value]> {
        let choice = resolve(choice, &self.schema.value);
        match (choice.get("const"), choice.get("enum")) {
            (Some(constant), _) => Some(std::slice::from_ref(constant)),
            (None, Some(Value::Array(values))) => Some(values),
            _ => None,
        }
    }

    /// Returns the alternatives in words, if each is a constant or an object with one member, as for the variants of an
    /// enum with data.
    fn named(&self, choices: &'s [Value]) -> Option<String> {
        let mut all = Vec::new();
        for choice in choices {
            if let Some(constants) = self.constants_of(choice) {
                all.extend(constants.iter().map(constant));
                continue;
            }
            let choice = resolve(choice, &self.schema.value).as_object()?;
            match &required(choice)[..] {
                [only] if choice["properties"].as_object().is_some_and(|it| it.len() == 1) => {
                    all.push(member(only));
                }
                _ => return None,
            }
        }
        Some(format!("one of {}", list(&all)))
    }
}

/// Counts a value and all values inside it: the steps that a copy of the value costs. Stops at about `most`.
fn weight(value: &Value, most: usize) -> usize {
    let mut count = 1;
    let mut add = |inner: &Value| {
        if count < most {
            count += weight(inner, most - count);
        }
    };
    match value {
        Value::Array(items) => items.iter().for_each(&mut add),
        Value::Object(members) => members.values().for_each(&mut add),
        _ => {}
    }
    count
}
