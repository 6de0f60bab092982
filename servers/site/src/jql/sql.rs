//! Pieces of SQL with the values of their parameters.
//!
//! In: text of this crate, and values from anywhere. Out: a condition or an expression. Text is `&'static str`: what a caller sends can only
//! be a value, never a part of the statement.

use rusqlite::types::Value;

/// A piece of SQL. Its `?`s stand in the order of the values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sql {
    pub(super) text: String,
    pub(super) values: Vec<Value>,
}

impl Sql {
    pub(super) fn new(text: &'static str) -> Self {
        Self { text: text.to_owned(), values: Vec::new() }
    }

    /// The condition that each issue fulfils.
    pub(super) fn always() -> Self {
        Self::new("1")
    }

    /// The condition that no issue fulfils.
    pub(super) fn never() -> Self {
        Self::new("0")
    }

    pub(super) fn text(mut self, text: &'static str) -> Self {
        self.text.push_str(text);
        self
    }

    /// Adds a parameter.
    pub(super) fn value(mut self, value: impl Into<Value>) -> Self {
        self.text.push('?');
        self.values.push(value.into());
        self
    }

    /// Adds a parameter that is a list: `SELECT` of its elements, for `IN (…)`.
    pub(super) fn list(self, ids: &[i64]) -> Self {
        self.text("SELECT j.value FROM json_each(").value(as_json(ids)).text(") j")
    }

    /// Adds a parameter that is a list of texts.
    pub(super) fn texts(self, texts: &[String]) -> Self {
        let json = serde_json::Value::from(texts.to_vec()).to_string();
        self.text("SELECT j.value FROM json_each(").value(json).text(") j")
    }

    /// Adds another piece.
    pub(super) fn sql(mut self, other: Self) -> Self {
        self.text.push_str(&other.text);
        self.values.extend(other.values);
        self
    }

    /// The opposite of a condition that is never null.
    pub(super) fn not(self) -> Self {
        Self::new("NOT (").sql(self).text(")")
    }

    /// All of several conditions.
    pub(super) fn all(conditions: Vec<Self>) -> Self {
        Self::balanced(conditions, " AND ").unwrap_or_else(Self::always)
    }

    /// Any of several conditions.
    pub(super) fn any(conditions: Vec<Self>) -> Self {
        Self::balanced(conditions, " OR ").unwrap_or_else(Self::never)
    }

    /// Joins conditions as a balanced tree: SQLite limits how deep an expression is, and a chain is as deep as it is long.
    fn balanced(mut conditions: Vec<Self>, operator: &'static str) -> Option<Self> {
        if conditions.len() > 1 {
            let right = conditions.split_off(conditions.len() / 2);
            let right = Self::balanced(right, operator)?;
            let left = Self::balanced(conditions, operator)?;
            return Some(Self::new("(").sql(left).text(operator).sql(right).text(")"));
        }
        conditions.pop()
    }
}

fn as_json(ids: &[i64]) -> String {
    serde_json::Value::from(ids.to_vec()).to_string()
}
