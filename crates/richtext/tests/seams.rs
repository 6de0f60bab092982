//! Separators between blocks after an edit: neighbouring blocks stay separate, or the edit reports a loss.

use plainwire_richtext::{Address, Dialect, Document, Flavor, Format, Restored, Sidecar};

const WIKI: Format = Format::Wiki(Dialect::Confluence);
const MARKDOWN: Format = Format::Markdown(Flavor::Extended);

/// Applies `edit` to the Markdown of `source`, and returns the restored source.
fn edited(format: Format, source: &str, edit: impl Fn(&str) -> String) -> Restored {
    let (markdown, sidecar) = Sidecar::split(&Document::read(format, source));
    let edited = edit(&markdown);
    assert_ne!(edited, markdown, "the edit edits nothing");
    sidecar.restore(&edited).expect("it is the sidecar's Markdown")
}

#[test]
fn paragraphs_that_come_to_stand_side_by_side_stay_two() {
    let restored = edited(WIKI, "one\nh1. Goals\ntwo", |it| it.replace("# Goals\n\n", ""));
    assert_eq!(restored.text, "one\n\ntwo");
    assert!(restored.losses.is_empty(), "{:?}", restored.losses);
}

#[test]
fn a_paragraph_put_before_one_that_followed_a_heading_stays_one_of_its_own() {
    let restored = edited(WIKI, "h1. Goals\ntwo", |it| it.replace("two", "one\n\ntwo"));
    assert_eq!(restored.text, "h1. Goals\n\none\n\ntwo");
}

#[test]
fn a_heading_that_becomes_a_paragraph_does_not_become_one_with_the_next() {
    let restored = edited(WIKI, "h1. Goals\ntwo", |it| it.replace("# Goals", "Goals"));
    assert_eq!(restored.text, "Goals\n\ntwo");
}

#[test]
fn what_stood_between_two_blocks_stays_if_it_keeps_them_apart() {
    let restored = edited(WIKI, "h1. Goals\n\n\n\ntwo\n\n\nthree", |it| it.replace("two\n\n", ""));
    assert_eq!(restored.text, "h1. Goals\n\n\nthree");
}

#[test]
fn lists_of_markdown_that_come_to_stand_side_by_side_stay_two() {
    let restored = edited(MARKDOWN, "- one\n\ntext\n\n- two\n", |it| it.replace("text", "<!-- -->"));
    assert_eq!(Document::read(MARKDOWN, &restored.text).blocks.len(), 2, "{}", restored.text);
}

#[test]
fn a_block_that_an_element_left_open_swallows_is_a_loss() {
    let restored = edited(Format::Storage, "<strong><em> one", |it| format!("{it}\ntwo\n"));
    let losses: Vec<&str> = restored.losses.iter().map(|it| it.message.as_str()).collect();
    let expected = "expected \"<p>two</p>\" to be a block of its own, but found it joined to the text before";
    assert_eq!(losses, [expected], "{}", restored.text);
}

#[test]
fn a_block_beside_a_lone_node_of_json_makes_it_a_document() {
    let lone = r#"{ "type": "paragraph", "content": [{ "type": "text", "text": "one" }] }"#;
    let restored = edited(Format::Adf, lone, |it| format!("{it}\ntwo\n"));
    assert!(restored.text.contains(lone), "{}", restored.text);
    assert_eq!(Document::read(Format::Adf, &restored.text).write(MARKDOWN), "one\n\ntwo\n");
    let text = r#"{"type":"text","text":"one two"}"#;
    let restored = edited(Format::Adf, text, |it| it.replace("two", "**two**"));
    assert_eq!(Document::read(Format::Adf, &restored.text).write(MARKDOWN), "one **two**\n");
    let restored = edited(Format::Adf, text, |it| it.replace("two", "three"));
    assert_eq!(restored.text, r#"{"type":"text","text":"one three"}"#);
    let restored = edited(Format::Adf, lone, |_| String::new());
    assert_eq!(restored.text, r#"{"version":1,"type":"doc","content":[]}"#);
}

#[test]
fn a_paragraph_behind_an_empty_item_leaves_it_one() {
    let restored = edited(WIKI, "one\n* \n", |it| format!("{it}\ntwo\n"));
    assert_eq!(restored.text, "one\n* \n\ntwo\n");
    let cell = "|one|two:\n* three\n** ";
    assert_eq!(edited(WIKI, cell, |it| format!("{it}\ntwo\n")).text, format!("{cell}\n\ntwo"));
}

#[test]
fn a_section_stays_apart_from_what_stands_around_it() {
    let source = "zero\nh1. Goals\ntwo";
    let document = Document::read(WIKI, source);
    let section = document.section(&Address::Block(1)).expect("it is there");
    assert_eq!(section.patch("Goals\n").text, "zero\n\nGoals\n\ntwo");
    assert_eq!(section.patch("# Aims\n").text, "zero\nh1. Aims\ntwo");
    assert_eq!(section.patch(&section.markdown()).text, source);
}

#[test]
fn markdown_of_which_every_block_was_changed_is_still_its_own() {
    let source = "* one\n* two three\n\nsix seven eight\n\n* four\n* five";
    let restored = edited(WIKI, source, |it| it.replace("six seven eight\n\n", ""));
    assert_eq!(restored.text.lines().filter(|it| it.starts_with("* ")).count(), 4, "{}", restored.text);
}
