//! Tests that the memory for converting a source, and for restoring it after an edit, grows linearly with the
//! source: both the total of the allocated bytes, and the most bytes that are allocated at a time.
//!
//! The tests count allocations because the counts are the same on every machine and in each run. A search
//! that is slow but allocates nothing passes here: `suite/bench/run richtext nasty` measures the time, and
//! fails for such a search.

mod sources;

use allocation_counter::measure;
use plainwire_richtext::{Dialect, Document, Flavor, Format, Sidecar, convert};
use sources::{SOURCES, Source};

/// The largest factor by which memory may grow when the source is four times as long. Quadratic memory would
/// grow by the factor sixteen.
const MOST: u64 = 6;

/// The number of bytes by which memory may exceed the limit that [`MOST`] sets, since allocations of a fixed
/// size could look like growth.
const SPARE: u64 = 64 << 10;

/// The size of the shorter one of the two compared sources, in KiB. Both sources are longer than the part of
/// a text that a reader handles at a time.
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
