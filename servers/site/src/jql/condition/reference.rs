//! Conditions about what a field names: people, statuses, versions, options.
//!
//! In: an operator and names. Out: SQL about the ids in `value`, and about the order of priorities, resolutions and versions.

use super::{Asked, filled, rows, text};
use crate::fault::Result;
use crate::jql::ast::Operator;
use crate::jql::context::Context;
use crate::jql::names::Names;
use crate::jql::sql::Sql;
use crate::jql::target::Crowd;

fn refers(id: &str, ids: &[i64]) -> Sql {
    rows(id).text(" AND v.ref IN (").list(ids).text("))")
}

impl Asked<'_> {
    pub(super) fn reference(&self, context: &Context<'_>, id: &str, names: Names) -> Result<Sql> {
        if matches!(self.operator, Operator::Like | Operator::NotLike) {
            return text::name_like(self, id, names);
        }
        let found = self.resolve(context, names, id)?;
        if self.is_equality() {
            return Ok(self.equality(filled(id), refers(id, &found.ids), found.empty));
        }
        let symbol = self.order_symbol();
        let joined = |tables| {
            let sql = Sql::new("EXISTS (SELECT 1 FROM value v ").text(tables);
            sql.text(" WHERE v.issue_id = i.id AND v.field_id = ").value(id.to_owned())
        };
        let sql = match names {
            // A greater priority has a smaller position.
            Names::Priority => {
                let sql = joined("JOIN priority a ON a.id = v.ref CROSS JOIN priority b");
                sql.text(" AND b.position ").text(symbol).text(" a.position")
            }
            Names::Version => {
                let sql =
                    joined("JOIN version a ON a.id = v.ref JOIN version b ON b.project_id = a.project_id");
                sql.text(" AND a.position ").text(symbol).text(" b.position")
            }
            _ => {
                let sql = joined("JOIN resolution a ON a.id = v.ref CROSS JOIN resolution b");
                sql.text(" AND a.id ").text(symbol).text(" b.id")
            }
        };
        Ok(sql.text(" AND b.id IN (").list(&found.ids).text("))"))
    }

    /// A cascade: an option stands for itself and for those below it, but a function says exactly which ones.
    pub(super) fn reference_tree(&self, context: &Context<'_>, id: &str) -> Result<Sql> {
        let found = self.resolve(context, Names::Option, id)?;
        let is_exact = self.literals.iter().all(|it| it.function().is_some());
        let matches = match is_exact {
            true => refers(id, &found.ids),
            false => rows(id)
                .text(" AND (v.ref IN (")
                .list(&found.ids)
                .text(") OR v.ref IN (SELECT o.id FROM option o WHERE o.parent_id IN (")
                .list(&found.ids)
                .text("))))"),
        };
        Ok(self.equality(filled(id), matches, found.empty))
    }

    pub(super) fn people(&self, context: &Context<'_>, crowd: Crowd) -> Result<Sql> {
        let found = self.resolve(context, Names::Person, "")?;
        let table = || match crowd {
            Crowd::Voters => Sql::new("EXISTS (SELECT 1 FROM vote c WHERE c.issue_id = i.id"),
            Crowd::Watchers => Sql::new("EXISTS (SELECT 1 FROM watcher c WHERE c.issue_id = i.id"),
        };
        let matches = table().text(" AND c.person_id IN (").list(&found.ids).text("))");
        Ok(self.equality(table().text(")"), matches, found.empty))
    }

    pub(super) fn work_author(&self, context: &Context<'_>) -> Result<Sql> {
        self.refuse_empty()?;
        let found = self.resolve(context, Names::Person, "")?;
        // As in Jira, the condition is about one entry: `!=` finds issues to which somebody else has added one.
        let not = if self.is_negative() { "NOT " } else { "" };
        let sql =
            Sql::new("EXISTS (SELECT 1 FROM worklog l WHERE l.issue_id = i.id AND l.author_id ").text(not);
        Ok(sql.text("IN (").list(&found.ids).text("))"))
    }
}
