//! One conversion in this process, and its peak of memory.

use std::hint::black_box;
use std::path::Path;

use plainwire_richtext::{Dialect, Document, Flavor, Format, Sidecar, convert};

const BUDGET: f64 = 0.5;

/// What the edit adds.
const WORD: &str = "benchmarked";

/// What is measured of a document: each format it is written in, reading alone, some with the account of losses, and an edit.
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

/// Does it, and prints the bytes of the document, the seconds, and the peak in KiB.
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

/// The seconds it takes, done over and over.
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

/// What [`restore`] needs, beside the document: the sidecar, and the Markdown with an edit of one word in the middle.
fn prepare(from: Format, text: &str, document: &Path) -> Result<(), String> {
    let (markdown, sidecar) = Sidecar::split(&Document::read(from, text));
    let write = |extension: &str, text: &str| std::fs::write(document.with_extension(extension), text);
    write("sidecar", &sidecar.to_json()).map_err(|error| error.to_string())?;
    write("edited", &edited(&markdown)).map_err(|error| error.to_string())?;
    report(text.len(), 0.0);
    Ok(())
}

/// An edit put back into a document of so many bytes, of which only the sidecar is there and the Markdown.
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

/// With one more word at the end of a word near the middle that stands among others.
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

/// The seconds of CPU that doing it takes, on average over as many times as fit in half a second of them. Not the clock: what else the
/// machine does would be counted.
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

/// Seconds of CPU of this process so far; it has one thread.
pub fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|it| it.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

/// Prints what the process that began this one reads.
pub fn report(bytes: usize, seconds: f64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|it| it.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    println!("{bytes} {seconds} {}", peak.unwrap_or("0"));
}

fn extension(document: &Path) -> &str {
    document.extension().and_then(|it| it.to_str()).unwrap_or_default()
}

/// The format that files with this ending are in.
pub fn format(extension: &str) -> Result<Format, String> {
    match extension {
        "json" => Ok(Format::Adf),
        "xml" => Ok(Format::Storage),
        "wiki" => Ok(Format::Wiki(Dialect::Confluence)),
        "md" => Ok(Format::Markdown(Flavor::Extended)),
        _ => Err(format!("expected json, xml, wiki or md, but found {extension}")),
    }
}
