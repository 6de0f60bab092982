//! Measures conversions, each in a process of its own so that its peak memory is its own, and other
//! converters on the same documents.
//!
//! `plainwire-bench-richtext CORPORA PEERS [MIB]`: the folder of the corpora, the folder with the other
//! converters, and the size of the documents (default 1 MiB). It uses one core and measures CPU seconds, so
//! that other load does not count.
//!
//! `… one WORK FILE` is the process of one measurement. `… nasty MIB [NAME]` converts documents that repeat
//! one construct: all of them, or those whose names begin with `NAME`.

mod corpora;
mod nasty;
mod ours;
mod peers;

use std::path::Path;
use std::process::Command;

/// Measurement of one process: input bytes, seconds, peak memory in KiB.
struct Measure {
    bytes: f64,
    seconds: f64,
    peak_kib: f64,
}

fn main() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["one", work, file] => ours::one(work, Path::new(file)),
        ["nasty", mib] => nasty::all(mib.parse().map_err(|_| "expected a number of MiB")?, ""),
        ["nasty", mib, only] if mib.parse::<usize>().is_ok() => {
            nasty::all(mib.parse().map_err(|_| "expected a number of MiB")?, only)
        }
        ["nasty", name, work, mib] => {
            nasty::one(name, work, mib.parse().map_err(|_| "expected a number of MiB")?)
        }
        [corpora, peers] => all(Path::new(corpora), Path::new(peers), 1),
        [corpora, peers, mib] => {
            all(Path::new(corpora), Path::new(peers), mib.parse().map_err(|_| "expected a number of MiB")?)
        }
        _ => Err("expected where the corpora are and where the peers are".into()),
    }
}

fn all(corpora: &Path, peers: &Path, mib: usize) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("plainwire-bench-richtext-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let documents = corpora::write(corpora, &folder, mib << 20)?;
    println!("{:<44}{:>8}{:>10}{:>10}{:>12}", "", "MB in", "ms", "MB/s", "peak/input");
    for document in &documents {
        for work in ours::works(document) {
            if work == "restore" {
                child(&["one", "prepare", &document.display().to_string()])?;
            }
            let measure = child(&["one", &work, &document.display().to_string()])?;
            row(&format!("{} {work}", name(document)), &measure);
        }
    }
    println!();
    peers::all(&folder, peers);
    std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())
}

fn name(document: &Path) -> String {
    document.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default()
}

fn row(name: &str, measure: &Measure) {
    let Measure { bytes, seconds, peak_kib } = measure;
    println!(
        "{name:<44}{:>8.2}{:>10.1}{:>10.1}{:>12.1}",
        bytes / 1e6,
        seconds * 1e3,
        bytes / 1e6 / seconds,
        peak_kib * 1024.0 / bytes
    );
}

/// Runs this program again for one measurement.
fn child(args: &[&str]) -> Result<Measure, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program).args(args).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|it| it.parse().ok()).collect();
    match numbers[..] {
        [bytes, seconds, peak_kib] => Ok(Measure { bytes, seconds, peak_kib }),
        _ => Err(format!("{}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr))),
    }
}
