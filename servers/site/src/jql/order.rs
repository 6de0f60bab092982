//! The expressions of `ORDER BY`.
//!
//! In: a field and a direction. Out: expressions about the issue `i`. A field that is empty comes after all others, and first if the order
//! is reversed. Without a direction each field has its own, as in Jira: new and important things come first.

use super::ast::{Direction, FieldName, Sort};
use super::context::Context;
use super::names::Names;
use super::sql::Sql;
use super::target::{self, Crowd, Id, Target, Time};
use crate::fault::{Fault, Result};

/// An expression, and its direction.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) expression: Sql,
    pub(super) direction: Direction,
}

/// Returns what a field orders by.
pub(super) fn keys(context: &Context<'_>, sort: &Sort) -> Result<Vec<Key>> {
    let name = &sort.field;
    let targets = match name {
        FieldName::Property(_) => return Err(Fault::lacking("an order by properties of entities")),
        name => target::search(context, name)?,
    };
    if targets.is_empty() {
        return Err(Fault::bad(format!("Not able to sort using field '{name}'.")));
    }
    let mut keys = Vec::new();
    for target in targets {
        let (expressions, usual) = expressions(&target).map_err(|lacking| match lacking {
            Some(what) => Fault::lacking(what),
            None => Fault::bad(format!("Field '{name}' does not support sorting.")),
        })?;
        let direction = sort.direction.unwrap_or(usual);
        keys.extend(expressions.into_iter().map(|expression| Key { expression, direction }));
    }
    Ok(keys)
}

/// The expressions of a field and its usual direction; or what is missing for it, or that Jira has none either.
fn expressions(target: &Target) -> std::result::Result<(Vec<Sql>, Direction), Option<&'static str>> {
    use Direction::{Ascending, Descending};
    let project = |column: &'static str| {
        Sql::new("(SELECT p.").text(column).text(" FROM project p WHERE p.id = i.project_id)")
    };
    let one = |sql: Sql, direction| Ok((vec![sql], direction));
    match target {
        Target::Issue => Ok((vec![project("key"), Sql::new("i.number")], Ascending)),
        Target::Project => one(project("name"), Ascending),
        Target::Rank => one(Sql::new("i.rank"), Ascending),
        Target::Instant(Time::Created) => one(Sql::new("i.created"), Descending),
        Target::Instant(Time::Updated) => one(Sql::new("i.updated"), Descending),
        Target::Instant(Time::Value(id)) => one(column(id, "v.number"), Descending),
        Target::Day(id) => one(column(id, "v.text"), Descending),
        Target::Duration(id) => one(column(id, "v.number"), Descending),
        Target::Number(id) => one(column(id, "v.number"), Ascending),
        Target::Exact(id) | Target::Labels(id) | Target::Text(id) => {
            one(column(id, "v.text COLLATE NOCASE"), Ascending)
        }
        Target::Count(Crowd::Voters) => {
            one(Sql::new("(SELECT count(*) FROM vote c WHERE c.issue_id = i.id)"), Descending)
        }
        Target::Count(Crowd::Watchers) => {
            one(Sql::new("(SELECT count(*) FROM watcher c WHERE c.issue_id = i.id)"), Descending)
        }
        Target::Hierarchy => {
            one(joined(&"issuetype".into(), "t.level", " JOIN issue_type t ON t.id = v.ref"), Ascending)
        }
        Target::Relation(id, _) => one(column(id, "v.ref"), Ascending),
        Target::StatusCategory => {
            let rank =
                "CASE s.category WHEN 'new' THEN 1 WHEN 'indeterminate' THEN 2 WHEN 'done' THEN 3 ELSE 0 END";
            one(joined(&"status".into(), rank, " JOIN status s ON s.id = v.ref"), Ascending)
        }
        Target::Reference(id, names) => Ok(reference(id, *names)),
        Target::ReferenceTree(id) => Ok(reference(id, Names::Option)),
        Target::Lacking(what) => Err(Some(what)),
        Target::Unsearchable => Err(Some("an order by values that are computed")),
        Target::AllText
        | Target::Attachments
        | Target::Category
        | Target::Comment
        | Target::Filter
        | Target::Link
        | Target::LinkType
        | Target::People(_)
        | Target::ProjectType
        | Target::WorkAuthor
        | Target::WorkDate => Err(None),
    }
}

/// The first value of a field.
fn column(id: &Id, column: &'static str) -> Sql {
    joined(id, column, "")
}

fn joined(id: &Id, column: &'static str, join: &'static str) -> Sql {
    let sql = Sql::new("(SELECT ").text(column).text(" FROM value v").text(join);
    sql.text(" WHERE v.issue_id = i.id AND v.field_id = ")
        .value(id.to_string())
        .text(" ORDER BY v.position LIMIT 1)")
}

fn reference(id: &Id, names: Names) -> (Vec<Sql>, Direction) {
    use Direction::{Ascending, Descending};
    let (column, join, direction) = match names {
        Names::Component => ("n.name COLLATE NOCASE", " JOIN component n ON n.id = v.ref", Ascending),
        Names::Group => ("n.name COLLATE NOCASE", " JOIN \"group\" n ON n.id = v.ref", Ascending),
        Names::Option => ("n.position", " JOIN option n ON n.id = v.ref", Ascending),
        Names::Person => ("n.display_name COLLATE NOCASE", " JOIN person n ON n.id = v.ref", Ascending),
        // The most important priority is the greatest, and has the smallest position.
        Names::Priority => ("-n.position", " JOIN priority n ON n.id = v.ref", Descending),
        Names::RequestType => ("n.name COLLATE NOCASE", " JOIN request_type n ON n.id = v.ref", Ascending),
        Names::Version => ("n.position", " JOIN version n ON n.id = v.ref", Descending),
        Names::IssueType | Names::Resolution | Names::Status => ("v.ref", "", Descending),
        Names::Issue | Names::Project | Names::Sprint => ("v.ref", "", Ascending),
    };
    (vec![joined(id, column, join)], direction)
}
