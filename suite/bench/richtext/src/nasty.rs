//! Documents of many MiB that are nothing but one thing, to see that time and memory grow with the size and no faster.

#[path = "../../../../crates/richtext/tests/growth/sources.rs"]
mod sources;

use plainwire_richtext::{Document, Format, Sidecar, convert};
use sources::{SOURCES, Source};

use crate::{Measure, ours};

/// How much longer a byte may take in a document four times as long. Where time grows with the square of the size it is 4; caches that
/// are too small for the longer one, and others who use the machine, make it up to 2.
const MOST: f64 = 2.5;

/// Less than this can't be told from nothing, in seconds.
const LEAST: f64 = 0.05;

/// Each whose name begins with `only`, at a quarter of `mib` and at `mib`: the rows say how much longer the second took, per byte.
///
/// # Errors
///
/// If one took so much longer that its time does not grow with its size.
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

/// One of them, once.
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
