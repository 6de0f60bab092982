//! `search_resources`: resources by words and filters.
//!
//! In: words and filters, all of which a resource has to have. Out: the matches, the best first.

use plainwire::prelude::*;
use plainwire::presentation::NeedsInput;

use super::{Library, MAX_LIMIT, reworded};
use crate::kinds::{SearchResults, Summary};
use crate::ranking::{Question, search};
use crate::resource::{Difficulty, Freshness, Type};
use crate::vault::Filter;

/// What a search asks for.
#[data]
pub(crate) struct SearchArguments {
    /// Words, such as `rust async`. A resource has to have all of them; the beginning of a word is enough.
    #[length(..=1000)]
    query: Option<String>,
    /// Only resources of this category.
    category: Option<String>,
    /// Only resources of this type.
    #[serde(rename = "type")]
    kind: Option<Type>,
    /// Only resources about this concept.
    concept: Option<String>,
    /// Only resources that are at least so difficult.
    difficulty: Option<Difficulty>,
    /// Only resources that are at most so difficult.
    max_difficulty: Option<Difficulty>,
    /// Only resources that age so.
    freshness: Option<Freshness>,
    /// Only resources by the makers of what they are about.
    #[default(false)]
    official_only: bool,
    /// Only resources that cost nothing.
    #[default(false)]
    free_only: bool,
    /// The largest number of resources.
    #[default(25)]
    #[range(1..=25)]
    limit: usize,
}

impl SearchArguments {
    fn filter(&self) -> Filter {
        Filter {
            category: self.category.clone(),
            kind: self.kind,
            concept: self.concept.clone(),
            domain: None,
            min_difficulty: self.difficulty,
            max_difficulty: self.max_difficulty,
            freshness: self.freshness,
            official_only: self.official_only,
            free_only: self.free_only,
        }
    }
}

pub(crate) async fn search_resources(
    args: SearchArguments,
    library: State<Library>,
) -> Result<SearchResults, ToolError> {
    let filter = args.filter();
    filter.check().map_err(ToolError::invalid_input)?;
    let query = args.query.map(|it| it.trim().to_owned()).filter(|it| !it.is_empty());
    if query.is_none() && filter.is_empty() {
        return Err(needs_words().into());
    }
    let limit = args.limit.min(MAX_LIMIT);
    let Some(query) = query else {
        let (found, total) = library.ask(move |vault| vault.list(&filter, limit)).await?;
        let resources = found.iter().map(Summary::from).collect();
        return Ok(SearchResults { query: None, did_you_mean: None, total, resources });
    };
    let question = Question::new(&query);
    let ranked = library.ask(move |vault| search(vault, question, &filter)).await?;
    let resources = ranked.matches.iter().take(limit).map(|(it, _)| Summary::from(it)).collect();
    let did_you_mean = reworded(&query, &ranked.corrected);
    Ok(SearchResults { query: Some(query), did_you_mean, total: ranked.total, resources })
}

fn needs_words() -> NeedsInput {
    NeedsInput::new("A search needs words or a filter")
        .title("Search")
        .message("What do you want to learn about?")
        .choices_title("Examples")
        .field("query")
        .example("query", "rust async")
        .example("query", "distributed consensus")
        .example("query", "oauth security")
}
