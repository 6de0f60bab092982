//! The values of an operand.
//!
//! In: an operand. Out: [`Literal`]s: lists are flat, and functions are computed.

use super::MAX_VALUES;
use super::ast::Operand;
use super::context::Context;
use super::function;
use super::names::{Names, Thing};
use super::target::Target;
use crate::fault::{Fault, Result};

/// A value of an operand.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    Empty,
    /// What a function found.
    Ids {
        function: String,
        names: Names,
        ids: Vec<i64>,
    },
    /// A time that a function computed, in milliseconds.
    Instant {
        function: String,
        at: i64,
    },
    Number(i64),
    Text(String),
}

/// Ids, and whether an empty field is wanted too.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Resolved {
    pub(super) ids: Vec<i64>,
    pub(super) empty: bool,
}

impl Literal {
    /// Returns the value as Jira's sentences show it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Empty => "EMPTY".to_owned(),
            Self::Ids { function, .. } | Self::Instant { function, .. } => format!("{function}()"),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }

    /// Returns the function that it comes from.
    pub(super) fn function(&self) -> Option<&str> {
        match self {
            Self::Ids { function, .. } | Self::Instant { function, .. } => Some(function),
            _ => None,
        }
    }
}

/// Returns the values of an operand. `target` is the field, if it is for one: some functions depend on it.
pub(super) fn literals(
    context: &mut Context<'_>,
    operand: &Operand,
    target: Option<&Target>,
    field: &str,
) -> Result<Vec<Literal>> {
    let mut all = Vec::new();
    collect(context, operand, target, field, &mut all)?;
    if all.len() > MAX_VALUES {
        return Err(Fault::bad(format!(
            "The field '{field}' can be compared with at most {MAX_VALUES} values."
        )));
    }
    Ok(all)
}

fn collect(
    context: &mut Context<'_>,
    operand: &Operand,
    target: Option<&Target>,
    field: &str,
    all: &mut Vec<Literal>,
) -> Result<()> {
    match operand {
        Operand::Empty => all.push(Literal::Empty),
        Operand::Number(number) => all.push(Literal::Number(*number)),
        Operand::Text(text) => all.push(Literal::Text(text.clone())),
        Operand::Function(call) => all.push(function::evaluate(context, call, target, field)?),
        Operand::List(operands) => {
            for operand in operands {
                collect(context, operand, target, field, all)?;
            }
        }
    }
    Ok(())
}

/// Returns the ids that values name. All values that name nothing are in the error.
pub(super) fn resolve(names: Names, things: &[Thing], literals: &[Literal], field: &str) -> Result<Resolved> {
    let mut resolved = Resolved::default();
    let mut problems = Vec::new();
    for literal in literals {
        match literal {
            Literal::Empty => resolved.empty = true,
            Literal::Ids { names: found, ids, .. } if *found == names => resolved.ids.extend(ids),
            Literal::Text(text) if names == Names::Resolution && text.eq_ignore_ascii_case("unresolved") => {
                resolved.empty = true;
            }
            Literal::Number(_) | Literal::Text(_) => {
                let mut found = names.find(things, literal);
                // In quotes of its own, "unresolved" is the name of a resolution.
                if let (Names::Resolution, Literal::Text(text)) = (names, literal)
                    && let Some(inner) = text.strip_prefix('"').and_then(|it| it.strip_suffix('"'))
                    && found.is_empty()
                {
                    found = names.find(things, &Literal::Text(inner.to_owned()));
                }
                if found.is_empty() {
                    problems.extend(names.unknown(literal, field).messages);
                }
                resolved.ids.extend(found);
            }
            Literal::Ids { function, .. } | Literal::Instant { function, .. } => {
                problems.extend(names.unfit(function, field).messages);
            }
        }
    }
    if problems.is_empty() { Ok(resolved) } else { Err(Fault { messages: problems, ..Fault::bad("") }) }
}
