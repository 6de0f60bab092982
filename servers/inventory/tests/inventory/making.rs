//! R5.12 and R5.17: bills of materials and manufacturing orders.

use serde_json::{Value, json};

use crate::workshop::Workshop;

#[tokio::test]
async fn r5_12_production_uses_the_recipe_and_costs_what_it_used() {
    let it = Workshop::open().await;
    let id = it.making("FRAME", 10).await;
    let order = it.order("manufacturing_order", &id).await;
    assert_eq!(
        (&order["status"], &order["ingredient_availability"]),
        (&json!("NOT_STARTED"), &json!("IN_STOCK"))
    );
    assert_eq!((&order["rows"][0]["quantity"], &order["rows"][1]["quantity"]), (&json!(20), &json!(40)));
    let status = |status: &str| json!({ "id": id, "update_header": { "status": status } });
    it.apply("modify_manufacturing_order", status("BLOCKED")).await;
    let produce =
        |quantity: Value| json!({ "order_id": id, "order_type": "manufacturing", "quantity": quantity });
    let why = it.blocked("fulfill_order", produce(json!(4))).await;
    assert_eq!(
        why,
        "the status is BLOCKED, and `produce_part` needs NOT_STARTED or IN_PROGRESS or PARTIALLY_COMPLETED"
    );
    it.apply("modify_manufacturing_order", status("IN_PROGRESS")).await;
    let change = it.apply("fulfill_order", produce(json!(4))).await;
    assert_eq!(
        (&change["state"]["status"], &change["state"]["remaining_quantity"]),
        (&json!("PARTIALLY_COMPLETED"), &json!(6))
    );
    // 2 boards at 5 and 4 bolts at 0.1.
    assert_eq!(it.stock("FRAME", it.main).await, [json!(4), json!(0), json!(6), json!(10.4)]);
    assert_eq!(it.stock("BOARD", it.main).await, [json!(92), json!(12), json!(0), json!(5)]);
    assert_eq!(it.blocked("fulfill_order", produce(json!(7))).await, "7 to produce, but 6 remain");
    let change = it.apply("fulfill_order", produce(Value::Null)).await;
    assert_eq!((&change["state"]["status"], &change["state"]["total"]), (&json!("DONE"), &json!(104)));
    assert_eq!(change["state"]["productions"].as_array().map(Vec::len), Some(2));
    let why = it.blocked("modify_manufacturing_order", status("IN_PROGRESS")).await;
    assert_eq!(why, "the status is DONE: use correct_manufacturing_order", "done is final");
    assert!(it.blocked("fulfill_order", produce(json!(1))).await.starts_with("the status is DONE"));
    assert_eq!(it.order("manufacturing_order", &id).await["ingredient_availability"], "PROCESSED");
}

#[tokio::test]
async fn r5_12_what_is_missing_is_made_first_if_the_call_says_so() {
    let it = Workshop::open().await;
    let order = json!({ "sku_or_variant_id": "TABLE", "planned_quantity": 3, "create_subassemblies": true });
    let made = it.apply("create_manufacturing_order", order).await;
    assert_eq!(made["state"]["ingredient_availability"], "EXPECTED");
    let listed = it.get("list_manufacturing_orders", json!({})).await;
    let found: Vec<_> = listed["orders"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| (&it["product"]["sku"], &it["planned_quantity"]))
        .collect();
    assert_eq!(found, [(&json!("FRAME"), &json!(3)), (&json!("TABLE"), &json!(3))]);
    let blocking = it
        .get("get_manufacturing_order", json!({ "id": made["entity_id"], "include_rows": "blocking" }))
        .await;
    let blocking: Vec<_> = blocking["rows"].as_array().into_iter().flatten().map(|it| &it["sku"]).collect();
    assert_eq!(blocking, [&json!("FRAME")]);
    let short = it
        .blocked("fulfill_order", json!({ "order_id": made["entity_id"], "order_type": "manufacturing" }))
        .await;
    assert_eq!(short, "FRAME at Main: 3 needed, but 0 in stock", "nothing is used when one thing is short");
    let recipe = it.get("get_manufacturing_order_recipe", json!({ "id": made["entity_id"] })).await;
    assert_eq!((&recipe["rows"][1]["sku"], &recipe["rows"][1]["quantity"]), (&json!("BOARD"), &json!(4.5)));
    it.apply(
        "fulfill_order",
        json!({ "order_id": listed["orders"][0]["id"], "order_type": "manufacturing" }),
    )
    .await;
    it.apply("fulfill_order", json!({ "order_id": made["entity_id"], "order_type": "manufacturing" })).await;
    // A frame at 10.4, 1.5 boards at 5 and 8 bolts at 0.1: rolled up.
    assert_eq!(it.stock("TABLE", it.main).await, [json!(3), json!(0), json!(0), json!(18.7)]);
}

