//! The ledger: changes of stock, one after the other, and what follows from them.
//!
//! In: quantities that arrive or leave. Out: movements with the balance and the average cost after them. Movements are in the
//! order in which they were posted; their dates may be earlier, as for goods that were received yesterday.

use rusqlite::{OptionalExtension as _, Row, params};

pub mod check;
pub mod projections;

use crate::amount::{Amount, MAX_GIVEN};
use crate::catalog;
use crate::fault::Fault;
use crate::time::Time;
use crate::work::Work;

/// The setting that lets stock fall below zero, if it is `true`.
pub const ALLOW_NEGATIVE: &str = "allow_negative_stock";

/// The largest value of the stock of a variant at a location: with two decimal places it has 15 digits.
pub const MAX_VALUE: i64 = 1_000_000_000_000;

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
        // What is taken back may have been worth more than what is left: then what is left is worth nothing.
        let average =
            if value.is_sign_negative() { Amount::ZERO } else { Amount::rounded(value / sum.decimal()) };
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
    within_limits(work, it, after)?;
    if it.reverses.is_some() && it.quantity.is_negative() {
        let value = before.quantity.times(before.average) + it.quantity.times(cost);
        if value.money().is_negative() {
            let sku = catalog::sku(work.db, it.variant)?;
            work.warn(format!(
                "{sku}: {} of its cost had left already, and stays in the cost of what was sold",
                -value
            ));
        }
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
    if it.quantity.is_negative() && it.at.day() < work.now.day() {
        was_there(work, it)?;
    }
    work.db
        .prepare_cached(
            "INSERT INTO stock (variant_id, location_id, in_stock, average_cost) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET in_stock = excluded.in_stock, average_cost = excluded.average_cost",
        )?
        .execute(params![it.variant, it.location, after.quantity, after.average])?;
    Ok(Posted { cost })
}

/// Refuses a stock whose quantity or value has too many digits.
fn within_limits(work: &Work<'_>, it: &Posting, after: Balance) -> Result<(), Fault> {
    let value = after.quantity.times(after.average);
    // While a correction is made, what is right is there beside what is wrong.
    let times = Amount::from(if it.cause == "correction" { 2 } else { 1 });
    if after.quantity > Amount::from(MAX_GIVEN).times(times) || value > Amount::from(MAX_VALUE).times(times) {
        let sku = catalog::sku(work.db, it.variant)?;
        let limit = format!("at most {MAX_GIVEN} of {sku} at a location, worth at most {MAX_VALUE}");
        return Err(Fault::input(format!("expected {limit}, but found {} worth {value}", after.quantity)));
    }
    Ok(())
}

/// Warns if what left in the past had arrived only later.
fn was_there(work: &mut Work<'_>, it: &Posting) -> Result<(), Fault> {
    let mut statement = work.db.prepare_cached(
        "SELECT coalesce(min(sum), 0) FROM (
             SELECT at, sum(quantity) OVER (ORDER BY at, id) AS sum FROM movement WHERE variant_id = ?1 AND location_id = ?2
         ) WHERE at >= ?3",
    )?;
    let then: Amount = statement.query_row(params![it.variant, it.location, it.at], |row| row.get(0))?;
    if then.is_negative() {
        let sku = catalog::sku(work.db, it.variant)?;
        work.warn(format!("{sku}: {} are missing from {} on, by the dates of what arrived", -then, it.at));
    }
    Ok(())
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

/// What is left of a movement, less what was taken back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub(crate) id: i64,
    /// The quantity is what is left.
    pub(crate) posting: Posting,
    pub(crate) cost: Amount,
}

/// Returns what is left of the movements of an order, in the order of posting; of one row, or of what a manufacturing order makes.
pub(crate) fn standing(
    work: &Work<'_>,
    order: i64,
    line: Option<i64>,
) -> Result<Vec<Standing>, rusqlite::Error> {
    let mut statement = work.db.prepare_cached(
        "SELECT id, variant_id, location_id, left, value_per_unit, at FROM (
             SELECT m.*, m.quantity + coalesce((SELECT sum(r.quantity) FROM movement r WHERE r.reverses = m.id), 0) AS left
             FROM movement m WHERE order_id = ?1 AND line_id IS ?2 AND reverses IS NULL
         ) WHERE left <> 0 ORDER BY id",
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

/// Takes a movement back, at its own date and cost: all that is left of it, or a part.
pub(crate) fn reverse(work: &mut Work<'_>, it: &Standing, part: Option<Amount>) -> Result<(), Fault> {
    let quantity = part.unwrap_or(-it.posting.quantity);
    post(work, &Posting { quantity, reverses: Some(it.id), ..it.posting }).map(|_| ())
}

/// Changes what the movements of a row come to: what is too much is taken back, the last first, at its own date and cost; what is
/// missing is posted at the date of the last one. `first` is what is posted if there is none. Returns the value of the change.
pub(crate) fn amend(
    work: &mut Work<'_>,
    old: &[Standing],
    sum: Amount,
    first: &Posting,
) -> Result<Amount, Fault> {
    let mut missing = sum - old.iter().map(|it| it.posting.quantity).sum();
    let is_more =
        |missing: Amount| missing.is_positive() == sum.is_positive() && !sum.is_zero() && !missing.is_zero();
    if is_more(missing) {
        let last = old.last().map_or(*first, |it| Posting { cost: first.cost, ..it.posting });
        let posted = post(work, &Posting { quantity: missing, cause: "correction", ..last })?;
        return Ok(missing.times(posted.cost));
    }
    let mut value = Amount::ZERO;
    for it in old.iter().rev() {
        if missing.is_zero() {
            break;
        }
        let all = -it.posting.quantity;
        let part = if missing.is_positive() { missing.min(all) } else { missing.max(all) };
        reverse(work, it, Some(part))?;
        missing -= part;
        value += part.times(it.cost);
    }
    Ok(value)
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
