//! CSV: each mistake with its place, all or nothing, and what is written is read again.

use std::path::Path;

use plainwire_inventory::import::{Imported, What, export, run};
use plainwire_inventory::ledger::check::check;
use plainwire_inventory::sample;
use plainwire_inventory::store::{Clock, MEMORY, Store};

fn empty() -> Store {
    Store::open(Path::new(MEMORY), Clock { today: "2026-06-30".parse().ok() }).expect("an inventory")
}

fn mistakes(store: &Store, what: What, text: &str) -> Vec<String> {
    let report = run(store, what, text.as_bytes(), true).expect("a report");
    report.err().unwrap_or_default().iter().map(ToString::to_string).collect()
}

#[test]
fn each_mistake_is_told_with_its_line_and_column_and_nothing_is_added() {
    let store = empty();
    let text = "sku,name,type,sales_price,color\nA-1,Chair,thing,12.5,red\nA-1,Chair,product,-3,\n,,,1e5,\n";
    let found = mistakes(&store, What::Items, text);
    let columns = found.first().map(String::as_str).unwrap_or_default();
    assert!(
        columns.starts_with("line 1: expected the columns sku, name,")
            && columns.ends_with("but found \"color\"")
    );
    let text = text.replace(",color", "").replace(",red", "").replace("-3,", "-3").replace("1e5,", "1e5");
    assert_eq!(
        mistakes(&store, What::Items, &text),
        [
            "line 2, column type: expected product or material, but found \"thing\"",
            "line 3, column sku: expected each SKU once, but found \"A-1\" again",
            "line 3, column sales_price: expected at least 0, but found -3",
            "line 4, column sku: expected a value, but found none",
            "line 4, column name: expected a value, but found none",
        ]
    );
    let found = mistakes(&store, What::Items, "sku,name,sales_price\nB,B,1e5\n");
    let text = "line 2, column sales_price: expected a decimal number such as 12.5, but found \"1e5\"";
    assert_eq!(found, [text]);
    let found = mistakes(&store, What::Stock, "sku,quantity\nA-1,3\n\"A,2\n");
    assert_eq!(found[0], "line 2, column sku: expected the SKU of a variant, but found \"A-1\"");
    assert!(!mistakes(&store, What::Customers, "name\n").is_empty());
    let latin = run(&store, What::Customers, b"name\nJ\xfcrgen\n", true).expect("a report");
    assert!(latin.is_err_and(|it| it[0].to_string().starts_with("line 2: expected UTF-8")));
    assert_eq!(export(&store, What::Items).expect("CSV").iter().filter(|it| **it == b'\n').count(), 1);
}

