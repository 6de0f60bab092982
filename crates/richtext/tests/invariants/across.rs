//! Conversions from one format to another and back: every loss is reported.

#![allow(clippy::print_stdout, reason = "the counts are what is asked for")]

use plainwire_richtext::{Dialect, Flavor, Format, convert, convert_with};

use crate::documents::{Sample, generated, markdown, sources};
use crate::said::{first_difference, meant, said_by};

const WIKI: Format = Format::Wiki(Dialect::Confluence);
const ALL: [Format; 5] =
    [Format::Adf, Format::Storage, WIKI, Format::Wiki(Dialect::Jira), Format::Markdown(Flavor::Extended)];

/// Counts of the documents that were converted from one format to another and back.
#[derive(Default)]
struct Way {
    documents: usize,
    lossless: usize,
    told: usize,
    examples: Vec<String>,
}

#[test]
fn no_way_from_format_to_format_loses_anything_in_silence() {
    let mut silent = Vec::new();
    let mut samples: Vec<_> = sources().into_iter().chain(generated(100)).collect();
    samples.extend(markdown().into_iter().filter(|it| it.source.len() < 50_000));
    for from in ALL {
        for via in ALL.into_iter().filter(|it| *it != from) {
            let mut way = Way::default();
            for sample in samples.iter().filter(|it| it.format == from) {
                there_and_back(sample, via, &mut way, &mut silent);
            }
            println!(
                "across: {from:?} by {via:?} and back: {} documents, {} without a loss, {} with the loss told",
                way.documents, way.lossless, way.told
            );
            way.examples.iter().take(12).for_each(|it| println!("    {it}"));
        }
    }
    assert!(silent.is_empty(), "{} in silence\n{}", silent.len(), silent[..silent.len().min(60)].join("\n"));
}

/// Returns whether a text has what only this crate reads, or JSON in the dialect of Confluence, whose products do not read it.
fn is_private(format: Format, text: &str) -> bool {
    let names = ["plainwire-raw", "com.plainwire.raw", "data-plainwire", "plainwire:"];
    names.iter().any(|it| text.contains(it)) || format == WIKI && text.contains("{adf")
}

#[test]
fn nothing_that_only_plainwire_reads_is_written_unless_it_is_asked_for() {
    let (mut documents, mut kept, mut private) = (0, 0, Vec::new());
    let mut samples: Vec<_> = sources().into_iter().chain(generated(200)).collect();
    samples.extend(markdown().into_iter().filter(|it| it.source.len() < 50_000));
    for sample in samples.iter().filter(|it| !is_private(it.format, &it.source)) {
        for to in ALL.into_iter().filter(|it| *it != sample.format && *it != ALL[4]) {
            documents += 1;
            let text = convert(sample.format, to, &sample.source).text;
            if is_private(to, &text) {
                private.push(format!("{} to {to:?}: {text}", sample.name));
            }
            let all = convert_with(sample.format, to, &sample.source, |it| it.keep_raw = true);
            kept += usize::from(is_private(to, &all.text));
        }
    }
    println!(
        "private: {documents} conversions, {} have what only Plainwire reads, {kept} if it is kept",
        private.len()
    );
    assert!(kept > 50, "{kept}");
    assert!(
        private.is_empty(),
        "{} of {documents}\n{}",
        private.len(),
        private[..private.len().min(10)].join("\n")
    );
}

fn there_and_back(sample: &Sample, via: Format, way: &mut Way, silent: &mut Vec<String>) {
    let from = sample.format;
    let there = convert(from, via, &sample.source);
    let back = convert(via, from, &there.text);
    let of = |format, text: &str| meant(said_by(format, text));
    let (first, between, last) = (of(from, &sample.source), of(via, &there.text), of(from, &back.text));
    way.documents += 1;
    for (conversion, a, b, leg) in [(&there, &first, &between, "there"), (&back, &between, &last, "back")] {
        if conversion.is_lossless() && a != b {
            silent.push(format!("{} by {via:?}, {leg}: {}", sample.name, first_difference(a, b)));
        }
    }
    if first == last {
        way.lossless += 1;
    } else {
        way.told += 1;
        let told =
            there.losses.iter().map(|it| ("there", it)).chain(back.losses.iter().map(|it| ("back", it)));
        let told: Vec<_> = told
            .filter(|it| it.1.kind != plainwire_richtext::LossKind::Identity)
            .map(|it| format!("{}: {}", it.0, it.1.message))
            .take(2)
            .collect();
        way.examples.push(format!("{}: {told:?}", sample.name));
    }
}
