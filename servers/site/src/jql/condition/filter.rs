//! The condition of a saved filter.
//!
//! In: the names of filters. Out: the conditions of their queries. A filter that leads to itself is refused.

use super::Asked;
use crate::fault::{Fault, Result};
use crate::jql::compile::{self, Problems, Sense};
use crate::jql::context::Context;
use crate::jql::sql::Sql;
use crate::jql::value::Literal;

/// Compiles the queries of filters. The person sees their own ones, and those that are shared.
pub(super) fn of(
    context: &mut Context<'_>,
    asked: &Asked<'_>,
    level: usize,
    problems: &mut Problems,
) -> Result<Sql> {
    asked.refuse_empty()?;
    let sql = "SELECT id, name, jql FROM filter WHERE viewers = 'global' OR owner_id = ?1 ORDER BY id";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let known: Vec<(i64, String, String)> = context.work.all(sql, [context.person], read)?;
    let wanted = asked.each(|it| {
        let shown = it.shown();
        let by_name = known.iter().find(|known| known.1.to_lowercase() == shown.to_lowercase());
        let by_id = shown.parse::<i64>().ok().and_then(|id| known.iter().find(|known| known.0 == id));
        let found = if matches!(it, Literal::Number(_)) { by_id.or(by_name) } else { by_name.or(by_id) };
        match (found, it.function()) {
            (Some(found), None) => Ok((shown, found)),
            _ => asked.bad(asked.unknown_value(it)),
        }
    })?;
    let mut any = Vec::new();
    for (shown, (id, name, jql)) in wanted {
        if context.filters.contains(id) {
            let field = asked.field;
            return Err(Fault::bad(format!(
                "Field '{field}' with value '{shown}' matches filter '{name}' and causes a cyclical reference, this \
                 query can not be executed and should be edited."
            )));
        }
        let query = crate::jql::parse(jql).map_err(|error| Fault::bad(error.message))?;
        let Some(clause) = &query.clause else {
            any.push(Sql::always());
            continue;
        };
        context.filters.push(*id);
        let compiled = compile::clause(context, clause, Sense::Straight, level + 1, problems);
        context.filters.pop();
        any.push(compiled?);
    }
    Ok(asked.equality(Sql::always(), Sql::any(any), false))
}
