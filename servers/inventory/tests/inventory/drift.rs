//! `check` finds each kind of drift that is planted in a file, and `rebuild_cache` mends what follows from the ledger.

use plainwire_inventory::ledger::check::check;
use plainwire_inventory::store::{Clock, Store};
use rusqlite::Connection;
use serde_json::json;

use crate::workshop::Workshop;

/// Statements that plant drift, and the rule that finds it.
const PLANTED: &[(&str, &str)] = &[
    ("UPDATE stock SET in_stock = in_stock + 1 WHERE in_stock > 0", "stock differs from the ledger"),
    ("DELETE FROM stock WHERE in_stock > 0", "stock of a variant that moved is not kept"),
    (
        "UPDATE stock SET average_cost = average_cost + 1 WHERE in_stock > 0",
        "average cost differs from the ledger",
    ),
    ("UPDATE promise SET committed = committed + 1", "promise differs from the orders"),
    ("UPDATE stock SET committed = committed + 1", "committed or expected differ"),
    ("UPDATE line SET done = done + 1 WHERE done > 0", "row of an order differs from its movements"),
    (
        "UPDATE orders SET completed = completed + 1 WHERE completed > 0",
        "output of a manufacturing order differs",
    ),
    (
        "UPDATE movement SET quantity = quantity + 1 WHERE cause = 'transfer' AND quantity > 0",
        "does not conserve its stock",
    ),
    ("UPDATE orders SET status = 'draft' WHERE status = 'inTransit'", "stock transfer in a state"),
    (
        "UPDATE orders SET status = 'NOT_SHIPPED' WHERE status = 'DELIVERED'",
        "status of an order does not follow",
    ),
    ("UPDATE line SET quantity = 1 WHERE done > 1000000", "done beyond its quantity"),
    (
        "UPDATE orders SET deleted_at = '2026-01-01T00:00:00Z' WHERE status = 'DELIVERED'",
        "order that was deleted has stock",
    ),
    (
        "INSERT INTO bom_row SELECT 9999, ingredient_id, variant_id, 1000000, NULL, 1 FROM bom_row LIMIT 1",
        "contains itself",
    ),
    ("UPDATE orders SET sales_line_id = (SELECT id FROM line LIMIT 1)", "make one row to order"),
    ("UPDATE words SET name = 'else'", "words of the search differ"),
    ("UPDATE line SET variant_id = 987654", "reference leads nowhere"),
    ("UPDATE movement SET balance_after = balance_after + 1", "balance of movement"),
    ("UPDATE movement SET average_cost_after = average_cost_after + 1", "average cost of movement"),
    ("UPDATE movement SET value_per_unit = value_per_unit + 1 WHERE quantity < 0", "cost of movement"),
    ("UPDATE movement SET balance_after = -1", "is below zero"),
    (
        "UPDATE movement SET reverses = (SELECT min(id) FROM movement) WHERE id = (SELECT max(id) FROM movement)",
        "takes back what its movement did not do",
    ),
];

/// A workshop with an order of each type.
async fn busy() -> Workshop {
    let it = Workshop::open().await;
    let buy =
        it.purchase(json!([{ "sku_or_variant_id": "BOARD", "quantity": 20, "price_per_unit": 7 }])).await;
    it.apply("receive_purchase_order", json!({ "order_id": buy })).await;
    let make = it.making("FRAME", 4).await;
    it.apply("fulfill_order", json!({ "order_id": make, "order_type": "manufacturing" })).await;
    it.making("TABLE", 1).await;
    let sell = it.sale(json!([{ "sku_or_variant_id": "FRAME", "quantity": 2 }])).await;
    it.apply("fulfill_order", json!({ "order_id": sell, "order_type": "sales" })).await;
    it.sale(json!([{ "sku_or_variant_id": "FRAME", "quantity": 1 }])).await;
    let rows = json!([{ "sku_or_variant_id": "BOLT", "quantity": 5 }]);
    let send = json!({ "source_location_id": it.main, "target_location_id": it.attic, "rows": rows });
    let send = it.apply("create_stock_transfer", send).await["entity_id"].clone();
    it.apply("modify_stock_transfer", json!({ "id": send, "update_header": { "status": "inTransit" } }))
        .await;
    it
}

#[tokio::test]
async fn a_check_finds_planted_drift_of_each_kind() {
    let it = busy().await;
    let folder = tempfile::tempdir().expect("a folder");
    for (n, (plant, rule)) in PLANTED.iter().enumerate() {
        let path = folder.path().join(format!("{n}.db"));
        plainwire_inventory::store::backup::backup(&it.path, &path).expect("a copy");
        let store = Store::open(&path, Clock::default()).expect("the copy");
        assert_eq!(store.read(|db| Ok(check(db)?)).expect("a check"), Vec::<String>::new());
        let db = Connection::open(&path).expect("the copy");
        db.execute_batch("PRAGMA foreign_keys = OFF; DROP TRIGGER movements_stay;").expect("no guard");
        db.execute_batch(plant).expect(plant);
        let findings = store.read(|db| Ok(check(db)?)).expect("a check");
        assert!(findings.iter().any(|it| it.contains(rule)), "{plant}: {findings:?}");
    }
}

#[tokio::test]
async fn a_rebuild_mends_what_follows_from_the_ledger() {
    let it = busy().await;
    let sound = it.dump();
    let db = Connection::open(&it.path).expect("the file");
    db.execute_batch(
        "UPDATE stock SET in_stock = in_stock + 7, committed = 3; DELETE FROM promise; DELETE FROM words;",
    )
    .expect("drift");
    let preview = it.get("rebuild_cache", json!({})).await;
    let drift = preview["drift"].as_array().map_or(0, Vec::len);
    assert!(drift > 3 && preview["is_preview"] == true, "{preview}");
    let done = it.get("rebuild_cache", json!({ "preview": false })).await;
    assert_eq!((&done["is_preview"], done["drift"].as_array().map(Vec::len)), (&json!(false), Some(drift)));
    it.sound();
    let kept = |dump: &str| {
        dump.lines()
            .filter(|it| it.starts_with("stock ") || it.starts_with("promise "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(kept(&it.dump()), kept(&sound));
    assert_eq!(it.get("search_items", json!({ "query": "frame" })).await["variants"][0]["sku"], "FRAME");
}

#[tokio::test]
async fn the_ledger_refuses_to_be_changed() {
    let it = busy().await;
    let db = Connection::open(&it.path).expect("the file");
    for change in ["UPDATE movement SET quantity = 1", "DELETE FROM movement"] {
        let error = db.execute_batch(change).expect_err(change).to_string();
        assert!(error.contains("the ledger only grows"), "{error}");
    }
}
