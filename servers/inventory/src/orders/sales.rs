//! Sales orders: made, packed, delivered in parts, corrected.
//!
//! What is delivered leaves the stock at its average cost, which becomes the cost of the row.

use plainwire::prelude::*;
use rusqlite::{OptionalExtension as _, params};

use super::rows::{AddSalesRow, RowQuantity, UpdateSalesRow, check, count, not_negative};
use super::{
    Head, Line, NewLine, NewOrder, OrderType, finish, go, head, insert, insert_line, line, lines, view,
};
use crate::amount::Amount;
use crate::catalog::bom::positive;
use crate::catalog::{List, Partner, Text, location, partner, reading, sku, variant};
use crate::fault::Fault;
use crate::ledger::{self, Posting, projections};
use crate::states::Sales;
use crate::time::Time;
use crate::work::Work;

const OF: OrderType = OrderType::SalesOrder;

/// A sales order to make.
#[derive(Clone, Debug)]
pub struct Create {
    pub order_no: Option<String>,
    pub customer_id: i64,
    pub location_id: Option<i64>,
    pub rows: Vec<AddSalesRow>,
    pub delivery_date: Option<Time>,
    pub notes: Option<String>,
    pub created_at: Option<Time>,
}

/// Makes a sales order. Returns its id.
///
/// # Errors
/// A customer, a location or a variant that does not exist; an amount that no row may have.
pub fn create(work: &mut Work<'_>, it: &Create) -> Result<i64, Fault> {
    work.begin(OF.name(), None, "create");
    count(it.rows.len())?;
    let customer = partner(work.db, Partner::Customer, it.customer_id)?;
    let order = NewOrder {
        number: it.order_no.as_deref(),
        location: location(work.db, it.location_id)?,
        customer: Some(customer.id),
        created_at: it.created_at,
        due_at: it.delivery_date,
        notes: it.notes.as_deref(),
        ..NewOrder::default()
    };
    work.changed("customer", (), &customer.name);
    work.changed("status", (), Sales::NotShipped);
    let id = insert(work, OF, Sales::NotShipped, &order)?;
    for row in &it.rows {
        add_row(work, id, customer.id, order.location, row)?;
    }
    work.created(id);
    work.next(format!("fulfill_order with order_id {id} and order_type sales, when the goods leave"));
    finish(work, id)?;
    Ok(id)
}

fn add_row(
    work: &mut Work<'_>,
    order: i64,
    customer: i64,
    location: i64,
    row: &AddSalesRow,
) -> Result<(), Fault> {
    let id = variant(work.db, &row.sku_or_variant_id)?;
    let found = reading::variant(work.db, id)?;
    let price = row.price_per_unit.unwrap_or(found.sales_price);
    let rate: Amount = work
        .db
        .prepare_cached("SELECT discount_rate FROM customer WHERE id = ?1")?
        .query_row([customer], |row| row.get(0))?;
    let by_rate = || row.quantity.times(price).times(rate).per(Amount::from(100)).money();
    let discount = row.total_discount.unwrap_or_else(by_rate);
    check(row.quantity, price, discount)?;
    let stock = ledger::balance(work.db, id, location)?;
    if stock.quantity < row.quantity {
        work.warn(format!("{}: {} ordered, {} in stock", found.sku, row.quantity, stock.quantity));
    }
    insert_line(work, order, &NewLine { price, discount, ..NewLine::of(id, row.quantity) })?;
    work.changed(format!("rows[{}].quantity", found.sku), (), row.quantity);
    work.changed(format!("rows[{}].price_per_unit", found.sku), (), price);
    Ok(())
}

/// Changes of the header of a sales order.
#[data]
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// `PACKED` or `NOT_SHIPPED`. Deliveries are made by `fulfill_order`.
    pub status: Option<Sales>,
    pub customer_id: Option<i64>,
    pub location_id: Option<i64>,
    pub delivery_date: Option<Time>,
    pub notes: Option<Text>,
}

/// Changes of a sales order.
pub struct Modify<'a> {
    pub header: Option<&'a Header>,
    pub add: &'a [AddSalesRow],
    pub update: &'a [UpdateSalesRow],
    pub delete: &'a List<i64>,
}

/// Changes a sales order: its header, then its rows. All of it or nothing.
///
/// # Errors
/// An order or a row that does not exist; an amount that no row may have.
pub fn modify(work: &mut Work<'_>, id: i64, it: &Modify<'_>) -> Result<(), Fault> {
    let order: Head<Sales> = head(work.db, OF, id)?;
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
            if order.status == Sales::Delivered {
                work.block("the status is DELIVERED, and adding rows needs an order that is open");
                return Ok(());
            }
            let (customer, location): (i64, i64) = work
                .db
                .prepare_cached("SELECT customer_id, location_id FROM orders WHERE id = ?1")?
                .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
            add_row(work, id, customer, location, row)
        })?;
    }
    for row in it.update {
        work.action("update_row", Some(row.row_id), |work| {
            let lines = lines(work.db, id)?;
            let old = line(work.db, &lines, row.row_id)?;
            if order.status == Sales::Delivered {
                work.block("the status is DELIVERED: use correct_sales_order");
                return Ok(());
            }
            update_row(work, old, row)
        })?;
    }
    for &row in &it.delete.0 {
        work.action("delete_row", Some(row), |work| super::remove::delete_row(work, id, row))?;
    }
    count(lines(work.db, id)?.len())?;
    if !work.is_blocked() {
        close_if_done(work, id)?;
    }
    finish(work, id)
}

