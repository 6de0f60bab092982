//! Looking into the vault: resources by words, labels and filters, and words by their spelling.
//!
//! In: stems and labels, each with a weight. Out: the resources that have most of them. The only file that makes SQL of
//! parts; what a user has written is a parameter of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use plainwire_sqlite::FileError;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::filter::label;
use super::{Filter, Vault, rows};
use crate::resource::Resource;

/// The largest number of stems and labels of a search.
const MAX_TERMS: usize = 64;

/// From this length on, a word may have two mistakes.
const TWO_MISTAKES: usize = 11;

/// What is looked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Stems of words, each with its weight. The beginning of a stem is enough.
    pub stems: Vec<(String, f64)>,
    /// Concepts, each with its weight.
    pub concepts: Vec<(String, f64)>,
    /// Categories, each with its weight.
    pub categories: Vec<(String, f64)>,
    /// Whether a resource has to have all of the stems. Otherwise one stem, concept or category is enough.
    pub all_stems: bool,
}

impl Vault {
    /// Returns the resources that pass the filter and have what is wanted, at most `limit`, those with the most first; and
    /// how many there are without the limit.
    ///
    /// # Errors
    /// An error of the file.
    pub fn find(
        &self,
        wanted: &Wanted,
        filter: &Filter,
        limit: usize,
    ) -> Result<(Vec<Resource>, usize), FileError> {
        let mut parts = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        for (stem, weight) in wanted.stems.iter().take(MAX_TERMS) {
            values.extend([stem.clone().into(), (*weight).into()]);
            let (stem, weight) = (values.len() - 1, values.len());
            parts.push(format!(
                "SELECT row, max(weight) * ?{weight} AS points, 1 AS stems FROM postings
                WHERE stem >= ?{stem} AND stem < ?{stem} || x'F48FBFBF' GROUP BY row"
            ));
        }
        let concepts = wanted.concepts.iter().map(|it| ("concept", it));
        let categories = wanted.categories.iter().map(|it| ("category", it));
        for (name, (word, weight)) in concepts.chain(categories).take(MAX_TERMS) {
            values.extend([label(name, word).into(), (*weight).into()]);
            let (label, weight) = (values.len() - 1, values.len());
            parts.push(format!("SELECT row, ?{weight}, 0 FROM labels WHERE label = ?{label}"));
        }
        if parts.is_empty() {
            return Ok((Vec::new(), 0));
        }
        let needed = if wanted.all_stems { wanted.stems.len().min(MAX_TERMS) } else { 0 };
        let found = format!(
            "(SELECT row, sum(points) AS points FROM ({}) GROUP BY row HAVING sum(stems) >= {needed}) AS found
            JOIN resources AS it ON it.row = found.row",
            parts.join(" UNION ALL ")
        );
        select(&self.reading(), &found, "found.points DESC, it.id", filter, values, limit)
    }

    /// Returns the resources that pass the filter, at most `limit`, by their ids; and how many there are without the limit.
    ///
    /// # Errors
    /// An error of the file.
    pub fn list(&self, filter: &Filter, limit: usize) -> Result<(Vec<Resource>, usize), FileError> {
        select(&self.reading(), "resources AS it", "it.id", filter, Vec::new(), limit)
    }

    /// Returns the number of resources for each word of a vocabulary (`category`, `type`, `concept`, `domain`, `difficulty` or
    /// `freshness`).
    ///
    /// # Errors
    /// An error of the file.
    pub fn counts(&self, name: &str) -> Result<BTreeMap<String, usize>, FileError> {
        let connection = self.reading();
        let sql = "SELECT substr(label, length(?1) + 1), count(*) FROM labels
            WHERE label >= ?1 AND label < ?1 || x'F48FBFBF' GROUP BY label";
        let mut statement = connection.prepare_cached(sql)?;
        let found = statement
            .query_map([label(name, "")], |row| Ok((row.get(0)?, row.get::<_, u32>(1)? as usize)))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// Returns the number of resources.
    ///
    /// # Errors
    /// An error of the file.
    pub fn count(&self) -> Result<usize, FileError> {
        let sql = "SELECT count(*) FROM resources";
        Ok(self.reading().query_row(sql, [], |row| row.get::<_, u32>(0))? as usize)
    }

    /// Returns how many resources have a stem.
    ///
    /// # Errors
    /// An error of the file.
    pub fn frequency(&self, stem: &str) -> Result<usize, FileError> {
        let connection = self.reading();
        let mut statement = connection.prepare_cached("SELECT count(*) FROM postings WHERE stem = ?1")?;
        Ok(statement.query_row([stem], |row| row.get::<_, u32>(0))? as usize)
    }

    /// Returns the word that a typo may have meant: the nearest one, then the most frequent, then the first in the alphabet.
    /// `None` if a resource has a word that begins with this one, and if there is no near one.
    ///
    /// # Errors
    /// An error of the file.
    pub fn meant(&self, word: &str) -> Result<Option<String>, FileError> {
        let length = word.chars().count();
        let Some(first) = word.chars().next() else { return Ok(None) };
        let connection = self.reading();
        let sql = "SELECT word, resources FROM vocabulary WHERE word >= ?1 AND word < ?1 || x'F48FBFBF'";
        let mut statement = connection.prepare_cached(sql)?;
        if statement.exists([word])? {
            return Ok(None);
        }
        // A typo is seldom in the first letter, and then it is near to too much.
        let near = statement.query_map([first.to_string()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let allowed = if length < TWO_MISTAKES { 1 } else { 2 };
        let mut best: Option<(usize, i64, String)> = None;
        for it in near {
            let (near, resources): (String, i64) = it?;
            if near.chars().count().abs_diff(length) > allowed {
                continue;
            }
            let found = (strsim::osa_distance(&near, word), -resources, near);
            if found.0 <= allowed && best.as_ref().is_none_or(|best| found < *best) {
                best = Some(found);
            }
        }
        Ok(best.map(|(_, _, word)| word))
    }
}

/// Selects resources from `found`, in which they are called `it`.
fn select(
    connection: &Connection,
    found: &str,
    order: &str,
    filter: &Filter,
    mut values: Vec<Value>,
    limit: usize,
) -> Result<(Vec<Resource>, usize), FileError> {
    let mut passes = String::from("1");
    for group in filter.groups() {
        let names: Vec<String> = (1..=group.len()).map(|at| format!("?{}", values.len() + at)).collect();
        let _ = write!(
            passes,
            " AND EXISTS (SELECT 1 FROM labels WHERE labels.row = it.row AND label IN ({}))",
            names.join(", ")
        );
        values.extend(group.into_iter().map(Value::from));
    }
    let sql = format!(
        "SELECT it.record, it.sum, it.id, count(*) OVER () FROM {found} WHERE {passes} ORDER BY {order} LIMIT {limit}"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows_found = statement.query(params_from_iter(values))?;
    let (mut resources, mut total) = (Vec::new(), 0);
    while let Some(row) = rows_found.next()? {
        resources.push(rows::read(row)?);
        total = row.get::<_, u32>(3)? as usize;
    }
    Ok((resources, total))
}
