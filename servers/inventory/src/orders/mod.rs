//! Orders: purchases, sales, manufacturing, stock transfers and stock adjustments.
//!
//! In: what a caller wants changed. Out: rows of the file, movements and the record of the change. The states are those of
//! [`crate::states`]; each file has the operations of one type.

use plainwire::prelude::*;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row as SqlRow, ToSql, params};

pub mod adjustment;
pub mod manufacturing;
pub mod purchase;
mod remove;
pub mod rows;
pub mod sales;
pub mod transfer;
pub mod view;

pub use remove::delete;

use crate::amount::Amount;
use crate::catalog::{new_id, not_a};
use crate::fault::{Fault, shown};
use crate::ledger::projections;
use crate::states;
use crate::time::Time;
use crate::work::Work;

/// The type of an order.
#[data]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::enum_variant_names, reason = "the names are those of the field `type`")]
pub enum OrderType {
    PurchaseOrder,
    SalesOrder,
    ManufacturingOrder,
    StockTransfer,
    StockAdjustment,
}

impl OrderType {
    pub const ALL: [Self; 5] = [
        Self::PurchaseOrder,
        Self::SalesOrder,
        Self::ManufacturingOrder,
        Self::StockTransfer,
        Self::StockAdjustment,
    ];

    /// Returns the name, as in the file and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::PurchaseOrder => "purchase_order",
            Self::SalesOrder => "sales_order",
            Self::ManufacturingOrder => "manufacturing_order",
            Self::StockTransfer => "stock_transfer",
            Self::StockAdjustment => "stock_adjustment",
        }
    }

    /// Returns the name in sentences, with its article.
    fn with_article(self) -> String {
        format!("a {}", self.name().replace('_', " "))
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::PurchaseOrder => "PO",
            Self::SalesOrder => "SO",
            Self::ManufacturingOrder => "MO",
            Self::StockTransfer => "ST",
            Self::StockAdjustment => "SA",
        }
    }

    /// Returns the names of its states.
    pub fn states(self) -> Vec<&'static str> {
        match self {
            Self::PurchaseOrder => states::Purchase::ALL.iter().map(|it| it.name()).collect(),
            Self::SalesOrder => states::Sales::ALL.iter().map(|it| it.name()).collect(),
            Self::ManufacturingOrder => states::Manufacturing::ALL.iter().map(|it| it.name()).collect(),
            Self::StockTransfer => states::Transfer::ALL.iter().map(|it| it.name()).collect(),
            Self::StockAdjustment => states::Adjustment::ALL.iter().map(|it| it.name()).collect(),
        }
    }
}

impl ToSql for OrderType {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.name()))
    }
}

impl FromSql for OrderType {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        Self::ALL.into_iter().find(|it| it.name() == text).ok_or(FromSqlError::InvalidType)
    }
}

/// The row of an order in the file, with the state of its type.
#[derive(Clone, Debug)]
pub(crate) struct Head<S> {
    pub(crate) id: i64,
    pub(crate) status: S,
    pub(crate) location: i64,
    pub(crate) target: Option<i64>,
    pub(crate) variant: Option<i64>,
    pub(crate) planned: Amount,
    pub(crate) completed: Amount,
    pub(crate) additional_cost: Amount,
    pub(crate) due_at: Option<Time>,
    pub(crate) done_at: Option<Time>,
    pub(crate) notes: Option<String>,
}

/// A row of an order in the file.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) id: i64,
    pub(crate) variant: i64,
    pub(crate) quantity: Amount,
    pub(crate) done: Amount,
    pub(crate) price: Amount,
    pub(crate) discount: Amount,
    pub(crate) uom: Option<String>,
    pub(crate) uom_rate: Amount,
    pub(crate) per_unit: Amount,
    pub(crate) cost: Amount,
}

impl Line {
    pub(crate) fn remaining(&self) -> Amount {
        self.quantity - self.done
    }

    /// The price of the row, in whole hundredths.
    pub(crate) fn total(&self) -> Amount {
        self.quantity.times(self.price).money() - self.discount
    }
}

