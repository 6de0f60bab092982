//! Items: one row for each variant. Rows with the same `item` are variants of one item.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension as _};

use super::table::Table;
use crate::amount::Amount;
use crate::catalog::{NewItem, NewVariant, add_item, add_supplier, add_variant, reading};
use crate::fault::{Fault, shown};
use crate::kinds::ItemType;
use crate::work::Work;

pub(super) const COLUMNS: &[(&str, bool)] = &[
    ("sku", true),
    ("name", true),
    ("item", false),
    ("type", false),
    ("uom", false),
    ("category", false),
    ("sales_price", false),
    ("purchase_price", false),
    ("supplier", false),
    ("purchase_uom", false),
    ("purchase_uom_rate", false),
    ("barcode", false),
    ("lead_time_days", false),
    ("minimum_order_quantity", false),
    ("safety_stock", false),
];

/// A variant of the file.
struct Row {
    at: usize,
    sku: String,
    name: String,
    sales_price: Amount,
    purchase_price: Amount,
    lead_time_days: Option<i64>,
    minimum_order_quantity: Option<Amount>,
    safety_stock: Amount,
    rate: Amount,
    item_type: ItemType,
}

pub(super) fn add(work: &mut Work<'_>, table: &mut Table) -> Result<Vec<String>, Fault> {
    let mut items: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    let mut order = Vec::new();
    let mut skus = BTreeSet::new();
    for at in 0..table.rows.len() {
        let line = table.rows[at].0;
        let sku = table.text(at, "sku").unwrap_or_default().to_owned();
        let is_taken = !reading::with_sku(work.db, &sku)?.is_empty();
        if !skus.insert(sku.clone()) {
            table.mistake(
                line,
                Some("sku"),
                format!("expected each SKU once, but found {} again", shown(&sku)),
            );
        } else if is_taken {
            table.mistake(
                line,
                Some("sku"),
                format!("expected a new SKU, but the inventory has {}", shown(&sku)),
            );
        }
        let row = row(table, at, sku);
        let item = table.text(at, "item").unwrap_or(&row.name).to_owned();
        if !items.contains_key(&item) {
            order.push(item.clone());
        }
        items.entry(item).or_default().push(row);
    }
    if !table.mistakes.is_empty() {
        return Ok(Vec::new());
    }
    let mut made = Vec::new();
    for name in order {
        if let [first, others @ ..] = &items[&name][..] {
            same_item(table, first, others);
        }
        if !table.mistakes.is_empty() {
            continue;
        }
        insert(work, table, &name, &items[&name], &mut made)?;
    }
    Ok(made)
}

/// Returns whether two cells say the same: as texts in any case, or as numbers.
fn is_same(a: &str, b: &str) -> bool {
    let number = |text: &str| text.parse::<Amount>().ok();
    let is_default = |text: &str, other: &str| {
        text.is_empty() && matches!(other.to_lowercase().as_str(), "product" | "pcs" | "1")
    };
    a.to_lowercase() == b.to_lowercase()
        || (number(a).is_some() && number(a) == number(b))
        || is_default(a, b)
}

/// Finds rows of one item that say different things of it.
fn same_item(table: &mut Table, first: &Row, others: &[Row]) {
    for other in others {
        for column in ["type", "uom", "category", "supplier", "purchase_uom", "purchase_uom_rate"] {
            let (expected, found) = (table.text(first.at, column), table.text(other.at, column));
            if let Some(found) = found.filter(|found| !is_same(expected.unwrap_or_default(), found)) {
                let line = table.rows[first.at].0;
                let expected = expected.map_or("nothing".to_owned(), shown);
                let why = format!(
                    "expected {expected} as for the same item in line {line}, but found {}",
                    shown(found)
                );
                table.mistake(table.rows[other.at].0, Some(column), why);
            }
        }
    }
}

