//! Reads the files of the corpora, if the directory of the corpora is present, and the documents in the
//! directory that `PLAINWIRE_RICHTEXT_CORPUS` names.

#![allow(dead_code, clippy::print_stderr, reason = "each test uses a part of it")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the directory of the corpora: `richtext` in the directory that `PLAINWIRE_SHARED` names, or in the
/// directory `shared` beside the repository. If it is missing, prints a message and returns `None`.
pub(crate) fn root() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let root = env::var_os("PLAINWIRE_SHARED").map_or_else(beside, PathBuf::from).join("richtext");
    if root.is_dir() {
        return Some(root);
    }
    eprintln!("skipped: the corpora are not at {}", root.display());
    None
}

/// Returns the names and texts of the files below `folder` in the corpora whose extension is `extension`,
/// sorted by name; empty without the corpora.
pub(crate) fn files(folder: &str, extension: &str) -> Vec<(String, String)> {
    root().map(|it| below(&it, folder, &[extension])).unwrap_or_default()
}

/// Returns the names and texts of the files with one of these extensions below `folder` in the directory that
/// `PLAINWIRE_RICHTEXT_CORPUS` names. Empty if the variable is not set.
pub(crate) fn outside(folder: &str, extensions: &[&str]) -> Vec<(String, String)> {
    let Some(root) = env::var_os("PLAINWIRE_RICHTEXT_CORPUS") else { return Vec::new() };
    let root = PathBuf::from(root);
    assert!(root.is_dir(), "expected a directory in PLAINWIRE_RICHTEXT_CORPUS, but found {}", root.display());
    let named = |(name, text)| (format!("{OUTSIDE}{name}"), text);
    below(&root, folder, extensions).into_iter().map(named).collect()
}

/// The prefix of the names of documents from the directory that `PLAINWIRE_RICHTEXT_CORPUS` names.
pub(crate) const OUTSIDE: &str = "outside/";

/// Returns the names and texts of the files below a folder that have one of these extensions, sorted by name.
/// Files that are not UTF-8 are left out.
fn below(root: &Path, folder: &str, extensions: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    gather(&root.join(folder), &mut found);
    found.retain(|it| it.extension().is_some_and(|it| extensions.iter().any(|own| it == *own)));
    found.sort();
    let named = |path: PathBuf| {
        let name = path.strip_prefix(root).expect("it was found below").display().to_string();
        Some((name, String::from_utf8(fs::read(path).ok()?).ok()?))
    };
    found.into_iter().filter_map(named).collect()
}

/// Returns the text of a file of the corpora; `None` without the corpora.
pub(crate) fn file(name: &str) -> Option<String> {
    fs::read_to_string(root()?.join(name)).ok()
}

fn gather(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { gather(&path, found) } else { found.push(path) }
    }
}
