//! I14: the Markdown for an edit is short, and little of it is not text.

#![allow(clippy::print_stdout, reason = "the sizes are what is asked for")]

use plainwire_richtext::{Dialect, Document, Format, Sidecar};

use crate::documents::sources;

/// The shortest source that counts, in bytes: in a shorter one the source itself says little.
const SHORTEST: usize = 600;

#[test]
fn the_markdown_for_an_edit_is_shorter_than_its_source() {
    let most = [(Format::Adf, 25), (Format::Storage, 45), (Format::Wiki(Dialect::Jira), 110)];
    for (format, percent) in most {
        let of = |it: Format| it.name() == format.name();
        let (mut source, mut markdown, mut noise) = (0, 0, 0);
        for sample in sources().iter().filter(|it| of(it.format) && it.source.len() >= SHORTEST) {
            let text = Sidecar::split(&Document::read(sample.format, &sample.source)).0;
            source += sample.source.len();
            markdown += text.len();
            noise += noise_in(&text);
        }
        let of_source = markdown * 100 / source.max(1);
        println!(
            "I14: Markdown of {}: {of_source} % of its source, {} % of it no text",
            format.name(),
            noise * 100 / markdown.max(1)
        );
        assert!(of_source <= percent, "{}: {of_source} % of its source", format.name());
    }
}

/// Returns the number of bytes that are not text: braces with attributes, names of directives, tags and comments, and fences
/// with source of another format.
fn noise_in(markdown: &str) -> usize {
    let (mut count, mut is_raw) = (0, false);
    for line in markdown.lines() {
        let trimmed = line.trim_start_matches([' ', '>']);
        if trimmed.starts_with("```") {
            is_raw = !is_raw && ["adf", "storage", "wiki"].iter().any(|it| trimmed[3..].starts_with(it));
        }
        count += if is_raw {
            line.len()
        } else {
            between(line, '{', '}') + between(line, '<', '>') + names(trimmed)
        };
    }
    count
}

/// Returns the number of bytes between the signs, with them.
fn between(line: &str, open: char, close: char) -> usize {
    let parts = line.split(open).skip(1);
    parts.filter_map(|it| it.find(close)).map(|it| it + 2).sum()
}

/// Returns the number of bytes of a line's directive on a line of its own, without its braces.
fn names(line: &str) -> usize {
    if line.starts_with("::") { line.find('{').unwrap_or(line.len()) } else { 0 }
}
