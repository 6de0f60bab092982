//! R5.8: previews write nothing, an apply does what its preview showed, and keys make a repeated call harmless.

use serde_json::{Value, json};

use crate::workshop::{Workshop, row};

#[tokio::test]
async fn r5_8_a_preview_writes_nothing_and_an_apply_does_what_it_showed() {
    let it = Workshop::open().await;
    let buy = json!({ "supplier_id": it.supplier, "rows": [{ "sku_or_variant_id": "BOARD", "quantity": 3 }], "status": "NOT_RECEIVED" });
    let sell = json!({ "customer_id": it.ada, "rows": [{ "sku_or_variant_id": "BOARD", "quantity": 3 }] });
    let make = json!({ "sku_or_variant_id": "FRAME", "planned_quantity": 2 });
    let send = json!({
        "source_location_id": it.main, "target_location_id": it.attic, "rows": [{ "sku_or_variant_id": "BOLT", "quantity": 3 }],
    });
    let count = json!({ "reason": "count", "rows": [{ "sku_or_variant_id": "BOLT", "quantity": -3 }] });
    let bom = json!({ "sku_or_variant_id": "FRAME", "add_rows": [{ "ingredient": "TABLE", "quantity": 1 }] });
    let rounds: [(&str, Value); 6] = [
        ("create_purchase_order", buy),
        ("create_sales_order", sell),
        ("create_manufacturing_order", make),
        ("create_stock_transfer", send),
        ("create_stock_adjustment", count),
        ("manage_product_bom", bom),
    ];
    let mut ids = Vec::new();
    for (tool, mut arguments) in rounds {
        if tool == "manage_product_bom" {
            arguments["add_rows"][0]["ingredient"] = json!("BOARD");
            arguments["sku_or_variant_id"] = json!("BOLT");
        }
        ids.push(same(&it, tool, arguments).await["entity_id"].clone());
    }
    let order = it.order("sales_order", &ids[1]).await;
    let later: [(&str, Value); 10] = [
        ("receive_purchase_order", json!({ "order_id": ids[0] })),
        ("fulfill_order", json!({ "order_id": ids[1], "order_type": "sales" })),
        ("fulfill_order", json!({ "order_id": ids[2], "order_type": "manufacturing" })),
        ("modify_stock_transfer", json!({ "id": ids[3], "update_header": { "status": "inTransit" } })),
        ("modify_purchase_order", json!({ "id": ids[0], "update_header": { "notes": "late" } })),
        ("modify_sales_order", json!({ "id": ids[1], "update_header": { "notes": "late" } })),
        (
            "correct_sales_order",
            json!({ "id": ids[1], "update_rows": [{ "row_id": row(&order, 0), "quantity": 2 }] }),
        ),
        ("correct_purchase_order", json!({ "id": ids[0], "additional_cost": 2 })),
        ("correct_manufacturing_order", json!({ "id": ids[2], "completed_quantity": 1 })),
        (
            "modify_manufacturing_order",
            json!({ "id": it.making("FRAME", 1).await, "update_header": { "notes": "soon" } }),
        ),
    ];
    for (tool, arguments) in later {
        same(&it, tool, arguments).await;
    }
    let rebuilt = it.get("rebuild_cache", json!({})).await;
    assert_eq!((&rebuilt["is_preview"], &rebuilt["drift"]), (&json!(true), &json!([])));
}

