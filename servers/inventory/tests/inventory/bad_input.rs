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

#[tokio::test]
async fn amounts_that_no_reader_could_read_are_refused_before_anything_is_written() {
    let it = Workshop::open().await;
    let rows: Vec<_> = (0..11)
        .map(|_| json!({ "sku_or_variant_id": "BOARD", "quantity": 999999999, "price_per_unit": 1000, "total_discount": 0 }))
        .collect();
    let mut rows = json!(rows);
    rows.as_array_mut()
        .expect("rows")
        .push(json!({ "sku_or_variant_id": "BOARD", "quantity": 1, "price_per_unit": 0.01 }));
    let why = it
        .error("create_sales_order", json!({ "customer_id": it.ada, "rows": rows, "preview": false }))
        .await;
    assert!(why.contains("has more than 15 digits"), "{why}");
    let buy = |row: Value| json!({ "supplier_id": it.supplier, "rows": [row], "status": "NOT_RECEIVED", "preview": false });
    let row = json!({ "sku_or_variant_id": "BOARD", "quantity": 1, "price_per_unit": 123456789.5, "purchase_uom_rate": 0.000007 });
    assert!(it.error("create_purchase_order", buy(row)).await.contains("15 digits"));
    let row = json!({ "sku_or_variant_id": "BOARD", "quantity": 1, "price_per_unit": 4, "purchase_uom_rate": 10000000 });
    assert!(
        it.error("create_purchase_order", buy(row)).await.contains("at least 0.000001 for a unit of stock")
    );
    let row = json!({ "sku_or_variant_id": "BOARD", "quantity": 999999999, "price_per_unit": 0, "purchase_uom_rate": 999.999999 });
    assert!(it.error("create_purchase_order", buy(row)).await.contains("expected an amount"));
    let rich = json!({ "sku_or_variant_id": "BOARD", "quantity": 999999999, "cost_per_unit": 999999998.01 });
    let why =
        it.error("create_stock_adjustment", json!({ "reason": "?", "rows": [rich], "preview": false })).await;
    assert!(why.contains("expected at most 999999999 of BOARD at a location"), "{why}");
    it.get("check_inventory", json!({ "skus_or_variant_ids": ["BOARD"] })).await;
}

#[tokio::test]
async fn a_bill_of_materials_has_limits() {
    let it = Workshop::open().await;
    let rows: Vec<_> = (0..501).map(|_| json!({ "ingredient": "BOLT", "quantity": 1 })).collect();
    let many = json!({ "sku_or_variant_id": "TABLE", "add_rows": rows, "preview": false });
    assert!(
        it.error("manage_product_bom", many)
            .await
            .contains("expected at most 500 elements of `add_rows`, but found 501")
    );
    // Each part is made of two others: 2, 4, 8 and so on.
    let mut items = "sku,name\n".to_owned();
    for level in 0..14 {
        items += &format!("L{level}A,L{level}A\nL{level}B,L{level}B\n");
    }
    let store = plainwire_inventory::store::Store::open(&it.path, Default::default()).expect("the inventory");
    let what = plainwire_inventory::import::What::Items;
    assert!(
        plainwire_inventory::import::run(&store, what, items.as_bytes(), true).expect("a report").is_ok()
    );
    let parts = |level: usize| json!([{ "ingredient": format!("L{level}A"), "quantity": 1 }, { "ingredient": format!("L{level}B"), "quantity": 1 }]);
    let mut refused = String::new();
    for level in 1..14 {
        for half in ["A", "B"] {
            let change = json!({ "sku_or_variant_id": format!("L{level}{half}"), "add_rows": parts(level - 1), "preview": false });
            let result = it.call("manage_product_bom", change).await;
            if result.is_error {
                refused = crate::workshop::text(&result);
            }
        }
        if !refused.is_empty() {
            break;
        }
    }
    assert!(refused.contains("expected a bill of materials of at most 5000 rows and 50 levels"), "{refused}");
    let make = json!({ "sku_or_variant_id": "L10A", "planned_quantity": 1, "create_subassemblies": true, "preview": false });
    let why = it.error("create_manufacturing_order", make).await;
    assert!(why.contains("expected at most 200 orders for subassemblies"), "{why}");
}

#[tokio::test]
async fn long_texts_and_many_rows_are_refused_and_errors_stay_short() {
    let it = Workshop::open().await;
    let id = it.sale(json!([{ "sku_or_variant_id": "BOARD", "quantity": 1 }])).await;
    let long = json!({ "id": id, "update_header": { "notes": "n".repeat(2_001) }, "preview": false });
    assert!(
        it.error("modify_sales_order", long)
            .await
            .contains("expected at most 2000 characters, but found 2001")
    );
    let rows: Vec<_> = (0..501).map(|_| json!({ "row_id": 1, "quantity": 1 })).collect();
    for (tool, arguments) in [
        ("fulfill_order", json!({ "order_id": id, "order_type": "sales", "rows": rows })),
        ("modify_sales_order", json!({ "id": id, "update_rows": rows })),
        ("correct_sales_order", json!({ "id": id, "update_rows": rows })),
    ] {
        assert!(it.error(tool, arguments).await.contains("expected at most 500 elements of `"), "{tool}");
    }
    for (tool, arguments) in [
        (
            "create_sales_order",
            json!({ "customer_id": it.ada, "rows": [{ "sku_or_variant_id": "x".repeat(6_000), "quantity": 1 }] }),
        ),
        ("get_sales_order", json!({ "order_no": "x".repeat(6_000) })),
        ("list_sales_orders", json!({ "status": "x".repeat(6_000) })),
        (
            "create_sales_order",
            json!({ "customer_id": it.ada, "order_no": "x".repeat(6_000), "rows": [{ "sku_or_variant_id": "BOARD", "quantity": 1 }] }),
        ),
    ] {
        let why = it.error(tool, arguments).await;
        assert!(why.len() < 300, "{tool}: {} bytes", why.len());
    }
    let moved = json!({ "source_location_id": it.main, "target_location_id": it.attic, "rows": [{ "sku_or_variant_id": "BOARD", "quantity": 1 }] });
    let moved = it.apply("create_stock_transfer", moved).await["entity_id"].clone();
    let to = |status: &str, at: &str| json!({ "id": moved, "update_header": { "status": status }, "moved_at": at });
    it.apply("modify_stock_transfer", to("inTransit", "2026-06-20")).await;
    let why = it.error("modify_stock_transfer", to("received", "2026-06-03")).await;
    assert!(
        why.contains("expected `moved_at` at 2026-06-20T00:00:00Z or after, when the goods left"),
        "{why}"
    );
}
