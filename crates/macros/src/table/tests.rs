//! The tables of the page docs/attributes.md, made from those of the macros.
//!
//! `UPDATE=1 cargo test -p plainwire-macros` writes the tables anew. Review the changes like those of a
//! document. The rest of the page is written by hand, and its examples are doctests of `plainwire-suite`.

use std::path::Path;
use std::{env, fs};

use super::*;
use crate::constraint::FORMATS;
use crate::name::any_of;
use crate::options::{ON_CANCEL, VISIBILITY};

/// Each table, with the heading of its section on the page and the head of its first column.
const SECTIONS: [(&str, &str, &[Known]); 7] = [
    ("`#[tool]`", "Option", &TOOL),
    ("`#[resource]`", "Option", &RESOURCE),
    ("`#[prompt]`", "Option", &PROMPT),
    ("Attributes of arguments", "Attribute", &FIELD),
    ("Attributes of parameters", "Attribute", &PARAMETER),
    ("`#[server]`", "Option", &SERVER),
    ("`#[derive(ToolError)]`", "Option", &TOOL_ERROR),
];

/// Returns the page with the table of each section in place of the one that is there.
fn made_anew(page: &str) -> String {
    SECTIONS.iter().fold(page.to_owned(), |page, (heading, first, known)| {
        let heading = format!("\n## {heading}\n");
        let (before, section) = page.split_once(&heading).unwrap_or_else(|| panic!("expected {heading}"));
        let (intro, old) =
            section.split_once("\n| ").unwrap_or_else(|| panic!("expected a table: {heading}"));
        assert!(!intro.contains("\n## "), "expected a table: {heading}");
        let (_, rest) = old.split_once("\n\n").expect("an example below the table");
        format!("{before}{heading}{intro}\n{}\n{rest}", table(first, known))
    })
}

fn table(first: &str, known: &[Known]) -> String {
    let rows = known.iter().map(|it| row(it, first == "Attribute", &names(known)));
    format!("| {first} | Value | Meaning |\n|---|---|---|\n{}", rows.collect::<String>())
}

fn row(it: &Known, is_attribute: bool, names: &[&str]) -> String {
    let form = if is_attribute { format!("#[{}]", it.form) } else { it.form.to_owned() };
    let repeated = if REPEATED.contains(&it.name) { " May be given more than once." } else { "" };
    let opposites = OPPOSITES.iter().filter_map(|&pair| match pair {
        (one, other) | (other, one) if one == it.name => Some(other),
        _ => None,
    });
    let opposites: Vec<_> = opposites.filter(|it| names.contains(it)).collect();
    let opposites =
        if opposites.is_empty() { String::new() } else { format!(" Not with {}.", any_of(&opposites)) };
    format!("| `{form}` | {} | {}{opposites}{repeated} |\n", it.value, it.meaning)
}

#[test]
fn the_page_has_the_options_of_the_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/attributes.md");
    let page = fs::read_to_string(&path).expect("UTF-8");
    let made = made_anew(&page);
    if env::var_os("UPDATE").is_some_and(|update| update == "1") {
        return fs::write(&path, made).expect("a writable file");
    }
    for (n, (written, made)) in page.lines().zip(made.lines()).enumerate() {
        let hint = "`UPDATE=1 cargo test -p plainwire-macros` writes the tables anew";
        assert_eq!(written, made, "docs/attributes.md:{}: {hint}", n + 1);
    }
    assert_eq!(page.len(), made.len());
}

#[test]
fn an_option_is_written_with_its_name_and_means_one_sentence() {
    for it in SECTIONS.iter().flat_map(|(.., table)| *table) {
        let Known { name, form, meaning, .. } = it;
        let rest = form.strip_prefix(name).unwrap_or_else(|| panic!("{name}: {form}"));
        assert_eq!(rest.is_empty(), matches!(it.takes, Takes::Flag | Takes::View), "{name}: {form}");
        assert!(meaning.starts_with(|first: char| first.is_ascii_uppercase()), "{name}: {meaning}");
        assert!(meaning.ends_with('.') && !meaning.contains(". "), "{name}: {meaning}");
        assert!(
            ![form, it.value, meaning].iter().any(|cell| cell.contains('|')),
            "{name}: a `|` ends a cell"
        );
    }
}

#[test]
fn a_value_that_is_one_of_some_words_has_the_words_that_the_macro_accepts() {
    let value = |table: &[Known], name: &str| table.iter().find(|it| it.name == name).map(|it| it.value);
    let words = |words: [(&'static str, &str); 3]| any_of(&words.map(|(word, _)| word));
    assert_eq!(value(&TOOL, "on_cancel"), Some(&*words(ON_CANCEL)));
    assert_eq!(value(&TOOL, "visibility"), Some(&*words(VISIBILITY)));
    assert_eq!(value(&FIELD, "format"), Some(&*any_of(&FORMATS)));
}

#[test]
fn tables_are_in_the_order_of_the_alphabet() {
    assert!(SECTIONS.iter().all(|(.., table)| names(table).is_sorted()));
}

#[test]
fn the_documentation_of_each_attribute_names_all_of_its_options() {
    let docs = include_str!("../lib.rs");
    for (function, tables) in [
        ("tool", &[&TOOL[..], &FIELD, &PARAMETER][..]),
        ("resource", &[&RESOURCE]),
        ("prompt", &[&PROMPT]),
        ("server", &[&SERVER]),
        ("data", &[&FIELD]),
        ("tool_error", &[&TOOL_ERROR]),
    ] {
        let (above, _) = docs.split_once(&format!("\npub fn {function}(")).expect("the attribute");
        let (_, above) = above.rsplit_once("\n\n").expect("its documentation");
        for it in tables.iter().copied().flatten() {
            let is_named = ["`", "`#[", "("].iter().any(|mark| above.contains(&format!("{mark}{}", it.name)));
            assert!(is_named, "{function}: {}", it.name);
        }
    }
}
