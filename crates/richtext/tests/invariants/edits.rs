//! I3: a word that is added to the Markdown of a block changes only that block of the source.

#![allow(clippy::print_stdout, reason = "the counts are what is asked for")]

use std::ops::Range;

use plainwire_richtext::tree::{Kind, Node};
use plainwire_richtext::{Document, Flavor, Format, Sidecar};

use crate::documents::{Sample, generated, some, sources};
use crate::said::shown;

const MARKDOWN: Format = Format::Markdown(Flavor::Extended);
const WORD: &str = " zebra";

#[derive(Default)]
struct Counts {
    edits: usize,
    /// The number of edits after which the restored source has the added word and no other change.
    exact: usize,
    failed: Vec<String>,
    /// The number of edits that put a word where the format has no place for what is beside it ([`REFUSED`]).
    refused: usize,
}

/// What is lost if a word is put directly before it, and so is told: pictures of wiki markup, emoji, and a link with data
/// that storage format has only in JSON of a template. With the documents that have it.
const REFUSED: [(&str, &[&str]); 3] = [
    ("expected image", &["jira2markdown-22", "jira2markdown-96"]),
    (
        "emoji",
        &[
            "wiki/atlaskit/jira-tests__emoji-01.wiki",
            "wiki/karaf/developers-guide__github-contributions.wiki",
            "generated 286",
        ],
    ),
    ("(link), but found", &["storage/atlaskit-cxhtml/cx078.xml"]),
];

#[test]
fn a_word_put_into_a_block_changes_that_block_only() {
    let mut counts = Counts::default();
    for sample in some(3, sources()) {
        edit_each(&sample, &mut counts);
    }
    println!(
        "I3: {} edits, {} of them to the byte, {} failed",
        counts.edits,
        counts.exact,
        counts.failed.len()
    );
    for failed in counts.failed.iter().take(40) {
        println!("{failed}");
    }
    assert!(counts.failed.is_empty(), "{} of {} edits failed", counts.failed.len(), counts.edits);
}

#[test]
fn a_word_put_into_a_block_of_a_generated_document_changes_that_block_only() {
    let mut counts = Counts::default();
    for sample in some(5, generated(300)) {
        edit_each(&sample, &mut counts);
    }
    println!(
        "I3: {} edits of generated documents, {} of them to the byte, {} failed",
        counts.edits,
        counts.exact,
        counts.failed.len()
    );
    for failed in counts.failed.iter().take(40) {
        println!("{failed}");
    }
    assert!(counts.failed.is_empty(), "{} of {} edits failed", counts.failed.len(), counts.edits);
}

fn edit_each(sample: &Sample, counts: &mut Counts) {
    let document = Document::read(sample.format, &sample.source);
    let (markdown, sidecar) = Sidecar::split(&document);
    let base = Document::read(MARKDOWN, &markdown);
    let mut places = Vec::new();
    base.blocks.iter().enumerate().for_each(|(at, it)| texts(it, at, &markdown, &mut places));
    for (block, at) in places {
        let edited = format!("{}{WORD}{}", &markdown[..at], &markdown[at..]);
        counts.edits += 1;
        match check(sample, &document, &sidecar, &edited, block) {
            Ok(true) => counts.exact += 1,
            Ok(false) => {}
            Err(why) if may_refuse(sample, &why) => counts.refused += 1,
            Err(why) => {
                let line = markdown[..at].matches('\n').count() + 1;
                counts.failed.push(format!("{} line {line} of its Markdown: {why}", sample.name));
            }
        }
    }
}

fn may_refuse(sample: &Sample, why: &str) -> bool {
    let outside = sample.name.starts_with(crate::corpus::OUTSIDE) && matches!(sample.format, Format::Wiki(_));
    let is_known = |names: &[&str]| outside || names.contains(&&*sample.name);
    REFUSED.iter().any(|(what, names)| why.contains(what) && is_known(names))
}

/// Collects the offset behind the last text of each innermost block, with `block`, the index of the top-level
/// block. Text in an `adf` fence is left out, since it is in JSON and has an empty span. If the text ends
/// with a line feed, the offset is before the line feed, because the next line begins with the prefix of the
/// surrounding block, such as `>`.
fn texts(node: &Node<'_>, block: usize, markdown: &str, places: &mut Vec<(usize, usize)>) {
    let is_text =
        |it: &&Node<'_>| it.kind == Kind::Text && !it.text.trim().is_empty() && !it.inner.is_empty();
    let last = node.children.iter().rev().find(is_text);
    if let Some(text) = last {
        places.push((block, markdown[..text.inner.end as usize].trim_end_matches('\n').len()));
    }
    node.children.iter().for_each(|it| texts(it, block, markdown, places));
}

/// Restores the source after an edit that adds a word to the block `block`. Returns whether the result has
/// the word and no other change. An error describes a loss, a conflict, a change outside of the block, or a
/// result that reads back as other Markdown.
fn check(
    sample: &Sample,
    document: &Document<'_>,
    sidecar: &Sidecar,
    edited: &str,
    block: usize,
) -> Result<bool, String> {
    let restored = sidecar.restore(edited).map_err(|error| error.to_string())?;
    if !restored.losses.is_empty() || !restored.conflicts.is_empty() {
        return Err(format!("{:?} {:?}", restored.losses, restored.conflicts));
    }
    let changed = changed(&sample.source, &restored.text);
    // Empty paragraphs are not in the Markdown.
    let is_empty = |it: &&Node<'_>| it.kind == Kind::Paragraph && it.children.is_empty();
    let blocks = document.blocks.iter();
    let seen: Vec<_> = if blocks.clone().all(|it| is_empty(&it)) {
        blocks.collect()
    } else {
        blocks.filter(|it| !is_empty(it)).collect()
    };
    let own = seen.get(block).map_or(0..sample.source.len(), |it| it.span.range());
    if changed.start < own.start || changed.end > own.end {
        return Err(format!("bytes {changed:?} changed, outside of its block {own:?}"));
    }
    let again = Document::read(sample.format, &restored.text);
    let (markdown, expected) = (shown(&again), shown(&Document::read(MARKDOWN, edited)));
    if markdown != expected {
        return Err(format!("reads back as {:?}", difference(&markdown, &expected)));
    }
    Ok(restored.text.len() == sample.source.len() + WORD.len() && changed.is_empty())
}

/// Returns the range of `source` that `result` replaces. If the bytes before and after the change are equal,
/// several ranges are possible, and the earliest is returned.
fn changed(source: &str, result: &str) -> Range<usize> {
    let (a, b) = (source.as_bytes(), result.as_bytes());
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|it| it.0 == it.1).count();
    let most = a.len().min(b.len()) - end;
    let start = a.iter().zip(b).take(most).take_while(|it| it.0 == it.1).count();
    start..a.len() - end
}

/// Returns the part of both texts around their first difference.
fn difference<'t>(found: &'t str, expected: &'t str) -> (String, String) {
    let at = found.bytes().zip(expected.bytes()).take_while(|it| it.0 == it.1).count();
    let shown = |text: &str| {
        String::from_utf8_lossy(&text.as_bytes()[at.saturating_sub(20)..(at + 60).min(text.len())])
            .into_owned()
    };
    (shown(found), shown(expected))
}