/// Previews a change, applies it with the token, and tries to apply it again.
async fn same(it: &Workshop, tool: &str, mut arguments: Value) -> Value {
    let (before, log) = (it.dump(), it.log());
    let preview = it.get(tool, arguments.clone()).await;
    assert_eq!((&preview["is_preview"], it.dump() == before), (&json!(true), true), "{tool}: {preview}");
    assert!(it.log() == log, "{tool}: nothing is written to the log");
    assert!(
        preview["state"].is_null() && !preview["changes"].as_array().expect("changes").is_empty(),
        "{preview}"
    );
    arguments["preview_token"] = preview["preview_token"].clone();
    let applied = it.apply(tool, arguments.clone()).await;
    assert_eq!(applied["changes"], preview["changes"], "{tool}");
    assert!(!applied["state"].is_null(), "{tool}");
    arguments["preview"] = json!(false);
    // An altered end of the token makes no other preview of it.
    let token = arguments["preview_token"].as_str().unwrap_or_default();
    arguments["preview_token"] = json!(token[..token.len() - 2]);
    let again = it.error(tool, arguments).await;
    assert!(again.contains("`preview_token` of a preview that was not applied yet"), "{tool}: {again}");
    applied
}

#[tokio::test]
async fn r5_8_an_apply_that_is_not_that_of_its_preview_is_refused() {
    let it = Workshop::open().await;
    let id = it.sale(json!([{ "sku_or_variant_id": "BOARD", "quantity": 10 }])).await;
    let mut change = json!({ "id": id, "update_header": { "notes": "fragile" } });
    let token = it.get("modify_sales_order", change.clone()).await["preview_token"].clone();
    change["preview"] = json!(false);
    change["preview_token"] = token.clone();
    change["update_header"]["notes"] = json!("heavy");
    let why = it.error("modify_sales_order", change.clone()).await;
    assert!(
        why.contains("expected the arguments of the preview, but `update_header` differ: preview again"),
        "{why}"
    );
    let why =
        it.error("delete_sales_order", json!({ "id": id, "preview": false, "preview_token": token })).await;
    assert!(why.contains("the `preview_token` of a preview of this tool"), "{why}");
    for wrong in ["", "zz", "00112233", &"f".repeat(5_000)] {
        change["preview_token"] = json!(wrong);
        assert!(it.error("modify_sales_order", change.clone()).await.contains("preview_token"), "{wrong}");
    }
    // Somebody else was faster.
    let deliver = |quantity: i64| json!({ "order_id": id, "order_type": "sales", "rows": [{ "row_id": 0, "quantity": quantity }] });
    let order = it.order("sales_order", &id).await;
    let mut mine = deliver(4);
    mine["rows"][0]["row_id"] = row(&order, 0);
    let preview = it.get("fulfill_order", mine.clone()).await;
    it.apply("fulfill_order", mine.clone()).await;
    mine["preview"] = json!(false);
    mine["preview_token"] = preview["preview_token"].clone();
    let why = it.error("fulfill_order", mine).await;
    assert!(
        why.contains("since the preview, something changed") && why.contains("done_quantity` from 4 to 8"),
        "{why}"
    );
}

#[tokio::test]
async fn r5_9_an_idempotency_key_makes_a_call_once() {
    let it = Workshop::open().await;
    let mut order = json!({
        "customer_id": it.ada, "rows": [{ "sku_or_variant_id": "BOARD", "quantity": 1 }], "preview": false,
        "idempotency_key": "cart-7",
    });
    let first = it.get("create_sales_order", order.clone()).await;
    let before = it.dump();
    let again = it.get("create_sales_order", order.clone()).await;
    assert_eq!((&again["entity_id"], it.dump() == before), (&first["entity_id"], true));
    assert!(again["warnings"].to_string().contains("was applied before"), "{again}");
    order["rows"][0]["quantity"] = json!(2);
    let why = it.error("create_sales_order", order).await;
    assert!(
        why.contains(
            "expected the arguments that `idempotency_key` \"cart-7\" was used with, but `rows` differ"
        ),
        "{why}"
    );
    let other = json!({ "id": first["entity_id"], "preview": false, "idempotency_key": "cart-7" });
    assert!(it.error("delete_sales_order", other).await.contains("belongs to a call of create_sales_order"));
    let long = json!({ "id": first["entity_id"], "preview": false, "idempotency_key": "k".repeat(201) });
    assert!(
        it.error("delete_sales_order", long)
            .await
            .contains("expected `idempotency_key` with 1 to 200 characters, but found 201")
    );
}

