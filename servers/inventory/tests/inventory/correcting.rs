//! R5.16: corrections of what has happened, and deletion.

use serde_json::json;

use crate::workshop::{Workshop, row};

#[tokio::test]
async fn r5_16_a_receipt_is_corrected_at_its_date() {
    let it = Workshop::open().await;
    let id =
        it.purchase(json!([{ "sku_or_variant_id": "BOARD", "quantity": 50, "price_per_unit": 8 }])).await;
    let order = it.order("purchase_order", &id).await;
    let rows = |quantity: i64| json!([{ "row_id": row(&order, 0), "quantity": quantity }]);
    let why = it.blocked("correct_purchase_order", json!({ "id": id, "update_rows": rows(40) })).await;
    assert!(why.starts_with("the status is NOT_RECEIVED, and `reopen` needs"), "{why}");
    it.apply("receive_purchase_order", json!({ "order_id": id, "received_date": "2026-06-30" })).await;
    let wrong = json!({ "id": id, "update_rows": [{ "row_id": row(&order, 0), "quantity": 40, "price_per_unit": 7.5 }] });
    let change = it.apply("correct_purchase_order", wrong).await;
    assert_eq!(
        (&change["state"]["status"], &change["state"]["done_at"]),
        (&json!("RECEIVED"), &json!("2026-06-30T00:00:00Z"))
    );
    // 100 at 5 and 40 at 7.5, but for the rounding of the averages between.
    assert_eq!(it.stock("BOARD", it.main).await, [json!(140), json!(0), json!(0), json!(5.714285)]);
    let moved = it.get("get_inventory_movements", json!({ "sku_or_variant_id": "BOARD", "limit": 2 })).await;
    assert!(
        moved["movements"]
            .as_array()
            .is_some_and(|all| all.iter().all(|it| it["at"] == "2026-06-30T00:00:00Z")),
        "{moved}"
    );
    // What was received is sold: it can't be corrected away.
    let sale = it.sale(json!([{ "sku_or_variant_id": "BOARD", "quantity": 130 }])).await;
    it.apply("fulfill_order", json!({ "order_id": sale, "order_type": "sales" })).await;
    let why = it.blocked("correct_purchase_order", json!({ "id": id, "update_rows": rows(20) })).await;
    assert!(why.starts_with("BOARD at Main: 40 needed, but 30 in stock"), "{why}");
    let freight = it.apply("correct_purchase_order", json!({ "id": id, "additional_cost": 20 })).await;
    assert_eq!(freight["state"]["rows"][0]["landed_cost"], 8);
    for tool in ["purchase", "sales"] {
        let id = if tool == "sales" { &sale } else { &id };
        let why = it.blocked(&format!("delete_{tool}_order"), json!({ "id": id })).await;
        assert!(why.contains("movements of stock belong to the order"), "{why}");
    }
}

#[tokio::test]
async fn r5_16_a_delivery_is_corrected_and_its_cost_follows() {
    let it = Workshop::open().await;
    let id = it.sale(json!([{ "sku_or_variant_id": "BOARD", "quantity": 10 }])).await;
    it.apply("fulfill_order", json!({ "order_id": id, "order_type": "sales", "completed_at": "2026-06-30" }))
        .await;
    let order = it.order("sales_order", &id).await;
    let fix = json!({ "id": id, "update_rows": [{ "row_id": row(&order, 0), "quantity": 8, "price_per_unit": 10, "total_discount": 0 }] });
    let preview = it.get("correct_sales_order", fix.clone()).await;
    assert_eq!(preview["is_preview"], true);
    let change = it.apply("correct_sales_order", fix).await;
    assert_eq!(preview["changes"], change["changes"], "an apply does what the preview showed");
    let state = &change["state"];
    assert_eq!(
        (&state["status"], &state["done_at"], &state["total"]),
        (&json!("DELIVERED"), &json!("2026-06-30T00:00:00Z"), &json!(80))
    );
    assert_eq!(
        (&state["rows"][0]["cost"], &change["prior_state"]["rows"][0]["cost"]),
        (&json!(40), &json!(50))
    );
    assert_eq!(it.stock("BOARD", it.main).await, [json!(92), json!(0), json!(0), json!(5)]);
}

#[tokio::test]
async fn r5_16_a_production_is_corrected_and_the_cost_of_the_product_follows() {
    let it = Workshop::open().await;
    let id = it.making("FRAME", 10).await;
    let make = json!({ "order_id": id, "order_type": "manufacturing", "completed_at": "2026-06-30" });
    it.apply("fulfill_order", make).await;
    let order = it.order("manufacturing_order", &id).await;
    let fix = json!({ "id": id, "completed_quantity": 9, "update_rows": [{ "row_id": row(&order, 0), "consumed_quantity": 23 }] });
    let state = it.apply("correct_manufacturing_order", fix).await["state"].clone();
    assert_eq!(
        (&state["status"], &state["planned_quantity"], &state["done_at"]),
        (&json!("DONE"), &json!(9), &json!("2026-06-30T00:00:00Z"))
    );
    // 23 boards at 5 and 40 bolts at 0.1 for 9 frames.
    assert_eq!(it.stock("FRAME", it.main).await, [json!(9), json!(0), json!(0), json!(13.222222)]);
    assert_eq!(it.stock("BOARD", it.main).await, [json!(77), json!(0), json!(0), json!(5)]);
    let why = it.blocked("delete_manufacturing_order", json!({ "id": id })).await;
    assert!(why.contains("movements of stock belong to the order: correct it"), "{why}");
}
