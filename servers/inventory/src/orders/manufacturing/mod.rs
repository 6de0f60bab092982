//! Manufacturing orders: made from a bill of materials, produced in parts, corrected.
//!
//! Producing uses up ingredients at their average costs; what they cost is the cost of what is produced.

use plainwire::prelude::*;
use rusqlite::{OptionalExtension as _, params};

mod correct;

pub use correct::{CorrectRecipeRow, correct};

use super::rows::{check, count, not_negative};
use super::{
    Head, Line, NewLine, NewOrder, OrderType, finish, go, head, insert, insert_line, line, lines, view,
};
use crate::amount::Amount;
use crate::catalog::bom::{MAX_LEVELS, ingredients, positive};
use crate::catalog::{List, Reference, Text, location, not_a, sku, variant};
use crate::fault::Fault;
use crate::ledger::{self, Posting, projections};
use crate::states::Manufacturing;
use crate::time::Time;
use crate::work::Work;

const OF: OrderType = OrderType::ManufacturingOrder;

/// The largest number of orders that are made for subassemblies of one.
pub const MAX_SUBASSEMBLIES: usize = 200;

/// A manufacturing order to make.
#[derive(Clone, Debug)]
pub struct Create {
    pub order_no: Option<String>,
    /// What is made; `None` for what a row of a sales order needs.
    pub product: Option<Reference>,
    pub planned_quantity: Option<Amount>,
    pub sales_order_row_id: Option<i64>,
    pub location_id: Option<i64>,
    pub production_deadline_date: Option<Time>,
    /// Whether orders are made for ingredients that are missing and have a bill of materials themselves.
    pub create_subassemblies: bool,
    pub notes: Option<String>,
    pub created_at: Option<Time>,
}

/// Makes a manufacturing order. Returns its id.
///
/// # Errors
/// A product, a row or a location that does not exist.
pub fn create(work: &mut Work<'_>, it: &Create) -> Result<i64, Fault> {
    work.begin(OF.name(), None, "create");
    let mut place = it.location_id;
    let (product, planned) = match (it.sales_order_row_id, &it.product) {
        (Some(row), None) => {
            let (product, remaining, at) = of_sales_row(work, row)?;
            place = place.or(Some(at));
            (product, it.planned_quantity.unwrap_or(remaining))
        }
        (None, Some(product)) => {
            let planned = it.planned_quantity;
            let planned =
                planned.ok_or_else(|| Fault::input("expected `planned_quantity`, but found none"))?;
            (variant(work.db, product)?, planned)
        }
        _ => return Err(Fault::input("expected either `sku_or_variant_id` or `sales_order_row_id`")),
    };
    positive("planned_quantity", planned)?;
    let order = NewOrder {
        number: it.order_no.as_deref(),
        location: location(work.db, place)?,
        variant: Some(product),
        planned,
        sales_line: it.sales_order_row_id,
        created_at: it.created_at,
        due_at: it.production_deadline_date,
        notes: it.notes.as_deref(),
        ..NewOrder::default()
    };
    let id = make(work, &order)?;
    work.created(id);
    if it.create_subassemblies {
        subassemblies(work, id, &order, 1, &mut 0)?;
    }
    work.next(format!("fulfill_order with order_id {id} and order_type manufacturing, when it is produced"));
    finish(work, id)?;
    Ok(id)
}

/// Returns what a row of a sales order needs, and where.
fn of_sales_row(work: &mut Work<'_>, row: i64) -> Result<(i64, Amount, i64), Fault> {
    let mut statement = work.db.prepare_cached(
        "SELECT l.variant_id, l.quantity - l.done, o.location_id,
             (SELECT number FROM orders m WHERE m.sales_line_id = l.id AND m.deleted_at IS NULL)
         FROM line l JOIN orders o ON o.id = l.order_id
         WHERE l.id = ?1 AND o.type = 'sales_order' AND o.deleted_at IS NULL",
    )?;
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let found: Option<(i64, Amount, i64, Option<String>)> = statement.query_row([row], read).optional()?;
    let Some((product, remaining, place, linked)) = found else {
        return Err(not_a(work.db, row, "a row of a sales order"));
    };
    if let Some(number) = linked {
        work.block(format!("row {row} is made to order already, by {number}"));
    }
    if !remaining.is_positive() {
        work.block(format!("row {row} was delivered: nothing is left to make"));
        return Ok((product, Amount::ONE, place));
    }
    Ok((product, remaining, place))
}

