//! Stock: what is there at the beginning, or was counted. Each location becomes a stock adjustment.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension as _};

use super::table::Table;
use crate::amount::Amount;
use crate::catalog::{Reference, add_location, location, reading};
use crate::fault::{Fault, shown};
use crate::orders::adjustment::{self, AdjustmentRow};
use crate::orders::rows::MAX_ROWS;
use crate::work::Work;

pub(super) const COLUMNS: &[(&str, bool)] =
    &[("sku", true), ("quantity", true), ("location", false), ("cost_per_unit", false)];

pub(super) fn add(work: &mut Work<'_>, table: &mut Table) -> Result<Vec<String>, Fault> {
    let mut made = Vec::new();
    let mut places: BTreeMap<i64, Vec<AdjustmentRow>> = BTreeMap::new();
    for at in 0..table.rows.len() {
        let line = table.rows[at].0;
        let sku = table.text(at, "sku").unwrap_or_default().to_owned();
        let found = reading::with_sku(work.db, &sku)?;
        let variant = match found[..] {
            [id] => Some(id),
            [] => {
                let why = format!("expected the SKU of a variant, but found {}", shown(&sku));
                table.mistake(line, Some("sku"), why);
                None
            }
            _ => {
                table.mistake(
                    line,
                    Some("sku"),
                    format!(
                        "{} is the SKU of several variants: use create_stock_adjustment with an id",
                        shown(&sku)
                    ),
                );
                None
            }
        };
        let quantity = table.value::<Amount>(at, "quantity");
        if quantity.is_some_and(|it| !it.is_positive()) {
            table.mistake(line, Some("quantity"), "expected a quantity above 0");
        }
        let cost_per_unit = match table.amount(at, "cost_per_unit") {
            Some(cost) => Some(cost),
            None => variant.map(|id| reading::variant(work.db, id)).transpose()?.map(|it| it.purchase_price),
        };
        let is_transit = "SELECT 1 FROM location WHERE name = ?1 AND is_transit";
        let name = table.text(at, "location").unwrap_or_default().to_owned();
        if work.db.prepare_cached(is_transit)?.exists([&name])? {
            table.mistake(
                line,
                Some("location"),
                "this is the place of goods on the way: expected another location",
            );
            continue;
        }
        let place = place(work, table.text(at, "location"), &mut made)?;
        if let (Some(variant), Some(quantity)) = (variant, quantity) {
            let sku_or_variant_id = Reference::Id(variant);
            places.entry(place).or_default().push(AdjustmentRow {
                sku_or_variant_id,
                quantity,
                cost_per_unit,
            });
        }
    }
    if !table.mistakes.is_empty() {
        return Ok(Vec::new());
    }
    work.is_silent = true;
    for (place, rows) in places {
        for rows in rows.chunks(MAX_ROWS) {
            let new = adjustment::Create {
                order_no: None,
                location_id: Some(place),
                reason: "Imported stock".to_owned(),
                rows: rows.to_vec(),
                adjusted_at: None,
            };
            adjustment::create(work, &new)?;
        }
    }
    Ok(made)
}

/// Returns the location of a name, which is made if there is none.
fn place(work: &Work<'_>, name: Option<&str>, made: &mut Vec<String>) -> Result<i64, Fault> {
    let Some(name) = name else { return location(work.db, None) };
    let mut statement =
        work.db.prepare_cached("SELECT id FROM location WHERE name = ?1 AND NOT is_transit")?;
    if let Some(id) = statement.query_row([name], |row| row.get(0)).optional()? {
        return Ok(id);
    }
    made.push(format!("location {name:?}"));
    Ok(add_location(work.db, name)?)
}

pub(super) fn all(db: &Connection) -> Result<Vec<Vec<String>>, Fault> {
    let mut statement = db.prepare(
        "SELECT v.sku, s.in_stock, l.name, s.average_cost FROM stock s JOIN variant v ON v.id = s.variant_id
         JOIN location l ON l.id = s.location_id WHERE s.in_stock > 0 AND NOT l.is_transit ORDER BY l.id, v.id",
    )?;
    let rows = statement.query_map([], |row| {
        let (quantity, cost): (Amount, Amount) = (row.get(1)?, row.get(3)?);
        Ok(vec![row.get(0)?, quantity.to_string(), row.get(2)?, cost.to_string()])
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
