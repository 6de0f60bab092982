//! Bills of materials: what a product is made of, through all levels.
//!
//! In: a product. Out: its ingredients with their quantities, and changes of them. A product never contains itself.

use std::collections::BTreeMap;

use plainwire::prelude::*;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{List, Reference, Text, new_id, sku, variant, variant_name};
use crate::amount::Amount;
use crate::fault::Fault;
use crate::kinds::{Bom, BomRow, Need};
use crate::work::Work;

/// The deepest level of a bill of materials.
pub const MAX_LEVELS: u32 = 50;

/// The largest number of rows that are listed.
const MAX_ROWS: usize = 5_000;

/// The largest number of rows that a call adds or changes.
const MAX_CHANGES: usize = 500;

/// An ingredient of a product, for one unit.
#[derive(Clone, Debug)]
pub(crate) struct Ingredient {
    pub(crate) row: i64,
    pub(crate) variant: i64,
    pub(crate) quantity: Amount,
    pub(crate) notes: Option<String>,
}

/// Returns the ingredients of a variant.
pub(crate) fn ingredients(db: &Connection, variant: i64) -> Result<Vec<Ingredient>, rusqlite::Error> {
    db.prepare_cached(
        "SELECT id, ingredient_id, quantity, notes FROM bom_row WHERE variant_id = ?1 ORDER BY rank, id",
    )?
    .query_map([variant], |row| {
        Ok(Ingredient { row: row.get(0)?, variant: row.get(1)?, quantity: row.get(2)?, notes: row.get(3)? })
    })?
    .collect()
}

/// Returns what a quantity of a product is made of.
pub(crate) fn explode(db: &Connection, product: i64, quantity: Amount) -> Result<Bom, Fault> {
    let mut walk = Walk { db, rows: Vec::new(), materials: BTreeMap::new() };
    walk.descend(product, quantity, 1)?;
    let materials = walk
        .materials
        .into_iter()
        .map(|(variant_id, quantity)| Ok(Need { variant_id, sku: sku(db, variant_id)?, quantity }))
        .collect::<Result<Vec<_>, rusqlite::Error>>()?;
    let mut material_cost = Amount::ZERO;
    for need in &materials {
        material_cost += need.quantity.times(unit_cost(db, need.variant_id)?);
    }
    let product = variant_name(db, product)?;
    Ok(Bom { product, quantity, rows: walk.rows, materials, material_cost: material_cost.money() })
}

/// Returns the average cost of a variant over all locations, or else its purchase price.
fn unit_cost(db: &Connection, variant: i64) -> Result<Amount, rusqlite::Error> {
    let mut statement = db.prepare_cached(
        "SELECT in_stock, average_cost FROM stock WHERE variant_id = ?1 AND in_stock > 0 ORDER BY location_id",
    )?;
    let places: Vec<(Amount, Amount)> =
        statement.query_map([variant], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    let quantity: Amount = places.iter().map(|it| it.0).sum();
    if quantity.is_positive() {
        let value: Amount = places.iter().map(|(quantity, cost)| quantity.times(*cost)).sum();
        return Ok(value.per(quantity));
    }
    db.prepare_cached("SELECT purchase_price FROM variant WHERE id = ?1")?
        .query_row([variant], |row| row.get(0))
}

struct Walk<'a> {
    db: &'a Connection,
    rows: Vec<BomRow>,
    materials: BTreeMap<i64, Amount>,
}

impl Walk<'_> {
    fn descend(&mut self, product: i64, quantity: Amount, level: u32) -> Result<(), Fault> {
        let ingredients = ingredients(self.db, product)?;
        if ingredients.is_empty() && level > 1 {
            *self.materials.entry(product).or_default() += quantity;
        }
        for it in ingredients {
            if self.rows.len() >= MAX_ROWS || level > MAX_LEVELS {
                let limit = format!("{MAX_ROWS} rows and {MAX_LEVELS} levels");
                return Err(Fault::input(format!("expected a bill of materials of at most {limit}")));
            }
            let name = variant_name(self.db, it.variant)?;
            let total_quantity = it.quantity.times(quantity);
            self.rows.push(BomRow {
                id: it.row,
                level,
                of_variant_id: product,
                variant_id: it.variant,
                sku: name.sku,
                name: name.name,
                quantity_per_unit: it.quantity,
                total_quantity,
                notes: it.notes,
            });
            self.descend(it.variant, total_quantity, level + 1)?;
        }
        Ok(())
    }
}

/// A row to add to a bill of materials.
#[data]
#[derive(Clone)]
pub struct AddBomRow {
    /// The SKU or id of the ingredient.
    pub ingredient: Reference,
    /// How much of it a unit needs. Above 0.
    pub quantity: Amount,
    pub notes: Option<Text>,
}

/// A row to change.
#[data]
#[derive(Clone)]
pub struct UpdateBomRow {
    pub row_id: i64,
    pub quantity: Option<Amount>,
    pub notes: Option<Text>,
}

/// Changes of a bill of materials.
pub(crate) struct BomChanges<'a> {
    pub(crate) add: &'a [AddBomRow],
    pub(crate) update: &'a [UpdateBomRow],
    pub(crate) delete: &'a List<i64>,
}

