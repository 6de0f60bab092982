//! R5.14, R5.15 and R5.11: sales orders, transfers, and what is committed and expected.

use serde_json::json;

use crate::workshop::{Workshop, row};

#[tokio::test]
async fn r5_14_an_order_is_packed_and_delivered_in_parts() {
    let it = Workshop::open().await;
    let id = it.sale(json!([{ "sku_or_variant_id": "BOARD", "quantity": 10 }, { "sku_or_variant_id": "BOLT", "quantity": 3 }])).await;
    assert_eq!(it.stock("BOARD", it.main).await, [json!(100), json!(10), json!(0), json!(5)]);
    let packed = json!({ "id": id, "update_header": { "status": "PACKED" } });
    let change = it.apply("modify_sales_order", packed).await;
    assert_eq!(
        (&change["state"]["status"], &change["state"]["total"]),
        (&json!("PACKED"), &json!(82.35)),
        "less 10 %"
    );
    let order = it.order("sales_order", &id).await;
    assert_eq!(order["rows"][0]["availability"], "IN_STOCK");
    let part = json!({ "order_id": id, "order_type": "sales", "rows": [{ "row_id": row(&order, 0), "quantity": 4 }] });
    let change = it.apply("fulfill_order", part).await;
    assert_eq!(
        (&change["state"]["status"], &change["state"]["rows"][0]["cost"]),
        (&json!("PARTIALLY_DELIVERED"), &json!(20))
    );
    assert_eq!(it.stock("BOARD", it.main).await, [json!(96), json!(6), json!(0), json!(5)]);
    let all = json!({ "order_id": id, "order_type": "sales" });
    assert_eq!(it.apply("fulfill_order", all.clone()).await["state"]["status"], "DELIVERED");
    let why = it.blocked("fulfill_order", all).await;
    assert_eq!(
        why,
        "the status is DELIVERED, and `deliver_part` needs NOT_SHIPPED or PACKED or PARTIALLY_DELIVERED"
    );
    let why = it
        .blocked("modify_sales_order", json!({ "id": id, "update_header": { "status": "NOT_SHIPPED" } }))
        .await;
    assert_eq!(why, "the status is DELIVERED, and `unpack` needs PACKED");
}

#[tokio::test]
async fn r5_14_what_is_short_is_not_delivered_and_each_shortage_is_told() {
    let it = Workshop::open().await;
    let id = it.sale(json!([{ "sku_or_variant_id": "BOARD", "quantity": 101 }, { "sku_or_variant_id": "TABLE", "quantity": 1 }])).await;
    let why = it.blocked("fulfill_order", json!({ "order_id": id, "order_type": "sales" })).await;
    assert_eq!(why, "BOARD at Main: 101 needed, but 100 in stock; TABLE at Main: 1 needed, but 0 in stock");
    let order = it.order("sales_order", &id).await;
    assert_eq!(order["rows"][1]["availability"], "NOT_AVAILABLE");
    let order = order["rows"][1]["id"].clone();
    let made = it.apply("create_manufacturing_order", json!({ "sales_order_row_id": order })).await;
    assert_eq!(
        (&made["state"]["planned_quantity"], &made["state"]["sales_order_row_id"]),
        (&json!(1), &order)
    );
    assert_eq!(it.order("sales_order", &id).await["rows"][1]["availability"], "EXPECTED");
    let why = it.blocked("create_manufacturing_order", json!({ "sales_order_row_id": order })).await;
    assert_eq!(why, format!("row {order} is made to order already, by MO-1"), "linked once");
}

