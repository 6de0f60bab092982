//! I11: an attribute of a directive that an edit changes is changed or told, and no identifier goes.

#![allow(clippy::print_stdout, reason = "the counts are what is asked for")]

use std::ops::Range;

use plainwire_richtext::{Dialect, Document, Flavor, Format, Sidecar, convert};

use crate::documents::{Sample, generated, least, some, sources};
use crate::said::{first_difference, meant, said_by, shown};

const MARKDOWN: Format = Format::Markdown(Flavor::Extended);

/// The documents between two that are taken, unless all are.
const STEP: usize = 4;

#[test]
fn each_attribute_of_each_directive_is_changed_or_told() {
    let mut samples: Vec<Sample> = sources().into_iter().chain(generated(100)).collect();
    for to in [Format::Storage, Format::Wiki(Dialect::Confluence)] {
        samples.extend(generated(60).into_iter().map(|it| Sample {
            name: format!("{} as {to:?}", it.name),
            format: to,
            source: convert(Format::Adf, to, &it.source).text,
        }));
    }
    let samples = some(STEP, samples);
    let (mut made, mut told, mut failed) = (0, 0, Vec::new());
    for sample in &samples {
        let (markdown, sidecar) = Sidecar::split(&Document::read(sample.format, &sample.source));
        for (range, new) in changes(&markdown) {
            let mut edited = markdown.clone();
            edited.replace_range(range.clone(), &new);
            let Ok(restored) = sidecar.restore(&edited) else { continue };
            if !(restored.losses.is_empty() && restored.conflicts.is_empty() && restored.invalid.is_empty()) {
                told += 1;
                continue;
            }
            let (ours, theirs) = (ids(&sample.source), ids(&restored.text));
            let again = shown(&Document::read(sample.format, &restored.text));
            let expected = shown(&Document::read(MARKDOWN, &edited));
            let means = |text: &str| meant(said_by(MARKDOWN, text));
            let gone: Vec<_> = ours.iter().filter(|it| !theirs.contains(it)).take(3).collect();
            if !gone.is_empty() {
                failed.push(format!(
                    "{}: {:?} to {new:?}: ids {gone:?} are gone",
                    sample.name, &markdown[range]
                ));
            } else if again != expected && means(&again) != means(&expected) {
                failed.push(format!(
                    "{}: {:?} to {new:?} reads back otherwise: {}",
                    sample.name,
                    &markdown[range.clone()],
                    first_difference(&means(&again), &means(&expected))
                ));
            } else {
                made += 1;
            }
        }
    }
    println!(
        "I11: {} attributes changed, {made} made, {told} told, {} failed",
        made + told + failed.len(),
        failed.len()
    );
    assert!(failed.is_empty(), "{} failed: {:#?}", failed.len(), &failed[..failed.len().min(12)]);
    assert!(made > least(STEP, 500), "{made}");
}

/// Returns a change of each attribute value in the braces of `markdown`, outside of fences: another value of its kind.
fn changes(markdown: &str) -> Vec<(Range<usize>, String)> {
    let mut all = Vec::new();
    let (mut at, mut is_code) = (0, false);
    for line in markdown.split_inclusive('\n') {
        if line.trim_start_matches([' ', '>', '-', '*', '1', '.']).starts_with("```") {
            is_code = !is_code;
        } else if !is_code && line.contains(':') && !line.contains(['`', '\\']) {
            let mut rest = 0;
            while let Some(open) = line[rest..].find('{').map(|it| it + rest + 1) {
                let Some(close) = line[open..].find('}').map(|it| it + open) else { break };
                let braces = &line[open..close];
                if braces.contains('"') && !braces.contains(['\'', '{']) {
                    quoted(braces, at + open, &mut all);
                } else if !braces.contains(['\'', '{']) {
                    values(braces, at + open, &mut all);
                }
                rest = close;
            }
        }
        at += line.len();
    }
    all
}

fn values(braces: &str, at: usize, all: &mut Vec<(Range<usize>, String)>) {
    let mut from = 0;
    for word in braces.split(' ') {
        if let Some((name, value)) = word.split_once('=')
            && name != "ts"
        {
            let start = at + from + name.len() + 1;
            all.push((start..start + value.len(), other(name, value)));
        }
        from += word.len() + 1;
    }
}

/// Adds a change of each quoted value: a word at its end.
fn quoted(braces: &str, at: usize, all: &mut Vec<(Range<usize>, String)>) {
    let ends = braces.match_indices('"').skip(1).step_by(2);
    all.extend(ends.map(|it| (at + it.0..at + it.0, " more".to_owned())));
}

/// Returns another value for an attribute, of which some are not valid.
fn other(name: &str, value: &str) -> String {
    match (name, value) {
        ("color", "green") => "red".to_owned(),
        ("color", _) => "green".to_owned(),
        ("type", "info") => "warning".to_owned(),
        ("align", "center") => "end".to_owned(),
        ("layout", "center") => "wide".to_owned(),
        ("layout", _) => "center".to_owned(),
        (_, "true") => "false".to_owned(),
        (_, "false") => "true".to_owned(),
        ("fg" | "bg", _) => "#0052cc".to_owned(),
        _ => value.parse::<u32>().map_or_else(|_| format!("{value}2"), |it| (it + 1).to_string()),
    }
}

/// Returns the identifiers in a source, in order: values of the attributes that only identify something.
fn ids(source: &str) -> Vec<&str> {
    let names =
        ["\"localId\":\"", "ac:local-id=\"", " local-id=\"", "ac:macro-id=\"", "ac:schema-version=\"2"];
    let mut all: Vec<&str> = Vec::new();
    for name in names {
        all.extend(source.split(name).skip(1).filter_map(|it| it.split('"').next()));
    }
    all.sort_unstable();
    all
}
