//! Stock now and at other times, and its movements.

use plainwire::prelude::*;

use super::Named;
use crate::amount::Amount;
use crate::time::Time;

/// The stock of variants, in the order of the call.
#[data(kind = "inventoryStock:v1")]
pub struct Stock {
    pub items: Vec<StockItem>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_found: Vec<Value>,
}

/// The stock of a variant at all locations that were asked for.
#[data]
pub struct StockItem {
    pub variant_id: i64,
    pub sku: String,
    pub name: String,
    pub uom: String,
    #[serde(flatten)]
    pub total: Levels,
    pub safety_stock: Amount,
    pub missing_or_excess: Amount,
    pub locations: Vec<StockAt>,
}

/// The stock of a variant at one location.
#[data]
pub struct StockAt {
    pub location_id: i64,
    pub location: String,
    pub average_cost: Amount,
    #[serde(flatten)]
    pub levels: Levels,
}

/// Quantities of a variant, and the value of what is in stock.
#[data]
#[derive(Clone, Copy, Debug, Default)]
pub struct Levels {
    pub in_stock: Amount,
    pub committed: Amount,
    pub expected: Amount,
    /// `in_stock` − `committed`.
    pub available: Amount,
    /// `in_stock` + `expected`.
    pub potential: Amount,
    pub value_in_stock: Amount,
}

/// Variants whose available stock is low, the largest shortage first.
#[data(kind = "inventoryLowStock:v1")]
pub struct LowStock {
    pub threshold: Amount,
    /// The number of variants before `limit`.
    pub total: usize,
    pub items: Vec<LowItem>,
}

/// A variant whose available stock is low.
#[data]
pub struct LowItem {
    pub variant_id: i64,
    pub sku: String,
    pub name: String,
    pub in_stock: Amount,
    pub available: Amount,
    pub expected: Amount,
    pub safety_stock: Amount,
    /// What is missing from the threshold or the safety stock, whichever is larger.
    pub shortage: Amount,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supplier: Option<Named>,
}

/// Changes of the stock of a variant, the newest first.
#[data(kind = "inventoryMovements:v1")]
pub struct Movements {
    pub variant_id: i64,
    pub sku: String,
    pub total: i64,
    pub movements: Vec<Movement>,
}

/// A change of stock.
#[data]
pub struct Movement {
    pub id: i64,
    pub at: Time,
    pub location_id: i64,
    pub location: String,
    pub cause: String,
    pub order_id: i64,
    pub order_number: String,
    pub quantity: Amount,
    pub value_per_unit: Amount,
    pub balance_after: Amount,
    pub average_cost_after: Amount,
    pub value_in_stock_after: Amount,
    /// The movement that this one takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverses: Option<i64>,
}

/// The stock of variants at a time.
#[data(kind = "inventoryAt:v1")]
pub struct StockThen {
    pub as_of: Time,
    pub items: Vec<StockThenItem>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_found: Vec<Value>,
}

/// The stock of a variant at a time.
#[data]
pub struct StockThenItem {
    pub variant_id: i64,
    pub sku: String,
    pub in_stock: Amount,
    pub value_in_stock: Amount,
    pub locations: Vec<StockThenAt>,
}

/// The stock of a variant at a location, at a time.
#[data]
pub struct StockThenAt {
    pub location_id: i64,
    pub location: String,
    pub in_stock: Amount,
    pub average_cost: Amount,
}
