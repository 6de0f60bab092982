//! A catalog with some of the tools of another one.
//!
//! In: a catalog, and which tools to keep. Out: a catalog without the others. The entries are shared.

use std::collections::HashMap;
use std::sync::Arc;

use plainwire_proto::cursor::{CursorKey, List};

use super::{Catalog, Lists};

impl Catalog {
    /// Returns this catalog without the tools whose names `offers` refuses.
    pub(crate) fn offering(&self, offers: &dyn Fn(&str) -> bool) -> Self {
        let tools = self.tools.iter().filter(|(name, _)| offers(name));
        let tools: HashMap<_, _> = tools.map(|(name, entry)| (name.clone(), Arc::clone(entry))).collect();
        let listed: Vec<_> = self.lists.tools.iter().filter(|it| offers(&it.name)).cloned().collect();
        let names: Vec<&str> = listed.iter().map(|it| it.name.as_str()).collect();
        Self {
            cache_hint: self.cache_hint,
            completions: self.completions.clone(),
            // A cursor counts the entries before it, so it is worth nothing in another list.
            cursors: CursorKey::derive(&self.cursors.seal(List::Tools, 0), &names.join("\n")),
            lists: Lists {
                cards: self.lists.cards.clone(),
                prompts: self.lists.prompts.clone(),
                resources: self.lists.resources.clone(),
                templates: self.lists.templates.clone(),
                tools: listed,
            },
            page_size: self.page_size,
            pages: Default::default(),
            pages_with_cards: Default::default(),
            prompts: self.prompts.clone(),
            resources: self.resources.clone(),
            templates: self.templates.clone(),
            tools,
        }
    }
}
