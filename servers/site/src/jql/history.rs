//! The conditions about former values: `was` and `changed`.
//!
//! In: a condition with its predicates. Out: SQL about the intervals in `held`. A change is an interval that somebody began, and its former
//! value is the one whose interval ended then. A list such as the fix versions can lose a value without another one beginning: that is
//! a change too.

use super::ast::{Operand, Operator, Predicate, PredicateKind, Term};
use super::context::Context;
use super::date::Moment;
use super::names::{self, Names};
use super::sql::Sql;
use super::target::Target;
use super::value::{self, Literal, Resolved};
use crate::fault::{Fault, Result};
use crate::issue::TRACKED;

/// Compiles a condition. `operator` is that of the query, or its opposite inside of a `NOT`.
pub(super) fn term(
    context: &mut Context<'_>,
    term: &Term,
    operator: Operator,
    targets: &[Target],
    field: &str,
) -> Result<Sql> {
    let tracked = targets.iter().find_map(|it| match it {
        Target::Reference(id, names) if TRACKED.contains(&id.as_ref()) => Some((it, id.as_ref(), *names)),
        _ => None,
    });
    let Some((target, id, names)) = tracked else {
        return Err(Fault::bad(format!("History searches do not support the '{field}' field.")));
    };
    let history = History { target, id, names, field };
    let sql = match &term.operand {
        Some(operand) => history.was(context, operand, &term.predicates)?,
        None => history.changed(context, &term.predicates)?,
    };
    Ok(if matches!(operator, Operator::WasNot | Operator::WasNotIn) { sql.not() } else { sql })
}

struct History<'a> {
    target: &'a Target,
    id: &'a str,
    names: Names,
    field: &'a str,
}

/// The rows of `held` of a field; the caller adds conditions about `h`, or closes the parenthesis.
fn intervals(id: &str) -> Sql {
    Sql::new("EXISTS (SELECT 1 FROM held h WHERE h.issue_id = i.id AND h.field_id = ").value(id.to_owned())
}

