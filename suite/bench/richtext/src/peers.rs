//! Other converters on the same documents. One that is not installed is reported as absent.

use std::path::Path;
use std::process::{Command, Stdio};

/// Limit on the input of pyparsing, which needs minutes for a MiB.
const SLICE: usize = 16 << 10;

/// Measures all installed converters; `installed` is the folder into which `suite/bench/run` put them.
pub fn all(documents: &Path, installed: &Path) {
    println!("{:<44}{:>8}{:>10}{:>10}", "peers", "MB in", "ms", "MB/s");
    for (from, to, name) in
        [("jira", "gfm", "pages.wiki"), ("gfm", "jira", "pages.md"), ("jira", "jira", "pages.wiki")]
    {
        let mut command = Command::new("pandoc");
        command.args(["-f", from, "-t", to, "-o", "/dev/null"]).arg(documents.join(name));
        row(&format!("pandoc {from} to {to}, with its start"), &documents.join(name), whole(command));
    }
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    for (work, name) in [("wiki-to-adf", "pages.wiki"), ("markdown-to-adf", "pages.md")] {
        let mut command = Command::new("node");
        command.arg(peers.join("atlaskit.cjs")).arg(work).arg(documents.join(name));
        command.current_dir(installed);
        row(&format!("@atlaskit {work}, warm"), &documents.join(name), printed(command));
    }
    let slice = documents.join("slice.wiki");
    let pages = std::fs::read_to_string(documents.join("pages.wiki")).unwrap_or_default();
    let end = (0..=SLICE.min(pages.len())).rev().find(|it| pages.is_char_boundary(*it)).unwrap_or(0);
    let python = installed.join("python/bin/python3");
    let mut command = Command::new(python);
    command.arg(peers.join("convert_jira2markdown.py")).arg(&slice);
    let seconds = std::fs::write(&slice, &pages[..end]).ok().and_then(|()| printed(command));
    row("jira2markdown wiki to Markdown, 16 KiB", &slice, seconds);
}

/// Returns the CPU seconds of the whole process.
fn whole(mut command: Command) -> Option<f64> {
    let began = of_children();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
    status.success().then(|| of_children() - began)
}

/// Returns the CPU seconds of all child processes that were waited for. /proc counts hundredths of a second
/// on every architecture.
fn of_children() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(13).take(2).filter_map(|it| it.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Returns the last number that the process prints.
fn printed(mut command: Command) -> Option<f64> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    String::from_utf8_lossy(&output.stdout).split_whitespace().last()?.parse().ok()
}

fn row(name: &str, document: &Path, seconds: Option<f64>) {
    let bytes = document.metadata().map_or(0, |it| it.len()) as f64;
    match seconds {
        Some(seconds) => {
            let speed = bytes / 1e6 / seconds;
            println!("{name:<44}{:>8.2}{:>10.1}{speed:>10.3}", bytes / 1e6, seconds * 1e3);
        }
        None => println!("{name:<44}  absent"),
    }
}
