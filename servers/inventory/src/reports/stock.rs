//! Stock now, stock at a time, and the movements between.

use rusqlite::{Connection, Row, params};

use super::named;
use crate::amount::Amount;
use crate::catalog::Reference;
use crate::catalog::reading::{self, Visible};
use crate::fault::Fault;
use crate::kinds::{
    Levels, LowItem, LowStock, Movement, Movements, Named, Stock, StockAt, StockItem, StockThen, StockThenAt,
    StockThenItem,
};
use crate::ledger::Balance;
use crate::time::{Day, Time};

/// Everything that has stock, but not goods on the way: they are expected where they go to.
const PLACES: &str = "stock s JOIN location l ON l.id = s.location_id AND NOT l.is_transit";

/// Returns the stock of variants, in the order of the call.
pub(crate) fn check(db: &Connection, given: &[Reference], location: Option<i64>) -> Result<Stock, Fault> {
    let (ids, not_found) = named(db, given, Visible { archived: true, deleted: false })?;
    let items = ids.into_iter().map(|id| item(db, id, location)).collect::<Result<_, _>>()?;
    Ok(Stock { items, not_found })
}

fn item(db: &Connection, id: i64, location: Option<i64>) -> Result<StockItem, rusqlite::Error> {
    let variant = reading::variant(db, id)?;
    let mut statement = db.prepare_cached(&format!(
        "SELECT s.location_id, l.name, s.in_stock, s.committed, s.expected, s.average_cost FROM {PLACES}
         WHERE s.variant_id = ?1 AND (?2 IS NULL OR s.location_id = ?2) ORDER BY s.location_id"
    ))?;
    let read = |row: &Row<'_>| {
        let average_cost = row.get(5)?;
        let levels = Levels::of(row.get(2)?, row.get(3)?, row.get(4)?, average_cost);
        Ok(StockAt { location_id: row.get(0)?, location: row.get(1)?, average_cost, levels })
    };
    let locations: Vec<StockAt> =
        statement.query_map(params![id, location], read)?.collect::<Result<_, _>>()?;
    let sum = |of: fn(&Levels) -> Amount| locations.iter().map(|it| of(&it.levels)).sum::<Amount>().told();
    let total = Levels {
        in_stock: sum(|it| it.in_stock),
        committed: sum(|it| it.committed),
        expected: sum(|it| it.expected),
        available: sum(|it| it.available),
        potential: sum(|it| it.potential),
        value_in_stock: sum(|it| it.value_in_stock),
    };
    Ok(StockItem {
        variant_id: id,
        sku: variant.sku,
        name: variant.name,
        uom: variant.uom,
        missing_or_excess: (total.potential - total.committed - variant.safety_stock).told(),
        safety_stock: variant.safety_stock,
        total,
        locations,
    })
}

/// Returns the variants in use whose available stock is below a threshold or their safety stock, the largest shortage first.
pub(crate) fn low(
    db: &Connection,
    threshold: Amount,
    limit: usize,
    location: Option<i64>,
) -> Result<LowStock, Fault> {
    let mut statement = db.prepare_cached(&format!(
        "WITH levels AS (
             SELECT s.variant_id, sum(s.in_stock) AS in_stock, sum(s.in_stock - s.committed) AS available,
                 sum(s.expected) AS expected
             FROM {PLACES} WHERE ?2 IS NULL OR s.location_id = ?2 GROUP BY s.variant_id
         )
         SELECT v.id, v.sku, v.name, coalesce(x.in_stock, 0), coalesce(x.available, 0) AS available,
             coalesce(x.expected, 0), v.safety_stock, max(?1, v.safety_stock) - coalesce(x.available, 0) AS shortage,
             p.id, p.name
         FROM variant v JOIN item i ON i.id = v.item_id LEFT JOIN levels x ON x.variant_id = v.id
         LEFT JOIN supplier p ON p.id = i.supplier_id
         WHERE coalesce(v.archived_at, v.deleted_at, i.archived_at, i.deleted_at) IS NULL
             AND coalesce(x.available, 0) < max(?1, v.safety_stock)
         ORDER BY shortage DESC, v.id"
    ))?;
    let read = |row: &Row<'_>| {
        let (supplier, name): (Option<i64>, Option<String>) = (row.get(8)?, row.get(9)?);
        Ok(LowItem {
            variant_id: row.get(0)?,
            sku: row.get(1)?,
            name: row.get(2)?,
            in_stock: row.get::<_, Amount>(3)?.told(),
            available: row.get::<_, Amount>(4)?.told(),
            expected: row.get::<_, Amount>(5)?.told(),
            safety_stock: row.get(6)?,
            shortage: row.get::<_, Amount>(7)?.told(),
            supplier: supplier.zip(name).map(|(id, name)| Named { id, name }),
        })
    };
    let mut items: Vec<LowItem> =
        statement.query_map(params![threshold, location], read)?.collect::<Result<_, _>>()?;
    let total = items.len();
    items.truncate(limit);
    Ok(LowStock { threshold, total, items })
}

/// Which movements are listed.
#[derive(Clone, Debug, Default)]
pub struct MovementFilter {
    pub location: Option<i64>,
    pub cause: Option<String>,
    pub from: Option<Time>,
    pub to: Option<Time>,
    pub limit: i64,
}

