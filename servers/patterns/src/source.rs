//! The source of the patterns: a library in this process, or the API of another one.
//!
//! In: queries, ids and slugs. Out: what the source has for them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use plainwire::prelude::*;
use tokio::sync::OnceCell;

use crate::cache::Cache;
use crate::index::{FileError, Index, query};
use crate::library::{Difficulty, Library, Pattern, Skill};
use crate::runtime::blocking;
use crate::upstream::{ApiRule, Upstream};

/// How long a search is kept.
const SEARCHES: Duration = Duration::from_secs(5 * 60);

/// How long a pattern is kept.
const PATTERNS: Duration = Duration::from_secs(30 * 60);

/// The largest number of suggestions for an unknown id.
const MAX_SIMILAR: usize = 5;

/// The source, and what was found in it lately.
pub(crate) struct Source {
    pub(crate) library: Arc<Library>,
    /// The file of the index; `None` for one in memory.
    database: Option<PathBuf>,
    /// Whether the library answers while the API can't be reached.
    falls_back: bool,
    index: OnceCell<Arc<Index>>,
    patterns: Mutex<Cache<String, Arc<Pattern>>>,
    searches: Mutex<Cache<Wanted, Arc<Found>>>,
    pub(crate) upstream: Option<Upstream>,
}

/// A search.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Wanted {
    pub(crate) text: String,
    pub(crate) category: Option<String>,
    pub(crate) difficulty: Option<&'static str>,
}

/// Everything that a search found, the best first.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) patterns: Vec<Arc<Pattern>>,
    /// The words that were searched for, if they are not those of the user.
    pub(crate) corrected: Option<String>,
    /// Whether the library answered in place of the API.
    pub(crate) is_fallback: bool,
}

impl Source {
    pub(crate) fn new(
        library: Library,
        database: Option<PathBuf>,
        upstream: Option<Upstream>,
        falls_back: bool,
    ) -> Self {
        Self {
            library: Arc::new(library),
            database,
            falls_back,
            index: OnceCell::new(),
            patterns: Mutex::new(Cache::new(PATTERNS)),
            searches: Mutex::new(Cache::new(SEARCHES)),
            upstream,
        }
    }

    /// Returns the name of the source, for provenance.
    pub(crate) fn name(&self, is_fallback: bool) -> &str {
        match &self.upstream {
            Some(upstream) if !is_fallback => upstream.base(),
            _ => self.library.source(),
        }
    }

    pub(crate) async fn search(&self, wanted: &Wanted) -> Result<Arc<Found>, ToolError> {
        let kept = self.searches.lock().unwrap_or_else(PoisonError::into_inner).get(wanted);
        if let Some(found) = kept {
            return Ok(found);
        }
        let (found, bytes) = match &self.upstream {
            None => (self.search_library(wanted).await?, 0),
            Some(upstream) => {
                let difficulty =
                    Difficulty::ALL.into_iter().find(|it| Some(it.as_str()) == wanted.difficulty);
                match upstream.search(&wanted.text, wanted.category.as_deref(), difficulty).await {
                    Ok(answer) => {
                        (Found { patterns: answer.value, corrected: None, is_fallback: false }, answer.bytes)
                    }
                    Err(error) if self.replaces(&error) => {
                        (Found { is_fallback: true, ..self.search_library(wanted).await? }, 0)
                    }
                    Err(error) => return Err(error),
                }
            }
        };
        let found = Arc::new(found);
        if !found.patterns.is_empty() && !found.is_fallback {
            let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
            let bytes = bytes + wanted.text.len() + found.patterns.len() * size_of::<Arc<Pattern>>();
            searches.put(wanted.clone(), Arc::clone(&found), bytes);
        }
        Ok(found)
    }

    /// Returns the pattern of an id, and whether the library answered in place of the API.
    pub(crate) async fn pattern(&self, id: &str) -> Result<Option<(Arc<Pattern>, bool)>, ToolError> {
        let Some(upstream) = &self.upstream else {
            return Ok(self.library.get(id).map(|it| (Arc::clone(it), false)));
        };
        let kept = self.patterns.lock().unwrap_or_else(PoisonError::into_inner).get(&id.to_owned());
        if let Some(pattern) = kept {
            return Ok(Some((pattern, false)));
        }
        match upstream.pattern(id).await {
            Ok(Some(answer)) => {
                let mut patterns = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
                patterns.put(id.to_owned(), Arc::clone(&answer.value), answer.bytes);
                Ok(Some((answer.value, false)))
            }
            Ok(None) => Ok(None),
            Err(error) if self.replaces(&error) => Ok(self.library.get(id).map(|it| (Arc::clone(it), true))),
            Err(error) => Err(error),
        }
    }

