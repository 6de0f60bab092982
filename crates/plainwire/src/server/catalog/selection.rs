//! Selections: the tools that the URL of a request offers.
//!
//! In: the query of a URL, and the catalog of the server. Out: a catalog without the other tools. Everything else is as in the catalog of
//! the server. Selections are kept, because the lists of a selection are written once.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use plainwire_proto::json::shorten;

use super::{Catalog, SharedCatalog};
use crate::runtime::panics;

/// A choice of tools by their names.
pub(crate) struct Selection {
    /// The newest catalog of this selection, with the generation of the one that it was made of.
    made: Mutex<Option<(u64, Arc<Catalog>)>>,
    offers: Box<dyn Fn(&str) -> bool + Send + Sync>,
}

impl Selection {
    /// Returns a selection that offers the tools for whose names `offers` returns true.
    pub(crate) fn new(offers: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self { made: Mutex::default(), offers: Box::new(offers) }
    }

    /// Returns the current catalog of a server, without the tools that this selection does not offer.
    pub(crate) fn catalog(&self, shared: &SharedCatalog) -> Arc<Catalog> {
        if let Some(made) = self.made_since(shared.generation()) {
            return made;
        }
        let (generation, whole) = shared.catalog();
        // A function that fails offers nothing, and no lock is held while it runs.
        let offers = |name: &str| {
            panics::catch(|| (self.offers)(name)).unwrap_or_else(|panic| {
                panic.log("the function of `tools_by_query` that says what a URL offers");
                false
            })
        };
        let catalog = Arc::new(whole.offering(&offers));
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        // Another request may have been faster.
        if let Some((of, newest)) = &*made
            && *of >= generation
        {
            return Arc::clone(newest);
        }
        let old = made.replace((generation, Arc::clone(&catalog)));
        drop(made);
        // Entries may own values whose `Drop` calls back into the server.
        drop(old);
        catalog
    }

    /// Returns the catalog that was made of this generation of the server's; `None` if there is none.
    fn made_since(&self, generation: u64) -> Option<Arc<Catalog>> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.as_ref().filter(|(of, _)| *of == generation).map(|(_, catalog)| Arc::clone(catalog))
    }
}

impl fmt::Debug for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selection").finish_non_exhaustive()
    }
}

/// The largest number of selections that are kept. The least recently used one is dropped, and made again when it is needed.
const MOST: usize = 16;

/// The largest query, in bytes.
const LONGEST: usize = 4_096;

/// The choice of a query; `None` offers all tools.
type Choose = dyn Fn(&str) -> Result<Option<Selection>, String> + Send + Sync;

/// Why there is no selection for a query.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoSelection {
    /// It can't be used, for a reason.
    Query(String),
    /// The function of the server panicked.
    Panicked,
}

/// The selections of the URLs that were asked for lately.
pub(crate) struct Selections {
    choose: Box<Choose>,
    /// The queries with their selections, the least recently used first.
    known: Mutex<Vec<(Box<str>, Arc<Selection>)>>,
}

impl Selections {
    /// Returns selections that `choose` makes.
    pub(crate) fn new(
        choose: impl Fn(&str) -> Result<Option<Selection>, String> + Send + Sync + 'static,
    ) -> Self {
        Self { choose: Box::new(choose), known: Mutex::default() }
    }

    /// Returns the selection of a query; `None` if it offers all tools.
    ///
    /// # Errors
    /// A query that can't be used; a choice that panicked.
    pub(crate) fn of(&self, query: &str) -> Result<Option<Arc<Selection>>, NoSelection> {
        if query.len() > LONGEST {
            let why = format!("expected a query of at most {LONGEST} bytes in the URL, but found more");
            return Err(NoSelection::Query(why));
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = known.iter().position(|(it, _)| **it == *query) {
            known[at..].rotate_left(1);
            return Ok(known.last().map(|(_, selection)| Arc::clone(selection)));
        }
        drop(known);
        let chosen = panics::catch(|| (self.choose)(query)).map_err(|panic| {
            panic.log("the function of `tools_by_query`");
            NoSelection::Panicked
        })?;
        let chosen =
            chosen.map_err(|why| NoSelection::Query(format!("query {:?}: {why}", shorten(query))))?;
        let Some(selection) = chosen.map(Arc::new) else { return Ok(None) };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // Another request with this query may have been faster.
        if let Some((_, selection)) = known.iter().find(|(it, _)| **it == *query) {
            return Ok(Some(Arc::clone(selection)));
        }
        let least = if known.len() < MOST { None } else { Some(known.remove(0)) };
        known.push((query.into(), Arc::clone(&selection)));
        drop(known);
        drop(least);
        Ok(Some(selection))
    }
}

impl fmt::Debug for Selections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selections").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn the_selections_that_were_used_lately_are_kept() {
        let made = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&made);
        let selections = Selections::new(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(Some(Selection::new(|_| true)))
        });
        let of = |n: usize| selections.of(&format!("n={n}")).expect("a selection").expect("some tools");
        let first = of(0);
        for n in 1..MOST {
            of(n);
        }
        assert!(Arc::ptr_eq(&first, &of(0)), "the oldest one, which was used again, is kept");
        of(MOST);
        assert_eq!(made.load(Ordering::Relaxed), MOST + 1);
        assert!(Arc::ptr_eq(&first, &of(0)));
        of(1);
        assert_eq!(made.load(Ordering::Relaxed), MOST + 2, "the least recently used one was dropped");
        assert_eq!(selections.known.lock().expect("the lock").len(), MOST);
    }

    #[test]
    fn a_long_query_is_refused() {
        let selections = Selections::new(|_| Ok(None));
        assert!(selections.of(&"q".repeat(LONGEST)).expect("short enough").is_none());
        let why = selections.of(&"q".repeat(LONGEST + 1)).expect_err("too long");
        let expected = "expected a query of at most 4096 bytes in the URL, but found more";
        assert_eq!(why, NoSelection::Query(expected.to_owned()));
    }
}
