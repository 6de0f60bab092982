//! The page docs/richtext-gallery.md: every construct in its own format, and as the converter writes it in
//! the other three formats.
//!
//! `UPDATE=1 cargo test -p plainwire-suite --test richtext` writes the page anew. Review the changes like
//! those of a document.

use std::fmt::Write as _;
use std::{env, fs};

use plainwire_richtext::{Conversion, Dialect, Document, Flavor, Format, LossKind, Sidecar, convert};
use plainwire_suite::root;

use super::constructs::{CONSTRUCTS, Construct};

/// The formats that the page shows. A construct appears in its own format first, and then in the others in
/// this order.
const FORMATS: [Format; 4] =
    [Format::Adf, Format::Storage, Format::Wiki(Dialect::Confluence), Format::Markdown(Flavor::Extended)];

/// Returns the name of a format that the page shows, and the language of its code fences.
fn named(format: Format) -> (&'static str, &'static str) {
    match format {
        Format::Adf => ("ADF", "json"),
        Format::Storage => ("Storage format", "xml"),
        Format::Wiki(_) => ("Wiki markup", "text"),
        Format::Markdown(_) => ("Markdown", "markdown"),
    }
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    for it in CONSTRUCTS {
        let cells = FORMATS.map(|to| match to.name() == it.from.name() {
            true => "given".to_owned(),
            false => summary(&convert(it.from, to, it.source)),
        });
        let anchor =
            it.name.to_lowercase().replace(' ', "-").replace(|c: char| !c.is_alphanumeric() && c != '-', "");
        writeln!(page, "| [{}](#{anchor}) | {} |", it.name, cells.join(" | ")).expect("a string");
    }
    CONSTRUCTS.iter().for_each(|it| page += &section(it));
    page
}

/// Returns a short text about what a conversion keeps: `all`, `all but identifiers`, or the number of losses.
fn summary(it: &Conversion) -> String {
    let lost = it.losses.iter().filter(|it| it.kind != LossKind::Identity).count();
    match (lost, it.losses.len()) {
        (0, 0) => "all".to_owned(),
        (0, _) => "all but identifiers".to_owned(),
        (lost, _) => format!("{lost} lost"),
    }
}

fn section(it: &Construct) -> String {
    let note = if it.note.is_empty() { String::new() } else { format!("\n{}\n", it.note) };
    let read = Document::read(it.from, it.source);
    let found = read.diagnostics.iter().map(|found| format!("found: `{}`", found.shown(it.source)));
    let mut section =
        format!("\n## {}\n{note}", it.name) + &shown(it.from, "given", it.source) + &list(found);
    for to in FORMATS.into_iter().filter(|to| to.name() != it.from.name()) {
        let made = convert(it.from, to, it.source);
        let lost = made.losses.iter().filter(|it| it.kind != LossKind::Identity);
        section += &shown(to, &summary(&made), &made.text);
        section += &list(lost.map(|it| format!("lost: `{}`", it.message.replace('`', "'"))));
    }
    section
}

/// Returns these lines as a Markdown list that is put below a document; empty without lines.
fn list(lines: impl Iterator<Item = String>) -> String {
    let lines: String = lines.map(|it| format!("- {it}\n")).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

/// Returns a document in a code fence that is longer than any fence inside of the document.
fn shown(format: Format, how: &str, text: &str) -> String {
    let (name, language) = named(format);
    let longest = text.split(|it| it != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("\n{name}, {how}:\n\n{fence}{language}\n{text}{end}{fence}\n")
}

#[test]
fn the_page_shows_what_the_converter_writes() {
    let (path, page) = (root().join("docs/richtext-gallery.md"), page());
    if env::var_os("UPDATE").is_some_and(|it| it == "1") {
        fs::write(&path, &page).expect("a writable file");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    let differs = page.lines().zip(written.lines()).enumerate().find(|(_, (now, then))| now != then);
    if let Some((at, (now, then))) = differs {
        panic!(
            "docs/richtext-gallery.md:{}\nexpected {then}\nbut found {now}\nUPDATE=1 writes it down",
            at + 1
        );
    }
    assert_eq!(page.len(), written.len(), "UPDATE=1 writes docs/richtext-gallery.md down as it is now");
}

#[test]
fn every_construct_is_read_without_a_word_unless_it_is_about_one() {
    for it in CONSTRUCTS {
        let found = Document::read(it.from, it.source).diagnostics;
        assert_eq!(found.is_empty(), !it.name.contains("malformed"), "{}: {found:?}", it.name);
    }
}

#[test]
fn every_construct_comes_back_byte_for_byte_with_a_sidecar() {
    for it in CONSTRUCTS {
        let (markdown, sidecar) = Sidecar::split(&Document::read(it.from, it.source));
        let back = sidecar.restore(&markdown).expect("it is its own");
        assert_eq!((back.text.as_str(), back.conflicts.len()), (it.source, 0), "{}", it.name);
    }
}

#[test]
fn every_construct_comes_back_to_its_format_through_any_other() {
    let mut lost = String::new();
    for it in CONSTRUCTS {
        for by in FORMATS.into_iter().filter(|by| by.name() != it.from.name()) {
            let there = convert(it.from, by, it.source);
            if !there.is_lossless() {
                continue; // the page lists what this conversion loses
            }
            let back = convert(by, it.from, &there.text);
            let lines = back.losses.iter().filter(|it| it.kind != LossKind::Identity);
            lines.for_each(|loss| lost += &format!("{} by {by}: {}\n", it.name, loss.message));
        }
    }
    assert!(lost.is_empty(), "\n{lost}");
}

const HEAD: &str = "\
# Rich text: a gallery

This page shows each construct in one format, and what `plainwire convert` makes of it in the other three. A test writes the
page (`suite/tests/richtext/gallery.rs`). Only the notes and the texts marked *given* are written by hand. Wiki markup is
Confluence's, Markdown is [extended](extended-markdown.md). [rich-text.md](rich-text.md) explains how to convert a document
and how edits come back.

The table says what each conversion keeps. *all*: the written text, read again, gives the same tree. *all but identifiers*:
only data that a reader of the document does not see is missing, such as `localId` and `ac:macro-id`; in Markdown, a sidecar
keeps it. A number: so many losses are listed below the text. `plainwire convert` reports them too, and exits with 1.

| Construct | ADF | Storage format | Wiki markup | Markdown |
|---|---|---|---|---|
";
