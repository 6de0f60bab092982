//! The styles of pages: how each API is asked for a page, and how it says where the next one is.
//!
//! In: the request for the first page, a token, an answer. Out: the request for a page, and the page in it.
//! Links of a site are not followed where it can be helped: of a `_links.next`, only the parameters of paging
//! are taken. Bitbucket Cloud documents its `next` as opaque, so that one is followed, if it stays below the
//! base.

use std::collections::BTreeMap;

use plainwire::proto::json::visible;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use url::Url;

use super::super::answer::Answer;
use super::super::request::{Body, Method, Request};
use super::super::site::Site;
use super::super::upstream::{Kind, Upstream};
use super::{Page, PageToken};

/// The size of the pages of a bare array, if the request has none: the default of Jira.
const ARRAY_PAGE: u64 = 50;

/// The largest page of a bare array that Jira gives.
const MAX_ARRAY_PAGE: u64 = 1_000;

/// The parameters of a `_links.next` that say where a list goes on.
const LINK_PARAMETERS: [&str; 4] = ["cursor", "limit", "next", "start"];

/// The longest token, in bytes.
const MAX_TOKEN: usize = 4_096;

/// A style of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `startAt` and `maxResults`, with an array of items: Jira, on Cloud and in Data Center, and Jira
    /// Software.
    StartAt {
        /// The name of the items: `values`, `issues`, `comments`, `worklogs`, …
        items: &'static str,
    },
    /// `nextPageToken`, without a total: `search/jql` and `changelog/bulkfetch` of Jira Cloud. In the query
    /// of a `GET`, in the body of a `POST`.
    NextPageToken {
        /// The name of the items: `issues`, `issueChangeLogs`, …
        items: &'static str,
    },
    /// An array without anything around it, with `startAt` and `maxResults`: users of Jira. Cloud filters a
    /// page after it has read it, so that only an empty page is the last one.
    BareArray,
    /// `cursor` in `_links.next` or in the header `Link`, and `results`: Confluence Cloud, v2.
    Cursor,
    /// `start` and `limit`, `results`, and `_links.next`: Confluence Data Center, and v1 of Cloud.
    StartLimit,
    /// The address of the `next` page, and `values`: Bitbucket Cloud.
    NextUrl,
    /// `start`, `nextPageStart`, `isLastPage` and `values`: Bitbucket Data Center.
    NextPageStart,
    /// `start`, `limit`, `isLastPage` and `values`: Jira Service Management.
    ServiceDesk,
}

impl Style {
    /// Returns the name of the items; `None` for a bare array.
    fn items(self) -> Option<&'static str> {
        match self {
            Self::StartAt { items } | Self::NextPageToken { items } => Some(items),
            Self::BareArray => None,
            Self::Cursor | Self::StartLimit => Some("results"),
            Self::NextUrl | Self::NextPageStart | Self::ServiceDesk => Some("values"),
        }
    }

    /// Returns the parameter that holds the number of the first item; `None` if a page is not found by a
    /// number.
    fn number(self) -> Option<&'static str> {
        match self {
            Self::StartAt { .. } | Self::BareArray => Some("startAt"),
            Self::NextPageStart | Self::ServiceDesk => Some("start"),
            Self::NextPageToken { .. } | Self::Cursor | Self::StartLimit | Self::NextUrl => None,
        }
    }
}

