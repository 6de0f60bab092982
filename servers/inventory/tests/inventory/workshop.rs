//! A small workshop: two materials, a part and a table that is made of them, and a client of its server.

use std::path::PathBuf;

use plainwire::Client;
use plainwire::model::CallToolResult;
use plainwire_inventory::Inventory;
use plainwire_inventory::import::{What, run};
use plainwire_inventory::ledger::check::check;
use plainwire_inventory::store::{Clock, Store};
use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The day that counts as today.
pub(crate) const TODAY: &str = "2026-06-30";

const ITEMS: &str = "\
sku,name,type,uom,category,sales_price,purchase_price,supplier,purchase_uom,purchase_uom_rate,safety_stock
BOLT,Bolt,material,pcs,hardware,0.5,0.1,Timber,box of 100,100,50
BOARD,Oak board,material,m,wood,9,5,Timber,,,
FRAME,Frame,product,pcs,parts,60,,,,,
TABLE,Table,product,pcs,furniture,120,,,,,2
";

const CUSTOMERS: &str =
    "name,email,category,discount_rate\nAda Lovelace,ada@x.example,trade,10\nBen Baker,,private,0\n";

const STOCK: &str = "sku,quantity,location\nBOLT,1000,Main\nBOARD,100,Main\nBOLT,10,Attic\n";

pub(crate) struct Workshop {
    pub(crate) client: Client,
    pub(crate) path: PathBuf,
    pub(crate) supplier: i64,
    pub(crate) ada: i64,
    pub(crate) main: i64,
    pub(crate) attic: i64,
    _folder: TempDir,
}

