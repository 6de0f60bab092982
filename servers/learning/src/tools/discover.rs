//! `discover_resources`: resources for a question in words of people.
//!
//! In: a question. Out: what it is after, the matches with their scores, and on request why they are where they are.

use plainwire::prelude::*;

use super::{Library, MAX_LIMIT, reworded};
use crate::kinds::{Discovery, Match, Points, Summary, Understood};
use crate::ranking::{Intent, Question, Score, rank};
use crate::resource::{Difficulty, Resource};
use crate::vault::Filter;

/// A question.
#[data]
pub(crate) struct DiscoverArguments {
    /// A question, such as `where do I start with Rust?`, a title between quotation marks, or an address.
    #[length(1..=1000)]
    query: String,
    /// Only resources about this concept.
    concept: Option<String>,
    /// Only resources about a concept of this domain.
    domain: Option<String>,
    /// What the question is after, if its words do not say it.
    mode: Option<Intent>,
    /// Only resources that are at least so difficult.
    min_difficulty: Option<Difficulty>,
    /// Only resources that are at most so difficult.
    max_difficulty: Option<Difficulty>,
    /// Whether each match says why it is where it is.
    #[default(false)]
    explain: bool,
    /// The largest number of resources.
    #[default(10)]
    #[range(1..=25)]
    limit: usize,
}

pub(crate) async fn discover_resources(
    args: DiscoverArguments,
    library: State<Library>,
) -> Result<Discovery, ToolError> {
    let mut question = Question::new(&args.query);
    question.intent = args.mode.unwrap_or(question.intent);
    let filter = Filter {
        concept: args.concept,
        domain: args.domain,
        min_difficulty: args.min_difficulty,
        max_difficulty: args.max_difficulty,
        ..Filter::default()
    };
    filter.check().map_err(ToolError::invalid_input)?;
    let ranked = library.ask(move |vault| rank(vault, question, &filter)).await?;
    let suggestions = match ranked.matches.is_empty() {
        true => library.ask(|vault| vault.counts("category")).await?.into_keys().collect(),
        false => Vec::new(),
    };
    let shown = ranked.matches.iter().take(args.limit.min(MAX_LIMIT));
    let question = ranked.question;
    let owned = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect();
    Ok(Discovery {
        did_you_mean: reworded(&args.query, &ranked.corrected),
        query: args.query,
        intent: question.intent,
        total: ranked.total,
        resources: shown.map(|(it, score)| matched(it, score, args.explain)).collect(),
        suggestions,
        understood: Understood {
            concepts: owned(&question.concepts),
            categories: owned(&question.categories),
            words: question.words,
            languages: question.languages,
            types: question.types,
            difficulty: question.difficulty,
        },
    })
}

fn matched(it: &Resource, score: &Score, explain: bool) -> Match {
    let points = score.parts.iter().map(|&(part, points)| Points { part, points, of: part.most() });
    Match {
        score: (score.total() * 10.0).round() / 10.0,
        why: if explain { points.collect() } else { Vec::new() },
        resource: Summary::from(it),
    }
}
