//! Items, variants, and what they are made of.

use plainwire::prelude::*;

use super::Named;
use crate::amount::Amount;
use crate::time::Time;

/// A variant by its name.
#[data]
#[derive(Clone, Debug)]
pub struct VariantName {
    pub variant_id: i64,
    pub sku: String,
    pub name: String,
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

/// The bill of materials of a product.
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
