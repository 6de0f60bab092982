//! Issues: reading them, and the one path by which they change.
//!
//! In: ids and values. Out: issues, and their history. Whether a caller may do it is checked above, and the values were made by
//! `field::input`: this room takes what it gets.

mod history;
mod rank;
mod words;
mod write;

use std::collections::HashMap;

use rusqlite::Row;

use crate::fault::{Fault, Result};
use crate::field::{Column, Kind, Value, Values};
use crate::work::Work;

pub use history::{Item, TRACKED};
pub use rank::{Side, between, move_beside};
pub use words::set as set_words;
pub use write::{Change, Draft, change, create, delete, log, move_to, touch};

/// An issue with its values.
#[derive(Clone, Debug)]
pub struct Issue {
    /// The id.
    pub id: i64,
    /// The project.
    pub project_id: i64,
    /// The number in its key.
    pub number: i64,
    /// The key, such as `SHOP-1`.
    pub key: String,
    /// When it was created, in milliseconds.
    pub created: i64,
    /// When it was changed last, in milliseconds.
    pub updated: i64,
    /// Its place in the backlog.
    pub rank: String,
    /// Its values.
    pub values: Values,
}

impl Issue {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get("id")?,
            project_id: row.get("project_id")?,
            number: row.get("number")?,
            key: row.get("key")?,
            created: row.get("created")?,
            updated: row.get("updated")?,
            rank: row.get("rank")?,
            values: Values::new(),
        })
    }

    /// Returns the id that a field names, if it names one.
    pub fn ref_of(&self, field: &str) -> Option<i64> {
        match self.values.get(field) {
            Some(Value::Ref(id)) => Some(*id),
            _ => None,
        }
    }

    /// Returns the ids that a field names.
    pub fn refs_of(&self, field: &str) -> &[i64] {
        match self.values.get(field) {
            Some(Value::Ref(id)) => std::slice::from_ref(id),
            Some(Value::Refs(ids)) => ids,
            _ => &[],
        }
    }

    /// Returns the text of a field, or nothing if it is empty.
    pub fn text_of(&self, field: &str) -> Option<&str> {
        match self.values.get(field) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the number of a field, if it has one.
    pub fn number_of(&self, field: &str) -> Option<f64> {
        match self.values.get(field) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }
}

/// Returns the id of an issue by its id or key; a former key works too. Whether the caller may see it is another question.
///
/// # Errors
/// Those of SQLite.
pub fn find(work: &Work<'_>, id_or_key: &str) -> Result<Option<i64>> {
    if let Ok(id) = id_or_key.parse::<i64>() {
        return work.one("SELECT id FROM issue WHERE id = ?1", [id], |row| row.get(0));
    }
    let key = id_or_key.to_uppercase();
    let now = work.one("SELECT id FROM issue WHERE key = ?1", [&key], |row| row.get(0))?;
    if now.is_some() {
        return Ok(now);
    }
    let former = "SELECT i.id FROM former_issue_key f JOIN issue i ON i.id = f.issue_id WHERE f.key = ?1";
    if let Some(id) = work.one(former, [&key], |row| row.get(0))? {
        return Ok(Some(id));
    }
    // A key of a project that has another key now.
    let Some((project, number)) = key.rsplit_once('-') else { return Ok(None) };
    let Ok(number) = number.parse::<i64>() else { return Ok(None) };
    let sql = "SELECT i.id FROM former_project_key f JOIN issue i ON i.project_id = f.project_id WHERE f.key = ?1 AND i.number = ?2";
    work.one(sql, (project, number), |row| row.get(0))
}

/// Returns issues by their ids, in the order of the ids. An id without an issue is left out.
///
/// # Errors
/// Those of SQLite.
pub fn load(work: &Work<'_>, ids: &[i64]) -> Result<Vec<Issue>> {
    let kinds = work.all("SELECT id, kind FROM field", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let kinds: HashMap<String, Kind> = kinds.into_iter().collect();
    let mut issue = work.db.prepare_cached("SELECT * FROM issue WHERE id = ?1")?;
    let mut values = work.db.prepare_cached(
        "SELECT field_id, ref, text, number FROM value WHERE issue_id = ?1 ORDER BY field_id, position",
    )?;
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        let Some(mut issue) = issue.query_map([id], Issue::read)?.next().transpose()? else { continue };
        let mut rows = values.query([id])?;
        while let Some(row) = rows.next()? {
            let field: String = row.get(0)?;
            if let Some(kind) = kinds.get(&field) {
                read_value(&mut issue.values, field, *kind, row)?;
            }
        }
        found.push(issue);
    }
    Ok(found)
}

/// Returns one issue.
///
/// # Errors
/// 404 if there is none.
pub fn get(work: &Work<'_>, id: i64) -> Result<Issue> {
    load(work, &[id])?.pop().ok_or_else(Fault::no_issue)
}

fn read_value(values: &mut Values, field: String, kind: Kind, row: &Row<'_>) -> Result<()> {
    let value = match (kind.column(), kind.is_list()) {
        (Column::Number, _) => Value::Number(row.get(3)?),
        (Column::Ref, false) => Value::Ref(row.get(1)?),
        (Column::Text, false) => Value::Text(row.get(2)?),
        (Column::Ref, true) => {
            let Value::Refs(all) = values.entry(field).or_insert_with(|| Value::Refs(Vec::new())) else {
                return Ok(());
            };
            all.push(row.get(1)?);
            return Ok(());
        }
        (Column::Text, true) => {
            let Value::Texts(all) = values.entry(field).or_insert_with(|| Value::Texts(Vec::new())) else {
                return Ok(());
            };
            all.push(row.get(2)?);
            return Ok(());
        }
    };
    values.insert(field, value);
    Ok(())
}
