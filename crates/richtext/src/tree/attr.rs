//! What is said of a node or a mark besides its kind.

use std::borrow::Cow;

/// One attribute. Their order is that of the source.
///
/// The name tells whose it is: a plain one (`panelType`) is ADF's, one with a colon (`ac:macro-id`, `param:title`, `html:style`,
/// `wiki:form`) belongs to another format and has no place in ADF, and one that begins with `/` is a key of the ADF node itself, next to
/// `type`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attr<'a> {
    /// Its name, as in the source.
    pub name: Cow<'a, str>,
    /// What it says.
    pub value: Value<'a>,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A string, decoded.
    Str(Cow<'a, str>),
    /// Any other JSON, as it was written: `33.30`, `true`, `null`, `{"b": 1, "a": 2}`.
    Json(Cow<'a, str>),
}

impl<'a> Attr<'a> {
    /// A string.
    pub fn string(name: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>) -> Self {
        Self { name: name.into(), value: Value::Str(value.into()) }
    }

    /// Any other JSON, by its text.
    pub fn json(name: impl Into<Cow<'a, str>>, text: impl Into<Cow<'a, str>>) -> Self {
        Self { name: name.into(), value: Value::Json(text.into()) }
    }

    /// Whether it says nothing of what a reader sees: what tells a thing from its copies, how a format spelled what it could have spelled
    /// otherwise, that something is there and empty, or that a hard break is a line feed. Markdown does not carry it; a sidecar brings it back.
    #[must_use]
    pub fn is_incidental(&self) -> bool {
        const NAMES: [&str; 7] = [
            "localId",
            "ac:local-id",
            "ac:macro-id",
            "ac:schema-version",
            "ac:task-id",
            "ac:task-uuid",
            "ri:version-at-save",
        ];
        const SPELLED: [&str; 7] = ["form", "body", "element", "lines", "language", "width", "section"];
        let own = self.name.strip_prefix("storage:").or_else(|| self.name.strip_prefix("wiki:"));
        let is_empty =
            || self.value.shown().trim_matches(['[', ']', '{', '}', ' ', '\n', '\r', '\t']).is_empty();
        let is_break = self.name == "text" && self.value.as_str() == Some("\n");
        is_break
            || NAMES.contains(&&*self.name)
            || own.is_some_and(|it| SPELLED.contains(&it))
            || (matches!(&*self.name, "/attrs" | "/content" | "/marks") && is_empty())
    }

    /// Whether it says what holds without it.
    #[must_use]
    pub fn is_default(&self) -> bool {
        match (&*self.name, self.value.shown()) {
            ("layout", "default")
            | ("isNumberColumnEnabled", "false")
            | ("order" | "colspan" | "rowspan", "1")
            | ("accessLevel", "") => true,
            (_, value) => matches!(self.value, Value::Json(_)) && value == "null",
        }
    }

    /// Whether ADF knows no such attribute.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.name.contains(':')
    }
}

impl<'a> Value<'a> {
    /// The string, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            Self::Json(_) => None,
        }
    }

    /// The text of a string, the JSON of anything else: what a person would read.
    #[must_use]
    pub fn shown(&self) -> &str {
        match self {
            Self::Str(text) | Self::Json(text) => text,
        }
    }

    /// The whole number it is, also when it is written as a string or as `2.0`.
    #[must_use]
    pub fn as_integer(&self) -> Option<i64> {
        let text = self.shown();
        text.parse().ok().or_else(|| {
            let number: f64 = text.parse().ok()?;
            (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
        })
    }
}
