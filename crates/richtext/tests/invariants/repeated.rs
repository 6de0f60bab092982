//! I6: the same input gives the same output, in whatever order the documents are converted.

#![allow(clippy::print_stdout, reason = "the counts are what is asked for")]

use plainwire_richtext::{Dialect, Document, Flavor, Format, Sidecar, convert};

use crate::documents::{Sample, generated, markdown, sources};

const TO: [Format; 4] =
    [Format::Adf, Format::Storage, Format::Wiki(Dialect::Confluence), Format::Markdown(Flavor::Plain)];

/// Returns, as texts, the results of converting a document to several formats, of making its sidecar, and of
/// restoring it after an edit.
fn made(sample: &Sample) -> Vec<String> {
    let mut all: Vec<String> =
        TO.iter().map(|to| convert(sample.format, *to, &sample.source)).map(|it| format!("{it:?}")).collect();
    let (markdown, sidecar) = Sidecar::split(&Document::read(sample.format, &sample.source));
    all.push(format!("{:?}", sidecar.restore(&markdown.replacen("a", "b", 3))));
    all.extend([markdown, sidecar.to_json()]);
    all
}

#[test]
fn the_same_input_has_the_same_output() {
    let mut samples: Vec<Sample> = sources().into_iter().chain(generated(30)).collect();
    samples.extend(markdown().into_iter().step_by(5));
    samples.retain(|it| it.source.len() < 6000);
    let first: Vec<Vec<String>> = samples.iter().map(made).collect();
    for (sample, first) in samples.iter().zip(&first).rev() {
        assert_eq!(&made(sample), first, "{}", sample.name);
    }
    println!("I6: {} documents, the same in both orders", samples.len());
}
