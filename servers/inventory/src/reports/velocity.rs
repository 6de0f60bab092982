//! How fast variants are used up: by sales, and as ingredients.

use rusqlite::{Connection, params};
use rust_decimal::Decimal;

use super::named;
use super::sales::four_places;
use crate::amount::Amount;
use crate::catalog::Reference;
use crate::catalog::reading::Visible;
use crate::fault::Fault;
use crate::kinds::{Velocities, Velocity};
use crate::time::Day;

/// Returns how fast variants were used up in the days that end today.
pub(crate) fn velocity(
    db: &Connection,
    given: &[Reference],
    period_days: i64,
    include_mo_consumption: bool,
    today: Day,
) -> Result<Velocities, Fault> {
    let (ids, not_found) = named(db, given, Visible { archived: true, deleted: false })?;
    let start = today.plus(1 - period_days);
    let mut sold = db.prepare_cached(
        "SELECT coalesce(sum(l.quantity), 0) FROM line l JOIN orders o ON o.id = l.order_id
         WHERE l.variant_id = ?1 AND o.type = 'sales_order' AND o.status = 'DELIVERED' AND o.deleted_at IS NULL
             AND o.created_at >= ?2 AND o.created_at <= ?3",
    )?;
    let mut used = db.prepare_cached(
        "SELECT coalesce(sum(l.done), 0) FROM line l JOIN orders o ON o.id = l.order_id
         WHERE l.variant_id = ?1 AND o.type = 'manufacturing_order' AND o.status = 'DONE' AND o.deleted_at IS NULL
             AND o.done_at >= ?2 AND o.done_at <= ?3",
    )?;
    let mut stock = db.prepare_cached(
        "SELECT coalesce(sum(s.in_stock), 0) FROM stock s JOIN location l ON l.id = s.location_id AND NOT l.is_transit
         WHERE s.variant_id = ?1",
    )?;
    let items = ids
        .into_iter()
        .map(|id| {
            let window = params![id, start.start(), today.end()];
            let units_sold: Amount = sold.query_row(window, |row| row.get(0))?;
            let units_consumed_by_mos = match include_mo_consumption {
                true => used.query_row(window, |row| row.get(0))?,
                false => Amount::ZERO,
            };
            let stock_on_hand: Amount = stock.query_row([id], |row| row.get(0))?;
            let units_total = units_sold + units_consumed_by_mos;
            let daily = units_total.decimal() / Decimal::from(period_days);
            let days_of_cover = stock_on_hand.decimal().checked_div(daily).map(four_places);
            Ok(Velocity {
                sku: crate::catalog::sku(db, id)?,
                variant_id: id,
                units_sold,
                units_consumed_by_mos,
                units_total,
                avg_daily: four_places(daily),
                stock_on_hand,
                days_of_cover,
                period_days,
                window_start: start,
                window_end: today,
            })
        })
        .collect::<Result<_, Fault>>()?;
    Ok(Velocities { items, not_found })
}
