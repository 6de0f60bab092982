//! Purchase orders: made, placed, received in parts, corrected.
//!
//! Goods arrive in stock at their landed cost: the price of a unit of stock, with a share of the additional costs of the order by
//! value.

use plainwire::prelude::*;
use rusqlite::params;

use super::rows::{AddPurchaseRow, RowQuantity, UpdatePurchaseRow, check, count, not_negative};
use super::{
    Head, Line, NewLine, NewOrder, OrderType, finish, go, head, insert, insert_line, line, lines, view,
};
use crate::amount::Amount;
use crate::catalog::bom::positive;
use crate::catalog::{List, Partner, Text, location, partner, reading, sku, variant};
use crate::fault::Fault;
use crate::ledger::{self, Posting, projections};
use crate::states::Purchase;
use crate::time::Time;
use crate::work::Work;

const OF: OrderType = OrderType::PurchaseOrder;

/// A purchase order to make.
#[derive(Clone, Debug)]
pub struct Create {
    pub order_no: Option<String>,
    pub supplier_id: i64,
    pub location_id: Option<i64>,
    pub rows: Vec<AddPurchaseRow>,
    /// Whether it is sent to the supplier at once.
    pub is_placed: bool,
    pub expected_arrival_date: Option<Time>,
    pub additional_cost: Amount,
    pub notes: Option<String>,
    pub created_at: Option<Time>,
}

/// Makes a purchase order. Returns its id.
///
/// # Errors
/// A supplier, a location or a variant that does not exist; an amount that no row may have.
pub fn create(work: &mut Work<'_>, it: &Create) -> Result<i64, Fault> {
    work.begin(OF.name(), None, "create");
    count(it.rows.len())?;
    not_negative("additional_cost", it.additional_cost)?;
    let supplier = partner(work.db, Partner::Supplier, it.supplier_id)?;
    let order = NewOrder {
        number: it.order_no.as_deref(),
        location: location(work.db, it.location_id)?,
        supplier: Some(supplier.id),
        additional_cost: it.additional_cost,
        created_at: it.created_at,
        due_at: it.expected_arrival_date,
        notes: it.notes.as_deref(),
        ..NewOrder::default()
    };
    work.changed("supplier", (), &supplier.name);
    let draft = Purchase::Draft;
    let status = if it.is_placed { go(work, draft.place()).unwrap_or(draft) } else { draft };
    work.changed("status", (), status);
    let id = insert(work, OF, status, &order)?;
    for row in &it.rows {
        add_row(work, id, row)?;
    }
    work.created(id);
    work.next(match it.is_placed {
        true => format!("receive_purchase_order with order_id {id}, when the goods arrive"),
        false => format!("modify_purchase_order with id {id} and status NOT_RECEIVED, to place it"),
    });
    finish(work, id)?;
    Ok(id)
}

fn add_row(work: &mut Work<'_>, order: i64, row: &AddPurchaseRow) -> Result<(), Fault> {
    let id = variant(work.db, &row.sku_or_variant_id)?;
    let found = reading::variant(work.db, id)?;
    let item = reading::item(work.db, found.item_id, reading::Visible { archived: true, deleted: true })?;
    if !item.is_purchasable {
        work.warn(format!("{} is made here, and not marked as purchasable", found.sku));
    }
    let uom_rate = row.purchase_uom_rate.unwrap_or(item.purchase_uom_rate);
    positive("purchase_uom_rate", uom_rate)?;
    let price = row.price_per_unit.unwrap_or_else(|| found.purchase_price.times(uom_rate));
    check(row.quantity, price, Amount::ZERO)?;
    check(row.quantity.times(uom_rate), Amount::ZERO, Amount::ZERO)?;
    if price.is_positive() && price.per(uom_rate).is_zero() {
        return Err(Fault::input(format!(
            "expected a price of at least 0.000001 for a unit of stock, but found {price} for {uom_rate} of them"
        )));
    }
    let uom = row.purchase_uom.as_ref().map(|it| &*it.0).or(item.purchase_uom.as_deref());
    let line = NewLine { price, uom, uom_rate, ..NewLine::of(id, row.quantity) };
    insert_line(work, order, &line)?;
    work.changed(format!("rows[{}].quantity", found.sku), (), row.quantity);
    work.changed(format!("rows[{}].price_per_unit", found.sku), (), price);
    Ok(())
}

/// Changes of the header of a purchase order.
#[data]
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// `NOT_RECEIVED` places a draft.
    pub status: Option<Purchase>,
    pub supplier_id: Option<i64>,
    pub location_id: Option<i64>,
    pub expected_arrival_date: Option<Time>,
    /// Costs of the whole order, such as freight, in the currency of the inventory.
    pub additional_cost: Option<Amount>,
    pub notes: Option<Text>,
}

