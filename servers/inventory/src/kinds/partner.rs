//! Customers, suppliers and locations.

use plainwire::prelude::*;

use crate::amount::Amount;
use crate::time::Time;

/// A location, a supplier or a customer by its name.
#[data]
#[derive(Clone, Debug)]
pub struct Named {
    pub id: i64,
    pub name: String,
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
