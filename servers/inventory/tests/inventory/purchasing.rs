//! R5.13 and R5.10: purchase orders, their receipts and what arrives in stock.

use serde_json::json;

use crate::workshop::{Workshop, row};

#[tokio::test]
async fn r5_13_an_order_is_placed_and_received_in_parts() {
    let it = Workshop::open().await;
    let draft = json!({ "supplier_id": it.supplier, "rows": [{ "sku_or_variant_id": "BOARD", "quantity": 50, "price_per_unit": 8 }] });
    let id = it.apply("create_purchase_order", draft).await["entity_id"].clone();
    assert_eq!(
        it.stock("BOARD", it.main).await,
        [json!(100), json!(0), json!(0), json!(5)],
        "a draft is not expected"
    );
    let why = it.blocked("receive_purchase_order", json!({ "order_id": id })).await;
    assert_eq!(why, "the status is DRAFT, and `receive_part` needs NOT_RECEIVED or PARTIALLY_RECEIVED");
    it.apply("modify_purchase_order", json!({ "id": id, "update_header": { "status": "NOT_RECEIVED" } }))
        .await;
    assert_eq!(it.stock("BOARD", it.main).await[2], json!(50));
    let order = it.order("purchase_order", &id).await;
    let part = json!({ "order_id": id, "rows": [{ "row_id": row(&order, 0), "quantity": 20 }] });
    let change = it.apply("receive_purchase_order", part).await;
    assert_eq!(change["state"]["status"], "PARTIALLY_RECEIVED");
    assert_eq!(change["state"]["rows"][0]["remaining_quantity"], 30);
    // 100 at 5 and 20 at 8.
    assert_eq!(it.stock("BOARD", it.main).await, [json!(120), json!(0), json!(30), json!(5.5)]);
    let more = json!({ "order_id": id, "rows": [{ "row_id": row(&order, 0), "quantity": 31 }] });
    let why = it.blocked("receive_purchase_order", more).await;
    assert_eq!(why, format!("BOARD (row {}): 31 to receive, but 30 remain", row(&order, 0)));
    let change = it.apply("receive_purchase_order", json!({ "order_id": id })).await;
    assert_eq!(
        (&change["state"]["status"], &change["state"]["done_at"]),
        (&json!("RECEIVED"), &json!("2026-06-30T12:00:00Z"))
    );
    let why = it.blocked("receive_purchase_order", json!({ "order_id": id })).await;
    assert!(why.starts_with("the status is RECEIVED"), "{why}");
}

#[tokio::test]
async fn r5_13_units_of_purchase_and_additional_costs_make_the_landed_cost() {
    let it = Workshop::open().await;
    let rows = json!([
        { "sku_or_variant_id": "BOLT", "quantity": 3, "price_per_unit": 12 },
        { "sku_or_variant_id": "BOARD", "quantity": 4, "price_per_unit": 6 },
    ]);
    let order =
        json!({ "supplier_id": it.supplier, "rows": rows, "status": "NOT_RECEIVED", "additional_cost": 15 });
    let made = it.apply("create_purchase_order", order).await;
    let rows = &made["state"]["rows"];
    // 15 over 36 and 24: a quarter of each value. A box has 100 bolts.
    assert_eq!((&rows[0]["landed_cost"], &rows[0]["purchase_uom"]), (&json!(0.15), &json!("box of 100")));
    assert_eq!((&rows[1]["landed_cost"], &made["state"]["total"]), (&json!(7.5), &json!(75)));
    assert_eq!(it.stock("BOLT", it.main).await[2], json!(300), "in units of stock");
    it.apply("receive_purchase_order", json!({ "order_id": made["entity_id"] })).await;
    // 1,000 at 0.1 and 300 at 0.15.
    assert_eq!(it.stock("BOLT", it.main).await, [json!(1300), json!(0), json!(0), json!(0.111538)]);
}

