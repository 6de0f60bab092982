//! Lists README.md and docs/*.md, so that the doctests of `src/lib.rs` are the examples in whatever pages there are.
//!
//! In: the repository. Out: `pages.rs` with one module per page.

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("..");
    let (readme, docs) = (root.join("README.md"), root.join("docs"));
    let mut pages = vec![readme.clone()];
    if docs.is_dir() {
        pages.extend(fs::read_dir(&docs)?.filter_map(|entry| Some(entry.ok()?.path())));
    }
    pages.retain(|page| page.is_file() && page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();

    let mut list = String::new();
    for (n, page) in pages.iter().enumerate() {
        let page = page.canonicalize()?;
        writeln!(list, "#[doc = include_str!({page:?})]\nmod page_{n} {{}}")?;
    }
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("pages.rs"), list)?;
    // A page that comes or goes changes the folder; the compiler itself watches those that are included.
    println!("cargo::rerun-if-changed={}", docs.display());
    println!("cargo::rerun-if-changed={}", readme.display());
    Ok(())
}
