//! New items, partners and locations: from sample data, and from files of the user.

use rusqlite::{Connection, params};

use super::new_id;
use crate::amount::Amount;
use crate::kinds::ItemType;
use crate::ledger::projections::index_entity;
use crate::time::Time;

/// An item to add.
#[derive(Clone, Debug)]
pub struct NewItem<'a> {
    pub item_type: ItemType,
    pub name: &'a str,
    pub uom: &'a str,
    pub category: Option<&'a str>,
    pub is_sellable: bool,
    pub supplier: Option<i64>,
    /// The unit in which it is bought, and how many units of stock that is.
    pub purchase_uom: Option<&'a str>,
    pub purchase_uom_rate: Amount,
}

/// A variant to add.
#[derive(Clone, Debug)]
pub struct NewVariant<'a> {
    pub sku: &'a str,
    pub name: &'a str,
    pub sales_price: Amount,
    pub purchase_price: Amount,
    pub barcode: Option<&'a str>,
    pub lead_time_days: Option<i64>,
    pub minimum_order_quantity: Option<Amount>,
    pub safety_stock: Amount,
}

/// A customer to add.
#[derive(Clone, Debug)]
pub struct NewCustomer<'a> {
    pub name: &'a str,
    pub email: Option<&'a str>,
    pub phone: Option<&'a str>,
    pub company: Option<&'a str>,
    pub category: Option<&'a str>,
    pub currency: &'a str,
    pub discount_rate: Amount,
}

/// Adds an item with its variants. Returns the ids of the variants.
///
/// # Errors
/// An error of the file.
pub fn add_item(
    db: &Connection,
    now: Time,
    item: &NewItem<'_>,
    variants: &[NewVariant<'_>],
) -> Result<Vec<i64>, rusqlite::Error> {
    let id = new_id(db, "item")?;
    let is_product = item.item_type == ItemType::Product;
    let type_name = if is_product { "product" } else { "material" };
    db.prepare_cached(
        "INSERT INTO item (id, type, name, uom, category, is_sellable, is_producible, is_purchasable, supplier_id,
             purchase_uom, purchase_uom_rate, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?
    .execute(params![
        id,
        type_name,
        item.name,
        item.uom,
        item.category,
        item.is_sellable,
        is_product,
        !is_product,
        item.supplier,
        item.purchase_uom,
        item.purchase_uom_rate,
        now
    ])?;
    variants.iter().map(|it| add_variant(db, id, it)).collect()
}

/// Adds a variant to an item. Returns its id.
pub(crate) fn add_variant(
    db: &Connection,
    item: i64,
    variant: &NewVariant<'_>,
) -> Result<i64, rusqlite::Error> {
    let id = new_id(db, "variant")?;
    db.prepare_cached(
        "INSERT INTO variant (id, item_id, sku, name, sales_price, purchase_price, barcode, lead_time_days,
             minimum_order_quantity, safety_stock)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute(params![
        id,
        item,
        variant.sku,
        variant.name,
        variant.sales_price,
        variant.purchase_price,
        variant.barcode,
        variant.lead_time_days,
        variant.minimum_order_quantity,
        variant.safety_stock
    ])?;
    index_entity(db, id)?;
    Ok(id)
}

/// Adds a customer. Returns its id.
///
/// # Errors
/// An error of the file.
pub fn add_customer(db: &Connection, now: Time, it: &NewCustomer<'_>) -> Result<i64, rusqlite::Error> {
    let id = new_id(db, "customer")?;
    db.prepare_cached(
        "INSERT INTO customer (id, name, email, phone, company, category, currency, discount_rate, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        id,
        it.name,
        it.email,
        it.phone,
        it.company,
        it.category,
        it.currency,
        it.discount_rate,
        now
    ])?;
    index_entity(db, id)?;
    Ok(id)
}

/// Adds a supplier. Returns its id.
///
/// # Errors
/// An error of the file.
pub fn add_supplier(
    db: &Connection,
    name: &str,
    email: Option<&str>,
    currency: &str,
) -> Result<i64, rusqlite::Error> {
    let id = new_id(db, "supplier")?;
    db.prepare_cached("INSERT INTO supplier (id, name, email, currency) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![id, name, email, currency])?;
    Ok(id)
}

/// Adds a location. Returns its id.
///
/// # Errors
/// A name that is taken; an error of the file.
pub fn add_location(db: &Connection, name: &str) -> Result<i64, rusqlite::Error> {
    let id = new_id(db, "location")?;
    db.prepare_cached("INSERT INTO location (id, name, is_primary, is_transit) VALUES (?1, ?2, 0, 0)")?
        .execute(params![id, name])?;
    Ok(id)
}
