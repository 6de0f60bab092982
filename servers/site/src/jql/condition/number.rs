//! Conditions about numbers, durations and counts.
//!
//! In: an operator and values. Out: SQL about `value.number`, or about rows of other tables.

use super::{Asked, filled, rows};
use crate::fault::{Fault, Result};
use crate::jql::date;
use crate::jql::sql::Sql;
use crate::jql::target::Crowd;
use crate::jql::value::Literal;

impl Asked<'_> {
    pub(super) fn count(&self, crowd: Crowd) -> Result<Sql> {
        let (name, count) = match crowd {
            Crowd::Voters => ("Votes", "(SELECT count(*) FROM vote c WHERE c.issue_id = i.id) "),
            Crowd::Watchers => ("Watchers", "(SELECT count(*) FROM watcher c WHERE c.issue_id = i.id) "),
        };
        let read = |it: &Literal| {
            let (shown, field) = (it.shown(), self.field);
            match (shown.trim().parse::<i64>(), it.function()) {
                (Ok(number), None) if number >= 0 => Ok(number),
                (_, Some(function)) => self.bad(format!(
                    "A value provided by the function '{function}' is invalid for the field '{field}'. {name} must be a positive whole number."
                )),
                _ => self.bad(format!(
                    "Value '{shown}' is invalid for the '{field}' field. {name} must be a positive whole number."
                )),
            }
        };
        if self.wants_empty() {
            read(&Literal::Empty)?;
        }
        let numbers = self.each(read)?;
        if self.is_equality() {
            let matches = Sql::new(count).text("IN (").list(&numbers).text(")");
            return Ok(self.equality(Sql::always(), matches, false));
        }
        Ok(Sql::any(numbers.iter().map(|it| Sql::new(count).text(self.order_symbol()).value(*it)).collect()))
    }

    pub(super) fn number(&self, id: &str) -> Result<Sql> {
        let numbers = self.each(|it| {
            let (shown, field) = (it.shown(), self.field);
            if let Some(function) = it.function() {
                return self.bad(format!(
                    "A value provided by the function '{function}' for the field '{field}' is not a valid number."
                ));
            }
            let plain = shown.bytes().all(|it| matches!(it, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
            match shown.parse::<f64>() {
                Ok(number) if plain && number.is_finite() => Ok(number),
                _ => self.bad(format!("Value '{shown}' for the '{field}' field is not a valid number.")),
            }
        })?;
        Ok(self.compared(id, "v.number", numbers))
    }

    pub(super) fn duration(&self, id: &str) -> Result<Sql> {
        let seconds = self.each(|it| {
            let (shown, field) = (it.shown(), self.field);
            if let Some(function) = it.function() {
                return self.bad(format!(
                    "A value provided by the function '{function}' for the field '{field}' is not a positive duration."
                ));
            }
            date::work_time(&shown).map(|it| it as f64).ok_or_else(|| {
                let example = "Please specify a positive duration format; for example: '1h 30m', '2d'.";
                Fault::bad(format!("The value '{shown}' for field '{field}' is invalid. {example}"))
            })
        })?;
        Ok(self.compared(id, "v.number", seconds))
    }

    /// A comparison of numbers: for equality any of them, for order the one.
    pub(super) fn compared(&self, id: &str, column: &'static str, numbers: Vec<f64>) -> Sql {
        let one = |symbol, it: f64| {
            rows(id).text(" AND ").text(column).text(" ").text(symbol).text(" ").value(it).text(")")
        };
        self.compare(filled(id), numbers, one)
    }
}
