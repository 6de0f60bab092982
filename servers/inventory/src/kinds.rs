//! The values that tools return. Each has a member `kind`; its schema is published by `plainwire schemas`.
//!
//! In: rows of the file. Out: the values. What is absent has no member; docs/inventory.md describes the fields.

use std::collections::BTreeMap;

use plainwire::prelude::*;

use crate::amount::Amount;
use crate::orders::OrderType;
use crate::time::{Day, Time};

/// A change that was made, or the preview of one.
#[data(kind = "inventoryChange:v1")]
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub entity_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity_id: Option<i64>,
    /// Whether nothing was written.
    pub is_preview: bool,
    pub operation: String,
    pub message: String,
    pub changes: Vec<FieldChange>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<Action>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior_state: Option<State>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// Those that begin with `BLOCK:` forbid the change.
    pub warnings: Vec<String>,
    pub next_actions: Vec<String>,
    /// For `preview_token` of the apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview_token: Option<String>,
}

/// The state of what is changed.
#[data]
#[derive(Clone, Debug)]
#[serde(untagged)]
pub enum State {
    Order(Box<Order>),
    Bom(Box<Bom>),
}

impl From<Order> for State {
    fn from(order: Order) -> Self {
        Self::Order(Box::new(order))
    }
}

impl From<Bom> for State {
    fn from(bom: Bom) -> Self {
        Self::Bom(Box::new(bom))
    }
}

/// The change of one field.
#[data]
#[derive(Clone, Debug)]
pub struct FieldChange {
    pub field: String,
    pub old: Value,
    pub new: Value,
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_added: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_unchanged: bool,
}

/// One step of a change.
#[data]
#[derive(Clone, Debug, Default)]
pub struct Action {
    pub operation: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_id: Option<i64>,
    pub succeeded: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub changes: Vec<FieldChange>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_false(it: &bool) -> bool {
    !it
}

/// A location, a supplier or a customer by its name.
#[data]
#[derive(Clone, Debug)]
pub struct Named {
    pub id: i64,
    pub name: String,
}

/// A variant by its name.
#[data]
#[derive(Clone, Debug)]
pub struct VariantName {
    pub variant_id: i64,
    pub sku: String,
    pub name: String,
}

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
    /// What a manufacturing order makes.
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
    /// What was received, delivered, consumed or moved.
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

/// Whether what a row needs is there, from the best to the worst.
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

/// Items and variants that a search finds.
#[data(kind = "inventoryItems:v1")]
pub struct Items {
    pub query: String,
    /// Whether nothing has the words of the query, and these are similar.
    pub is_fuzzy: bool,
    pub variants: Vec<Variant>,
}

/// A variant of an item.
#[data]
#[derive(Clone, Debug)]
pub struct Variant {
    pub variant_id: i64,
    pub sku: String,
    pub name: String,
    pub item_id: i64,
    #[serde(rename = "type")]
    pub item_type: ItemType,
    pub uom: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    pub sales_price: Amount,
    pub purchase_price: Amount,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barcode: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead_time_days: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum_order_quantity: Option<Amount>,
    pub safety_stock: Amount,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Time>,
    pub is_archived: bool,
    pub is_deleted: bool,
}

/// The type of an item.
#[data]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum ItemType {
    Product,
    Material,
}

/// An item with its variants.
#[data(kind = "inventoryItem:v1")]
#[derive(Clone, Debug)]
pub struct Item {
    pub id: i64,
    pub name: String,
    #[serde(rename = "type")]
    pub item_type: ItemType,
    pub uom: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    pub is_sellable: bool,
    pub is_producible: bool,
    pub is_purchasable: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_supplier: Option<Named>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purchase_uom: Option<String>,
    pub purchase_uom_rate: Amount,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Time>,
    pub is_archived: bool,
    pub is_deleted: bool,
    pub variants: Vec<Variant>,
}

/// Variants in the order of the call.
#[data(kind = "inventoryVariants:v1")]
pub struct Variants {
    pub variants: Vec<Variant>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_found: Vec<Value>,
}

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

/// Customers that a search finds.
#[data(kind = "inventoryCustomers:v1")]
pub struct Customers {
    pub query: String,
    /// Whether nothing has the words of the query, and these are similar.
    pub is_fuzzy: bool,
    pub customers: Vec<Customer>,
}

/// A customer.
#[data(kind = "inventoryCustomer:v1")]
#[derive(Clone, Debug)]
pub struct Customer {
    pub id: i64,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    pub currency: String,
    pub discount_rate: Amount,
    pub created_at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Time>,
    pub is_archived: bool,
    pub is_deleted: bool,
    pub open_orders: i64,
}

/// All locations.
#[data(kind = "inventoryLocations:v1")]
pub struct Locations {
    pub locations: Vec<Location>,
}

/// A location.
#[data]
pub struct Location {
    pub id: i64,
    pub name: String,
    pub is_primary: bool,
}

/// All suppliers.
#[data(kind = "inventorySuppliers:v1")]
pub struct Suppliers {
    pub suppliers: Vec<Supplier>,
}

/// A supplier.
#[data]
pub struct Supplier {
    pub id: i64,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    pub currency: String,
    pub is_deleted: bool,
}

/// What a product is made of.
#[data(kind = "inventoryBom:v1")]
#[derive(Clone, Debug)]
pub struct Bom {
    pub product: VariantName,
    pub quantity: Amount,
    pub rows: Vec<BomRow>,
    /// All materials that are bought, through all levels.
    pub materials: Vec<Need>,
    /// At the average costs, or else the purchase prices.
    pub material_cost: Amount,
}

/// An ingredient of a product.
#[data]
#[derive(Clone, Debug)]
pub struct BomRow {
    pub id: i64,
    /// 1 for those of the product, 2 for those of its parts.
    pub level: u32,
    pub of_variant_id: i64,
    pub variant_id: i64,
    pub sku: String,
    pub name: String,
    pub quantity_per_unit: Amount,
    pub total_quantity: Amount,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// A material that is needed.
#[data]
#[derive(Clone, Debug)]
pub struct Need {
    pub variant_id: i64,
    pub sku: String,
    pub quantity: Amount,
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

/// The state of the file, compared with its ledger.
#[data(kind = "inventoryRebuild:v1")]
pub struct Rebuild {
    pub is_preview: bool,
    /// The number of rows that were made anew, by table.
    pub rebuilt: BTreeMap<String, i64>,
    /// What was not as the ledger and the orders say. Empty in a sound file.
    pub drift: Vec<String>,
    pub message: String,
}
