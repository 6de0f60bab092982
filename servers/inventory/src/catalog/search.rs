//! Search over the words of variants, customers and orders: by beginnings of words, the best first; and by similarity, if
//! nothing has the words.

use rusqlite::{Connection, params};

/// The largest number of words of a query.
const MAX_WORDS: usize = 20;

/// The least similarity of a name with the query, from 0 to 1.
const SIMILAR: f64 = 0.75;

/// The largest number of characters of a query or a name that are compared.
const MAX_COMPARED_CHARS: usize = 60;

/// The largest number of names that are compared one by one.
const MAX_COMPARED: usize = 20_000;

/// The ids that a query finds, and whether they are similar only.
#[derive(Debug, Default)]
pub struct Hits {
    pub ids: Vec<i64>,
    pub is_fuzzy: bool,
}

/// Returns the query in the language of FTS5: each word is the beginning of one that must be there. `None` if it has no words.
/// Whatever the query is, it is words: a quotation mark, a bracket or an operator means nothing.
pub fn quoted(query: &str) -> Option<String> {
    let words = query.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    let words: Vec<_> = words.take(MAX_WORDS).map(|word| format!("\"{word}\"*")).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Returns the entities of a kind whose words the query has, the best first. `condition` is a condition of SQL on
/// `words.rowid`, and never a text of others.
///
/// # Errors
/// An error of the file.
pub fn search(
    db: &Connection,
    kind: &str,
    query: &str,
    limit: usize,
    condition: &str,
) -> Result<Hits, rusqlite::Error> {
    let Some(wanted) = quoted(query) else { return Ok(Hits::default()) };
    let mut statement = db.prepare_cached(&format!(
        "SELECT rowid FROM words WHERE words MATCH ?1 AND kind = ?2 AND {condition}
         ORDER BY bm25(words, 4.0, 8.0, 1.0), rowid LIMIT ?3"
    ))?;
    let found = statement.query_map(params![wanted, kind, limit as i64], |row| row.get(0));
    let ids: Vec<i64> = found?.collect::<Result<_, _>>()?;
    if !ids.is_empty() {
        return Ok(Hits { ids, is_fuzzy: false });
    }
    let mut statement = db.prepare_cached(&format!(
        "SELECT rowid, name, code FROM words WHERE kind = ?1 AND {condition} LIMIT ?2"
    ))?;
    let query: String = query.to_lowercase().chars().take(MAX_COMPARED_CHARS).collect();
    let mut similar: Vec<(f64, i64)> = statement
        .query_map(params![kind, MAX_COMPARED as i64], |row| {
            let texts = [row.get::<_, String>(1)?, row.get::<_, String>(2)?];
            Ok((texts.iter().map(|it| similarity(&query, it)).fold(0.0, f64::max), row.get(0)?))
        })?
        .filter(|it| it.as_ref().map_or(true, |(score, _)| *score >= SIMILAR))
        .collect::<Result<_, _>>()?;
    similar.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let ids = similar.into_iter().take(limit).map(|it| it.1).collect::<Vec<_>>();
    Ok(Hits { is_fuzzy: !ids.is_empty(), ids })
}

/// Returns how similar a text, or one of its words, is to a query in lower case.
fn similarity(query: &str, text: &str) -> f64 {
    let text: String = text.to_lowercase().chars().take(MAX_COMPARED_CHARS).collect();
    let whole = strsim::normalized_damerau_levenshtein(query, &text);
    let words = text.split(|it: char| !it.is_alphanumeric()).filter(|it| it.len() > 2);
    words.map(|word| strsim::normalized_damerau_levenshtein(query, word)).fold(whole, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_words_whatever_it_has() {
        assert_eq!(
            quoted("steel \"bolt\" OR NOT m8*"),
            Some(r#""steel"* "bolt"* "OR"* "NOT"* "m8"*"#.to_owned())
        );
        assert_eq!(quoted("%' -- 🙂"), None);
        assert!(similarity("washr", "Flat washer") >= SIMILAR);
        assert!(similarity("desk", "Flat washer") < SIMILAR);
    }
}
