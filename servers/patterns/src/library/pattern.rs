//! A pattern, as a library holds it.
//!
//! In: a record of a data file, or of an upstream. Out: [`Pattern`].

use plainwire::prelude::*;

/// How much a reader has to know before.
#[data]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub enum Difficulty {
    Beginner,
    Intermediate,
    Advanced,
}

impl Difficulty {
    pub(crate) const ALL: [Self; 3] = [Self::Beginner, Self::Intermediate, Self::Advanced];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Beginner => "beginner",
            Self::Intermediate => "intermediate",
            Self::Advanced => "advanced",
        }
    }
}

/// One pattern. The fields are those of a record of the data file.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pattern {
    pub id: String,
    pub title: String,
    pub category: String,
    pub difficulty: Difficulty,
    pub summary: String,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default)]
    pub sections: Vec<Section>,
    #[serde(default)]
    pub examples: Vec<Example>,
    #[serde(default)]
    pub anti_examples: Vec<Example>,
    #[serde(default)]
    pub use_cases: Vec<String>,
    #[serde(default)]
    pub related: Vec<String>,
}

/// A part of the text of a pattern, in Markdown.
#[derive(Clone, Debug, Deserialize)]
pub struct Section {
    pub title: String,
    #[serde(rename = "type")]
    pub kind: SectionKind,
    pub content: String,
}

/// The purpose of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SectionKind {
    Description,
    Example,
    AntiPattern,
    UseCase,
    Related,
}

/// A piece of code.
#[derive(Clone, Debug, Deserialize)]
pub struct Example {
    pub language: String,
    #[serde(default)]
    pub section: Option<String>,
    pub code: String,
}
