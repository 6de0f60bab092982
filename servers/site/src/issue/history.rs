//! The history of issues: the changelog that people read, and the intervals that `was` and `changed` of JQL ask for.
//!
//! In: the value of a field before and after. Out: items of the changelog, with ids and texts as Jira writes them.

use std::fmt::Write as _;

use crate::fault::Result;
use crate::field::{Field, Kind, Value, custom};
use crate::text;
use crate::work::Work;

/// The fields whose former values JQL can ask for.
pub const TRACKED: [&str; 6] = ["assignee", "fixVersions", "priority", "reporter", "resolution", "status"];

/// An item of the changelog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// The name of the field.
    pub field: String,
    /// `jira` or `custom`.
    pub field_type: &'static str,
    /// The id of the field.
    pub field_id: Option<String>,
    /// The id and the text of the value before, if there was one.
    pub from: (Option<String>, Option<String>),
    /// The id and the text of the value after, if there is one.
    pub to: (Option<String>, Option<String>),
}

impl Item {
    /// Makes an item about something that is no field, such as a link or a file. An empty id is left out.
    pub fn of_system(field: &str, from: Option<(String, String)>, to: Option<(String, String)>) -> Self {
        let side = |side: Option<(String, String)>| match side {
            Some((id, text)) => (Some(id).filter(|it| !it.is_empty()), Some(text)),
            None => (None, None),
        };
        Self { field: field.to_owned(), field_type: "jira", field_id: None, from: side(from), to: side(to) }
    }
}

/// Adds a group of items at the time of the work.
pub(super) fn add(work: &Work<'_>, issue: i64, author: i64, items: &[Item]) -> Result<()> {
    let sql = "INSERT INTO change_group (id, issue_id, author_id, created)
        VALUES ((SELECT coalesce(max(id), 9999) + 1 FROM change_group), ?1, ?2, ?3)";
    let group = work.add(sql, (issue, author, work.now))?;
    for (at, item) in items.iter().enumerate() {
        work.run(
            "INSERT INTO change_item (group_id, position, field, field_type, field_id, from_id, from_text, to_id, to_text)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            (
                group,
                at as i64,
                &item.field,
                item.field_type,
                &item.field_id,
                &item.from.0,
                &item.from.1,
                &item.to.0,
                &item.to.1,
            ),
        )?;
    }
    Ok(())
}

/// Begins the intervals of a field of a new issue.
pub(super) fn begin(work: &Work<'_>, issue: i64, field: &str, value: Option<&Value>) -> Result<()> {
    if !TRACKED.contains(&field) {
        return Ok(());
    }
    let sql = "INSERT INTO held (issue_id, field_id, ref, since) VALUES (?1, ?2, ?3, ?4)";
    for id in ids(value) {
        work.run(sql, (issue, field, id, work.now))?;
    }
    Ok(())
}

/// Ends the intervals of values that a field no longer has, and begins those of the new ones.
pub(super) fn hold(
    work: &Work<'_>,
    issue: i64,
    field: &str,
    from: Option<&Value>,
    to: Option<&Value>,
    author: i64,
) -> Result<()> {
    if !TRACKED.contains(&field) {
        return Ok(());
    }
    let (before, after) = (ids(from), ids(to));
    let end =
        "UPDATE held SET until = ?1 WHERE issue_id = ?2 AND field_id = ?3 AND until IS NULL AND ref IS ?4";
    for id in before.iter().filter(|it| !after.contains(it)) {
        work.run(end, (work.now, issue, field, id))?;
    }
    let begin = "INSERT INTO held (issue_id, field_id, ref, since, set_by) VALUES (?1, ?2, ?3, ?4, ?5)";
    for id in after.iter().filter(|it| !before.contains(it)) {
        work.run(begin, (issue, field, id, work.now, author))?;
    }
    Ok(())
}

/// The ids that a value names; an empty one names none, which is an id of its own.
fn ids(value: Option<&Value>) -> Vec<Option<i64>> {
    match value {
        Some(Value::Ref(id)) => vec![Some(*id)],
        Some(Value::Refs(all)) if !all.is_empty() => all.iter().map(|it| Some(*it)).collect(),
        _ => vec![None],
    }
}

