//! The score of a resource: twelve parts, each with a reason.
//!
//! In: a question whose words have weights, and a resource. Out: points. They depend on nothing else.

use std::collections::BTreeSet;

use plainwire::prelude::*;

use super::question::{Intent, Question};
use crate::resource::{Difficulty, Freshness, Language, Resource, Type, address, domain};
use crate::words::{stems, words};

/// The shortest stem that counts as the beginning of another word.
const MIN_PREFIX: usize = 3;

/// A part of a score.
#[data]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// Up to 100: the question is the title, its beginning, its number or the address.
    ExactTitle,
    /// Up to 40: words of the question in the title.
    Title,
    /// Up to 25: concepts that the question names.
    Concept,
    /// Up to 20: words of the question in the description.
    Description,
    /// Up to 20: a category and a type that the question names.
    Category,
    /// Up to 15: words of the question among the tags, in the id and the author.
    Tag,
    /// Up to 15: by the makers of what it is about.
    Official,
    /// Up to 12: for the language that the question names.
    Language,
    /// Up to 10: how well it ages.
    Freshness,
    /// Up to 10: the difficulty that the question asks for.
    Difficulty,
    /// Up to 10: a concept of a domain that the question names.
    Domain,
    /// Up to 8: words that begin with words of the question.
    Prefix,
}

impl Part {
    /// Returns the largest number of points of the part.
    pub fn most(self) -> f64 {
        match self {
            Self::ExactTitle => 100.0,
            Self::Title => 40.0,
            Self::Concept => 25.0,
            Self::Description | Self::Category => 20.0,
            Self::Tag | Self::Official => 15.0,
            Self::Language => 12.0,
            Self::Freshness | Self::Difficulty | Self::Domain => 10.0,
            Self::Prefix => 8.0,
        }
    }

    /// Returns whether the part shows that the resource is about what the question is about.
    fn is_evidence(self) -> bool {
        !matches!(self, Self::Official | Self::Language | Self::Freshness | Self::Difficulty | Self::Domain)
    }
}

/// The points of a resource.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// The parts that have points, in the order of [`Part`].
    pub parts: Vec<(Part, f64)>,
}

impl Score {
    /// Returns the sum of all points, from 0 to 285.
    pub fn total(&self) -> f64 {
        self.parts.iter().map(|it| it.1).sum()
    }

    /// Returns whether the question names the resource.
    pub fn is_exact(&self) -> bool {
        self.parts.iter().any(|(part, _)| *part == Part::ExactTitle)
    }

    /// Returns whether the resource has to do with the question at all.
    pub fn is_match(&self) -> bool {
        self.parts.iter().any(|(part, _)| part.is_evidence())
    }
}

/// Returns the score of a resource. `weights` belong to the stems of the question.
pub(super) fn score(question: &Question, weights: &[f64], resource: &Resource) -> Score {
    let title: BTreeSet<String> = stems(&resource.title).into_iter().collect();
    let description: BTreeSet<String> = stems(&resource.description).into_iter().collect();
    let labels = resource.tags.iter().chain(&resource.author).chain([&resource.id]);
    let tags: BTreeSet<String> = labels.flat_map(|it| stems(it)).collect();
    let all: f64 = weights.iter().sum();
    let share = |has: &dyn Fn(&str) -> bool| {
        let found = question.stems.iter().zip(weights).filter(|(stem, _)| has(stem));
        if all > 0.0 { found.map(|it| it.1).sum::<f64>() / all } else { 0.0 }
    };
    let begins = |it: &str| {
        let is_whole = title.contains(it) || description.contains(it) || tags.contains(it);
        let mut all = title.iter().chain(&description).chain(&tags);
        !is_whole && it.len() >= MIN_PREFIX && all.any(|word| word.starts_with(it))
    };
    let parts = [
        (Part::ExactTitle, if is_exact(question, resource) { 1.0 } else { 0.0 }),
        (Part::Title, share(&|it| title.contains(it))),
        (Part::Concept, shared(&question.concepts, |it| resource.concepts.iter().any(|of| of == it))),
        (Part::Description, share(&|it| description.contains(it))),
        (Part::Category, category(question, resource)),
        (Part::Tag, share(&|it| tags.contains(it))),
        (Part::Official, official(question, resource)),
        (Part::Language, language(question, resource)),
        (Part::Freshness, freshness(resource)),
        (Part::Difficulty, difficulty(question, resource)),
        (
            Part::Domain,
            shared(&question.domains, |it| resource.concepts.iter().any(|of| domain(of) == Some(it))),
        ),
        (Part::Prefix, share(&begins)),
    ];
    let points = parts.into_iter().map(|(part, share)| (part, (share * part.most() * 10.0).round() / 10.0));
    Score { parts: points.filter(|it| it.1 > 0.0).collect() }
}

