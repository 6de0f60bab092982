//! R5.20, R5.3 and R5.4: batches, soft state, coercion, search, and the resources and prompts.

use plainwire_inventory::store::{Clock, Store};
use rusqlite::Connection;
use serde_json::json;

use crate::workshop::{TODAY, Workshop};

#[tokio::test]
async fn r5_20_a_batch_keeps_its_order_and_tells_what_is_missing() {
    let it = Workshop::open().await;
    let found = it
        .get("get_variant_details", json!({ "skus_or_variant_ids": ["TABLE", "nope", "BOLT", 999999] }))
        .await;
    let skus: Vec<_> = found["variants"].as_array().into_iter().flatten().map(|it| &it["sku"]).collect();
    assert_eq!(
        (skus, &found["not_found"]),
        (vec![&json!("TABLE"), &json!("BOLT")], &json!(["nope", 999999]))
    );
    let bolt = found["variants"][1]["variant_id"].clone();
    for same in [json!("BOLT"), json!(bolt), json!([bolt]), json!(format!("{bolt}")), json!("[\"BOLT\"]")] {
        let one = it.get("check_inventory", json!({ "skus_or_variant_ids": same })).await;
        assert_eq!(one["items"][0]["sku"], "BOLT", "{same}");
    }
    let first = it.sale(json!([{ "sku_or_variant_id": "BOLT", "quantity": 1 }])).await;
    let second = it.sale(json!([{ "sku_or_variant_id": "BOARD", "quantity": 1 }])).await;
    let listed = it.get("list_sales_orders", json!({ "ids": [second, 4711, first] })).await;
    let ids: Vec<_> = listed["orders"].as_array().into_iter().flatten().map(|it| &it["id"]).collect();
    assert_eq!((ids, &listed["not_found"]), (vec![&second, &first], &json!([4711])));
    let narrowed = json!({ "sku_or_variant_id": "BOARD", "partner_id": it.ada, "status": "NOT_SHIPPED", "created_from": TODAY, "created_to": TODAY });
    assert_eq!(it.get("list_sales_orders", narrowed).await["orders"][0]["id"], second);
    assert_eq!(it.get("list_sales_orders", json!({ "query": "so-2" })).await["orders"][0]["id"], second);
    assert_eq!(it.get("get_sales_order", json!({ "order_no": "SO-2" })).await["id"], second);
}

#[tokio::test]
async fn r5_20_what_is_archived_or_deleted_is_found_only_on_request() {
    let it = Workshop::open().await;
    let db = Connection::open(&it.path).expect("the file");
    db.execute("UPDATE variant SET archived_at = '2026-01-01T00:00:00Z' WHERE sku = 'FRAME'", [])
        .expect("archived");
    db.execute("UPDATE customer SET deleted_at = '2026-01-01T00:00:00Z' WHERE id = ?1", [it.ada])
        .expect("deleted");
    db.execute("UPDATE variant SET sku = 'TABLE' WHERE sku = 'FRAME'", []).expect("a tie");
    let one = it
        .get("get_variant_details", json!({ "skus_or_variant_ids": ["TABLE"], "include_archived": true }))
        .await;
    assert_eq!(
        (one["variants"].as_array().map(Vec::len), &one["variants"][0]["name"]),
        (Some(1), &json!("Table")),
        "the live one wins"
    );
    let found = async |more: bool| {
        it.get("search_items", json!({ "query": "frame", "include_archived": more })).await
    };
    assert_eq!(found(false).await["variants"], json!([]));
    let archived = found(true).await["variants"][0].clone();
    assert_eq!(
        (&archived["is_archived"], &archived["archived_at"]),
        (&json!(true), &json!("2026-01-01T00:00:00Z"))
    );
    let id = archived["item_id"].clone();
    assert_eq!(
        it.get("get_item", json!({ "id": id, "include_archived": true })).await["variants"][0]["is_archived"],
        true
    );
    assert!(
        it.error("get_customer", json!({ "id": it.ada }))
            .await
            .contains("is archived or deleted: set include_deleted")
    );
    let customer = it.get("get_customer", json!({ "id": it.ada, "include_deleted": true })).await;
    assert_eq!(customer["is_deleted"], true);
    assert_eq!(it.get("search_customers", json!({ "query": "ada" })).await["customers"], json!([]));
    // What refers to it still shows its name.
    let bom = it.get("get_product_bom", json!({ "sku_or_variant_id": "TABLE" })).await;
    assert_eq!(bom["rows"][0]["name"], "Frame");
}

