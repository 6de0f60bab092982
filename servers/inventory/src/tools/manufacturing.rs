//! Manufacturing orders.

use plainwire::Entries;
use plainwire::prelude::*;

use super::Store;
use super::list::{ListArguments, Wanted, get, list};
use super::rail::{write, writes};
use crate::amount::Amount;
use crate::catalog::{List, Reference};
use crate::kinds::{Availability, Change, Order, Orders, Recipe};
use crate::orders::manufacturing::{self, AddRecipeRow, CorrectRecipeRow, Header, Modify, UpdateRecipeRow};
use crate::orders::{OrderType, delete};
use crate::time::Time;

const OF: OrderType = OrderType::ManufacturingOrder;

pub(super) fn entries() -> Entries {
    Entries::new()
        .tool(list_manufacturing_orders)
        .tool(get_manufacturing_order)
        .tool(get_manufacturing_order_recipe)
        .tool(create_manufacturing_order)
        .tool(modify_manufacturing_order)
        .tool(correct_manufacturing_order)
        .tool(delete_manufacturing_order)
}

/// Lists manufacturing orders, the newest first; many at once by `ids`. get_manufacturing_order returns one with its rows.
#[tool(read_only, closed_world, title = "List manufacturing orders")]
async fn list_manufacturing_orders(
    #[arguments] it: ListArguments,
    store: State<Store>,
) -> Result<Orders, ToolError> {
    list(OF, it, store).await
}

/// Which rows of a manufacturing order are returned.
#[data]
#[derive(Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum IncludedRows {
    Blocking,
    All,
    None,
}

/// Returns a manufacturing order with its ingredients. list_manufacturing_orders finds ids.
#[tool(read_only, closed_world, title = "Get a manufacturing order")]
async fn get_manufacturing_order(
    id: Option<i64>,
    #[argument("Instead of the id, such as MO-7.")] order_no: Option<String>,
    #[argument("`blocking` are those that are not in stock.", default = IncludedRows::All)]
    include_rows: IncludedRows,
    #[default(true)] include_productions: bool,
    #[default(false)] include_deleted: bool,
    store: State<Store>,
) -> Result<Order, ToolError> {
    let mut order = get(OF, Wanted::new(id, order_no)?, include_deleted, store).await?;
    order.rows.retain(|it| match include_rows {
        IncludedRows::All => true,
        IncludedRows::None => false,
        IncludedRows::Blocking => {
            matches!(it.availability, Some(Availability::Expected | Availability::NotAvailable))
        }
    });
    if !include_productions {
        order.productions.clear();
    }
    Ok(order)
}

/// Returns the ingredients of a manufacturing order: planned, consumed, and whether they are in stock.
#[tool(read_only, closed_world, title = "Get a recipe")]
async fn get_manufacturing_order_recipe(
    #[argument("The id of a manufacturing order.")] id: i64,
    store: State<Store>,
) -> Result<Recipe, ToolError> {
    let order = get(OF, Wanted::Id(id), false, store).await?;
    let missing = || ToolError::failed("the manufacturing order has no product");
    Ok(Recipe {
        manufacturing_order_id: order.id,
        number: order.number,
        status: order.status,
        product: order.product.ok_or_else(missing)?,
        ingredient_availability: order.ingredient_availability.unwrap_or(Availability::NoRecipe),
        rows: order.rows,
    })
}

writes! {
    /// A manufacturing order to make: of a product, or for a row of a sales order.
    struct CreateManufacturing {
        /// The product. Not with `sales_order_row_id`.
        sku_or_variant_id: Option<Reference>,
        /// Above 0. By default what remains of the row.
        planned_quantity: Option<Amount>,
        /// Makes to order what this row of a sales order needs.
        sales_order_row_id: Option<i64>,
        /// By default that of the sales order, or the primary location.
        location_id: Option<i64>,
        production_deadline_date: Option<Time>,
        /// Whether orders are made for ingredients that are missing and have a bill of materials.
        #[default(false)]
        create_subassemblies: bool,
        #[length(..=2000)]
        notes: Option<String>,
        /// By default the next number.
        order_no: Option<String>,
    }
}

/// Makes a manufacturing order, with the bill of materials as it is now.
#[tool(additive, closed_world, title = "Make a manufacturing order")]
async fn create_manufacturing_order(
    #[arguments] it: CreateManufacturing,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("create_manufacturing_order", &store, &context, it, |work, it| {
        let new = manufacturing::Create {
            order_no: it.order_no.clone(),
            product: it.sku_or_variant_id.clone(),
            planned_quantity: it.planned_quantity,
            sales_order_row_id: it.sales_order_row_id,
            location_id: it.location_id,
            production_deadline_date: it.production_deadline_date,
            create_subassemblies: it.create_subassemblies,
            notes: it.notes.clone(),
            created_at: None,
        };
        manufacturing::create(work, &new).map(|_| ())
    })
    .await
}

writes! {
    /// Changes of a manufacturing order.
    struct ModifyManufacturing {
        id: i64,
        update_header: Option<Header>,
        #[serde(default)]
        add_rows: Vec<AddRecipeRow>,
        #[serde(default)]
        update_rows: Vec<UpdateRecipeRow>,
        #[serde(default)]
        delete_row_ids: List<i64>,
    }
}

/// Changes a manufacturing order: header, then ingredients added, updated and deleted. All of it or nothing.
#[tool(destructive, closed_world, title = "Change a manufacturing order")]
async fn modify_manufacturing_order(
    #[arguments] it: ModifyManufacturing,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("modify_manufacturing_order", &store, &context, it, |work, it| {
        let changes = Modify {
            header: it.update_header.as_ref(),
            add: &it.add_rows,
            update: &it.update_rows,
            delete: &it.delete_row_ids,
        };
        manufacturing::modify(work, it.id, &changes)
    })
    .await
}

writes! {
    /// What was really produced and used.
    struct CorrectManufacturing {
        id: i64,
        /// Above 0.
        completed_quantity: Option<Amount>,
        #[serde(default)]
        update_rows: Vec<CorrectRecipeRow>,
    }
}

/// Corrects what was produced and consumed. Dates and the state stay, and the cost of the product follows.
#[tool(destructive, closed_world, title = "Correct a manufacturing order")]
async fn correct_manufacturing_order(
    #[arguments] it: CorrectManufacturing,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("correct_manufacturing_order", &store, &context, it, |work, it| {
        manufacturing::correct(work, it.id, it.completed_quantity, &it.update_rows)
    })
    .await
}

writes! {
    /// A manufacturing order to delete.
    struct DeleteManufacturing {
        id: i64,
    }
}

/// Deletes a manufacturing order of which nothing was produced.
#[tool(destructive, closed_world, title = "Delete a manufacturing order")]
async fn delete_manufacturing_order(
    #[arguments] it: DeleteManufacturing,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("delete_manufacturing_order", &store, &context, it, |work, it| delete(work, OF, it.id)).await
}