fn update_header(work: &mut Work<'_>, order: &Head<Sales>, it: &Header) -> Result<(), Fault> {
    let status = match it.status {
        None => order.status,
        Some(wanted) if wanted == order.status => wanted,
        Some(Sales::Packed) => go(work, order.status.pack()).unwrap_or(order.status),
        Some(Sales::NotShipped) => go(work, order.status.unpack()).unwrap_or(order.status),
        Some(wanted) => {
            let name = wanted.name();
            work.block(format!(
                "the status is {}, and {name} follows from fulfill_order only",
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
        if lines(work.db, order.id)?.iter().any(|line| !line.done.is_zero()) {
            work.block("goods were delivered from the location: it can't be changed");
        }
        work.changed("location_id", order.location, location);
    }
    if let Some(customer) = it.customer_id {
        let customer = partner(work.db, Partner::Customer, customer)?;
        let before: i64 = work
            .db
            .prepare_cached("SELECT customer_id FROM orders WHERE id = ?1")?
            .query_row([order.id], |row| row.get(0))?;
        if before != customer.id {
            work.changed("customer_id", before, customer.id);
        }
        work.db.execute("UPDATE orders SET customer_id = ?2 WHERE id = ?1", [order.id, customer.id])?;
    }
    let due_at = it.delivery_date.or(order.due_at);
    if due_at != order.due_at {
        work.changed("due_at", order.due_at, due_at);
    }
    let notes = it.notes.clone().map(|it| it.0).or_else(|| order.notes.clone());
    if notes != order.notes {
        work.changed("notes", &order.notes, &notes);
    }
    work.db
        .prepare_cached(
            "UPDATE orders SET status = ?2, location_id = ?3, due_at = ?4, notes = ?5 WHERE id = ?1",
        )?
        .execute(params![order.id, status, location, due_at, notes])?;
    projections::index_entity(work.db, order.id)?;
    Ok(())
}

fn update_row(work: &mut Work<'_>, old: &Line, it: &UpdateSalesRow) -> Result<(), Fault> {
    let quantity = it.quantity.unwrap_or(old.quantity);
    let price = it.price_per_unit.unwrap_or(old.price);
    let discount = it.total_discount.unwrap_or_else(|| scaled(old, quantity, price));
    check(quantity, price, discount)?;
    if let Some(number) = super::remove::made_by(work, old.id)?.filter(|_| quantity != old.quantity) {
        work.warn(format!("{number} makes row {} to order, and its planned quantity stays", old.id));
    }
    if quantity < old.done {
        work.block(format!("row {}: {} were delivered, more than the quantity {quantity}", old.id, old.done));
    }
    set_row(work, old, quantity, price, discount)
}

/// Returns the discount of a row whose quantity or price changes: the same part of it.
fn scaled(old: &Line, quantity: Amount, price: Amount) -> Amount {
    let part = quantity.times(price).decimal().checked_div(old.quantity.times(old.price).decimal());
    part.map_or(Amount::ZERO, |part| Amount::rounded(old.discount.decimal() * part).money())
}

fn set_row(
    work: &mut Work<'_>,
    old: &Line,
    quantity: Amount,
    price: Amount,
    discount: Amount,
) -> Result<(), Fault> {
    work.changed(format!("rows[{}].quantity", old.id), old.quantity, quantity);
    work.changed(format!("rows[{}].price_per_unit", old.id), old.price, price);
    work.changed(format!("rows[{}].total_discount", old.id), old.discount, discount);
    work.db
        .prepare_cached("UPDATE line SET quantity = ?2, price = ?3, discount = ?4 WHERE id = ?1")?
        .execute(params![old.id, quantity, price, discount])?;
    Ok(())
}

fn close_if_done(work: &mut Work<'_>, id: i64) -> Result<(), Fault> {
    let order: Head<Sales> = head(work.db, OF, id)?;
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

/// Delivers goods: of the rows that are named, or all that remains.
///
/// # Errors
/// An order or a row that does not exist; a date in the future.
pub fn deliver(
    work: &mut Work<'_>,
    id: i64,
    rows: &[RowQuantity],
    picked_date: Option<Time>,
    is_order_acknowledged: bool,
) -> Result<(), Fault> {
    let order: Head<Sales> = head(work.db, OF, id)?;
    work.begin(OF.name(), Some(id), "fulfill");
    work.prior(view::order(work.db, id)?);
    let at = super::not_later(work, "completed_at", picked_date)?;
    super::rows::at_most("rows", rows.len())?;
    let all = lines(work.db, id)?;
    let mut leaving: Vec<(&Line, Amount)> = Vec::new();
    for row in rows {
        let line = line(work.db, &all, row.row_id)?;
        let quantity = row.quantity.unwrap_or_else(|| line.remaining());
        if row.quantity.is_some() {
            positive("quantity", quantity)?;
        }
        if leaving.iter().any(|(it, _)| it.id == line.id) {
            work.block(format!("row {} is named twice", line.id));
        }
        leaving.push((line, quantity));
    }
    if rows.is_empty() {
        leaving = all.iter().map(|it| (it, it.remaining())).filter(|it| !it.1.is_zero()).collect();
    }
    if go(work, order.status.deliver_part()).is_none() {
        return finish(work, id);
    }
    for &(line, quantity) in &leaving {
        if quantity > line.remaining() || quantity.is_zero() {
            let sku = sku(work.db, line.variant)?;
            work.block(format!(
                "{sku} (row {}): {quantity} to deliver, but {} remain",
                line.id,
                line.remaining()
            ));
            continue;
        }
        after_linked_order(work, line.id, at, is_order_acknowledged)?;
        let posting = Posting {
            variant: line.variant,
            location: order.location,
            quantity: -quantity,
            cost: None,
            at,
            cause: "sale",
            order: id,
            line: Some(line.id),
            reverses: None,
        };
        let posted = ledger::post(work, &posting)?;
        super::set_done(work, line, line.done + quantity)?;
        let cost = line.cost + quantity.times(posted.cost);
        work.changed(format!("rows[{}].cost", line.id), line.cost.money(), cost.money());
        super::set_cost(work, line.id, cost)?;
    }
    let gone = |id: i64| leaving.iter().filter(|it| it.0.id == id).map(|it| it.1).sum::<Amount>();
    let left = all.iter().any(|it| (it.remaining() - gone(it.id)).is_positive());
    let next = if left { order.status.deliver_part() } else { order.status.deliver_rest() };
    if let Some(status) = go(work, next) {
        super::set_status(work, &order, status, Some(at))?;
    }
    finish(work, id)
}

/// Blocks a delivery on or before the day on which the goods were made for it.
fn after_linked_order(work: &mut Work<'_>, line: i64, at: Time, is_acknowledged: bool) -> Result<(), Fault> {
    let mut statement = work.db.prepare_cached(
        "SELECT number, done_at FROM orders WHERE sales_line_id = ?1 AND deleted_at IS NULL AND done_at IS NOT NULL",
    )?;
    let found: Option<(String, Time)> =
        statement.query_row([line], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    if let Some((number, done)) = found.filter(|(_, done)| at <= *done) {
        let why = format!("row {line}: {number} was done at {done}, not before the goods leave at {at}");
        match is_acknowledged {
            true => work.warn(format!("WARNING (acknowledged): {why}")),
            false => work.block(format!("{why}: set acknowledge_inventory_ordering to deliver all the same")),
        }
    }
    Ok(())
}

/// Corrects what was delivered: quantities, prices and discounts. Dates stay.
///
/// # Errors
/// An order or a row that does not exist; an amount that no row may have.
pub fn correct(work: &mut Work<'_>, id: i64, rows: &[UpdateSalesRow]) -> Result<(), Fault> {
    let order: Head<Sales> = head(work.db, OF, id)?;
    work.begin(OF.name(), Some(id), "correct");
    work.prior(view::order(work.db, id)?);
    super::rows::at_most("update_rows", rows.len())?;
    if rows.is_empty() {
        return Err(Fault::input("expected `update_rows`, but found none"));
    }
    if go(work, order.status.reopen()).is_none() {
        work.next(format!("modify_sales_order with id {id}: nothing was delivered yet"));
        return Ok(());
    }
    for row in rows {
        work.action("correct_row", Some(row.row_id), |work| {
            let lines = lines(work.db, id)?;
            let old = line(work.db, &lines, row.row_id)?;
            let quantity = row.quantity.unwrap_or(old.done);
            let price = row.price_per_unit.unwrap_or(old.price);
            not_negative("quantity", quantity)?;
            let whole = super::rows::corrected(old.quantity, old.done, quantity);
            let discount = row.total_discount.unwrap_or_else(|| scaled(old, whole, price));
            check(whole, price, discount)?;
            set_row(work, old, whole, price, discount)?;
            super::set_done(work, old, quantity)?;
            redeliver(work, &order, old, quantity)
        })?;
    }
    if !work.is_blocked() {
        close_if_done(work, id)?;
    }
    finish(work, id)
}

/// Changes what was delivered of a row, and what it cost.
fn redeliver(work: &mut Work<'_>, order: &Head<Sales>, line: &Line, quantity: Amount) -> Result<(), Fault> {
    let old = ledger::standing(work, order.id, Some(line.id))?;
    let first = Posting {
        variant: line.variant,
        location: order.location,
        quantity: -quantity,
        cost: None,
        at: order.done_at.unwrap_or(work.now),
        cause: "correction",
        order: order.id,
        line: Some(line.id),
        reverses: None,
    };
    let value = ledger::amend(work, &old, -quantity, &first)?;
    work.changed(format!("rows[{}].cost", line.id), line.cost.money(), (line.cost - value).money());
    super::set_cost(work, line.id, line.cost - value)
}
