//! Items, variants, bills of materials, customers, suppliers and locations.

use plainwire::Entries;
use plainwire::prelude::*;

use super::Store;
use super::rail::{write, writes};
use crate::amount::Amount;
use crate::catalog::bom::{self, AddBomRow, BomChanges, UpdateBomRow};
use crate::catalog::reading::{self, Visible};
use crate::catalog::{self, List, Reference, search};
use crate::fault::Fault;
use crate::kinds::{
    Bom, Change, Customer, Customers, Item, ItemType, Items, Locations, Suppliers, Variant, Variants,
};
use crate::reports::named;

pub(super) fn entries() -> Entries {
    Entries::new()
        .tool(search_items)
        .tool(get_item)
        .tool(get_variant_details)
        .tool(get_product_bom)
        .tool(manage_product_bom)
        .tool(search_customers)
        .tool(get_customer)
        .tool(list_suppliers)
        .tool(list_locations)
}

/// Finds variants of items by beginnings of words in names, SKUs, barcodes and categories.
#[tool(read_only, closed_world, title = "Search items")]
async fn search_items(
    #[argument("Words, or a SKU.", length = 1..=200)] query: String,
    #[argument("Only products or materials.")]
    #[serde(rename = "type")]
    item_type: Option<ItemType>,
    #[argument("Whether archived ones are found, too.", default = false)] include_archived: bool,
    #[argument("At most.", default = 20, range = 1..=100)] limit: usize,
    store: State<Store>,
) -> Result<Items, ToolError> {
    let answer = store.ask(move |db| {
        let visible =
            "rowid IN (SELECT v.id FROM variant v JOIN item i ON i.id = v.item_id WHERE v.deleted_at IS NULL
            AND i.deleted_at IS NULL";
        let archived = match include_archived {
            true => "",
            false => " AND v.archived_at IS NULL AND i.archived_at IS NULL",
        };
        let of = match item_type {
            None => "",
            Some(ItemType::Product) => " AND i.type = 'product'",
            Some(ItemType::Material) => " AND i.type = 'material'",
        };
        let hits = search::search(db, "variant", &query, limit, &format!("{visible}{archived}{of})"))?;
        let variants =
            hits.ids.iter().map(|id| reading::variant(db, *id)).collect::<Result<Vec<Variant>, _>>()?;
        Ok(Items { query, is_fuzzy: hits.is_fuzzy, variants })
    });
    Ok(answer.await?)
}

/// Returns an item with all its variants. search_items finds ids.
#[tool(read_only, closed_world, title = "Get an item")]
async fn get_item(
    #[argument("The id of an item, or of one of its variants.")] id: i64,
    #[argument("Whether it may be archived.", default = false)] include_archived: bool,
    #[argument("Whether it may be deleted.", default = false)] include_deleted: bool,
    store: State<Store>,
) -> Result<Item, ToolError> {
    let visible = Visible { archived: include_archived, deleted: include_deleted };
    let answer = store.ask(move |db| {
        let of_variant = reading::find(db, &Reference::Id(id), Visible { archived: true, deleted: true })?;
        match of_variant[..] {
            [variant] => reading::item(db, reading::variant(db, variant)?.item_id, visible),
            _ => reading::item(db, id, visible),
        }
    });
    Ok(answer.await?)
}

/// Returns one or many variants at once, in the order of the call; a SKU of several variants returns each of them.
#[tool(read_only, closed_world, title = "Get variants")]
async fn get_variant_details(
    #[argument("SKUs or ids.")] skus_or_variant_ids: List<Reference>,
    #[argument("Whether archived ones are returned, too.", default = false)] include_archived: bool,
    #[argument("Whether deleted ones are returned, too.", default = false)] include_deleted: bool,
    store: State<Store>,
) -> Result<Variants, ToolError> {
    let visible = Visible { archived: include_archived, deleted: include_deleted };
    let answer = store.ask(move |db| {
        let (ids, not_found) = named(db, &skus_or_variant_ids.0, visible)?;
        let variants = ids.into_iter().map(|id| reading::variant(db, id)).collect::<Result<_, _>>()?;
        Ok(Variants { variants, not_found })
    });
    Ok(answer.await?)
}

