//! I7: broken sources and random edits: nothing panics, spans are valid, and the parts that an edit did not
//! touch stay, byte for byte.

#![allow(clippy::print_stdout, reason = "the counts are what is asked for")]

use std::time::{Duration, Instant};

use plainwire_richtext::tree::{Kind, misplaced};
use plainwire_richtext::{Address, Dialect, Document, Flavor, Format, Sidecar};

use crate::documents::{Sample, generated, markdown, sources};

const MARKDOWN: Format = Format::Markdown(Flavor::Extended);
const TO: [Format; 6] = [
    Format::Adf,
    Format::Storage,
    Format::Wiki(Dialect::Confluence),
    Format::Wiki(Dialect::Jira),
    MARKDOWN,
    Format::Markdown(Flavor::Plain),
];

/// A generator of random numbers, which are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

const SIGNS: &[char] = &[
    '*', '_', '-', '{', '}', '[', ']', '|', '!', '#', '\\', '\n', ' ', ':', '&', ';', '<', '>', '"', '/',
    '`', '~', '\r', '\t', '\u{0}', '\u{a0}', 'é', '😄', '=', '(', ')', ',', '0',
];

/// Returns the text with a few characters removed, inserted, replaced or repeated, or with its end cut off.
fn broken(text: &str, numbers: &mut Numbers) -> String {
    let mut all: Vec<char> = text.chars().collect();
    for _ in 0..=numbers.below(5) {
        let (at, to) = (numbers.below(all.len()), numbers.below(all.len()));
        let end = (at + 1 + numbers.below(20)).min(all.len());
        match numbers.below(5) {
            0 if !all.is_empty() => drop(all.drain(at..end)),
            1 => all.insert(at, SIGNS[numbers.below(SIGNS.len())]),
            2 if !all.is_empty() => {
                let piece = all[at..end].to_vec();
                all.splice(to..to, piece);
            }
            3 if numbers.below(4) == 0 => all.truncate(at),
            _ if !all.is_empty() => all[at] = SIGNS[numbers.below(SIGNS.len())],
            _ => {}
        }
    }
    all.into_iter().collect()
}

/// Returns the text with lines removed, inserted, repeated or swapped, or with its end cut off. In a third of
/// the cases, some characters are changed too.
fn edited(markdown: &str, numbers: &mut Numbers) -> String {
    const NEW: [&str; 9] =
        ["zebra", "", "- item", "# new", "> said", ":::panel{type=info}", ":::", "| a | b |", "<td>"];
    let mut lines: Vec<&str> = markdown.split_inclusive('\n').collect();
    for _ in 0..=numbers.below(3) {
        let (at, other) = (numbers.below(lines.len()), numbers.below(lines.len()));
        match numbers.below(6) {
            0 if !lines.is_empty() => drop(lines.remove(at)),
            1 if !lines.is_empty() => lines.insert(other, lines[at]),
            2 if !lines.is_empty() => lines.swap(at, other),
            3 if numbers.below(3) == 0 => lines.truncate(at),
            _ => lines
                .splice(
                    at..at,
                    [NEW[numbers.below(NEW.len())], "\n", "\n"].into_iter().skip(numbers.below(2)),
                )
                .for_each(drop),
        }
    }
    let text = lines.concat();
    if numbers.below(3) == 0 { broken(&text, numbers) } else { text }
}

fn seeds() -> Vec<Sample> {
    let mut all = sources();
    all.extend(generated(40));
    all.extend(markdown());
    all.retain(|it| !it.source.is_empty() && it.source.len() < 1500);
    all
}

/// The number of broken sources: enough to find rare combinations of neighbours within a few seconds.
const ROUNDS: usize = 2500;

#[test]
fn a_broken_source_goes_through_every_path() {
    let (mut numbers, seeds) = (Numbers(0x2545_f491_4f6c_dd1d), seeds());
    let mut slowest = Duration::ZERO;
    for _ in 0..ROUNDS {
        let seed = &seeds[numbers.below(seeds.len())];
        let source = broken(&seed.source, &mut numbers);
        let begun = Instant::now();
        let document = Document::read(seed.format, &source);
        assert_eq!(misplaced(&document.blocks, &source), None, "{:?} {source:?}", seed.format);
        for to in TO {
            let text = document.write(to);
            let again = Document::read(to, &text);
            assert_eq!(misplaced(&again.blocks, &text), None, "{to:?} {text:?} of {source:?}");
        }
        let (markdown, sidecar) = Sidecar::split(&document);
        let restored = sidecar.restore(&markdown).expect("its own");
        assert_eq!(restored.text, source, "{:?}", seed.format);
        wild(&document, &markdown, &sidecar, &mut numbers);
        slowest = slowest.max(begun.elapsed());
    }
    println!("I7: {ROUNDS} broken sources, {slowest:?} at most");
    assert!(slowest < Duration::from_secs(10), "{slowest:?}");
}

