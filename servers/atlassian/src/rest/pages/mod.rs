//! The pages of a list, in each of the styles of Atlassian.
//!
//! In: a request for the first page, and a [`Style`]. Out: [`Page`]s, each with the token of the next. A
//! token holds only where to go on, so that whoever gets it can neither leave the endpoint nor change what
//! was asked for. A list that does not advance, or that lacks its items, is an error rather than the end.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::answer::Answer;
use super::request::Request;
use super::site::Site;
use super::upstream::{Kind, Upstream};

mod style;

pub use style::Style;

/// The pages of a list of `T`. Sends a request per page.
#[derive(Debug)]
pub struct Pages<T = Value> {
    site: Site,
    /// The request for the first page.
    request: Request,
    style: Style,
    at: At,
    /// The tokens so far: at most one per page.
    seen: HashSet<PageToken>,
    /// The number of pages that were read.
    read: usize,
    items: PhantomData<T>,
}

/// Where the reading of a list is.
#[derive(Clone, Debug)]
enum At {
    Start,
    Before(PageToken),
    End,
}

/// A page of a list.
#[derive(Clone, Debug)]
pub struct Page<T = Value> {
    /// The items.
    pub items: Vec<T>,
    /// The token of the next page; `None` if this is the last one.
    pub next: Option<PageToken>,
    /// The number of items of the whole list, if the site says it.
    pub total: Option<u64>,
    /// The rest of the answer, without the items; `null` for a bare array.
    pub extra: Value,
}

/// Where a list goes on. Opaque for callers; it fits only the request and the style that it came from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PageToken(String);

impl PageToken {
    /// Takes a token that came from [`Page::next`], perhaps through a model.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Self { items: Vec::new(), next: None, total: None, extra: Value::Null }
    }
}

impl<T: DeserializeOwned> Pages<T> {
    pub(super) fn new(site: Site, request: Request, style: Style) -> Self {
        Self { site, request, style, at: At::Start, seen: HashSet::new(), read: 0, items: PhantomData }
    }

    /// Begins after an earlier page, with its token.
    #[must_use]
    pub fn after(mut self, token: &PageToken) -> Self {
        self.seen.insert(token.clone());
        self.at = At::Before(token.clone());
        self
    }

    /// Reads the next page; `None` after the last one. If the future is dropped, the next call reads the same
    /// page.
    ///
    /// # Errors
    /// As [`Site::send`]. `Token` for a token of another list; `Unreadable` for an answer without the
    /// items, for an item of another shape, or for a token that comes again; `TooManyPages` for more pages than the settings allow; `Redirect`
    /// for a next page elsewhere.
    pub async fn next(&mut self) -> Result<Option<Page<T>>, Upstream> {
        let token = match &self.at {
            At::Start => None,
            At::Before(token) => Some(token),
            At::End => return Ok(None),
        };
        let most = self.site.shared.settings.max_pages.max(1);
        if self.read >= most {
            let why = format!("expected a list of at most {most} pages, but found more");
            return Err(self.site.link_error(Kind::TooManyPages, why));
        }
        let request = style::request(&self.site, &self.request, self.style, token)?;
        let answer = self.site.send(request).await?;
        let page = style::page(&self.site, &answer, &self.request, self.style, token)?;
        self.read += 1;
        self.advance(&answer, page.next.as_ref())?;
        Ok(Some(page))
    }

    fn advance(&mut self, answer: &Answer, next: Option<&PageToken>) -> Result<(), Upstream> {
        let Some(token) = next else {
            self.at = At::End;
            return Ok(());
        };
        if !self.seen.insert(token.clone()) {
            self.at = At::End;
            let why = "the list does not advance: the site named the same next page twice";
            return Err(answer.error(Kind::Unreadable).because(why));
        }
        self.at = At::Before(token.clone());
        Ok(())
    }

    /// Reads pages until there are `at_least` items or no more pages, and returns them as one page, with the
    /// token of the next. No page is cut, so that no item gets lost: ask for pages of the right size. Also
    /// ends, with a token, after as many pages as the settings allow.
    ///
    /// # Errors
    /// As [`Self::next`]. The items of earlier pages are then lost.
    pub async fn collect(mut self, at_least: usize) -> Result<Page<T>, Upstream> {
        let mut all = Page::default();
        let max_pages = self.site.shared.settings.max_pages.max(1);
        while let Some(page) = self.next().await? {
            all.items.extend(page.items);
            (all.next, all.total, all.extra) = (page.next, page.total, page.extra);
            if all.items.len() >= at_least || self.read >= max_pages {
                break;
            }
        }
        Ok(all)
    }
}

impl fmt::Display for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
