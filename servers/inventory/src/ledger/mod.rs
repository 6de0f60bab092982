//! The ledger: changes of stock, one after the other, and what follows from them.
//!
//! In: quantities that arrive or leave. Out: movements with the balance and the average cost after them. Movements are in the
//! order in which they were posted; their dates may be earlier, as for goods that were received yesterday.

use rusqlite::{OptionalExtension as _, Row, params};

pub mod check;
pub mod projections;

use crate::amount::Amount;
use crate::catalog;
use crate::fault::Fault;
use crate::time::Time;
use crate::work::Work;

/// The setting that lets stock fall below zero, if it is `true`.
pub const ALLOW_NEGATIVE: &str = "allow_negative_stock";

/// A quantity that arrives or leaves.
#[derive(Clone, Copy, Debug)]
pub struct Posting {
    pub variant: i64,
    pub location: i64,
    /// Below zero if it leaves.
    pub quantity: Amount,
    /// The cost of a unit that arrives; by default, the average.
    pub cost: Option<Amount>,
    pub at: Time,
    pub cause: &'static str,
    pub order: i64,
    pub line: Option<i64>,
    /// The movement that this one takes back.
    pub reverses: Option<i64>,
}

/// A movement that was posted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Posted {
    /// The cost of a unit: what arrived cost, or the average of what left.
    pub cost: Amount,
}

/// The state of a variant at a location: its quantity and average cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    pub quantity: Amount,
    pub average: Amount,
}

impl Balance {
    /// Returns the state after a movement. This is the rule of the moving average: what arrives changes it, what leaves does
    /// not, and what takes an arrival back takes its value out again.
    #[must_use]
    pub fn after(self, quantity: Amount, cost: Amount, is_reversal: bool) -> Self {
        let sum = self.quantity + quantity;
        let is_weighed = (quantity.is_positive() && !self.quantity.is_negative()) || is_reversal;
        if !is_weighed || !sum.is_positive() {
            // Stock that was below zero has no cost of its own.
            let average = if quantity.is_positive() && sum.is_positive() { cost } else { self.average };
            return Self { quantity: sum, average };
        }
        let value = self.quantity.decimal() * self.average.decimal() + quantity.decimal() * cost.decimal();
        let average = value / sum.decimal();
        let average = if average.is_sign_negative() { self.average } else { Amount::rounded(average) };
        Self { quantity: sum, average }
    }
}

/// Posts a movement. Blocks the change if the stock would fall below zero.
pub(crate) fn post(work: &mut Work<'_>, it: &Posting) -> Result<Posted, Fault> {
    if it.quantity.is_zero() {
        return Ok(Posted::default());
    }
    let before = balance(work.db, it.variant, it.location)?;
    let cost = it.cost.unwrap_or(before.average);
    let after = before.after(it.quantity, cost, it.reverses.is_some());
    if it.quantity.is_negative() && after.quantity.is_negative() && !may_be_negative(work)? {
        let (sku, place) =
            (catalog::sku(work.db, it.variant)?, catalog::location_name(work.db, it.location)?);
        let (needed, found) = (-it.quantity, before.quantity);
        work.block(format!("{sku} at {place}: {needed} needed, but {found} in stock"));
        return Ok(Posted { cost });
    }
    work.db
        .prepare_cached(
            "INSERT INTO movement (variant_id, location_id, at, cause, order_id, line_id, quantity, value_per_unit,
                 balance_after, average_cost_after, reverses)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            it.variant,
            it.location,
            it.at,
            it.cause,
            it.order,
            it.line,
            it.quantity,
            cost,
            after.quantity,
            after.average,
            it.reverses
        ])?;
    work.db
        .prepare_cached(
            "INSERT INTO stock (variant_id, location_id, in_stock, average_cost) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET in_stock = excluded.in_stock, average_cost = excluded.average_cost",
        )?
        .execute(params![it.variant, it.location, after.quantity, after.average])?;
    Ok(Posted { cost })
}

/// Returns the quantity and the average cost of a variant at a location.
pub(crate) fn balance(
    db: &rusqlite::Connection,
    variant: i64,
    location: i64,
) -> Result<Balance, rusqlite::Error> {
    let mut statement = db.prepare_cached(
        "SELECT in_stock, average_cost FROM stock WHERE variant_id = ?1 AND location_id = ?2",
    )?;
    let found = statement
        .query_row([variant, location], |row| Ok(Balance { quantity: row.get(0)?, average: row.get(1)? }));
    Ok(found.optional()?.unwrap_or_default())
}

fn may_be_negative(work: &Work<'_>) -> Result<bool, rusqlite::Error> {
    let mut statement = work.db.prepare_cached("SELECT value FROM setting WHERE name = ?1")?;
    let value = statement.query_row([ALLOW_NEGATIVE], |row| row.get::<_, String>(0)).optional()?;
    Ok(value.as_deref() == Some("true"))
}

/// A movement that was not taken back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub(crate) id: i64,
    pub(crate) posting: Posting,
    pub(crate) cost: Amount,
}

/// Returns the movements of an order that were not taken back, in the order of posting; of one row, or of what a manufacturing
/// order makes.
pub(crate) fn standing(
    work: &Work<'_>,
    order: i64,
    line: Option<i64>,
) -> Result<Vec<Standing>, rusqlite::Error> {
    let mut statement = work.db.prepare_cached(
        "SELECT id, variant_id, location_id, quantity, value_per_unit, at FROM movement m
         WHERE order_id = ?1 AND line_id IS ?2 AND reverses IS NULL
             AND NOT EXISTS (SELECT 1 FROM movement r WHERE r.reverses = m.id)
         ORDER BY id",
    )?;
    let read = |row: &Row<'_>| {
        let posting = Posting {
            variant: row.get(1)?,
            location: row.get(2)?,
            quantity: row.get(3)?,
            cost: Some(row.get(4)?),
            at: row.get(5)?,
            cause: "correction",
            order,
            line,
            reverses: None,
        };
        Ok(Standing { id: row.get(0)?, posting, cost: row.get(4)? })
    };
    statement.query_map(params![order, line], read)?.collect()
}

/// Takes a movement back, at its own date and cost.
pub(crate) fn reverse(work: &mut Work<'_>, it: &Standing) -> Result<(), Fault> {
    let posting = Posting { quantity: -it.posting.quantity, reverses: Some(it.id), ..it.posting };
    post(work, &posting).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(text: &str) -> Amount {
        text.parse().expect("an amount")
    }

    #[test]
    fn the_average_moves_with_what_arrives_only_r5_10() {
        let first = Balance::default().after(amount("10"), amount("2"), false);
        assert_eq!(first, Balance { quantity: amount("10"), average: amount("2") });
        let second = first.after(amount("5"), amount("5"), false);
        assert_eq!(second.average, amount("3"));
        assert_eq!(second.after(amount("-12"), amount("3"), false).average, amount("3"));
        assert_eq!(second.after(amount("-5"), amount("5"), true), first, "what arrived is taken back");
        let below = Balance { quantity: amount("-2"), average: amount("3") };
        assert_eq!(
            below.after(amount("5"), amount("7"), false),
            Balance { quantity: amount("3"), average: amount("7") }
        );
    }
}
