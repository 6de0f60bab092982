//! Orders of all types, and what is compared with them.

use plainwire::prelude::*;

use super::is_false;
use super::{Named, VariantName};
use crate::amount::Amount;
use crate::orders::OrderType;
use crate::time::Time;

/// An order of any type, with its rows.
#[data(kind = "inventoryOrder:v1")]
#[derive(Clone, Debug)]
pub struct Order {
    pub id: i64,
    #[serde(rename = "type")]
    pub order_type: OrderType,
    pub number: String,
    pub status: String,
    /// The source of a transfer.
    pub location: Named,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_location: Option<Named>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supplier: Option<Named>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<Named>,
    /// The product of a manufacturing order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<VariantName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned_quantity: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_quantity: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remaining_quantity: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingredient_availability: Option<Availability>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sales_order_row_id: Option<i64>,
    pub created_at: Time,
    /// The expected arrival, the delivery date or the deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Time>,
    /// When it was received, picked or done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done_at: Option<Time>,
    /// The prices of all rows less discounts; for a manufacturing order, the cost of what was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub additional_cost: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Time>,
    pub is_deleted: bool,
    pub rows: Vec<Row>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub productions: Vec<Production>,
}

/// A row of an order.
#[data]
#[derive(Clone, Debug)]
pub struct Row {
    pub id: i64,
    pub variant_id: i64,
    pub sku: String,
    pub name: String,
    pub quantity: Amount,
    /// The quantity that was received, delivered, consumed or moved.
    pub done_quantity: Amount,
    pub remaining_quantity: Amount,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_per_unit: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_discount: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purchase_uom: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purchase_uom_rate: Option<Amount>,
    /// The cost of a unit in stock, with its share of additional costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landed_cost: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned_quantity_per_unit: Option<Amount>,
    /// The cost of what left the stock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub availability: Option<Availability>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linked_manufacturing_order_id: Option<i64>,
}

/// The availability of what a row needs, from the best to the worst.
#[data]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Availability {
    Processed,
    NoRecipe,
    InStock,
    Expected,
    NotAvailable,
}

/// A quantity that a manufacturing order has produced.
#[data]
#[derive(Clone, Debug)]
pub struct Production {
    pub at: Time,
    pub quantity: Amount,
    pub cost_per_unit: Amount,
}

/// Orders of one type, without their rows.
#[data(kind = "inventoryOrders:v1")]
pub struct Orders {
    /// The number of orders before `limit`.
    pub total: i64,
    /// Whether nothing has the words of the query, and these are similar.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_fuzzy: bool,
    pub orders: Vec<OrderSummary>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_found: Vec<Value>,
}

/// An order in a list.
#[data]
pub struct OrderSummary {
    pub id: i64,
    pub number: String,
    pub status: String,
    pub location_id: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_location_id: Option<i64>,
    /// The supplier or the customer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partner: Option<Named>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<VariantName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned_quantity: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_quantity: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Amount>,
    pub created_at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done_at: Option<Time>,
    pub is_deleted: bool,
}

/// The rows of a manufacturing order.
#[data(kind = "inventoryRecipe:v1")]
pub struct Recipe {
    pub manufacturing_order_id: i64,
    pub number: String,
    pub status: String,
    pub product: VariantName,
    pub ingredient_availability: Availability,
    pub rows: Vec<Row>,
}

/// A document of a supplier, compared with a purchase order.
#[data(kind = "inventoryVerification:v1")]
pub struct Verification {
    pub order_id: i64,
    pub number: String,
    #[serde(rename = "match")]
    pub overall: Match,
    pub matches: Vec<String>,
    pub discrepancies: Vec<Discrepancy>,
    /// SKUs of the order that the document lacks.
    pub not_in_document: Vec<String>,
}

/// How far a document agrees with an order.
#[data]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    Match,
    PartialMatch,
    NoMatch,
}

/// A difference between a document and an order.
#[data]
pub struct Discrepancy {
    #[serde(rename = "type")]
    pub of: DiscrepancyType,
    pub sku: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Amount>,
    pub found: Amount,
}

/// The kind of a difference.
#[data]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum DiscrepancyType {
    QuantityMismatch,
    PriceMismatch,
    MissingInPo,
}
