//! Attributes of nodes and marks.

use std::borrow::Cow;

/// A named value of a node or a mark.
///
/// The name shows the owner: a plain name (`panelType`) is ADF's; a name with a colon (`ac:macro-id`,
/// `param:title`, `html:style`, `wiki:form`) belongs to another format and has no equivalent in ADF; a name
/// that begins with `/` is a key of the node's or mark's own JSON object in ADF, beside `type` and `attrs`.
/// Two names that begin with `/` are no keys in ADF, but this crate's own: `/format` of raw nodes, and
/// `/type` of nodes and marks that ADF does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attr<'a> {
    /// The name, including the part before the colon.
    pub name: Cow<'a, str>,
    /// The value of the attribute.
    pub value: Value<'a>,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A string, with the escapes of its source decoded.
    Str(Cow<'a, str>),
    /// Any other JSON, verbatim: `33.30`, `true`, `null`, `{"b": 1, "a": 2}`. Also a JSON string with half of
    /// a surrogate pair, which no Rust string can contain.
    Json(Cow<'a, str>),
}

impl<'a> Attr<'a> {
    /// Creates an attribute with a string value.
    pub fn string(name: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>) -> Self {
        Self { name: name.into(), value: Value::Str(value.into()) }
    }

    /// Creates an attribute with a JSON value that is not a string, from its text.
    pub fn json(name: impl Into<Cow<'a, str>>, text: impl Into<Cow<'a, str>>) -> Self {
        Self { name: name.into(), value: Value::Json(text.into()) }
    }

    /// Returns whether the attribute has no effect on what a reader of the document sees: an identifier or
    /// version number, the choice between two spellings of equal meaning, an `attrs`, `content` or `marks`
    /// that is present but empty, or the line feed of a hard break. Markdown does not carry such attributes;
    /// a sidecar restores them.
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
        const SPELLED: [&str; 8] =
            ["form", "body", "element", "lines", "language", "width", "section", "version"];
        let own = self.name.strip_prefix("storage:").or_else(|| self.name.strip_prefix("wiki:"));
        let is_empty =
            || self.value.shown().trim_matches(['[', ']', '{', '}', ' ', '\n', '\r', '\t']).is_empty();
        let is_break = self.name == "text" && self.value.as_str() == Some("\n");
        is_break
            || NAMES.contains(&&*self.name)
            || own.is_some_and(|it| SPELLED.contains(&it))
            || (matches!(&*self.name, "/attrs" | "/content" | "/marks") && is_empty())
    }

    /// Returns whether the attribute identifies the node, so that a copy of the node can't have it.
    pub(crate) fn is_identifier(&self) -> bool {
        matches!(
            &*self.name,
            "localId" | "ac:local-id" | "ac:macro-id" | "ac:task-id" | "ac:task-uuid" | "uniqueId"
        )
    }

    /// Returns whether the node means the same without this attribute, because the value is the default
    /// (`layout` `default`, `order` `1`) or `null`.
    #[must_use]
    pub fn is_default(&self) -> bool {
        match (&*self.name, self.value.shown()) {
            ("layout", "default")
            | ("isNumberColumnEnabled", "false")
            | ("order" | "colspan" | "rowspan", "1")
            | ("accessLevel" | "style", "") => true,
            (_, value) => matches!(self.value, Value::Json(_)) && value == "null",
        }
    }

    /// Returns whether the attribute belongs to another format than ADF: its name contains a colon.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.name.contains(':')
    }
}

impl<'a> Value<'a> {
    /// Returns the string, if the value is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            Self::Json(_) => None,
        }
    }

    /// Returns the text of a string, without quotes and escapes, or the JSON of any other value.
    #[must_use]
    pub fn shown(&self) -> &str {
        match self {
            Self::Str(text) | Self::Json(text) => text,
        }
    }

    /// Returns the value, a JSON number or a string, as an integer. A number spelled with a fraction or an
    /// exponent (`2.0`) must be whole, and without its sign less than 9e15. Returns `None` for any other
    /// value.
    #[must_use]
    pub fn as_integer(&self) -> Option<i64> {
        let text = self.shown();
        text.parse().ok().or_else(|| {
            let number: f64 = text.parse().ok()?;
            (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
        })
    }
}