/// Makes a random edit of the whole document and restores it by the sidecar, and makes another one of a
/// random section. Checks that the parts that each edit did not touch are unchanged.
fn wild(document: &Document<'_>, markdown: &str, sidecar: &Sidecar, numbers: &mut Numbers) {
    let edit = edited(markdown, numbers);
    if let Ok(restored) = sidecar.restore(&edit) {
        // If several blocks share an entry of the sidecar, as under one colour, an edit of one changes all of
        // them.
        if sidecar.blocks() == document.blocks.len() {
            untouched(document, markdown, &edit, &restored.text);
        }
        stays_json(document, &edit, &restored.text);
    }
    if document.blocks.is_empty() {
        return;
    }
    let at = numbers.below(document.blocks.len());
    let section = document.section(&Address::Block(at)).expect("there is one");
    let edit = edited(&section.markdown(), numbers);
    let patched = section.patch(&edit);
    stays_json(document, &edit, &patched.text);
    let span = section.span().range();
    if patched.text.len() < document.source.len() - span.len() {
        // If the last block of a JSON list is deleted, the comma before it is deleted too.
        return assert_eq!(document.format, Format::Adf);
    }
    assert!(patched.text.starts_with(&document.source[..span.start]), "{:?}", document.source);
    assert!(patched.text.ends_with(&document.source[span.end..]), "{:?}", document.source);
}

/// Asserts that an ADF document that was JSON is still JSON after the edit. Skips a source without a `doc`
/// node and one that begins with a raw block: with another block beside it, such a source would not be JSON.
fn stays_json(document: &Document<'_>, edit: &str, restored: &str) {
    let whole = document.blocks.first().is_some_and(|it| it.kind == Kind::RawBlock && it.span.start == 0);
    if !document.source.contains(r#""doc""#) || whole {
        return;
    }
    let is_json = |it: &str| serde_json::from_str::<serde_json::Value>(it).is_ok();
    if document.format == Format::Adf && is_json(document.source) {
        assert!(is_json(restored), "{:?} with {edit:?} became {restored}", document.source);
    }
}

/// Asserts that the blocks before the first edited one and after the last edited one have the bytes of the
/// source. Skips a document whose Markdown has another number of blocks, and ADF that gets a `doc` node by
/// the edit.
fn untouched(document: &Document<'_>, markdown: &str, edit: &str, restored: &str) {
    let (old, new) = (Document::read(MARKDOWN, markdown), Document::read(MARKDOWN, edit));
    if old.blocks.len() != document.blocks.len() {
        return;
    }
    if document.format == Format::Adf
        && restored.contains(r#""doc""#)
        && !document.source.contains(r#""doc""#)
    {
        // The source was a single node. Now it has a neighbour, so there is a document around both.
        return;
    }
    let pairs = || old.blocks.iter().zip(&new.blocks);
    let same = |it: &(&plainwire_richtext::tree::Node<'_>, &plainwire_richtext::tree::Node<'_>)| {
        it.0.span.of(markdown) == it.1.span.of(edit)
    };
    let before = pairs().take_while(same).count();
    let most = old.blocks.len().min(new.blocks.len()) - before;
    let after = old.blocks.iter().rev().zip(new.blocks.iter().rev()).take(most).take_while(same).count();
    let source = document.source;
    if before > 0 {
        let head = &source[..document.blocks[before - 1].span.end as usize];
        assert!(restored.starts_with(head), "{source:?}\n{edit:?}\n{restored:?}");
    }
    if after > 0 {
        let tail = &source[document.blocks[old.blocks.len() - after].span.start as usize..];
        assert!(restored.ends_with(tail), "{source:?}\n{edit:?}\n{restored:?}");
    }
}

#[test]
fn wild_edits_keep_what_they_do_not_touch() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let (mut edits, mut slowest) = (0, Duration::ZERO);
    for sample in sources().into_iter().chain(generated(60)).filter(|it| it.source.len() < 8000) {
        let document = Document::read(sample.format, &sample.source);
        let (markdown, sidecar) = Sidecar::split(&document);
        for _ in 0..3 {
            let begun = Instant::now();
            wild(&document, &markdown, &sidecar, &mut numbers);
            slowest = slowest.max(begun.elapsed());
            edits += 1;
        }
    }
    println!("I7: {edits} wild edits, {slowest:?} at most");
    assert!(slowest < Duration::from_secs(20), "{slowest:?}");
}
