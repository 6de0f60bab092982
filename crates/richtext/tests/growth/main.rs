//! Whether what a conversion takes grows as its source does, whatever the source is made of: the bytes it asks the allocator for, and the
//! most it holds at a time.
//!
//! These are counted, so that the numbers are the same on every machine and each time. What searches without asking for memory only takes
//! longer: `suite/bench/run richtext nasty` measures that, and fails too.

mod sources;

use allocation_counter::measure;
use plainwire_richtext::{Dialect, Document, Flavor, Format, Sidecar, convert};
use sources::{SOURCES, Source};

/// How much more a source of four times the size may take: a quadratic part would make it sixteen times as much.
const MOST: u64 = 6;

/// What does not grow at all and could look as if it did.
const SPARE: u64 = 64 << 10;

/// The size of the shorter source. Both are longer than what a reader takes as one part.
const KIB: usize = 40;

fn grows_as_its_source(what: &str, source: &Source, work: impl Fn(&str)) {
    let (small, large) = (source.text(KIB << 10), source.text(KIB << 12));
    let (less, more) = (measure(|| work(&small)), measure(|| work(&large)));
    let fits = |less: u64, more: u64| more <= less * MOST + SPARE;
    assert!(
        fits(less.bytes_total, more.bytes_total) && fits(less.bytes_max, more.bytes_max),
        "{} {what}: expected four times as much of a source four times as long, but found {less:?} and {more:?}",
        source.name
    );
}

fn of(format: &str) -> impl Iterator<Item = &'static Source> {
    let found: Vec<&Source> = SOURCES.iter().filter(|it| it.format() == format).collect();
    assert!(!found.is_empty(), "there are sources of {format}");
    found.into_iter()
}

fn converted(from: Format, ending: &str, to: &[Format]) {
    for source in of(ending) {
        for to in to {
            grows_as_its_source(&format!("to {to}"), source, |text| drop(convert(from, *to, text)));
        }
    }
}

const ADF: Format = Format::Adf;
const STORAGE: Format = Format::Storage;
const JIRA: Format = Format::Wiki(Dialect::Jira);
const WIKI: Format = Format::Wiki(Dialect::Confluence);
const MARKDOWN: Format = Format::Markdown(Flavor::Extended);

#[test]
fn markdown_is_converted_in_linear_space() {
    converted(MARKDOWN, "md", &[ADF, WIKI]);
}

#[test]
fn wiki_markup_is_converted_in_linear_space() {
    converted(WIKI, "wiki", &[MARKDOWN]);
    converted(JIRA, "wiki", &[ADF]);
}

#[test]
fn storage_format_is_converted_in_linear_space() {
    converted(STORAGE, "xml", &[MARKDOWN]);
}

#[test]
fn adf_is_converted_in_linear_space() {
    converted(ADF, "json", &[MARKDOWN]);
}

#[test]
fn an_edit_is_put_back_in_linear_space() {
    for (from, ending) in [(WIKI, "wiki"), (STORAGE, "xml"), (ADF, "json")] {
        for source in of(ending) {
            grows_as_its_source("and back", source, |text| {
                let (markdown, sidecar) = Sidecar::split(&Document::read(from, text));
                drop(sidecar.restore(&format!("{markdown}\n\nMore words.\n")));
                drop(sidecar.restore(&markdown.replacen("words", "other words", 1)));
            });
        }
    }
}
