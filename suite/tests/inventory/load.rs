//! Many writes, at once and with ends at any time: what was acknowledged is there, nothing is half, and no unit is sold twice.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use plainwire_inventory::store::{Clock, Store};
use plainwire_suite::program::{Program, call};
use serde_json::{Value, json};

use crate::{proved, serve, with_bolts};

/// The ids of the entities of [`with_bolts`].
fn customer(path: &Path) -> i64 {
    let store = Store::open(path, Clock::default()).expect("an inventory");
    store.read(|db| Ok(db.query_row("SELECT id FROM customer", [], |row| row.get(0))?)).expect("a customer")
}

/// A sale of one bolt, which does not leave yet.
fn sale(customer: i64, number: &str) -> Value {
    let rows = json!([{ "sku_or_variant_id": "BOLT", "quantity": 1 }]);
    json!({ "customer_id": customer, "rows": rows, "order_no": number, "preview": false })
}

/// A bolt that leaves the stock.
fn taken() -> Value {
    json!({ "reason": "taken", "rows": [{ "sku_or_variant_id": "BOLT", "quantity": -1 }], "preview": false })
}

fn is_applied(answer: &Value) -> bool {
    answer["result"]["structuredContent"]["is_preview"] == false
}

/// Ends a program while it writes, as `kill -9` does. Returns the numbers of the orders that it has acknowledged.
fn killed(path: &Path, customer: i64, round: usize) -> Vec<String> {
    let mut program = Program::start(&mut serve(path));
    program.initialize();
    let numbers: Vec<String> = (0..24).map(|at| format!("r{round}-{at}")).collect();
    for (at, number) in numbers.iter().enumerate() {
        let at = at as u64;
        program.send(&call(100 + at, "create_sales_order", sale(customer, number)));
        program.send(&call(200 + at, "create_stock_adjustment", taken()));
    }
    let mut acknowledged = Vec::new();
    // A different number of answers in each round, and a different time after the last one.
    for _ in 0..(round * 7) % 40 {
        let answer = program.hear().expect("an answer");
        assert!(is_applied(&answer), "{answer}");
        if let Some(at) = answer["id"].as_u64().filter(|it| *it < 200) {
            acknowledged.push(numbers[at as usize - 100].clone());
        }
    }
    std::thread::sleep(Duration::from_micros((round as u64 * 137) % 3_000));
    program.child.kill().expect("killed");
    program.child.wait().expect("ended");
    acknowledged
}

fn survives(rounds: usize) {
    let path = with_bolts(100_000);
    let customer = customer(&path);
    let mut acknowledged = Vec::new();
    for round in 0..rounds {
        acknowledged.extend(killed(&path, customer, round));
        if round % 10 == 9 || round + 1 == rounds {
            proved(&path, "SELECT 0");
        }
    }
    assert!(acknowledged.len() > rounds * 5, "{}", acknowledged.len());
    let store = Store::open(&path, Clock::default()).expect("an inventory");
    let numbers = store.read(|db| {
        let mut rows = db.prepare("SELECT number FROM orders")?;
        Ok(rows.query_map([], |row| row.get(0))?.collect::<Result<BTreeSet<String>, _>>()?)
    });
    let numbers = numbers.expect("orders");
    let lost: Vec<&String> = acknowledged.iter().filter(|it| !numbers.contains(*it)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    let half = "SELECT count(*) FROM orders o WHERE NOT EXISTS (SELECT 1 FROM line WHERE order_id = o.id)";
    assert_eq!(proved(&path, half), 0);
}

#[test]
fn what_was_acknowledged_survives_kills() {
    survives(50);
}

#[test]
#[ignore = "slow: .ci/nightly runs it"]
fn what_was_acknowledged_survives_two_hundred_kills() {
    survives(200);
}

/// Lets programs take bolts from one file at once, until more was wanted than is there. Returns the number that was taken.
fn taken_by(programs: usize, calls: usize, bolts: usize) -> usize {
    let path = with_bolts(bolts);
    let one = |_| {
        let path = path.clone();
        std::thread::spawn(move || {
            let mut program = Program::start(&mut serve(&path));
            program.initialize();
            let mut taken_here = 0;
            let mut sent = 0;
            // Some calls are always under way, as from many agents.
            for heard in 0..calls {
                while sent < calls && sent < heard + 64 {
                    program.send(&call(10 + sent as u64, "create_stock_adjustment", taken()));
                    sent += 1;
                }
                let answer = program.hear().expect("an answer");
                if is_applied(&answer) {
                    taken_here += 1;
                } else {
                    let text = answer.to_string();
                    assert!(text.contains("BLOCK: BOLT at Main: 1 needed, but 0 in stock"), "{text}");
                }
            }
            taken_here
        })
    };
    let all: Vec<_> = (0..programs).map(one).collect();
    let taken: usize = all.into_iter().map(|it| it.join().expect("a program that answers")).sum();
    assert_eq!(
        proved(&path, "SELECT sum(in_stock) FROM stock"),
        (bolts.saturating_sub(programs * calls) * 1_000_000) as i64
    );
    let moved = proved(&path, "SELECT count(*) FROM movement WHERE quantity < 0");
    assert_eq!(moved, taken as i64, "each unit left once");
    taken
}

#[test]
fn r5_22_of_many_programs_exactly_one_gets_the_last_unit() {
    assert_eq!(taken_by(8, 1, 1), 1);
    assert_eq!(taken_by(3, 150, 400), 400);
}

#[test]
#[ignore = "slow: .ci/nightly runs it"]
fn eight_programs_make_a_hundred_thousand_changes() {
    assert_eq!(taken_by(8, 12_500, 99_999), 99_999);
}

#[test]
fn a_full_disk_is_an_error_and_what_was_acknowledged_stays() {
    let path = with_bolts(100_000);
    // No file may grow beyond 2,000 KiB, and a write beyond it is an error, as on a full disk.
    let mut limited = std::process::Command::new("bash");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 2000; exec \"$0\" \"$@\""]);
    let served = serve(&path);
    limited.arg(served.get_program()).args(served.get_args());
    let mut program = Program::start(&mut limited);
    program.initialize();
    let (mut taken_here, mut refused) = (0, String::new());
    for n in 0..20_000 {
        let answer = program.ask(&call(10 + n as u64, "create_stock_adjustment", taken()));
        if !is_applied(&answer) {
            refused = answer.to_string();
            break;
        }
        taken_here = n + 1;
    }
    let is_clear = ["the disk is full", "it can't be read or written"].iter().any(|it| refused.contains(it));
    assert!(is_clear && refused.contains("the inventory can't be used"), "{refused}");
    assert!(taken_here > 10, "{taken_here}");
    // Reading goes on.
    let stock = program.ask(&call(5, "check_inventory", json!({ "skus_or_variant_ids": ["BOLT"] })));
    assert_eq!(stock["result"]["structuredContent"]["items"][0]["in_stock"], 100_000 - taken_here);
    program.child.kill().expect("killed");
    program.child.wait().expect("ended");
    assert_eq!(proved(&path, "SELECT count(*) FROM movement WHERE quantity < 0"), taken_here);
}
