//! Stock adjustments: what was counted, found or spoiled. Applied when they are made.

use plainwire::prelude::*;

use super::rows::{count, not_negative};
use super::{NewLine, NewOrder, OrderType, finish, insert, insert_line};
use crate::amount::Amount;
use crate::catalog::{Reference, location, location_name, sku, variant};
use crate::fault::Fault;
use crate::ledger::{self, Posting};
use crate::states::Adjustment;
use crate::time::Time;
use crate::work::Work;

/// A row of a stock adjustment.
#[data]
#[derive(Clone, Debug)]
pub struct AdjustmentRow {
    /// The SKU or id of the variant.
    pub sku_or_variant_id: Reference,
    /// What is added to the stock; below 0 what is taken away.
    pub quantity: Amount,
    /// The cost of a unit that is added; by default the average.
    pub cost_per_unit: Option<Amount>,
}

/// A stock adjustment to make.
#[derive(Clone, Debug)]
pub struct Create {
    pub order_no: Option<String>,
    pub location_id: Option<i64>,
    pub reason: String,
    pub rows: Vec<AdjustmentRow>,
    pub adjusted_at: Option<Time>,
}

/// Makes a stock adjustment. Returns its id.
///
/// # Errors
/// A location or a variant that does not exist; a date in the future.
pub fn create(work: &mut Work<'_>, it: &Create) -> Result<i64, Fault> {
    work.begin(OrderType::StockAdjustment.name(), None, "create");
    count(it.rows.len())?;
    let at = super::not_later(work, "adjusted_at", it.adjusted_at)?;
    let location = location(work.db, it.location_id)?;
    work.changed("location", (), location_name(work.db, location)?);
    work.changed("reason", (), &it.reason);
    let order = NewOrder {
        number: it.order_no.as_deref(),
        location,
        created_at: Some(at),
        notes: Some(&it.reason),
        ..NewOrder::default()
    };
    let id = insert(work, OrderType::StockAdjustment, Adjustment::Applied, &order)?;
    for row in &it.rows {
        if row.quantity.is_zero() {
            return Err(Fault::input("expected `quantity` above or below 0, but found 0"));
        }
        let variant = variant(work.db, &row.sku_or_variant_id)?;
        let cost = row.cost_per_unit.filter(|_| row.quantity.is_positive());
        if let Some(cost) = row.cost_per_unit {
            not_negative("cost_per_unit", cost)?;
            if row.quantity.is_negative() {
                work.warn("`cost_per_unit` is ignored for what is taken away: it leaves at the average cost");
            }
        }
        let before = ledger::balance(work.db, variant, location)?;
        let new = NewLine { done: row.quantity, ..NewLine::of(variant, row.quantity) };
        let line = insert_line(work, id, &new)?;
        let posting = Posting {
            variant,
            location,
            quantity: row.quantity,
            cost,
            at,
            cause: "adjustment",
            order: id,
            line: Some(line),
            reverses: None,
        };
        let posted = ledger::post(work, &posting)?;
        work.changed(format!("stock[{}].cost_per_unit", sku(work.db, variant)?), (), posted.cost);
        let after = ledger::balance(work.db, variant, location)?;
        work.changed(format!("stock[{}]", sku(work.db, variant)?), before.quantity, after.quantity);
    }
    work.created(id);
    finish(work, id)?;
    Ok(id)
}
