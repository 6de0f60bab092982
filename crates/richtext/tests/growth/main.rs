//! Whether what a conversion takes grows as its source does, whatever the source is made of: the bytes it asks the allocator for, and the
//! most it holds at a time.
//!
//! These are counted, so that the numbers are the same on every machine and each time. What searches without asking for memory only takes
//! longer: `suite/bench/run richtext nasty` measures that, and fails too.

#![expect(unsafe_code, reason = "an allocator that counts is made of unsafe functions")]

mod sources;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use plainwire_richtext::{Dialect, Document, Flavor, Format, Sidecar, convert};
use sources::{SOURCES, Source};

/// How much more a source of four times the size may take: a quadratic part would make it sixteen times as much.
const MOST: usize = 6;

/// What does not grow at all and could look as if it did.
const SPARE: usize = 64 << 10;

/// The size of the shorter source. Both are longer than what a reader takes as one part.
const KIB: usize = 40;

/// What one thread has asked for.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    /// All together.
    bytes: usize,
    held: usize,
    /// The most that was held at a time.
    peak: usize,
}

thread_local! {
    static ASKED: Cell<Asked> = const { Cell::new(Asked { bytes: 0, held: 0, peak: 0 }) };
}

struct Counting;

fn count(more: usize, less: usize) {
    let mut asked = ASKED.get();
    asked.bytes += more;
    asked.held = (asked.held + more).saturating_sub(less);
    asked.peak = asked.peak.max(asked.held);
    ASKED.set(asked);
}

// SAFETY: all of it is what the system's allocator does.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller keeps to the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size.saturating_sub(layout.size()), layout.size().saturating_sub(size));
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `work` asks for.
fn asked(work: impl FnOnce()) -> Asked {
    ASKED.set(Asked::default());
    work();
    ASKED.get()
}

fn grows_as_its_source(what: &str, source: &Source, work: impl Fn(&str)) {
    let (small, large) = (source.text(KIB << 10), source.text(KIB << 12));
    let (less, more) = (asked(|| work(&small)), asked(|| work(&large)));
    let fits = |less: usize, more: usize| more <= less * MOST + SPARE;
    assert!(
        fits(less.bytes, more.bytes) && fits(less.peak, more.peak),
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
