//! Orders as results: with names, totals and availability.

use rusqlite::{Connection, OptionalExtension as _, Row as SqlRow, ToSql, params};
use serde_json::Value;

use super::{Line, OrderType, lines};
use crate::amount::Amount;
use crate::catalog::variant_name;
use crate::fault::{Fault, shown};
use crate::kinds::{Availability, Levels, Named, Order, OrderSummary, Orders, Production, Row, VariantName};
use crate::orders::purchase;
use crate::time::Time;

/// Returns an order of any type, whatever its state.
pub(crate) fn order(db: &Connection, id: i64) -> Result<Order, Fault> {
    let mut order = without_rows(db, id)?;
    rows(db, &mut order)?;
    Ok(order)
}

/// Returns an order without its rows, and without what follows from them.
fn without_rows(db: &Connection, id: i64) -> Result<Order, Fault> {
    let mut statement = db.prepare_cached(
        "SELECT o.id, o.type, o.number, o.status, l.id, l.name, t.id, t.name, s.id, s.name, c.id, c.name, o.variant_id,
             o.planned, o.completed, o.sales_line_id, o.additional_cost, o.created_at, o.due_at, o.done_at, o.notes,
             o.deleted_at
         FROM orders o JOIN location l ON l.id = o.location_id LEFT JOIN location t ON t.id = o.target_id
         LEFT JOIN supplier s ON s.id = o.supplier_id LEFT JOIN customer c ON c.id = o.customer_id WHERE o.id = ?1",
    )?;
    Ok(statement.query_row([id], |row| read_order(db, row))?)
}

fn read_order(db: &Connection, row: &SqlRow<'_>) -> rusqlite::Result<Order> {
    let named = |at: usize| -> rusqlite::Result<Option<Named>> {
        let (id, name): (Option<i64>, Option<String>) = (row.get(at)?, row.get(at + 1)?);
        Ok(id.zip(name).map(|(id, name)| Named { id, name }))
    };
    let order_type: OrderType = row.get(1)?;
    let product: Option<i64> = row.get(12)?;
    let (planned, completed): (Amount, Amount) = (row.get(13)?, row.get(14)?);
    let deleted_at: Option<Time> = row.get(21)?;
    let is_made = order_type == OrderType::ManufacturingOrder;
    let status: String = row.get(3)?;
    let open = if status == "DONE" { Amount::ZERO } else { planned - completed };
    Ok(Order {
        id: row.get(0)?,
        order_type,
        number: row.get(2)?,
        status,
        location: Named { id: row.get(4)?, name: row.get(5)? },
        target_location: named(6)?,
        supplier: named(8)?,
        customer: named(10)?,
        product: product.map(|it| variant_name(db, it)).transpose()?,
        planned_quantity: is_made.then_some(planned),
        completed_quantity: is_made.then_some(completed),
        remaining_quantity: is_made.then_some(open),
        ingredient_availability: None,
        sales_order_row_id: row.get(15)?,
        created_at: row.get(17)?,
        due_at: row.get(18)?,
        done_at: row.get(19)?,
        total: None,
        additional_cost: if order_type == OrderType::PurchaseOrder { Some(row.get(16)?) } else { None },
        notes: row.get(20)?,
        is_deleted: deleted_at.is_some(),
        deleted_at,
        rows: Vec::new(),
        productions: Vec::new(),
    })
}

/// Fills in the rows, and what follows from them.
fn rows(db: &Connection, order: &mut Order) -> Result<(), Fault> {
    let all = lines(db, order.id)?;
    let of = order.order_type;
    let is_priced = matches!(of, OrderType::PurchaseOrder | OrderType::SalesOrder);
    let additional = order.additional_cost.filter(|_| !order.is_deleted);
    for line in &all {
        let VariantName { variant_id, sku, name } = variant_name(db, line.variant)?;
        let is_bought = of == OrderType::PurchaseOrder;
        let is_made = of == OrderType::ManufacturingOrder;
        let needs = (of == OrderType::SalesOrder || is_made) && !order.is_deleted;
        let linked = db
            .prepare_cached("SELECT id FROM orders WHERE sales_line_id = ?1 AND deleted_at IS NULL")?
            .query_row([line.id], |row| row.get(0))
            .optional()?;
        let is_open = !(is_made && order.status == "DONE");
        let availability = match needs {
            true if is_open => Some(availability(db, line.variant, order.location.id, line.remaining())?),
            true => Some(Availability::Processed),
            false => None,
        };
        order.rows.push(Row {
            id: line.id,
            variant_id,
            sku,
            name,
            quantity: line.quantity,
            done_quantity: line.done,
            remaining_quantity: if is_open { line.remaining() } else { Amount::ZERO },
            price_per_unit: is_priced.then_some(line.price),
            total_discount: (of == OrderType::SalesOrder).then_some(line.discount),
            total: is_priced.then(|| line.total()),
            purchase_uom: line.uom.clone().filter(|_| is_bought),
            purchase_uom_rate: is_bought.then_some(line.uom_rate),
            landed_cost: additional.map(|cost| purchase::landed_cost(cost, &all, line)),
            planned_quantity_per_unit: is_made.then_some(line.per_unit),
            cost: (of == OrderType::SalesOrder || is_made).then_some(line.cost.money()),
            availability,
            linked_manufacturing_order_id: linked,
        });
    }
    order.total = total(order, &all);
    if of == OrderType::ManufacturingOrder {
        order.ingredient_availability = Some(worst(&order.rows));
        order.productions = productions(db, order.id)?;
    }
    Ok(())
}