/// The arguments of a sale that is applied once under a key.
fn keyed_sale(it: &Workshop, key: &str) -> Value {
    json!({
        "customer_id": it.ada, "rows": [{ "sku_or_variant_id": "BOARD", "quantity": 1 }], "preview": false,
        "idempotency_key": key,
    })
}

#[tokio::test]
async fn keys_are_kept_for_the_last_calls() {
    let it = Workshop::open().await;
    let sale = |key: &str| keyed_sale(&it, key);
    let first = it.get("create_sales_order", sale("first")).await;
    let db = rusqlite::Connection::open(&it.path).expect("the file");
    let many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
        INSERT INTO request (key, tool, arguments, result, position, bytes)
        SELECT 'other ' || i, '', '', '', (SELECT max(position + bytes) FROM request), 0 FROM n";
    db.execute(many, []).expect("9,999 more");
    let again = it.get("create_sales_order", sale("first")).await;
    assert_eq!(again["entity_id"], first["entity_id"], "10,000 are kept");
    it.get("create_sales_order", sale("last")).await;
    let kept: i64 = db.query_row("SELECT count(*) FROM request", [], |row| row.get(0)).expect("a number");
    assert_eq!(kept, 10_000);
    let anew = it.get("create_sales_order", sale("first")).await;
    assert_ne!(anew["entity_id"], first["entity_id"], "the oldest is forgotten");
}

#[tokio::test]
async fn keys_are_kept_with_64_mib_of_results() {
    let it = Workshop::open().await;
    let sale = |key: &str| keyed_sale(&it, key);
    let first = it.get("create_sales_order", sale("first")).await;
    let db = rusqlite::Connection::open(&it.path).expect("the file");
    let kept =
        || db.query_row("SELECT count(*), sum(bytes) FROM request", [], |row| Ok((row.get(0)?, row.get(1)?)));
    let (count, size): (i64, i64) = kept().expect("numbers");
    let written = "SELECT length(CAST(key || arguments || result AS BLOB)) FROM request";
    let written: i64 = db.query_row(written, [], |row| row.get(0)).expect("a number");
    assert_eq!((count, size), (1, written), "the size is that of what is kept");
    let large = "INSERT INTO request (key, tool, arguments, result, position, bytes)
        SELECT 'large', '', '', '', position + bytes, 64 * 1024 * 1024 - ?1 - 100 FROM request";
    db.execute(large, [size]).expect("another call with a large result");
    let again = it.get("create_sales_order", sale("first")).await;
    assert_eq!(again["entity_id"], first["entity_id"], "64 MiB are kept");
    it.get("create_sales_order", sale("last")).await;
    assert!(kept().is_ok_and(|it: (i64, i64)| it.0 == 2 && it.1 <= 64 * 1024 * 1024), "the oldest made room");
    let anew = it.get("create_sales_order", sale("first")).await;
    assert_ne!(anew["entity_id"], first["entity_id"], "the oldest is forgotten");
}

#[tokio::test]
async fn r5_8_a_preview_shows_costs_and_is_refused_when_they_have_changed() {
    let it = Workshop::open().await;
    let id = it.sale(json!([{ "sku_or_variant_id": "BOARD", "quantity": 10 }])).await;
    let mut deliver = json!({ "order_id": id, "order_type": "sales" });
    let preview = it.get("fulfill_order", deliver.clone()).await;
    assert!(preview["changes"].to_string().contains(".cost\",\"new\":50"), "{preview}");
    let found = json!({ "reason": "found", "rows": [{ "sku_or_variant_id": "BOARD", "quantity": 100, "cost_per_unit": 50 }] });
    it.apply("create_stock_adjustment", found).await;
    deliver["preview"] = json!(false);
    deliver["preview_token"] = preview["preview_token"].clone();
    let why = it.error("fulfill_order", deliver).await;
    assert!(
        why.contains("since the preview, something changed") && why.contains(".cost` from 0 to 275"),
        "{why}"
    );
}
