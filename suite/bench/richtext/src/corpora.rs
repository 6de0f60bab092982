//! Test documents of some MiB, made by repeating real ones.

use std::fs;
use std::path::{Path, PathBuf};

use plainwire_richtext::{Dialect, Document, Flavor, Format};
use serde_json::value::RawValue;

/// Writes the documents, of at least `enough` bytes each, to `folder`. The extension of a name is the format.
pub fn write(corpora: &Path, folder: &Path, enough: usize) -> Result<Vec<PathBuf>, String> {
    let joined = |texts: &[String], between: &str| joined(texts, between, enough);
    let wiki = joined(&texts(&corpora.join("wiki/karaf"), "wiki"), "\n\n");
    let storage = joined(&texts(&corpora.join("storage/md2conf"), "xml"), "\n");
    let markdown = joined(&texts(&corpora.join("markdown"), "md"), "\n\n");
    let blocks: Vec<String> =
        texts(&corpora.join("adf"), "json").iter().filter_map(|it| blocks(it)).collect();
    let adf = format!(r#"{{"version":1,"type":"doc","content":[{}]}}"#, joined(&blocks, ","));
    if wiki.is_empty() || storage.is_empty() || markdown.is_empty() || blocks.is_empty() {
        return Err(format!("expected corpora of rich text in {}, but found none", corpora.display()));
    }
    // The `pages` files have the same content in every format, the `samples` files what is special to a
    // format.
    let pages = Document::read(Format::Wiki(Dialect::Confluence), &wiki);
    let (pages_markdown, pages_adf, pages_storage) = (
        pages.write(Format::Markdown(Flavor::Plain)),
        pages.write(Format::Adf),
        pages.write(Format::Storage),
    );
    let all = [
        ("pages.wiki", &wiki),
        ("pages.md", &pages_markdown),
        ("pages.json", &pages_adf),
        ("pages.xml", &pages_storage),
        ("samples.md", &markdown),
        ("samples.json", &adf),
        ("samples.xml", &storage),
    ];
    all.into_iter()
        .map(|(name, text)| {
            let path = folder.join(name);
            fs::write(&path, text).map_err(|error| error.to_string())?;
            Ok(path)
        })
        .collect()
}

/// Returns the unparsed blocks of an ADF document; `None` for a fragment of one.
fn blocks(text: &str) -> Option<String> {
    let fields: std::collections::BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    let content = fields.get("type").filter(|it| it.get() == r#""doc""#).and(fields.get("content"))?.get();
    let blocks = content.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    (!blocks.is_empty()).then(|| blocks.to_owned())
}

fn joined(texts: &[String], between: &str, enough: usize) -> String {
    let mut all = String::new();
    for text in texts.iter().cycle().take_while(|it| !it.is_empty()) {
        if all.len() >= enough {
            break;
        }
        if !all.is_empty() {
            all.push_str(between);
        }
        all.push_str(text);
    }
    all
}

/// Returns the contents of the files below `folder` with this extension, in the order of their paths.
fn texts(folder: &Path, extension: &str) -> Vec<String> {
    let mut paths = Vec::new();
    gather(folder, &mut paths);
    paths.retain(|it| it.extension().is_some_and(|it| it == extension));
    paths.sort();
    paths.iter().filter_map(|it| fs::read_to_string(it).ok()).filter(|it| !it.is_empty()).collect()
}

fn gather(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { gather(&path, found) } else { found.push(path) }
    }
}
