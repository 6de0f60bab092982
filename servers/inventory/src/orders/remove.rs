//! Deletes orders and rows from which no stock has moved.

use rusqlite::{OptionalExtension as _, params};

use super::{OrderType, head, line, lines, view};
use crate::fault::Fault;
use crate::ledger::projections;
use crate::work::Work;

/// Deletes an order. It can still be read, with `include_deleted`.
///
/// # Errors
/// An order that does not exist, or was deleted.
pub fn delete(work: &mut Work<'_>, of: OrderType, id: i64) -> Result<(), Fault> {
    // The state of any type is a text.
    head::<String>(work.db, of, id)?;
    work.begin(of.name(), Some(id), "delete");
    work.prior(view::order(work.db, id)?);
    // What was taken back as a whole is as if it had not moved; but a transfer takes nothing back.
    let left = if of == OrderType::StockTransfer { "count(*)" } else { "sum(quantity)" };
    let question = format!("SELECT 1 FROM movement WHERE order_id = ?1 GROUP BY line_id HAVING {left} <> 0");
    if work.db.prepare_cached(&question)?.exists([id])? {
        work.block("movements of stock belong to the order: correct it, but don't delete it");
    }
    if of == OrderType::SalesOrder {
        for line in lines(work.db, id)? {
            if let Some(number) = made_by(work, line.id)? {
                work.warn(format!("{number} was made for row {} and stays, without it", line.id));
            }
            work.db
                .prepare_cached("UPDATE orders SET sales_line_id = NULL WHERE sales_line_id = ?1")?
                .execute([line.id])?;
        }
    }
    work.changed("is_deleted", false, true);
    work.db
        .prepare_cached("UPDATE orders SET deleted_at = ?2 WHERE id = ?1")?
        .execute(params![id, work.now])?;
    projections::refresh(work, id)?;
    work.state(view::order(work.db, id)?);
    Ok(())
}

/// Deletes a row of an order.
pub(super) fn delete_row(work: &mut Work<'_>, order: i64, id: i64) -> Result<(), Fault> {
    let all = lines(work.db, order)?;
    let row = line(work.db, &all, id)?;
    let mut statement = work.db.prepare_cached("SELECT 1 FROM movement WHERE line_id = ?1")?;
    if !row.done.is_zero() || statement.exists([id])? {
        let why = if row.done.is_zero() { "its movements were taken back" } else { "its stock has moved" };
        work.block(format!("row {id}: {why}, so the row stays"));
        return Ok(());
    }
    if let Some(number) = made_by(work, id)? {
        work.block(format!("row {id} is made to order, by {number}"));
        return Ok(());
    }
    work.changed(format!("rows[{id}].quantity"), row.quantity, ());
    work.db
        .prepare_cached("DELETE FROM promise WHERE order_id = ?1 AND line_id = ?2")?
        .execute([order, id])?;
    // An order that was deleted may still name it.
    work.db
        .prepare_cached("UPDATE orders SET sales_line_id = NULL WHERE sales_line_id = ?1")?
        .execute([id])?;
    work.db.prepare_cached("DELETE FROM line WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// Returns the number of the manufacturing order that makes a row to order.
pub(super) fn made_by(work: &Work<'_>, line: i64) -> Result<Option<String>, rusqlite::Error> {
    let mut statement = work
        .db
        .prepare_cached("SELECT number FROM orders WHERE sales_line_id = ?1 AND deleted_at IS NULL")?;
    statement.query_row([line], |row| row.get(0)).optional()
}
