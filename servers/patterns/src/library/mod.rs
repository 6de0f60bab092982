//! A library: the patterns of a data file, and what follows from them.
//!
//! In: the data that the program contains, or a file of the user's own in the same form. Out: [`Library`], complete and in the
//! order of ids. Nothing here searches; that is [`crate::index`].

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use plainwire_sqlite::digest;

mod check;
mod form;
#[allow(
    missing_docs,
    reason = "the names of fields are those of the data file; docs/patterns.md has the rest"
)]
mod pattern;
mod place;
mod rules;
mod skills;

pub use check::{MAX_FILE, MAX_PATTERNS, Mistake};
pub use pattern::{Difficulty, Example, Pattern, Section, SectionKind};
pub(crate) use rules::{RULES, Rule};
pub(crate) use skills::Skill;

/// The data of the crate, compressed by the build script.
const EMBEDDED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/patterns.json.gz"));

/// Patterns, in the order of their ids.
#[derive(Debug)]
pub struct Library {
    patterns: Vec<Arc<Pattern>>,
    /// The origin that the data file names.
    source: String,
    /// A hash of the data, by which an index on disk is known to be of this library.
    digest: u64,
}

impl Library {
    /// Returns the library that the program contains: 304 patterns for the TypeScript library Effect.
    ///
    /// # Panics
    /// If the data of the program are damaged; a test reads them.
    pub fn embedded() -> Self {
        let mut text = String::new();
        let read = flate2::read::GzDecoder::new(EMBEDDED).read_to_string(&mut text);
        read.expect("the data of the program are compressed text");
        // They were checked by a test. What follows from them is made without checking each field again.
        Self::trusted(&text).expect("the data of the program are a library")
    }

    /// Reads a library from a text in the form of `docs/patterns.md`.
    ///
    /// # Errors
    /// Every mistake, with its place. Nothing of a file with mistakes is used.
    pub fn parse(text: &str) -> Result<Self, Vec<Mistake>> {
        let file = check::read(text)?;
        Ok(Self::of(file.patterns, file.source, text))
    }

    /// Reads a library from a file: see [`Self::parse`].
    ///
    /// # Errors
    /// Every mistake. A file that can't be read, is too large or is no UTF-8 is one mistake.
    pub fn read(path: &Path) -> Result<Self, Vec<Mistake>> {
        let failed = |message: String| vec![Mistake { line: 0, place: String::new(), message }];
        let mut text = Vec::new();
        let file = File::open(path).map_err(|error| failed(format!("the file can't be read: {error}")))?;
        // One byte more than allowed shows that the file is too large, without reading all of it.
        let read = file.take(MAX_FILE as u64 + 1).read_to_end(&mut text);
        read.map_err(|error| failed(format!("the file can't be read: {error}")))?;
        let text = String::from_utf8(text).map_err(|error| {
            failed(format!(
                "expected UTF-8, but found another byte at offset {}",
                error.utf8_error().valid_up_to()
            ))
        })?;
        Self::parse(&text)
    }

    fn trusted(text: &str) -> Option<Self> {
        #[derive(serde::Deserialize)]
        struct File {
            patterns: Vec<Pattern>,
            source: Option<String>,
        }
        let file: File = serde_json::from_str(text).ok()?;
        Some(Self::of(file.patterns, file.source, text))
    }

    fn of(patterns: Vec<Pattern>, source: Option<String>, text: &str) -> Self {
        let patterns = patterns.into_iter().map(Arc::new).collect();
        Self {
            patterns,
            source: source.unwrap_or_else(|| "a data file".to_owned()),
            digest: digest(0, text.as_bytes()),
        }
    }

    /// Returns all patterns, in the order of their ids.
    pub fn patterns(&self) -> &[Arc<Pattern>] {
        &self.patterns
    }

    /// Returns the pattern with this id.
    pub fn get(&self, id: &str) -> Option<&Arc<Pattern>> {
        let at = self.patterns.binary_search_by(|it| (*it.id).cmp(id)).ok()?;
        Some(&self.patterns[at])
    }

    /// Returns the origin of the patterns, as the data file names it.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the categories, sorted by name, and how many patterns each has.
    pub fn categories(&self) -> BTreeMap<&str, usize> {
        let mut all = BTreeMap::new();
        self.patterns.iter().for_each(|it| *all.entry(&*it.category).or_insert(0) += 1);
        all
    }

    /// Returns up to `count` tags, the most frequent first.
    pub(crate) fn frequent_tags(&self, count: usize) -> Vec<&str> {
        let mut all = BTreeMap::new();
        self.patterns.iter().flat_map(|it| &it.tags).for_each(|it| *all.entry(&**it).or_insert(0) += 1);
        let mut all: Vec<(&str, usize)> = all.into_iter().collect();
        all.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        all.into_iter().take(count).map(|it| it.0).collect()
    }

    /// Returns the digest of the data, for indexes on disk.
    pub(crate) fn digest(&self) -> u64 {
        self.digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_of_the_program_have_no_mistakes() {
        let text = include_str!("../../data/patterns.json");
        let library = Library::parse(text).expect("no mistakes");
        let embedded = Library::embedded();
        assert_eq!((library.patterns().len(), library.categories().len()), (304, 16));
        assert_eq!((embedded.digest(), embedded.patterns().len()), (library.digest(), 304));
        assert!(embedded.patterns().is_sorted_by(|a, b| a.id < b.id));
        assert!(embedded.get("api-cors").is_some() && embedded.get("api-cor").is_none());
    }
}
