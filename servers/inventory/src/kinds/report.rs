//! What sells, and what is used up.

use plainwire::prelude::*;

use crate::amount::Amount;
use crate::time::Day;

/// The variants that sold best.
#[data(kind = "inventoryTopSelling:v1")]
pub struct TopSelling {
    pub rows: Vec<TopRow>,
    /// The number of variants before `limit`.
    pub total_variants: i64,
    pub window_start: Day,
    pub window_end: Day,
}

/// The sales of a variant.
#[data]
pub struct TopRow {
    pub sku: String,
    pub variant_id: i64,
    pub name: String,
    pub units: Amount,
    pub revenue: Amount,
    pub order_count: i64,
}

/// Sales by a group.
#[data(kind = "inventorySales:v1")]
pub struct SalesSummary {
    pub group_by: String,
    pub rows: Vec<SalesRow>,
    pub window_start: Day,
    pub window_end: Day,
}

/// The sales of one group.
#[data]
pub struct SalesRow {
    pub group: String,
    pub units: Amount,
    pub revenue: Amount,
    pub order_count: i64,
}

/// How fast variants are used up.
#[data(kind = "inventoryVelocity:v1")]
pub struct Velocities {
    pub items: Vec<Velocity>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_found: Vec<Value>,
}

/// How fast a variant is used up.
#[data]
pub struct Velocity {
    pub sku: String,
    pub variant_id: i64,
    pub units_sold: Amount,
    pub units_consumed_by_mos: Amount,
    pub units_total: Amount,
    pub avg_daily: Amount,
    pub stock_on_hand: Amount,
    /// Null if nothing was used.
    pub days_of_cover: Option<Amount>,
    pub period_days: i64,
    pub window_start: Day,
    pub window_end: Day,
}
