//! The ranking: what a question is after, and how well each resource fits.
//!
//! In: a question and a vault. Out: resources with their scores, the best first; of equal ones that with the smaller id. An
//! answer depends on the question and on what is in the vault, and on nothing else.

use plainwire_sqlite::FileError;

mod keywords;
mod question;
mod score;

pub use question::{Intent, Question};
pub use score::{Part, Score};

use crate::resource::Resource;
use crate::vault::{Filter, Vault, Wanted};
use crate::words::stem;

/// The largest number of resources that are scored: those with the most words of the question.
const MAX_CANDIDATES: usize = 400;

/// The shortest word in which a typo is looked for.
const MIN_TYPO: usize = 5;

/// The matches of a question.
#[derive(Debug)]
pub struct Ranked {
    /// The question, with corrected words.
    pub question: Question,
    /// The words that were replaced, because nothing has them, each with the word in its place.
    pub corrected: Vec<(String, String)>,
    /// The matches, the best first.
    pub matches: Vec<(Resource, Score)>,
    /// The number of matches; more than there are in `matches` if they are more than 400.
    pub total: usize,
}

/// Returns the resources that have a word of the question, or something that the question names.
///
/// # Errors
/// An error of the file.
pub fn rank(vault: &Vault, question: Question, filter: &Filter) -> Result<Ranked, FileError> {
    let found = ranked(vault, question, filter, false)?;
    match found.matches.first() {
        // A question for one resource is also one for what that resource is about.
        Some((named, score)) if score.is_exact() && found.question.concepts.is_empty() => {
            let question = found.question.clone().about(&named.concepts);
            Ok(Ranked { corrected: found.corrected, ..ranked(vault, question, filter, false)? })
        }
        _ => Ok(found),
    }
}

/// Returns the resources that have all words of the question.
///
/// # Errors
/// An error of the file.
pub fn search(vault: &Vault, question: Question, filter: &Filter) -> Result<Ranked, FileError> {
    ranked(vault, question, filter, true)
}

fn ranked(
    vault: &Vault,
    mut question: Question,
    filter: &Filter,
    all_stems: bool,
) -> Result<Ranked, FileError> {
    let filter = &Filter { free_only: filter.free_only || question.free, ..filter.clone() };
    let corrected = correct(vault, &mut question)?;
    let weights = weights(vault, &question)?;
    // A label is worth as much as a rare word in the title.
    let labels =
        |all: &[&'static str], weight: f64| all.iter().map(|it| ((*it).to_owned(), weight)).collect();
    let wanted = Wanted {
        stems: question.stems.iter().cloned().zip(weights.iter().copied()).collect(),
        concepts: if all_stems { Vec::new() } else { labels(&question.concepts, 6.0) },
        categories: if all_stems { Vec::new() } else { labels(&question.categories, 3.0) },
        all_stems,
    };
    let (mut found, total) = vault.find(&wanted, filter, MAX_CANDIDATES)?;
    if let Some(id) = question.address.as_ref().map(|it| vault.id_of_address(&format!("https://{it}")))
        && let Some(it) = id?.map(|id| vault.get(&id)).transpose()?.flatten()
        && filter.passes(&it)
        && found.iter().all(|other| other.id != it.id)
    {
        found.push(it);
    }
    let mut matches: Vec<(Resource, Score)> = found
        .into_iter()
        .map(|it| {
            let score = score::score(&question, &weights, &it);
            (it, score)
        })
        .collect();
    let before = matches.len();
    matches.retain(|(_, score)| score.is_match());
    matches.sort_by(|(a, a_score), (b, b_score)| {
        b_score.total().total_cmp(&a_score.total()).then_with(|| a.id.cmp(&b.id))
    });
    let total = total.max(before) - (before - matches.len());
    Ok(Ranked { question, corrected, matches, total })
}

/// Replaces the words that no resource has by those that may have been meant.
fn correct(vault: &Vault, question: &mut Question) -> Result<Vec<(String, String)>, FileError> {
    let mut corrected = question.spelled.clone();
    // Who quotes a title, or names an address, means each word.
    if question.phrase.is_some() || question.address.is_some() {
        return Ok(corrected);
    }
    for word in question.words.clone() {
        let is_short = word.chars().count() < MIN_TYPO || !word.chars().all(char::is_alphabetic);
        if is_short || Question::knows(&word) || vault.frequency(&stem(&word))? > 0 {
            continue;
        }
        if let Some(meant) = vault.meant(&word)? {
            question.replace(&word, &meant);
            corrected.push((word, meant));
        }
    }
    Ok(corrected)
}

/// Returns the weights of the stems: a rare word says more. A word that nothing has says nothing, and one that names a category
/// or a language counts there too.
fn weights(vault: &Vault, question: &Question) -> Result<Vec<f64>, FileError> {
    let all = vault.count()? as f64;
    let weigh = |stem: &String| {
        let found = vault.frequency(stem)? as f64;
        // `RFC` says nothing about a number that no resource has.
        let is_series = question.numbered.iter().any(|(series, _)| crate::words::stem(series) == *stem);
        let weight = match found > 0.0 {
            true if is_series => 0.5,
            true => (1.0 + all / found).ln(),
            false => 0.2,
        };
        Ok(if Question::names_a_field(stem) { weight / 2.0 } else { weight })
    };
    question.stems.iter().map(weigh).collect()
}