impl History<'_> {
    fn was(&self, context: &mut Context<'_>, operand: &Operand, predicates: &[Predicate]) -> Result<Sql> {
        let values = self.values(context, operand)?;
        let mut sql = intervals(self.id).text(" AND ").sql(held("h.ref", &values));
        for predicate in predicates {
            sql = sql.text(" AND ").sql(match predicate.kind {
                PredicateKind::By => {
                    let people = self.people(context, &predicate.operand)?;
                    // The value at creation is that of the person who made the issue.
                    Sql::new("coalesce(h.set_by, (SELECT v.ref FROM value v WHERE v.issue_id = i.id AND v.field_id = 'creator')) IN (")
                        .list(&people)
                        .text(")")
                }
                PredicateKind::From | PredicateKind::To => Sql::never(),
                kind => during(&self.dates(context, kind, &predicate.operand)?, kind),
            });
        }
        Ok(sql.text(")"))
    }

    fn changed(&self, context: &mut Context<'_>, predicates: &[Predicate]) -> Result<Sql> {
        let mut begun = intervals(self.id).text(" AND h.set_by IS NOT NULL");
        // A value that went while no other one came.
        let mut gone = intervals(self.id).text(
            " AND h.until IS NOT NULL AND NOT EXISTS (SELECT 1 FROM held n
              WHERE n.issue_id = h.issue_id AND n.field_id = h.field_id AND n.since = h.until)",
        );
        for predicate in predicates {
            match predicate.kind {
                PredicateKind::By => {
                    let people = self.people(context, &predicate.operand)?;
                    begun = begun.text(" AND h.set_by IN (").list(&people).text(")");
                    gone = gone
                        .text(
                            " AND EXISTS (SELECT 1 FROM change_group g
                              WHERE g.issue_id = h.issue_id AND g.created = h.until AND g.author_id IN (",
                        )
                        .list(&people)
                        .text("))");
                }
                PredicateKind::From => {
                    let values = self.values(context, &predicate.operand)?;
                    begun = begun
                        .text(
                            " AND EXISTS (SELECT 1 FROM held f WHERE f.issue_id = h.issue_id
                              AND f.field_id = h.field_id AND f.until = h.since AND f.rowid <> h.rowid AND ",
                        )
                        .sql(held("f.ref", &values))
                        .text(")");
                    gone = gone.text(" AND ").sql(held("h.ref", &values));
                }
                PredicateKind::To => {
                    let values = self.values(context, &predicate.operand)?;
                    begun = begun.text(" AND ").sql(held("h.ref", &values));
                    gone = gone.text(" AND 0");
                }
                kind => {
                    let moments = self.dates(context, kind, &predicate.operand)?;
                    begun = begun.text(" AND ").sql(at("h.since", &moments, kind));
                    gone = gone.text(" AND ").sql(at("h.until", &moments, kind));
                }
            }
        }
        Ok(Sql::any(vec![begun.text(")"), gone.text(")")]))
    }

    fn values(&self, context: &mut Context<'_>, operand: &Operand) -> Result<Resolved> {
        let literals = value::literals(context, operand, Some(self.target), self.field)?;
        let things = names::things(context, self.names, self.id)?;
        value::resolve(self.names, &things, &literals, self.field)
    }

    fn people(&self, context: &mut Context<'_>, operand: &Operand) -> Result<Vec<i64>> {
        let literals = value::literals(context, operand, None, self.field)?;
        let things = names::things(context, Names::Person, "")?;
        let mut people = Vec::new();
        for literal in &literals {
            let found = match literal {
                Literal::Ids { names: Names::Person, ids, .. } => ids.clone(),
                literal => Names::Person.find(&things, literal),
            };
            if found.is_empty() && !matches!(literal, Literal::Ids { .. }) {
                let shown = literal.shown();
                let sentence =
                    format!("The user '{shown}' does not exist and cannot be used in the 'by' predicate.");
                return Err(Fault::bad(sentence));
            }
            people.extend(found);
        }
        Ok(people)
    }

    fn dates(
        &self,
        context: &mut Context<'_>,
        kind: PredicateKind,
        operand: &Operand,
    ) -> Result<Vec<Moment>> {
        let literals = value::literals(context, operand, None, self.field)?;
        let name = kind.text();
        let expected = if kind == PredicateKind::During { 2 } else { 1 };
        if literals.len() != expected {
            let number = if expected == 2 { "exactly 2 date values" } else { "only 1 date value" };
            let name = name.to_uppercase();
            return Err(Fault::bad(format!("The {name} predicate must be supplied with {number}.")));
        }
        let read = |literal: &Literal| {
            match literal {
            Literal::Instant { at, .. } | Literal::Number(at) => Ok(Moment::exact(*at)),
            Literal::Text(text) => context.clock.read(text).ok_or_else(|| {
                let formats = "'yyyy/MM/dd HH:mm', 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'.";
                Fault::bad(format!("Date value '{text}' for predicate '{name}' is invalid. Valid formats include: {formats}"))
            }),
            literal => {
                let function = literal.function().unwrap_or("EMPTY");
                Err(Fault::bad(format!("A date for the predicate '{name}' provided by the function '{function}' is not valid.")))
            }
        }
        };
        literals.iter().map(read).collect()
    }
}

/// The condition that a column has one of several values, or none.
fn held(column: &'static str, values: &Resolved) -> Sql {
    let some = Sql::new("(")
        .text(column)
        .text(" IS NOT NULL AND ")
        .text(column)
        .text(" IN (")
        .list(&values.ids)
        .text("))");
    match values.empty {
        true => Sql::any(vec![some, Sql::new(column).text(" IS NULL")]),
        false => some,
    }
}

/// The span that dates of a predicate mean; both ends belong to it.
fn span(moments: &[Moment], kind: PredicateKind) -> (i64, i64) {
    let (Some(first), Some(last)) = (moments.first(), moments.last()) else { return (1, 0) };
    match kind {
        PredicateKind::Before => (i64::MIN, first.from - 1),
        PredicateKind::After => (first.to + 1, i64::MAX),
        _ => (first.from, last.to),
    }
}

/// The condition that an interval lies in a span, at least in part.
fn during(moments: &[Moment], kind: PredicateKind) -> Sql {
    let (from, to) = span(moments, kind);
    let sql = Sql::new("(h.since <= ").value(to).text(" AND (h.until IS NULL OR h.until > ").value(from);
    sql.text("))")
}

/// The condition that a time lies in a span.
fn at(column: &'static str, moments: &[Moment], kind: PredicateKind) -> Sql {
    let (from, to) = span(moments, kind);
    Sql::new("").text(column).text(" BETWEEN ").value(from).text(" AND ").value(to)
}
