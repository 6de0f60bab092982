//! The inventory as a process: ends at any time, many programs on one file, and what its command prints.

mod command;
mod load;
mod pictures;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use plainwire_inventory::import::{What, run};
use plainwire_inventory::ledger::check::check;
use plainwire_inventory::store::{Clock, Store};
use plainwire_suite::binary;

/// Returns the path of an inventory that no other test has.
fn scratch() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("inventory");
    let folder = folder.join(format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst)));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder.join("inventory.db")
}

fn serve(path: &Path) -> Command {
    let mut command = binary::command();
    command.args(["serve", "inventory", "--data"]).arg(path);
    command
}

/// Makes an inventory with a customer and so many bolts.
fn with_bolts(count: usize) -> PathBuf {
    let path = scratch();
    let store = Store::open(&path, Clock::default()).expect("an inventory");
    let stock = format!("sku,quantity\nBOLT,{count}\n");
    for (what, text) in
        [(What::Items, "sku,name\nBOLT,Bolt\n"), (What::Customers, "name\nAda\n"), (What::Stock, &*stock)]
    {
        run(&store, what, text.as_bytes(), true).expect("a report").expect("no mistakes");
    }
    path
}

/// Proves all rules of an inventory, and returns the number that a question has as its answer.
fn proved(path: &Path, question: &'static str) -> i64 {
    let store = Store::open(path, Clock::default()).expect("an inventory");
    let found = store.read(move |db| {
        let number = db.query_row(question, [], |row| row.get::<_, Option<i64>>(0))?;
        Ok((check(db)?, number.unwrap_or_default()))
    });
    let (findings, number) = found.expect("an answer");
    assert_eq!(findings, Vec::<String>::new());
    number
}
