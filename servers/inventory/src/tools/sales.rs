//! Sales orders, and the fulfilment of orders.

use plainwire::Entries;
use plainwire::prelude::*;

use super::Store;
use super::list::{ListArguments, Wanted, get, list};
use super::rail::{write, writes};
use crate::amount::Amount;
use crate::catalog::List;
use crate::fault::Fault;
use crate::kinds::{Change, Order, Orders};
use crate::orders::rows::{AddSalesRow, RowQuantity, UpdateSalesRow};
use crate::orders::sales::{self, Header, Modify};
use crate::orders::{OrderType, delete, manufacturing};
use crate::time::Time;

const OF: OrderType = OrderType::SalesOrder;

pub(super) fn entries() -> Entries {
    Entries::new()
        .tool(list_sales_orders)
        .tool(get_sales_order)
        .tool(create_sales_order)
        .tool(modify_sales_order)
        .tool(fulfill_order)
        .tool(correct_sales_order)
        .tool(delete_sales_order)
}

/// Lists sales orders, the newest first; many at once by `ids`. get_sales_order returns one with its rows.
#[tool(read_only, closed_world, title = "List sales orders")]
async fn list_sales_orders(#[arguments] it: ListArguments, store: State<Store>) -> Result<Orders, ToolError> {
    list(OF, it, store).await
}

/// Returns a sales order with its rows, and whether they are in stock. list_sales_orders finds ids.
#[tool(read_only, closed_world, title = "Get a sales order")]
async fn get_sales_order(
    id: Option<i64>,
    #[argument("Instead of the id, such as SO-7.")] order_no: Option<String>,
    #[default(false)] include_deleted: bool,
    store: State<Store>,
) -> Result<Order, ToolError> {
    get(OF, Wanted::new(id, order_no)?, include_deleted, store).await
}

writes! {
    /// A sales order to make.
    struct CreateSale {
        customer_id: i64,
        /// 1 to 500 rows.
        rows: Vec<AddSalesRow>,
        /// By default the primary location.
        location_id: Option<i64>,
        delivery_date: Option<Time>,
        #[length(..=2000)]
        notes: Option<String>,
        /// By default the next number.
        order_no: Option<String>,
    }
}

/// Makes a sales order. Its rows are committed from now on.
#[tool(additive, closed_world, title = "Make a sales order")]
async fn create_sales_order(
    #[arguments] it: CreateSale,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("create_sales_order", &store, &context, it, |work, it| {
        let new = sales::Create {
            order_no: it.order_no.clone(),
            customer_id: it.customer_id,
            location_id: it.location_id,
            rows: it.rows.clone(),
            delivery_date: it.delivery_date,
            notes: it.notes.clone(),
            created_at: None,
        };
        sales::create(work, &new).map(|_| ())
    })
    .await
}

writes! {
    /// Changes of a sales order.
    struct ModifySale {
        id: i64,
        update_header: Option<Header>,
        #[serde(default)]
        add_rows: Vec<AddSalesRow>,
        #[serde(default)]
        update_rows: Vec<UpdateSalesRow>,
        #[serde(default)]
        delete_row_ids: List<i64>,
    }
}

/// Changes a sales order: header, then rows added, updated and deleted. All of it or nothing.
#[tool(destructive, closed_world, title = "Change a sales order")]
async fn modify_sales_order(
    #[arguments] it: ModifySale,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("modify_sales_order", &store, &context, it, |work, it| {
        let changes = Modify {
            header: it.update_header.as_ref(),
            add: &it.add_rows,
            update: &it.update_rows,
            delete: &it.delete_row_ids,
        };
        sales::modify(work, it.id, &changes)
    })
    .await
}

/// The type of an order to fulfil.
#[data]
#[derive(Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Fulfilled {
    Manufacturing,
    Sales,
}

writes! {
    /// An order to fulfil.
    struct Fulfill {
        order_id: i64,
        order_type: Fulfilled,
        /// For a sales order; by default all that remains of each row.
        #[serde(default)]
        rows: Vec<RowQuantity>,
        /// For a manufacturing order; by default all that remains.
        quantity: Option<Amount>,
        /// By default now; may be in the past.
        completed_at: Option<Time>,
        /// Whether goods may leave before the order that makes them was done.
        #[default(false)]
        acknowledge_inventory_ordering: bool,
    }
}

/// Delivers a sales order, or produces a manufacturing order: all or in part.
#[tool(destructive, closed_world, title = "Fulfil an order")]
async fn fulfill_order(
    #[arguments] it: Fulfill,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("fulfill_order", &store, &context, it, |work, it| match it.order_type {
        Fulfilled::Sales if it.quantity.is_some() => {
            Err(Fault::input("expected `rows` for a sales order, but found `quantity`"))
        }
        Fulfilled::Sales => {
            sales::deliver(work, it.order_id, &it.rows, it.completed_at, it.acknowledge_inventory_ordering)
        }
        Fulfilled::Manufacturing if !it.rows.is_empty() => {
            Err(Fault::input("expected `quantity` for a manufacturing order, but found `rows`"))
        }
        Fulfilled::Manufacturing => manufacturing::produce(work, it.order_id, it.quantity, it.completed_at),
    })
    .await
}

writes! {
    /// What was really delivered, and at which price.
    struct CorrectSale {
        id: i64,
        /// `quantity` is what was delivered.
        update_rows: Vec<UpdateSalesRow>,
    }
}

/// Corrects what was delivered: quantities, prices, discounts. Dates and the state stay.
#[tool(destructive, closed_world, title = "Correct a sales order")]
async fn correct_sales_order(
    #[arguments] it: CorrectSale,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("correct_sales_order", &store, &context, it, |work, it| {
        sales::correct(work, it.id, &it.update_rows)
    })
    .await
}

writes! {
    /// A sales order to delete.
    struct DeleteSale {
        id: i64,
    }
}

/// Deletes a sales order of which nothing was delivered.
#[tool(destructive, closed_world, title = "Delete a sales order")]
async fn delete_sales_order(
    #[arguments] it: DeleteSale,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("delete_sales_order", &store, &context, it, |work, it| delete(work, OF, it.id)).await
}
