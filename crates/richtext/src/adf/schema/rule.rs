//! Rules of a JSON schema, and the check of a value against a rule.
//!
//! Implements the part of JSON Schema draft 4 that Atlassian's schema of ADF uses. In: a value with its
//! spans. Out: the first violation of the rule, and its span.

use super::value::{Data, Value};
use crate::diagnostic::Diagnostic;
use crate::tree::Span;

/// A rule for JSON values. A field that is empty, 0, `false` or `None` restricts nothing.
pub(super) struct Rule {
    /// The JSON type that the value must have.
    pub(super) shape: Option<Shape>,
    /// The strings that are allowed; any other value violates the rule.
    pub(super) one_of: &'static [&'static str],
    /// The keys of an object, each with the rule for its value.
    pub(super) keys: &'static [(&'static str, &'static Self)],
    /// The keys that an object must have.
    pub(super) required: &'static [&'static str],
    /// True if an object may have no keys besides those in `keys`.
    pub(super) is_closed: bool,
    /// The pattern that a string must match.
    pub(super) pattern: Option<Pattern>,
    /// The rule for each item of an array.
    pub(super) items: Option<&'static Self>,
    /// Rules for the first items of an array, one each; only used without `items`.
    pub(super) first_items: &'static [&'static Self],
    /// The smallest number of items allowed in an array.
    pub(super) min_items: usize,
    /// The largest number of items allowed in an array.
    pub(super) max_items: Option<usize>,
    /// The smallest length allowed for a string. The schema uses no other values than 0 and 1.
    pub(super) min_length: usize,
    /// The smallest value allowed for a number.
    pub(super) minimum: Option<f64>,
    /// The largest value allowed for a number.
    pub(super) maximum: Option<f64>,
    /// Alternative rules: the value must satisfy at least one of them.
    pub(super) any_of: &'static [&'static Self],
    /// Additional rules: the value must satisfy all of them.
    pub(super) all_of: &'static [&'static Self],
}

/// The rule that allows any value.
pub(super) const ANY: Rule = Rule {
    shape: None,
    one_of: &[],
    keys: &[],
    required: &[],
    is_closed: false,
    pattern: None,
    items: None,
    first_items: &[],
    min_items: 0,
    max_items: None,
    min_length: 0,
    minimum: None,
    maximum: None,
    any_of: &[],
    all_of: &[],
};

/// The JSON type of a value; `null` is missing, because the schema never asks for it.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Array,
    Boolean,
    Number,
    Object,
    String,
}

/// A pattern that the schema has for strings.
#[derive(Clone, Copy)]
pub(super) enum Pattern {
    /// A colour `#rrggbb`.
    Color,
    /// A colour `#rrggbb` or `#rrggbbaa`.
    ColorWithAlpha,
    /// A colour of a status: `neutral`, `purple`, `blue`, `red`, `yellow`, `green` or `#rrggbb`.
    StatusColor,
}

/// The first violation of a rule. If a value fails all alternatives of a rule, the deepest violation is
/// reported, because it explains the most.
pub(super) struct Break {
    /// The number of JSON values (objects and arrays) around the one that violates the rule.
    depth: usize,
    pub(super) diagnostic: Diagnostic,
}

impl Rule {
    /// Checks `value` against this rule, and returns the first violation. `depth` is the number of JSON
    /// values around it.
    pub(super) fn check(&self, value: &Value<'_>, depth: usize) -> Result<(), Break> {
        self.check_shape(value, depth)?;
        match &value.data {
            Data::String(text) => self.check_text(text, value, depth)?,
            Data::Number(number) => self.check_number(*number, value, depth)?,
            Data::Object(members) => self.check_object(members, value, depth)?,
            Data::Array(items) => self.check_array(items, value, depth)?,
            Data::Boolean | Data::Null | Data::Other => {}
        }
        self.all_of.iter().try_for_each(|it| it.check(value, depth))?;
        self.check_any(value, depth)
    }

