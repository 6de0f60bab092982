//! The sample data: their counts, the same in each run, and all rules hold.

use std::path::Path;

use plainwire_inventory::ledger::check::check;
use plainwire_inventory::sample;
use plainwire_inventory::store::{Clock, MEMORY, Store};

fn filled(path: &Path) -> Store {
    let clock = Clock { today: "2026-06-30".parse().ok() };
    let store = Store::open(path, clock).expect("a new file");
    assert!(sample::fill(&store).expect("the sample fits"));
    store
}

fn count(store: &Store, question: &'static str) -> i64 {
    store.read(move |db| Ok(db.query_row(question, [], |row| row.get(0))?)).expect("a number")
}

#[test]
fn the_sample_has_its_counts_and_keeps_all_rules() {
    let store = filled(Path::new(MEMORY));
    let count = |question| count(&store, question);
    assert_eq!(count("SELECT count(*) FROM location WHERE NOT is_transit"), 3);
    assert_eq!(count("SELECT count(*) FROM supplier"), 8);
    assert_eq!(count("SELECT count(*) FROM customer"), 60);
    assert_eq!(count("SELECT count(*) FROM item WHERE type = 'product'"), 40);
    assert_eq!(count("SELECT count(*) FROM item WHERE type = 'material'"), 80);
    assert_eq!(count("SELECT count(*) FROM variant"), 150);
    assert_eq!(count("SELECT count(*) FROM variant WHERE archived_at IS NOT NULL"), 3);
    assert_eq!(count("SELECT count(*) - count(DISTINCT sku) FROM variant"), 1);
    assert_eq!(count("SELECT count(*) FROM orders WHERE type = 'sales_order'"), 1_200);
    assert_eq!(count("SELECT count(*) FROM orders WHERE type = 'purchase_order'"), 300);
    assert_eq!(count("SELECT count(*) FROM orders WHERE type = 'manufacturing_order'"), 250);
    assert_eq!(count("SELECT count(*) FROM orders WHERE type = 'stock_transfer'"), 40);
    assert_eq!(count("SELECT count(*) FROM orders WHERE type = 'stock_adjustment'"), 30);
    let movements = count("SELECT count(*) FROM movement");
    assert!((8_500..=9_500).contains(&movements), "{movements}");
    for (of, status) in [
        ("sales_order", "DELIVERED"),
        ("sales_order", "NOT_SHIPPED"),
        ("purchase_order", "RECEIVED"),
        ("purchase_order", "DRAFT"),
        ("purchase_order", "PARTIALLY_RECEIVED"),
        ("manufacturing_order", "DONE"),
        ("manufacturing_order", "NOT_STARTED"),
    ] {
        let found = store.read(move |db| {
            let question = "SELECT count(*) FROM orders WHERE type = ?1 AND status = ?2";
            Ok(db.query_row(question, [of, status], |row| row.get::<_, i64>(0))?)
        });
        assert!(found.is_ok_and(|it| it > 0), "{of} {status}");
    }
    let findings = store.read(|db| Ok(check(db)?)).expect("a check");
    assert_eq!(findings, Vec::<String>::new());
}
