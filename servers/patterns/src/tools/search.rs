//! `search_patterns`: patterns by words.
//!
//! In: words and filters. Out: the matches, the best first; or the question for what is missing.

use std::collections::BTreeMap;
use std::sync::Arc;

use plainwire::model::Content;
use plainwire::prelude::*;
use plainwire::presentation::{Format, NeedsInput};

use super::apis::apis;
use super::excerpt::{excerpt, plain, sentences};
use super::provenance;
use crate::kinds::{
    Card, CodeExample, Discovery, Markers, Metadata, Query, SearchResults, Suggestion, Summary,
};
use crate::library::{Difficulty, Pattern};
use crate::source::{Found, Source, Wanted};

/// More matches than this, without a filter, are too many to read.
const TOO_BROAD: usize = 20;

/// The default of `limit`, and its largest value.
const MAX_LIMIT: usize = 100;

/// The default of `limitCards`.
const CARDS: usize = 3;

/// The largest number of characters of a summary on a card.
pub(super) const MAX_SUMMARY: usize = 200;

/// The number of suggestions for a search without words, or without matches.
const SUGGESTIONS: usize = 5;

/// What a search asks for.
#[data]
#[serde(rename_all = "camelCase")]
pub(crate) struct SearchArguments {
    /// Words, such as `retry with backoff`. A pattern has to have all of them; the beginning of a word is enough.
    #[length(..=1000)]
    q: Option<String>,
    /// Only patterns of this category.
    category: Option<String>,
    /// Only patterns of this difficulty.
    difficulty: Option<Difficulty>,
    /// The largest number of patterns.
    #[range(1..=100)]
    limit: Option<usize>,
    /// The largest number of cards in the text. 3 by default.
    #[range(1..=10)]
    limit_cards: Option<usize>,
    /// Whether the result says where it comes from and when.
    include_provenance_panel: Option<bool>,
    /// `false` leaves out the list of patterns, so that only the cards remain.
    include_structured_patterns: Option<bool>,
}

pub(crate) async fn search_patterns(
    args: SearchArguments,
    source: State<Source>,
    ctx: Context,
) -> Result<SearchResults, ToolError> {
    let q = args.q.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    if q.is_empty() {
        return Err(needs_words(&source).into());
    }
    let wanted = Wanted {
        text: q.clone(),
        category: args.category.clone(),
        difficulty: args.difficulty.map(Difficulty::as_str),
    };
    let found = source.search(&wanted).await?;
    if found.patterns.len() > TOO_BROAD && args.category.is_none() && args.difficulty.is_none() {
        return Err(needs_filter(&found).into());
    }
    let limit = args.limit.unwrap_or(MAX_LIMIT);
    let format = ctx.format();
    let shown = match format {
        Format::Json => 0,
        Format::Markdown | Format::Both => args.limit_cards.unwrap_or(CARDS).min(limit),
    };
    let mut cards = Vec::new();
    for pattern in found.patterns.iter().take(shown) {
        let whole = complete(&source, pattern).await?;
        cards.push(card(&whole));
    }
    let is_empty = found.patterns.is_empty();
    let query = Query {
        q,
        corrected: found.corrected.clone(),
        category: args.category,
        difficulty: args.difficulty,
        limit,
        format: format.as_str().to_owned(),
    };
    let lists = args.include_structured_patterns.unwrap_or(true);
    let listed = found.patterns.iter().take(if lists { limit } else { 0 });
    Ok(SearchResults {
        query,
        metadata: metadata(&source, &found, &cards, format),
        patterns: listed.map(|it| summary(it)).collect(),
        cards,
        discovery: is_empty.then(|| discovery(&source)),
        provenance: args
            .include_provenance_panel
            .unwrap_or(false)
            .then(|| provenance(&source, found.is_fallback)),
    })
}

/// Returns the pattern with its examples: a search of an API may leave them out.
async fn complete(source: &Source, pattern: &Arc<Pattern>) -> Result<Arc<Pattern>, ToolError> {
    if !pattern.examples.is_empty() || source.upstream.is_none() {
        return Ok(Arc::clone(pattern));
    }
    let whole = source.pattern(&pattern.id).await?;
    Ok(whole.map_or_else(|| Arc::clone(pattern), |(whole, _)| whole))
}