    fn check_shape(&self, value: &Value<'_>, depth: usize) -> Result<(), Break> {
        let fits = match (self.shape, &value.data) {
            (None, _)
            | (Some(Shape::Array), Data::Array(_))
            | (Some(Shape::Boolean), Data::Boolean)
            | (Some(Shape::Number), Data::Number(_))
            | (Some(Shape::Object), Data::Object(_))
            | (Some(Shape::String), Data::String(_)) => true,
            // The value is nested too deeply to be examined, so its type is not known.
            (Some(_), Data::Other) => true,
            _ => false,
        };
        if fits && (self.one_of.is_empty() || matches!(value.data, Data::String(_))) {
            return Ok(());
        }
        let wanted = match self.shape {
            None => format!("one of {}", self.one_of.join(", ")),
            Some(Shape::Array) => "an array".to_owned(),
            Some(Shape::Boolean) => "true or false".to_owned(),
            Some(Shape::Number) => "a number".to_owned(),
            Some(Shape::Object) => "an object".to_owned(),
            Some(Shape::String) => "a string".to_owned(),
        };
        value.broken(depth, &wanted)
    }

    fn check_text(&self, text: &str, value: &Value<'_>, depth: usize) -> Result<(), Break> {
        if !self.one_of.is_empty() && !self.one_of.contains(&text) {
            return value.broken(depth, &one_of(self.one_of));
        }
        if self.min_length > 0 && text.is_empty() {
            return value.broken(depth, "at least one character");
        }
        match self.pattern {
            Some(pattern) if !pattern.fits(text) => value.broken(depth, pattern.shown()),
            _ => Ok(()),
        }
    }

    fn check_number(&self, number: f64, value: &Value<'_>, depth: usize) -> Result<(), Break> {
        if let Some(least) = self.minimum.filter(|it| number < *it) {
            return value.broken(depth, &format!("at least {least}"));
        }
        match self.maximum.filter(|it| number > *it) {
            Some(most) => value.broken(depth, &format!("at most {most}")),
            None => Ok(()),
        }
    }

