//! The inventory, filled with sample data, and a call of each of its tools.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use plainwire::Server;
use plainwire_inventory::store::{Clock, Store};
use plainwire_inventory::{Inventory, Profile, sample};
use serde_json::{Value, json};

fn clock() -> Clock {
    Clock { today: "2026-06-30".parse().ok() }
}

/// The sample, which is made once.
fn sampled() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("inventory-{}.db", std::process::id()));
        let _ = fs::remove_file(&path);
        let store = Store::open(&path, clock()).expect("an inventory");
        sample::fill(&store).expect("the sample");
        path
    })
}

/// Returns a server with an inventory of its own.
pub(crate) fn server(profile: Profile) -> Server {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let made = sampled();
    let path = made.with_extension(format!("{}.db", COUNT.fetch_add(1, Ordering::SeqCst)));
    let _ = fs::remove_file(&path);
    plainwire_inventory::store::backup::backup(made, &path).expect("a copy");
    Inventory { profile, clock: clock(), ..Inventory::new(path) }.server().expect("a server")
}

/// Returns the number that a question to the sample has as its answer.
fn id(question: &'static str) -> i64 {
    let store = Store::open(sampled(), clock()).expect("the sample");
    store.read(move |db| Ok(db.query_row(question, [], |row| row.get(0))?)).expect("a number")
}

fn order(of: &str, status: &str) -> i64 {
    let store = Store::open(sampled(), clock()).expect("the sample");
    let (of, status) = (of.to_owned(), status.to_owned());
    let found = store.read(move |db| {
        let question = "SELECT min(id) FROM orders WHERE type = ?1 AND status = ?2";
        Ok(db.query_row(question, [of, status], |row| row.get(0))?)
    });
    found.expect("an order")
}

