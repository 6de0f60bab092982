//! I2: extended Markdown carries everything except identifiers, without a sidecar.

#![allow(clippy::print_stdout, reason = "the counts are what is asked for")]

use plainwire_richtext::{Flavor, Format, convert};

use crate::documents::{generated, sources};
use crate::said::{first_difference, said_by};

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
