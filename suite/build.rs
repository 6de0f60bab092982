//! Lists README.md and the pages of docs/ and its folders, so that their examples are doctests of `src/lib.rs`.
//!
//! In: the repository. Out: `pages.rs` with one module per page.

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("..");
    let (readme, docs) = (root.join("README.md"), root.join("docs"));
    let (mut pages, mut folders) = (vec![readme.clone()], vec![docs.clone()]);
    while let Some(folder) = folders.pop().filter(|it| it.is_dir()) {
        let entries = fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path()));
        let (inner, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
        folders.extend(inner);
        pages.extend(files);
    }
    pages.retain(|page| page.is_file() && page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();

    let mut list = String::new();
    for (n, page) in pages.iter().enumerate() {
        let page = page.canonicalize()?;
        writeln!(list, "#[doc = include_str!({page:?})]\nmod page_{n} {{}}")?;
    }
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("pages.rs"), list)?;
    // Watches the folder for new and deleted pages. The compiler itself watches the included ones.
    println!("cargo::rerun-if-changed={}", docs.display());
    println!("cargo::rerun-if-changed={}", readme.display());
    Ok(())
}