/// The calls of a tool; `None` if it is not one of the inventory.
pub(crate) fn calls(tool: &str) -> Option<Vec<Value>> {
    let variants = json!(["MAT-001", "MAT-071", "PRD-012-N", "nope"]);
    let window = json!({ "start_date": "2026-01-01", "end_date": "2026-06-30" });
    let row = |order: i64| {
        let store = Store::open(sampled(), clock()).expect("the sample");
        let found = store.read(move |db| {
            Ok(db.query_row("SELECT min(id) FROM line WHERE order_id = ?1", [order], |row| {
                row.get::<_, i64>(0)
            })?)
        });
        found.expect("a row")
    };
    Some(match tool {
        "check_inventory" | "get_variant_details" => vec![json!({ "skus_or_variant_ids": variants })],
        "inventory_at" => vec![json!({ "skus_or_variant_ids": variants, "as_of": "2026-03-01" })],
        "inventory_velocity" => vec![json!({ "sku_or_variant_ids": variants })],
        "search_items" => {
            vec![json!({ "query": "oak" }), json!({ "query": "oka bord 1" }), json!({ "query": "zzzzzz" })]
        }
        "search_customers" => vec![json!({ "query": "ada" }), json!({ "query": "zzzzzz" })],
        "get_item" => vec![json!({ "id": id("SELECT min(id) FROM item") }), json!({ "id": 1 })],
        "get_customer" => vec![json!({ "id": id("SELECT min(id) FROM customer") })],
        "list_suppliers" | "list_locations" | "list_low_stock_items" | "rebuild_cache" => vec![json!({})],
        "get_product_bom" => vec![json!({ "sku_or_variant_id": "PRD-012-N", "quantity": 2 })],
        "manage_product_bom" => vec![
            json!({ "sku_or_variant_id": "PRD-012-N", "add_rows": [{ "ingredient": "MAT-077", "quantity": 1 }] }),
            json!({ "sku_or_variant_id": "PRD-012-N", "add_rows": [{ "ingredient": "PRD-012-N", "quantity": 1 }] }),
        ],
        "get_inventory_movements" => vec![json!({ "sku_or_variant_id": "MAT-001", "limit": 5 })],
        "create_stock_adjustment" => vec![
            json!({ "reason": "*count*", "rows": [{ "sku_or_variant_id": "MAT-001", "quantity": 2 }] }),
            json!({ "reason": "count", "rows": [{ "sku_or_variant_id": "MAT-001", "quantity": -99999 }] }),
        ],
        "list_purchase_orders"
        | "list_sales_orders"
        | "list_manufacturing_orders"
        | "list_stock_transfers" => {
            vec![json!({ "limit": 3 }), json!({ "ids": [1] })]
        }
        "get_purchase_order" => vec![json!({ "order_no": "PO-1" }), json!({ "id": 1 })],
        "get_sales_order" => vec![json!({ "order_no": "SO-1" })],
        "get_manufacturing_order" => vec![json!({ "order_no": "MO-1" })],
        "get_stock_transfer" => vec![json!({ "order_no": "ST-1" })],
        "get_manufacturing_order_recipe" => vec![json!({ "id": order("manufacturing_order", "DONE") })],
        "verify_order_document" => vec![json!({
            "order_id": order("purchase_order", "RECEIVED"), "document_items": [{ "sku": "MAT-001", "quantity": 1, "unit_price": 2 }],
        })],
        "create_purchase_order" => vec![json!({
            "supplier_id": id("SELECT min(id) FROM supplier"), "rows": [{ "sku_or_variant_id": "MAT-001", "quantity": 1 }],
        })],
        "create_sales_order" => vec![json!({
            "customer_id": id("SELECT min(id) FROM customer"), "rows": [{ "sku_or_variant_id": "PRD-012-N", "quantity": 1 }],
            "preview": false,
        })],
        "create_manufacturing_order" => {
            vec![json!({ "sku_or_variant_id": "PRD-012-N", "planned_quantity": 2 })]
        }
        "create_stock_transfer" => vec![json!({
            "source_location_id": 2, "target_location_id": id("SELECT max(id) FROM location"),
            "rows": [{ "sku_or_variant_id": "MAT-001", "quantity": 1 }],
        })],
        "modify_purchase_order" => {
            vec![
                json!({ "id": order("purchase_order", "DRAFT"), "update_header": { "status": "NOT_RECEIVED" } }),
            ]
        }
        "modify_sales_order" => {
            vec![json!({ "id": order("sales_order", "NOT_SHIPPED"), "update_header": { "notes": "a\nb" } })]
        }
        "modify_manufacturing_order" => {
            vec![json!({ "id": order("manufacturing_order", "DONE"), "update_header": { "notes": "late" } })]
        }
        "modify_stock_transfer" => {
            vec![json!({ "id": order("stock_transfer", "received"), "update_header": { "notes": "late" } })]
        }
        "receive_purchase_order" => vec![json!({ "order_id": order("purchase_order", "NOT_RECEIVED") })],
        "fulfill_order" => vec![
            json!({ "order_id": order("sales_order", "NOT_SHIPPED"), "order_type": "sales" }),
            json!({ "order_id": order("manufacturing_order", "NOT_STARTED"), "order_type": "manufacturing" }),
        ],
        "correct_purchase_order" => {
            vec![json!({ "id": order("purchase_order", "RECEIVED"), "additional_cost": 3 })]
        }
        "correct_sales_order" => {
            let id = order("sales_order", "DELIVERED");
            vec![json!({ "id": id, "update_rows": [{ "row_id": row(id), "price_per_unit": 3 }] })]
        }
        "correct_manufacturing_order" => {
            vec![json!({ "id": order("manufacturing_order", "DONE"), "completed_quantity": 1 })]
        }
        "delete_purchase_order" => vec![json!({ "id": order("purchase_order", "DRAFT") })],
        "delete_sales_order" => vec![json!({ "id": order("sales_order", "DELIVERED") })],
        "delete_manufacturing_order" => vec![json!({ "id": order("manufacturing_order", "NOT_STARTED") })],
        "delete_stock_transfer" => vec![json!({ "id": order("stock_transfer", "received") })],
        "top_selling_variants" => vec![window],
        "sales_summary" => ["week", "customer"]
            .map(|by| json!({ "start_date": "2026-01-01", "end_date": "2026-06-30", "group_by": by }))
            .to_vec(),
        _ => return None,
    })
}