#[tokio::test]
async fn a_search_finds_beginnings_of_words_and_what_is_similar() {
    let it = Workshop::open().await;
    let skus = async |query: &str| {
        let found = it.get("search_items", json!({ "query": query })).await;
        let skus: Vec<_> = found["variants"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|it| it["sku"].as_str().unwrap_or_default().to_owned())
            .collect();
        (skus, found["is_fuzzy"] == true)
    };
    assert_eq!(skus("oak bo").await, (vec!["BOARD".to_owned()], false));
    assert_eq!(skus("FRAM").await, (vec!["FRAME".to_owned()], false));
    assert_eq!(skus("tabel").await, (vec!["TABLE".to_owned()], true));
    for strange in ["\"", "' OR 1=1 --", "%", "NEAR(", "🙂", "a*b"] {
        let _ = skus(strange).await;
    }
    let materials = it.get("search_items", json!({ "query": "b", "type": "material" })).await;
    assert_eq!(materials["variants"].as_array().map(Vec::len), Some(2));
    let customers = it.get("search_customers", json!({ "query": "lovel trade" })).await;
    assert_eq!(customers["customers"][0]["name"], "Ada Lovelace");
}

#[tokio::test]
async fn r5_3_there_is_no_format_and_unknown_names_are_refused() {
    let it = Workshop::open().await;
    for tool in it.client.list_tools().await.expect("tools") {
        let schema: serde_json::Value = serde_json::from_str(tool.input_schema.get()).expect("JSON");
        assert!(schema["properties"]["format"].is_null(), "{}", tool.name);
        assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
        let why = it.error(&tool.name, json!({ "format": "markdown" })).await;
        assert!(why.contains("format") || why.contains("expected"), "{}: {why}", tool.name);
    }
    let why = it.error("list_locations", json!({ "format": "markdown" })).await;
    assert!(why.contains("format"), "{why}");
    let rows = json!({ "supplier_id": it.supplier, "rows": [{ "sku_or_variant_id": "BOARD", "quantity": 1, "landed_cost": 3 }] });
    let why = it.error("create_purchase_order", rows).await;
    assert!(
        why.contains("landed_cost") && why.contains("derived") && why.contains("`price_per_unit`"),
        "{why}"
    );
}

#[tokio::test]
async fn resources_and_prompts_carry_what_is_there_now() {
    let it = Workshop::open().await;
    let read = async |uri: &str| {
        it.client.read_resource(uri).await.map(|it| it.contents[0].as_text().unwrap_or_default().to_owned())
    };
    assert!(read("inventory://items").await.expect("items").contains("\"sku\":\"BOARD\""));
    for topic in ["workflows", "tools", "resources"] {
        assert!(read(&format!("inventory://help/{topic}")).await.expect("help").starts_with("# "), "{topic}");
    }
    assert!(read("inventory://help/nothing").await.is_err());
    assert!(read("inventory://orders/1").await.is_err(), "a location is no order");
    let id = it.purchase(json!([{ "sku_or_variant_id": "BOARD", "quantity": 5 }])).await;
    let prompt = async |name: &str, arguments| {
        let prompt = it.client.get_prompt(name, arguments).await;
        prompt.map(|it| it.messages[0].content.as_text().unwrap_or_default().to_owned())
    };
    let text = prompt("receive_delivery", json!({ "order_id": id.to_string() })).await.expect("a prompt");
    assert!(text.contains("\"number\": \"PO-1\"") && text.contains("verify_order_document"), "{text}");
    assert!(
        prompt("fulfill_sales_order", json!({ "order_id": id.to_string() })).await.is_err(),
        "not a sales order"
    );
    let text = prompt("reorder_low_stock", json!({ "threshold": "5" })).await.expect("a prompt");
    assert!(text.contains("\"sku\": \"TABLE\"") && !text.contains("\"sku\": \"BOLT\""), "{text}");
}

