//! Conditions about times and days.
//!
//! In: an operator and dates. Out: SQL. A day is that of the person. As in Jira, a date without a time is its midnight: `created <= "2026-11-27"`
//! does not find what was created on that day.

use super::{Asked, filled, rows};
use crate::fault::{Fault, Result};
use crate::jql::ast::Operator;
use crate::jql::context::Context;
use crate::jql::sql::Sql;
use crate::jql::target::Time;
use crate::jql::value::Literal;

impl Asked<'_> {
    /// Reads a time, in seconds: Jira's index has no milliseconds.
    pub(super) fn seconds(&self, context: &Context<'_>, it: &Literal) -> Result<i64> {
        let field = self.field;
        match it {
            Literal::Instant { at, .. } | Literal::Number(at) => Ok(at.div_euclid(1000)),
            Literal::Text(text) => context.clock.read(text).map(|it| it.at.div_euclid(1000)).ok_or_else(|| {
                let formats = "'yyyy/MM/dd HH:mm', 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'.";
                Fault::bad(format!("Date value '{text}' for field '{field}' is invalid. Valid formats include: {formats}"))
            }),
            Literal::Empty | Literal::Ids { .. } => self.bad(self.no_date(it)),
        }
    }

    pub(super) fn no_date(&self, it: &Literal) -> String {
        let function = it.function().unwrap_or_default();
        format!("A date for the field '{}' provided by the function '{function}' is not valid.", self.field)
    }

    pub(super) fn instant(&self, context: &Context<'_>, time: &Time) -> Result<Sql> {
        let seconds = self.each(|it| self.seconds(context, it))?;
        let of_issue = |column: &'static str, symbol, it: i64| {
            Sql::new(column).text(" / 1000 ").text(symbol).text(" ").value(it)
        };
        Ok(match time {
            Time::Created => {
                self.compare(Sql::always(), seconds, |symbol, it| of_issue("i.created", symbol, it))
            }
            Time::Updated => {
                self.compare(Sql::always(), seconds, |symbol, it| of_issue("i.updated", symbol, it))
            }
            Time::Value(id) => self.compare(filled(id), seconds, |symbol, it| {
                rows(id)
                    .text(" AND CAST(v.number AS INTEGER) / 1000 ")
                    .text(symbol)
                    .text(" ")
                    .value(it)
                    .text(")")
            }),
        })
    }

    /// Reads a day, in the time zone of the person.
    pub(super) fn days(&self, context: &Context<'_>) -> Result<Vec<String>> {
        let field = self.field;
        self.each(|it| {
            let at = match it {
                Literal::Instant { at, .. } | Literal::Number(at) => Some(*at),
                Literal::Text(text) => context.clock.read(text).map(|it| it.at),
                Literal::Empty | Literal::Ids { .. } => return self.bad(self.no_date(it)),
            };
            at.and_then(|at| context.clock.day_of(at)).ok_or_else(|| {
                let formats = "'YYYY/MM/DD', 'YYYY-MM-DD', or a period format e.g. '-5d', '4w 2d'.";
                let shown = it.shown();
                Fault::bad(format!(
                    "Date value '{shown}' for field '{field}' is invalid. Valid formats include: {formats}"
                ))
            })
        })
    }

    pub(super) fn day(&self, context: &Context<'_>, id: &str) -> Result<Sql> {
        let days = self.days(context)?;
        Ok(self.compare(filled(id), days, |symbol, it| {
            rows(id).text(" AND v.text ").text(symbol).text(" ").value(it).text(")")
        }))
    }

    pub(super) fn work_date(&self, context: &Context<'_>) -> Result<Sql> {
        self.refuse_empty()?;
        let days = self.days(context)?;
        let any = days.iter().map(|day| {
            // When a day begins and ends depends on the time zone of the person.
            let (from, to) = context.clock.read(day).map_or((1, 0), |it| (it.from, it.to));
            match self.operator {
                Operator::Less => Sql::new("l.started < ").value(from),
                Operator::LessOrEqual => Sql::new("l.started <= ").value(to),
                Operator::Greater => Sql::new("l.started > ").value(to),
                Operator::GreaterOrEqual => Sql::new("l.started >= ").value(from),
                _ => Sql::new("(l.started BETWEEN ").value(from).text(" AND ").value(to).text(")"),
            }
        });
        let any = Sql::any(any.collect());
        // As for authors, `!=` is about one entry.
        let entry = if self.is_negative() { any.not() } else { any };
        Ok(Sql::new("EXISTS (SELECT 1 FROM worklog l WHERE l.issue_id = i.id AND ").sql(entry).text(")"))
    }
}
