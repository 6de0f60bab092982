//! The values that tools return. Each has a member `kind`; its schema is published by `plainwire schemas`.
//!
//! In: what the vault and the pages have. Out: the values. The fields, and when they are absent, are documented in
//! `docs/learning.md`.

use std::collections::BTreeMap;

use plainwire::prelude::*;

use crate::export::ExportFormat;
use crate::ranking::{Intent, Part};
use crate::resource::{Difficulty, Language, Resource, Type};

/// The matches of `search_resources`, and the entries of `browse_vault`.
#[data(kind = "learningSearchResults:v1")]
#[serde(rename_all = "camelCase")]
pub struct SearchResults {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The query with other words, if nothing has those of `query`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
    /// The number of matches before `limit`.
    pub total: usize,
    pub resources: Vec<Summary>,
}

/// A resource in a list.
#[data]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub id: String,
    pub title: String,
    pub url: String,
    pub description: String,
    #[serde(rename = "type")]
    pub kind: Type,
    pub categories: Vec<String>,
    pub difficulty: Difficulty,
    pub official: bool,
    pub free: bool,
}

/// The answer of `discover_resources`.
#[data(kind = "learningDiscovery:v1")]
#[serde(rename_all = "camelCase")]
pub struct Discovery {
    pub query: String,
    pub intent: Intent,
    pub understood: Understood,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
    /// The number of matches before `limit`.
    pub total: usize,
    pub resources: Vec<Match>,
    /// Where to go on, if there are no matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
}

/// The parts of the vocabulary that a question names.
#[data]
#[serde(rename_all = "camelCase")]
pub struct Understood {
    /// The words that were looked for.
    pub words: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub concepts: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<Language>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<Type>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<Difficulty>,
}

/// A match with its score.
#[data]
#[serde(rename_all = "camelCase")]
pub struct Match {
    /// 0 to 285.
    pub score: f64,
    /// The parts of the score. Only if the call asks to `explain`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<Points>,
    pub resource: Summary,
}

/// A part of a score.
#[data]
pub struct Points {
    pub part: Part,
    pub points: f64,
    /// The largest number of points of the part.
    pub of: f64,
}

/// One resource, whole.
#[data(kind = "learningResource:v1")]
pub struct Details {
    pub resource: Resource,
}

/// The words of the vocabulary, each with the number of its resources.
#[data(kind = "learningCategories:v1")]
#[serde(rename_all = "camelCase")]
pub struct Categories {
    pub total: usize,
    pub categories: BTreeMap<String, usize>,
    pub types: BTreeMap<String, usize>,
    pub difficulties: BTreeMap<String, usize>,
    /// Domains with their concepts.
    pub domains: BTreeMap<String, BTreeMap<String, usize>>,
}

/// A page, without its text.
#[data(kind = "learningPage:v1")]
#[serde(rename_all = "camelCase")]
pub struct PageSummary {
    /// The address after redirects.
    pub url: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    pub media_type: String,
    pub words: usize,
    /// At 230 words a minute, at least 1.
    pub reading_minutes: usize,
    /// As far as the words of the page say.
    pub difficulty: Difficulty,
    /// The beginning of the text, at most 500 characters.
    pub excerpt: String,
    /// Whether the vault has the address, and as what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_as: Option<String>,
}

/// A page with all of its text.
#[data(kind = "learningPageText:v1")]
pub struct PageText {
    /// The address after redirects.
    pub url: String,
    pub title: String,
    pub words: usize,
    #[schemars(extend("contentMediaType" = "text/markdown"))]
    pub text: String,
}

/// A resource that was added.
#[data(kind = "learningAdded:v1")]
#[serde(rename_all = "camelCase")]
pub struct Added {
    pub resource: Resource,
    /// The members that were inferred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inferred: Vec<String>,
    /// Pages below the page, to which it links.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_pages: Vec<SubPage>,
}

/// A page below another one.
#[data]
pub struct SubPage {
    pub url: String,
    pub title: String,
}

/// A document of resources.
#[data(kind = "learningExport:v1")]
#[serde(rename_all = "camelCase")]
pub struct Exported {
    pub format: ExportFormat,
    pub file_name: String,
    pub media_type: String,
    /// The number of resources in it.
    pub count: usize,
    /// The document, unless it is binary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A binary document, in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    pub data: Option<String>,
}

/// The end of an import.
#[data(kind = "learningImport:v1")]
pub struct ImportReport {
    pub added: usize,
    /// Entries whose address the vault had, or that came twice.
    pub known: usize,
    /// Entries that have no address of a page.
    pub skipped: usize,
}

impl From<&Resource> for Summary {
    fn from(it: &Resource) -> Self {
        Self {
            id: it.id.clone(),
            title: it.title.clone(),
            url: it.url.clone(),
            description: it.description.clone(),
            kind: it.kind,
            categories: it.categories.clone(),
            difficulty: it.difficulty,
            official: it.official,
            free: it.free,
        }
    }
}
