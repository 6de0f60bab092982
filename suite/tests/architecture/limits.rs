//! The tables of docs/limits.md: each row says why the limit has its value, and names the files that define it and
//! the tests that hold it.

use std::collections::{BTreeMap, BTreeSet};

use super::{nobody, sources};

/// The head of each table.
const HEAD: &str = "| Limit | Default | Why | Setting | Past it | Where | Test |";

/// Returns a message for each row of `page` that lacks something, or names a file or a test that is not among
/// `files`.
fn unheld(page: &str, files: &BTreeMap<String, String>) -> Vec<String> {
    let known: BTreeSet<&str> = files.values().flat_map(|text| tests_in(text)).collect();
    let rows = page.lines().filter(|line| line.starts_with("| ") && *line != HEAD);
    let check = |row: &str| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [limit, default, why, setting, past, place, tests] = cells[..] else {
            return vec![format!("expected 7 cells, but found {}: {row}", cells.len())];
        };
        let empty = [limit, default, setting, past, place, tests].iter().any(|cell| cell.is_empty());
        let no_file =
            quoted(place).filter(|it| !files.keys().any(|path| path.ends_with(it))).collect::<Vec<_>>();
        let no_test = quoted(tests).filter(|it| !known.contains(it)).collect::<Vec<_>>();
        let mut found = Vec::new();
        found.extend(empty.then(|| format!("{limit}: a cell is empty")));
        found.extend((!why.contains(char::is_alphabetic)).then(|| format!("{limit}: no reason")));
        found.extend((quoted(place).count() == 0).then(|| format!("{limit}: no file")));
        found.extend((quoted(tests).count() == 0).then(|| format!("{limit}: no test")));
        found.extend(no_file.iter().map(|it| format!("{limit}: there is no file {it}")));
        found.extend(no_test.iter().map(|it| format!("{limit}: there is no test {it}")));
        found
    };
    rows.flat_map(check).collect()
}

/// Returns the parts of a cell that stand in backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Returns the names of the tests in `text`: functions right below an attribute `test`, and rules of the contract of stores, of
/// which `store_contract!` and `outputs_contract!` make tests.
fn tests_in(text: &str) -> impl Iterator<Item = &str> {
    let mut is_below = false;
    text.lines().filter_map(move |line| {
        let is_attribute = line.trim_start().starts_with("#[");
        let is_marked = is_below;
        is_below = is_attribute && (is_below || line.contains("test]") || line.contains("test("));
        let (_, function) = line.split_once("fn ").filter(|_| !is_attribute)?;
        let (name, rest) = function.split_at(function.find(['(', '<'])?);
        let is_rule = ["<S: Store>(", "<S: Outputs>("].iter().any(|it| rest.starts_with(it));
        ((is_marked && rest.starts_with('(')) || is_rule).then_some(name)
    })
}

#[test]
fn each_limit_has_its_reason_its_file_and_its_test() {
    let files = sources(&["crates", "servers", "suite"]);
    let page = std::fs::read_to_string(plainwire_suite::root().join("docs/limits.md")).expect("the page");
    let rows = page.lines().filter(|line| line.starts_with("| ") && *line != HEAD).count();
    assert!(rows > 200, "{rows} rows");
    nobody(
        "each limit in docs/limits.md has its reason, and names its file and a test that holds it",
        unheld(&page, &files),
    );
}

#[test]
fn a_limit_without_its_reason_its_file_or_its_test_is_found() {
    let files = BTreeMap::from([
        ("crates/a/src/b.rs".to_owned(), "#[test]\nfn held() {}\n\nfn helper() {}\n".to_owned()),
        (
            "crates/a/src/c.rs".to_owned(),
            "    #[tokio::test(start_paused = true)]\n    async fn late() {".to_owned(),
        ),
    ]);
    let row = |why: &str, place: &str, tests: &str| {
        format!("{HEAD}\n|---|---|\n| x | 1 | {why} | fixed | an error | {place} | {tests} |")
    };
    for (why, place, tests, wrong) in [
        ("it fits", "`crates/a/src/b.rs`", "`held`", ""),
        ("it fits", "`crates/a/src/b.rs`, `c.rs`", "`held`, `late`", ""),
        ("it fits", "`crates/a/src/d.rs`", "`held`", "x: there is no file crates/a/src/d.rs"),
        ("it fits", "`crates/a/src/b.rs`", "`hel`", "x: there is no test hel"),
        ("it fits", "`crates/a/src/b.rs`", "`helper`", "x: there is no test helper"),
        ("it fits", "`crates/a/src/b.rs`", "held", "x: no test"),
        ("it fits", "nowhere", "`held`", "x: no file"),
        ("", "`crates/a/src/b.rs`", "`held`", "x: no reason"),
        ("—", "`crates/a/src/b.rs`", "`held`", "x: no reason"),
    ] {
        assert_eq!(unheld(&row(why, place, tests), &files).join("\n"), wrong, "{why}, {place}, {tests}");
    }
    // A row without a cell for the reason.
    let short = format!("{HEAD}\n| x | 1 | fixed | an error | `crates/a/src/b.rs` | `held` |");
    let found = unheld(&short, &files).join("\n");
    assert!(found.starts_with("expected 7 cells, but found 6: | x"), "{found}");
}
