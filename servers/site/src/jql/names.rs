//! The things that values name: people, statuses, versions and so on.
//!
//! In: texts and numbers of a query. Out: ids. A number is an id first and a name after that; a text is a name first. What the person
//! may not see does not exist.

use rusqlite::Row;
use rusqlite::types::Value;

use super::context::Context;
use super::sql::Sql;
use super::value::Literal;
use crate::fault::{Fault, Result};

/// A kind of thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    Component,
    Group,
    Issue,
    IssueType,
    Option,
    Person,
    Priority,
    Project,
    RequestType,
    Resolution,
    Sprint,
    Status,
    Version,
}

/// A thing, its names, and the names that count only if nothing has one of the others.
pub(super) struct Thing {
    pub(super) id: i64,
    names: Vec<String>,
    second: Vec<String>,
}

/// Returns the things of a kind. Options are those of a field.
pub(super) fn things(context: &Context<'_>, names: Names, field: &str) -> Result<Vec<Thing>> {
    let mine = || Sql::new("").list(&context.projects).text(")");
    let sql = match names {
        Names::Component => Sql::new("SELECT id, name FROM component WHERE project_id IN (").sql(mine()),
        Names::Group => Sql::new("SELECT id, name FROM \"group\""),
        Names::Issue => Sql::new("SELECT id, key FROM issue WHERE project_id IN (").sql(mine()),
        Names::IssueType => Sql::new("SELECT id, name FROM issue_type"),
        Names::Option => Sql::new(
            "SELECT o.id, o.value FROM option o JOIN context c ON c.id = o.context_id WHERE c.field_id = ",
        )
        .value(field.to_owned()),
        Names::Person => Sql::new("SELECT id, account_id, name, key, display_name, email FROM person"),
        Names::Priority => Sql::new("SELECT id, name FROM priority"),
        Names::Project => Sql::new("SELECT id, key, NULL, NULL, name FROM project WHERE id IN (").sql(mine()),
        Names::RequestType => Sql::new(
            "SELECT r.id, r.name, r.name || ' (' || p.key || ')' FROM request_type r JOIN desk d ON d.id = r.desk_id
             JOIN project p ON p.id = d.project_id WHERE p.id IN (",
        )
        .sql(mine()),
        Names::Resolution => Sql::new("SELECT id, name FROM resolution"),
        Names::Sprint => Sql::new(
            "SELECT s.id, s.name FROM sprint s JOIN board b ON b.id = s.board_id WHERE b.project_id IN (",
        )
        .sql(mine()),
        Names::Status => Sql::new("SELECT id, name FROM status"),
        Names::Version => Sql::new("SELECT id, name FROM version WHERE project_id IN (").sql(mine()),
    };
    context.work.all(&sql.text, rusqlite::params_from_iter(sql.values), read)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Thing> {
    let (mut names, mut second) = (Vec::new(), Vec::new());
    for at in 1..row.as_ref().column_count() {
        if let Value::Text(name) = row.get(at)? {
            if at < 4 { names.push(name.to_lowercase()) } else { second.push(name.to_lowercase()) }
        }
    }
    Ok(Thing { id: row.get(0)?, names, second })
}

/// Returns the ids of the things that have a name.
pub(super) fn named(things: &[Thing], name: &str) -> Vec<i64> {
    let name = name.to_lowercase();
    let by = |names: fn(&Thing) -> &Vec<String>| -> Vec<i64> {
        things.iter().filter(|it| names(it).contains(&name)).map(|it| it.id).collect()
    };
    let first = by(|it| &it.names);
    if first.is_empty() { by(|it| &it.second) } else { first }
}

impl Names {
    /// Returns the ids that a text or a number means.
    pub(super) fn find(self, things: &[Thing], literal: &Literal) -> Vec<i64> {
        // The ids of people and groups are no business of Jira's callers.
        let has_ids = !matches!(self, Self::Group | Self::Person);
        let by_id =
            |id: i64| things.iter().filter(|it| has_ids && it.id == id).map(|it| it.id).collect::<Vec<_>>();
        match literal {
            Literal::Number(number) => {
                let found = by_id(*number);
                if found.is_empty() { named(things, &number.to_string()) } else { found }
            }
            Literal::Text(text) => {
                let found = named(things, text.trim());
                match text.trim().parse() {
                    Ok(id) if found.is_empty() => by_id(id),
                    _ => found,
                }
            }
            _ => Vec::new(),
        }
    }

    /// The error for a value that names nothing.
    pub(super) fn unknown(self, literal: &Literal, field: &str) -> Fault {
        let shown = literal.shown();
        let sentence = match (self, literal) {
            (Self::Group, _) => format!("The group '{shown}' for field '{field}' does not exist."),
            (Self::Option, _) => format!("The option '{shown}' for field '{field}' does not exist."),
            (Self::Sprint, Literal::Number(_)) => {
                format!("Sprint with ID '{shown}' does not exist or you do not have permission to view it.")
            }
            (Self::Sprint, _) => {
                format!("Sprint with name '{shown}' does not exist or you do not have permission to view it.")
            }
            (Self::Person, _) => format!("The value '{shown}' does not exist for the field '{field}'."),
            (_, Literal::Number(_)) => {
                format!("A value with ID '{shown}' does not exist for the field '{field}'.")
            }
            _ => format!("The value '{shown}' does not exist for the field '{field}'."),
        };
        Fault::bad(sentence)
    }

    /// The error for a function whose values are of another kind.
    pub(super) fn unfit(self, function: &str, field: &str) -> Fault {
        Fault::bad(match self {
            Self::Group => {
                format!(
                    "A group provided by the function '{function}' for the field '{field}' does not exist."
                )
            }
            Self::Issue => format!(
                "A value provided by the function '{function}' for the field '{field}' is not a valid issue key."
            ),
            Self::Option => {
                format!(
                    "An option provided by the function '{function}' for the field '{field}' does not exist."
                )
            }
            _ => format!("A value provided by the function '{function}' is invalid for the field '{field}'."),
        })
    }
}
