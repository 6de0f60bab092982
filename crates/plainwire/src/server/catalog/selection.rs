//! Selections: a catalog with some of the tools, for the requests at one URL.
//!
//! In: the names that a selection offers, and the catalog of the server. Out: a catalog without the other tools. Everything
//! else is as in the catalog of the server.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use plainwire_proto::cursor::CursorKey;

use super::{Catalog, Lists, SharedCatalog};

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
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, catalog)) = &*made
            && *of == shared.generation()
        {
            return Arc::clone(catalog);
        }
        let (generation, whole) = shared.catalog();
        let catalog = Arc::new(whole.offering(&self.offers));
        let old = made.replace((generation, Arc::clone(&catalog)));
        drop(made);
        // Entries may own values whose `Drop` calls back into the server.
        drop(old);
        catalog
    }
}

impl fmt::Debug for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selection").finish_non_exhaustive()
    }
}

impl Catalog {
    /// Returns this catalog without the tools whose names `offers` refuses.
    fn offering(&self, offers: &dyn Fn(&str) -> bool) -> Self {
        let kept = |name: &str| offers(name);
        let tools = self.tools.iter().filter(|(name, _)| kept(name));
        let tools: HashMap<_, _> = tools.map(|(name, entry)| (name.clone(), Arc::clone(entry))).collect();
        let listed: Vec<_> = self.lists.tools.iter().filter(|it| kept(&it.name)).cloned().collect();
        let names: Vec<&str> = listed.iter().map(|it| it.name.as_str()).collect();
        Self {
            cache_hint: self.cache_hint,
            completions: self.completions.clone(),
            // A cursor counts the entries before it, so it is worth nothing in another list.
            cursors: CursorKey::derive(&self.cursors.seal(super::List::Tools, 0), &names.join("\n")),
            lists: Lists {
                prompts: self.lists.prompts.clone(),
                resources: self.lists.resources.clone(),
                templates: self.lists.templates.clone(),
                tools: listed,
            },
            page_size: self.page_size,
            pages: Default::default(),
            prompts: self.prompts.clone(),
            resources: self.resources.clone(),
            templates: self.templates.clone(),
            tools,
        }
    }
}
