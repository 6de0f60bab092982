//! `plainwire inventory`, and the options of `serve inventory`.

use std::fs;

use plainwire_suite::binary;

use crate::{scratch, with_bolts};

/// Returns the exit code of `plainwire`, and what it has printed.
fn plainwire(words: &[&str]) -> (i32, String, String) {
    let output = binary::command().args(words).output().expect("an output");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_workshop_starts_with_its_own_files() {
    let data = scratch();
    let folder = data.parent().expect("a folder");
    let (data, items, copy) = (data.display().to_string(), folder.join("items.csv"), folder.join("copy.db"));
    fs::write(&items, "sku,name,purchase_price,supplier\nA,Axle,2.5,Smith\nB,Bar,x,Smith\n").expect("a file");
    let (items, copy) = (items.display().to_string(), copy.display().to_string());
    let import = |more: &[&str]| {
        plainwire(&[&["inventory", "import", "items", &items, "--data", &data], more].concat())
    };
    let (code, out, _) = import(&["--dry-run"]);
    let mistake = "line 3, column purchase_price: expected a decimal number such as 12.5, but found \"x\"\nnothing was added\n";
    assert_eq!((code, &*out), (1, mistake));
    fs::write(&items, "sku,name,purchase_price,supplier\nA,Axle,2.5,Smith\n").expect("a file");
    assert_eq!(import(&["--dry-run"]).1, "makes supplier \"Smith\"\n1 row of items would be added\n");
    assert_eq!(import(&[]).1, "makes supplier \"Smith\"\n1 row of items added\n");
    let (_, out, _) = plainwire(&["inventory", "export", "items", "--data", &data]);
    assert!(out.ends_with("\nA,Axle,Axle,product,pcs,,0,2.5,Smith,,1,,,,0\n"), "{out}");
    assert_eq!(plainwire(&["inventory", "check", "--data", &data]).1, "0 movements, all rules hold\n");
    assert_eq!(plainwire(&["inventory", "backup", &copy, "--data", &data]).0, 0);
    let (code, _, why) = plainwire(&["inventory", "backup", &copy, "--data", &data]);
    assert!(code != 0 && why.contains("the copy can't be made: File exists"), "{why}");
    assert_eq!(plainwire(&["inventory", "export", "items", "--data", &copy]).1, out);
}

#[test]
fn a_check_of_a_file_with_drift_fails_and_a_file_that_is_not_there_is_not_made() {
    let path = with_bolts(5);
    let data = path.display().to_string();
    let db = rusqlite::Connection::open(&path).expect("the file");
    db.execute_batch("UPDATE stock SET in_stock = 7000000").expect("drift");
    let (code, out, _) = plainwire(&["inventory", "check", "--data", &data]);
    assert!(
        code == 1 && out.starts_with("stock differs from the ledger (variant, location, kept, ledger): "),
        "{out}"
    );
    let missing = scratch().display().to_string();
    let (code, _, why) = plainwire(&["inventory", "check", "--data", &missing]);
    assert!(code == 2 && why.contains("there is no such file"), "{code} {why}");
    assert!(!fs::exists(&missing).expect("a folder"));
}

#[test]
fn options_of_the_inventory_belong_to_it() {
    let (code, _, why) = plainwire(&["serve", "reference", "--sample"]);
    assert!(
        code == 2
            && why
                .contains("expected --sample with the server `inventory`, but found the server `reference`"),
        "{why}"
    );
    let (code, _, why) = plainwire(&["serve", "inventory", "--today", "2026-02-30"]);
    assert!(
        code == 2 && why.contains("expected a date such as 2026-02-28, but found \"2026-02-30\""),
        "{why}"
    );
    let other = scratch();
    fs::write(&other, "no database").expect("a file");
    let (code, _, why) = plainwire(&["serve", "inventory", "--data", &other.display().to_string()]);
    assert!(code == 2 && why.contains("it is no SQLite database"), "{why}");
}