/// Adds an order, with the rows of its recipe.
fn make(work: &mut Work<'_>, order: &NewOrder<'_>) -> Result<i64, Fault> {
    let product = order.variant.unwrap_or_default();
    let name = sku(work.db, product)?;
    work.changed("product", (), &name);
    work.changed("planned_quantity", (), order.planned);
    let id = insert(work, OF, Manufacturing::NotStarted, order)?;
    let recipe = ingredients(work.db, product)?;
    if recipe.is_empty() {
        work.warn(format!("{name} has no bill of materials: producing it uses nothing, and costs nothing"));
    }
    for it in recipe {
        let quantity = it.quantity.times(order.planned);
        needed(quantity, &sku(work.db, it.variant)?)?;
        insert_line(work, id, &NewLine { per_unit: it.quantity, ..NewLine::of(it.variant, quantity) })?;
        work.changed(format!("rows[{}].quantity", sku(work.db, it.variant)?), (), quantity);
    }
    projections::refresh(work, id)?;
    Ok(id)
}

/// Makes orders for what is missing of ingredients that are made here, and for theirs.
fn subassemblies(
    work: &mut Work<'_>,
    id: i64,
    above: &NewOrder<'_>,
    level: u32,
    made: &mut usize,
) -> Result<(), Fault> {
    if level > MAX_LEVELS {
        return Err(Fault::input(format!("expected subassemblies of at most {MAX_LEVELS} levels")));
    }
    for line in lines(work.db, id)? {
        if ingredients(work.db, line.variant)?.is_empty() {
            continue;
        }
        let levels = view::levels(work.db, line.variant, above.location)?;
        let missing = levels.committed - levels.in_stock - levels.expected;
        if !missing.is_positive() {
            continue;
        }
        let order = NewOrder {
            location: above.location,
            variant: Some(line.variant),
            planned: if missing > line.quantity { line.quantity } else { missing },
            created_at: above.created_at,
            due_at: above.due_at,
            ..NewOrder::default()
        };
        *made += 1;
        if *made > MAX_SUBASSEMBLIES {
            return Err(Fault::input(format!(
                "expected at most {MAX_SUBASSEMBLIES} orders for subassemblies, but more are needed: make some of them first"
            )));
        }
        let below = make(work, &order)?;
        subassemblies(work, below, &order, level + 1, made)?;
    }
    Ok(())
}

/// Changes of the header of a manufacturing order.
#[data]
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// `IN_PROGRESS`, `BLOCKED`, or `DONE` for an order that ends with less than planned. Production is by `fulfill_order`.
    pub status: Option<Manufacturing>,
    /// Not below what was produced. The rows follow.
    pub planned_quantity: Option<Amount>,
    pub location_id: Option<i64>,
    pub production_deadline_date: Option<Time>,
    pub notes: Option<Text>,
}

/// An ingredient to add to an order.
#[data]
#[derive(Clone, Debug)]
pub struct AddRecipeRow {
    /// The SKU or id of the variant.
    pub sku_or_variant_id: Reference,
    /// How much of it a unit needs. Above 0.
    pub planned_quantity_per_unit: Amount,
}

/// A change of an ingredient of an order.
#[data]
#[derive(Clone, Debug)]
pub struct UpdateRecipeRow {
    pub row_id: i64,
    /// Above 0.
    pub planned_quantity_per_unit: Amount,
}

/// Changes of a manufacturing order.
pub struct Modify<'a> {
    pub header: Option<&'a Header>,
    pub add: &'a [AddRecipeRow],
    pub update: &'a [UpdateRecipeRow],
    pub delete: &'a List<i64>,
}