/// Changes of a purchase order.
pub struct Modify<'a> {
    pub header: Option<&'a Header>,
    pub add: &'a [AddPurchaseRow],
    pub update: &'a [UpdatePurchaseRow],
    pub delete: &'a List<i64>,
}

/// Changes a purchase order: its header, then its rows. All of it or nothing.
///
/// # Errors
/// An order or a row that does not exist; an amount that no row may have.
pub fn modify(work: &mut Work<'_>, id: i64, it: &Modify<'_>) -> Result<(), Fault> {
    let order: Head<Purchase> = head(work.db, OF, id)?;
    work.begin(OF.name(), Some(id), "modify");
    work.prior(view::order(work.db, id)?);
    if it.header.is_none() && it.add.is_empty() && it.update.is_empty() && it.delete.0.is_empty() {
        return Err(Fault::input("expected `update_header` or changes of rows, but found none"));
    }
    super::rows::at_most("add_rows", it.add.len())?;
    super::rows::at_most("update_rows", it.update.len())?;
    if let Some(header) = it.header {
        work.action("update_header", Some(id), |work| update_header(work, &order, header))?;
    }
    for row in it.add {
        work.action("add_row", None, |work| {
            if order.status == Purchase::Received {
                work.block("the status is RECEIVED, and adding rows needs an order that is open");
                return Ok(());
            }
            add_row(work, id, row)
        })?;
    }
    for row in it.update {
        work.action("update_row", Some(row.row_id), |work| {
            let lines = lines(work.db, id)?;
            let old = line(work.db, &lines, row.row_id)?;
            if order.status == Purchase::Received {
                work.block("the status is RECEIVED: use correct_purchase_order");
                return Ok(());
            }
            update_row(work, old, row.quantity, row.price_per_unit)
        })?;
    }
    for &row in &it.delete.0 {
        work.action("delete_row", Some(row), |work| super::remove::delete_row(work, id, row))?;
    }
    count(lines(work.db, id)?.len())?;
    if !work.is_blocked() {
        repost_all(work, id)?;
        close_if_done(work, id)?;
    }
    finish(work, id)
}

/// Posts what was received again, if its share of the additional costs has changed.
fn repost_all(work: &mut Work<'_>, id: i64) -> Result<(), Fault> {
    let order: Head<Purchase> = head(work.db, OF, id)?;
    let all = lines(work.db, id)?;
    all.iter().try_for_each(|line| repost(work, &order, &all, line))
}

fn update_header(work: &mut Work<'_>, order: &Head<Purchase>, it: &Header) -> Result<(), Fault> {
    let has_moved = lines(work.db, order.id)?.iter().any(|line| !line.done.is_zero());
    let status = match it.status {
        None => order.status,
        Some(wanted) if wanted == order.status => wanted,
        Some(Purchase::NotReceived) => go(work, order.status.place()).unwrap_or(order.status),
        Some(wanted) => {
            let name = wanted.name();
            work.block(format!(
                "the status is {}, and {name} follows from receive_purchase_order only",
                order.status.name()
            ));
            order.status
        }
    };
    if status != order.status {
        work.changed("status", order.status, status);
    }
    let location = match it.location_id {
        Some(id) => location(work.db, Some(id))?,
        None => order.location,
    };
    if location != order.location {
        if has_moved {
            work.block("goods were received at the location: it can't be changed");
        }
        work.changed("location_id", order.location, location);
    }
    let additional_cost = it.additional_cost.unwrap_or(order.additional_cost);
    not_negative("additional_cost", additional_cost)?;
    if additional_cost != order.additional_cost {
        if has_moved {
            work.block(
                "goods were received with their share of `additional_cost`: use correct_purchase_order",
            );
        }
        work.changed("additional_cost", order.additional_cost, additional_cost);
    }
    if let Some(supplier) = it.supplier_id {
        let supplier = partner(work.db, Partner::Supplier, supplier)?;
        let before: i64 = work
            .db
            .prepare_cached("SELECT supplier_id FROM orders WHERE id = ?1")?
            .query_row([order.id], |row| row.get(0))?;
        if before != supplier.id {
            work.changed("supplier_id", before, supplier.id);
        }
        work.db.execute("UPDATE orders SET supplier_id = ?2 WHERE id = ?1", [order.id, supplier.id])?;
    }
    let due_at = it.expected_arrival_date.or(order.due_at);
    if due_at != order.due_at {
        work.changed("due_at", order.due_at, due_at);
    }
    let notes = it.notes.clone().map(|it| it.0).or_else(|| order.notes.clone());
    if notes != order.notes {
        work.changed("notes", &order.notes, &notes);
    }
    work.db
        .prepare_cached(
            "UPDATE orders SET status = ?2, location_id = ?3, additional_cost = ?4, due_at = ?5, notes = ?6 WHERE id = ?1",
        )?
        .execute(params![order.id, status, location, additional_cost, due_at, notes])?;
    projections::index_entity(work.db, order.id)?;
    Ok(())
}