impl Workshop {
    pub(crate) async fn open() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("workshop.db");
        let clock = Clock { today: TODAY.parse().ok() };
        let store = Store::open(&path, clock).expect("a new inventory");
        for (what, text) in [(What::Items, ITEMS), (What::Customers, CUSTOMERS), (What::Stock, STOCK)] {
            let report = run(&store, what, text.as_bytes(), true).expect("a report");
            assert!(report.is_ok(), "{report:?}");
        }
        drop(store);
        let mut workshop = Self::at(path, folder).await;
        workshop.supplier =
            workshop.get("list_suppliers", json!({})).await["suppliers"][0]["id"].as_i64().expect("an id");
        let found = workshop.get("search_customers", json!({ "query": "ada" })).await;
        workshop.ada = found["customers"][0]["id"].as_i64().expect("an id");
        let places = workshop.get("list_locations", json!({})).await;
        workshop.main = places["locations"][0]["id"].as_i64().expect("an id");
        workshop.attic = places["locations"][1]["id"].as_i64().expect("an id");
        for (product, rows) in [
            (
                "FRAME",
                json!([{ "ingredient": "BOARD", "quantity": 2 }, { "ingredient": "BOLT", "quantity": 4 }]),
            ),
            (
                "TABLE",
                json!([
                    { "ingredient": "FRAME", "quantity": 1 }, { "ingredient": "BOARD", "quantity": 1.5 },
                    { "ingredient": "BOLT", "quantity": 8 },
                ]),
            ),
        ] {
            workshop
                .apply("manage_product_bom", json!({ "sku_or_variant_id": product, "add_rows": rows }))
                .await;
        }
        workshop
    }

    async fn at(path: PathBuf, folder: TempDir) -> Self {
        let mut inventory = Inventory::new(&path);
        inventory.clock = Clock { today: TODAY.parse().ok() };
        let client =
            plainwire::testing::client(inventory.server().expect("a server")).await.expect("a client");
        Self { client, path, supplier: 0, ada: 0, main: 0, attic: 0, _folder: folder }
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        self.client.call_tool(tool, arguments).await.expect("an answer")
    }

    /// Calls a tool that succeeds.
    pub(crate) async fn get(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments.clone()).await;
        assert!(!result.is_error, "{tool} {arguments}: {}", text(&result));
        value(&result)
    }

    /// Calls a tool that fails, and returns the message. The inventory is as it was.
    pub(crate) async fn error(&self, tool: &str, arguments: Value) -> String {
        let before = self.dump();
        let result = self.call(tool, arguments.clone()).await;
        assert!(result.is_error, "{tool} {arguments}: {}", text(&result));
        assert_eq!(self.dump(), before, "{tool} {arguments}");
        text(&result)
    }

    /// Applies a change that is not blocked, and proves the inventory.
    pub(crate) async fn apply(&self, tool: &str, mut arguments: Value) -> Value {
        arguments["preview"] = json!(false);
        let change = self.get(tool, arguments.clone()).await;
        assert_eq!(change["is_preview"], false, "{tool} {arguments}: {change}");
        self.sound();
        change
    }

    /// Applies a change that is blocked, and returns the reasons. The inventory is as it was.
    pub(crate) async fn blocked(&self, tool: &str, mut arguments: Value) -> String {
        let before = self.dump();
        let preview = self.get(tool, arguments.clone()).await;
        arguments["preview"] = json!(false);
        let change = self.get(tool, arguments.clone()).await;
        assert_eq!(change["is_preview"], true, "{tool} {arguments}: {change}");
        assert_eq!(change["warnings"], preview["warnings"]);
        assert!(preview["preview_token"].is_null(), "{preview}");
        assert_eq!(self.dump(), before, "{tool} {arguments}");
        let warnings = change["warnings"].as_array().expect("warnings").iter().filter_map(Value::as_str);
        warnings.filter_map(|it| it.strip_prefix("BLOCK: ")).collect::<Vec<_>>().join("; ")
    }

    /// The stock of a variant at a location: in stock, committed, expected, average cost.
    pub(crate) async fn stock(&self, sku: &str, location: i64) -> [Value; 4] {
        let found = self.get("check_inventory", json!({ "skus_or_variant_ids": [sku] })).await;
        let places = found["items"][0]["locations"].as_array().cloned().unwrap_or_default();
        let place = places.into_iter().find(|it| it["location_id"] == location).unwrap_or_default();
        ["in_stock", "committed", "expected", "average_cost"].map(|it| place[it].clone())
    }

    pub(crate) async fn order(&self, kind: &str, id: &Value) -> Value {
        self.get(&format!("get_{kind}"), json!({ "id": id })).await
    }

    /// Makes a purchase order that is placed, and returns its id.
    pub(crate) async fn purchase(&self, rows: Value) -> Value {
        let order = json!({ "supplier_id": self.supplier, "rows": rows, "status": "NOT_RECEIVED" });
        self.apply("create_purchase_order", order).await["entity_id"].clone()
    }

    /// Makes a sales order, and returns its id.
    pub(crate) async fn sale(&self, rows: Value) -> Value {
        let order = json!({ "customer_id": self.ada, "rows": rows });
        self.apply("create_sales_order", order).await["entity_id"].clone()
    }

    /// Makes a manufacturing order, and returns its id.
    pub(crate) async fn making(&self, product: &str, quantity: i64) -> Value {
        let order = json!({ "sku_or_variant_id": product, "planned_quantity": quantity });
        self.apply("create_manufacturing_order", order).await["entity_id"].clone()
    }

    pub(crate) fn sound(&self) {
        let store = Store::open(&self.path, Clock::default()).expect("the inventory");
        let findings = store.read(|db| Ok(check(db)?)).expect("a check");
        assert_eq!(findings, Vec::<String>::new());
    }

    /// Every row of every table, as text.
    pub(crate) fn dump(&self) -> String {
        let db = Connection::open(&self.path).expect("the file");
        dump(&db)
    }

    /// The bytes of the log beside the file.
    pub(crate) fn log(&self) -> Vec<u8> {
        std::fs::read(self.path.with_extension("db-wal")).expect("the log")
    }
}

/// Every row of every table, as text.
pub(crate) fn dump(db: &Connection) -> String {
    let mut tables =
        db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").expect("tables");
    let names: Vec<String> =
        tables.query_map([], |row| row.get(0)).expect("names").map(|it| it.expect("a name")).collect();
    let mut dump = String::new();
    for name in names {
        let mut rows = db.prepare(&format!("SELECT * FROM {name}")).expect("a table");
        let columns = rows.column_count();
        let mut rows = rows.query([]).expect("rows");
        while let Some(row) = rows.next().expect("a row") {
            let cells: Vec<Cell> = (0..columns).map(|at| row.get(at).expect("a cell")).collect();
            dump += &format!("{name} {cells:?}\n");
        }
    }
    dump
}

pub(crate) fn value(result: &CallToolResult) -> Value {
    let json = result.structured_content.as_ref().expect("structured content");
    serde_json::from_str(json.get()).expect("JSON")
}

pub(crate) fn text(result: &CallToolResult) -> String {
    result.content.iter().filter_map(|it| it.as_text()).collect::<Vec<_>>().join("\n")
}

pub(crate) fn row(order: &Value, at: usize) -> Value {
    order["rows"][at]["id"].clone()
}
