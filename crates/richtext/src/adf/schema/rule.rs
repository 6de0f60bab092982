//! Rules of a JSON schema, and the check of a value against a rule.
//!
//! Implements the part of draft 4 that Atlassian's schema of ADF uses. In: a value with its spans. Out: the
//! violation of the rule, and its span.

use super::value::{Data, Value};
use crate::diagnostic::Diagnostic;
use crate::tree::Span;

/// A rule. An empty field allows anything.
pub(super) struct Rule {
    pub(super) shape: Option<Shape>,
    pub(super) one_of: &'static [&'static str],
    pub(super) keys: &'static [(&'static str, &'static Self)],
    pub(super) required: &'static [&'static str],
    /// Whether other keys are forbidden.
    pub(super) is_closed: bool,
    pub(super) pattern: Option<Pattern>,
    pub(super) items: Option<&'static Self>,
    /// Rules for the first items, one each.
    pub(super) first_items: &'static [&'static Self],
    pub(super) min_items: usize,
    pub(super) max_items: Option<usize>,
    pub(super) min_length: usize,
    pub(super) minimum: Option<f64>,
    pub(super) maximum: Option<f64>,
    pub(super) any_of: &'static [&'static Self],
    pub(super) all_of: &'static [&'static Self],
}

/// The rule that allows anything.
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

/// The JSON type of a value.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Array,
    Boolean,
    Number,
    Object,
    String,
}

/// The patterns in the schema.
#[derive(Clone, Copy)]
pub(super) enum Pattern {
    /// `#rrggbb`
    Color,
    /// `#rrggbb` or `#rrggbbaa`
    ColorWithAlpha,
    /// `neutral`, `purple`, `blue`, `red`, `yellow`, `green`, `#rrggbb`
    StatusColor,
}

/// The first violation of a rule, and its depth. Of several violations the deepest explains the most.
pub(super) struct Break {
    depth: usize,
    pub(super) diagnostic: Diagnostic,
}

impl Rule {
    /// Checks `value`, which is `depth` levels deep, against this rule.
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
            // The value is deeper than was read, so its type is not known.
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
            return value.broken(depth, &format!("`{missing}`"));
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
            return value.broken(depth, &format!("at least {} in `content`", self.min_items));
        }
        match self.max_items.filter(|it| items.len() > *it) {
            Some(most) => value.broken(depth, &format!("at most {most} here")),
            None => Ok(()),
        }
    }

    /// Checks the alternatives. If none fits, reports the deepest violation among those that accept the
    /// value's `type`.
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

    /// Returns the values of `type` that the rule accepts.
    fn types(&self) -> Vec<&'static str> {
        let own = self.keys.iter().filter(|it| it.0 == "type").flat_map(|it| it.1.one_of).copied();
        let mut names: Vec<_> = own.collect();
        for rule in self.any_of.iter().chain(self.all_of) {
            names.extend(rule.types());
        }
        names.dedup();
        names
    }

    /// Returns whether the rule accepts the value's `type`. Only then is its violation of interest.
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
            Data::Array(items) if items.is_empty() => "none".to_owned(),
            Data::Array(items) => format!("{} of them", items.len()),
            Data::Boolean => "a boolean".to_owned(),
            Data::Null => "null".to_owned(),
            Data::Number(number) => number.to_string(),
            Data::Other => "something deeper than is read".to_owned(),
            Data::String(text) => format!("{:?}", short(text)),
            Data::Object(_) => match self.text("type") {
                Some(name) => format!("a {}", short(name)),
                None => "an object without it".to_owned(),
            },
        }
    }
}

/// Returns at most 80 characters of `text`.
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

/// A violation by a whole document.
impl Break {
    pub(super) fn of_source(span: Span, message: &str) -> Self {
        Self { depth: 0, diagnostic: Diagnostic::new(span, message) }
    }
}