fn row(table: &mut Table, at: usize, sku: String) -> Row {
    let rate = table.amount(at, "purchase_uom_rate").unwrap_or(Amount::ONE);
    if !rate.is_positive() {
        let line = table.rows[at].0;
        table.mistake(line, Some("purchase_uom_rate"), "expected a rate above 0, but found 0");
    }
    let item_type = match table.text(at, "type").map(str::to_lowercase).as_deref() {
        None | Some("product") => ItemType::Product,
        Some("material") => ItemType::Material,
        Some(other) => {
            let (line, why) =
                (table.rows[at].0, format!("expected product or material, but found {other:?}"));
            table.mistake(line, Some("type"), why);
            ItemType::Product
        }
    };
    let lead_time_days: Option<u16> = table.value(at, "lead_time_days");
    Row {
        at,
        name: table.text(at, "name").unwrap_or(&sku).to_owned(),
        sku,
        sales_price: table.amount(at, "sales_price").unwrap_or_default(),
        purchase_price: table.amount(at, "purchase_price").unwrap_or_default(),
        lead_time_days: lead_time_days.map(i64::from),
        minimum_order_quantity: table.amount(at, "minimum_order_quantity"),
        safety_stock: table.amount(at, "safety_stock").unwrap_or_default(),
        rate,
        item_type,
    }
}

fn insert(
    work: &Work<'_>,
    table: &Table,
    name: &str,
    rows: &[Row],
    made: &mut Vec<String>,
) -> Result<(), Fault> {
    let Some(first) = rows.first() else { return Ok(()) };
    let text = |column| table.text(first.at, column);
    let supplier = match text("supplier") {
        None => None,
        Some(name) => {
            let mut statement = work.db.prepare_cached(
                "SELECT id FROM supplier WHERE name = ?1 AND deleted_at IS NULL ORDER BY id",
            )?;
            let found: Option<i64> = statement.query_row([name], |row| row.get(0)).optional()?;
            Some(match found {
                Some(id) => id,
                None => {
                    made.push(format!("supplier {name:?}"));
                    add_supplier(work.db, name, None, "EUR")?
                }
            })
        }
    };
    let item = NewItem {
        item_type: first.item_type,
        name,
        uom: text("uom").unwrap_or("pcs"),
        category: text("category"),
        is_sellable: first.item_type == ItemType::Product || first.sales_price.is_positive(),
        supplier,
        purchase_uom: text("purchase_uom"),
        purchase_uom_rate: first.rate,
    };
    let variants: Vec<_> = rows
        .iter()
        .map(|row| NewVariant {
            sku: &row.sku,
            name: &row.name,
            sales_price: row.sales_price,
            purchase_price: row.purchase_price,
            barcode: table.text(row.at, "barcode"),
            lead_time_days: row.lead_time_days,
            minimum_order_quantity: row.minimum_order_quantity,
            safety_stock: row.safety_stock,
        })
        .collect();
    let mut statement = work.db.prepare_cached(
        "SELECT id FROM item WHERE name = ?1 AND coalesce(archived_at, deleted_at) IS NULL ORDER BY id LIMIT 1",
    )?;
    let known: Option<i64> = statement.query_row([name], |row| row.get(0)).optional()?;
    match known {
        Some(id) => {
            made.push(format!("further variants of the item {name:?}, which stays as it is"));
            variants.iter().try_for_each(|it| add_variant(work.db, id, it).map(|_| ()))?;
        }
        None => {
            add_item(work.db, work.now, &item, &variants)?;
        }
    }
    Ok(())
}

pub(super) fn all(db: &Connection) -> Result<Vec<Vec<String>>, Fault> {
    let mut statement = db.prepare(
        "SELECT v.id, i.name, i.purchase_uom, i.purchase_uom_rate, s.name FROM variant v JOIN item i ON i.id = v.item_id
         LEFT JOIN supplier s ON s.id = i.supplier_id
         WHERE coalesce(v.archived_at, v.deleted_at, i.archived_at, i.deleted_at) IS NULL ORDER BY v.id",
    )?;
    let mut rows = statement.query([])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let it = reading::variant(db, row.get(0)?)?;
        let (uom, rate): (Option<String>, Amount) = (row.get(2)?, row.get(3)?);
        let item_type = if it.item_type == ItemType::Product { "product" } else { "material" };
        all.push(vec![
            it.sku,
            it.name,
            row.get(1)?,
            item_type.to_owned(),
            it.uom,
            it.category.unwrap_or_default(),
            it.sales_price.to_string(),
            it.purchase_price.to_string(),
            row.get::<_, Option<String>>(4)?.unwrap_or_default(),
            uom.unwrap_or_default(),
            rate.to_string(),
            it.barcode.unwrap_or_default(),
            it.lead_time_days.map(|it| it.to_string()).unwrap_or_default(),
            it.minimum_order_quantity.map(|it| it.to_string()).unwrap_or_default(),
            it.safety_stock.to_string(),
        ]);
    }
    Ok(all)
}
