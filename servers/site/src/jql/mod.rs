//! JQL, the query language of Jira.
//!
//! In: a text, and the person who asks. Out: issues. [`parse`] makes a tree of the text and knows nothing of a site;
//! [`compile()`] looks up what the tree names, and makes one statement of SQL of it, in which everything that a caller sent
//! is a parameter.
//!
//! JQL that is wrong gives 400 with Jira's sentences. JQL that Jira would take and this site cannot answer gives 501: never a list that
//! Jira would not give.

pub mod ast;
mod compile;
mod condition;
mod context;
mod date;
mod function;
mod grammar;
mod history;
mod lexer;
mod names;
mod order;
mod sql;
mod syntax;
mod target;
#[cfg(test)]
mod tests;
mod text;
mod value;

use rusqlite::types::Value;

use crate::fault::{Fault, Result};
use crate::work::Work;
use ast::Direction;
use context::Context;
use order::Key;
use sql::Sql;

pub use grammar::parse;
pub use syntax::SyntaxError;

/// The longest query, in bytes. Jira documents no limit; this is several times the length of the address of a request.
pub const MAX_BYTES: usize = 50_000;
/// How deep parentheses and negations may be.
pub const MAX_DEPTH: usize = 64;
/// How many values a list may have.
pub const MAX_VALUES: usize = 1_000;
/// How many clauses a query may have, with those of the filters that it names. It bounds the length of the statement.
pub const MAX_TERMS: usize = 500;
/// How deep a query may be together with the filters that it names. SQLite allows expressions of 1,000 levels.
const MAX_LEVELS: usize = 200;
/// How deep parentheses may be in the text of `~`. The parser of FTS5 has a stack of 100 places.
const MAX_TEXT_DEPTH: usize = 16;
/// How many words the text of `~` may have.
const MAX_WORDS: usize = 100;
/// How many sentences an error has. Jira stops after ten.
const MAX_SENTENCES: usize = 10;

/// A query that is ready to run.
#[derive(Clone, Debug)]
pub struct Compiled {
    condition: Sql,
    order: Vec<Key>,
    is_bounded: bool,
    order_len: usize,
}

/// Compiles a query for a person. Only issues of projects that they may see are ever found.
///
/// # Errors
/// 400 with Jira's sentences for a query that is wrong or over a limit; 501 for one that this site cannot answer.
pub fn compile(work: &Work<'_>, person: i64, jql: &str) -> Result<Compiled> {
    let query = parse(jql).map_err(|error| Fault::bad(error.message))?;
    let mut context = Context::new(work, person)?;
    let plan = compile::query(&mut context, &query)?;
    let visible = Sql::new("i.project_id IN (").list(&context.projects).text(")");
    Ok(Compiled {
        condition: visible.text(" AND (").sql(plan.condition).text(")"),
        order: plan.order,
        is_bounded: query.clause.is_some(),
        order_len: query.order.len(),
    })
}

impl Compiled {
    /// Returns how many issues there are.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn count(&self, work: &Work<'_>) -> Result<u64> {
        let sql = Sql::new("SELECT count(*) FROM issue i WHERE ").sql(self.condition.clone());
        let count: Option<i64> = work.one(&sql.text, params(sql.values), |row| row.get(0))?;
        Ok(count.and_then(|it| u64::try_from(it).ok()).unwrap_or_default())
    }

    /// Returns the ids of issues in their order, at most `limit` from the place `offset` on.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn ids(&self, work: &Work<'_>, offset: u64, limit: u64) -> Result<Vec<i64>> {
        let mut sql =
            Sql::new("SELECT i.id FROM issue i WHERE ").sql(self.condition.clone()).text(" ORDER BY ");
        for key in &self.order {
            sql = sql.sql(key.expression.clone()).text(match key.direction {
                Direction::Ascending => " ASC NULLS LAST, ",
                Direction::Descending => " DESC NULLS FIRST, ",
            });
        }
        let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        sql = sql.text("i.id DESC LIMIT ").value(whole(limit)).text(" OFFSET ").value(whole(offset));
        work.all(&sql.text, params(sql.values), |row| row.get(0))
    }

    /// Returns whether an issue is among those that the query finds.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn matches(&self, work: &Work<'_>, issue: i64) -> Result<bool> {
        let sql = Sql::new("SELECT 1 FROM issue i WHERE i.id = ").value(issue).text(" AND ");
        let sql = sql.sql(self.condition.clone());
        Ok(work.one(&sql.text, params(sql.values), |_| Ok(()))?.is_some())
    }

    /// Returns whether the query restricts anything, which Cloud demands of a search.
    pub fn is_bounded(&self) -> bool {
        self.is_bounded
    }

    /// Returns the number of fields of `ORDER BY`.
    pub fn order_len(&self) -> usize {
        self.order_len
    }
}

fn params(values: Vec<Value>) -> impl rusqlite::Params {
    rusqlite::params_from_iter(values)
}

/// Returns a text as JQL writes it, in quotation marks.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            character if lexer::is_control(character) => {
                quoted.push_str(&format!("\\u{:04x}", character as u32));
            }
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
