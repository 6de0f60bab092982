//! Presets: schemas for clients that can't read all of JSON Schema.
//!
//! In: a schema of arguments. Out: a schema that such a client accepts. A keyword that the client can't read
//! is replaced by a similar one, moved into the description, or removed. Presets change what is listed and
//! never how arguments are checked: a removed keyword that the server checks is still enforced. The rules and
//! their sources are in docs/schemas.md.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use super::inline::{InlineRule, inline};
use super::slim::{MAX_DEPTH, slim_arguments};
use super::walk;

mod gemini;
mod node;
mod openai;

/// The part of JSON Schema that the clients of a server can read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Preset {
    /// All of JSON Schema: schemas are only shortened, by [`slim_arguments`].
    #[default]
    Slim,
    /// The subset for "strict" functions of OpenAI: all properties are required, and no others are allowed.
    OpenaiStrict,
    /// The subset for function declarations of Gemini: a part of OpenAPI 3.0, without references.
    Gemini,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 3] = [Self::Slim, Self::OpenaiStrict, Self::Gemini];

    /// Returns the name of the preset, such as `openai-strict`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Slim => "slim",
            Self::OpenaiStrict => "openai-strict",
            Self::Gemini => "gemini",
        }
    }

    /// Rewrites a schema of arguments.
    ///
    /// Never fails and never panics. A part that the client can't read is replaced by a form that it can
    /// read, described in words, or removed. If a whole value can't be described, it becomes a string that
    /// holds JSON: arguments may have such a string where an object or a list is expected. [`Self::Slim`]
    /// leaves a schema unchanged that is nested deeper than 128 levels; the other presets replace it by an
    /// object without properties.
    pub fn apply(self, schema: &mut Value) {
        slim_arguments(schema);
        if self == Self::Slim {
            return;
        }
        if walk::is_deeper(schema, MAX_DEPTH) {
            *schema = serde_json::json!({ "type": "object" });
        }
        inline(schema, InlineRule::Always);
        match self {
            Self::Slim => {}
            Self::OpenaiStrict => openai::rewrite(schema),
            Self::Gemini => gemini::rewrite(schema),
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error for a name that belongs to no preset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPreset(String);

impl fmt::Display for UnknownPreset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Preset::ALL.map(Preset::as_str).join(", ");
        write!(f, "expected a preset, one of {known}, but found {:?}", self.0)
    }
}

impl std::error::Error for UnknownPreset {}

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(name: &str) -> Result<Self, UnknownPreset> {
        let preset = Self::ALL.into_iter().find(|preset| preset.as_str() == name);
        preset.ok_or_else(|| UnknownPreset(plainwire_proto::json::shorten(name).into_owned()))
    }
}
