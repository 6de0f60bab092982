//! I3 for other kinds of edit: the touched parts have the edited content, or a loss or conflict is reported;
//! all other bytes stay.

#![allow(clippy::print_stdout, reason = "the counts are what is asked for")]

use std::collections::BTreeMap;
use std::ops::Range;

use plainwire_richtext::{Dialect, Document, Flavor, Format, Sidecar, convert};

use crate::documents::{Sample, generated, some, sources};
use crate::edit_kinds::{EditKind, Edited, KINDS, Touch, edits};
use crate::said::{meant, said_by, shown};

const MARKDOWN: Format = Format::Markdown(Flavor::Extended);

/// The most edits of one kind that are tested in one document. They are spread over the document.
const MAX_EDITS: usize = 6;

#[derive(Default)]
struct Counts {
    edits: usize,
    /// The number of edits without a reported loss whose result reads back as the edited Markdown.
    made: usize,
    /// The edits with a reported loss or conflict, and the report.
    told: Vec<String>,
    /// The edits whose result is wrong without a report, or has a change outside of the touched parts, and
    /// the reason.
    failed: Vec<String>,
}

type All = BTreeMap<(EditKind, &'static str), Counts>;

#[test]
fn edits_of_each_kind_are_made_in_the_corpora_or_told() {
    judged("corpora", some(3, sources()));
}

#[test]
fn edits_of_each_kind_are_made_in_documents_that_were_converted_or_told() {
    let formats = [Format::Storage, Format::Wiki(Dialect::Jira), Format::Wiki(Dialect::Confluence)];
    let converted = |format: Format| {
        move |it: Sample| Sample {
            name: format!("{} as {format:?}", it.name),
            format,
            source: convert(Format::Adf, format, &it.source).text,
        }
    };
    let samples = formats.into_iter().flat_map(|it| generated(25).into_iter().map(converted(it)));
    judged("converted", some(3, samples.collect()));
}

#[test]
fn edits_of_each_kind_are_made_in_generated_documents_or_told() {
    judged("generated", some(2, generated(60)));
}

fn judged(name: &str, samples: Vec<Sample>) {
    let mut all = All::new();
    samples.iter().for_each(|it| edit_each(it, &mut all));
    for ((kind, format), it) in &all {
        let (told, failed) = (it.told.len(), it.failed.len());
        println!(
            "{name}: {kind:?} in {format}: {} edits, {} made, {told} told, {failed} failed",
            it.edits, it.made
        );
    }
    let failed: Vec<&String> = all.values().flat_map(|it| &it.failed).collect();
    assert!(failed.is_empty(), "{} failed: {:#?}", failed.len(), &failed[..failed.len().min(20)]);
    for ((kind, format), it) in &all {
        let conflicts = it.told.iter().filter(|it| it.contains("Conflict {")).count();
        match kind {
            EditKind::NodeDeleted => assert_eq!(conflicts, it.edits, "{kind:?} in {format} not always told"),
            _ => assert_eq!(conflicts, 0, "{kind:?} in {format}: {:#?}", it.told),
        }
        let most = it.edits / 10;
        assert!(
            *kind == EditKind::NodeDeleted || it.told.len() <= most.min(12),
            "{kind:?} in {format}: {:#?}",
            it.told
        );
    }
}

fn edit_each(sample: &Sample, all: &mut All) {
    let document = Document::read(sample.format, &sample.source);
    let (markdown, sidecar) = Sidecar::split(&document);
    let entries = Entries::of(&sidecar);
    let before = markdown.clone();
    for kind in KINDS {
        let edits = edits(kind, &markdown);
        let step = edits.len().div_ceil(MAX_EDITS).max(1);
        for edited in edits.iter().step_by(step) {
            let counts = all.entry((kind, sample.format.name())).or_default();
            counts.edits += 1;
            let name = format!("{}: {:?}", sample.name, difference(&edited.markdown, &before));
            match check(sample, &entries, &sidecar, edited) {
                Ok(Ok(())) => counts.made += 1,
                Ok(Err(told)) => counts.told.push(format!("{name}: {told}")),
                Err(why) => counts.failed.push(format!("{name}: {why}")),
            }
        }
    }
}

/// Restores the source after an edit. Returns `Ok(Ok(()))` if the result has the edit, and `Ok(Err(…))` if a
/// loss or conflict was reported. Returns `Err` if neither is true, or if parts that the edit did not touch
/// have changed.
pub(crate) fn check(
    sample: &Sample,
    entries: &Entries,
    sidecar: &Sidecar,
    edited: &Edited,
) -> Result<Result<(), String>, String> {
    let restored = sidecar.restore(&edited.markdown).map_err(|error| error.to_string())?;
    let adds = matches!(edited.touches[..], [Touch::Before(_)]);
    if adds
        && sample.format == Format::Adf
        && !sample.source.contains("\"doc\"")
        && restored.text.contains("\"doc\"")
    {
        // The source was a single node without a document around it. A second block needs a document, inside
        // of which the node is unchanged.
        let kept = restored.text.contains(sample.source.trim());
        return if kept { Ok(Ok(())) } else { Err("lost the node".to_owned()) };
    }
    untouched(&sample.source, &restored.text, entries.touched(&edited.touches, &sample.source))?;
    if !restored.losses.is_empty() || !restored.conflicts.is_empty() {
        return Ok(Err(format!("{:?} {:?}", restored.losses, restored.conflicts)));
    }
    if restored.diagnostics.iter().any(|it| it.message.ends_with("written as code only")) {
        return Ok(Err("code only".to_owned()));
    }
    let again = Document::read(sample.format, &restored.text);
    let (markdown, expected) = (shown(&again), shown(&Document::read(MARKDOWN, &edited.markdown)));
    let means = |text: &str| meant(said_by(MARKDOWN, text));
    if markdown != expected && means(&markdown) != means(&expected) {
        return Err(format!("reads back as {:?}", difference(&markdown, &expected)));
    }
    Ok(Ok(()))
}

/// Checks that `result` has all of `source` outside of the ranges `touched`, in the same order.
fn untouched(source: &str, result: &str, touched: Vec<Range<usize>>) -> Result<(), String> {
    let (mut from, mut at) = (0, 0);
    let last = touched.iter().map(|it| it.end).max().unwrap_or(0);
    for (number, range) in touched.iter().enumerate() {
        // White space beside an edited block may change.
        let kept = source[from..range.start.max(from)].trim_end();
        let kept = if number > 0 { kept.trim_start() } else { kept };
        let found = if number == 0 { result.starts_with(kept).then_some(0) } else { result[at..].find(kept) };
        let Some(found) = found else { return Err(format!("lost {kept:?} of the source")) };
        at += found + kept.len();
        from = range.end.max(from);
    }
    if result[at..].ends_with(&source[last..]) {
        Ok(())
    } else {
        Err("lost the end of the source".to_owned())
    }
}

/// The range of the source that each entry of a sidecar restores. A sidecar is the data that restores a
/// source from its Markdown.
pub(crate) struct Entries {
    spans: Vec<Range<usize>>,
    /// The index of the sidecar's entry for each block of the Markdown. One entry can be for several blocks.
    of_block: Vec<usize>,
}

impl Entries {
    pub(crate) fn of(sidecar: &Sidecar) -> Self {
        let json: serde_json::Value = serde_json::from_str(&sidecar.to_json()).expect("JSON");
        let (mut spans, mut of_block, mut at) = (Vec::new(), Vec::new(), 0);
        for (number, entry) in json["entries"].as_array().expect("a list").iter().enumerate() {
            at += entry["before"].as_str().map_or(0, str::len);
            let end = at + entry["source"].as_str().expect("a text").len();
            spans.push(at..end);
            at = end;
            of_block.extend(entry["markdown"].as_array().expect("a list").iter().map(|_| number));
        }
        Self { spans, of_block }
    }

    fn touched(&self, touches: &[Touch], source: &str) -> Vec<Range<usize>> {
        let mut all: Vec<Range<usize>> = touches.iter().map(|it| self.range(*it, source)).collect();
        all.sort_by_key(|it| it.start);
        all
    }

    fn range(&self, touch: Touch, source: &str) -> Range<usize> {
        let entry = |block: usize| self.of_block.get(block).copied().unwrap_or(self.spans.len());
        let end = |entry: usize| entry.checked_sub(1).map_or(0, |it| self.spans[it].end);
        let start = |entry: usize| self.spans.get(entry).map_or(source.len(), |it| it.start);
        match touch {
            Touch::Block(at) => self.spans.get(entry(at)).cloned().unwrap_or(0..source.len()),
            Touch::Gone(at) => {
                let at = entry(at);
                let from = if at == 0 { start(0) } else { end(at) };
                from..if at + 1 < self.spans.len() { start(at + 1) } else { end(at + 1) }
            }
            Touch::Before(at) => {
                // If both blocks beside the gap have the same entry, the edit touches that entry.
                let before = at.checked_sub(1).map_or(0, |it| self.spans[entry(it)].end);
                let after = if at < self.of_block.len() { start(entry(at)) } else { source.len() };
                if before > after { start(entry(at))..before } else { before..after }
            }
        }
    }
}

/// Returns the part of both texts around their first difference.
fn difference(found: &str, expected: &str) -> (String, String) {
    let at = found.bytes().zip(expected.bytes()).take_while(|it| it.0 == it.1).count();
    let shown = |text: &str| {
        String::from_utf8_lossy(
            &text.as_bytes()[at.saturating_sub(30).min(text.len())..(at + 60).min(text.len())],
        )
        .into_owned()
    };
    (shown(found), shown(expected))
}
