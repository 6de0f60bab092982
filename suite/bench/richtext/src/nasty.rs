//! Documents of many MiB that repeat one construct, to check that time and memory grow linearly.

#[path = "../../../../crates/richtext/tests/growth/sources.rs"]
mod sources;

use plainwire_richtext::{Document, Format, Sidecar, convert};
use sources::{SOURCES, Source};

use crate::{Measure, ours};

/// Limit on the growth of the time per byte when a document gets four times as long. With quadratic time it
/// is 4. Caches that are too small for the longer document, and other load on the machine, make it up to 2.
const MOST: f64 = 2.5;

/// Times below this many seconds are too short to compare.
const LEAST: f64 = 0.05;

/// Measures each document whose name begins with `only`, with a quarter of `mib` and with `mib`. The rows
/// show by what factor the time per byte grew.
///
/// # Errors
///
/// If the time per byte of a document grew by more than `MOST`.
pub fn all(mib: usize, only: &str) -> Result<(), String> {
    println!("{:<52}{:>8}{:>10}{:>12}{:>10}", format!("{mib} MiB"), "s", "MB/s", "peak/input", "growth");
    let mut slow = Vec::new();
    for source in SOURCES.iter().filter(|it| it.name.starts_with(only)) {
        let works: &[&str] = if source.format() == "md" {
            &["read", "convert"]
        } else {
            &["read", "convert", "split", "restore"]
        };
        for work in works {
            let measure = |mib: usize| crate::child(&["nasty", source.name, work, &mib.to_string()]);
            match (measure(mib / 4), measure(mib)) {
                (Ok(small), Ok(large)) => {
                    let name = format!("{} {work}", source.name);
                    let growth = row(&name, &small, &large);
                    slow.extend((growth > MOST).then_some(name));
                }
                (Err(error), _) | (_, Err(error)) => println!("{} {work}: {error}", source.name),
            }
        }
    }
    if slow.is_empty() {
        Ok(())
    } else {
        Err(format!("expected linear time, but found more: {}", slow.join(", ")))
    }
}

fn row(name: &str, small: &Measure, large: &Measure) -> f64 {
    let per_byte = |it: &Measure| it.seconds.max(LEAST) / it.bytes;
    let growth = if large.seconds < LEAST { 1.0 } else { per_byte(large) / per_byte(small) };
    println!(
        "{name:<52}{:>8.2}{:>10.1}{:>12.1}{growth:>10.2}",
        large.seconds,
        large.bytes / 1e6 / large.seconds,
        large.peak_kib * 1024.0 / large.bytes
    );
    growth
}

/// Measures one document once.
pub fn one(name: &str, work: &str, mib: usize) -> Result<(), String> {
    let source: &Source =
        SOURCES.iter().find(|it| it.name == name).ok_or("expected the name of a document")?;
    let text = source.text(mib << 20);
    let from = ours::format(source.format())?;
    let to = ours::format(if source.format() == "md" { "json" } else { "md" })?;
    let seconds = once(from, to, work, &text)?;
    ours::report(text.len(), seconds);
    Ok(())
}

fn once(from: Format, to: Format, work: &str, text: &str) -> Result<f64, String> {
    let began = ours::cpu();
    match work {
        "read" => drop(Document::read(from, text)),
        "convert" => drop(convert(from, to, text)),
        "split" => drop(Sidecar::split(&Document::read(from, text))),
        "restore" => {
            let (markdown, sidecar) = Sidecar::split(&Document::read(from, text));
            let edited = ours::edited(&markdown);
            let began = ours::cpu();
            drop(sidecar.restore(&edited));
            return Ok(ours::cpu() - began);
        }
        _ => return Err(format!("expected read, convert, split or restore, but found {work}")),
    }
    Ok(ours::cpu() - began)
}
