//! The condition of one field.
//!
//! In: a [`Target`], an operator that it has, and the values. Out: SQL about the issue `i`. A condition is true or false, never null, so
//! that its opposite can be taken. An issue whose field is empty fulfils no condition but `is EMPTY`.

mod filter;
mod issues;
mod kinds;
mod number;
mod reference;
mod text;
mod time;

use super::ast::{Operator, Term};
use super::compile::Problems;
use super::context::Context;
use super::names::{self, Names};
use super::sql::Sql;
use super::target::Target;
use super::value::{self, Literal, Resolved};
use crate::fault::{Fault, Result};

/// Compiles a condition. `operator` is that of the query, or its opposite inside of a `NOT`.
pub(super) fn of(
    context: &mut Context<'_>,
    target: &Target,
    operator: Operator,
    term: &Term,
    field: &str,
    level: usize,
    problems: &mut Problems,
) -> Result<Sql> {
    if let Target::Lacking(what) = target {
        return Err(Fault::lacking(what));
    }
    let literals = match &term.operand {
        Some(operand) => value::literals(context, operand, Some(target), field)?,
        None => Vec::new(),
    };
    let asked = Asked { operator, literals: &literals, field };
    match target {
        Target::AllText | Target::Comment | Target::Text(_) => text::of(context, target, &asked),
        Target::Attachments => {
            Ok(asked.presence(Sql::new("EXISTS (SELECT 1 FROM attachment WHERE issue_id = i.id)")))
        }
        Target::Category => asked.category(context),
        Target::Count(crowd) => asked.count(*crowd),
        Target::Day(id) => asked.day(context, id),
        Target::Duration(id) => asked.duration(id),
        Target::Exact(id) => asked.exact(id),
        Target::Filter => filter::of(context, &asked, level, problems),
        Target::Hierarchy => asked.hierarchy(),
        Target::Instant(time) => asked.instant(context, time),
        Target::Issue => issues::key(context, &asked),
        Target::Labels(id) => asked.labels(context, id),
        Target::Lacking(what) => Err(Fault::lacking(what)),
        Target::Link => issues::link(context, &asked),
        Target::LinkType => issues::link_type(context, &asked),
        Target::Number(id) => asked.number(id),
        Target::People(crowd) => asked.people(context, *crowd),
        Target::Project => asked.project(context),
        Target::ProjectType => asked.project_type(),
        // They have no operators.
        Target::Rank | Target::Unsearchable => Ok(Sql::never()),
        Target::Reference(id, names) => asked.reference(context, id, *names),
        Target::ReferenceTree(id) => asked.reference_tree(context, id),
        Target::Relation(id, relation) => issues::relation(context, &asked, id, *relation),
        Target::StatusCategory => asked.status_category(),
        Target::WorkAuthor => asked.work_author(context),
        Target::WorkDate => asked.work_date(context),
    }
}

/// What is asked about a field.
pub(super) struct Asked<'a> {
    pub(super) operator: Operator,
    pub(super) literals: &'a [Literal],
    pub(super) field: &'a str,
}

/// The rows of `value` of a field; the caller adds a condition about them, or closes the parenthesis.
pub(super) fn rows(id: &str) -> Sql {
    Sql::new("EXISTS (SELECT 1 FROM value v WHERE v.issue_id = i.id AND v.field_id = ").value(id.to_owned())
}

/// The condition that a field is not empty.
pub(super) fn filled(id: &str) -> Sql {
    rows(id).text(")")
}

impl Asked<'_> {
    /// Whether the operator is one of equality.
    pub(super) fn is_equality(&self) -> bool {
        !matches!(self.order_symbol(), "<" | "<=" | ">" | ">=")
    }

    /// Whether the operator is a negation.
    pub(super) fn is_negative(&self) -> bool {
        use Operator::{IsNot, NotEquals, NotIn, NotLike};
        matches!(self.operator, IsNot | NotEquals | NotIn | NotLike)
    }

    /// The symbol of SQL for an operator of order.
    pub(super) fn order_symbol(&self) -> &'static str {
        match self.operator {
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterOrEqual => ">=",
            _ => "=",
        }
    }

    /// The condition for values of which some match. Issues with an empty field match only if empty values are wanted.
    pub(super) fn equality(&self, filled: Sql, matches: Sql, wants_empty: bool) -> Sql {
        if self.is_negative() {
            return Sql::all(vec![filled, matches.not()]);
        }
        match wants_empty {
            true => Sql::any(vec![filled.not(), matches]),
            false => matches,
        }
    }

    /// `is EMPTY` and `is not EMPTY` of something that is there or not.
    fn presence(&self, filled: Sql) -> Sql {
        if self.is_negative() { filled } else { filled.not() }
    }

    fn wants_empty(&self) -> bool {
        self.literals.contains(&Literal::Empty)
    }

    /// The error for a field that is never empty.
    pub(super) fn refuse_empty(&self) -> Result<()> {
        match self.wants_empty() {
            true => {
                let sentence =
                    format!("The field '{}' does not support searching for EMPTY values.", self.field);
                Err(Fault::bad(sentence))
            }
            false => Ok(()),
        }
    }

    /// Returns what `read` makes of each value but `EMPTY`; all errors together.
    pub(super) fn each<T>(&self, mut read: impl FnMut(&Literal) -> Result<T>) -> Result<Vec<T>> {
        let (mut all, mut problems) = (Vec::new(), Vec::new());
        for literal in self.literals.iter().filter(|it| **it != Literal::Empty) {
            match read(literal) {
                Ok(value) => all.push(value),
                Err(fault) if fault.status == 400 => problems.extend(fault.messages),
                Err(fault) => return Err(fault),
            }
        }
        if problems.is_empty() { Ok(all) } else { Err(Fault { messages: problems, ..Fault::bad("") }) }
    }

    fn bad<T>(&self, sentence: String) -> Result<T> {
        Err(Fault::bad(sentence))
    }

    fn resolve(&self, context: &Context<'_>, names: Names, id: &str) -> Result<Resolved> {
        // The table is read once, however many values there are.
        let things = names::things(context, names, id)?;
        value::resolve(names, &things, self.literals, self.field)
    }

    /// The sentence for a value that does not exist.
    pub(super) fn unknown_value(&self, literal: &Literal) -> String {
        let field = self.field;
        match literal {
            Literal::Number(number) => {
                format!("A value with ID '{number}' does not exist for the field '{field}'.")
            }
            Literal::Ids { function, .. } | Literal::Instant { function, .. } => {
                format!("A value provided by the function '{function}' is invalid for the field '{field}'.")
            }
            _ => format!("The value '{}' does not exist for the field '{field}'.", literal.shown()),
        }
    }

    fn compare<T>(&self, filled: Sql, values: Vec<T>, one: impl Fn(&'static str, T) -> Sql) -> Sql {
        let symbol = self.order_symbol();
        let matches = Sql::any(values.into_iter().map(|it| one(symbol, it)).collect());
        if self.is_equality() { self.equality(filled, matches, self.wants_empty()) } else { matches }
    }
}
