//! The pages of the four lists: the bytes that answer `tools/list` and the other list requests.
//!
//! In: a list and a cursor. Out: the JSON of one page. All pages of a list are written once per revision,
//! when one of them is first requested. Tools with a card may be listed in two ways: with the link to the card for clients that
//! show pages, and without it for all others, which can't follow it.

use std::sync::Arc;

use plainwire_proto::codec::{self, Encoder};
use plainwire_proto::cursor::List;
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::json::shorten;
use plainwire_proto::model::{CacheHint, CacheScope, Tool};
use plainwire_proto::peer::Client;
use plainwire_proto::revision::Revision;

use super::Catalog;
use crate::server::entry::apps::shows_views;

impl Catalog {
    /// Returns the page of `list` that begins at `cursor`, or the first page if there is no cursor, as the
    /// JSON of the `result` of a response. `client` describes the client that asks.
    ///
    /// # Errors
    /// `InvalidParams` for a cursor that this server did not make for this list.
    pub(crate) fn page(
        &self,
        list: List,
        cursor: Option<&str>,
        encoder: &Encoder,
        client: impl FnOnce() -> Arc<Client>,
    ) -> Result<&[u8], Error> {
        let revision = encoder.revision();
        let pages = if self.varies(list) && shows_views(revision, &client().capabilities) {
            self.pages_with_cards[revision.index()]
                .get_or_init(|| self.write_list(list, encoder, &self.tools_with_cards(), codec::tool))
        } else {
            self.pages[revision.index()][list as usize].get_or_init(|| self.write_pages(list, encoder))
        };
        let offset = match cursor {
            None => Some(0),
            Some(cursor) => self.cursors.open(list, cursor).map(|offset| offset as usize),
        };
        offset.and_then(|offset| pages.get(offset / self.page_size)).map(Vec::as_slice).ok_or_else(|| {
            let found = shorten(cursor.unwrap_or_default()).into_owned();
            let text = format!("expected `cursor` to be a `nextCursor` of this list, but found {found:?}");
            Error::new(ErrorKind::InvalidParams, text)
        })
    }

    /// Returns whether a list depends on the client that asks.
    fn varies(&self, list: List) -> bool {
        list == List::Tools && !self.lists.cards.is_empty()
    }

    fn write_pages(&self, list: List, encoder: &Encoder) -> Vec<Vec<u8>> {
        match list {
            List::Prompts => self.write_list(list, encoder, &self.lists.prompts, codec::prompt),
            List::Resources => self.write_list(list, encoder, &self.lists.resources, codec::resource),
            List::ResourceTemplates => {
                self.write_list(list, encoder, &self.lists.templates, codec::resource_template)
            }
            List::Tools => self.write_list(list, encoder, &self.lists.tools, codec::tool),
        }
    }

    fn tools_with_cards(&self) -> Vec<Tool> {
        let with_card = |tool: &Tool| match self.lists.cards.get(&tool.name) {
            Some(meta) => Tool { meta: Some(meta.clone()), ..tool.clone() },
            None => tool.clone(),
        };
        self.lists.tools.iter().map(with_card).collect()
    }

    fn write_list<T>(
        &self,
        list: List,
        encoder: &Encoder,
        entries: &[T],
        write: impl Fn(&mut Vec<u8>, &T, Revision),
    ) -> Vec<Vec<u8>> {
        // What one client may see is not what another one may.
        let hint = match self.varies(list) {
            true => CacheHint { scope: CacheScope::Private, ..self.cache_hint },
            false => self.cache_hint,
        };
        // An empty list still has one empty page.
        let count = entries.len().div_ceil(self.page_size).max(1);
        let page = |number: usize| {
            let (from, to) = (number * self.page_size, ((number + 1) * self.page_size).min(entries.len()));
            let next = (to < entries.len()).then(|| self.cursors.seal(list, to as u32));
            let mut out = Vec::new();
            encoder.page(&mut out, list, &entries[from..to], next.as_deref(), hint, &write);
            out
        };
        (0..count).map(page).collect()
    }
}