/// Changes what a product is made of. A row that would make a product contain itself is blocked.
pub(crate) fn manage(
    work: &mut Work<'_>,
    product: &Reference,
    changes: &BomChanges<'_>,
) -> Result<(), Fault> {
    let product = variant(work.db, product)?;
    work.begin("bom", Some(product), "manage");
    // One that is too large to be told can still be made smaller.
    let before = explode(work.db, product, Amount::ONE).ok();
    let cost_before = before.as_ref().map(|it| it.material_cost);
    if let Some(before) = before {
        work.prior(before);
    }
    if changes.add.is_empty() && changes.update.is_empty() && changes.delete.0.is_empty() {
        return Err(Fault::input(
            "expected `add_rows`, `update_rows` or `delete_row_ids`, but found none of them",
        ));
    }
    for (field, count) in [("add_rows", changes.add.len()), ("update_rows", changes.update.len())] {
        if count > MAX_CHANGES {
            return Err(Fault::input(format!(
                "expected at most {MAX_CHANGES} elements of `{field}`, but found {count}"
            )));
        }
    }
    for it in changes.add {
        work.action("add_row", None, |work| add_row(work, product, it))?;
    }
    for it in changes.update {
        work.action("update_row", Some(it.row_id), |work| update_row(work, product, it))?;
    }
    for &id in &changes.delete.0 {
        work.action("delete_row", Some(id), |work| {
            let (quantity, _) = own_row(work.db, product, id)?;
            work.db.execute("DELETE FROM bom_row WHERE id = ?1", [id])?;
            work.changed(format!("rows[{id}].quantity"), quantity, ());
            Ok(())
        })?;
    }
    if !work.is_blocked() {
        match explode(work.db, product, Amount::ONE) {
            Ok(after) => {
                if cost_before != Some(after.material_cost) {
                    work.changed("material_cost", cost_before, after.material_cost);
                }
                work.state(after);
            }
            Err(error) if changes.add.is_empty() => work.warn(error.text()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn add_row(work: &mut Work<'_>, product: i64, it: &AddBomRow) -> Result<(), Fault> {
    positive("quantity", it.quantity)?;
    let ingredient = variant(work.db, &it.ingredient)?;
    let name = sku(work.db, ingredient)?;
    if let Some(path) = path(work.db, ingredient, product)? {
        work.block(format!(
            "{name} can't be an ingredient: {} would contain itself, by {path}",
            sku(work.db, product)?
        ));
        return Ok(());
    }
    let taken = "SELECT 1 FROM bom_row WHERE variant_id = ?1 AND ingredient_id = ?2";
    if work.db.prepare_cached(taken)?.exists([product, ingredient])? {
        work.block(format!("{name} is an ingredient already: update its row"));
        return Ok(());
    }
    let id = new_id(work.db, "bom_row")?;
    work.db
        .prepare_cached(
            "INSERT INTO bom_row (id, variant_id, ingredient_id, quantity, notes, rank) VALUES (?1, ?2, ?3, ?4, ?5,
                 (SELECT coalesce(max(rank), 0) + 1 FROM bom_row WHERE variant_id = ?2))",
        )?
        .execute(params![id, product, ingredient, it.quantity, it.notes.as_ref().map(|it| &it.0)])?;
    work.changed(format!("rows[{name}].quantity"), (), it.quantity);
    Ok(())
}

fn update_row(work: &mut Work<'_>, product: i64, it: &UpdateBomRow) -> Result<(), Fault> {
    let (quantity, notes) = own_row(work.db, product, it.row_id)?;
    let new = it.quantity.unwrap_or(quantity);
    positive("quantity", new)?;
    work.changed(format!("rows[{}].quantity", it.row_id), quantity, new);
    let new_notes = it.notes.clone().map(|it| it.0).or_else(|| notes.clone());
    if it.notes.is_some() {
        work.changed(format!("rows[{}].notes", it.row_id), notes, &new_notes);
    }
    work.db
        .prepare_cached("UPDATE bom_row SET quantity = ?2, notes = ?3 WHERE id = ?1")?
        .execute(params![it.row_id, new, new_notes])?;
    Ok(())
}

fn own_row(db: &Connection, product: i64, row: i64) -> Result<(Amount, Option<String>), Fault> {
    let mut statement =
        db.prepare_cached("SELECT quantity, notes FROM bom_row WHERE id = ?1 AND variant_id = ?2")?;
    let found = statement.query_row([row, product], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    found.ok_or_else(|| super::not_a(db, row, "a row of this bill of materials"))
}

/// Refuses a quantity that is not above zero.
pub(crate) fn positive(field: &str, quantity: Amount) -> Result<(), Fault> {
    match quantity.is_positive() {
        true => Ok(()),
        false => Err(Fault::input(format!("expected `{field}` to be above 0, but found {quantity}"))),
    }
}

/// Returns the SKUs from a variant down to one that is an ingredient of it, if it is one.
fn path(db: &Connection, from: i64, to: i64) -> Result<Option<String>, rusqlite::Error> {
    let mut above = BTreeMap::from([(from, None)]);
    let mut next = vec![from];
    while let Some(product) = next.pop() {
        if product == to {
            let mut steps = Vec::new();
            let mut at = Some(product);
            while let Some(variant) = at {
                steps.push(sku(db, variant)?);
                at = above.get(&variant).copied().flatten();
            }
            steps.reverse();
            return Ok(Some(steps.join(" → ")));
        }
        for it in ingredients(db, product)? {
            above.entry(it.variant).or_insert_with(|| {
                next.push(it.variant);
                Some(product)
            });
        }
    }
    Ok(None)
}
