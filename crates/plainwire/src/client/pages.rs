//! Reads lists page by page.
//!
//! In: a client and a list. Out: its pages in order. Each page is requested when the caller wants it, unless
//! the server still counts a cached one as fresh.

use std::fmt;

use plainwire_proto::cursor::List;
use plainwire_proto::error::ErrorKind;
use plainwire_proto::model::RawJson;
use serde::de::{DeserializeOwned, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{Client, decode};
use crate::error::{Error, Result};

/// The most pages that are requested of one list. It stops a server that always has another page.
const MAX_PAGES: usize = 1_000;

/// The most bytes of the pages of one list. A list that has a further page after them is an error. 32 MiB:
/// hundreds of times more than the lists of the largest servers.
const MAX_BYTES: usize = 32 << 20;

/// The most entries of one page. A list that has a further page after more entries than this is an error.
/// 100,000: entries of the usual size reach [`MAX_BYTES`] earlier.
const MAX_ENTRIES: usize = 100_000;

/// The pages of a list, requested one by one: see [`Client::pages`].
#[derive(Debug)]
pub struct Pages<'c> {
    client: &'c Client,
    list: List,
    /// The parameters of the next request; `None` after the last page.
    params: Option<String>,
    /// The number of pages that have arrived.
    seen: usize,
}

/// One page of a list of the server, such as its tools.
#[derive(Clone, Debug)]
pub struct Page {
    /// The entries of the page as the server sent them.
    pub entries: Vec<RawJson>,
}

impl Page {
    /// Decodes the entries, as [`plainwire_proto::model::Tool`] and the like.
    ///
    /// # Errors
    /// [`Error::Decode`] if an entry is not a `T`.
    pub fn read<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        self.entries.iter().map(|it| decode(it)).collect()
    }
}

impl Client {
    /// Returns the pages of `list`, beginning with the first.
    ///
    /// ```
    /// # use plainwire::prelude::*;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> plainwire::Result<()> {
    /// use plainwire::proto::cursor::List;
    ///
    /// # let hello = || Tool::new("hello", || async { "Hello!" });
    /// # let client = plainwire::testing::client(Server::new("demo").tool(hello())).await?;
    /// let mut pages = client.pages(List::Tools);
    /// let mut tools = 0;
    /// while let Some(page) = pages.next_page().await? {
    ///     tools += page.entries.len();
    /// }
    /// assert_eq!(tools, 1);
    /// # Ok(()) }
    /// ```
    pub fn pages(&self, list: List) -> Pages<'_> {
        Pages { client: self, list, params: Some("{}".to_owned()), seen: 0 }
    }

    /// Returns the entries of all pages. Starts once more with the first page if the server has forgotten a
    /// cursor.
    pub(super) async fn list<T: DeserializeOwned>(&self, list: List) -> Result<Vec<T>> {
        match self.all_pages(list, MAX_BYTES).await {
            Err((pages, Error::Rpc(error))) if pages > 0 && *error.kind() == ErrorKind::InvalidParams => {
                self.all_pages(list, MAX_BYTES).await.map_err(|(_, error)| error)
            }
            ended => ended.map_err(|(_, error)| error),
        }
    }

    /// Requests each page once, and returns the entries of all. An error comes with the number of pages that
    /// arrived before it, or with 0 if it would not help to start again with the first page.
    async fn all_pages<T: DeserializeOwned>(
        &self,
        list: List,
        max_bytes: usize,
    ) -> Result<Vec<T>, (usize, Error)> {
        let mut pages = self.pages(list);
        let mut all = Vec::new();
        let mut bytes = 0_usize;
        loop {
            if bytes > max_bytes && pages.params.is_some() {
                let method = list.method();
                let message = format!("expected all pages of `{method}` to have at most {max_bytes} bytes");
                return Err((0, Error::Decode { message }));
            }
            if all.len() > MAX_ENTRIES && pages.params.is_some() {
                let method = list.method();
                let message =
                    format!("expected all pages of `{method}` to have at most {MAX_ENTRIES} entries");
                return Err((0, Error::Decode { message }));
            }
            let page = pages.next_page().await.map_err(|error| (pages.seen, error))?;
            let Some(page) = page else { return Ok(all) };
            // A cursor counts too: without entries, a thousand long ones would be fetched.
            bytes += pages.params.as_ref().map_or(0, |params| params.len());
            bytes += page.entries.iter().map(|entry| entry.get().len()).sum::<usize>();
            all.extend(page.read().map_err(|error| (0, error))?);
        }
    }
}