/// Returns an order that was not deleted.
pub(crate) fn head<S: FromSql>(db: &Connection, of: OrderType, id: i64) -> Result<Head<S>, Fault> {
    let mut statement = db.prepare_cached(
        "SELECT id, status, location_id, target_id, variant_id, planned, completed, additional_cost, due_at,
             done_at, notes, deleted_at IS NOT NULL FROM orders WHERE id = ?1 AND type = ?2",
    )?;
    let read = |row: &SqlRow<'_>| {
        let head = Head {
            id: row.get(0)?,
            status: row.get(1)?,
            location: row.get(2)?,
            target: row.get(3)?,
            variant: row.get(4)?,
            planned: row.get(5)?,
            completed: row.get(6)?,
            additional_cost: row.get(7)?,
            due_at: row.get(8)?,
            done_at: row.get(9)?,
            notes: row.get(10)?,
        };
        Ok((head, row.get(11)?))
    };
    match statement.query_row(params![id, of], read).optional()? {
        Some((head, false)) => Ok(head),
        Some((_, true)) => {
            Err(Fault::missing(format!("expected {} in use, but {id} was deleted", of.with_article())))
        }
        None => Err(not_a(db, id, &of.with_article())),
    }
}

/// Returns the rows of an order.
pub(crate) fn lines(db: &Connection, order: i64) -> Result<Vec<Line>, rusqlite::Error> {
    let read = |row: &SqlRow<'_>| {
        Ok(Line {
            id: row.get(0)?,
            variant: row.get(1)?,
            quantity: row.get(2)?,
            done: row.get(3)?,
            price: row.get(4)?,
            discount: row.get(5)?,
            uom: row.get(6)?,
            uom_rate: row.get(7)?,
            per_unit: row.get(8)?,
            cost: row.get(9)?,
        })
    };
    db.prepare_cached(
        "SELECT id, variant_id, quantity, done, price, discount, uom, uom_rate, per_unit, cost FROM line
         WHERE order_id = ?1 ORDER BY id",
    )?
    .query_map([order], read)?
    .collect()
}

/// Returns the row of an order that a caller means.
pub(crate) fn line<'a>(db: &Connection, lines: &'a [Line], id: i64) -> Result<&'a Line, Fault> {
    lines.iter().find(|it| it.id == id).ok_or_else(|| match crate::catalog::kind_of(db, id) {
        Ok(Some(kind)) if kind == "row" => Fault::missing(format!(
            "expected the id of a row of this order, but row {id} belongs to another one"
        )),
        _ => not_a(db, id, "a row of this order"),
    })
}

/// The columns of a new order.
#[derive(Debug, Default)]
pub(crate) struct NewOrder<'a> {
    pub(crate) number: Option<&'a str>,
    pub(crate) location: i64,
    pub(crate) target: Option<i64>,
    pub(crate) supplier: Option<i64>,
    pub(crate) customer: Option<i64>,
    pub(crate) variant: Option<i64>,
    pub(crate) planned: Amount,
    pub(crate) sales_line: Option<i64>,
    pub(crate) additional_cost: Amount,
    pub(crate) created_at: Option<Time>,
    pub(crate) due_at: Option<Time>,
    pub(crate) notes: Option<&'a str>,
}

/// Adds an order. Returns its id.
pub(crate) fn insert(
    work: &mut Work<'_>,
    of: OrderType,
    status: impl ToSql,
    it: &NewOrder<'_>,
) -> Result<i64, Fault> {
    let number = match it.number {
        Some(number) => {
            work.changed("number", (), number);
            own_number(work.db, number)?
        }
        None => next_number(work.db, of)?,
    };
    let id = new_id(work.db, of.name())?;
    work.db
        .prepare_cached(
            "INSERT INTO orders (id, type, number, status, location_id, target_id, supplier_id, customer_id, variant_id,
                 planned, sales_line_id, additional_cost, created_at, due_at, notes)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        )?
        .execute(params![
            id,
            of,
            number,
            status,
            it.location,
            it.target,
            it.supplier,
            it.customer,
            it.variant,
            it.planned,
            it.sales_line,
            it.additional_cost,
            it.created_at.unwrap_or(work.now),
            it.due_at,
            it.notes
        ])?;
    projections::index_entity(work.db, id)?;
    Ok(id)
}

/// Checks a number that a caller chose for an order.
fn own_number(db: &Connection, number: &str) -> Result<String, Fault> {
    let is_line = (1..=40).contains(&number.chars().count()) && !number.chars().any(char::is_control);
    if !is_line || number != number.trim() {
        return Err(Fault::input(format!(
            "expected `order_no` with 1 to 40 characters on one line, but found {}",
            shown(number)
        )));
    }
    match db.prepare_cached("SELECT 1 FROM orders WHERE number = ?1")?.exists([number])? {
        true => Err(Fault::conflict(format!("expected a new `order_no`, but {number:?} is taken"))),
        false => Ok(number.to_owned()),
    }
}

