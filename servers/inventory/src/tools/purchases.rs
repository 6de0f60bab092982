//! Purchase orders.

use plainwire::Entries;
use plainwire::prelude::*;

use super::Store;
use super::list::{ListArguments, Wanted, get, list};
use super::rail::{write, writes};
use crate::amount::Amount;
use crate::catalog::List;
use crate::fault::Fault;
use crate::kinds::{Change, Order, Orders, Verification};
use crate::orders::purchase::{self, Header, Modify};
use crate::orders::rows::{AddPurchaseRow, RowQuantity, UpdatePurchaseRow};
use crate::orders::{OrderType, delete};
use crate::reports::verify::{self, DocumentItem};
use crate::time::Time;

const OF: OrderType = OrderType::PurchaseOrder;

pub(super) fn entries() -> Entries {
    Entries::new()
        .tool(list_purchase_orders)
        .tool(get_purchase_order)
        .tool(verify_order_document)
        .tool(create_purchase_order)
        .tool(modify_purchase_order)
        .tool(receive_purchase_order)
        .tool(correct_purchase_order)
        .tool(delete_purchase_order)
}

/// Lists purchase orders, the newest first; many at once by `ids`. get_purchase_order returns one with its rows.
#[tool(read_only, closed_world, title = "List purchase orders")]
async fn list_purchase_orders(
    #[arguments] it: ListArguments,
    store: State<Store>,
) -> Result<Orders, ToolError> {
    list(OF, it, store).await
}

/// Returns a purchase order with its rows. list_purchase_orders finds ids.
#[tool(read_only, closed_world, title = "Get a purchase order")]
async fn get_purchase_order(
    id: Option<i64>,
    #[argument("Instead of the id, such as PO-7.")] order_no: Option<String>,
    #[default(false)] include_deleted: bool,
    store: State<Store>,
) -> Result<Order, ToolError> {
    get(OF, Wanted::new(id, order_no)?, include_deleted, store).await
}

/// Compares a document of a supplier, such as an invoice, with a purchase order: quantities and prices.
#[tool(read_only, closed_world, title = "Verify a document")]
async fn verify_order_document(
    #[argument("The id of a purchase order.")] order_id: i64,
    #[argument("The lines of the document.")] document_items: Vec<DocumentItem>,
    store: State<Store>,
) -> Result<Verification, ToolError> {
    let answer = store.ask(move |db| match document_items.len() {
        1..=1_000 => verify::verify(db, order_id, &document_items),
        found => Err(Fault::input(format!("expected 1 to 1000 `document_items`, but found {found}"))),
    });
    Ok(answer.await?)
}

/// The state of a new purchase order.
#[data]
#[derive(Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum NewStatus {
    Draft,
    NotReceived,
}

writes! {
    /// A purchase order to make.
    struct CreatePurchase {
        supplier_id: i64,
        /// 1 to 500 rows.
        rows: Vec<AddPurchaseRow>,
        /// By default the primary location.
        location_id: Option<i64>,
        /// `NOT_RECEIVED` for an order that is placed at once.
        #[default(NewStatus::Draft)]
        status: NewStatus,
        expected_arrival_date: Option<Time>,
        /// Costs of the whole order, such as freight.
        additional_cost: Option<Amount>,
        #[length(..=2000)]
        notes: Option<String>,
        /// By default the next number.
        order_no: Option<String>,
    }
}

/// Makes a purchase order: a draft, unless the status says that it is placed.
#[tool(additive, closed_world, title = "Make a purchase order")]
async fn create_purchase_order(
    #[arguments] it: CreatePurchase,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("create_purchase_order", &store, &context, it, |work, it| {
        let new = purchase::Create {
            order_no: it.order_no.clone(),
            supplier_id: it.supplier_id,
            location_id: it.location_id,
            rows: it.rows.clone(),
            is_placed: it.status == NewStatus::NotReceived,
            expected_arrival_date: it.expected_arrival_date,
            additional_cost: it.additional_cost.unwrap_or_default(),
            notes: it.notes.clone(),
            created_at: None,
        };
        purchase::create(work, &new).map(|_| ())
    })
    .await
}

writes! {
    /// Changes of a purchase order.
    struct ModifyPurchase {
        id: i64,
        update_header: Option<Header>,
        #[serde(default)]
        add_rows: Vec<AddPurchaseRow>,
        #[serde(default)]
        update_rows: Vec<UpdatePurchaseRow>,
        #[serde(default)]
        delete_row_ids: List<i64>,
    }
}

/// Changes a purchase order: header, then rows added, updated and deleted. All of it or nothing.
#[tool(destructive, closed_world, title = "Change a purchase order")]
async fn modify_purchase_order(
    #[arguments] it: ModifyPurchase,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("modify_purchase_order", &store, &context, it, |work, it| {
        let changes = Modify {
            header: it.update_header.as_ref(),
            add: &it.add_rows,
            update: &it.update_rows,
            delete: &it.delete_row_ids,
        };
        purchase::modify(work, it.id, &changes)
    })
    .await
}

writes! {
    /// Goods that have arrived.
    struct ReceivePurchase {
        /// The id of a purchase order.
        order_id: i64,
        /// By default all that remains of each row.
        #[serde(default)]
        rows: Vec<RowQuantity>,
        /// By default now; may be in the past.
        received_date: Option<Time>,
    }
}

/// Receives goods of a purchase order into stock, all or in part, at their landed cost.
#[tool(destructive, closed_world, title = "Receive goods")]
async fn receive_purchase_order(
    #[arguments] it: ReceivePurchase,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("receive_purchase_order", &store, &context, it, |work, it| {
        purchase::receive(work, it.order_id, &it.rows, it.received_date)
    })
    .await
}

writes! {
    /// What was really received, and at which price.
    struct CorrectPurchase {
        id: i64,
        /// `quantity` is what was received.
        #[serde(default)]
        update_rows: Vec<UpdatePurchaseRow>,
        additional_cost: Option<Amount>,
    }
}

/// Corrects what was received: quantities, prices, additional costs. Dates and the state stay.
#[tool(destructive, closed_world, title = "Correct a purchase order")]
async fn correct_purchase_order(
    #[arguments] it: CorrectPurchase,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("correct_purchase_order", &store, &context, it, |work, it| {
        purchase::correct(work, it.id, &it.update_rows, it.additional_cost)
    })
    .await
}

writes! {
    /// A purchase order to delete.
    struct DeletePurchase {
        id: i64,
    }
}

/// Deletes a purchase order of which nothing was received.
#[tool(destructive, closed_world, title = "Delete a purchase order")]
async fn delete_purchase_order(
    #[arguments] it: DeletePurchase,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("delete_purchase_order", &store, &context, it, |work, it| delete(work, OF, it.id)).await
}