/// Returns the request for the page of a token.
pub(super) fn request(
    site: &Site,
    first: &Request,
    style: Style,
    token: Option<&PageToken>,
) -> Result<Request, Upstream> {
    let mut request = first.clone();
    if style == Style::BareArray {
        request.set_query("maxResults", array_page(first).to_string());
    }
    let Some(token) = token else { return Ok(request) };
    let text = token.as_str();
    let unusable = || {
        let found = visible(text, 80);
        let why = format!("expected `page_token` to be one of an earlier answer, but found {found:?}");
        site.link_error(Kind::Token, why)
    };
    if text.is_empty() || text.len() > MAX_TOKEN {
        return Err(unusable());
    }
    match (style, style.number()) {
        (_, Some(name)) => {
            let number: u64 = text.parse().map_err(|_| unusable())?;
            set(&mut request, name, json!(number));
        }
        (Style::NextUrl, None) => {
            let link = site.link(text)?;
            request = Request { path: link.path, query: Vec::new(), ..request };
        }
        (Style::NextPageToken { .. }, None) => set(&mut request, "nextPageToken", json!(text)),
        (_, None) => {
            for (name, value) in url::form_urlencoded::parse(text.as_bytes()) {
                let known = LINK_PARAMETERS.iter().find(|it| **it == name).ok_or_else(unusable)?;
                request.set_query(known, value.into_owned());
            }
        }
    }
    Ok(request)
}

/// Sets a parameter: in the body of a `POST` with JSON, in the query of all others.
fn set(request: &mut Request, name: &str, value: Value) {
    if let (Method::Post, Body::Json(bytes)) = (request.method, &request.body)
        && let Ok(mut body) = serde_json::from_slice::<Map<String, Value>>(bytes)
    {
        body.insert(name.to_owned(), value);
        request.body = Body::Json(Value::Object(body).to_string().into());
        return;
    }
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    request.set_query(name, text);
}

/// Returns the size of the pages of a bare array.
fn array_page(request: &Request) -> u64 {
    let asked = request.query.iter().find(|it| it.0 == "maxResults").and_then(|it| it.1.parse().ok());
    asked.unwrap_or(ARRAY_PAGE).clamp(1, MAX_ARRAY_PAGE)
}

/// Reads the page in an answer.
pub(super) fn page<T: DeserializeOwned>(
    site: &Site,
    answer: &Answer,
    first: &Request,
    style: Style,
    token: Option<&PageToken>,
) -> Result<Page<T>, Upstream> {
    let (items, extra) = parts(answer, style)?;
    let Some(items) = items.filter(|it| it.get().starts_with('[')) else {
        let expected = style.items().map_or("an array".to_owned(), |it| format!("`{it}` with an array"));
        let why = format!("expected {expected}, but found none");
        return Err(answer.error(Kind::Unreadable).because(why));
    };
    let items: Vec<T> = read(answer, &items)?;
    let reader = Reader { site, answer, extra: &extra, count: items.len() as u64 };
    let asked = token.and_then(|it| it.as_str().parse().ok()).unwrap_or(0);
    let next = match style {
        Style::StartAt { .. } => reader.start_at(asked),
        Style::NextPageToken { .. } => reader.next_page_token(),
        Style::BareArray => reader.bare_array(asked, array_page(first)),
        Style::Cursor | Style::StartLimit => reader.next_link(),
        Style::NextUrl => reader.next_url()?,
        Style::NextPageStart => reader.next_page_start(),
        Style::ServiceDesk => reader.service_desk(asked),
    };
    let total = match style {
        Style::StartAt { .. } => reader.number("total"),
        Style::StartLimit => reader.number("totalSize"),
        Style::NextUrl => reader.number("size"),
        _ => None,
    };
    Ok(Page { items, next: next.map(PageToken), total, extra })
}

/// Returns the items of an answer, unread, and the rest of it: items may be many and large, and are read once, as what they are.
fn parts(answer: &Answer, style: Style) -> Result<(Option<Box<RawValue>>, Value), Upstream> {
    let Some(name) = style.items() else { return Ok((Some(answer.json()?), Value::Null)) };
    let mut members: BTreeMap<String, Box<RawValue>> = answer.json()?;
    let items = members.remove(name);
    let extra: Result<Map<String, Value>, _> =
        members.into_iter().map(|(name, raw)| Ok((name, read(answer, &raw)?))).collect();
    Ok((items, Value::Object(extra?)))
}