/// Returns whether the question is the title, its part before a colon, the id, a name with a number or the address.
fn is_exact(question: &Question, resource: &Resource) -> bool {
    if question.address.is_some() && question.address == address(&resource.url).ok() {
        return true;
    }
    if let Some(phrase) = &question.phrase {
        return words(&resource.title).windows(phrase.len()).any(|it| it == phrase);
    }
    let head = resource.title.split([':', '(', '–', '—']).next().unwrap_or_default();
    let names = [&resource.title, head, &resource.id];
    let has = |name: &str, (series, number): &(String, String)| {
        words(name).windows(2).any(|it| it[0] == *series && it[1] == *number)
    };
    if question.numbered.iter().any(|it| has(head, it) || has(&resource.id, it)) {
        return true;
    }
    // In any order: "the book of Rust".
    let set = |it: Vec<String>| it.into_iter().collect::<BTreeSet<_>>();
    let asked = set(question.stems.clone());
    !asked.is_empty() && names.iter().any(|it| set(stems(it)) == asked)
}

/// Returns the part of `named` for which `has` is true; 0 if nothing is named.
fn shared(named: &[&'static str], has: impl Fn(&str) -> bool) -> f64 {
    let found = named.iter().filter(|it| has(it)).count();
    if named.is_empty() { 0.0 } else { found as f64 / named.len() as f64 }
}

/// Half for the category, half for the type. Who looks for a place to start wants to be led: a specification or a paper does
/// not lead.
fn category(question: &Question, resource: &Resource) -> f64 {
    let category = shared(&question.categories, |it| resource.categories.iter().any(|of| of == it));
    let leads = matches!(
        resource.kind,
        Type::Tutorial | Type::Course | Type::Book | Type::Documentation | Type::Video
    );
    let kind = match question.types.is_empty() {
        false if question.types.contains(&resource.kind) => 1.0,
        true if question.intent == Intent::Exploratory && leads && category > 0.0 => 0.8,
        _ => 0.0,
    };
    (category + kind) / 2.0
}

fn official(question: &Question, resource: &Resource) -> f64 {
    match (resource.official, question.official || question.intent == Intent::Specific) {
        (true, true) => 1.0,
        (true, false) => 0.3,
        (false, _) => 0.0,
    }
}

fn language(question: &Question, resource: &Resource) -> f64 {
    match resource.language_applicability {
        it if question.languages.contains(&it) => 1.0,
        Language::Universal => 0.5,
        _ if question.languages.is_empty() => 0.25,
        _ => 0.0,
    }
}

fn freshness(resource: &Resource) -> f64 {
    match resource.freshness {
        Freshness::Current | Freshness::Evergreen => 1.0,
        Freshness::Aging => 0.5,
        Freshness::Historical => 0.0,
    }
}

/// Who looks for a place to start, and does not say what he knows, knows little; a specification or a paper is none. Others can
/// follow most texts.
fn difficulty(question: &Question, resource: &Resource) -> f64 {
    let wanted = question.difficulty.unwrap_or(Difficulty::Beginner);
    let leads = !matches!(resource.kind, Type::Specification | Type::Paper);
    if question.intent == Intent::Exploratory && !leads {
        return 0.0;
    }
    let shares = match (question.difficulty, question.intent) {
        (Some(_), _) => [1.0, 0.5, 0.0, 0.0],
        (None, Intent::Exploratory) => [1.0, 0.3, 0.0, 0.0],
        (None, _) => [1.0, 1.0, 0.7, 0.0],
    };
    shares[(wanted as usize).abs_diff(resource.difficulty as usize)]
}
