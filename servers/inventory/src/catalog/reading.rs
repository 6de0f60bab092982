//! Reads entities: variants, items, customers, suppliers and locations.

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::{Reference, not_a};
use crate::fault::Fault;
use crate::kinds::{Customer, Item, ItemType, Location, Named, Supplier, Variant};

/// Which entities are looked for besides those in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visible {
    pub archived: bool,
    pub deleted: bool,
}

/// The columns of a variant, for [`read_variant`].
const VARIANT: &str =
    "v.id, v.sku, v.name, v.item_id, i.type, i.uom, i.category, v.sales_price, v.purchase_price,
    v.barcode, v.lead_time_days, v.minimum_order_quantity, v.safety_stock,
    coalesce(v.archived_at, i.archived_at), coalesce(v.deleted_at, i.deleted_at)
    FROM variant v JOIN item i ON i.id = v.item_id";

fn read_variant(row: &Row<'_>) -> Result<Variant, rusqlite::Error> {
    let (archived_at, deleted_at) = (row.get(13)?, row.get(14)?);
    Ok(Variant {
        variant_id: row.get(0)?,
        sku: row.get(1)?,
        name: row.get(2)?,
        item_id: row.get(3)?,
        item_type: item_type(row, 4)?,
        uom: row.get(5)?,
        category: row.get(6)?,
        sales_price: row.get(7)?,
        purchase_price: row.get(8)?,
        barcode: row.get(9)?,
        lead_time_days: row.get(10)?,
        minimum_order_quantity: row.get(11)?,
        safety_stock: row.get(12)?,
        is_archived: Option::is_some(&archived_at),
        is_deleted: Option::is_some(&deleted_at),
        archived_at,
        deleted_at,
    })
}

fn item_type(row: &Row<'_>, at: usize) -> Result<ItemType, rusqlite::Error> {
    let name: String = row.get(at)?;
    Ok(if name == "product" { ItemType::Product } else { ItemType::Material })
}

/// Returns a variant, whatever its state.
pub(crate) fn variant(db: &Connection, id: i64) -> Result<Variant, rusqlite::Error> {
    db.prepare_cached(&format!("SELECT {VARIANT} WHERE v.id = ?1"))?.query_row([id], read_variant)
}

/// Returns the ids of the variants that a caller means: those in use with the SKU; else those of `visible`, the live ones first;
/// else the one with the id.
pub(crate) fn find(
    db: &Connection,
    given: &Reference,
    visible: Visible,
) -> Result<Vec<i64>, rusqlite::Error> {
    let by = |condition: &str| {
        format!(
            "SELECT v.id, coalesce(v.archived_at, i.archived_at) IS NOT NULL,
                 coalesce(v.deleted_at, i.deleted_at) IS NOT NULL
             FROM variant v JOIN item i ON i.id = v.item_id WHERE {condition} ORDER BY v.id"
        )
    };
    let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?, row.get::<_, bool>(2)?));
    let mut found: Vec<(i64, bool, bool)> = match given {
        Reference::Id(id) => {
            db.prepare_cached(&by("v.id = ?1"))?.query_map([id], read)?.collect::<Result<_, _>>()?
        }
        Reference::Sku(sku) => {
            db.prepare_cached(&by("v.sku = ?1"))?.query_map([sku], read)?.collect::<Result<_, _>>()?
        }
    };
    if let (true, Reference::Sku(sku)) = (found.is_empty(), given)
        && let Ok(id) = sku.parse::<i64>()
    {
        return find(db, &Reference::Id(id), visible);
    }
    found.retain(|(_, archived, deleted)| (!archived || visible.archived) && (!deleted || visible.deleted));
    // A variant that is in use wins over others with its SKU.
    if found.iter().any(|(_, archived, deleted)| !archived && !deleted) {
        found.retain(|(_, archived, deleted)| !archived && !deleted);
    }
    Ok(found.into_iter().map(|it| it.0).collect())
}

/// Returns the variants in use that have a SKU.
pub(crate) fn with_sku(db: &Connection, sku: &str) -> Result<Vec<i64>, rusqlite::Error> {
    db.prepare_cached(
        "SELECT v.id FROM variant v JOIN item i ON i.id = v.item_id WHERE v.sku = ?1
             AND coalesce(v.archived_at, v.deleted_at, i.archived_at, i.deleted_at) IS NULL ORDER BY v.id",
    )?
    .query_map([sku], |row| row.get(0))?
    .collect()
}