fn update_row(
    work: &mut Work<'_>,
    old: &Line,
    quantity: Option<Amount>,
    price: Option<Amount>,
) -> Result<(), Fault> {
    let (quantity, price) = (quantity.unwrap_or(old.quantity), price.unwrap_or(old.price));
    check(quantity, price, Amount::ZERO)?;
    check(quantity.times(old.uom_rate), Amount::ZERO, Amount::ZERO)?;
    if quantity < old.done {
        work.block(format!("row {}: {} were received, more than the quantity {quantity}", old.id, old.done));
    }
    if price != old.price && !old.done.is_zero() {
        work.block(format!(
            "row {}: goods were received at {}: use correct_purchase_order",
            old.id, old.price
        ));
    }
    work.changed(format!("rows[{}].quantity", old.id), old.quantity, quantity);
    work.changed(format!("rows[{}].price_per_unit", old.id), old.price, price);
    work.db
        .prepare_cached("UPDATE line SET quantity = ?2, price = ?3 WHERE id = ?1")?
        .execute(params![old.id, quantity, price])?;
    Ok(())
}

/// Brings the state in line with the rows, after something else than a receipt changed them.
pub(super) fn close_if_done(work: &mut Work<'_>, id: i64) -> Result<(), Fault> {
    let order: Head<Purchase> = head(work.db, OF, id)?;
    let lines = lines(work.db, id)?;
    if lines.iter().all(|it| it.done.is_zero()) {
        if let Ok(status) = order.status.take_back() {
            super::set_status(work, &order, status, None)?;
        }
        return Ok(());
    }
    let is_done = lines.iter().all(|it| it.remaining().is_zero());
    let next = if is_done { order.status.close_again() } else { order.status.reopen() };
    if let Some(status) = go(work, next) {
        super::set_status(work, &order, status, order.done_at)?;
    }
    Ok(())
}

/// Returns the cost of one unit of stock of a row, with its share of the additional costs.
pub(crate) fn landed_cost(additional: Amount, lines: &[Line], of: &Line) -> Amount {
    let value: Amount = lines.iter().map(|it| it.quantity.times(it.price)).sum();
    let unit = of.price.decimal() / of.uom_rate.decimal();
    let share = match value.is_positive() {
        true => unit * (additional.decimal() / value.decimal()),
        // Without any value, each unit of stock bears the same.
        false => {
            let units: Amount = lines.iter().map(|it| it.quantity.times(it.uom_rate)).sum();
            additional.per(units).decimal()
        }
    };
    Amount::rounded(unit + share)
}

/// Receives goods: of the rows that are named, or all that remains.
///
/// # Errors
/// An order or a row that does not exist; a date in the future.
pub fn receive(
    work: &mut Work<'_>,
    id: i64,
    rows: &[RowQuantity],
    received_date: Option<Time>,
) -> Result<(), Fault> {
    let order: Head<Purchase> = head(work.db, OF, id)?;
    work.begin(OF.name(), Some(id), "receive");
    work.prior(view::order(work.db, id)?);
    let at = super::not_later(work, "received_date", received_date)?;
    super::rows::at_most("rows", rows.len())?;
    let all = lines(work.db, id)?;
    let mut arriving: Vec<(&Line, Amount)> = Vec::new();
    for row in rows {
        let line = line(work.db, &all, row.row_id)?;
        let quantity = row.quantity.unwrap_or_else(|| line.remaining());
        if row.quantity.is_some() || quantity.is_negative() {
            positive("quantity", quantity)?;
        }
        if arriving.iter().any(|(it, _)| it.id == line.id) {
            work.block(format!("row {} is named twice", line.id));
        }
        arriving.push((line, quantity));
    }
    if rows.is_empty() {
        arriving = all.iter().map(|it| (it, it.remaining())).collect();
    }
    arriving.retain(|(line, quantity)| !quantity.is_zero() || rows.iter().any(|it| it.row_id == line.id));
    // Whatever is received, an order that is a draft or is received can't be.
    if go(work, order.status.receive_part()).is_none() {
        return finish(work, id);
    }
    for &(line, quantity) in &arriving {
        if quantity > line.remaining() || quantity.is_zero() {
            let sku = sku(work.db, line.variant)?;
            work.block(format!(
                "{sku} (row {}): {quantity} to receive, but {} remain",
                line.id,
                line.remaining()
            ));
            continue;
        }
        let cost = landed_cost(order.additional_cost, &all, line);
        work.changed(format!("rows[{}].landed_cost", line.id), (), cost);
        let posting = Posting {
            variant: line.variant,
            location: order.location,
            quantity: in_stock(line, line.done + quantity) - in_stock(line, line.done),
            cost: Some(cost),
            at,
            cause: "purchase",
            order: id,
            line: Some(line.id),
            reverses: None,
        };
        ledger::post(work, &posting)?;
        super::set_done(work, line, line.done + quantity)?;
    }
    let left = lines(work.db, id)?.iter().any(|it| it.remaining().is_positive());
    let next = if left { order.status.receive_part() } else { order.status.receive_rest() };
    if let Some(status) = go(work, next) {
        super::set_status(work, &order, status, Some(at))?;
    }
    finish(work, id)
}