/// Returns the number after the largest of this type.
fn next_number(db: &Connection, of: OrderType) -> Result<String, rusqlite::Error> {
    let key = format!("last_{}", of.name());
    let mut statement = db.prepare_cached("SELECT CAST(value AS INTEGER) FROM setting WHERE name = ?1")?;
    let mut last: i64 = statement.query_row([&key], |row| row.get(0)).optional()?.unwrap_or_default();
    loop {
        last += 1;
        let number = format!("{}-{last}", of.prefix());
        if !db.prepare_cached("SELECT 1 FROM orders WHERE number = ?1")?.exists([&number])? {
            db.prepare_cached(
                "INSERT INTO setting VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value",
            )?
            .execute(params![key, last.to_string()])?;
            return Ok(number);
        }
    }
}

/// A row to add.
#[derive(Clone, Debug)]
pub(crate) struct NewLine<'a> {
    pub(crate) variant: i64,
    pub(crate) quantity: Amount,
    pub(crate) done: Amount,
    pub(crate) price: Amount,
    pub(crate) discount: Amount,
    pub(crate) uom: Option<&'a str>,
    pub(crate) uom_rate: Amount,
    pub(crate) per_unit: Amount,
}

impl NewLine<'_> {
    /// Returns a row without prices.
    pub(crate) fn of(variant: i64, quantity: Amount) -> Self {
        Self {
            variant,
            quantity,
            done: Amount::ZERO,
            price: Amount::ZERO,
            discount: Amount::ZERO,
            uom: None,
            uom_rate: Amount::ONE,
            per_unit: Amount::ZERO,
        }
    }
}

/// Adds a row to an order. Returns its id.
pub(crate) fn insert_line(work: &mut Work<'_>, order: i64, it: &NewLine<'_>) -> Result<i64, Fault> {
    let id = new_id(work.db, "row")?;
    work.db
        .prepare_cached(
            "INSERT INTO line (id, order_id, variant_id, quantity, done, price, discount, uom, uom_rate, per_unit)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            id,
            order,
            it.variant,
            it.quantity,
            it.done,
            it.price,
            it.discount,
            it.uom,
            it.uom_rate,
            it.per_unit
        ])?;
    Ok(id)
}

/// Sets how much of a row is done.
pub(crate) fn set_done(work: &mut Work<'_>, line: &Line, done: Amount) -> Result<(), Fault> {
    work.changed(format!("rows[{}].done_quantity", line.id), line.done, done);
    work.db.prepare_cached("UPDATE line SET done = ?2 WHERE id = ?1")?.execute(params![line.id, done])?;
    Ok(())
}

/// Sets the cost of what left the stock for a row.
pub(crate) fn set_cost(work: &mut Work<'_>, line: i64, cost: Amount) -> Result<(), Fault> {
    work.db.prepare_cached("UPDATE line SET cost = ?2 WHERE id = ?1")?.execute(params![line, cost])?;
    Ok(())
}

/// Sets the state of an order, and when it was done.
pub(crate) fn set_status<S: ToSql + PartialEq + Serialize>(
    work: &mut Work<'_>,
    head: &Head<S>,
    status: S,
    done_at: Option<Time>,
) -> Result<(), Fault> {
    if status != head.status {
        work.changed("status", &head.status, &status);
    }
    if done_at != head.done_at {
        work.changed("done_at", head.done_at, done_at);
    }
    work.db
        .prepare_cached("UPDATE orders SET status = ?2, done_at = ?3 WHERE id = ?1")?
        .execute(params![head.id, status, done_at])?;
    Ok(())
}

/// Ends an operation on an order: its promises are brought up to date, and its state is recorded.
pub(crate) fn finish(work: &mut Work<'_>, id: i64) -> Result<(), Fault> {
    projections::refresh(work, id)?;
    if !work.is_blocked() && !work.is_silent {
        let order = view::order(work.db, id)?;
        work.total(order.total);
        work.state(order);
    }
    Ok(())
}

/// Refuses a date that is after the time of the change.
pub(crate) fn not_later(work: &Work<'_>, field: &str, at: Option<Time>) -> Result<Time, Fault> {
    match at {
        Some(at) if at > work.now => {
            Err(Fault::input(format!("expected `{field}` at {} or before, but found {at}", work.now)))
        }
        at => Ok(at.unwrap_or(work.now)),
    }
}

/// Blocks the change if a transition is not legal. Returns the next state otherwise.
pub(crate) fn go<S>(work: &mut Work<'_>, next: Result<S, states::Illegal>) -> Option<S> {
    next.map_err(|illegal| work.block(illegal)).ok()
}
