//! Tables in docs/atlassian/ that follow from the code: the variables, and the operations that are in none of Atlassian's documents.
//!
//! In: the pages, and the lists of the code. Out: rows that are missing or too many. `UPDATE=1 cargo test -p plainwire-suite --test atlassian tables`
//! writes the table of variables; the operations have columns that only people can write.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::{env, fs};

use plainwire_atlassian::settings::variables;
use plainwire_site::{Deployment, operations};
use plainwire_suite::openapi::Contract;
use plainwire_suite::root;

use crate::support::BOTH;

fn path(name: &str) -> PathBuf {
    root().join("docs/atlassian").join(name)
}

fn page(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("docs/atlassian/{name}: {error}"))
}

/// Returns a page with `rows` in the place of those of the table that begins with `head`.
fn with_rows(page: &str, head: &str, rows: &[String]) -> String {
    let mut made = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        made += &format!("{line}\n");
        if line == head {
            made += &format!("{}\n", lines.next().expect("the line below the head of a table"));
            while lines.next_if(|it| it.starts_with('|')).is_some() {}
            rows.iter().for_each(|row| made += &format!("{row}\n"));
        }
    }
    made
}

#[test]
fn the_page_of_settings_has_each_variable() {
    let ticked = |names: &[&str]| names.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    let rows: Vec<String> = variables()
        .iter()
        .map(|it| format!("| `{}` | {} | {} |", it.name, ticked(it.also), it.meaning))
        .collect();
    let then = page("settings.md");
    let now = with_rows(&then, "| Variable | Also as | Meaning |", &rows);
    if env::var_os("UPDATE").is_some_and(|it| it == "1") {
        return fs::write(path("settings.md"), now).expect("a writable file");
    }
    let missing: Vec<&str> = now.lines().filter(|it| !then.lines().any(|line| line == *it)).collect();
    let surplus: Vec<&str> = then.lines().filter(|it| !now.lines().any(|line| line == *it)).collect();
    assert!(
        then == now,
        "docs/atlassian/settings.md lacks {missing:#?} and has {surplus:#?} too much; UPDATE=1 writes it"
    );
}

/// Returns a path whose parameters have no names.
fn nameless(path: &str) -> String {
    path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part }).collect::<Vec<_>>().join("/")
}

/// Returns the operations of the site in a deployment that its documents do not describe, such as `GET /me`.
fn undocumented(deployment: Deployment, contract: &Contract) -> BTreeSet<String> {
    let known: BTreeSet<String> =
        contract.operations().map(|(method, path, _)| format!("{method} {}", nameless(path))).collect();
    // Version 2 on Cloud has the operations of version 3.
    let version = if deployment == Deployment::Cloud { "3" } else { "2" };
    let is_known = |method: &str, path: &str| {
        known.contains(&format!("{method} {}", nameless(&path.replace("{v}", version))))
    };
    operations(deployment)
        .filter(|(method, path)| !is_known(method, path))
        .map(|(method, path)| format!("{method} {path}"))
        .collect()
}

#[test]
fn the_page_of_operations_has_each_one_that_is_in_no_document() {
    let page = page("operations.md");
    for deployment in BOTH {
        let contract = match deployment {
            Deployment::Cloud => Contract::jira_cloud(),
            Deployment::DataCenter => Contract::jira_datacenter(),
        };
        let Some(contract) = contract else {
            println!("SKIPPED: the published documents are not present");
            return;
        };
        let name = if deployment == Deployment::Cloud { "Cloud" } else { "Data Center" };
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
        let listed: BTreeSet<String> =
            rows.filter(|(_, rest)| rest.contains(name)).map(|(operation, _)| operation.to_owned()).collect();
        let expected = undocumented(deployment, &contract);
        let missing: Vec<_> = expected.difference(&listed).collect();
        let surplus: Vec<_> = listed.difference(&expected).collect();
        assert!(
            missing.is_empty() && surplus.is_empty(),
            "docs/atlassian/operations.md, {name}: lacks {missing:#?}, and has {surplus:#?} too much"
        );
    }
}

#[test]
fn rows_of_a_table_are_replaced_and_the_rest_of_a_page_stays() {
    let page = "a\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n| C |\n|---|\n| 3 |\n";
    let now = with_rows(page, "| A | B |", &["| x | y |".to_owned(), "| z |  |".to_owned()]);
    assert_eq!(now, "a\n\n| A | B |\n|---|---|\n| x | y |\n| z |  |\n\n| C |\n|---|\n| 3 |\n");
    assert_eq!(nameless("/rest/{v}/issue/{key}"), "/rest/{}/issue/{}");
}
