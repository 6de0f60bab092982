//! I4: the ADF that is written is valid if the source was, also after an edit. What makes it invalid is
//! reported.

#![allow(clippy::print_stdout, reason = "the counts are what is asked for")]

use plainwire_richtext::tree::{Kind, Node};
use plainwire_richtext::{Document, Flavor, Format, Sidecar, adf, convert};

use crate::documents::{generated, markdown, sources};

const MARKDOWN: Format = Format::Markdown(Flavor::Extended);

#[test]
fn adf_is_valid_whatever_it_was_made_of() {
    let samples: Vec<_> = sources().into_iter().chain(markdown()).chain(generated(300)).collect();
    let (mut judged, mut failed) = (0, Vec::new());
    for sample in &samples {
        if sample.format == Format::Adf && !adf::check(&sample.source).is_empty() {
            continue;
        }
        judged += 1;
        let written = convert(sample.format, Format::Adf, &sample.source).text;
        if written.contains("__confluenceMetadata") {
            // Confluence adds this attribute to links, but the schema refuses it. So the ADF of a page with
            // this attribute was never valid.
            continue;
        }
        if let Some(found) = adf::check(&written).first() {
            failed.push(format!("{}: {}", sample.name, found.shown(&written)));
        }
        let markdown = convert(sample.format, MARKDOWN, &sample.source).text;
        let written = convert(MARKDOWN, Format::Adf, &markdown).text;
        if let Some(found) = adf::check(&written).first() {
            failed.push(format!("{} by Markdown: {}", sample.name, found.shown(&written)));
        }
    }
    println!("I4: {judged} documents, {} not valid as ADF", failed.len());
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed[..failed.len().min(40)].join("\n"));
}

#[test]
fn what_makes_adf_invalid_is_told_and_nothing_else() {
    let (mut told, mut failed) = (0, Vec::new());
    for sample in sources().into_iter().chain(markdown()) {
        let markdown = match sample.format {
            Format::Markdown(_) => sample.source,
            format => convert(format, MARKDOWN, &sample.source).text,
        };
        let converted = convert(MARKDOWN, Format::Adf, &markdown);
        let broken = adf::check(&converted.text);
        told += usize::from(!converted.invalid.is_empty());
        // Raw ADF, in an `adf` fence or a `:raw` directive, is written without a check.
        let is_raw = markdown.contains("```adf") || markdown.contains("{format=adf}");
        if converted.invalid.is_empty() != broken.is_empty() && !is_raw {
            failed.push(format!("{}: {broken:?}, but told {:?}", sample.name, converted.invalid));
        }
    }
    println!("I4: {told} documents whose attributes ADF does not allow, told");
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed[..failed.len().min(40)].join("\n"));
}

#[test]
fn adf_is_valid_after_each_edit_of_a_valid_document() {
    let (mut edits, mut failed) = (0, Vec::new());
    let valid = |it: &crate::documents::Sample| it.format == Format::Adf && adf::check(&it.source).is_empty();
    for sample in sources().into_iter().chain(generated(40)).filter(valid) {
        let (markdown, sidecar) = Sidecar::split(&Document::read(Format::Adf, &sample.source));
        for edited in edited(&markdown) {
            edits += 1;
            let Ok(restored) = sidecar.restore(&edited) else { continue };
            if let Some(found) = adf::check(&restored.text).first() {
                failed.push(format!("{}: {} of {edited:?}", sample.name, found.shown(&restored.text)));
            }
        }
    }
    println!("I4: {edits} edits of valid documents, {} not valid after it", failed.len());
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed[..failed.len().min(40)].join("\n"));
}

/// Returns copies of the Markdown with one edit each: a new list, panel, table or quote before a block, or a
/// word behind the last text of a block.
fn edited(markdown: &str) -> Vec<String> {
    const NEW: [&str; 4] = [
        "- a\n  - b\n\n",
        ":::panel{type=info}\nx\n:::\n\n",
        "| a | b |\n| - | - |\n| c | d |\n\n",
        "> # h\n\n",
    ];
    let read = Document::read(MARKDOWN, markdown);
    let mut all = Vec::new();
    for (at, block) in read.blocks.iter().enumerate() {
        let start = block.span.start as usize;
        let line = markdown[..start].rfind('\n').map_or(0, |it| it + 1);
        all.push(format!("{}{}{}", &markdown[..line], NEW[at % NEW.len()], &markdown[line..]));
        if let Some(end) = last_text(block, markdown) {
            all.push(format!("{} zebra{}", &markdown[..end], &markdown[end..]));
        }
    }
    all
}

/// Returns the offset behind the last text in `node` that is written in the Markdown as it is. Text in raw
/// JSON has a span too, but can't be edited.
fn last_text(node: &Node<'_>, markdown: &str) -> Option<usize> {
    match node.kind {
        Kind::Text if !node.text.trim().is_empty() && node.inner.of(markdown) == node.text => {
            Some(node.inner.end as usize)
        }
        _ => node.children.iter().rev().find_map(|it| last_text(it, markdown)),
    }
}
