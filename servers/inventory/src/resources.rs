//! Resources and prompts: what people pick, and what clients subscribe to.

use std::collections::BTreeSet;
use std::sync::Arc;

use plainwire::prelude::*;

use crate::amount::Amount;
use crate::catalog::reading;
use crate::fault::Fault;
use crate::kinds::Variants;
use crate::orders::{OrderType, view};
use crate::reports::stock;
use crate::store::Store;

const ITEMS: &str = "inventory://items";

/// The pages of help, by topic.
const HELP: [(&str, &str); 3] = [
    ("workflows", include_str!("../help/workflows.md")),
    ("tools", include_str!("../help/tools.md")),
    ("resources", include_str!("../help/resources.md")),
];

/// Adds resources and prompts to a server.
pub(crate) fn add(server: Server) -> Server {
    server
        .resource(items)
        .resource(help)
        .resource(order)
        .prompt(reorder_low_stock)
        .prompt(receive_delivery)
        .prompt(fulfill_sales_order)
}

/// Tells the clients that subscribed to what a change concerns.
pub(crate) fn notify(context: &Context, orders: &BTreeSet<i64>) {
    for id in orders {
        context.notify_resource_updated(format!("inventory://orders/{id}"));
    }
    context.notify_resource_updated(ITEMS);
}

/// All variants in use, up to 1,000.
#[resource("inventory://items", mime_type = "application/json", subscribable, title = "Items")]
async fn items(store: State<Arc<Store>>) -> Result<String, ToolError> {
    let variants = store.ask(|db| Ok(reading::all_variants(db)?)).await?;
    Ok(json!(Variants { variants, not_found: Vec::new() }).to_string())
}

/// Help on a topic: workflows, tools or resources.
#[resource("inventory://help/{topic}", mime_type = "text/markdown", complete(topic = topics))]
async fn help(topic: String) -> Result<String, ToolError> {
    let found = HELP.iter().find(|(name, _)| *name == topic);
    let names = HELP.map(|(name, _)| name).join(", ");
    found
        .map(|(_, text)| (*text).to_owned())
        .ok_or_else(|| ToolError::not_found(format!("expected a topic of {names}, but found {topic:?}")))
}

async fn topics(it: Completing) -> Vec<String> {
    HELP.iter().filter(|(name, _)| name.starts_with(&*it.value)).map(|(name, _)| (*name).to_owned()).collect()
}

/// An order of any type, as its tool returns it.
#[resource("inventory://orders/{id}", mime_type = "application/json", subscribable)]
async fn order(id: i64, store: State<Arc<Store>>) -> Result<String, ToolError> {
    let answer = store.ask(move |db| {
        let is_order = db.prepare_cached("SELECT 1 FROM orders WHERE id = ?1")?.exists([id])?;
        if !is_order {
            return Err(Fault::missing(format!("expected the id of an order, but found {id}")));
        }
        view::order(db, id)
    });
    Ok(json!(answer.await?).to_string())
}

/// Asks for purchase orders of what is low in stock.
#[prompt(title = "Reorder low stock")]
async fn reorder_low_stock(
    /// Variants with less available are low; by default 10.
    threshold: Option<Amount>,
    store: State<Arc<Store>>,
) -> Result<String, ToolError> {
    let threshold = threshold.unwrap_or_else(|| Amount::from(10));
    let low = store.ask(move |db| stock::low(db, threshold, 50, None)).await?;
    if low.items.is_empty() {
        return Ok(format!("No variant has less than {threshold} available. Say so, and do nothing else."));
    }
    Ok(format!(
        "These variants are low in stock. Group those that are bought by their supplier, propose a quantity for each (at \
         least the shortage, and its minimum order quantity), and show me a preview of create_purchase_order for each \
         supplier. For those that are made here, propose create_manufacturing_order. Apply nothing before I agree.\n\n{:#}",
        json!(low)
    ))
}

/// Asks for the receipt of a purchase order.
#[prompt(title = "Receive a delivery")]
async fn receive_delivery(
    /// The id of a purchase order.
    order_id: i64,
    store: State<Arc<Store>>,
) -> Result<String, ToolError> {
    let order = of_type(order_id, OrderType::PurchaseOrder, &store).await?;
    Ok(format!(
        "A delivery has arrived for this purchase order. Ask me for the delivery note, compare it by verify_order_document, \
         tell me each difference, and show me a preview of receive_purchase_order. Apply it when I agree.\n\n{order:#}"
    ))
}

/// Asks for the delivery of a sales order.
#[prompt(title = "Fulfil a sales order")]
async fn fulfill_sales_order(
    /// The id of a sales order.
    order_id: i64,
    store: State<Arc<Store>>,
) -> Result<String, ToolError> {
    let order = of_type(order_id, OrderType::SalesOrder, &store).await?;
    Ok(format!(
        "This sales order is to be delivered. Tell me which rows are not in stock, and what could be done (a transfer, a \
         manufacturing order, a partial delivery). Show me a preview of fulfill_order, and apply it when I agree.\n\n{order:#}"
    ))
}

async fn of_type(id: i64, of: OrderType, store: &Arc<Store>) -> Result<Value, ToolError> {
    let answer = store.ask(move |db| {
        crate::orders::head::<String>(db, of, id)?;
        view::order(db, id)
    });
    // An argument of a prompt can only be wrong.
    answer.await.map(|it| json!(it)).map_err(|fault| ToolError::invalid_input(fault.text()))
}