#[test]
fn a_spreadsheet_is_read_however_it_was_saved() {
    let store = empty();
    let text = "\u{feff}SKU;Name;Type;Purchase price;Supplier\r\n\"A;1\";Oak, dark;material;2.5;\"Alder \"\"A\"\"\"\r\n";
    let dry = run(&store, What::Items, text.as_bytes(), false).expect("a report");
    assert_eq!(dry, Ok(Imported { rows: 1, made: vec![r#"supplier "Alder \"A\"""#.to_owned()] }));
    assert_eq!(
        run(&store, What::Items, text.as_bytes(), true).expect("a report"),
        dry,
        "a dry run adds nothing"
    );
    let stock = "sku\tquantity\tlocation\nA;1\t7\tAttic\n";
    let made = run(&store, What::Stock, stock.as_bytes(), true).expect("a report");
    assert_eq!(made.map(|it| it.made), Ok(vec![r#"location "Attic""#.to_owned()]));
    let out = String::from_utf8(export(&store, What::Stock).expect("CSV")).expect("UTF-8");
    assert_eq!(out, "sku,quantity,location,cost_per_unit\nA;1,7,Attic,2.5\n");
}

#[test]
fn what_is_exported_is_imported_again() {
    let from = empty();
    sample::fill(&from).expect("the sample");
    let to = empty();
    // Of two variants with one SKU, only one can be told by it.
    let items = String::from_utf8(export(&from, What::Items).expect("CSV")).expect("UTF-8");
    let items: Vec<_> =
        items.lines().filter(|it| !it.contains("Oak board 8") && !it.contains("Walnut board 8")).collect();
    let stock = String::from_utf8(export(&from, What::Stock).expect("CSV")).expect("UTF-8");
    let stock: Vec<_> = stock.lines().filter(|it| !it.starts_with("MAT-071,")).collect();
    let customers = String::from_utf8(export(&from, What::Customers).expect("CSV")).expect("UTF-8");
    for (what, text) in
        [(What::Items, items.join("\n")), (What::Customers, customers), (What::Stock, stock.join("\n"))]
    {
        let report = run(&to, what, text.as_bytes(), true).expect("a report");
        assert_eq!(report.map(|it| it.rows), Ok(text.trim().lines().count() - 1), "{what:?}");
        let again = String::from_utf8(export(&to, what).expect("CSV")).expect("UTF-8");
        assert_eq!(again.trim(), text.trim(), "{what:?}");
    }
    assert_eq!(to.read(|db| Ok(check(db)?)).expect("a check"), Vec::<String>::new());
}

#[test]
fn a_file_over_the_limits_is_refused() {
    let store = empty();
    let large = vec![b'a'; plainwire_inventory::import::MAX_BYTES + 1];
    assert!(
        run(&store, What::Items, &large, true).is_err_and(|it| it.text().contains("at most 16777216 bytes"))
    );
    let rows = "x,1\n".repeat(plainwire_inventory::import::MAX_ROWS + 1);
    let found = mistakes(&store, What::Stock, &format!("sku,quantity\n{rows}"));
    assert!(found.iter().any(|it| it == "line 100002: expected at most 100000 rows"), "{:?}", found.last());
    let found = mistakes(&store, What::Customers, &format!("name\n{}\n", "x".repeat(501)));
    assert_eq!(found, ["line 2, column name: expected at most 500 characters"]);
}

#[test]
fn numeric_skus_and_further_variants_are_what_the_file_says() {
    let store = empty();
    let items = "sku,name,item,supplier,uom\n57,Cap small,Cap,Smith,pcs\n58,Cap large,Cap,Smith,pcs\n";
    assert!(run(&store, What::Items, items.as_bytes(), true).expect("a report").is_ok());
    let again = mistakes(&store, What::Items, items);
    assert_eq!(again[0], "line 2, column sku: expected a new SKU, but the inventory has \"57\"");
    let other = "sku,name,item,uom\n59,Cap huge,Cap,kg\n60,Hat,Hat,pcs\n61,Hat red,Hat,kg\n";
    let found = mistakes(&store, What::Items, other);
    assert_eq!(
        found,
        ["line 4, column uom: expected \"pcs\" as for the same item in line 3, but found \"kg\""]
    );
    let more = run(&store, What::Items, b"sku,name,item\n59,Cap huge,Cap\n", true).expect("a report");
    assert!(more.is_ok_and(|it| it.made[0].contains("further variants of the item \"Cap\"")));
    let caps = store.read(|db| {
        Ok(db.query_row("SELECT count(DISTINCT item_id) FROM variant", [], |row| row.get::<_, i64>(0))?)
    });
    assert_eq!(caps.ok(), Some(1));
    // An id is no SKU.
    let id = store
        .read(|db| Ok(db.query_row("SELECT min(id) FROM variant", [], |row| row.get::<_, i64>(0))?))
        .expect("an id");
    let found = mistakes(&store, What::Stock, &format!("sku,quantity\n{id},5\n"));
    assert_eq!(found, [format!("line 2, column sku: expected the SKU of a variant, but found \"{id}\"")]);
    let found = mistakes(&store, What::Stock, "sku,quantity,location\n57,5,In transit\n");
    assert!(found[0].contains("the place of goods on the way"), "{found:?}");
}