/// Returns what an order is worth, if its type has a total.
fn total(order: &Order, lines: &[Line]) -> Option<Amount> {
    let prices = || lines.iter().map(Line::total).sum::<Amount>();
    match order.order_type {
        OrderType::PurchaseOrder => Some(prices() + order.additional_cost.unwrap_or_default()),
        OrderType::SalesOrder => Some(prices()),
        OrderType::ManufacturingOrder => Some(lines.iter().map(|it| it.cost).sum::<Amount>().money()),
        OrderType::StockTransfer | OrderType::StockAdjustment => None,
    }
}

/// Returns the worst availability of the rows of a manufacturing order.
fn worst(rows: &[Row]) -> Availability {
    rows.iter().filter_map(|it| it.availability).max().unwrap_or(Availability::NoRecipe)
}

/// Returns whether what an order needs is there, besides what others need.
fn availability(
    db: &Connection,
    variant: i64,
    location: i64,
    remaining: Amount,
) -> Result<Availability, rusqlite::Error> {
    if !remaining.is_positive() {
        return Ok(Availability::Processed);
    }
    let levels = levels(db, variant, location)?;
    let free = levels.in_stock - (levels.committed - remaining);
    Ok(match () {
        () if free >= remaining => Availability::InStock,
        () if free + levels.expected >= remaining => Availability::Expected,
        () => Availability::NotAvailable,
    })
}

/// Returns the quantities of a variant at a location.
pub(crate) fn levels(db: &Connection, variant: i64, location: i64) -> Result<Levels, rusqlite::Error> {
    let mut statement = db.prepare_cached(
        "SELECT in_stock, committed, expected, average_cost FROM stock WHERE variant_id = ?1 AND location_id = ?2",
    )?;
    let read = |row: &SqlRow<'_>| Ok(Levels::of(row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    Ok(statement.query_row([variant, location], read).optional()?.unwrap_or_default())
}

impl Levels {
    /// Returns the levels that follow from what the file has.
    pub(crate) fn of(in_stock: Amount, committed: Amount, expected: Amount, average: Amount) -> Self {
        Self {
            in_stock,
            committed: committed.told(),
            expected: expected.told(),
            available: (in_stock - committed).told(),
            potential: (in_stock + expected).told(),
            value_in_stock: in_stock.times(average).money(),
        }
    }
}

fn productions(db: &Connection, order: i64) -> Result<Vec<Production>, rusqlite::Error> {
    let mut statement = db.prepare_cached(
        "SELECT at, left, value_per_unit FROM (
             SELECT m.*, m.quantity + coalesce((SELECT sum(r.quantity) FROM movement r WHERE r.reverses = m.id), 0) AS left
             FROM movement m WHERE order_id = ?1 AND line_id IS NULL AND reverses IS NULL
         ) WHERE left <> 0 ORDER BY id",
    )?;
    let read = |row: &SqlRow<'_>| {
        Ok(Production { at: row.get(0)?, quantity: row.get(1)?, cost_per_unit: row.get(2)? })
    };
    statement.query_map([order], read)?.collect()
}

/// The largest number of orders that a search finds by similarity.
const SIMILAR: usize = 50;

/// Which orders are listed.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub ids: Vec<i64>,
    pub status: Option<String>,
    pub location: Option<i64>,
    pub partner: Option<i64>,
    pub variant: Option<i64>,
    pub created_from: Option<Time>,
    pub created_to: Option<Time>,
    pub query: Option<String>,
    pub include_deleted: bool,
    pub limit: i64,
}