#[tokio::test]
async fn r5_18_low_stock_is_below_the_threshold_or_the_safety_stock() {
    let it = Workshop::open().await;
    it.sale(json!([{ "sku_or_variant_id": "BOARD", "quantity": 98 }])).await;
    let low = it.get("list_low_stock_items", json!({ "threshold": 5 })).await;
    let rows: Vec<_> = low["items"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| (it["sku"].as_str().unwrap_or_default(), it["shortage"].as_i64()))
        .collect();
    assert_eq!(rows, [("FRAME", Some(5)), ("TABLE", Some(5)), ("BOARD", Some(3))]);
    let attic =
        it.get("list_low_stock_items", json!({ "threshold": 0, "location_id": it.attic, "limit": 1 })).await;
    assert_eq!(
        (&attic["items"][0]["sku"], &attic["items"][0]["shortage"], &attic["total"]),
        (&json!("BOLT"), &json!(40), &json!(2))
    );
    assert_eq!(low["items"][2]["supplier"]["name"], "Timber");
}

#[test]
fn a_file_of_something_else_a_newer_one_and_a_locked_one_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = |name: &str| {
        Store::open(&folder.path().join(name), Clock::default()).map(|_| ()).map_err(|it| it.to_string())
    };
    std::fs::write(folder.path().join("text"), "no database").expect("a file");
    assert_eq!(open("text"), Err("it is no SQLite database".to_owned()));
    let other = Connection::open(folder.path().join("other")).expect("a database");
    other.execute_batch("CREATE TABLE a (b)").expect("a table");
    assert_eq!(open("other"), Err("it is a database of another program".to_owned()));
    open("ours").expect("a new inventory");
    let ours = Connection::open(folder.path().join("ours")).expect("the file");
    ours.pragma_update(None, "user_version", 99).expect("a version");
    assert_eq!(
        open("ours"),
        Err("expected an inventory of version 1, but found the newer version 99".to_owned())
    );
    ours.pragma_update(None, "user_version", 1).expect("a version");
    open("ours").expect("our version again");
    assert!(open("no/such/folder").is_ok(), "folders are made");
}

#[tokio::test]
async fn while_another_program_writes_a_change_waits_and_then_says_that_the_file_is_locked() {
    let it = Workshop::open().await;
    let other = Connection::open(&it.path).expect("the file");
    other.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    let sale = json!({ "customer_id": it.ada, "rows": [{ "sku_or_variant_id": "BOARD", "quantity": 1 }], "preview": false });
    let why = it.error("create_sales_order", sale).await;
    assert!(why.contains("the inventory can't be used: another program has it locked"), "{why}");
    it.get("check_inventory", json!({ "skus_or_variant_ids": ["BOARD"] })).await;
    other.execute_batch("COMMIT").expect("unlocked");
    it.sale(json!([{ "sku_or_variant_id": "BOARD", "quantity": 1 }])).await;
}