/// Returns the movements of a variant, the newest first.
pub(crate) fn movements(db: &Connection, variant: i64, filter: &MovementFilter) -> Result<Movements, Fault> {
    let condition =
        "m.variant_id = ?1 AND (?2 IS NULL OR m.location_id = ?2) AND (?3 IS NULL OR m.cause = ?3)
         AND (?4 IS NULL OR m.at >= ?4) AND (?5 IS NULL OR m.at <= ?5)";
    let total = db
        .prepare_cached(&format!("SELECT count(*) FROM movement m WHERE {condition}"))?
        .query_row(params![variant, filter.location, filter.cause, filter.from, filter.to], |row| {
            row.get(0)
        })?;
    let mut statement = db.prepare_cached(&format!(
        "SELECT m.id, m.at, m.location_id, l.name, m.cause, m.order_id, o.number, m.quantity, m.value_per_unit,
             m.balance_after, m.average_cost_after, m.reverses
         FROM movement m JOIN location l ON l.id = m.location_id JOIN orders o ON o.id = m.order_id
         WHERE {condition} ORDER BY m.id DESC LIMIT ?6"
    ))?;
    let read = |row: &Row<'_>| {
        let (balance_after, average_cost_after): (Amount, Amount) = (row.get(9)?, row.get(10)?);
        Ok(Movement {
            id: row.get(0)?,
            at: row.get(1)?,
            location_id: row.get(2)?,
            location: row.get(3)?,
            cause: row.get(4)?,
            order_id: row.get(5)?,
            order_number: row.get(6)?,
            quantity: row.get(7)?,
            value_per_unit: row.get(8)?,
            value_in_stock_after: balance_after.times(average_cost_after).money(),
            balance_after,
            average_cost_after,
            reverses: row.get(11)?,
        })
    };
    let given = params![variant, filter.location, filter.cause, filter.from, filter.to, filter.limit];
    let movements = statement.query_map(given, read)?.collect::<Result<_, _>>()?;
    Ok(Movements { variant_id: variant, sku: crate::catalog::sku(db, variant)?, total, movements })
}

/// Returns the stock of a variant at the end of each day on which it changed.
pub(crate) fn series(
    db: &Connection,
    variant: i64,
    location: Option<i64>,
    from: Option<Time>,
    to: Option<Time>,
) -> Result<Vec<(Day, Amount)>, rusqlite::Error> {
    let mut statement = db.prepare_cached(
        "SELECT substr(at, 1, 10) AS day, sum(quantity) FROM movement
         WHERE variant_id = ?1 AND (?2 IS NULL OR location_id = ?2) AND (?3 IS NULL OR at <= ?3) GROUP BY day ORDER BY day",
    )?;
    let mut sum = Amount::ZERO;
    let days = statement.query_map(params![variant, location, to], |row| {
        sum += row.get(1)?;
        Ok((row.get(0)?, sum))
    })?;
    let days: Vec<(Day, Amount)> = days.collect::<Result<_, _>>()?;
    let first = from.map(Time::day);
    let before = days.iter().rposition(|it| first.is_some_and(|first| it.0 < first));
    // The window begins with what was there.
    let begin = before.zip(first).map(|(at, first)| (first, days[at].1));
    Ok(begin.into_iter().chain(days.iter().skip(before.map_or(0, |at| at + 1)).copied()).collect())
}

/// Returns the stock of variants at a time: what had moved by then.
pub(crate) fn at(db: &Connection, given: &[Reference], as_of: Time) -> Result<StockThen, Fault> {
    let (ids, not_found) = named(db, given, Visible { archived: true, deleted: false })?;
    let items = ids.into_iter().map(|id| then(db, id, as_of)).collect::<Result<_, _>>()?;
    Ok(StockThen { as_of, items, not_found })
}

/// Returns the stock of a variant at a time: its movements up to then, in the order of their dates.
fn then(db: &Connection, variant: i64, as_of: Time) -> Result<StockThenItem, rusqlite::Error> {
    let mut statement = db.prepare_cached(
        "SELECT m.location_id, l.name, m.quantity, m.value_per_unit, m.reverses FROM movement m
         JOIN location l ON l.id = m.location_id AND NOT l.is_transit
         WHERE m.variant_id = ?1 AND m.at <= ?2 ORDER BY m.location_id, m.at, m.id",
    )?;
    let mut rows = statement.query(params![variant, as_of])?;
    let mut locations: Vec<StockThenAt> = Vec::new();
    while let Some(row) = rows.next()? {
        let location_id: i64 = row.get(0)?;
        if locations.last().is_none_or(|it| it.location_id != location_id) {
            let location = row.get(1)?;
            let (in_stock, average_cost) = (Amount::ZERO, Amount::ZERO);
            locations.push(StockThenAt { location_id, location, in_stock, average_cost });
        }
        let Some(place) = locations.last_mut() else { continue };
        let before = Balance { quantity: place.in_stock, average: place.average_cost };
        let reverses: Option<i64> = row.get(4)?;
        let after = before.after(row.get(2)?, row.get(3)?, reverses.is_some());
        (place.in_stock, place.average_cost) = (after.quantity, after.average);
    }
    Ok(StockThenItem {
        variant_id: variant,
        sku: crate::catalog::sku(db, variant)?,
        in_stock: locations.iter().map(|it| it.in_stock).sum::<Amount>().told(),
        value_in_stock: locations.iter().map(|it| it.in_stock.times(it.average_cost).money()).sum(),
        locations,
    })
}