#[tokio::test]
async fn r5_12_an_order_that_is_open_can_be_changed_and_ended_early() {
    let it = Workshop::open().await;
    let id = it.making("FRAME", 10).await;
    it.apply("fulfill_order", json!({ "order_id": id, "order_type": "manufacturing", "quantity": 3 })).await;
    let less = json!({ "id": id, "update_header": { "planned_quantity": 3 } });
    assert!(it.blocked("modify_manufacturing_order", less).await.contains("would leave nothing open"));
    let change = json!({ "id": id, "update_header": { "planned_quantity": 5 } });
    let order = it.apply("modify_manufacturing_order", change).await["state"].clone();
    assert_eq!(
        (&order["rows"][0]["quantity"], &order["rows"][0]["remaining_quantity"]),
        (&json!(10), &json!(4))
    );
    let rows = json!({
        "id": id, "update_rows": [{ "row_id": order["rows"][0]["id"], "planned_quantity_per_unit": 3 }],
        "add_rows": [{ "sku_or_variant_id": "TABLE", "planned_quantity_per_unit": 0.5 }],
    });
    let order = it.apply("modify_manufacturing_order", rows).await;
    let actions: Vec<_> = order["actions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| (&it["operation"], &it["succeeded"]))
        .collect();
    assert_eq!(actions, [(&json!("add_row"), &json!(true)), (&json!("update_row"), &json!(true))]);
    assert_eq!(
        (&order["state"]["rows"][0]["quantity"], &order["state"]["rows"][2]["quantity"]),
        (&json!(12), &json!(1))
    );
    let done = json!({ "id": id, "update_header": { "status": "DONE" } });
    let order = it.apply("modify_manufacturing_order", done).await["state"].clone();
    assert_eq!((&order["status"], &order["completed_quantity"]), (&json!("DONE"), &json!(3)));
    assert_eq!(
        it.stock("BOARD", it.main).await,
        [json!(94), json!(0), json!(0), json!(5)],
        "nothing is committed any more"
    );
}

#[tokio::test]
async fn r5_17_a_bill_of_materials_is_exact_and_never_contains_itself() {
    let it = Workshop::open().await;
    let bom = it.get("get_product_bom", json!({ "sku_or_variant_id": "TABLE", "quantity": 2.5 })).await;
    let rows: Vec<_> = bom["rows"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| (it["level"].clone(), it["sku"].clone(), it["total_quantity"].clone()))
        .collect();
    let expected = [
        (1, "FRAME", json!(2.5)),
        (2, "BOARD", json!(5)),
        (2, "BOLT", json!(10)),
        (1, "BOARD", json!(3.75)),
        (1, "BOLT", json!(20)),
    ];
    assert_eq!(rows, expected.map(|(level, sku, quantity)| (json!(level), json!(sku), quantity)));
    let needs: Vec<_> =
        bom["materials"].as_array().into_iter().flatten().map(|it| (&it["sku"], &it["quantity"])).collect();
    assert_eq!(needs, [(&json!("BOLT"), &json!(30)), (&json!("BOARD"), &json!(8.75))]);
    assert_eq!(bom["material_cost"], 46.75);
    let add = |product: &str, part: &str, quantity: Value| json!({ "sku_or_variant_id": product, "add_rows": [{ "ingredient": part, "quantity": quantity }] });
    let why = it.blocked("manage_product_bom", add("FRAME", "FRAME", json!(1))).await;
    assert_eq!(why, "FRAME can't be an ingredient: FRAME would contain itself, by FRAME");
    let why = it.blocked("manage_product_bom", add("FRAME", "TABLE", json!(1))).await;
    assert_eq!(why, "TABLE can't be an ingredient: FRAME would contain itself, by TABLE → FRAME");
    assert_eq!(
        it.blocked("manage_product_bom", add("FRAME", "BOLT", json!(1))).await,
        "BOLT is an ingredient already: update its row"
    );
    for none in [json!(0), json!(-1)] {
        assert!(
            it.error("manage_product_bom", add("FRAME", "TABLE", none))
                .await
                .contains("expected `quantity` to be above 0")
        );
    }
    let row = bom["rows"][0]["id"].clone();
    let gone = it
        .apply("manage_product_bom", json!({ "sku_or_variant_id": "TABLE", "delete_row_ids": [row] }))
        .await;
    assert_eq!(gone["state"]["rows"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn r5_17_a_circle_of_fifty_products_is_refused() {
    use plainwire_inventory::import::{What, run};
    use plainwire_inventory::store::{Clock, Store};

    let it = Workshop::open().await;
    let mut items = "sku,name\n".to_owned();
    for n in 0..50 {
        items += &format!("P{n},Part {n}\n");
    }
    let store = Store::open(&it.path, Clock::default()).expect("the inventory");
    assert!(run(&store, What::Items, items.as_bytes(), true).expect("a report").is_ok());
    for n in 0..49 {
        let row = json!({ "ingredient": format!("P{}", n + 1), "quantity": 1 });
        let arguments = json!({ "sku_or_variant_id": format!("P{n}"), "add_rows": [row], "preview": false });
        assert_eq!(it.get("manage_product_bom", arguments).await["is_preview"], false, "{n}");
    }
    let circle = json!({ "sku_or_variant_id": "P49", "add_rows": [{ "ingredient": "P0", "quantity": 1 }] });
    let why = it.blocked("manage_product_bom", circle).await;
    assert!(why.starts_with("P0 can't be an ingredient: P49 would contain itself, by P0 → P1 →"), "{why}");
    assert!(why.ends_with("→ P48 → P49"), "{why}");
}
