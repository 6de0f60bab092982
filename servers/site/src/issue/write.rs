//! The one path by which issues come to be, change and go.
//!
//! In: values, the person who gives them, and the time of the [`Work`]. Out: ids. Each change leaves its history, the intervals
//! for `was` in JQL, and the words for `~`.

use rusqlite::params;

use super::history::{self, Item};
use super::{Issue, get, rank, words};
use crate::fault::Result;
use crate::field::{self, Column, Kind, Value, Values};
use crate::work::Work;

/// An issue to make. Its type is among the values; its status is that with which its workflow begins, unless it is among them.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The project.
    pub project: i64,
    /// The person who makes it, and who has reported it unless the values say otherwise.
    pub author: i64,
    /// The values.
    pub values: Values,
}

/// A change of a field: to a value, or to none.
#[derive(Clone, Debug)]
pub struct Change {
    /// The id of the field.
    pub field: String,
    /// The new value.
    pub to: Option<Value>,
}

/// Makes an issue at the time of the work, and returns its id.
///
/// # Errors
/// Those of SQLite.
pub fn create(work: &Work<'_>, draft: &Draft) -> Result<i64> {
    let sql = "UPDATE project SET next_number = next_number + 1 WHERE id = ?1 RETURNING key, next_number - 1";
    let (key, number): (String, i64) =
        work.db.prepare_cached(sql)?.query_row([draft.project], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let last: Option<String> = work.one("SELECT max(rank) FROM issue", [], |row| row.get(0))?.flatten();
    let sql = "INSERT INTO issue (id, project_id, number, key, created, updated, rank)
        VALUES ((SELECT coalesce(max(id), 9999) + 1 FROM issue), ?1, ?2, ?3, ?4, ?4, ?5)";
    let rank = rank::between(last.as_deref(), None);
    let id = work.add(sql, params![draft.project, number, format!("{key}-{number}"), work.now, rank])?;
    let mut values = draft.values.clone();
    values.entry("creator".to_owned()).or_insert(Value::Ref(draft.author));
    values.entry("reporter".to_owned()).or_insert(Value::Ref(draft.author));
    if !values.contains_key("status")
        && let Some(Value::Ref(kind)) = values.get("issuetype")
    {
        let status = work.one(
            "SELECT w.initial_status_id FROM project_issue_type p JOIN workflow w ON w.id = p.workflow_id
             WHERE p.project_id = ?1 AND p.issue_type_id = ?2",
            (draft.project, kind),
            |row| row.get(0),
        )?;
        if let Some(status) = status {
            values.insert("status".to_owned(), Value::Ref(status));
        }
    }
    values.insert("statuscategorychangedate".to_owned(), Value::Number(work.now as f64));
    if let Some(Value::Ref(reporter)) = values.get("reporter") {
        work.run("INSERT OR IGNORE INTO watcher (issue_id, person_id) VALUES (?1, ?2)", (id, reporter))?;
    }
    for field in field::all(work)? {
        let value = values.get(&field.id);
        if let Some(value) = value {
            store(work, id, &field.id, field.kind, Some(value))?;
        }
        history::begin(work, id, &field.id, value)?;
    }
    Ok(id)
}

/// Changes fields of an issue at the time of the work: those whose value is another one. Returns whether any was.
///
/// # Errors
/// Those of SQLite.
pub fn change(work: &Work<'_>, issue: i64, changes: &[Change], author: i64) -> Result<bool> {
    let before = get(work, issue)?;
    let mut items = Vec::new();
    for change in changes {
        let Some(field) = field::by_id(work, &change.field)? else { continue };
        let from = before.values.get(&field.id);
        if from == change.to.as_ref() {
            continue;
        }
        store(work, issue, &field.id, field.kind, change.to.as_ref())?;
        history::hold(work, issue, &field.id, from, change.to.as_ref(), author)?;
        items.extend(history::items(work, &field, from, change.to.as_ref())?);
        follow(work, &before, &field.id, change.to.as_ref())?;
    }
    if items.is_empty() {
        return Ok(false);
    }
    log(work, issue, author, &items)?;
    Ok(true)
}

/// Sets what follows from a change: the date of a resolution, and that of a status.
fn follow(work: &Work<'_>, before: &Issue, field: &str, to: Option<&Value>) -> Result<()> {
    let now = Value::Number(work.now as f64);
    match field {
        "resolution" => store(work, before.id, "resolutiondate", Kind::Time, to.map(|_| &now)),
        "status" => {
            let category = |id: Option<i64>| -> Result<Option<String>> {
                work.one("SELECT category FROM status WHERE id = ?1", [id], |row| row.get(0))
            };
            let to = match to {
                Some(Value::Ref(id)) => Some(*id),
                _ => None,
            };
            if category(before.ref_of("status"))? == category(to)? {
                return Ok(());
            }
            store(work, before.id, "statuscategorychangedate", Kind::Time, Some(&now))
        }
        _ => Ok(()),
    }
}

/// Adds an entry to the history of an issue, which counts as an update.
///
/// # Errors
/// Those of SQLite.
pub fn log(work: &Work<'_>, issue: i64, author: i64, items: &[Item]) -> Result<()> {
    history::add(work, issue, author, items)?;
    touch(work, issue)
}

/// Marks an issue as updated at the time of the work.
///
/// # Errors
/// Those of SQLite.
pub fn touch(work: &Work<'_>, issue: i64) -> Result<()> {
    work.run("UPDATE issue SET updated = max(updated, ?1) WHERE id = ?2", (work.now, issue))?;
    Ok(())
}

/// Moves an issue to another project, where it gets a new key. Its old key goes on to lead to it. Values that the project lacks are up
/// to the caller.
///
/// # Errors
/// Those of SQLite.
pub fn move_to(work: &Work<'_>, issue: i64, project: i64, author: i64) -> Result<()> {
    let before = get(work, issue)?;
    let name = |id: i64| -> Result<String> {
        let found = work.one("SELECT name FROM project WHERE id = ?1", [id], |row| row.get(0))?;
        Ok(found.unwrap_or_default())
    };
    let (from_name, to_name) = (name(before.project_id)?, name(project)?);
    let sql = "UPDATE project SET next_number = next_number + 1 WHERE id = ?1 RETURNING key, next_number - 1";
    let (key, number): (String, i64) =
        work.db.prepare_cached(sql)?.query_row([project], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let key = format!("{key}-{number}");
    work.run(
        "INSERT OR REPLACE INTO former_issue_key (key, issue_id) VALUES (?1, ?2)",
        (&before.key, issue),
    )?;
    work.run("DELETE FROM former_issue_key WHERE key = ?1", [&key])?;
    work.run(
        "UPDATE issue SET project_id = ?1, number = ?2, key = ?3 WHERE id = ?4",
        (project, number, &key, issue),
    )?;
    let items = [
        Item::of_system(
            "project",
            Some((before.project_id.to_string(), from_name)),
            Some((project.to_string(), to_name)),
        ),
        Item::of_system("Key", Some((String::new(), before.key)), Some((String::new(), key))),
    ];
    log(work, issue, author, &items)
}

/// Deletes an issue with all that belongs to it. Sub-tasks are up to the caller.
///
/// # Errors
/// Those of SQLite.
pub fn delete(work: &Work<'_>, issue: i64) -> Result<()> {
    work.run("DELETE FROM words WHERE rowid IN (SELECT id FROM text_of WHERE issue_id = ?1)", [issue])?;
    work.run(
        "DELETE FROM change_item WHERE group_id IN (SELECT id FROM change_group WHERE issue_id = ?1)",
        [issue],
    )?;
    for table in [
        "text_of",
        "change_group",
        "value",
        "held",
        "comment",
        "worklog",
        "attachment",
        "remote_link",
        "watcher",
        "vote",
        "former_issue_key",
    ] {
        work.run(&format!("DELETE FROM {table} WHERE issue_id = ?1"), [issue])?;
    }
    work.run("DELETE FROM link WHERE source_id = ?1 OR destination_id = ?1", [issue])?;
    work.run("DELETE FROM property WHERE kind IN ('form', 'issue') AND entity_id = ?1", [issue])?;
    // Issues that name it, such as those of its epic, name it no more.
    let naming =
        "DELETE FROM value WHERE ref = ?1 AND field_id IN (SELECT id FROM field WHERE kind = 'issue')";
    work.run(naming, [issue])?;
    work.run("DELETE FROM issue WHERE id = ?1", [issue])?;
    Ok(())
}

/// Stores the value of a field.
fn store(work: &Work<'_>, issue: i64, field: &str, kind: Kind, value: Option<&Value>) -> Result<()> {
    work.run("DELETE FROM value WHERE issue_id = ?1 AND field_id = ?2", (issue, field))?;
    let sql = match kind.column() {
        Column::Number => "INSERT INTO value (issue_id, field_id, position, number) VALUES (?1, ?2, ?3, ?4)",
        Column::Ref => "INSERT INTO value (issue_id, field_id, position, ref) VALUES (?1, ?2, ?3, ?4)",
        Column::Text => "INSERT INTO value (issue_id, field_id, position, text) VALUES (?1, ?2, ?3, ?4)",
    };
    match value {
        None => {}
        Some(Value::Number(number)) => drop(work.run(sql, params![issue, field, 0, number])?),
        Some(Value::Ref(id)) => drop(work.run(sql, params![issue, field, 0, id])?),
        Some(Value::Text(text)) => drop(work.run(sql, params![issue, field, 0, text])?),
        Some(Value::Refs(ids)) => {
            for (at, id) in ids.iter().enumerate() {
                work.run(sql, params![issue, field, at as i64, id])?;
            }
        }
        Some(Value::Texts(texts)) => {
            for (at, text) in texts.iter().enumerate() {
                work.run(sql, params![issue, field, at as i64, text])?;
            }
        }
    }
    if matches!(kind, Kind::Rich | Kind::Text) {
        let text = match value {
            Some(Value::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        words::set(work, issue, field, issue, text)?;
    }
    Ok(())
}