/// Returns what a product is made of, through all levels, with the materials for a quantity and what they cost.
#[tool(read_only, closed_world, title = "Get a bill of materials")]
async fn get_product_bom(
    #[argument("The SKU or id of a variant.")] sku_or_variant_id: Reference,
    #[argument("Above 0; by default 1.")] quantity: Option<Amount>,
    store: State<Store>,
) -> Result<Bom, ToolError> {
    let quantity = quantity.unwrap_or(Amount::ONE);
    let answer = store.ask(move |db| {
        bom::positive("quantity", quantity)?;
        let variant = catalog::variant(db, &sku_or_variant_id)?;
        bom::explode(db, variant, quantity)
    });
    Ok(answer.await?)
}

writes! {
    /// Changes of a bill of materials.
    struct ManageBom {
        /// The SKU or id of the product.
        sku_or_variant_id: Reference,
        #[serde(default)]
        add_rows: Vec<AddBomRow>,
        #[serde(default)]
        update_rows: Vec<UpdateBomRow>,
        #[serde(default)]
        delete_row_ids: List<i64>,
    }
}

/// Changes what a product is made of. Orders that exist keep their rows.
#[tool(destructive, closed_world, title = "Change a bill of materials")]
async fn manage_product_bom(
    #[arguments] it: ManageBom,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("manage_product_bom", &store, &context, it, |work, it| {
        let changes = BomChanges { add: &it.add_rows, update: &it.update_rows, delete: &it.delete_row_ids };
        bom::manage(work, &it.sku_or_variant_id, &changes)
    })
    .await
}

/// Finds customers by beginnings of words in names, addresses of mail, companies and categories.
#[tool(read_only, closed_world, title = "Search customers")]
async fn search_customers(
    #[argument("Words.", length = 1..=200)] query: String,
    #[argument("Whether archived ones are found, too.", default = false)] include_archived: bool,
    #[argument("At most.", default = 20, range = 1..=100)] limit: usize,
    store: State<Store>,
) -> Result<Customers, ToolError> {
    let answer = store.ask(move |db| {
        let archived = if include_archived { "" } else { " AND archived_at IS NULL" };
        let visible = format!("rowid IN (SELECT id FROM customer WHERE deleted_at IS NULL{archived})");
        let hits = search::search(db, "customer", &query, limit, &visible)?;
        let customers = hits.ids.iter().map(|id| reading::customer(db, *id));
        let customers = customers.filter_map(Result::transpose).collect::<Result<_, _>>()?;
        Ok(Customers { query, is_fuzzy: hits.is_fuzzy, customers })
    });
    Ok(answer.await?)
}

/// Returns a customer. search_customers finds ids.
#[tool(read_only, closed_world, title = "Get a customer")]
async fn get_customer(
    #[argument("The id of a customer.")] id: i64,
    #[argument("Whether it may be archived or deleted.", default = false)] include_deleted: bool,
    store: State<Store>,
) -> Result<Customer, ToolError> {
    let answer = store.ask(move |db| match reading::customer(db, id)? {
        Some(it) if include_deleted || !(it.is_deleted || it.is_archived) => Ok(it),
        Some(_) => Err(Fault::missing(format!(
            "expected a customer in use, but {id} is archived or deleted: set include_deleted"
        ))),
        None => Err(catalog::not_a(db, id, "a customer")),
    });
    Ok(answer.await?)
}

/// Lists all suppliers.
#[tool(read_only, closed_world, title = "List suppliers")]
async fn list_suppliers(
    #[argument("Whether deleted ones are listed, too.", default = false)] include_deleted: bool,
    store: State<Store>,
) -> Result<Suppliers, ToolError> {
    let answer = store.ask(move |db| Ok(Suppliers { suppliers: reading::suppliers(db, include_deleted)? }));
    Ok(answer.await?)
}

/// Lists all locations.
#[tool(read_only, closed_world, title = "List locations")]
async fn list_locations(store: State<Store>) -> Result<Locations, ToolError> {
    Ok(store.ask(|db| Ok(Locations { locations: reading::locations(db)? })).await?)
}