#[tokio::test]
async fn r5_13_goods_may_have_arrived_yesterday_but_not_tomorrow() {
    let it = Workshop::open().await;
    let id = it.purchase(json!([{ "sku_or_variant_id": "BOARD", "quantity": 1 }])).await;
    let tomorrow = json!({ "order_id": id, "received_date": "2026-07-01" });
    let why = it.error("receive_purchase_order", tomorrow).await;
    assert!(
        why.contains(
            "expected `received_date` at 2026-06-30T12:00:00Z or before, but found 2026-07-01T00:00:00Z"
        ),
        "{why}"
    );
    it.apply("receive_purchase_order", json!({ "order_id": id, "received_date": "2026-06-29" })).await;
    let moved = it.get("get_inventory_movements", json!({ "sku_or_variant_id": "BOARD", "limit": 1 })).await;
    assert_eq!(moved["movements"][0]["at"], "2026-06-29T00:00:00Z");
    let then =
        it.get("inventory_at", json!({ "skus_or_variant_ids": ["BOARD"], "as_of": "2026-06-29" })).await;
    assert_eq!((&then["items"][0]["in_stock"], &then["items"][0]["value_in_stock"]), (&json!(1), &json!(5)));
}

#[tokio::test]
async fn r5_13_a_document_is_compared_with_its_order() {
    let it = Workshop::open().await;
    let id = it
        .purchase(json!([
            { "sku_or_variant_id": "BOARD", "quantity": 10, "price_per_unit": 5 },
            { "sku_or_variant_id": "BOLT", "quantity": 1, "price_per_unit": 9 },
        ]))
        .await;
    let verify = async |items| {
        it.get("verify_order_document", json!({ "order_id": id, "document_items": items })).await
    };
    let same = verify(json!([
        { "sku": "BOARD", "quantity": 10, "unit_price": 5 }, { "sku": "BOLT", "quantity": "1", "unit_price": 9 },
    ]));
    assert_eq!(same.await["match"], "match");
    let other = verify(json!([
        { "sku": "BOARD", "quantity": 8, "unit_price": 5.5 }, { "sku": "BOLT", "quantity": 1 }, { "sku": "GLUE", "quantity": 2 },
    ]))
    .await;
    assert_eq!((&other["match"], &other["matches"]), (&json!("partial_match"), &json!(["BOLT"])));
    assert_eq!(
        other["discrepancies"],
        json!([
            { "type": "quantity_mismatch", "sku": "BOARD", "expected": 10, "found": 8 },
            { "type": "price_mismatch", "sku": "BOARD", "expected": 5, "found": 5.5 },
            { "type": "missing_in_po", "sku": "GLUE", "found": 2 },
        ])
    );
    assert_eq!(verify(json!([{ "sku": "GLUE", "quantity": 2 }])).await["match"], "no_match");
    let part = verify(json!([{ "sku": "BOLT", "quantity": 1 }])).await;
    assert_eq!((&part["match"], &part["not_in_document"]), (&json!("partial_match"), &json!(["BOARD"])));
}

#[tokio::test]
async fn r5_10_the_ledger_is_a_chain_whose_sum_is_the_stock() {
    let it = Workshop::open().await;
    let id =
        it.purchase(json!([{ "sku_or_variant_id": "BOARD", "quantity": 50, "price_per_unit": 8 }])).await;
    it.apply("receive_purchase_order", json!({ "order_id": id })).await;
    let sale = it.sale(json!([{ "sku_or_variant_id": "BOARD", "quantity": 30.5 }])).await;
    it.apply("fulfill_order", json!({ "order_id": sale, "order_type": "sales" })).await;
    let moved = it.get("get_inventory_movements", json!({ "sku_or_variant_id": "BOARD" })).await;
    let moved = moved["movements"].as_array().cloned().expect("movements");
    let row = |at: usize| {
        ["quantity", "value_per_unit", "balance_after", "average_cost_after"].map(|it| moved[at][it].clone())
    };
    assert_eq!(row(2), [100.into(), 5.into(), 100.into(), 5.into()].map(|it: serde_json::Value| it));
    assert_eq!(row(1), [json!(50), json!(8), json!(150), json!(6)]);
    assert_eq!(
        row(0),
        [json!(-30.5), json!(6), json!(119.5), json!(6)],
        "what leaves does not change the average"
    );
    assert_eq!((&moved[0]["value_in_stock_after"], &moved[0]["cause"]), (&json!(717), &json!("sale")));
    let away = json!({ "reason": "lost", "rows": [{ "sku_or_variant_id": "BOARD", "quantity": -120 }] });
    assert_eq!(
        it.blocked("create_stock_adjustment", away).await,
        "BOARD at Main: 120 needed, but 119.5 in stock"
    );
}
