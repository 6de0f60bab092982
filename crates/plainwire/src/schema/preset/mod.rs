//! Schemas for clients that can't read all of JSON Schema.
//!
//! In: a schema of arguments. Out: one that such a client takes, as close to it as there is. Presets change what is listed
//! and never how arguments are checked: what a preset can't say stands in descriptions, and is enforced all the same. The
//! rules with their sources are in docs/schemas.md.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use super::inline::{When, inline};
use super::slim::{MAX_DEPTH, slim_arguments};
use super::walk;

mod gemini;
mod node;
mod openai;

/// Which part of JSON Schema clients can read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Preset {
    /// All of it, without noise.
    #[default]
    Slim,
    /// What "strict" functions of OpenAI can have: all properties required, nothing else allowed.
    OpenaiStrict,
    /// What function declarations of Gemini can have: a part of OpenAPI 3.0, without references.
    Gemini,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Slim, Self::OpenaiStrict, Self::Gemini];

    /// Returns its name, such as `openai-strict`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Slim => "slim",
            Self::OpenaiStrict => "openai-strict",
            Self::Gemini => "gemini",
        }
    }

    /// Rewrites a schema of arguments.
    ///
    /// Never fails and never panics. What a client can't read becomes something that it can, at the worst text that holds
    /// JSON, which is read where an object or a list is due.
    pub fn apply(self, schema: &mut Value) {
        slim_arguments(schema);
        if self == Self::Slim {
            return;
        }
        if walk::is_deeper(schema, MAX_DEPTH) {
            *schema = serde_json::json!({ "type": "object" });
        }
        inline(schema, When::Always);
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

/// A name that no preset has.
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
