//! Stock transfers.

use plainwire::Entries;
use plainwire::prelude::*;

use super::Store;
use super::list::{ListArguments, Wanted, get, list};
use super::rail::{write, writes};
use crate::kinds::{Change, Order, Orders};
use crate::orders::transfer::{self, Header, TransferRow};
use crate::orders::{OrderType, delete};
use crate::time::Time;

const OF: OrderType = OrderType::StockTransfer;

pub(super) fn entries() -> Entries {
    Entries::new()
        .tool(list_stock_transfers)
        .tool(get_stock_transfer)
        .tool(create_stock_transfer)
        .tool(modify_stock_transfer)
        .tool(delete_stock_transfer)
}

/// Lists stock transfers, the newest first; many at once by `ids`. get_stock_transfer returns one with its rows.
#[tool(read_only, closed_world, title = "List stock transfers")]
async fn list_stock_transfers(
    #[arguments] it: ListArguments,
    store: State<Store>,
) -> Result<Orders, ToolError> {
    list(OF, it, store).await
}

/// Returns a stock transfer with its rows. list_stock_transfers finds ids.
#[tool(read_only, closed_world, title = "Get a stock transfer")]
async fn get_stock_transfer(
    id: Option<i64>,
    #[argument("Instead of the id, such as ST-7.")] order_no: Option<String>,
    #[default(false)] include_deleted: bool,
    store: State<Store>,
) -> Result<Order, ToolError> {
    get(OF, Wanted::new(id, order_no)?, include_deleted, store).await
}

writes! {
    /// A stock transfer to make.
    struct CreateTransfer {
        source_location_id: i64,
        target_location_id: i64,
        /// 1 to 500 rows.
        rows: Vec<TransferRow>,
        expected_arrival_date: Option<Time>,
        #[length(..=2000)]
        notes: Option<String>,
        /// By default the next number.
        order_no: Option<String>,
    }
}

/// Makes a draft of a stock transfer between two locations. modify_stock_transfer sends and receives it.
#[tool(additive, closed_world, title = "Make a stock transfer")]
async fn create_stock_transfer(
    #[arguments] it: CreateTransfer,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("create_stock_transfer", &store, &context, it, |work, it| {
        let new = transfer::Create {
            order_no: it.order_no.clone(),
            source_location_id: it.source_location_id,
            target_location_id: it.target_location_id,
            rows: it.rows.clone(),
            expected_arrival_date: it.expected_arrival_date,
            notes: it.notes.clone(),
            created_at: None,
        };
        transfer::create(work, &new).map(|_| ())
    })
    .await
}

writes! {
    /// Changes of a stock transfer.
    struct ModifyTransfer {
        id: i64,
        update_header: Header,
        /// When the goods left or arrived; by default now, may be in the past.
        moved_at: Option<Time>,
    }
}

/// Changes a stock transfer; the status inTransit sends the goods, received receives them.
#[tool(destructive, closed_world, title = "Change a stock transfer")]
async fn modify_stock_transfer(
    #[arguments] it: ModifyTransfer,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("modify_stock_transfer", &store, &context, it, |work, it| {
        transfer::modify(work, it.id, &it.update_header, it.moved_at)
    })
    .await
}

writes! {
    /// A stock transfer to delete.
    struct DeleteTransfer {
        id: i64,
    }
}

/// Deletes a draft of a stock transfer.
#[tool(destructive, closed_world, title = "Delete a stock transfer")]
async fn delete_stock_transfer(
    #[arguments] it: DeleteTransfer,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("delete_stock_transfer", &store, &context, it, |work, it| delete(work, OF, it.id)).await
}
