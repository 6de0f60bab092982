//! Fuzz targets for rich text: any text reads into a well-formed tree and can be written in every format, and
//! an edit changes only the edited blocks.
//!
//! In: a byte that selects the format, then text. For an edit, the text ends at the byte 0xff, and the bytes
//! after it describe changes of lines. Out: nothing. [`richtext_growth`] uses a clock, to detect time that
//! grows faster than the input.

use std::time::{Duration, Instant};

use plainwire_richtext::tree::{Node, misplaced};
use plainwire_richtext::{Address, Dialect, Document, Flavor, Format, Sidecar, convert};

const MARKDOWN: Format = Format::Markdown(Flavor::Extended);
const FORMATS: [Format; 6] = [
    Format::Adf,
    Format::Storage,
    Format::Wiki(Dialect::Confluence),
    Format::Wiki(Dialect::Jira),
    MARKDOWN,
    Format::Markdown(Flavor::Plain),
];

/// Reads a text, writes the document in every format and reads the result. Then restores the text from its
/// unedited Markdown.
pub fn richtext_read(data: &[u8]) {
    let Some((format, source)) = text(data) else { return };
    let document = Document::read(format, source);
    assert_eq!(misplaced(&document.blocks, source), None, "{source:?}");
    for to in FORMATS {
        let written = document.write(to);
        let again = Document::read(to, &written);
        assert_eq!(misplaced(&again.blocks, &written), None, "{written:?} of {source:?}");
    }
    if format == Format::Adf && plainwire_richtext::adf::check(source).is_empty() {
        let written = document.write(Format::Adf);
        assert_eq!(plainwire_richtext::adf::check(&written), [], "{written} of {source:?}");
    }
    let (markdown, sidecar) = Sidecar::split(&document);
    let restored = sidecar.restore(&markdown).expect("it is its own Markdown");
    assert_eq!(restored.text, source);
}

/// Edits the Markdown of a text line by line, and applies the edit to the source: as a whole, and to each of
/// the first four blocks.
pub fn richtext_restore(data: &[u8]) {
    let end = data.iter().position(|it| *it == 0xff).unwrap_or(data.len());
    let Some((format, source)) = text(&data[..end]) else { return };
    let document = Document::read(format, source);
    let (markdown, sidecar) = Sidecar::split(&document);
    let edit = edited(&markdown, data.get(end + 1..).unwrap_or_default());
    // An edit that can't be expressed in the format is reported as a loss, and callers do not write the
    // result.
    if let Ok(restored) = sidecar.restore(&edit)
        && restored.losses.is_empty()
    {
        untouched(&document, &markdown, &edit, &restored.text);
    }
    for at in 0..document.blocks.len().min(4) {
        let section = document.section(&Address::Block(at)).expect("there is one");
        let patch = section.patch(&edit);
        if edit.trim().is_empty() || !patch.losses.is_empty() {
            // Removing a block also removes its separator, and a reported loss may change more. So neither is
            // compared.
            continue;
        }
        let patched = patch.text;
        let span = section.span().range();
        assert!(
            patched.starts_with(&source[..span.start]) && patched.ends_with(&source[span.end..]),
            "{source:?}"
        );
    }
}

/// Compares the time to convert a repeated text with that for a text eight times as long. It must not grow
/// with the square of the length.
pub fn richtext_growth(data: &[u8]) {
    const SHORT: usize = 4 << 10;
    const ENOUGH: Duration = Duration::from_secs(2);
    let Some((format, part)) = text(&data[..data.len().min(64)]) else { return };
    if part.is_empty() {
        return;
    }
    let time = |length: usize| {
        let source = part.repeat(length / part.len() + 1);
        let begun = Instant::now();
        FORMATS.iter().for_each(|to| drop(convert(format, *to, &source)));
        begun.elapsed()
    };
    // On a busy machine, one measurement may take far too long; three in a row do not.
    let mut found = (Duration::ZERO, Duration::ZERO);
    let is_linear = (0..3).any(|_| {
        let (short, long) = (time(SHORT), time(SHORT * 8));
        found = (short, long);
        // Linear time grows by a factor of 8, quadratic time by 64.
        long < ENOUGH || long < short * 32
    });
    assert!(is_linear, "{part:?} repeated takes {:?}, eight times as much {:?}", found.0, found.1);
}

fn text(data: &[u8]) -> Option<(Format, &str)> {
    let (first, rest) = data.split_first()?;
    let text = std::str::from_utf8(rest).ok()?;
    Some((FORMATS[usize::from(*first) % FORMATS.len()], text))
}

/// Returns `markdown` after up to 16 changes of lines. Three bytes of `program` are a change: its kind, its
/// line, and a second line or the new text.
fn edited(markdown: &str, program: &[u8]) -> String {
    const NEW: [&str; 10] = [
        "zebra\n",
        "\n",
        "- item\n",
        "# new\n",
        "> said\n",
        ":::panel{type=info}\n",
        ":::\n",
        "| a | b |\n",
        "<td>\n",
        "```\n",
    ];
    let mut lines: Vec<&str> = markdown.split_inclusive('\n').collect();
    for change in program.chunks_exact(3).take(16) {
        let count = lines.len().max(1);
        let (at, other) = (usize::from(change[1]) % count, usize::from(change[2]));
        match change[0] % 5 {
            0 if !lines.is_empty() => drop(lines.remove(at)),
            1 if !lines.is_empty() => lines.insert(other % count, lines[at]),
            2 if !lines.is_empty() => lines.swap(at, other % count),
            3 if !lines.is_empty() => lines.truncate(at),
            _ => lines.insert(at.min(lines.len()), NEW[other % NEW.len()]),
        }
    }
    lines.concat()
}

/// Checks that the edit has left the blocks before the first and after the last edited one unchanged in the
/// source, byte for byte.
fn untouched(document: &Document<'_>, markdown: &str, edit: &str, restored: &str) {
    let (old, new) = (Document::read(MARKDOWN, markdown), Document::read(MARKDOWN, edit));
    if old.blocks.len() != document.blocks.len() {
        return;
    }
    let same = |it: &(&Node<'_>, &Node<'_>)| it.0.span.of(markdown) == it.1.span.of(edit);
    let before = old.blocks.iter().zip(&new.blocks).take_while(same).count();
    let most = old.blocks.len().min(new.blocks.len()) - before;
    let after = old.blocks.iter().rev().zip(new.blocks.iter().rev()).take(most).take_while(same).count();
    let source = document.source;
    if before > 0 {
        let head = &source[..document.blocks[before - 1].span.end as usize];
        assert!(restored.starts_with(head), "{source:?} with {edit:?} became {restored:?}");
    }
    if after > 0 {
        let tail = &source[document.blocks[old.blocks.len() - after].span.start as usize..];
        assert!(restored.ends_with(tail), "{source:?} with {edit:?} became {restored:?}");
    }
}
