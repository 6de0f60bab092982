//! A query as the parser leaves it.
//!
//! In: what `grammar` read. Out: a tree that `compile` walks, and the texts in which Jira's sentences show its parts. It knows
//! neither fields nor values: whether they exist is found out later.

use std::fmt;

/// A query: what it restricts, and how it orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// What the issues have to fulfil; nothing if all are wanted.
    pub clause: Option<Clause>,
    /// The fields of `ORDER BY`, the most important first.
    pub order: Vec<Sort>,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clause {
    /// All of several conditions; at least two.
    And(Vec<Self>),
    /// The opposite of a condition.
    Not(Box<Self>),
    /// Any of several conditions; at least two.
    Or(Vec<Self>),
    /// A condition about one field.
    Term(Term),
}

/// A condition about one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The field.
    pub field: FieldName,
    /// What is asked about it.
    pub operator: Operator,
    /// What it is compared with; `changed` has none.
    pub operand: Option<Operand>,
    /// What follows the operand, such as `by` and `during`; of `was` and `changed` only.
    pub predicates: Vec<Predicate>,
}

/// A field, as the query names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldName {
    /// `cf[10016]`
    Custom(i64),
    /// A name, a clause name or an id.
    Named(String),
    /// A property of an entity, such as `issue.property[answers].first`.
    Property(String),
}

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `changed`
    Changed,
    /// `=`
    Equals,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `in`
    In,
    /// `is`
    Is,
    /// `is not`
    IsNot,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `~`
    Like,
    /// `!=`
    NotEquals,
    /// `not in`
    NotIn,
    /// `!~`
    NotLike,
    /// `was`
    Was,
    /// `was in`
    WasIn,
    /// `was not`
    WasNot,
    /// `was not in`
    WasNotIn,
}

/// What a field is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// `EMPTY` or `NULL`
    Empty,
    /// A function, such as `currentUser()`.
    Function(Function),
    /// A list in parentheses.
    List(Vec<Self>),
    /// A whole number without quotes.
    Number(i64),
    /// A word or a quoted text.
    Text(String),
}

/// A call of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The name, as the query writes it.
    pub name: String,
    /// The arguments.
    pub arguments: Vec<String>,
}

/// A restriction of `was` or `changed`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// What it restricts.
    pub kind: PredicateKind,
    /// To what.
    pub operand: Operand,
}

/// What a predicate restricts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredicateKind {
    /// Later than a date.
    After,
    /// Earlier than a date.
    Before,
    /// By a person.
    By,
    /// Between two dates.
    During,
    /// From a value.
    From,
    /// On a date.
    On,
    /// To a value.
    To,
}

/// A field of `ORDER BY`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sort {
    /// The field.
    pub field: FieldName,
    /// The direction, if the query says one.
    pub direction: Option<Direction>,
}

/// A direction of `ORDER BY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The smallest first.
    Ascending,
    /// The greatest first.
    Descending,
}

impl Operator {
    /// Returns the operator as Jira's sentences show it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Equals => "=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::In => "in",
            Self::Is => "is",
            Self::IsNot => "is not",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Like => "~",
            Self::NotEquals => "!=",
            Self::NotIn => "not in",
            Self::NotLike => "!~",
            Self::Was => "was",
            Self::WasIn => "was in",
            Self::WasNot => "was not",
            Self::WasNotIn => "was not in",
        }
    }

    /// Returns the name that Jira's sentences about predicates use.
    pub(super) fn constant(self) -> &'static str {
        match self {
            Self::Changed => "CHANGED",
            Self::Equals => "EQUALS",
            Self::Greater => "GREATER_THAN",
            Self::GreaterOrEqual => "GREATER_THAN_EQUALS",
            Self::In => "IN",
            Self::Is => "IS",
            Self::IsNot => "IS_NOT",
            Self::Less => "LESS_THAN",
            Self::LessOrEqual => "LESS_THAN_EQUALS",
            Self::Like => "LIKE",
            Self::NotEquals => "NOT_EQUALS",
            Self::NotIn => "NOT_IN",
            Self::NotLike => "NOT_LIKE",
            Self::Was => "WAS",
            Self::WasIn => "WAS_IN",
            Self::WasNot => "WAS_NOT",
            Self::WasNotIn => "WAS_NOT_IN",
        }
    }

    /// Returns whether it is about former values.
    pub(super) fn is_of_history(self) -> bool {
        matches!(self, Self::Changed | Self::Was | Self::WasIn | Self::WasNot | Self::WasNotIn)
    }

    /// Returns the operator of the opposite condition; `changed` has none.
    pub(super) fn opposite(self) -> Self {
        match self {
            Self::Changed => Self::Changed,
            Self::Equals => Self::NotEquals,
            Self::Greater => Self::LessOrEqual,
            Self::GreaterOrEqual => Self::Less,
            Self::In => Self::NotIn,
            Self::Is => Self::IsNot,
            Self::IsNot => Self::Is,
            Self::Less => Self::GreaterOrEqual,
            Self::LessOrEqual => Self::Greater,
            Self::Like => Self::NotLike,
            Self::NotEquals => Self::Equals,
            Self::NotIn => Self::In,
            Self::NotLike => Self::Like,
            Self::Was => Self::WasNot,
            Self::WasIn => Self::WasNotIn,
            Self::WasNot => Self::Was,
            Self::WasNotIn => Self::WasIn,
        }
    }
}

impl PredicateKind {
    /// Returns the predicate as Jira's sentences show it.
    pub fn text(self) -> &'static str {
        match self {
            Self::After => "after",
            Self::Before => "before",
            Self::By => "by",
            Self::During => "during",
            Self::From => "from",
            Self::On => "on",
            Self::To => "to",
        }
    }
}

impl fmt::Display for FieldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Custom(number) => write!(f, "cf[{number}]"),
            Self::Named(name) | Self::Property(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("EMPTY"),
            Self::Function(call) => call.fmt(f),
            Self::List(all) => {
                let all: Vec<_> = all.iter().map(ToString::to_string).collect();
                write!(f, "({})", all.join(", "))
            }
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => write!(f, "\"{text}\""),
        }
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name, self.arguments.join(", "))
    }
}