#[tokio::test]
async fn r5_14_goods_do_not_leave_before_they_were_made() {
    let it = Workshop::open().await;
    let found = json!({ "reason": "found", "rows": [{ "sku_or_variant_id": "FRAME", "quantity": 5, "cost_per_unit": 10 }] });
    it.apply("create_stock_adjustment", found).await;
    let id = it.sale(json!([{ "sku_or_variant_id": "FRAME", "quantity": 1 }])).await;
    let order = it.order("sales_order", &id).await;
    let made = it.apply("create_manufacturing_order", json!({ "sales_order_row_id": row(&order, 0) })).await
        ["entity_id"]
        .clone();
    it.apply("fulfill_order", json!({ "order_id": made, "order_type": "manufacturing" })).await;
    let early = json!({ "order_id": id, "order_type": "sales", "completed_at": "2026-06-30T11:00:00Z" });
    let mut early = early;
    early["completed_at"] = json!("2026-06-30");
    let why = it.blocked("fulfill_order", early.clone()).await;
    assert!(
        why.contains(
            "MO-1 was done at 2026-06-30T12:00:00Z, not before the goods leave at 2026-06-30T00:00:00Z"
        ),
        "{why}"
    );
    early["acknowledge_inventory_ordering"] = json!(true);
    let change = it.apply("fulfill_order", early).await;
    assert!(
        change["warnings"][0].as_str().is_some_and(|it| it.starts_with("WARNING (acknowledged): row ")),
        "{change}"
    );
}

#[tokio::test]
async fn r5_15_a_transfer_keeps_all_stock_and_its_cost() {
    let it = Workshop::open().await;
    let rows = json!([{ "sku_or_variant_id": "BOARD", "quantity": 40 }]);
    let same = json!({ "source_location_id": it.main, "target_location_id": it.main, "rows": rows });
    assert_eq!(it.blocked("create_stock_transfer", same).await, "source and target are both Main");
    let new = json!({ "source_location_id": it.main, "target_location_id": it.attic, "rows": rows });
    let id = it.apply("create_stock_transfer", new).await["entity_id"].clone();
    let to = |status: &str| json!({ "id": id, "update_header": { "status": status } });
    let why = it.blocked("modify_stock_transfer", to("received")).await;
    assert_eq!(why, "the status is draft, and `receive` needs inTransit");
    it.apply("modify_stock_transfer", to("inTransit")).await;
    assert_eq!(it.stock("BOARD", it.main).await[0], 60);
    let [in_stock, _, expected, _] = it.stock("BOARD", it.attic).await;
    assert_eq!((in_stock, expected), (json!(0), json!(40)), "expected where it goes to");
    let why = it.blocked("delete_stock_transfer", json!({ "id": id })).await;
    assert!(why.starts_with("movements of stock belong to the order"), "{why}");
    it.apply("modify_stock_transfer", to("received")).await;
    assert_eq!(
        it.stock("BOARD", it.attic).await,
        [json!(40), json!(0), json!(0), json!(5)],
        "at the cost that it had"
    );
    assert!(it.blocked("modify_stock_transfer", to("inTransit")).await.contains("`send` needs draft"));
    let rows =
        it.error("modify_stock_transfer", json!({ "id": id, "update_header": {}, "add_rows": [] })).await;
    assert!(rows.contains("add_rows"), "rows never change: {rows}");
}

#[tokio::test]
async fn r5_11_levels_follow_from_the_open_orders() {
    let it = Workshop::open().await;
    let buy = it.purchase(json!([{ "sku_or_variant_id": "BOARD", "quantity": 7 }])).await;
    let sell = it.sale(json!([{ "sku_or_variant_id": "BOARD", "quantity": 12 }])).await;
    let make = it.making("TABLE", 2).await;
    let found = it.get("check_inventory", json!({ "skus_or_variant_ids": ["BOARD", "TABLE"] })).await;
    let board = &found["items"][0];
    // Two tables need 3 boards; 12 are sold.
    for (level, expected) in
        [("committed", 15), ("expected", 7), ("available", 85), ("potential", 107), ("missing_or_excess", 92)]
    {
        assert_eq!(board[level], expected, "{level}");
    }
    let table = &found["items"][1];
    assert_eq!(
        (&table["expected"], &table["missing_or_excess"]),
        (&json!(2), &json!(0)),
        "less the safety stock of 2"
    );
    for (tool, id) in [("purchase_order", buy), ("sales_order", sell), ("manufacturing_order", make)] {
        it.apply(&format!("delete_{tool}"), json!({ "id": id })).await;
        assert!(it.error(&format!("get_{tool}"), json!({ "id": id })).await.contains("was deleted"));
        let kept = it.get(&format!("get_{tool}"), json!({ "id": id, "include_deleted": true })).await;
        assert_eq!(kept["is_deleted"], true);
    }
    assert_eq!(it.stock("BOARD", it.main).await, [json!(100), json!(0), json!(0), json!(5)]);
}
