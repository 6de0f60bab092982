//! Rows of orders as callers name them.

use plainwire::prelude::*;

use crate::amount::Amount;
use crate::catalog::{Reference, Text};
use crate::fault::Fault;

/// The largest number of rows of an order.
pub const MAX_ROWS: usize = 500;

/// The largest price of a row: with two decimal places it has 15 digits.
const MAX_TOTAL: i64 = 1_000_000_000_000;

/// A quantity of a row.
#[data]
#[derive(Clone, Debug)]
pub struct RowQuantity {
    /// The id of a row of the order.
    pub row_id: i64,
    /// Above 0; by default all that remains.
    pub quantity: Option<Amount>,
}

/// A row of a purchase order.
#[data]
#[derive(Clone, Debug)]
pub struct AddPurchaseRow {
    /// The SKU or id of the variant.
    pub sku_or_variant_id: Reference,
    /// Above 0, in the unit of purchase.
    pub quantity: Amount,
    /// By default the purchase price of the variant, for a unit of stock, times the rate.
    pub price_per_unit: Option<Amount>,
    /// By default that of the item.
    pub purchase_uom: Option<Text>,
    /// The number of units of stock in one unit of purchase; by default that of the item.
    pub purchase_uom_rate: Option<Amount>,
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    pub landed_cost: DerivedPrice,
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    pub total: DerivedPrice,
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    pub total_in_base_currency: DerivedPrice,
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    pub conversion_rate: DerivedPrice,
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    pub conversion_date: DerivedPrice,
}

/// A change of a row of a purchase order.
#[data]
#[derive(Clone, Debug)]
pub struct UpdatePurchaseRow {
    pub row_id: i64,
    /// Not below what was received.
    pub quantity: Option<Amount>,
    pub price_per_unit: Option<Amount>,
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    pub landed_cost: DerivedPrice,
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    pub total: DerivedPrice,
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    pub total_in_base_currency: DerivedPrice,
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    pub conversion_rate: DerivedPrice,
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    pub conversion_date: DerivedPrice,
}

/// A row of a sales order.
#[data]
#[derive(Clone, Debug)]
pub struct AddSalesRow {
    /// The SKU or id of the variant.
    pub sku_or_variant_id: Reference,
    /// Above 0.
    pub quantity: Amount,
    /// By default the sales price of the variant.
    pub price_per_unit: Option<Amount>,
    /// For the whole row. By default the discount rate of the customer.
    pub total_discount: Option<Amount>,
}

/// A change of a row of a sales order.
#[data]
#[derive(Clone, Debug)]
pub struct UpdateSalesRow {
    pub row_id: i64,
    /// Not below what was delivered.
    pub quantity: Option<Amount>,
    pub price_per_unit: Option<Amount>,
    pub total_discount: Option<Amount>,
}

/// A field that follows from others and can't be set.
#[derive(Clone, Copy, Debug, Default)]
pub struct DerivedPrice;

impl<'de> Deserialize<'de> for DerivedPrice {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom(
            "this field is derived and can't be set: set `price_per_unit`, `quantity`, or `additional_cost` of the order",
        ))
    }
}

/// Refuses amounts that no row may have.
pub(crate) fn check(quantity: Amount, price: Amount, discount: Amount) -> Result<(), Fault> {
    crate::catalog::bom::positive("quantity", quantity)?;
    not_negative("price_per_unit", price)?;
    not_negative("total_discount", discount)?;
    let total = quantity.times(price);
    if total > Amount::from(MAX_TOTAL) {
        return Err(Fault::input(format!(
            "expected a row of at most {MAX_TOTAL} in total, but found {total}"
        )));
    }
    if discount > total.money() {
        return Err(Fault::input(format!(
            "expected `total_discount` of at most {total}, but found {discount}"
        )));
    }
    Ok(())
}

/// Refuses an amount below zero.
pub(crate) fn not_negative(field: &str, amount: Amount) -> Result<(), Fault> {
    match amount.is_negative() {
        true => Err(Fault::input(format!("expected `{field}` of at least 0, but found {amount}"))),
        false => Ok(()),
    }
}

/// Refuses more rows in a call than an order may have.
pub(crate) fn at_most(field: &str, rows: usize) -> Result<(), Fault> {
    match rows > MAX_ROWS {
        true => {
            Err(Fault::input(format!("expected at most {MAX_ROWS} elements of `{field}`, but found {rows}")))
        }
        false => Ok(()),
    }
}

/// Returns the quantity of a row whose done quantity is corrected. An open row keeps what was ordered; one that was done is done
/// with the new quantity, unless nothing is left of it.
pub(crate) fn corrected(quantity: Amount, done: Amount, new: Amount) -> Amount {
    match quantity > done || new.is_zero() {
        true => quantity.max(new),
        false => new,
    }
}

/// Refuses an order without rows, or with too many.
pub(crate) fn count(rows: usize) -> Result<(), Fault> {
    match rows {
        1..=MAX_ROWS => Ok(()),
        _ => Err(Fault::input(format!("expected 1 to {MAX_ROWS} rows, but found {rows}"))),
    }
}