/// Returns an item with its variants.
pub(crate) fn item(db: &Connection, id: i64, visible: Visible) -> Result<Item, Fault> {
    let read = |row: &Row<'_>| {
        let (archived_at, deleted_at) = (row.get(11)?, row.get(12)?);
        let supplier: Option<i64> = row.get(8)?;
        let supplier_name: Option<String> = row.get(13)?;
        Ok(Item {
            id: row.get(0)?,
            name: row.get(1)?,
            item_type: item_type(row, 2)?,
            uom: row.get(3)?,
            category: row.get(4)?,
            is_sellable: row.get(5)?,
            is_producible: row.get(6)?,
            is_purchasable: row.get(7)?,
            default_supplier: supplier.zip(supplier_name).map(|(id, name)| Named { id, name }),
            purchase_uom: row.get(9)?,
            purchase_uom_rate: row.get(10)?,
            is_archived: Option::is_some(&archived_at),
            is_deleted: Option::is_some(&deleted_at),
            archived_at,
            deleted_at,
            variants: Vec::new(),
        })
    };
    let mut statement = db.prepare_cached(
        "SELECT i.id, i.name, i.type, i.uom, i.category, i.is_sellable, i.is_producible, i.is_purchasable,
             i.supplier_id, i.purchase_uom, i.purchase_uom_rate, i.archived_at, i.deleted_at, s.name
         FROM item i LEFT JOIN supplier s ON s.id = i.supplier_id WHERE i.id = ?1",
    )?;
    let mut item = statement.query_row([id], read).optional()?.ok_or_else(|| not_a(db, id, "an item"))?;
    if (item.is_archived && !visible.archived) || (item.is_deleted && !visible.deleted) {
        let (state, argument) =
            if item.is_deleted { ("deleted", "include_deleted") } else { ("archived", "include_archived") };
        return Err(Fault::missing(format!(
            "expected an item in use, but item {id} is {state}: set {argument}"
        )));
    }
    let mut statement = db.prepare_cached(&format!("SELECT {VARIANT} WHERE v.item_id = ?1 ORDER BY v.id"))?;
    item.variants = statement.query_map([id], read_variant)?.collect::<Result<_, _>>()?;
    item.variants.retain(|it| {
        (!it.is_archived || visible.archived || item.is_archived)
            && (!it.is_deleted || visible.deleted || item.is_deleted)
    });
    Ok(item)
}

/// Returns all variants in use, ordered by SKU.
pub(crate) fn all_variants(db: &Connection) -> Result<Vec<Variant>, rusqlite::Error> {
    let question = format!(
        "SELECT {VARIANT} WHERE coalesce(v.archived_at, i.archived_at, v.deleted_at, i.deleted_at) IS NULL
         ORDER BY v.sku, v.id LIMIT 1000"
    );
    db.prepare_cached(&question)?.query_map([], read_variant)?.collect()
}

/// Returns a customer.
pub(crate) fn customer(db: &Connection, id: i64) -> Result<Option<Customer>, rusqlite::Error> {
    let mut statement = db.prepare_cached(
        "SELECT id, name, email, phone, company, category, currency, discount_rate, created_at, archived_at, deleted_at,
             (SELECT count(*) FROM orders o WHERE o.customer_id = c.id AND o.type = 'sales_order'
                 AND o.status <> 'DELIVERED' AND o.deleted_at IS NULL)
         FROM customer c WHERE id = ?1",
    )?;
    let read = |row: &Row<'_>| {
        let (archived_at, deleted_at) = (row.get(9)?, row.get(10)?);
        Ok(Customer {
            id: row.get(0)?,
            name: row.get(1)?,
            email: row.get(2)?,
            phone: row.get(3)?,
            company: row.get(4)?,
            category: row.get(5)?,
            currency: row.get(6)?,
            discount_rate: row.get(7)?,
            created_at: row.get(8)?,
            is_archived: Option::is_some(&archived_at),
            is_deleted: Option::is_some(&deleted_at),
            archived_at,
            deleted_at,
            open_orders: row.get(11)?,
        })
    };
    statement.query_row([id], read).optional()
}

/// Returns all locations; not that of goods on the way.
pub(crate) fn locations(db: &Connection) -> Result<Vec<Location>, rusqlite::Error> {
    let read = |row: &Row<'_>| Ok(Location { id: row.get(0)?, name: row.get(1)?, is_primary: row.get(2)? });
    db.prepare_cached("SELECT id, name, is_primary FROM location WHERE NOT is_transit ORDER BY id")?
        .query_map([], read)?
        .collect()
}

/// Returns all suppliers.
pub(crate) fn suppliers(db: &Connection, include_deleted: bool) -> Result<Vec<Supplier>, rusqlite::Error> {
    let read = |row: &Row<'_>| {
        Ok(Supplier {
            id: row.get(0)?,
            name: row.get(1)?,
            email: row.get(2)?,
            currency: row.get(3)?,
            is_deleted: row.get(4)?,
        })
    };
    db.prepare_cached(
        "SELECT id, name, email, currency, deleted_at IS NOT NULL FROM supplier
         WHERE ?1 OR deleted_at IS NULL ORDER BY name, id LIMIT 1000",
    )?
    .query_map([include_deleted], read)?
    .collect()
}
