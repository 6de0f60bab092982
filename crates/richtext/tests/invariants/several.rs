//! I10: of two to six edits made at once, each is made or told, and nothing beside them changes.

#![allow(clippy::print_stdout, reason = "the counts are what is asked for")]

use plainwire_richtext::{Dialect, Document, Format, Sidecar, convert};

use crate::dice::Dice;
use crate::documents::{Sample, generated, least, some, sources};
use crate::edit_kinds::{EditKind, Edited, KINDS, edits, together};
use crate::edits_more::{Entries, check};

/// The documents between two that are taken, unless all are.
const STEP: usize = 4;

/// The most combinations of edits that are tried in one document.
const OF_ONE: usize = 12;

#[test]
fn several_edits_at_once_are_made_or_told_and_change_nothing_else() {
    let mut samples: Vec<Sample> = sources().into_iter().chain(generated(200)).collect();
    for to in [Format::Storage, Format::Wiki(Dialect::Jira), Format::Wiki(Dialect::Confluence)] {
        samples.extend(generated(100).into_iter().map(|it| Sample {
            name: format!("{} as {to:?}", it.name),
            format: to,
            source: convert(Format::Adf, to, &it.source).text,
        }));
    }
    let samples = some(STEP, samples);
    let mut dice = Dice(0x5eed);
    let (mut made, mut told, mut failed) = (0, 0, Vec::new());
    for sample in &samples {
        let (markdown, sidecar) = Sidecar::split(&Document::read(sample.format, &sample.source));
        let entries = Entries::of(&sidecar);
        // What a node that moves or a block that goes leaves behind depends on its neighbours.
        let single =
            KINDS.into_iter().filter(|it| !matches!(it, EditKind::NodeMoved | EditKind::BlockDeleted));
        let all: Vec<Edited> = single.flat_map(|it| edits(it, &markdown)).collect();
        for _ in 0..OF_ONE.min(all.len()) {
            let Some(edit) = combination(&markdown, &all, &mut dice) else { continue };
            match check(sample, &entries, &sidecar, &edit) {
                Ok(Ok(())) => made += 1,
                Ok(Err(_)) => told += 1,
                // Nothing of a short document is left.
                Err(why) if why.ends_with("found that of another document") => told += 1,
                Err(_) if is_told(&sidecar, &edit) => told += 1,
                Err(why) => failed.push(format!("{}: {:?}: {why}", sample.name, edit.changes)),
            }
        }
    }
    let count = made + told + failed.len();
    println!("I10: {count} times 2 to 6 edits at once, {made} made, {told} told, {} failed", failed.len());
    assert!(failed.is_empty(), "{} failed: {:#?}", failed.len(), &failed[..failed.len().min(12)]);
    assert!(count >= least(STEP, 5_000), "{count}");
}

/// Returns whether something that the edit removed is told: what is left of a block without it may be taken for another one.
fn is_told(sidecar: &Sidecar, edit: &Edited) -> bool {
    sidecar.restore(&edit.markdown).is_ok_and(|it| !it.conflicts.is_empty())
}

/// Returns two to six of `all` made at once; `None` if they are too close to each other.
fn combination(markdown: &str, all: &[Edited], dice: &mut Dice) -> Option<Edited> {
    let wanted = 2 + dice.below(5);
    let mut chosen: Vec<&Edited> = Vec::new();
    for _ in 0..wanted * 4 {
        let next = &all[dice.below(all.len())];
        if chosen.len() < wanted && chosen.iter().all(|it| it.is_apart(next)) {
            chosen.push(next);
        }
    }
    (chosen.len() > 1).then(|| together(markdown, &chosen))
}
