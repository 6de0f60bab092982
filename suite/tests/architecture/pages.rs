//! The order of the documentation: docs/SUMMARY.md (the menu of the site) and docs/README.md (the list of
//! pages) have the same groups, with every page of docs/ and of its folders in them once.

use std::collections::BTreeSet;
use std::fs;

use plainwire_suite::{files_below, root};

use super::nobody;

/// Returns the groups of `text`: each heading that has rows below it, with the link of each row. A row is a line
/// that begins with `row` and a link.
fn groups(text: &str, row: &str) -> Vec<(String, Vec<String>)> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        if line.starts_with('#') {
            groups.push((line.trim_start_matches('#').trim().to_owned(), Vec::new()));
        } else if let Some(rest) = line.strip_prefix(row).filter(|rest| rest.starts_with('[')) {
            let link = rest.split_once("](").and_then(|(_, rest)| rest.split_once(')'));
            let group = groups.last_mut().expect("a heading above the first row");
            group.1.extend(link.map(|(link, _)| link.to_owned()));
        }
    }
    groups.retain(|(_, pages)| !pages.is_empty());
    groups
}

/// Returns a message for each of `pages` that is not in exactly one row of `groups`.
fn not_once(pages: &BTreeSet<String>, groups: &[(String, Vec<String>)]) -> Vec<String> {
    let rows = |page: &str| groups.iter().flat_map(|(_, pages)| pages).filter(|it| *it == page).count();
    let wrong = pages.iter().filter(|page| rows(page) != 1);
    wrong.map(|page| format!("{page}: in {} rows", rows(page))).collect()
}

fn docs(name: &str) -> String {
    fs::read_to_string(root().join("docs").join(name)).expect("a page that is there")
}

#[test]
fn the_menu_of_the_site_and_the_list_of_pages_have_every_page_once_in_one_order() {
    let (menu, list) = (groups(&docs("SUMMARY.md"), "- "), groups(&docs("README.md"), "| "));
    assert!(menu.len() > 5, "{menu:?}");
    for (menu, list) in menu.iter().zip(&list) {
        assert_eq!(menu, list, "docs/SUMMARY.md on the left, docs/README.md on the right");
    }
    assert_eq!(menu.len(), list.len(), "groups of docs/SUMMARY.md, and of docs/README.md");
    let pages = files_below(&root().join("docs"), ".md").into_iter();
    let names = pages.filter_map(|path| {
        Some(path.strip_prefix(root().join("docs")).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/"))
    });
    let is_page = |it: &String| it != "README.md" && it != "SUMMARY.md" && !it.starts_with("samples/");
    let names: BTreeSet<String> = names.filter(is_page).collect();
    assert!(names.len() > 30, "{names:?}");
    nobody("each page of docs/ is in docs/SUMMARY.md and in docs/README.md once", not_once(&names, &menu));
}

#[test]
fn every_picture_is_on_a_page() {
    let pages: String = files_below(&root().join("docs"), ".md")
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        .collect();
    let pictures = files_below(&root().join("docs/pictures"), ".svg");
    assert!(!pictures.is_empty());
    let names = pictures.iter().filter_map(|path| path.file_name()?.to_str());
    let unseen = names.filter(|name| !pages.contains(&format!("](pictures/{name})")));
    nobody("a page of docs/ shows each picture of docs/pictures", unseen.map(ToOwned::to_owned));
}

#[test]
fn a_page_that_is_missing_or_there_twice_is_found() {
    let found = groups(
        "# Summary\n\n[All](README.md)\n\n# A\n\n- [One](one.md)\n- [Two](two.md)\n- [1](one.md)\n",
        "- ",
    );
    assert_eq!(found, [("A".to_owned(), ["one.md", "two.md", "one.md"].map(ToOwned::to_owned).to_vec())]);
    let pages = ["one.md", "two.md", "three.md"].map(ToOwned::to_owned).into();
    assert_eq!(not_once(&pages, &found), ["one.md: in 2 rows", "three.md: in 0 rows"]);
    assert_eq!(groups("## A\n| Page | x |\n|---|---|\n| [1](one.md) | `x` |\n\n## B\n", "| ").len(), 1);
}
