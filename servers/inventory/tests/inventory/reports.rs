//! R5.19: each report equals what a loop over the tables computes, on the sample data.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

use plainwire::Client;
use plainwire_inventory::amount::Amount;
use plainwire_inventory::store::{Clock, Store, backup};
use plainwire_inventory::time::{Day, Time};
use plainwire_inventory::{Inventory, sample};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::workshop::value;

fn clock() -> Clock {
    Clock { today: "2026-06-30".parse().ok() }
}

/// A copy of the sample, and a client of its server.
pub(crate) async fn sampled() -> (Client, Connection, tempfile::TempDir) {
    static MADE: OnceLock<tempfile::TempDir> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&folder.path().join("sample.db"), clock()).expect("a new inventory");
        sample::fill(&store).expect("the sample");
        folder
    });
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("copy.db");
    backup::backup(&made.path().join("sample.db"), &path).expect("a copy");
    let mut inventory = Inventory::new(&path);
    inventory.clock = clock();
    let client = plainwire::testing::client(inventory.server().expect("a server")).await.expect("a client");
    (client, Connection::open(Path::new(&path)).expect("the copy"), folder)
}

/// A row of an order that was sold.
struct Sold {
    order: i64,
    day: Day,
    location: i64,
    variant: i64,
    sku: String,
    customer: String,
    category: Option<String>,
    quantity: Amount,
    revenue: Amount,
}

fn sold(db: &Connection) -> Vec<Sold> {
    let mut rows = db
        .prepare(
            "SELECT o.id, o.created_at, o.location_id, l.variant_id, v.sku, c.name, i.category, l.quantity, l.price, l.discount
             FROM orders o, line l, variant v, item i, customer c WHERE l.order_id = o.id AND v.id = l.variant_id
             AND i.id = v.item_id AND c.id = o.customer_id AND o.status = 'DELIVERED'",
        )
        .expect("a statement");
    let rows = rows.query_map([], |row| {
        let (quantity, price, discount): (Amount, Amount, Amount) = (row.get(7)?, row.get(8)?, row.get(9)?);
        Ok(Sold {
            order: row.get(0)?,
            day: row.get::<_, Time>(1)?.day(),
            location: row.get(2)?,
            variant: row.get(3)?,
            sku: row.get(4)?,
            customer: row.get(5)?,
            category: row.get(6)?,
            quantity,
            revenue: quantity.times(price) - discount,
        })
    });
    rows.expect("rows").map(|it| it.expect("a row")).collect()
}

#[derive(Default)]
struct Sum {
    units: Amount,
    revenue: Amount,
    orders: BTreeSet<i64>,
}

fn sums<K: Ord>(rows: &[&Sold], key: impl Fn(&Sold) -> K) -> BTreeMap<K, Sum> {
    let mut sums = BTreeMap::<K, Sum>::new();
    for row in rows {
        let sum = sums.entry(key(row)).or_default();
        sum.units += row.quantity;
        sum.revenue += row.revenue;
        sum.orders.insert(row.order);
    }
    sums
}

async fn get(client: &Client, tool: &str, arguments: Value) -> Value {
    let result = client.call_tool(tool, arguments).await.expect("an answer");
    assert!(!result.is_error, "{tool}");
    value(&result)
}

