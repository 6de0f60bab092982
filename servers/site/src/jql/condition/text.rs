//! Conditions about texts: `~` and `!~`.
//!
//! In: the text to look for. Out: SQL over the words of the index. Only comments that the person may see count.

use super::{Asked, filled, rows};
use crate::fault::{Fault, Result};
use crate::field::Kind;
use crate::jql::ast::Operator;
use crate::jql::context::Context;
use crate::jql::names::Names;
use crate::jql::sql::Sql;
use crate::jql::target::Target;
use crate::jql::text::{self, Refusal, Wanted};
use crate::jql::value::Literal;

/// Compiles a condition about a text field, the comments, or all of them.
pub(super) fn of(context: &Context<'_>, target: &Target, asked: &Asked<'_>) -> Result<Sql> {
    let is_empty_wanted = asked.wants_empty();
    if let Target::Text(id) = target
        && is_empty_wanted
    {
        return Ok(asked.presence(filled(id)));
    }
    asked.refuse_empty()?;
    // The usage of operators allows one value only.
    let wanted = asked.each(|it| read(asked, it))?;
    let Some(wanted) = wanted.first() else { return Ok(Sql::never()) };
    let all = match target {
        Target::Text(id) => texts_of(vec![id.to_string()], wanted),
        Target::Comment => comments(context, wanted)?,
        _ => {
            let fields = context.fields.iter();
            let custom = fields.filter(|it| it.is_custom() && matches!(it.kind, Kind::Rich | Kind::Text));
            let mut ids: Vec<String> = custom.map(|it| it.id.clone()).collect();
            ids.extend(["summary", "description", "environment"].map(str::to_owned));
            Sql::any(vec![texts_of(ids, wanted), comments(context, wanted)?])
        }
    };
    let filled = match target {
        Target::Text(id) => filled(id),
        Target::Comment => comment_rows(context)?.text(")"),
        _ => Sql::always(),
    };
    Ok(asked.equality(filled, all, false))
}

fn read(asked: &Asked<'_>, literal: &Literal) -> Result<Wanted> {
    let field = asked.field;
    if let Some(function) = literal.function() {
        return Err(Fault::bad(format!(
            "The field '{field}' is unable to parse the text given to it by the function '{function}'."
        )));
    }
    let shown = literal.shown();
    if shown.trim().is_empty() {
        return Err(Fault::bad(format!(
            "The field '{field}' does not support searching for an empty string."
        )));
    }
    text::read(&shown).map_err(|refusal| match refusal {
        Refusal::Lacking(what) => Fault::lacking(what),
        Refusal::Meaningless => {
            Fault::bad(format!("Unable to parse the text '{shown}' for field '{field}'."))
        }
        Refusal::TooLong => Fault::bad(format!("The text query for field '{field}' is too complex.")),
    })
}

/// The end of a condition about the row `t` of `text_of`.
fn matching(sql: Sql, wanted: &Wanted) -> Sql {
    let (operator, expression) = match wanted {
        Wanted::Match(expression) => ("t.id IN (", expression),
        Wanted::NoMatch(expression) => ("t.id NOT IN (", expression),
        Wanted::Nothing => return sql.text(" AND 0)"),
    };
    let sql = sql.text(" AND ").text(operator).text("SELECT w.rowid FROM words w WHERE w.words MATCH ");
    sql.value(expression.clone()).text("))")
}

fn texts_of(ids: Vec<String>, wanted: &Wanted) -> Sql {
    let rows = Sql::new("EXISTS (SELECT 1 FROM text_of t WHERE t.issue_id = i.id AND t.field_id IN (");
    matching(rows.texts(&ids).text(")"), wanted)
}

fn comments(context: &Context<'_>, wanted: &Wanted) -> Result<Sql> {
    Ok(matching(comment_rows(context)?, wanted))
}

/// The comments that the person may see. One for a role is seen by those who administer the project, and by its author.
fn comment_rows(context: &Context<'_>) -> Result<Sql> {
    let person = context.person;
    let sql = "SELECT 1 FROM person WHERE id = ?1 AND account_type <> 'customer'";
    let is_inside = context.work.one(sql, [person], |_| Ok(()))?.is_some();
    let rows = Sql::new(
        "EXISTS (SELECT 1 FROM text_of t JOIN comment c ON c.id = t.owner_id
         WHERE t.issue_id = i.id AND t.field_id = 'comment' AND c.internal <= ",
    );
    let rows =
        rows.value(i64::from(is_inside)).text(" AND (c.visibility IS NULL OR c.author_id = ").value(person);
    let rows = rows
        .text(
            " OR c.visibility ->> 'type' = 'group' AND EXISTS (SELECT 1 FROM \"group\" g JOIN member m ON m.group_id = g.id
              WHERE lower(g.name) = lower(c.visibility ->> 'value') AND m.person_id = ",
        )
        .value(person);
    let rows = rows.text(
        ") OR c.visibility ->> 'type' = 'role' AND EXISTS (SELECT 1 FROM permission q
          WHERE q.project_id = i.project_id AND q.name = 'ADMINISTER_PROJECTS' AND (q.group_id IS NULL
          OR EXISTS (SELECT 1 FROM member m WHERE m.group_id = q.group_id AND m.person_id = ",
    );
    Ok(rows.value(person).text("))))"))
}

/// Compiles `~` of versions, components and options, which Data Center compares with their names. `*` stands for anything.
pub(super) fn name_like(asked: &Asked<'_>, id: &str, names: Names) -> Result<Sql> {
    if asked.wants_empty() {
        return Ok(asked.presence(filled(id)));
    }
    let table = match names {
        Names::Component => "SELECT n.id FROM component n WHERE n.name LIKE ",
        Names::Version => "SELECT n.id FROM version n WHERE n.name LIKE ",
        _ => "SELECT n.id FROM option n WHERE n.value LIKE ",
    };
    let patterns = asked.each(|it| match it.function() {
        Some(function) => Err(names.unfit(function, asked.field)),
        None => Ok(pattern(&it.shown())),
    })?;
    let any = patterns.into_iter().map(|it| {
        let sql = rows(id).text(" AND v.ref IN (").text(table).value(it).text(" ESCAPE '\\'))");
        debug_assert!(matches!(asked.operator, Operator::Like | Operator::NotLike));
        sql
    });
    Ok(asked.equality(filled(id), Sql::any(any.collect()), false))
}

/// The pattern of `LIKE` for a name in which `*` stands for anything.
fn pattern(text: &str) -> String {
    let mut pattern = String::new();
    for character in text.chars() {
        match character {
            '*' => pattern.push('%'),
            '%' | '_' | '\\' => pattern.extend(['\\', character]),
            _ => pattern.push(character),
        }
    }
    pattern
}