/// Returns the items of a change: one, or one for each version and component that came or went.
pub(super) fn items(
    work: &Work<'_>,
    field: &Field,
    from: Option<&Value>,
    to: Option<&Value>,
) -> Result<Vec<Item>> {
    let base = Item {
        field: name(field).to_owned(),
        field_type: if field.is_custom() { "custom" } else { "jira" },
        field_id: Some(field.id.clone()),
        ..Item::default()
    };
    if !matches!(field.kind, Kind::Components | Kind::Versions) {
        let item = Item { from: shown(work, field.kind, from)?, to: shown(work, field.kind, to)?, ..base };
        return Ok(vec![item]);
    }
    let (before, after) = (ids(from), ids(to));
    let gone = before.iter().flatten().filter(|it| !after.contains(&Some(**it)));
    let come = after.iter().flatten().filter(|it| !before.contains(&Some(**it)));
    let one = |id: &i64| shown(work, field.kind, Some(&Value::Refs(vec![*id])));
    let gone = gone.map(|id| Ok(Item { from: one(id)?, ..base.clone() }));
    let come = come.map(|id| Ok(Item { to: one(id)?, ..base.clone() }));
    gone.chain(come).collect()
}

/// The name of a field in the changelog, where it is not the id.
fn name(field: &Field) -> &str {
    match field.id.as_str() {
        "components" => "Component",
        "fixVersions" => "Fix Version",
        "parent" => "IssueParentAssociation",
        "versions" => "Version",
        id if id == custom::SPRINT => "Sprint",
        id if field.custom.is_none() => id,
        _ => &field.name,
    }
}

/// The id and the text of a value.
fn shown(work: &Work<'_>, kind: Kind, value: Option<&Value>) -> Result<(Option<String>, Option<String>)> {
    Ok(match value {
        None => (None, None),
        Some(Value::Number(number)) if kind == Kind::Time => {
            let time = crate::time::of(*number as i64);
            (Some(time.clone()), Some(time))
        }
        Some(Value::Number(number)) if kind == Kind::Duration => {
            (Some(number.to_string()), Some(number.to_string()))
        }
        Some(Value::Number(number)) => (None, Some(number.to_string())),
        Some(Value::Text(date)) if kind == Kind::Date => {
            (Some(date.clone()), Some(format!("{date} 00:00:00.0")))
        }
        Some(Value::Text(body)) if kind == Kind::Rich => (None, Some(text::as_wiki(work.deployment, body))),
        Some(Value::Text(text)) => (None, Some(text.clone())),
        Some(Value::Texts(all)) => (None, Some(all.join(" "))),
        Some(Value::Ref(id)) => {
            let (id, name) = named(work, kind, *id)?;
            (Some(id), Some(name))
        }
        Some(Value::Refs(all)) => {
            let (mut list, mut names) = (String::new(), String::new());
            for (at, id) in all.iter().enumerate() {
                let (id, name) = named(work, kind, *id)?;
                let comma = if at > 0 { ", " } else { "" };
                let _ = write!(list, "{comma}{id}");
                let _ = write!(names, "{comma}{name}");
            }
            let list = if kind == Kind::Options { format!("[{list}]") } else { list };
            (Some(list), Some(names))
        }
    })
}

/// The id and the name of what a value names, as this deployment writes them.
fn named(work: &Work<'_>, kind: Kind, id: i64) -> Result<(String, String)> {
    let sql = match kind {
        Kind::User | Kind::Users if work.is_cloud() => {
            "SELECT account_id, display_name FROM person WHERE id = ?1"
        }
        Kind::User | Kind::Users => "SELECT key, display_name FROM person WHERE id = ?1",
        Kind::Components => "SELECT CAST(id AS TEXT), name FROM component WHERE id = ?1",
        Kind::Version | Kind::Versions => "SELECT CAST(id AS TEXT), name FROM version WHERE id = ?1",
        Kind::Cascade | Kind::Option | Kind::Options => {
            "SELECT CAST(id AS TEXT), value FROM option WHERE id = ?1"
        }
        Kind::Group => "SELECT name, name FROM \"group\" WHERE id = ?1",
        Kind::Issue => "SELECT CAST(id AS TEXT), key FROM issue WHERE id = ?1",
        Kind::IssueType => "SELECT CAST(id AS TEXT), name FROM issue_type WHERE id = ?1",
        Kind::Priority => "SELECT CAST(id AS TEXT), name FROM priority WHERE id = ?1",
        Kind::RequestType => "SELECT CAST(id AS TEXT), name FROM request_type WHERE id = ?1",
        Kind::Resolution => "SELECT CAST(id AS TEXT), name FROM resolution WHERE id = ?1",
        Kind::Sprints => "SELECT CAST(id AS TEXT), name FROM sprint WHERE id = ?1",
        Kind::Status => "SELECT CAST(id AS TEXT), name FROM status WHERE id = ?1",
        _ => return Ok((id.to_string(), id.to_string())),
    };
    let found = work.one(sql, [id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(found.unwrap_or_else(|| (id.to_string(), String::new())))
}
