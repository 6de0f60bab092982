//! R5.9: changes of many parts are ordered, made in one transaction, and told one by one.

use serde_json::json;

use crate::workshop::{Workshop, row};

#[tokio::test]
async fn r5_9_header_first_then_rows_added_updated_and_deleted() {
    let it = Workshop::open().await;
    let id = it
        .purchase(json!([{ "sku_or_variant_id": "BOARD", "quantity": 5 }, { "sku_or_variant_id": "BOLT", "quantity": 2 }]))
        .await;
    let order = it.order("purchase_order", &id).await;
    let change = it
        .apply(
            "modify_purchase_order",
            json!({
                "delete_row_ids": [row(&order, 1)], "update_rows": [{ "row_id": row(&order, 0), "quantity": 6 }],
                "add_rows": [{ "sku_or_variant_id": "BOLT", "quantity": 9 }],
                "update_header": { "expected_arrival_date": "2026-07-10" }, "id": id,
            }),
        )
        .await;
    let actions: Vec<_> = change["actions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| it["operation"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(actions, ["update_header", "add_row", "update_row", "delete_row"]);
    assert_eq!(change["prior_state"]["rows"], order["rows"], "so that a person can restore it");
    assert_eq!(
        change["actions"][2]["changes"][0],
        json!({ "field": format!("rows[{}].quantity", row(&order, 0)), "old": 5, "new": 6 })
    );
    assert_eq!(change["state"]["rows"].as_array().map(Vec::len), Some(2));
    assert_eq!(it.stock("BOLT", it.main).await[2], 900);
}

#[tokio::test]
async fn r5_9_what_fails_leaves_nothing_and_what_follows_it_is_not_tried() {
    let it = Workshop::open().await;
    let id = it.sale(json!([{ "sku_or_variant_id": "BOARD", "quantity": 5 }])).await;
    let order = it.order("sales_order", &id).await;
    let part = json!({ "order_id": id, "order_type": "sales", "rows": [{ "row_id": row(&order, 0), "quantity": 3 }] });
    it.apply("fulfill_order", part).await;
    let change = json!({
        "id": id, "update_header": { "notes": "gift" }, "update_rows": [{ "row_id": row(&order, 0), "quantity": 2 }],
        "delete_row_ids": [row(&order, 0)], "preview": false,
    });
    let before = it.dump();
    let change = it.get("modify_sales_order", change).await;
    assert_eq!((&change["is_preview"], it.dump() == before), (&json!(true), true));
    let actions: Vec<_> = change["actions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| (it["succeeded"].clone(), it["error"].clone()))
        .collect();
    let why = format!("row {}: 3 were delivered, more than the quantity 2", row(&order, 0));
    assert_eq!(actions, [(json!(true), json!(null)), (json!(false), json!(why))]);
    let missing =
        json!({ "id": id, "update_header": { "notes": "gift" }, "delete_row_ids": [1], "preview": false });
    let why = it.error("modify_sales_order", missing).await;
    assert!(why.contains("expected the id of a row of this order, but 1 is the id of a location"), "{why}");
    let last = it.purchase(json!([{ "sku_or_variant_id": "BOARD", "quantity": 5 }])).await;
    let only = it.order("purchase_order", &last).await;
    let none = json!({ "id": last, "delete_row_ids": [row(&only, 0)], "preview": false });
    assert!(it.error("modify_purchase_order", none).await.contains("expected 1 to 500 rows, but found 0"));
}

#[tokio::test]
async fn subscribers_hear_of_an_order_that_a_commit_changes() {
    use plainwire::client::Change;
    use plainwire::model::SubscriptionFilter;

    let it = Workshop::open().await;
    let id = it.sale(json!([{ "sku_or_variant_id": "BOARD", "quantity": 5 }])).await;
    let uri = format!("inventory://orders/{id}");
    let wanted = SubscriptionFilter {
        resource_subscriptions: vec![uri.clone(), "inventory://items".to_owned()],
        ..SubscriptionFilter::default()
    };
    let mut heard = it.client.listen(wanted).await.expect("a subscription");
    it.get("fulfill_order", json!({ "order_id": id, "order_type": "sales" })).await;
    it.apply("fulfill_order", json!({ "order_id": id, "order_type": "sales" })).await;
    assert_eq!(heard.next().await, Some(Change::Resource(uri.clone())));
    let read = it.client.read_resource(&uri).await.expect("the order");
    let order: serde_json::Value =
        serde_json::from_str(read.contents[0].as_text().unwrap_or_default()).expect("JSON");
    assert_eq!(order["status"], "DELIVERED", "what is read is what was committed");
}
