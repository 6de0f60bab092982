//! Fuzz target for the pattern library: no text is an operator of the full-text index, and no data file is half loaded.

use std::sync::OnceLock;

use plainwire_patterns::index::{Index, query};
use plainwire_patterns::library::Library;

/// Searches for the text, and reads it as a data file.
pub fn patterns(data: &[u8]) {
    static INDEX: OnceLock<(Library, Index)> = OnceLock::new();
    let (library, index) = INDEX.get_or_init(|| {
        let library = Library::embedded();
        let index = Index::in_memory(&library).expect("an index");
        (library, index)
    });
    let text = String::from_utf8_lossy(data);
    let matches = index.search(&text).expect("each text is words, and not a query");
    assert!(matches.positions.iter().all(|&at| at < library.patterns().len()));
    // What is found does not depend on the signs between words.
    let words = query::words(&text).join(" - ");
    assert_eq!(index.search(&words).expect("matches"), matches, "{words:?}");
    match Library::parse(&text) {
        Ok(read) => assert!(read.patterns().is_sorted_by(|a, b| a.id < b.id)),
        Err(mistakes) => assert!(!mistakes.is_empty() && mistakes.iter().all(|it| it.line >= 1)),
    }
}