    /// Returns ids that are near to one that does not exist, the nearest first. All of them exist.
    pub(crate) async fn similar(&self, id: &str) -> Vec<String> {
        let words = query::words(id).join(" ");
        if words.is_empty() {
            return Vec::new();
        }
        if self.upstream.is_some() {
            let wanted = Wanted { text: words, category: None, difficulty: None };
            let found = self.search(&wanted).await;
            let patterns =
                found.map(|it| it.patterns.iter().take(MAX_SIMILAR).map(|it| it.id.clone()).collect());
            return patterns.unwrap_or_default();
        }
        let mut near: Vec<(f64, &str)> =
            self.library.patterns().iter().map(|it| (likeness(id, &it.id), &*it.id)).collect();
        near.retain(|(likeness, _)| *likeness >= 0.5);
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        near.into_iter().take(MAX_SIMILAR).map(|(_, id)| id.to_owned()).collect()
    }

    pub(crate) async fn skills(
        &self,
        text: Option<&str>,
        category: Option<&str>,
    ) -> Result<Vec<Skill>, ToolError> {
        if let Some(upstream) = &self.upstream {
            match upstream.skills(text, category).await {
                Err(error) if self.replaces(&error) => {}
                other => return other,
            }
        }
        let words = query::words(text.unwrap_or_default());
        let mut skills = self.library.skills();
        skills.retain(|it| {
            let all = format!("{} {}", it.name, it.description).to_lowercase();
            category.is_none_or(|category| it.category == category)
                && words.iter().all(|word| all.contains(&**word))
        });
        Ok(skills)
    }

    pub(crate) async fn skill(&self, slug: &str) -> Result<Option<Skill>, ToolError> {
        match &self.upstream {
            Some(upstream) => match upstream.skill(slug).await {
                Err(error) if self.replaces(&error) => Ok(self.library.skill(slug)),
                other => other,
            },
            None => Ok(self.library.skill(slug)),
        }
    }

    /// Returns the rules of the API; `None` if the rules of this program are meant.
    pub(crate) async fn rules(&self) -> Result<Option<Vec<ApiRule>>, ToolError> {
        let Some(upstream) = &self.upstream else { return Ok(None) };
        match upstream.rules().await {
            Err(error) if self.replaces(&error) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Returns whether the library answers in place of the API.
    fn replaces(&self, error: &ToolError) -> bool {
        let replaces = self.falls_back && matches!(error.code(), "network" | "timeout");
        if replaces {
            tracing::warn!("the patterns of this program answer: {}", error.message());
        }
        replaces
    }

    async fn search_library(&self, wanted: &Wanted) -> Result<Found, ToolError> {
        let index = Arc::clone(self.index().await?);
        let text = wanted.text.clone();
        let matches = searching(move || index.search(&text)).await?;
        let all = matches.positions.into_iter().filter_map(|at| self.library.patterns().get(at));
        let is_wanted = |it: &&Arc<Pattern>| {
            wanted.category.as_ref().is_none_or(|category| it.category == *category)
                && wanted.difficulty.is_none_or(|difficulty| it.difficulty.as_str() == difficulty)
        };
        let patterns: Vec<_> = all.filter(is_wanted).cloned().collect();
        let corrected = matches.corrected.filter(|_| !patterns.is_empty());
        Ok(Found { patterns, corrected, is_fallback: false })
    }

    async fn index(&self) -> Result<&Arc<Index>, ToolError> {
        let make = || async {
            let (library, database) = (Arc::clone(&self.library), self.database.clone());
            let index = searching(move || match database {
                Some(path) => Index::open(&path, &library),
                None => Index::in_memory(&library),
            });
            index.await.map(Arc::new)
        };
        self.index.get_or_try_init(make).await
    }
}

/// Runs work on the index. Its errors are told to the log, and to the model only that there was one.
async fn searching<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, FileError> + Send + 'static,
) -> Result<T, ToolError> {
    let failed = |error: &dyn std::error::Error| {
        ToolError::failed("the index of the patterns can't be used").retryable().logged(error)
    };
    blocking(work).await.map_err(|error| failed(&error))?.map_err(|error| failed(&error))
}

/// Returns how much two ids are alike, from 0 to 1: by their letters, or by the words that they share.
fn likeness(a: &str, b: &str) -> f64 {
    let words =
        |it: &str| it.split(|it: char| !it.is_alphanumeric()).map(str::to_lowercase).collect::<Vec<_>>();
    let (of_a, of_b) = (words(a), words(b));
    let shared = of_a.iter().filter(|it| of_b.contains(it)).count();
    let by_words = shared as f64 / of_a.len().max(of_b.len()) as f64;
    strsim::normalized_damerau_levenshtein(&a.to_lowercase(), b).max(by_words)
}
