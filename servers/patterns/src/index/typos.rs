//! Words that no pattern has, replaced by the nearest words that some pattern has.
//!
//! In: the words of a query. Out: the words that may have been meant.

use rusqlite::Connection;

use super::FileError;

/// The shortest word in which a typo is looked for. Shorter ones are near to everything.
const MIN_LENGTH: usize = 4;

/// From this length on, a word may have two mistakes.
const TWO_MISTAKES: usize = 7;

/// Returns the corrected words; `None` if a word has no near one.
pub(super) fn correct(connection: &Connection, words: &[String]) -> Result<Option<Vec<String>>, FileError> {
    let mut begins = connection.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM vocabulary WHERE term >= ?1 AND term < ?1 || x'F48FBFBF')",
    )?;
    let mut corrected = Vec::new();
    for word in words {
        if begins.query_row([word], |row| row.get::<_, bool>(0))? {
            corrected.push(word.clone());
            continue;
        }
        match nearest(connection, word)? {
            Some(near) => corrected.push(near),
            None => return Ok(None),
        }
    }
    Ok((corrected != words).then_some(corrected))
}

fn nearest(connection: &Connection, word: &str) -> Result<Option<String>, FileError> {
    let length = word.chars().count();
    if length < MIN_LENGTH {
        return Ok(None);
    }
    let allowed = if length < TWO_MISTAKES { 1 } else { 2 };
    let mut statement = connection.prepare_cached("SELECT term, doc FROM vocabulary")?;
    let terms = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
    // The nearest, then the most frequent, then the first in the alphabet.
    let mut best: Option<(usize, i64, String)> = None;
    for term in terms {
        let (term, documents) = term?;
        if term.chars().count().abs_diff(length) > allowed {
            continue;
        }
        let distance = strsim::osa_distance(&term, word);
        let found = (distance, -documents, term);
        if distance <= allowed && best.as_ref().is_none_or(|best| found < *best) {
            best = Some(found);
        }
    }
    Ok(best.map(|(_, _, term)| term))
}
