//! Lists page by page.
//!
//! In: a client and a list. Out: its pages in order, the next one asked for when it is wanted. A page that the server
//! still counts as fresh is not asked for again.

use plainwire_proto::cursor::List;
use plainwire_proto::error::ErrorKind;
use plainwire_proto::model::RawJson;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Client, decode};
use crate::error::{Error, Result};

/// Pages of one list that are asked for; a server that always has another one is stopped here.
const MAX_PAGES: usize = 1_000;

/// Bytes of all pages of one list, behind which no further page is asked for. 64 MiB: what we would send as one result.
const MAX_BYTES: usize = 64 << 20;

/// The pages of a list, as they are asked for: [`Client::pages`].
#[derive(Debug)]
pub struct Pages<'c> {
    client: &'c Client,
    list: List,
    /// The parameters of the next request; `None` behind the last page.
    params: Option<String>,
    /// How many pages came.
    seen: usize,
}

/// One page of a list.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its entries as they were sent.
    pub entries: Vec<RawJson>,
}

impl Page {
    /// Returns the entries as what they are: [`plainwire_proto::model::Tool`] and the like.
    ///
    /// # Errors
    /// [`Error::Decode`] for an entry that is no `T`.
    pub fn read<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        self.entries.iter().map(decode).collect()
    }
}

impl Client {
    /// Begins with the first page of `list`.
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

    /// All pages. One more time from the first one, if the server no longer knows its own cursor.
    pub(super) async fn list<T: DeserializeOwned>(&self, list: List) -> Result<Vec<T>> {
        match self.all_pages(list, MAX_BYTES).await {
            Err((pages, Error::Rpc(error))) if pages > 0 && *error.kind() == ErrorKind::InvalidParams => {
                self.all_pages(list, MAX_BYTES).await.map_err(|(_, error)| error)
            }
            ended => ended.map_err(|(_, error)| error),
        }
    }

    /// An error comes with the number of pages before it.
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
            let page = pages.next_page().await.map_err(|error| (pages.seen, error))?;
            let Some(page) = page else { return Ok(all) };
            bytes += page.entries.iter().map(|entry| entry.get().len()).sum::<usize>();
            all.extend(page.read().map_err(|error| (0, error))?);
        }
    }
}

impl Pages<'_> {
    /// Returns the next page, or `None` behind the last one. After an error the same page is asked for again.
    ///
    /// Cancel safe: a page that nobody waits for is asked for again.
    ///
    /// # Errors
    /// As [`Client::request`]; [`Error::Decode`] for a page that is none, and for one too many. A server that no longer
    /// knows its cursor ([`ErrorKind::InvalidParams`]) wants to be asked from the first page on.
    pub async fn next_page(&mut self) -> Result<Option<Page>> {
        #[derive(Deserialize)]
        struct Sent {
            #[serde(alias = "prompts", alias = "resources", alias = "resourceTemplates", alias = "tools")]
            entries: Vec<RawJson>,
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
            // Spec: a cursor that is no longer valid takes all pages with it.
            self.client.cache.as_ref().inspect(|cache| cache.forget_list(self.list));
        }
        let sent: Sent = decode(&answer?)?;
        self.seen += 1;
        // Spec: an empty cursor is a cursor; only a missing one is the end.
        self.params =
            sent.next_cursor.map(|cursor| format!(r#"{{"cursor":{}}}"#, serde_json::Value::from(cursor)));
        Ok(Some(Page { entries: sent.entries }))
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
