//! Corrections of what was produced and used: each at its date, and the cost of the product follows.

use plainwire::prelude::*;
use rusqlite::params;

use super::{OF, posting};
use crate::amount::Amount;
use crate::fault::Fault;
use crate::ledger::{self, Posting};
use crate::orders::rows::{at_most, corrected, not_negative};
use crate::orders::{Head, Line, finish, go, head, line, lines, set_cost, set_done, set_status, view};
use crate::states::Manufacturing;
use crate::work::Work;

/// What was really used of an ingredient.
#[data]
#[derive(Clone, Debug)]
pub struct CorrectRecipeRow {
    pub row_id: i64,
    /// At least 0.
    pub consumed_quantity: Amount,
}

/// Corrects what was produced and used. Dates stay, and the cost of the product follows.
///
/// # Errors
/// An order or a row that does not exist; an amount that no row may have.
pub fn correct(
    work: &mut Work<'_>,
    id: i64,
    completed_quantity: Option<Amount>,
    rows: &[CorrectRecipeRow],
) -> Result<(), Fault> {
    let order: Head<Manufacturing> = head(work.db, OF, id)?;
    work.begin(OF.name(), Some(id), "correct");
    work.prior(view::order(work.db, id)?);
    if rows.is_empty() && completed_quantity.is_none() {
        return Err(Fault::input("expected `completed_quantity` or `update_rows`, but found neither"));
    }
    if go(work, order.status.reopen()).is_none() {
        work.next(format!("modify_manufacturing_order with id {id}: nothing was produced yet"));
        return Ok(());
    }
    let completed = completed_quantity.unwrap_or(order.completed);
    not_negative("completed_quantity", completed)?;
    at_most("update_rows", rows.len())?;
    let planned = corrected(order.planned, order.completed, completed);
    let (mut cost, all) = (Amount::ZERO, lines(work.db, id)?);
    for row in rows {
        let old = line(work.db, &all, row.row_id)?;
        not_negative("consumed_quantity", row.consumed_quantity)?;
        if rows.iter().filter(|it| it.row_id == old.id).count() > 1 {
            work.block(format!("row {} is named twice", old.id));
        }
    }
    for old in &all {
        // What was not produced has used nothing.
        let unless_given = if completed.is_zero() { Amount::ZERO } else { old.done };
        let used = rows.iter().find(|it| it.row_id == old.id).map_or(unless_given, |it| it.consumed_quantity);
        cost += reuse(work, &order, old, used, planned - completed)?;
    }
    remake(work, &order, completed, cost.per(completed))?;
    work.changed("completed_quantity", order.completed, completed);
    work.db
        .prepare_cached("UPDATE orders SET completed = ?2, planned = ?3 WHERE id = ?1")?
        .execute(params![id, completed, planned])?;
    // What was closed is closed again.
    let next = match order.status {
        status if completed.is_zero() => status.take_back(),
        status if completed == planned => status.close_again(),
        Manufacturing::Done => Ok(Manufacturing::Done),
        status => status.reopen(),
    };
    let status = go(work, next);
    if let Some(status) = status {
        let done_at = if status == Manufacturing::Done { order.done_at.or(Some(work.now)) } else { None };
        set_status(work, &order, status, done_at)?;
    }
    finish(work, id)
}

/// Changes what was used of an ingredient. Returns what it cost.
fn reuse(
    work: &mut Work<'_>,
    order: &Head<Manufacturing>,
    line: &Line,
    used: Amount,
    open: Amount,
) -> Result<Amount, Fault> {
    let old = ledger::standing(work, order.id, Some(line.id))?;
    let first = posting(order, line, -used, order.done_at.unwrap_or(work.now), "correction");
    let cost = line.cost - ledger::amend(work, &old, -used, &first)?;
    // What is left to produce needs as much as before; a row that would be empty stays as it was planned.
    let quantity = used + line.per_unit.times(open);
    let quantity = if quantity.is_zero() { line.quantity } else { quantity };
    if used != line.done {
        set_done(work, line, used)?;
        work.changed(format!("rows[{}].cost", line.id), line.cost.money(), cost.money());
        set_cost(work, line.id, cost)?;
    }
    work.db
        .prepare_cached("UPDATE line SET quantity = ?2 WHERE id = ?1")?
        .execute(params![line.id, quantity])?;
    Ok(cost)
}

/// Brings the productions in line with what was produced and what it cost, each at its date.
fn remake(
    work: &mut Work<'_>,
    order: &Head<Manufacturing>,
    completed: Amount,
    cost: Amount,
) -> Result<(), Fault> {
    let old = ledger::standing(work, order.id, None)?;
    let Some(last) = old.last() else { return Ok(()) };
    ledger::amend(work, &old, completed, &Posting { cost: Some(cost), ..last.posting })?;
    let all = ledger::standing(work, order.id, None)?;
    if cost != order_cost(&old) {
        work.changed("cost_per_unit", order_cost(&old), cost);
    }
    if cost != order_cost(&all) {
        for it in all.iter().filter(|it| it.cost != cost) {
            // What is right comes first, so that the stock is never missing.
            ledger::post(work, &Posting { cost: Some(cost), ..it.posting })?;
            ledger::reverse(work, it, None)?;
        }
    }
    Ok(())
}

/// Returns the cost of a unit of what was produced, on average.
fn order_cost(all: &[ledger::Standing]) -> Amount {
    let value: Amount = all.iter().map(|it| it.posting.quantity.times(it.cost)).sum();
    value.per(all.iter().map(|it| it.posting.quantity).sum())
}