/// Returns orders of a type, the newest first; those with `ids` in the order of the call.
pub(crate) fn list(db: &Connection, of: OrderType, filter: &Filter) -> Result<Orders, Fault> {
    if let Some(status) = filter.status.as_deref()
        && !of.states().contains(&status)
    {
        let states = of.states().join(", ");
        return Err(Fault::input(format!(
            "expected `status` to be one of {states}, but found {}",
            shown(status)
        )));
    }
    let mut conditions = vec!["o.type = ?"];
    let mut values: Vec<Box<dyn ToSql>> = vec![Box::new(of)];
    let mut add = |condition, value: Option<Box<dyn ToSql>>| {
        if let Some(value) = value {
            conditions.push(condition);
            values.push(value);
        }
    };
    let boxed = |it: Option<i64>| it.map(|it| Box::new(it) as Box<dyn ToSql>);
    let time = |it: Option<Time>| it.map(|it| Box::new(it) as Box<dyn ToSql>);
    add("o.status = ?", filter.status.clone().map(|it| Box::new(it) as Box<dyn ToSql>));
    add("o.location_id = ?", boxed(filter.location));
    add("coalesce(o.supplier_id, o.customer_id) = ?", boxed(filter.partner));
    add("(o.variant_id = ?)", boxed(filter.variant.filter(|_| of == OrderType::ManufacturingOrder)));
    add(
        "EXISTS (SELECT 1 FROM line WHERE order_id = o.id AND variant_id = ?)",
        boxed(filter.variant.filter(|_| of != OrderType::ManufacturingOrder)),
    );
    add("o.created_at >= ?", time(filter.created_from));
    add("o.created_at <= ?", time(filter.created_to));
    if !filter.include_deleted {
        conditions.push("o.deleted_at IS NULL");
    }
    let mut is_fuzzy = false;
    if let Some(query) = &filter.query {
        let hits = crate::catalog::search::search(db, of.name(), query, SIMILAR, "1")?;
        is_fuzzy = hits.is_fuzzy;
        match crate::catalog::search::quoted(query) {
            Some(words) if !is_fuzzy => {
                conditions.push("o.id IN (SELECT rowid FROM words WHERE words MATCH ?)");
                values.push(Box::new(words));
            }
            _ => {
                conditions.push("o.id IN (SELECT value FROM json_each(?))");
                values.push(Box::new(Value::from(hits.ids).to_string()));
            }
        }
    }
    let mut limit = filter.limit;
    if !filter.ids.is_empty() {
        // Those that a call names are all told.
        limit = filter.ids.len() as i64;
        conditions.push("o.id IN (SELECT value FROM json_each(?))");
        values.push(Box::new(Value::from(filter.ids.clone()).to_string()));
    }
    let condition = conditions.join(" AND ");
    let given = values.iter().map(|it| &**it);
    let total = db
        .prepare_cached(&format!("SELECT count(*) FROM orders o WHERE {condition}"))?
        .query_row(rusqlite::params_from_iter(given.clone()), |row| row.get(0))?;
    let mut statement = db.prepare_cached(&format!(
        "SELECT o.id FROM orders o WHERE {condition} ORDER BY o.created_at DESC, o.id DESC LIMIT {}",
        limit
    ))?;
    let mut ids: Vec<i64> = statement
        .query_map(rusqlite::params_from_iter(given), |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut not_found = Vec::new();
    if !filter.ids.is_empty() {
        not_found = filter.ids.iter().filter(|id| !ids.contains(id)).map(|id| Value::from(*id)).collect();
        ids = filter.ids.iter().copied().filter(|id| ids.contains(id)).collect();
    }
    let orders = ids.into_iter().map(|id| summary(db, id)).collect::<Result<_, Fault>>()?;
    Ok(Orders { total, is_fuzzy, orders, not_found })
}

fn summary(db: &Connection, id: i64) -> Result<OrderSummary, Fault> {
    let order = without_rows(db, id)?;
    let total = total(&order, &lines(db, id)?);
    Ok(OrderSummary {
        id,
        number: order.number,
        status: order.status,
        location_id: order.location.id,
        target_location_id: order.target_location.map(|it| it.id),
        partner: order.supplier.or(order.customer),
        product: order.product,
        planned_quantity: order.planned_quantity,
        completed_quantity: order.completed_quantity,
        total,
        created_at: order.created_at,
        due_at: order.due_at,
        done_at: order.done_at,
        is_deleted: order.is_deleted,
    })
}

/// Returns the id of an order by its number.
pub(crate) fn by_number(db: &Connection, of: OrderType, number: &str) -> Result<i64, Fault> {
    let mut statement = db.prepare_cached("SELECT id FROM orders WHERE number = ?1 AND type = ?2")?;
    let found = statement.query_row(params![number, of], |row| row.get(0)).optional()?;
    found.ok_or_else(|| {
        Fault::missing(format!("expected the number of {}, but found {}", of.with_article(), shown(number)))
    })
}

/// Returns an order of a type that was deleted.
pub(crate) fn deleted(db: &Connection, of: OrderType, id: i64) -> Result<Option<Order>, Fault> {
    let mut statement = db.prepare_cached("SELECT 1 FROM orders WHERE id = ?1 AND type = ?2")?;
    let exists = statement.exists(params![id, of])?;
    exists.then(|| order(db, id)).transpose()
}
