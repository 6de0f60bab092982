//! Conditions about other issues: keys, parents and links.
//!
//! In: keys and ids. Out: SQL. An issue that the person may not see does not exist. A former key leads to its issue, but has no order.

use super::{Asked, filled, rows};
use crate::fault::{Fault, Result};
use crate::field::custom;
use crate::issue;
use crate::jql::context::Context;
use crate::jql::names::Names;
use crate::jql::sql::Sql;
use crate::jql::target::Relation;
use crate::jql::value::Literal;

/// Compiles a condition about the issue itself.
pub(super) fn key(context: &Context<'_>, asked: &Asked<'_>) -> Result<Sql> {
    let ids: Vec<i64> = asked.each(|it| found(context, asked, it))?.concat();
    if asked.is_equality() {
        return Ok(asked.equality(Sql::always(), Sql::new("i.id IN (").list(&ids).text(")"), false));
    }
    let symbol = asked.order_symbol();
    for literal in asked.literals {
        let Literal::Text(text) = literal else { continue };
        let sql = "SELECT key FROM issue WHERE id IN (SELECT value FROM json_each(?1))";
        let json = serde_json::Value::from(ids.clone()).to_string();
        let keys: Vec<String> = context.work.all(sql, [json], |row| row.get(0))?;
        if !keys.iter().any(|it| it.eq_ignore_ascii_case(text.trim())) {
            return Err(Fault::bad(format!(
                "Operator '{symbol}' cannot be applied to moved issue key '{text}'."
            )));
        }
    }
    // Keys of other projects come neither before nor after.
    let sql = Sql::new("EXISTS (SELECT 1 FROM issue o WHERE o.project_id = i.project_id AND i.number ")
        .text(symbol);
    Ok(sql.text(" o.number AND o.id IN (").list(&ids).text("))"))
}

/// The issues that a value means.
fn found(context: &Context<'_>, asked: &Asked<'_>, literal: &Literal) -> Result<Vec<i64>> {
    let field = asked.field;
    let sentence = match literal {
        Literal::Ids { names: Names::Issue, ids, .. } => return Ok(ids.clone()),
        Literal::Ids { function, .. } | Literal::Instant { function, .. } => {
            return Err(Names::Issue.unfit(function, field));
        }
        Literal::Empty => return Ok(Vec::new()),
        Literal::Number(id) => format!("A value with ID '{id}' does not exist for the field '{field}'."),
        // In quotes a number is no id.
        Literal::Text(text) if !is_key(text.trim()) => {
            return Err(Fault::bad(format!("The issue key '{text}' for field '{field}' is invalid.")));
        }
        Literal::Text(text) => format!("An issue with key '{text}' does not exist for field '{field}'."),
    };
    let Some(id) = issue::find(&context.work, literal.shown().trim())? else {
        return Err(Fault::bad(sentence));
    };
    let sql = "SELECT project_id FROM issue WHERE id = ?1";
    let project: Option<i64> = context.work.one(sql, [id], |row| row.get(0))?;
    match project.is_some_and(|it| context.projects.contains(&it)) {
        true => Ok(vec![id]),
        false => Err(Fault::bad(sentence)),
    }
}

fn is_key(text: &str) -> bool {
    let Some((project, number)) = text.rsplit_once('-') else { return false };
    let is_word = |it: char| it.is_ascii_alphanumeric() || it == '_';
    project.starts_with(|it: char| it.is_ascii_alphabetic())
        && project.chars().all(is_word)
        && !number.is_empty()
        && number.len() < 19
        && number.bytes().all(|it| it.is_ascii_digit())
}

/// Compiles a condition about the parent or the epic.
pub(super) fn relation(
    context: &Context<'_>,
    asked: &Asked<'_>,
    id: &str,
    relation: Relation,
) -> Result<Sql> {
    if relation == Relation::Subtask {
        asked.refuse_empty()?;
    }
    let ids = asked.each(|it| match found(context, asked, it) {
        Err(fault) if relation == Relation::Epic => match named_epics(context, it)? {
            ids if ids.is_empty() => Err(fault),
            ids => Ok(ids),
        },
        found => found,
    })?;
    let matches = rows(id).text(" AND v.ref IN (").list(&ids.concat()).text("))");
    let filled = if relation == Relation::Subtask { Sql::always() } else { filled(id) };
    Ok(asked.equality(filled, matches, asked.wants_empty()))
}

/// The epics that have a short name.
fn named_epics(context: &Context<'_>, literal: &Literal) -> Result<Vec<i64>> {
    if literal.function().is_some() {
        return Ok(Vec::new());
    }
    let sql =
        Sql::new("SELECT v.issue_id FROM value v JOIN issue o ON o.id = v.issue_id WHERE v.field_id = ");
    let sql =
        sql.value(custom::EPIC_NAME.to_owned()).text(" AND lower(v.text) = lower(").value(literal.shown());
    let sql = sql.text(") AND o.project_id IN (").list(&context.projects).text(")");
    context.work.all(&sql.text, rusqlite::params_from_iter(sql.values), |row| row.get(0))
}

/// Compiles a condition about the issues that an issue is linked to.
pub(super) fn link(context: &Context<'_>, asked: &Asked<'_>) -> Result<Sql> {
    let ids = asked.each(|it| found(context, asked, it))?.concat();
    let matches = Sql::new("EXISTS (SELECT 1 FROM link l WHERE l.source_id = i.id AND l.destination_id IN (")
        .list(&ids)
        .text(") OR l.destination_id = i.id AND l.source_id IN (")
        .list(&ids)
        .text("))");
    Ok(asked.equality(linked(), matches, asked.wants_empty()))
}

fn linked() -> Sql {
    Sql::new("EXISTS (SELECT 1 FROM link l WHERE l.source_id = i.id OR l.destination_id = i.id)")
}

/// Compiles a condition about the types of links, by their name or by one of their directions.
pub(super) fn link_type(context: &Context<'_>, asked: &Asked<'_>) -> Result<Sql> {
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, [row.get(1)?, row.get(2)?, row.get(3)?]));
    let types: Vec<(i64, [String; 3])> =
        context.work.all("SELECT id, name, outward, inward FROM link_type", [], read)?;
    let (mut outward, mut inward) = (Vec::new(), Vec::new());
    asked.each(|it| {
        let wanted = it.shown().to_lowercase();
        let mut is_known = false;
        for (id, names) in types.iter().filter(|_| it.function().is_none()) {
            let [name, out, within] = names.each_ref().map(|it| it.to_lowercase() == wanted);
            let is_id = matches!(it, Literal::Number(number) if number == id);
            outward.extend((name || out || is_id).then_some(*id));
            inward.extend((name || within || is_id).then_some(*id));
            is_known |= name || out || within || is_id;
        }
        if is_known { Ok(()) } else { Err(Fault::bad(asked.unknown_value(it))) }
    })?;
    let matches = Sql::new("EXISTS (SELECT 1 FROM link l WHERE l.source_id = i.id AND l.link_type_id IN (")
        .list(&outward)
        .text(") OR l.destination_id = i.id AND l.link_type_id IN (")
        .list(&inward)
        .text("))");
    Ok(asked.equality(linked(), matches, asked.wants_empty()))
}
