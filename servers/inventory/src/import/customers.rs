//! Customers: one row for each.

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::table::Table;
use crate::amount::Amount;
use crate::catalog::{NewCustomer, add_customer};
use crate::fault::Fault;
use crate::work::Work;

pub(super) const COLUMNS: &[(&str, bool)] = &[
    ("name", true),
    ("email", false),
    ("phone", false),
    ("company", false),
    ("category", false),
    ("currency", false),
    ("discount_rate", false),
];

pub(super) fn add(work: &mut Work<'_>, table: &mut Table) -> Result<Vec<String>, Fault> {
    let mut seen = BTreeSet::new();
    for at in 0..table.rows.len() {
        let line = table.rows[at].0;
        let rate = table.amount(at, "discount_rate").unwrap_or_default();
        if rate > Amount::from(100) {
            let why = format!("expected a percentage of at most 100, but found {rate}");
            table.mistake(line, Some("discount_rate"), why);
        }
        let key = (table.text(at, "name").map(str::to_owned), table.text(at, "email").map(str::to_owned));
        let taken = "SELECT 1 FROM customer WHERE name = ?1 AND email IS ?2 AND deleted_at IS NULL";
        if work.db.prepare_cached(taken)?.exists(rusqlite::params![key.0, key.1])? {
            table.mistake(line, Some("name"), "the inventory has a customer of this name and email");
        } else if !seen.insert(key) {
            table.mistake(line, Some("name"), "expected each customer once, but found this one again");
        }
        if !table.mistakes.is_empty() {
            continue;
        }
        let text = |column| table.text(at, column);
        let customer = NewCustomer {
            name: text("name").unwrap_or_default(),
            email: text("email"),
            phone: text("phone"),
            company: text("company"),
            category: text("category"),
            currency: text("currency").unwrap_or("EUR"),
            discount_rate: rate,
        };
        add_customer(work.db, work.now, &customer)?;
    }
    Ok(Vec::new())
}

pub(super) fn all(db: &Connection) -> Result<Vec<Vec<String>>, Fault> {
    let mut statement = db.prepare(
        "SELECT name, email, phone, company, category, currency, discount_rate FROM customer
         WHERE archived_at IS NULL AND deleted_at IS NULL ORDER BY id",
    )?;
    let rows = statement.query_map([], |row| {
        let text = |at| row.get::<_, Option<String>>(at).map(Option::unwrap_or_default);
        Ok(vec![
            text(0)?,
            text(1)?,
            text(2)?,
            text(3)?,
            text(4)?,
            text(5)?,
            row.get::<_, Amount>(6)?.to_string(),
        ])
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
