//! One conversion in this process, with its peak memory.

use std::hint::black_box;
use std::path::Path;

use plainwire_richtext::{Dialect, Document, Flavor, Format, Sidecar, convert};

const BUDGET: f64 = 0.5;

/// The word that the edit inserts.
const WORD: &str = "benchmarked";

/// Returns the measurements for a document: reading, writing each other format, conversions with a report of
/// losses, and an edit.
pub fn works(document: &Path) -> Vec<String> {
    let from = extension(document);
    let to = ["json", "xml", "wiki", "md"].into_iter().filter(|it| *it != from);
    let mut works = vec!["read".to_owned()];
    works.extend(to.clone().map(|it| format!("to {it}")));
    works.extend(
        to.filter(|it| *it == "md" || from == "md" && *it == "json").map(|it| format!("convert to {it}")),
    );
    if from != "md" {
        works.extend(["split".to_owned(), "restore".to_owned()]);
    }
    works
}

/// Runs one measurement and prints the bytes of the document, the seconds, and the peak in KiB.
pub fn one(work: &str, document: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(document).map_err(|error| error.to_string())?;
    let from = format(extension(document))?;
    match work {
        "prepare" => return prepare(from, &text, document),
        "restore" => {
            let bytes = text.len();
            drop(text);
            return restore(bytes, document);
        }
        _ => {}
    }
    let seconds = measure(from, work, &text)?;
    report(text.len(), seconds);
    Ok(())
}

/// Returns the mean seconds of repeated runs.
pub fn measure(from: Format, work: &str, text: &str) -> Result<f64, String> {
    if let Some(to) = work.strip_prefix("to ") {
        let to = format(to)?;
        return Ok(mean(|| Document::read(from, text).write(to)));
    }
    if let Some(to) = work.strip_prefix("convert to ") {
        let to = format(to)?;
        return Ok(mean(|| convert(from, to, text)));
    }
    match work {
        "read" => Ok(mean(|| Document::read(from, text))),
        "split" => Ok(mean(|| Sidecar::split(&Document::read(from, text)))),
        _ => Err(format!("expected read, to, convert to, split or restore, but found {work}")),
    }
}

/// Writes the files that [`restore`] needs: the sidecar, and the Markdown with one word inserted in the
/// middle.
fn prepare(from: Format, text: &str, document: &Path) -> Result<(), String> {
    let (markdown, sidecar) = Sidecar::split(&Document::read(from, text));
    let write = |extension: &str, text: &str| std::fs::write(document.with_extension(extension), text);
    write("sidecar", &sidecar.to_json()).map_err(|error| error.to_string())?;
    write("edited", &edited(&markdown)).map_err(|error| error.to_string())?;
    report(text.len(), 0.0);
    Ok(())
}

/// Restores an edit into a document of `bytes` bytes, from only the sidecar and the Markdown.
fn restore(bytes: usize, document: &Path) -> Result<(), String> {
    let read = |extension: &str| std::fs::read_to_string(document.with_extension(extension));
    let json = read("sidecar").map_err(|error| error.to_string())?;
    let edited = read("edited").map_err(|error| error.to_string())?;
    let restore = || Sidecar::from_json(&json).and_then(|it| it.restore(&edited));
    let restored = restore().map_err(|error| error.to_string())?;
    if !restored.text.contains(WORD) {
        return Err("expected the edit in what was restored, but found the source".into());
    }
    drop(restored);
    report(bytes, mean(restore));
    Ok(())
}

/// Returns the Markdown with one more word, behind the first word of a plain line near the middle.
pub fn edited(markdown: &str) -> String {
    let mut middle = markdown.len() / 2;
    while !markdown.is_char_boundary(middle) {
        middle += 1;
    }
    let plain =
        |it: &str| it.len() > 60 && it.bytes().all(|it| it.is_ascii_alphanumeric() || b" ,.".contains(&it));
    let line = markdown[middle..].lines().find(|it| plain(it)).unwrap_or_default();
    let at = line.as_ptr() as usize - markdown.as_ptr() as usize;
    let at = if line.is_empty() { markdown.len() } else { at + line.find(' ').unwrap_or(0) };
    format!("{} {WORD}{}", &markdown[..at], &markdown[at..])
}

/// Returns the mean CPU seconds of `work`, over as many runs as fit in half a second of CPU time. Wall-clock
/// time would include other load on the machine.
fn mean<T>(mut work: impl FnMut() -> T) -> f64 {
    let began = cpu();
    let mut times = 0.0;
    loop {
        black_box(work());
        times += 1.0;
        let used = cpu() - began;
        if used > BUDGET {
            return used / times;
        }
    }
}

/// Returns the CPU seconds of this process so far. It has one thread.
pub fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|it| it.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

/// Prints the numbers for the parent process.
pub fn report(bytes: usize, seconds: f64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|it| it.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    println!("{bytes} {seconds} {}", peak.unwrap_or("0"));
}

fn extension(document: &Path) -> &str {
    document.extension().and_then(|it| it.to_str()).unwrap_or_default()
}

/// Returns the format of files with this extension.
pub fn format(extension: &str) -> Result<Format, String> {
    match extension {
        "json" => Ok(Format::Adf),
        "xml" => Ok(Format::Storage),
        "wiki" => Ok(Format::Wiki(Dialect::Confluence)),
        "md" => Ok(Format::Markdown(Flavor::Extended)),
        _ => Err(format!("expected json, xml, wiki or md, but found {extension}")),
    }
}
