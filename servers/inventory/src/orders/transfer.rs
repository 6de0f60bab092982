//! Stock transfers: drafted, sent, received. What is on the way is in stock at a place of its own, so that no unit is lost.

use plainwire::prelude::*;
use rusqlite::params;

use super::rows::count;
use super::{Head, NewLine, NewOrder, OrderType, finish, go, head, insert, insert_line, lines, view};
use crate::amount::Amount;
use crate::catalog::bom::positive;
use crate::catalog::{Reference, Text, location, location_name, sku, transit, variant};
use crate::fault::Fault;
use crate::ledger::{self, Posting, projections};
use crate::states::Transfer;
use crate::time::Time;
use crate::work::Work;

const OF: OrderType = OrderType::StockTransfer;

/// A row of a stock transfer.
#[data]
#[derive(Clone, Debug)]
pub struct TransferRow {
    /// The SKU or id of the variant.
    pub sku_or_variant_id: Reference,
    /// Above 0.
    pub quantity: Amount,
}

/// A stock transfer to make.
#[derive(Clone, Debug)]
pub struct Create {
    pub order_no: Option<String>,
    pub source_location_id: i64,
    pub target_location_id: i64,
    pub rows: Vec<TransferRow>,
    pub expected_arrival_date: Option<Time>,
    pub notes: Option<String>,
    pub created_at: Option<Time>,
}

/// Makes a draft of a stock transfer. Returns its id.
///
/// # Errors
/// A location or a variant that does not exist.
pub fn create(work: &mut Work<'_>, it: &Create) -> Result<i64, Fault> {
    work.begin(OF.name(), None, "create");
    count(it.rows.len())?;
    let source = location(work.db, Some(it.source_location_id))?;
    let target = location(work.db, Some(it.target_location_id))?;
    if source == target {
        work.block(format!("source and target are both {}", location_name(work.db, source)?));
    }
    work.changed("source_location", (), location_name(work.db, source)?);
    work.changed("target_location", (), location_name(work.db, target)?);
    let order = NewOrder {
        number: it.order_no.as_deref(),
        location: source,
        target: Some(target),
        created_at: it.created_at,
        due_at: it.expected_arrival_date,
        notes: it.notes.as_deref(),
        ..NewOrder::default()
    };
    let id = insert(work, OF, Transfer::Draft, &order)?;
    for row in &it.rows {
        positive("quantity", row.quantity)?;
        let variant = variant(work.db, &row.sku_or_variant_id)?;
        insert_line(work, id, &NewLine::of(variant, row.quantity))?;
        work.changed(format!("rows[{}].quantity", sku(work.db, variant)?), (), row.quantity);
    }
    work.created(id);
    work.next(format!("modify_stock_transfer with id {id} and status inTransit, when the goods leave"));
    finish(work, id)?;
    Ok(id)
}

/// Changes of a stock transfer. Its rows can't be changed: delete a draft, and make another one.
#[data]
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// `inTransit` when the goods leave, `received` when they arrive.
    pub status: Option<Transfer>,
    pub expected_arrival_date: Option<Time>,
    pub notes: Option<Text>,
}

/// Changes a stock transfer; sends or receives its goods.
///
/// # Errors
/// A transfer that does not exist; a date in the future.
pub fn modify(work: &mut Work<'_>, id: i64, it: &Header, at: Option<Time>) -> Result<(), Fault> {
    let order: Head<Transfer> = head(work.db, OF, id)?;
    work.begin(OF.name(), Some(id), "modify");
    work.prior(view::order(work.db, id)?);
    let at = super::not_later(work, "moved_at", at)?;
    work.action("update_header", Some(id), |work| {
        let due_at = it.expected_arrival_date.or(order.due_at);
        let notes = it.notes.clone().map(|it| it.0).or_else(|| order.notes.clone());
        if due_at != order.due_at {
            work.changed("due_at", order.due_at, due_at);
        }
        if notes != order.notes {
            work.changed("notes", &order.notes, &notes);
        }
        work.db
            .prepare_cached("UPDATE orders SET due_at = ?2, notes = ?3 WHERE id = ?1")?
            .execute(params![id, due_at, notes])?;
        projections::index_entity(work.db, id)?;
        match it.status.filter(|wanted| *wanted != order.status) {
            None => Ok(()),
            Some(Transfer::InTransit) => send(work, &order, at),
            Some(Transfer::Received) => receive(work, &order, at),
            Some(Transfer::Draft) => {
                work.block(format!(
                    "the status is {}, and what was sent can't be a draft again",
                    order.status.name()
                ));
                Ok(())
            }
        }
    })?;
    finish(work, id)
}

fn posting(order: i64, variant: i64, line: i64, at: Time) -> Posting {
    Posting {
        variant,
        location: 0,
        quantity: Amount::ZERO,
        cost: None,
        at,
        cause: "transfer",
        order,
        line: Some(line),
        reverses: None,
    }
}

fn send(work: &mut Work<'_>, order: &Head<Transfer>, at: Time) -> Result<(), Fault> {
    let Some(status) = go(work, order.status.send()) else { return Ok(()) };
    let transit = transit(work.db)?;
    for line in lines(work.db, order.id)? {
        let base = posting(order.id, line.variant, line.id, at);
        let left =
            ledger::post(work, &Posting { location: order.location, quantity: -line.quantity, ..base })?;
        let cost = Some(left.cost);
        ledger::post(work, &Posting { location: transit, quantity: line.quantity, cost, ..base })?;
        work.changed(format!("rows[{}].cost_per_unit", line.id), (), left.cost);
        super::set_cost(work, line.id, left.cost)?;
    }
    super::set_status(work, order, status, None)
}

fn receive(work: &mut Work<'_>, order: &Head<Transfer>, at: Time) -> Result<(), Fault> {
    let Some(status) = go(work, order.status.receive()) else { return Ok(()) };
    let sent: Time = work
        .db
        .prepare_cached("SELECT max(at) FROM movement WHERE order_id = ?1")?
        .query_row([order.id], |row| row.get(0))?;
    if at < sent {
        return Err(Fault::input(format!(
            "expected `moved_at` at {sent} or after, when the goods left, but found {at}"
        )));
    }
    let transit = transit(work.db)?;
    for line in lines(work.db, order.id)? {
        let base = posting(order.id, line.variant, line.id, at);
        ledger::post(work, &Posting { location: transit, quantity: -line.quantity, ..base })?;
        // At the cost that it had when it left.
        let (location, cost) = (order.target.unwrap_or_default(), Some(line.cost));
        ledger::post(work, &Posting { location, quantity: line.quantity, cost, ..base })?;
        super::set_done(work, &line, line.quantity)?;
    }
    super::set_status(work, order, status, Some(at))
}