fn read<T: DeserializeOwned>(answer: &Answer, raw: &RawValue) -> Result<T, Upstream> {
    let unreadable =
        |error: serde_json::Error| answer.error(Kind::Unreadable).because(visible(&error.to_string(), 200));
    serde_json::from_str(raw.get()).map_err(unreadable)
}

/// An answer without its items.
struct Reader<'a> {
    site: &'a Site,
    answer: &'a Answer,
    extra: &'a Value,
    /// The number of the items.
    count: u64,
}

impl Reader<'_> {
    fn number(&self, name: &str) -> Option<u64> {
        self.extra.get(name)?.as_u64()
    }

    fn is(&self, name: &str) -> Option<bool> {
        self.extra.get(name)?.as_bool()
    }

    fn text(&self, value: Option<&Value>) -> Option<String> {
        value?.as_str().filter(|it| !it.is_empty()).map(str::to_owned)
    }

    /// The site may give fewer items than asked for, so that their number counts.
    fn start_at(&self, asked: u64) -> Option<String> {
        let end = self.number("startAt").unwrap_or(asked).saturating_add(self.count);
        let is_last = match (self.is("isLast"), self.number("total"), self.number("maxResults")) {
            (Some(is_last), _, _) => is_last,
            (None, Some(total), _) => end >= total,
            (None, None, size) => size.is_some_and(|it| self.count < it),
        };
        (!is_last && self.count > 0).then(|| end.to_string())
    }

    /// A short page is not the last one; the one without a token is.
    fn next_page_token(&self) -> Option<String> {
        let token = self.text(self.extra.get("nextPageToken"));
        token.filter(|_| self.is("isLast") != Some(true))
    }

    fn bare_array(&self, asked: u64, size: u64) -> Option<String> {
        let is_last = self.count == 0 || (!self.site.is_cloud() && self.count < size);
        // Data Center may give smaller pages than asked for. Cloud counts the users that it filtered out,
        // too.
        let step = if self.site.is_cloud() { size } else { self.count };
        (!is_last).then(|| asked.saturating_add(step).to_string())
    }

    fn next_link(&self) -> Option<String> {
        let links = self.extra.get("_links");
        let next = self.text(links.and_then(|it| it.get("next"))).or_else(|| self.link_header())?;
        let url = self.site.base().join(&next).ok()?;
        let mut token = url::form_urlencoded::Serializer::new(String::new());
        token.extend_pairs(url.query_pairs().filter(|(name, _)| LINK_PARAMETERS.contains(&&**name)));
        Some(token.finish()).filter(|it| !it.is_empty())
    }

    /// Returns the target of `Link: <…>; rel="next"`.
    fn link_header(&self) -> Option<String> {
        let header = self.answer.header("link")?;
        let next = header.split(',').find(|it| it.contains("rel=\"next\"") || it.contains("rel=next"))?;
        let (_, rest) = next.split_once('<')?;
        rest.split_once('>').map(|it| it.0.to_owned())
    }

    /// The token has no host: whoever holds it, it can only lead below the base.
    fn next_url(&self) -> Result<Option<String>, Upstream> {
        let Some(next) = self.text(self.extra.get("next")) else { return Ok(None) };
        let checked = self.site.link(&next).and_then(|it| self.site.prepared_url(it));
        let from_root = |url: Url| url[url::Position::BeforePath..].to_owned();
        checked.map(|it| Some(from_root(it)))
    }

    /// The start of the next page is not the sum of the start and the limit: the site skips what the user may
    /// not see.
    fn next_page_start(&self) -> Option<String> {
        let next = self.number("nextPageStart").filter(|_| self.is("isLastPage") != Some(true));
        next.map(|it| it.to_string())
    }

    fn service_desk(&self, asked: u64) -> Option<String> {
        let end = self.number("start").unwrap_or(asked).saturating_add(self.count);
        let is_last = self.is("isLastPage").unwrap_or(false);
        (!is_last && self.count > 0).then(|| end.to_string())
    }
}