impl Pages<'_> {
    /// Returns the next page, or `None` after the last one. After an error the next call requests the failed
    /// page again.
    ///
    /// Cancel safe: if the future is dropped, the next call requests the page again.
    ///
    /// # Errors
    /// Like [`Client::request`]; also [`Error::Decode`] for an invalid page, for one of more than 100,000 entries, and
    /// after 1,000 pages. If the server has forgotten its cursor ([`ErrorKind::InvalidParams`]), start again with the first page.
    pub async fn next_page(&mut self) -> Result<Option<Page>> {
        #[derive(Deserialize)]
        struct Sent {
            #[serde(alias = "prompts", alias = "resources", alias = "resourceTemplates", alias = "tools")]
            entries: Entries,
            #[serde(rename = "nextCursor")]
            next_cursor: Option<String>,
        }
        let Some(params) = &self.params else { return Ok(None) };
        let method = self.list.method();
        if self.seen == MAX_PAGES {
            let message = format!("expected `{method}` to end within {MAX_PAGES} pages");
            return Err(Error::Decode { message });
        }
        let answer = self.client.fetch(method, params).await;
        if self.seen > 0
            && matches!(&answer, Err(Error::Rpc(error)) if *error.kind() == ErrorKind::InvalidParams)
        {
            // Spec: an invalid cursor makes all cached pages of the list invalid.
            self.client.shared.cache.as_ref().inspect(|cache| cache.forget_list(self.list));
        }
        // The list has a name of its own in each method, which the error of `decode` does not know.
        let sent: Sent = serde_json::from_str(answer?.get()).map_err(|error| {
            let why = error.to_string().replace("`entries`", &format!("`{}`", self.list.member()));
            Error::Decode {
                message: format!("the result of `{method}` is of another type than expected: {why}"),
            }
        })?;
        let Entries::All(entries) = sent.entries else {
            let message = format!(
                "expected a page of `{method}` to have at most {MAX_ENTRIES} entries, but found more"
            );
            return Err(Error::Decode { message });
        };
        self.seen += 1;
        // Spec: an empty cursor is valid; only a missing one marks the last page.
        self.params =
            sent.next_cursor.map(|cursor| format!(r#"{{"cursor":{}}}"#, serde_json::Value::from(cursor)));
        Ok(Some(Page { entries }))
    }
}

/// The entries of a page as the server sent them.
enum Entries {
    All(Vec<RawJson>),
    TooMany,
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = list.next_element()? {
                    if entries.len() == MAX_ENTRIES {
                        while list.next_element::<IgnoredAny>()?.is_some() {}
                        return Ok(Entries::TooMany);
                    }
                    entries.push(entry);
                }
                Ok(Entries::All(entries))
            }
        }
        deserializer.deserialize_seq(List)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::Server;
    use crate::server::entry::Tool;

    #[tokio::test]
    async fn no_further_page_is_asked_for_behind_so_many_bytes() {
        let server = ["a", "b", "c"]
            .into_iter()
            .fold(Server::new("s").page_size(2), |server, name| server.tool(Tool::new(name, || async { 1 })));
        let client = crate::testing::client(server).await.expect("a server");
        let all = async |max_bytes| client.all_pages::<RawJson>(List::Tools, max_bytes).await;
        let bytes: usize = all(MAX_BYTES).await.expect("tools").iter().map(|it| it.get().len()).sum();
        assert_eq!(all(bytes - 1).await.expect("the last page is there already").len(), 3);
        let (_, error) = all(1).await.expect_err("a page too many");
        assert_eq!(error.to_string(), "expected all pages of `tools/list` to have at most 1 bytes");
    }
}