/// Returns a quantity of a row in units of stock.
pub(crate) fn in_stock(line: &Line, quantity: Amount) -> Amount {
    quantity.times(line.uom_rate)
}

/// Corrects what was received: quantities, prices and additional costs. Dates stay.
///
/// # Errors
/// An order or a row that does not exist; an amount that no row may have.
pub fn correct(
    work: &mut Work<'_>,
    id: i64,
    rows: &[UpdatePurchaseRow],
    additional_cost: Option<Amount>,
) -> Result<(), Fault> {
    let order: Head<Purchase> = head(work.db, OF, id)?;
    work.begin(OF.name(), Some(id), "correct");
    work.prior(view::order(work.db, id)?);
    super::rows::at_most("update_rows", rows.len())?;
    if rows.is_empty() && additional_cost.is_none() {
        return Err(Fault::input("expected `update_rows` or `additional_cost`, but found neither"));
    }
    if go(work, order.status.reopen()).is_none() {
        work.next(format!("modify_purchase_order with id {id}: nothing was received yet"));
        return Ok(());
    }
    let cost = additional_cost.unwrap_or(order.additional_cost);
    not_negative("additional_cost", cost)?;
    if additional_cost.is_some() {
        work.changed("additional_cost", order.additional_cost, cost);
        work.db
            .prepare_cached("UPDATE orders SET additional_cost = ?2 WHERE id = ?1")?
            .execute(params![id, cost])?;
    }
    for row in rows {
        work.action("correct_row", Some(row.row_id), |work| {
            let lines = lines(work.db, id)?;
            let old = line(work.db, &lines, row.row_id)?;
            let (quantity, price) =
                (row.quantity.unwrap_or(old.done), row.price_per_unit.unwrap_or(old.price));
            not_negative("quantity", quantity)?;
            let whole = super::rows::corrected(old.quantity, old.done, quantity);
            check(whole, price, Amount::ZERO)?;
            check(whole.times(old.uom_rate), Amount::ZERO, Amount::ZERO)?;
            work.changed(format!("rows[{}].done_quantity", old.id), old.done, quantity);
            work.changed(format!("rows[{}].price_per_unit", old.id), old.price, price);
            work.db
                .prepare_cached("UPDATE line SET quantity = ?2, done = ?3, price = ?4 WHERE id = ?1")?
                .execute(params![old.id, whole, quantity, price])?;
            Ok(())
        })?;
    }
    repost_all(work, id)?;
    close_if_done(work, id)?;
    finish(work, id)
}

/// Brings the receipts of a row in line with what was received and what it cost, each at its date.
fn repost(work: &mut Work<'_>, order: &Head<Purchase>, all: &[Line], line: &Line) -> Result<(), Fault> {
    let cost = landed_cost(order.additional_cost, all, line);
    let sum = in_stock(line, line.done);
    let old = ledger::standing(work, order.id, Some(line.id))?;
    let first = Posting {
        variant: line.variant,
        location: order.location,
        quantity: sum,
        cost: Some(cost),
        at: order.done_at.unwrap_or(work.now),
        cause: "correction",
        order: order.id,
        line: Some(line.id),
        reverses: None,
    };
    ledger::amend(work, &old, sum, &first)?;
    let before = ledger::balance(work.db, line.variant, order.location)?;
    for it in ledger::standing(work, order.id, Some(line.id))?.iter().filter(|it| it.cost != cost) {
        work.changed(format!("rows[{}].landed_cost", line.id), it.cost, cost);
        if cost > it.cost && before.quantity < it.posting.quantity {
            let sku = sku(work.db, line.variant)?;
            let gone = it.posting.quantity - before.quantity;
            work.warn(format!(
                "{sku}: {gone} have left at their old cost, and what is left bears the difference"
            ));
        }
        // What is right comes first, so that the stock is never missing.
        ledger::post(work, &Posting { cost: Some(cost), ..it.posting })?;
        ledger::reverse(work, it, None)?;
    }
    let after = ledger::balance(work.db, line.variant, order.location)?;
    if after.average != before.average {
        let sku = sku(work.db, line.variant)?;
        work.changed(format!("stock[{sku}].average_cost"), before.average, after.average);
    }
    Ok(())
}
