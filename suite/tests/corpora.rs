//! Tests that each fuzz target keeps its promises on the reviewed inputs of its corpus.
//!
//! In: `fuzz/corpus/<target>/`, one file for each input. The function of the fuzz target runs on each.

use std::fs;

use plainwire_suite::{files_below, fuzz, root};

/// The most files that the corpus of one target may have, so that a person can review it. `MOST_BYTES` limits
/// their total size.
const MOST_FILES: usize = 40;
const MOST_BYTES: u64 = 100 << 10;

fn replay(target: &str) {
    let (_, run) = fuzz::TARGETS.iter().find(|(name, _)| *name == target).expect("a target of this name");
    let files = files_below(&root().join("fuzz/corpus").join(target), "");
    assert!((3..=MOST_FILES).contains(&files.len()), "{} files for {target}", files.len());
    let bytes: u64 = files.iter().map(|file| file.metadata().expect("a file").len()).sum();
    assert!(bytes <= MOST_BYTES, "{bytes} bytes for {target}");
    for file in files {
        let data = fs::read(&file).expect("a file");
        if std::panic::catch_unwind(|| run(&data)).is_err() {
            panic!("{} breaks a promise, see above", file.display());
        }
    }
}

#[test]
fn the_corpus_of_atlassian_keeps_its_promises() {
    replay("atlassian");
}

#[test]
fn the_corpus_of_cursor_keeps_its_promises() {
    replay("cursor");
}

#[test]
fn the_corpus_of_inventory_keeps_its_promises() {
    replay("inventory");
}

#[test]
fn the_corpus_of_learning_keeps_its_promises() {
    replay("learning");
}

#[test]
fn the_corpus_of_patterns_keeps_its_promises() {
    replay("patterns");
}

#[test]
fn the_corpus_of_client_reader_keeps_its_promises() {
    replay("client_reader");
}

#[test]
fn the_corpus_of_http_batch_keeps_its_promises() {
    replay("http_batch");
}

#[test]
fn the_corpus_of_envelope_keeps_its_promises() {
    replay("envelope");
}

#[test]
fn the_corpus_of_form_keeps_its_promises() {
    replay("form");
}

#[test]
fn the_corpus_of_peer_keeps_its_promises() {
    replay("peer");
}

#[test]
fn the_corpus_of_seal_keeps_its_promises() {
    replay("seal");
}

#[test]
fn the_corpus_of_arguments_keeps_its_promises() {
    replay("arguments");
}

#[test]
fn the_corpus_of_slim_keeps_its_promises() {
    replay("slim");
}

#[test]
fn the_corpus_of_headers_keeps_its_promises() {
    replay("headers");
}

#[test]
fn the_corpus_of_sse_keeps_its_promises() {
    replay("sse");
}

#[test]
fn the_corpus_of_richtext_growth_keeps_its_promises() {
    replay("richtext_growth");
}

#[test]
fn the_corpus_of_richtext_read_keeps_its_promises() {
    replay("richtext_read");
}

#[test]
fn the_corpus_of_richtext_restore_keeps_its_promises() {
    replay("richtext_restore");
}

#[test]
fn each_target_has_a_corpus_a_test_and_a_file_for_the_fuzzer() {
    let here = include_str!("corpora.rs");
    let manifest = fs::read_to_string(root().join("fuzz/Cargo.toml")).expect("a manifest");
    for (target, _) in fuzz::TARGETS {
        assert!(here.contains(&format!("replay(\"{target}\")")), "no test of {target}");
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{target}.rs\"")), "no binary {target}");
    }
    let listed = |folder: &str| {
        let entries = fs::read_dir(root().join("fuzz").join(folder)).expect("a folder");
        let name =
            |path: std::path::PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut names: Vec<_> = entries.map(|entry| name(entry.expect("an entry").path())).collect();
        names.sort();
        names
    };
    let targets = fuzz::TARGETS.map(|(name, _)| name);
    assert_eq!(listed("corpus"), targets);
    assert_eq!(listed("fuzz_targets"), targets);
}