    fn check_object(
        &self,
        members: &[super::value::Member<'_>],
        value: &Value<'_>,
        depth: usize,
    ) -> Result<(), Break> {
        for (key, rule) in self.keys {
            if let Some(member) = members.iter().find(|it| it.key == *key) {
                rule.check(&member.value, depth + 1)?;
            }
        }
        if let Some(missing) = self.required.iter().find(|it| members.iter().all(|has| has.key != **it)) {
            let found = format!("expected `{missing}`, but found {} without it", value.shown());
            return Err(Break { depth, diagnostic: Diagnostic::new(value.span, found) });
        }
        let stray = members.iter().find(|it| self.is_closed && self.keys.iter().all(|key| key.0 != it.key));
        match stray {
            Some(it) => {
                let names: Vec<_> = self.keys.iter().map(|it| it.0).collect();
                let found = format!("expected {}, but found `{}`", one_of(&names), short(&it.key));
                Err(Break { depth: depth + 1, diagnostic: Diagnostic::new(it.span, found) })
            }
            None => Ok(()),
        }
    }

    fn check_array(&self, items: &[Value<'_>], value: &Value<'_>, depth: usize) -> Result<(), Break> {
        for (index, item) in items.iter().enumerate() {
            let rule = self.items.or_else(|| self.first_items.get(index).copied());
            rule.map_or(Ok(()), |it| it.check(item, depth + 1))?;
        }
        if items.len() < self.min_items {
            return value.broken(depth, &format!("an array of at least {}", self.min_items));
        }
        match self.max_items.filter(|it| items.len() > *it) {
            Some(most) => value.broken(depth, &format!("an array of at most {most}")),
            None => Ok(()),
        }
    }

    /// Checks `value` against the alternatives in `any_of`. If none fits, reports the deepest violation among
    /// the alternatives that accept the value's member `type`, or, if none accepts it, the names for `type`
    /// that they accept.
    fn check_any(&self, value: &Value<'_>, depth: usize) -> Result<(), Break> {
        let mut deepest: Option<Break> = None;
        let mut names = Vec::new();
        for rule in self.any_of {
            names.extend(rule.types());
            let Err(broken) = rule.check(value, depth) else { return Ok(()) };
            let says_more = deepest.as_ref().is_none_or(|it| broken.depth > it.depth);
            if says_more && rule.may_be(value) {
                deepest = Some(broken);
            }
        }
        match deepest {
            Some(broken) => Err(broken),
            None if self.any_of.is_empty() => Ok(()),
            None => value.broken(depth, &one_of(&names)),
        }
    }

    /// Returns the strings that the rule accepts in the member `type` of an object; empty if it accepts any.
    fn types(&self) -> Vec<&'static str> {
        let own = self.keys.iter().filter(|it| it.0 == "type").flat_map(|it| it.1.one_of).copied();
        let mut names: Vec<_> = own.collect();
        for rule in self.any_of.iter().chain(self.all_of) {
            names.extend(rule.types());
        }
        names.dedup();
        names
    }

    /// Returns whether the rule accepts the member `type` of the value. A rule that does not accept it is for
    /// another kind of node, so a violation of this rule explains nothing.
    fn may_be(&self, value: &Value<'_>) -> bool {
        let types = self.types();
        types.is_empty() || value.text("type").is_some_and(|it| types.contains(&it))
    }
}

impl Pattern {
    fn fits(self, text: &str) -> bool {
        let is_hex = |long: usize| {
            text.len() == long + 1
                && text.strip_prefix('#').is_some_and(|it| it.bytes().all(|it| it.is_ascii_hexdigit()))
        };
        match self {
            Self::Color => is_hex(6),
            Self::ColorWithAlpha => is_hex(6) || is_hex(8),
            Self::StatusColor => STATUS_COLORS.contains(&text) || is_hex(6),
        }
    }

    fn shown(self) -> &'static str {
        match self {
            Self::Color => "a colour such as #0052cc",
            Self::ColorWithAlpha => "a colour such as #0052cc or #0052ccff",
            Self::StatusColor => "neutral, purple, blue, red, yellow, green or a colour such as #0052cc",
        }
    }
}

const STATUS_COLORS: [&str; 6] = ["neutral", "purple", "blue", "red", "yellow", "green"];

impl Value<'_> {
    fn broken(&self, depth: usize, wanted: &str) -> Result<(), Break> {
        let found = format!("expected {wanted}, but found {}", self.shown());
        Err(Break { depth, diagnostic: Diagnostic::new(self.span, found) })
    }

    fn shown(&self) -> String {
        match &self.data {
            Data::Array(items) => format!("an array of {}", items.len()),
            Data::Boolean => "a boolean".to_owned(),
            Data::Null => "null".to_owned(),
            Data::Number(number) => number.to_string(),
            Data::Other => "a value that is nested too deeply".to_owned(),
            Data::String(text) => format!("{:?}", short(text)),
            Data::Object(_) => match self.text("type") {
                Some(name) => format!("a {}", short(name)),
                None => "an object".to_owned(),
            },
        }
    }
}

/// Returns the first 80 characters of `text`, or all if there are fewer.
fn short(text: &str) -> &str {
    text.char_indices().nth(80).map_or(text, |it| &text[..it.0])
}

fn one_of(names: &[&str]) -> String {
    let mut names = names.to_vec();
    names.dedup();
    match &*names {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        several => format!("one of {}", several.join(", ")),
    }
}

/// Violations of this crate's own limits on size and depth, which the schema does not have.
impl Break {
    pub(super) fn of_source(span: Span, message: &str) -> Self {
        Self { depth: 0, diagnostic: Diagnostic::new(span, message) }
    }
}
