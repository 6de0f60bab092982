//! I2: extended Markdown carries everything except identifiers, without a sidecar.

#![allow(clippy::print_stdout, reason = "the counts are what is asked for")]

use plainwire_richtext::{Document, Flavor, Format, convert};

use crate::documents::{generated, sources};
use crate::said::{first_difference, said_by, shown};

const MARKDOWN: Format = Format::Markdown(Flavor::Extended);

/// Documents that come back as another tree with the same meaning. A code block or heading with a node that
/// is not allowed in it becomes raw ADF. Raw ADF that is valid becomes the node that it describes.
const OTHERWISE: [&str; 4] = [
    "adfmd/code_block_simple.json",
    "atlaskit-ref/heading-with-non-text-block.json",
    "atlaskit-cxhtml/cx076.xml",
    "atlaskit-cxhtml/cx078.xml",
];

#[test]
fn extended_markdown_says_all_but_identifiers() {
    let samples: Vec<_> = sources().into_iter().chain(generated(300)).collect();
    let mut failed = Vec::new();
    for sample in &samples {
        if OTHERWISE.iter().any(|it| sample.name.ends_with(it)) {
            continue;
        }
        let conversion = convert(sample.format, MARKDOWN, &sample.source);
        let (ours, theirs) = (said_by(sample.format, &sample.source), said_by(MARKDOWN, &conversion.text));
        if !conversion.is_lossless() || ours != theirs {
            let losses: Vec<_> = conversion.losses.iter().map(|it| it.message.as_str()).take(2).collect();
            failed.push(format!("{}: {losses:?} {}", sample.name, first_difference(&ours, &theirs)));
        }
    }
    println!("I2: {} documents, {} without a loss", samples.len(), samples.len() - failed.len());
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed[..failed.len().min(60)].join("\n"));
}

#[test]
fn the_markdown_for_an_edit_is_read_as_it_was_written() {
    let mut failed = Vec::new();
    let samples: Vec<_> = sources().into_iter().chain(generated(300)).collect();
    for sample in &samples {
        let first = shown(&Document::read(sample.format, &sample.source));
        let again = shown(&Document::read(MARKDOWN, &first));
        if first != again {
            let at = first.bytes().zip(again.bytes()).take_while(|it| it.0 == it.1).count();
            let part = |text: &str| {
                String::from_utf8_lossy(&text.as_bytes()[at.saturating_sub(80)..(at + 80).min(text.len())])
                    .into_owned()
            };
            failed.push(format!("{}: {:?} | {:?}", sample.name, part(&first), part(&again)));
        }
    }
    println!(
        "I2: the Markdown for an edit of {} documents, {} of them read otherwise",
        samples.len(),
        failed.len()
    );
    assert!(failed.is_empty(), "{}\n{}", failed.len(), failed[..failed.len().min(20)].join("\n"));
}
