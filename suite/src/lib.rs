//! Code that the tests of the suite share: a server to test with, transcripts, and the binary.
//!
//! - [`specimen`]: a server with a bit of everything that always gives the same answers.
//! - [`transcript`]: reads the transcripts.
//! - [`fuzz`]: the fuzz targets, which also run on the reviewed inputs as ordinary tests.
//! - [`openapi`]: a judge of HTTP exchanges by the OpenAPI documents of Atlassian.
//! - [`binary`]: the command `plainwire`, freshly built.
//! - `program`: a process under test, with its input and output. Unix only.
//!
//! The examples of README.md and docs/ are doctests of this crate: every fence marked `rust` has to compile,
//! and to run unless it is marked `no_run`.

use std::path::{Path, PathBuf};

pub mod binary;
pub mod fuzz;
pub mod openapi;
#[cfg(unix)]
pub mod program;
pub mod specimen;
pub mod transcript;

/// Returns the folder of the repository.
pub fn root() -> PathBuf {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR"));
    suite.parent().expect("the suite lies in the repository").to_owned()
}

/// Returns the folder with the official schemas and examples: the subfolder `spec` of the folder that the
/// environment variable `PLAINWIRE_SHARED` names, or of `../shared` beside the repository.
///
/// Not every checkout has this folder. Without it, the function prints that the test is skipped and returns
/// `None`, and the test passes.
#[expect(clippy::print_stdout, reason = "a test that was skipped has to say so")]
pub fn official_spec() -> Option<PathBuf> {
    let beside = || root().join("../shared");
    let folder = std::env::var_os("PLAINWIRE_SHARED").map_or_else(beside, PathBuf::from).join("spec");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: the official schemas are not in {}", folder.display());
    None
}

/// Returns the files below `folder` whose name ends in `ending`, sorted by path.
pub fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            found.extend(files_below(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[cfg(doctest)]
include!(concat!(env!("OUT_DIR"), "/pages.rs"));
