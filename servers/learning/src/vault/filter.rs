//! Filters: which resources may be in an answer.
//!
//! In: words of the vocabulary. Out: groups of labels; a resource passes if it has one label of each group.

use std::collections::BTreeSet;

use crate::resource::{Difficulty, Freshness, Resource, Type, domain};

/// What resources have to have. The default lets all of them pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// A category.
    pub category: Option<String>,
    /// A kind.
    pub kind: Option<Type>,
    /// A concept.
    pub concept: Option<String>,
    /// A domain of concepts.
    pub domain: Option<String>,
    /// The least difficulty.
    pub min_difficulty: Option<Difficulty>,
    /// The greatest difficulty.
    pub max_difficulty: Option<Difficulty>,
    /// How it ages.
    pub freshness: Option<Freshness>,
    /// Whether only official ones pass.
    pub official_only: bool,
    /// Whether only free ones pass.
    pub free_only: bool,
}

impl Filter {
    /// Returns whether all resources pass.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Checks that some resource could pass.
    ///
    /// # Errors
    /// A sentence, if the least difficulty is above the greatest.
    pub fn check(&self) -> Result<(), String> {
        match (self.min_difficulty, self.max_difficulty) {
            (Some(least), Some(most)) if least > most => Err(format!(
                "expected the least difficulty to be at most the greatest, but found {} and {}",
                least.as_str(),
                most.as_str()
            )),
            _ => Ok(()),
        }
    }

    /// Returns whether a resource passes.
    pub fn passes(&self, it: &Resource) -> bool {
        let labels = labels(it);
        self.groups().iter().all(|group| group.iter().any(|it| labels.contains(it)))
    }

    /// Returns the groups of labels.
    pub(super) fn groups(&self) -> Vec<Vec<String>> {
        let mut groups: Vec<Vec<String>> = [
            self.category.as_ref().map(|it| label("category", it)),
            self.kind.map(|it| label("type", it.as_str())),
            self.concept.as_ref().map(|it| label("concept", it)),
            self.domain.as_ref().map(|it| label("domain", it)),
            self.freshness.map(|it| label("freshness", it.as_str())),
            self.official_only.then(|| label("official", "true")),
            self.free_only.then(|| label("free", "true")),
        ]
        .into_iter()
        .flatten()
        .map(|it| vec![it])
        .collect();
        if self.min_difficulty.is_some() || self.max_difficulty.is_some() {
            let passes = |it: &&Difficulty| {
                self.min_difficulty.is_none_or(|least| **it >= least)
                    && self.max_difficulty.is_none_or(|most| **it <= most)
            };
            let all = Difficulty::ALL.iter().filter(passes);
            groups.push(all.map(|it| label("difficulty", it.as_str())).collect());
        }
        groups
    }
}

/// Returns a label: the name of a vocabulary and a word of it.
pub(super) fn label(name: &str, word: &str) -> String {
    format!("{name}={word}")
}

/// Returns the labels of a resource.
pub(super) fn labels(it: &Resource) -> BTreeSet<String> {
    let one = [
        label("type", it.kind.as_str()),
        label("difficulty", it.difficulty.as_str()),
        label("freshness", it.freshness.as_str()),
        label("official", if it.official { "true" } else { "false" }),
        label("free", if it.free { "true" } else { "false" }),
    ];
    let categories = it.categories.iter().map(|it| label("category", it));
    let concepts = it.concepts.iter().map(|it| label("concept", it));
    let domains = it.concepts.iter().filter_map(|it| domain(it)).map(|it| label("domain", it));
    one.into_iter().chain(categories).chain(concepts).chain(domains).collect()
}
