//! What no tool takes: each with an error that names the field and the rule, and an inventory that is as it was.

use serde_json::{Value, json};

use crate::workshop::Workshop;

#[tokio::test]
async fn amounts_dates_and_ids_that_are_wrong_are_refused_by_name() {
    let it = Workshop::open().await;
    let sale = |field: &str, wrong: Value| {
        let mut arguments = json!({ "customer_id": it.ada, "rows": [{ "sku_or_variant_id": "BOARD", "quantity": 1 }], "preview": false });
        match field {
            "delivery_date" | "order_no" | "location_id" | "customer_id" | "rows" | "notes" => {
                arguments[field] = wrong
            }
            _ => arguments["rows"][0][field] = wrong,
        }
        arguments
    };
    for (field, wrong, why) in [
        ("quantity", json!(0), "expected `quantity` to be above 0, but found 0"),
        ("quantity", json!(-2.5), "expected `quantity` to be above 0, but found -2.5"),
        ("quantity", json!(1e30), "at most 999999999"),
        ("quantity", json!("NaN"), "to be a number, but found"),
        ("quantity", json!("Infinity"), "to be a number, but found"),
        ("quantity", json!(0.0000001), "at most 6 decimal places"),
        ("quantity", json!([1]), "quantity"),
        ("quantity", json!(true), "quantity"),
        ("price_per_unit", json!(-1), "expected `price_per_unit` of at least 0, but found -1"),
        ("total_discount", json!(100), "expected `total_discount` of at most 9, but found 100"),
        ("sku_or_variant_id", json!("nope"), "expected the SKU of a variant, but found \"nope\""),
        ("sku_or_variant_id", json!("' OR 1=1; -- % 🙂"), "expected the SKU of a variant"),
        ("sku_or_variant_id", json!(""), "an empty text"),
        ("sku_or_variant_id", json!(it.ada), "is the id of a customer"),
        ("delivery_date", json!("2026-02-30"), "expected a date"),
        ("delivery_date", json!("2026-06-30T10:00:00"), "a time with its zone such as 2026-02-28T09:30:00Z"),
        ("delivery_date", json!("tomorrow"), "expected a date"),
        ("delivery_date", json!("9999-01-01"), "expected a year from 1900 to 2199"),
        ("order_no", json!(" "), "expected `order_no` with 1 to 40 characters on one line"),
        ("order_no", json!("a\u{1b}[2J"), "expected `order_no`"),
        ("location_id", json!(it.supplier), "expected the id of a location, but"),
        ("location_id", json!(1), "expected the id of a location"),
        ("customer_id", json!(it.supplier), "expected the id of a customer, but"),
        ("customer_id", json!(987654), "but nothing has the id 987654"),
        ("rows", json!([]), "expected 1 to 500 rows, but found 0"),
        ("notes", json!("n".repeat(2_001)), "notes"),
    ] {
        let found = it.error("create_sales_order", sale(field, wrong.clone())).await;
        assert!(found.contains(why), "{field} {wrong}: {found}");
    }
    let many: Vec<_> = (0..501).map(|_| json!({ "sku_or_variant_id": "BOLT", "quantity": 1 })).collect();
    assert!(
        it.error("create_sales_order", sale("rows", json!(many)))
            .await
            .contains("expected 1 to 500 rows, but found 501")
    );
    let large = json!({ "reason": "?", "rows": [{ "sku_or_variant_id": "BOARD", "quantity": 999999999, "cost_per_unit": 999999999 }], "preview": false });
    it.error("create_sales_order", sale("price_per_unit", json!(1_000_000_000))).await;
    let rich = it.call("create_stock_adjustment", large).await;
    if !rich.is_error {
        it.sound();
    }
}

#[tokio::test]
async fn an_id_of_another_kind_is_told_by_its_kind() {
    let it = Workshop::open().await;
    let sale = it.sale(json!([{ "sku_or_variant_id": "BOARD", "quantity": 1 }])).await;
    let purchase = it.purchase(json!([{ "sku_or_variant_id": "BOARD", "quantity": 1 }])).await;
    for (tool, arguments, why) in [
        (
            "get_purchase_order",
            json!({ "id": sale }),
            format!("expected the id of a purchase order, but {sale} is the id of a sales order"),
        ),
        (
            "receive_purchase_order",
            json!({ "order_id": sale }),
            "expected the id of a purchase order".to_owned(),
        ),
        (
            "fulfill_order",
            json!({ "order_id": purchase, "order_type": "sales" }),
            "is the id of a purchase order".to_owned(),
        ),
        ("get_customer", json!({ "id": purchase }), "expected the id of a customer, but".to_owned()),
        ("get_item", json!({ "id": it.ada }), "expected the id of an item, but".to_owned()),
        (
            "get_sales_order",
            json!({ "order_no": "PO-1" }),
            "expected the number of a sales order, but found \"PO-1\"".to_owned(),
        ),
        ("get_sales_order", json!({}), "expected either `id` or `order_no`".to_owned()),
        (
            "list_sales_orders",
            json!({ "status": "RECEIVED" }),
            "expected `status` to be one of NOT_SHIPPED, PACKED".to_owned(),
        ),
        (
            "list_sales_orders",
            json!({ "limit": 0 }),
            "expected `arguments.limit` to be at least 1, but found 0".to_owned(),
        ),
        (
            "check_inventory",
            json!({ "skus_or_variant_ids": [] }),
            "expected at least one SKU or id".to_owned(),
        ),
        (
            "inventory_at",
            json!({ "skus_or_variant_ids": ["BOLT"], "as_of": "2026-07-01" }),
            "expected `as_of` at 2026-06-30 or before, but found 2026-07-01T23:59:59Z".to_owned(),
        ),
        (
            "sales_summary",
            json!({ "start_date": "2026-02-01", "end_date": "2026-01-01", "group_by": "day" }),
            "expected `end_date` at 2026-02-01 or later".to_owned(),
        ),
        (
            "create_manufacturing_order",
            json!({ "planned_quantity": 1 }),
            "expected either `sku_or_variant_id` or `sales_order_row_id`".to_owned(),
        ),
        (
            "fulfill_order",
            json!({ "order_id": sale, "order_type": "sales", "quantity": 1 }),
            "expected `rows` for a sales order".to_owned(),
        ),
    ] {
        let found = it.error(tool, arguments.clone()).await;
        assert!(found.contains(&why), "{tool} {arguments}: {found}");
    }
    let many: Vec<i64> = (1..=1_001).collect();
    assert!(
        it.error("check_inventory", json!({ "skus_or_variant_ids": many }))
            .await
            .contains("at most 1000 elements, but found 1001")
    );
}

#[tokio::test]
async fn each_tool_refuses_unknown_names_and_wrong_types() {
    let it = Workshop::open().await;
    let tools = it.client.list_tools().await.expect("tools");
    assert_eq!(tools.len(), 45);
    for tool in tools {
        let schema: Value = serde_json::from_str(tool.input_schema.get()).expect("JSON");
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        for name in properties.keys() {
            let why = it.error(&tool.name, json!({ (name): { "a": [{ "b": null }] }, "surprise": 1 })).await;
            assert!(why.contains("expected"), "{} {name}: {why}", tool.name);
        }
        let why = it.error(&tool.name, json!({ "surprise": 1 })).await;
        assert!(why.contains("surprise") || why.contains("expected"), "{}: {why}", tool.name);
    }
}
