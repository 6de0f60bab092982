//! From a tree of conditions to one condition of SQL.
//!
//! In: a [`Query`]. Out: SQL about the alias `i` of the table `issue`, and the expressions of `ORDER BY`. Errors of all conditions are
//! collected, as Jira does. As in Jira, `NOT` is moved into the conditions: `NOT assignee = x` is `assignee != x`, which does not find
//! issues without an assignee.

use super::ast::{Clause, Operand, Operator, Query, Term};
use super::condition;
use super::context::Context;
use super::function::{self, Form};
use super::history;
use super::order::{self, Key};
use super::sql::Sql;
use super::target;
use super::{MAX_LEVELS, MAX_SENTENCES};
use crate::fault::{Fault, Result};

/// What a query asks for.
pub(super) struct Plan {
    pub(super) condition: Sql,
    pub(super) order: Vec<Key>,
}

/// What is wrong with a query.
#[derive(Default)]
pub(super) struct Problems {
    sentences: Vec<String>,
    lacking: Option<Fault>,
}

impl Problems {
    /// Keeps what is wrong with one condition, and passes on what is no fault of the query.
    fn take<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => return Ok(Some(value)),
            Err(fault) if fault.status == 400 => {
                for sentence in fault.messages {
                    if !self.sentences.contains(&sentence) {
                        self.sentences.push(sentence);
                    }
                }
            }
            Err(fault) if fault.status == 501 => drop(self.lacking.get_or_insert(fault)),
            Err(fault) => return Err(fault),
        }
        Ok(None)
    }

    fn end(mut self) -> Result<()> {
        if !self.sentences.is_empty() {
            self.sentences.truncate(MAX_SENTENCES);
            return Err(Fault { messages: self.sentences, ..Fault::bad("") });
        }
        self.lacking.map_or(Ok(()), Err)
    }
}

/// Compiles a query.
pub(super) fn query(context: &mut Context<'_>, query: &Query) -> Result<Plan> {
    let mut problems = Problems::default();
    let condition = match &query.clause {
        Some(it) => clause(context, it, Sense::Straight, 0, &mut problems)?,
        None => Sql::always(),
    };
    let mut order = Vec::new();
    for sort in &query.order {
        order.extend(problems.take(order::keys(context, sort))?.into_iter().flatten());
    }
    problems.end()?;
    Ok(Plan { condition, order })
}

/// Whether a condition stands inside of an odd number of negations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    Negated,
    Straight,
}

pub(super) fn clause(
    context: &mut Context<'_>,
    it: &Clause,
    sense: Sense,
    level: usize,
    problems: &mut Problems,
) -> Result<Sql> {
    // Filters inside of filters add to the levels of the query.
    if level > MAX_LEVELS {
        return Err(Fault::bad(format!(
            "The query is nested too deeply. It can have at most {MAX_LEVELS} levels."
        )));
    }
    let (parts, is_and) = match it {
        Clause::Not(inner) => {
            let sense = if sense == Sense::Negated { Sense::Straight } else { Sense::Negated };
            return clause(context, inner, sense, level + 1, problems);
        }
        Clause::Term(it) => {
            context.count_term()?;
            let compiled = term(context, it, sense, level, problems);
            return Ok(problems.take(compiled)?.unwrap_or_else(Sql::never));
        }
        Clause::And(parts) => (parts, true),
        Clause::Or(parts) => (parts, false),
    };
    let mut compiled = Vec::with_capacity(parts.len());
    for part in parts {
        compiled.push(clause(context, part, sense, level + 1, problems)?);
    }
    Ok(if is_and == (sense == Sense::Straight) { Sql::all(compiled) } else { Sql::any(compiled) })
}

fn term(
    context: &mut Context<'_>,
    it: &Term,
    sense: Sense,
    level: usize,
    problems: &mut Problems,
) -> Result<Sql> {
    let targets = target::find(context, &it.field)?;
    let field = it.field.to_string();
    check_usage(it, &field)?;
    let operator = if sense == Sense::Negated { it.operator.opposite() } else { it.operator };
    if it.operator.is_of_history() {
        let sql = history::term(context, it, operator, &targets, &field)?;
        return Ok(if it.operator == Operator::Changed && sense == Sense::Negated { sql.not() } else { sql });
    }
    // Of several fields with one name, those count for which the values make sense.
    let (mut found, mut refused) = (Vec::new(), None);
    for target in &targets {
        let is_allowed = target.supports(it.operator, context.work.is_cloud());
        let compiled = match is_allowed {
            true => condition::of(context, target, operator, it, &field, level, problems),
            false => {
                let operator = it.operator.text();
                Err(Fault::bad(format!("The operator '{operator}' is not supported by the '{field}' field.")))
            }
        };
        match compiled {
            Ok(sql) => found.push(sql),
            Err(fault) if fault.status == 400 => refused = refused.or(Some(fault)),
            Err(fault) => return Err(fault),
        }
    }
    match refused {
        Some(fault) if found.is_empty() => Err(fault),
        _ => Ok(Sql::any(found)),
    }
}

/// Checks that an operator and the form of its operand fit, whatever the field is.
fn check_usage(it: &Term, field: &str) -> Result<()> {
    use Operator as Op;
    let Some(operand) = &it.operand else { return Ok(()) };
    let form = match operand {
        Operand::List(_) => Form::List,
        Operand::Function(call) => function::form(&call.name).ok_or_else(|| function::unknown(call))?,
        _ => Form::One,
    };
    let (operator, is_empty) = (it.operator.text(), *operand == Operand::Empty);
    let sentence = match it.operator {
        Op::Is | Op::IsNot if !is_empty => {
            format!(
                "Operator '{operator}' does not support searching for non-empty values for field '{field}'."
            )
        }
        Op::In | Op::NotIn | Op::Less | Op::LessOrEqual | Op::Greater | Op::GreaterOrEqual if is_empty => {
            format!(
                "Operator '{operator}' does not support the empty value representation 'EMPTY' for field '{field}'."
            )
        }
        Op::In | Op::NotIn | Op::WasIn | Op::WasNotIn if form == Form::One => {
            format!(
                "Operator '{operator}' does not support the non-list value '{operand}' for field '{field}'."
            )
        }
        Op::In | Op::NotIn | Op::WasIn | Op::WasNotIn => return Ok(()),
        _ if form == Form::List => {
            format!("Operator '{operator}' does not support the list value '{operand}' for field '{field}'.")
        }
        _ => return Ok(()),
    };
    Err(Fault::bad(sentence))
}