/// Changes a manufacturing order: its header, then its rows. All of it or nothing.
///
/// # Errors
/// An order or a row that does not exist; an amount that no row may have.
pub fn modify(work: &mut Work<'_>, id: i64, it: &Modify<'_>) -> Result<(), Fault> {
    let order: Head<Manufacturing> = head(work.db, OF, id)?;
    work.begin(OF.name(), Some(id), "modify");
    work.prior(view::order(work.db, id)?);
    let has_rows = !(it.add.is_empty() && it.update.is_empty() && it.delete.0.is_empty());
    if it.header.is_none() && !has_rows {
        return Err(Fault::input("expected `update_header` or changes of rows, but found none"));
    }
    super::rows::at_most("add_rows", it.add.len())?;
    super::rows::at_most("update_rows", it.update.len())?;
    if order.status == Manufacturing::Done {
        work.block("the status is DONE: use correct_manufacturing_order");
        return finish(work, id);
    }
    if let Some(header) = it.header {
        work.action("update_header", Some(id), |work| update_header(work, &order, header))?;
    }
    for row in it.add {
        work.action("add_row", None, |work| add_row(work, id, row))?;
    }
    for row in it.update {
        work.action("update_row", Some(row.row_id), |work| {
            let lines = lines(work.db, id)?;
            let old = line(work.db, &lines, row.row_id)?;
            not_negative("planned_quantity_per_unit", row.planned_quantity_per_unit)?;
            let planned = head::<Manufacturing>(work.db, OF, id)?.planned;
            set_row(work, old, row.planned_quantity_per_unit, planned)
        })?;
    }
    for &row in &it.delete.0 {
        work.action("delete_row", Some(row), |work| super::remove::delete_row(work, id, row))?;
    }
    if has_rows && !it.add.is_empty() {
        count(lines(work.db, id)?.len())?;
    }
    finish(work, id)
}

fn update_header(work: &mut Work<'_>, order: &Head<Manufacturing>, it: &Header) -> Result<(), Fault> {
    use Manufacturing::{Blocked, Done, InProgress};
    let planned = it.planned_quantity.unwrap_or(order.planned);
    positive("planned_quantity", planned)?;
    if planned <= order.completed && planned != order.planned {
        work.block(format!(
            "{} were produced: a planned quantity of {planned} would leave nothing open",
            order.completed
        ));
    }
    let next = match it.status {
        None => Ok(order.status),
        Some(wanted) if wanted == order.status => Ok(wanted),
        Some(InProgress) if order.status == Blocked => order.status.unblock(),
        Some(InProgress) => order.status.start(),
        Some(Blocked) => order.status.block(),
        Some(Done) => order.status.finish(),
        Some(wanted) => {
            work.block(format!("the status is {}, and {} can't be set", order.status.name(), wanted.name()));
            Ok(order.status)
        }
    };
    let status = go(work, next).unwrap_or(order.status);
    if status != order.status {
        work.changed("status", order.status, status);
    }
    let place = match it.location_id {
        Some(id) => location(work.db, Some(id))?,
        None => order.location,
    };
    if place != order.location {
        if order.completed.is_positive() {
            work.block("goods were produced at the location: it can't be changed");
        }
        work.changed("location_id", order.location, place);
    }
    let due_at = it.production_deadline_date.or(order.due_at);
    if due_at != order.due_at {
        work.changed("due_at", order.due_at, due_at);
    }
    let notes = it.notes.clone().map(|it| it.0).or_else(|| order.notes.clone());
    if notes != order.notes {
        work.changed("notes", &order.notes, &notes);
    }
    let done_at = if status == Done { order.done_at.or(Some(work.now)) } else { order.done_at };
    work.db
        .prepare_cached(
            "UPDATE orders SET status = ?2, planned = ?3, location_id = ?4, due_at = ?5, notes = ?6, done_at = ?7
             WHERE id = ?1",
        )?
        .execute(params![order.id, status, planned, place, due_at, notes, done_at])?;
    projections::index_entity(work.db, order.id)?;
    if planned != order.planned {
        work.changed("planned_quantity", order.planned, planned);
        for line in lines(work.db, order.id)? {
            set_row(work, &line, line.per_unit, planned)?;
        }
    }
    Ok(())
}

fn add_row(work: &mut Work<'_>, order: i64, row: &AddRecipeRow) -> Result<(), Fault> {
    let found = head::<Manufacturing>(work.db, OF, order)?;
    let id = variant(work.db, &row.sku_or_variant_id)?;
    positive("planned_quantity_per_unit", row.planned_quantity_per_unit)?;
    if Some(id) == found.variant {
        work.block("a product can't be an ingredient of itself");
        return Ok(());
    }
    // What was produced did not use it.
    let quantity = row.planned_quantity_per_unit.times(found.planned - found.completed);
    check(quantity, Amount::ZERO, Amount::ZERO)?;
    let line = NewLine { per_unit: row.planned_quantity_per_unit, ..NewLine::of(id, quantity) };
    insert_line(work, order, &line)?;
    work.changed(format!("rows[{}].quantity", sku(work.db, id)?), (), quantity);
    Ok(())
}