#[tokio::test]
async fn r5_19_sales_by_each_group_equal_a_loop() {
    let (client, db, _folder) = sampled().await;
    let all = sold(&db);
    assert!(all.len() > 3_000, "{}", all.len());
    for (start, end) in
        [("2026-01-01", "2026-06-30"), ("2025-12-29", "2026-01-04"), ("2026-03-10", "2026-03-10")]
    {
        let (first, last): (Day, Day) = (start.parse().expect("a day"), end.parse().expect("a day"));
        let rows: Vec<&Sold> = all.iter().filter(|it| it.day >= first && it.day <= last).collect();
        assert!(!rows.is_empty(), "{start}");
        for group in ["day", "week", "month", "variant", "customer", "category"] {
            let key = |it: &Sold| match group {
                "day" => (it.day.to_string(), 0),
                "week" => (it.day.week(), 0),
                "month" => (it.day.month(), 0),
                "variant" => (it.sku.clone(), it.variant),
                "customer" => (it.customer.clone(), 0),
                _ => (it.category.clone().unwrap_or_else(|| "uncategorized".to_owned()), 0),
            };
            let mut expected: Vec<_> = sums(&rows, key).into_iter().collect();
            if !["day", "week", "month"].contains(&group) {
                expected.sort_by(|a, b| b.1.revenue.cmp(&a.1.revenue).then(a.0.cmp(&b.0)));
            }
            let expected: Vec<Value> = expected
                .into_iter()
                .map(|((name, _), sum)| json!({ "group": name, "units": sum.units, "revenue": sum.revenue.money(), "order_count": sum.orders.len() }))
                .collect();
            let found = get(
                &client,
                "sales_summary",
                json!({ "start_date": start, "end_date": end, "group_by": group }),
            )
            .await;
            assert_eq!(found["rows"], json!(expected), "{group} {start}");
        }
    }
    let year = get(
        &client,
        "sales_summary",
        json!({ "start_date": "2025-12-29", "end_date": "2026-01-04", "group_by": "week" }),
    )
    .await;
    assert_eq!(year["rows"][0]["group"], "2026-W01", "the week belongs to the year of its Thursday");
}

#[tokio::test]
async fn r5_19_the_top_sellers_equal_a_loop() {
    let (client, db, _folder) = sampled().await;
    let all = sold(&db);
    for order_by in ["units", "revenue"] {
        for (category, location) in [(None, None), (Some("Wood"), None), (None, Some(3))] {
            let is_wanted = |it: &&Sold| {
                let category_fits = category.is_none_or(|name: &str| {
                    it.category.as_deref().is_some_and(|it| it.eq_ignore_ascii_case(name))
                });
                category_fits && location.is_none_or(|id| it.location == id)
            };
            let rows: Vec<&Sold> = all.iter().filter(is_wanted).collect();
            let mut expected: Vec<_> = sums(&rows, |it| it.variant).into_iter().collect();
            expected.sort_by(|a, b| {
                let by_units = b.1.units.cmp(&a.1.units);
                let by_revenue = b.1.revenue.money().cmp(&a.1.revenue.money());
                let order =
                    if order_by == "units" { by_units.then(by_revenue) } else { by_revenue.then(by_units) };
                order.then(a.0.cmp(&b.0))
            });
            let mut arguments = json!({ "start_date": "2020-01-01", "end_date": "2026-06-30", "limit": 7, "order_by": order_by });
            if let Some(category) = category {
                arguments["category"] = json!(category);
            }
            if let Some(location) = location {
                arguments["location_id"] = json!(location);
            }
            let found = get(&client, "top_selling_variants", arguments).await;
            assert_eq!(found["total_variants"], expected.len());
            let found: Vec<_> = found["rows"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|it| {
                    (
                        it["variant_id"].as_i64(),
                        it["units"].clone(),
                        it["revenue"].clone(),
                        it["order_count"].as_u64(),
                    )
                })
                .collect();
            let expected: Vec<_> = expected
                .iter()
                .take(7)
                .map(|(id, sum)| {
                    (Some(*id), json!(sum.units), json!(sum.revenue.money()), Some(sum.orders.len() as u64))
                })
                .collect();
            assert_eq!(found, expected, "{order_by} {category:?} {location:?}");
        }
    }
}

