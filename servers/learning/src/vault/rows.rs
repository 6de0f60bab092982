//! A resource as rows: its record, its stems, its labels and its words.
//!
//! In: a resource. Out: rows; and a resource again, if the record is what was written.

use std::collections::{BTreeMap, BTreeSet};

use plainwire_sqlite::{FileError, digest};
use rusqlite::{Connection, Row, Transaction, params};

use super::filter::labels;
use crate::resource::Resource;
use crate::words::{is_common, stem, words};

/// The shortest word that is kept for typos. Shorter ones are near to everything.
const MIN_WORD: usize = 4;

pub(super) fn insert(
    transaction: &Transaction<'_>,
    resource: &Resource,
    address: &str,
    is_built_in: bool,
) -> Result<(), FileError> {
    let record = serde_json::to_string(resource)
        .map_err(|error| FileError::Unfit(format!("the record can't be written: {error}")))?;
    let sum = digest(0, record.as_bytes()).cast_signed();
    let sql = "INSERT INTO resources (id, address, is_built_in, record, sum) VALUES (?1, ?2, ?3, ?4, ?5)";
    transaction.prepare_cached(sql)?.execute(params![resource.id, address, is_built_in, record, sum])?;
    let row = transaction.last_insert_rowid();
    let mut posting = transaction.prepare_cached("INSERT INTO postings VALUES (?1, ?2, ?3)")?;
    for (stem, weight) in postings(resource) {
        posting.execute(params![stem, row, weight])?;
    }
    let mut label = transaction.prepare_cached("INSERT INTO labels VALUES (?1, ?2)")?;
    for it in labels(resource) {
        label.execute(params![it, row])?;
    }
    let sql =
        "INSERT INTO vocabulary VALUES (?1, 1) ON CONFLICT (word) DO UPDATE SET resources = resources + 1";
    let mut vocabulary = transaction.prepare_cached(sql)?;
    for it in spelling(resource) {
        vocabulary.execute([it])?;
    }
    Ok(())
}

/// Removes the resources of the program.
pub(super) fn remove_built_in(connection: &Connection) -> Result<(), FileError> {
    {
        let mut statement = connection.prepare("SELECT record, sum, id FROM resources WHERE is_built_in")?;
        let mut found = statement.query([])?;
        let mut less =
            connection.prepare("UPDATE vocabulary SET resources = resources - 1 WHERE word = ?1")?;
        while let Some(row) = found.next()? {
            for it in spelling(&read(row)?) {
                less.execute([it])?;
            }
        }
    }
    Ok(connection.execute_batch(
        "DELETE FROM vocabulary WHERE resources < 1;
        DELETE FROM postings WHERE row IN (SELECT row FROM resources WHERE is_built_in);
        DELETE FROM labels WHERE row IN (SELECT row FROM resources WHERE is_built_in);
        DELETE FROM resources WHERE is_built_in;",
    )?)
}

/// Returns the resource in a row whose first columns are `record`, `sum` and `id`.
pub(super) fn read(row: &Row<'_>) -> Result<Resource, FileError> {
    let (record, sum): (String, i64) = (row.get(0)?, row.get(1)?);
    if digest(0, record.as_bytes()).cast_signed() != sum {
        let id: String = row.get(2)?;
        return Err(FileError::Unfit(format!("it is damaged: the resource {id:?} is not what was written")));
    }
    serde_json::from_str(&record)
        .map_err(|_| FileError::Unfit("it has a record that this program can't read".to_owned()))
}

/// Returns the stems of a resource, each with the weight of the best place in which it stands.
fn postings(it: &Resource) -> BTreeMap<String, u32> {
    let labels = it.categories.iter().chain(&it.concepts).map(|it| (2, &**it));
    let tags = it.tags.iter().chain(&it.author).chain([&it.id]).map(|it| (3, &**it));
    let texts = [(6, &*it.title), (1, &*it.description)].into_iter().chain(tags).chain(labels);
    let mut all = BTreeMap::new();
    for (weight, text) in texts {
        for word in words(text).iter().filter(|it| !is_common(it)) {
            let best = all.entry(stem(word)).or_insert(weight);
            *best = weight.max(*best);
        }
    }
    all
}

/// Returns the words of a resource that a typo may have meant.
fn spelling(it: &Resource) -> BTreeSet<String> {
    let rest = it.categories.iter().chain(&it.concepts).chain(&it.tags).chain(&it.author);
    let all = [&it.title, &it.description].into_iter().chain(rest).flat_map(|it| words(it));
    all.filter(|it| it.chars().count() >= MIN_WORD && it.chars().all(char::is_alphabetic)).collect()
}