/// Refuses a quantity of an ingredient that is no quantity.
fn needed(quantity: Amount, sku: &str) -> Result<(), Fault> {
    match quantity.is_positive() {
        true => check(quantity, Amount::ZERO, Amount::ZERO),
        false => Err(Fault::input(format!(
            "expected a recipe that needs at least 0.000001 of {sku}, but it needs less: delete the row, or plan more"
        ))),
    }
}

/// Sets how much a unit needs of an ingredient: of what is left to produce.
fn set_row(work: &mut Work<'_>, old: &Line, per_unit: Amount, planned: Amount) -> Result<(), Fault> {
    let completed: Amount = work
        .db
        .prepare_cached("SELECT o.completed FROM orders o JOIN line l ON l.order_id = o.id WHERE l.id = ?1")?
        .query_row([old.id], |row| row.get(0))?;
    let quantity = old.done + per_unit.times(planned - completed);
    needed(quantity, &sku(work.db, old.variant)?)?;
    work.changed(format!("rows[{}].quantity", old.id), old.quantity, quantity);
    work.db
        .prepare_cached("UPDATE line SET quantity = ?2, per_unit = ?3 WHERE id = ?1")?
        .execute(params![old.id, quantity, per_unit])?;
    Ok(())
}

/// Produces a quantity: ingredients leave the stock, and the product arrives at what they cost.
///
/// # Errors
/// An order that does not exist; a date in the future.
pub fn produce(
    work: &mut Work<'_>,
    id: i64,
    quantity: Option<Amount>,
    completed_at: Option<Time>,
) -> Result<(), Fault> {
    let order: Head<Manufacturing> = head(work.db, OF, id)?;
    work.begin(OF.name(), Some(id), "fulfill");
    work.prior(view::order(work.db, id)?);
    let at = super::not_later(work, "completed_at", completed_at)?;
    let remaining = order.planned - order.completed;
    let quantity = quantity.unwrap_or(remaining);
    let is_rest = quantity >= remaining;
    let next = if is_rest { order.status.produce_rest() } else { order.status.produce_part() };
    let Some(status) = go(work, next) else { return finish(work, id) };
    positive("quantity", quantity)?;
    if quantity > remaining {
        work.block(format!("{quantity} to produce, but {remaining} remain"));
        return finish(work, id);
    }
    let mut cost = Amount::ZERO;
    for line in lines(work.db, id)? {
        // Roundings of parts never come to more than the whole.
        let used =
            if is_rest { line.remaining() } else { line.per_unit.times(quantity).min(line.remaining()) };
        let posted = ledger::post(work, &posting(&order, &line, -used, at, "ingredient"))?;
        let spent = used.times(posted.cost);
        cost += spent;
        super::set_done(work, &line, line.done + used)?;
        super::set_cost(work, line.id, line.cost + spent)?;
    }
    let output = Posting {
        variant: order.variant.unwrap_or_default(),
        location: order.location,
        quantity,
        cost: Some(cost.per(quantity)),
        at,
        cause: "production",
        order: id,
        line: None,
        reverses: None,
    };
    ledger::post(work, &output)?;
    work.changed("cost_per_unit", (), cost.per(quantity));
    let completed = order.completed + quantity;
    work.changed("completed_quantity", order.completed, completed);
    work.db
        .prepare_cached("UPDATE orders SET completed = ?2 WHERE id = ?1")?
        .execute(params![id, completed])?;
    super::set_status(work, &order, status, is_rest.then_some(at).or(order.done_at))?;
    finish(work, id)
}

fn posting(
    order: &Head<Manufacturing>,
    line: &Line,
    quantity: Amount,
    at: Time,
    cause: &'static str,
) -> Posting {
    Posting {
        variant: line.variant,
        location: order.location,
        quantity,
        cost: None,
        at,
        cause,
        order: order.id,
        line: Some(line.id),
        reverses: None,
    }
}
