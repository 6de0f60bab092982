//! The values that tools return. Each has a member `kind`; its schema is published by `plainwire schemas`.
//!
//! In: what the source has. Out: the values. The fields, and when they are absent, are documented in `docs/patterns.md`.

use std::collections::BTreeMap;

use plainwire::prelude::*;

use crate::library::Difficulty;

/// The matches of a search.
#[data(kind = "patternSearchResults:v1")]
#[serde(rename_all = "camelCase")]
pub struct SearchResults {
    pub query: Query,
    pub metadata: Metadata,
    /// The matches, the best first; at most `query.limit`.
    pub patterns: Vec<Summary>,
    /// The first matches as they are shown to a reader. Only if the call asks for text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cards: Vec<Card>,
    /// Where to go on, if there are no matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discovery: Option<Discovery>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// The search, as it was done.
#[data]
#[serde(rename_all = "camelCase")]
pub struct Query {
    pub q: String,
    /// The words that were searched for in place of `q`, because nothing has those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<Difficulty>,
    pub limit: usize,
    pub format: String,
}

/// Counts of a search.
#[data]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// The number of matches before `limit`.
    pub total_count: usize,
    pub categories: BTreeMap<String, usize>,
    pub difficulties: BTreeMap<String, usize>,
    pub rendered_cards: usize,
    pub rendered_card_ids: Vec<String>,
    pub contract_markers: Markers,
}

/// The numbers of markers in the text.
#[data]
pub struct Markers {
    pub index: usize,
    pub cards: usize,
    pub version: String,
}

/// A match.
#[data]
pub struct Summary {
    pub id: String,
    pub title: String,
    pub category: String,
    pub difficulty: Difficulty,
    pub description: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// A match with what a reader decides by.
#[data]
#[serde(rename_all = "camelCase")]
pub struct Card {
    pub id: String,
    pub title: String,
    /// At most 200 characters.
    pub summary: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_when: Option<String>,
    /// The functions that the example calls, at most 6.
    pub apis: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<CodeExample>,
}

/// Patterns and categories that exist, for a search without matches.
#[data]
pub struct Discovery {
    pub categories: Vec<String>,
    pub suggestions: Vec<Suggestion>,
    pub tips: Vec<String>,
}

/// A pattern that exists.
#[data]
pub struct Suggestion {
    pub id: String,
    pub title: String,
}

/// Where a value comes from, and when it was made.
#[data]
pub struct Provenance {
    pub source: String,
    /// ISO 8601, in UTC.
    pub timestamp: String,
    pub version: String,
}

/// One pattern.
#[data(kind = "patternDetails:v1")]
#[serde(rename_all = "camelCase")]
pub struct Details {
    pub id: String,
    pub title: String,
    pub category: String,
    pub difficulty: Difficulty,
    /// At most 200 characters.
    pub summary: String,
    pub description: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The functions that the examples call, at most 6.
    pub apis: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_guidance: Option<UseGuidance>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub use_cases: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<SectionOf>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<CodeExample>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// When to use a pattern, and when not.
#[data]
#[serde(rename_all = "camelCase")]
pub struct UseGuidance {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_when: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avoid_when: Option<String>,
}

/// A part of the text of a pattern.
#[data]
pub struct SectionOf {
    pub title: String,
    #[schemars(extend("contentMediaType" = "text/markdown"))]
    pub content: String,
    /// `description`, `example`, `useCase` or `related`; absent for what to avoid.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// A piece of code.
#[data]
pub struct CodeExample {
    pub code: String,
    pub language: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Skills that were found.
#[data(kind = "skillSearchResults:v1")]
pub struct Skills {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// The number of skills before `limit`.
    pub count: usize,
    pub skills: Vec<SkillSummary>,
}

/// A skill without its text.
#[data]
#[serde(rename_all = "camelCase")]
pub struct SkillSummary {
    pub slug: String,
    pub name: String,
    pub description: String,
    pub category: String,
    pub pattern_count: usize,
    pub version: u64,
}

/// One skill.
#[data(kind = "skillDetails:v1")]
pub struct SkillDetails {
    pub skill: SkillText,
}

/// A skill with its text.
#[data]
#[serde(rename_all = "camelCase")]
pub struct SkillText {
    pub slug: String,
    pub name: String,
    pub description: String,
    pub category: String,
    pub pattern_count: usize,
    pub version: u64,
    #[schemars(extend("contentMediaType" = "text/markdown"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// Rules for reading code.
#[data(kind = "analysisRules:v1")]
pub struct Rules {
    pub count: usize,
    pub rules: Vec<RuleText>,
}

/// A rule.
#[data]
pub struct RuleText {
    pub id: String,
    pub title: String,
    pub severity: String,
    pub category: String,
    pub message: String,
    /// The id of a pattern that shows what to write instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

/// The configuration of the server. It holds no secret: of the key, only whether there is one.
#[data(kind = "serverConfig:v1")]
#[serde(rename_all = "camelCase")]
pub struct Config {
    pub base_url: String,
    pub mcp_env: String,
    pub debug: bool,
    pub has_api_key: bool,
}