fn metadata(source: &Source, found: &Found, cards: &[Card], format: Format) -> Metadata {
    let count = |name: fn(&Pattern) -> &str| {
        let mut all = BTreeMap::new();
        found.patterns.iter().for_each(|it| *all.entry(name(it).to_owned()).or_insert(0) += 1);
        all
    };
    let mut categories = count(|it| &it.category);
    if found.patterns.is_empty() {
        categories = source.library.categories().into_keys().map(|it| (it.to_owned(), 0)).collect();
    }
    let has_index = format != Format::Json && !found.patterns.is_empty();
    Metadata {
        total_count: found.patterns.len(),
        categories,
        difficulties: count(|it| it.difficulty.as_str()),
        rendered_cards: cards.len(),
        rendered_card_ids: cards.iter().map(|it| it.id.clone()).collect(),
        contract_markers: Markers { index: has_index.into(), cards: cards.len(), version: "v1".to_owned() },
    }
}

fn summary(pattern: &Pattern) -> Summary {
    Summary {
        id: pattern.id.clone(),
        title: pattern.title.clone(),
        category: pattern.category.clone(),
        difficulty: pattern.difficulty,
        description: pattern.summary.clone(),
        tags: pattern.tags.clone(),
    }
}

fn card(pattern: &Pattern) -> Card {
    let example = pattern.examples.iter().find(|it| it.language != "text").or(pattern.examples.first());
    Card {
        id: pattern.id.clone(),
        title: pattern.title.clone(),
        summary: excerpt(&pattern.summary, MAX_SUMMARY),
        use_when: use_when(pattern),
        apis: apis(pattern.examples.iter().map(|it| &*it.code)),
        example: example.map(|it| CodeExample {
            code: it.code.clone(),
            language: it.language.clone(),
            description: it.section.clone(),
        }),
    }
}

/// Returns when to use a pattern: its first use case, or else the first sentence of its summary.
pub(super) fn use_when(pattern: &Pattern) -> Option<String> {
    pattern.use_cases.first().map(String::as_str).or_else(|| sentences(&pattern.summary).next()).map(plain)
}

fn discovery(source: &Source) -> Discovery {
    let easy = source.library.patterns().iter().filter(|it| it.difficulty == Difficulty::Beginner);
    let suggestion = |it: &Arc<Pattern>| Suggestion { id: it.id.clone(), title: it.title.clone() };
    let tip = |text: &str| text.to_owned();
    Discovery {
        categories: source.library.categories().into_keys().map(str::to_owned).collect(),
        suggestions: easy.take(SUGGESTIONS).map(suggestion).collect(),
        tips: vec![
            tip("Fewer words find more: a pattern has to have all of them."),
            tip("The beginning of a word is enough."),
            tip("Without a category or a difficulty, all patterns are searched."),
        ],
    }
}

fn needs_words(source: &Source) -> NeedsInput {
    let needs = NeedsInput::new("Search query is required to find relevant patterns")
        .title("Search Query Needed")
        .message("What pattern are you looking for? Please provide a search query.")
        .choices_title("Examples")
        .field("q");
    source.library.frequent_tags(4).into_iter().fold(needs, |needs, tag| needs.example("q", tag))
}

fn needs_filter(found: &Found) -> NeedsInput {
    let count = found.patterns.len();
    let mut needs = NeedsInput::new(format!(
        "Too many results ({count}). Narrowing filters will help find the right pattern."
    ))
    .title("Narrow Your Search")
    .message(format!(
        "Found {count} patterns. Would you like to narrow your search by category or difficulty?"
    ))
    .choices_title("Available filters");
    for (field, name) in [
        ("category", (|it| &it.category) as fn(&Pattern) -> &str),
        ("difficulty", |it| it.difficulty.as_str()),
    ] {
        let mut counts = BTreeMap::new();
        found.patterns.iter().for_each(|it| *counts.entry(name(it)).or_insert(0usize) += 1);
        let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        for (value, _) in counts {
            needs = needs.described_choice(field, value, format!("Filter by {value} {field}"));
        }
    }
    needs
}

/// Returns whether the counts of markers in a value are those of the text beside it.
pub(crate) fn verify(value: &Value, blocks: &[Content]) -> Result<(), String> {
    let Some(markers) = value.pointer("/metadata/contractMarkers") else { return Ok(()) };
    for (member, marker) in
        [("index", "<!-- kind:pattern-index:v1 -->"), ("cards", "<!-- kind:pattern-card:v1 -->")]
    {
        let lines = blocks.iter().filter_map(Content::as_text).flat_map(str::lines);
        let found = lines.filter(|it| *it == marker).count();
        if markers[member] != found {
            return Err(format!("`{member}` says {}, but the text has {found} of {marker}", markers[member]));
        }
    }
    let (ids, cards) = (&value["metadata"]["renderedCardIds"], &value["metadata"]["renderedCards"]);
    match ids.as_array().map(Vec::len) == cards.as_u64().and_then(|it| it.try_into().ok())
        && *cards == markers["cards"]
    {
        true => Ok(()),
        false => Err(format!("`renderedCards` is {cards}, but there are the ids {ids}")),
    }
}