#[tokio::test]
async fn r5_19_velocity_and_stock_in_the_past_equal_a_loop() {
    let (client, db, _folder) = sampled().await;
    let all = sold(&db);
    let today: Day = "2026-06-30".parse().expect("a day");
    let made: Vec<(i64, Amount, Day)> = {
        let mut rows = db.prepare("SELECT l.variant_id, l.done, o.done_at FROM orders o, line l WHERE l.order_id = o.id AND o.type = 'manufacturing_order' AND o.status = 'DONE'").expect("a statement");
        let rows = rows
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, Time>(2)?.day())))
            .expect("rows");
        rows.map(|it| it.expect("a row")).collect()
    };
    let variants: Vec<i64> = all.iter().map(|it| it.variant).collect::<BTreeSet<_>>().into_iter().collect();
    for days in [1_i64, 30, 365] {
        let first = today.plus(1 - days);
        let found = get(
            &client,
            "inventory_velocity",
            json!({ "sku_or_variant_ids": variants[..60], "period_days": days }),
        )
        .await;
        for (it, id) in found["items"].as_array().expect("items").iter().zip(&variants) {
            let units: Amount = all
                .iter()
                .filter(|row| row.variant == *id && row.day >= first && row.day <= today)
                .map(|row| row.quantity)
                .sum();
            let used: Amount = made
                .iter()
                .filter(|(variant, _, day)| variant == id && *day >= first && *day <= today)
                .map(|row| row.1)
                .sum();
            assert_eq!(
                (&it["units_sold"], &it["units_consumed_by_mos"], &it["units_total"]),
                (&json!(units), &json!(used), &json!(units + used))
            );
            assert_eq!(it["days_of_cover"].is_null(), (units + used).is_zero(), "{it}");
        }
        let without = json!({ "sku_or_variant_ids": [variants[0]], "period_days": days, "include_mo_consumption": false });
        assert_eq!(get(&client, "inventory_velocity", without).await["items"][0]["units_consumed_by_mos"], 0);
    }
    let moves: Vec<(i64, i64, Day, Amount)> = {
        let mut rows = db
            .prepare("SELECT variant_id, location_id, at, quantity FROM movement WHERE location_id <> 1")
            .expect("a statement");
        let rows = rows
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, Time>(2)?.day(), row.get(3)?)))
            .expect("rows");
        rows.map(|it| it.expect("a row")).collect()
    };
    for as_of in ["2025-06-30", "2026-01-15", "2026-06-30"] {
        let last: Day = as_of.parse().expect("a day");
        let found =
            get(&client, "inventory_at", json!({ "skus_or_variant_ids": variants, "as_of": as_of })).await;
        for (it, id) in found["items"].as_array().expect("items").iter().zip(&variants) {
            let sum: Amount = moves.iter().filter(|it| it.0 == *id && it.2 <= last).map(|it| it.3).sum();
            assert_eq!(it["in_stock"], json!(sum), "{as_of} {it}");
        }
    }
}

#[tokio::test]
async fn a_chart_comes_as_a_picture_and_as_svg_only_when_asked() {
    use plainwire::model::{Content, ResourceContents};

    let (client, _db, _folder) = sampled().await;
    let window = json!({ "start_date": "2026-01-01", "end_date": "2026-06-30", "group_by": "week" });
    for (tool, arguments) in [
        ("sales_summary", window),
        ("get_inventory_movements", json!({ "sku_or_variant_id": "MAT-001", "from": "2026-01-01" })),
    ] {
        let plain = client.call_tool(tool, arguments.clone()).await.expect("an answer");
        assert_eq!(plain.content.len(), 1, "{tool}");
        let mut with = arguments;
        with["chart"] = json!(true);
        let drawn = client.call_tool(tool, with).await.expect("an answer");
        assert_eq!(value(&drawn), value(&plain), "{tool}: the data are the same");
        assert_eq!(drawn.content[0].as_text(), plain.content[0].as_text(), "{tool}: and so is the text");
        let Content::Image(image) = &drawn.content[1] else { panic!("a picture: {:?}", drawn.content[1]) };
        assert!(
            image.mime_type == "image/png"
                && image.data.starts_with("iVBORw0KGgo")
                && image.data.len() > 10_000
        );
        let Content::Resource(it) = &drawn.content[2] else { panic!("a resource") };
        let ResourceContents::Text(svg) = &it.resource else { panic!("a text") };
        assert_eq!(svg.mime_type.as_deref(), Some("image/svg+xml"));
        assert!(svg.text.starts_with("<svg") && svg.text.contains("</text>"), "{tool}");
        if let Some(folder) = std::env::var_os("CHARTS") {
            std::fs::write(Path::new(&folder).join(format!("{tool}.svg")), &svg.text).expect("a file");
            std::fs::write(Path::new(&folder).join(format!("{tool}.b64")), &image.data).expect("a file");
        }
    }
    let none =
        json!({ "start_date": "2019-01-01", "end_date": "2019-01-02", "group_by": "day", "chart": true });
    let empty = client.call_tool("sales_summary", none).await.expect("an answer");
    assert_eq!((empty.is_error, empty.content.len()), (false, 1), "nothing has no picture");
}
