//! Conditions about projects, categories and levels, and about texts that are compared as a whole.
//!
//! In: an operator and names. Out: SQL.

use super::{Asked, filled, rows};
use crate::fault::Result;
use crate::jql::context::Context;
use crate::jql::names::Names;
use crate::jql::sql::Sql;
use crate::jql::value::Literal;

impl Asked<'_> {
    pub(super) fn project(&self, context: &Context<'_>) -> Result<Sql> {
        let found = self.resolve(context, Names::Project, "")?;
        let matches = Sql::new("i.project_id IN (").list(&found.ids).text(")");
        Ok(self.equality(Sql::always(), matches, found.empty))
    }

    pub(super) fn category(&self, context: &Context<'_>) -> Result<Sql> {
        let sql = "SELECT DISTINCT category FROM project WHERE category IS NOT NULL";
        let known: Vec<String> = context.work.all(sql, [], |row| row.get(0))?;
        let names = self.each(|it| {
            match known.iter().find(|known| known.to_lowercase() == it.shown().to_lowercase()) {
                Some(known) => Ok(known.clone()),
                None => self.bad(self.unknown_value(it)),
            }
        })?;
        let category =
            || Sql::new("EXISTS (SELECT 1 FROM project p WHERE p.id = i.project_id AND p.category ");
        let matches = category().text("IN (").texts(&names).text("))");
        Ok(self.equality(category().text("IS NOT NULL)"), matches, self.wants_empty()))
    }

    pub(super) fn project_type(&self) -> Result<Sql> {
        self.refuse_empty()?;
        let names = self.each(|it| match it.shown().to_lowercase().as_str() {
            "software" => Ok("software".to_owned()),
            "service_desk" | "service desk" | "servicedesk" => Ok("service_desk".to_owned()),
            "business" => Ok("business".to_owned()),
            _ => self.bad(self.unknown_value(it)),
        })?;
        let matches = Sql::new("EXISTS (SELECT 1 FROM project p WHERE p.id = i.project_id AND p.type IN (");
        Ok(self.equality(Sql::always(), matches.texts(&names).text("))"), false))
    }

    pub(super) fn status_category(&self) -> Result<Sql> {
        let names = self.each(|it| {
            let name = match (it, it.shown().to_lowercase().as_str()) {
                (Literal::Ids { .. } | Literal::Instant { .. }, _) => {
                    return self.bad(self.unknown_value(it));
                }
                (_, "new" | "to do" | "2") => "new",
                (_, "indeterminate" | "in progress" | "4") => "indeterminate",
                (_, "done" | "3") => "done",
                (_, "undefined" | "no category" | "1") => "undefined",
                _ => return self.bad(self.unknown_value(it)),
            };
            Ok(name.to_owned())
        })?;
        let matches = Sql::new(
            "EXISTS (SELECT 1 FROM value v JOIN status s ON s.id = v.ref
             WHERE v.issue_id = i.id AND v.field_id = 'status' AND s.category IN (",
        );
        Ok(self.equality(filled("status"), matches.texts(&names).text("))"), self.wants_empty()))
    }

    pub(super) fn hierarchy(&self) -> Result<Sql> {
        self.refuse_empty()?;
        let numbers = self.each(|it| match it.shown().trim().parse::<i64>() {
            Ok(number) if it.function().is_none() => Ok(number),
            _ => self.bad(self.unknown_value(it)),
        })?;
        let level = || {
            Sql::new(
                "EXISTS (SELECT 1 FROM value v JOIN issue_type t ON t.id = v.ref
                 WHERE v.issue_id = i.id AND v.field_id = 'issuetype' AND t.level ",
            )
        };
        if self.is_equality() {
            return Ok(self.equality(
                filled("issuetype"),
                level().text("IN (").list(&numbers).text("))"),
                false,
            ));
        }
        Ok(Sql::any(
            numbers.iter().map(|it| level().text(self.order_symbol()).value(*it).text(")")).collect(),
        ))
    }

    pub(super) fn exact(&self, id: &str) -> Result<Sql> {
        let texts = self.each(|it| match it.function() {
            Some(_) => self.bad(self.unknown_value(it)),
            None => Ok(it.shown()),
        })?;
        let matches = rows(id).text(" AND v.text IN (").texts(&texts).text("))");
        Ok(self.equality(filled(id), matches, self.wants_empty()))
    }

    pub(super) fn labels(&self, context: &Context<'_>, id: &str) -> Result<Sql> {
        let wanted = self.each(|it| match it.function() {
            Some(_) => self.bad(self.unknown_value(it)),
            None => Ok(it.shown().to_lowercase()),
        })?;
        // SQLite knows only the small letters of ASCII.
        let sql = "SELECT DISTINCT text FROM value WHERE field_id = ?1 AND text IS NOT NULL";
        let mut labels: Vec<String> = context.work.all(sql, [id], |row| row.get(0))?;
        labels.retain(|it| wanted.contains(&it.to_lowercase()));
        let matches = rows(id).text(" AND v.text IN (").texts(&labels).text("))");
        Ok(self.equality(filled(id), matches, self.wants_empty()))
    }
}