#[tokio::test]
async fn a_search_of_similar_names_has_a_limit() {
    let it = Workshop::open().await;
    let db = Connection::open(&it.path).expect("the file");
    let many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
        INSERT INTO words (rowid, name, code, more, kind) SELECT i + 100000, 'Filler ' || i, '', '', 'customer' FROM n";
    db.execute(many, []).expect("30,000 names");
    let last =
        "INSERT INTO words (rowid, name, code, more, kind) VALUES (200000, 'Zyxwvut', '', '', 'customer')";
    db.execute(last, []).expect("one more");
    for (id, name) in [(110_000, "Filler 10000"), (200_000, "Zyxwvut")] {
        let insert = "INSERT INTO customer (id, name, currency, discount_rate, created_at) VALUES (?1, ?2, 'EUR', 0, '2026-01-01T00:00:00Z')";
        db.execute(insert, rusqlite::params![id, name]).expect("a customer");
    }
    let fill = "INSERT INTO customer (id, name, currency, discount_rate, created_at)
        SELECT rowid, name, 'EUR', 0, '2026-01-01T00:00:00Z' FROM words
        WHERE kind = 'customer' AND rowid > 100000 AND rowid NOT IN (110000, 200000)";
    db.execute(fill, []).expect("customers");
    let found = async |query: &str| {
        it.get("search_customers", json!({ "query": query })).await["customers"]
            .as_array()
            .map_or(0, Vec::len)
    };
    assert_eq!(found("Zyxwvut").await, 1, "by its word");
    assert_eq!(found("Zyxwvvt").await, 0, "the 30,001st is not compared");
    assert!(it.error("list_sales_orders", json!({ "query": "q".repeat(201) })).await.contains("at most 200"));
}

/// The tools that seed 004 names.
const OF_THE_SEED: [&str; 25] = [
    "rebuild_cache",
    "search_customers",
    "get_customer",
    "search_items",
    "get_item",
    "get_variant_details",
    "check_inventory",
    "list_low_stock_items",
    "list_manufacturing_orders",
    "get_manufacturing_order",
    "modify_manufacturing_order",
    "get_manufacturing_order_recipe",
    "list_purchase_orders",
    "get_purchase_order",
    "modify_purchase_order",
    "receive_purchase_order",
    "list_sales_orders",
    "get_sales_order",
    "modify_sales_order",
    "list_stock_transfers",
    "get_stock_transfer",
    "modify_stock_transfer",
    "top_selling_variants",
    "sales_summary",
    "inventory_velocity",
];

#[tokio::test]
async fn r5_7_and_r5_23_all_tools_are_there_and_each_has_a_card() {
    let it = Workshop::open().await;
    let tools = it.client.list_tools().await.expect("tools");
    for name in OF_THE_SEED {
        assert!(tools.iter().any(|it| it.name == name), "{name}");
    }
    let mut previews = 0;
    for tool in &tools {
        let card = tool.meta.as_ref().is_some_and(|it| it.get().contains("ui://plainwire/card.html"));
        assert!(card, "{}", tool.name);
        previews += usize::from(tool.input_schema.get().contains("\"preview\""));
    }
    assert_eq!((tools.len(), previews), (45, 20));
    // Without a card, the text alone has all of it.
    let order = json!({ "customer_id": it.ada, "rows": [{ "sku_or_variant_id": "BOARD", "quantity": 1 }] });
    let preview = it.call("create_sales_order", order).await;
    let text: serde_json::Value = serde_json::from_str(&crate::workshop::text(&preview)).expect("JSON");
    assert_eq!(text, crate::workshop::value(&preview));
}

#[tokio::test]
async fn r5_21_stock_and_search_do_not_read_the_ledger() {
    let it = Workshop::open().await;
    let stock = json!({ "skus_or_variant_ids": ["BOARD", "BOLT"] });
    let calls = [
        ("check_inventory", stock),
        ("search_items", json!({ "query": "oak" })),
        ("list_low_stock_items", json!({})),
    ];
    let mut before = Vec::new();
    for (tool, arguments) in calls.clone() {
        before.push(it.get(tool, arguments).await);
    }
    // However many movements there are: their time does not depend on them. `inventory-speed` measures it.
    let db = Connection::open(&it.path).expect("the file");
    db.execute_batch("ALTER TABLE movement RENAME TO hidden").expect("no ledger");
    for ((tool, arguments), before) in calls.into_iter().zip(before) {
        assert_eq!(it.get(tool, arguments).await, before, "{tool}");
    }
    let moved = it.call("get_inventory_movements", json!({ "sku_or_variant_id": "BOARD" })).await;
    assert!(moved.is_error, "the ledger is hidden");
}
