//! Items, variants, bills of materials, customers, suppliers and locations.
//!
//! In: ids, SKUs and rows. Out: the entities. Ids are unique across all kinds, so an id of another kind is told by its name.

use rusqlite::{Connection, OptionalExtension as _, params};

mod adding;
pub mod bom;
mod given;
pub mod reading;
pub mod search;

pub(crate) use adding::add_variant;
pub use adding::{NewCustomer, NewItem, NewVariant, add_customer, add_item, add_location, add_supplier};
pub use given::{List, Reference, Text};

use crate::fault::{Fault, shown};
use crate::kinds::{Named, VariantName};

/// Returns a new id for an entity of a kind.
pub(crate) fn new_id(db: &Connection, kind: &str) -> Result<i64, rusqlite::Error> {
    db.prepare_cached("INSERT INTO entity (kind) VALUES (?1)")?.execute([kind])?;
    Ok(db.last_insert_rowid())
}

/// Returns the kind of an entity, such as `purchase order`.
pub(crate) fn kind_of(db: &Connection, id: i64) -> Result<Option<String>, rusqlite::Error> {
    let mut statement = db.prepare_cached("SELECT replace(kind, '_', ' ') FROM entity WHERE id = ?1")?;
    statement.query_row([id], |row| row.get(0)).optional()
}

/// Returns the error for an id that is none of `expected`, such as `a customer`.
pub(crate) fn not_a(db: &Connection, id: i64, expected: &str) -> Fault {
    match kind_of(db, id) {
        Err(error) => error.into(),
        Ok(None) => Fault::missing(format!("expected the id of {expected}, but nothing has the id {id}")),
        Ok(Some(kind)) => {
            let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
            Fault::missing(format!("expected the id of {expected}, but {id} is the id of {article} {kind}"))
        }
    }
}

/// Returns the SKU of a variant.
pub(crate) fn sku(db: &Connection, id: i64) -> Result<String, rusqlite::Error> {
    db.prepare_cached("SELECT sku FROM variant WHERE id = ?1")?.query_row([id], |row| row.get(0))
}

/// Returns the name of a location.
pub(crate) fn location_name(db: &Connection, id: i64) -> Result<String, rusqlite::Error> {
    db.prepare_cached("SELECT name FROM location WHERE id = ?1")?.query_row([id], |row| row.get(0))
}

/// Returns a variant by its name.
pub(crate) fn variant_name(db: &Connection, id: i64) -> Result<VariantName, rusqlite::Error> {
    db.prepare_cached("SELECT id, sku, name FROM variant WHERE id = ?1")?.query_row([id], |row| {
        Ok(VariantName { variant_id: row.get(0)?, sku: row.get(1)?, name: row.get(2)? })
    })
}

/// Returns a location that goods may be at; the primary one by default.
pub(crate) fn location(db: &Connection, id: Option<i64>) -> Result<i64, Fault> {
    let Some(id) = id else {
        let primary = "SELECT id FROM location WHERE NOT is_transit ORDER BY is_primary DESC, id LIMIT 1";
        let found = db.prepare_cached(primary)?.query_row([], |row| row.get(0)).optional()?;
        return found.ok_or_else(|| Fault::missing("expected a location, but the inventory has none yet"));
    };
    let mut statement = db.prepare_cached("SELECT id FROM location WHERE id = ?1 AND NOT is_transit")?;
    statement.query_row([id], |row| row.get(0)).optional()?.ok_or_else(|| not_a(db, id, "a location"))
}

/// Returns the location of goods that are on the way.
pub(crate) fn transit(db: &Connection) -> Result<i64, rusqlite::Error> {
    db.prepare_cached("SELECT id FROM location WHERE is_transit")?.query_row([], |row| row.get(0))
}

/// A supplier or a customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Partner {
    Supplier,
    Customer,
}

/// Returns a supplier or a customer that was not deleted.
pub(crate) fn partner(db: &Connection, kind: Partner, id: i64) -> Result<Named, Fault> {
    let (table, expected) = match kind {
        Partner::Supplier => ("supplier", "a supplier"),
        Partner::Customer => ("customer", "a customer"),
    };
    let question = format!("SELECT id, name FROM {table} WHERE id = ?1 AND deleted_at IS NULL");
    let mut statement = db.prepare_cached(&question)?;
    let found = statement.query_row(params![id], |row| Ok(Named { id: row.get(0)?, name: row.get(1)? }));
    found.optional()?.ok_or_else(|| not_a(db, id, expected))
}

/// Returns the variant that a caller means, which was neither archived nor deleted.
pub(crate) fn variant(db: &Connection, given: &Reference) -> Result<i64, Fault> {
    let found = reading::find(db, given, reading::Visible::default())?;
    match found[..] {
        [id] => Ok(id),
        [] => match given {
            Reference::Id(id) => Err(not_a(db, *id, "a variant that is in use")),
            Reference::Sku(sku) => {
                Err(Fault::missing(format!("expected the SKU of a variant, but found {}", shown(sku))))
            }
        },
        _ => {
            let ids: Vec<_> = found.iter().map(i64::to_string).collect();
            let ids = ids.join(", ");
            Err(Fault::conflict(format!(
                "expected one variant, but {given} is the SKU of several: name one of the ids {ids}"
            )))
        }
    }
}
