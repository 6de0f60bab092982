//! The bytes of a page: within limits, and only from where requests may go.
//!
//! In: an address. Out: the bytes, their media type and their encoding. Each redirect is checked as the first address is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use plainwire::client::http::address_guard::{AddressGuard, Blocked, Permission};
use plainwire::prelude::*;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};
use tokio::sync::Semaphore;
use tokio::time::Instant;
use url::Url;

use super::robots::{self, Rules};

/// The largest page, in bytes.
pub(crate) const MAX_PAGE: usize = 4 << 20;

/// The part of a robots.txt that counts. RFC 9309 asks for at least 500 KiB.
const MAX_ROBOTS: usize = 512 << 10;

/// The largest number of redirects. RFC 9309 asks for five.
const MAX_REDIRECTS: usize = 5;

/// The time for which the rules of a site are kept. RFC 9309 allows a day.
const RULES_LAST: Duration = Duration::from_secs(60 * 60);

/// The largest number of pages in which the text is looked for at once.
const MAX_READERS: usize = 2;

/// The largest number of sites whose rules are kept.
const MAX_SITES: usize = 256;

/// The name by which sites know this reader.
pub(super) const AGENT: &str = "plainwire-learning";

/// A reader of pages.
#[derive(Debug)]
pub struct Pages {
    client: Client,
    guard: Arc<AddressGuard>,
    /// The turns of those that look for the text of a page.
    pub(super) readers: Arc<Semaphore>,
    /// The rules of sites, each with the time of its end.
    rules: Mutex<HashMap<String, (Instant, Arc<Rules>)>>,
}

/// The bytes of a page.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) url: Url,
    pub(super) media_type: String,
    /// The encoding that the header names.
    pub(super) charset: Option<String>,
    pub(super) bytes: Vec<u8>,
}

impl Pages {
    /// Makes a reader. With the permission, it also reads pages on this machine and in private networks.
    ///
    /// # Errors
    /// A system without certificates.
    pub fn new(private: Permission) -> Result<Self, String> {
        let guard = Arc::new(AddressGuard::for_pages(private));
        // A process may have a provider already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .dns_resolver(Arc::clone(&guard).resolver())
            .redirect(Policy::none())
            .referer(false)
            .user_agent(format!("{AGENT}/{}", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| format!("there is no HTTP client: {error}"))?;
        let readers = Arc::new(Semaphore::new(MAX_READERS));
        Ok(Self { client, guard, readers, rules: Mutex::default() })
    }

    /// Returns the bytes of a page.
    pub(super) async fn fetch(&self, mut url: Url) -> Result<Body, ToolError> {
        for _ in 0..=MAX_REDIRECTS {
            self.check(&url)?;
            if !self.rules(&url).await?.allow(&url) {
                return Err(ToolError::new(
                    "forbidden",
                    format!("the robots.txt of {} forbids programs to read this page", shown(&url)),
                ));
            }
            let response = self.get(&url).await?;
            if !is_redirect(response.status()) {
                return body(url, response).await;
            }
            url = next(&url, &response)?;
        }
        let message = format!("expected at most {MAX_REDIRECTS} redirects, but found more");
        Err(ToolError::new("upstream", message))
    }

    fn check(&self, url: &Url) -> Result<(), ToolError> {
        self.guard.check(url).map_err(|error: Blocked| {
            ToolError::invalid_input(error.to_string()).hint("only pages of the public web are read")
        })
    }

    async fn get(&self, url: &Url) -> Result<Response, ToolError> {
        let accepted = "text/html, application/xhtml+xml, text/plain, text/markdown;q=0.9, */*;q=0.1";
        let request =
            self.client.get(url.clone()).header(ACCEPT, accepted).header(ACCEPT_ENCODING, "identity");
        request.send().await.map_err(|error| unreachable(url, &error))
    }

    /// Returns the rules of the site of a page.
    async fn rules(&self, url: &Url) -> Result<Arc<Rules>, ToolError> {
        let site = url.origin().ascii_serialization();
        let kept = self.rules.lock().unwrap_or_else(PoisonError::into_inner).get(&site).cloned();
        if let Some((ends, rules)) = kept
            && Instant::now() < ends
        {
            return Ok(rules);
        }
        let rules = Arc::new(self.read_rules(url).await?);
        let mut all = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MAX_SITES {
            all.clear();
        }
        all.insert(site, (Instant::now() + RULES_LAST, Arc::clone(&rules)));
        Ok(rules)
    }

    async fn read_rules(&self, page: &Url) -> Result<Rules, ToolError> {
        let mut url = page.clone();
        url.set_path("/robots.txt");
        url.set_query(None);
        url.set_fragment(None);
        for _ in 0..=MAX_REDIRECTS {
            self.check(&url)?;
            let response = self.get(&url).await?;
            let status = response.status();
            if is_redirect(status) {
                url = next(&url, &response)?;
            } else if status.is_success() {
                let bytes = read(response, MAX_ROBOTS, |_| Ok(())).await.map_err(|it| it.tell(&url))?;
                return Ok(robots::parse(&String::from_utf8_lossy(&bytes), AGENT));
            } else if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
                // RFC 9309, 2.3.1.4: nothing may be read.
                let message =
                    format!("{} can't say which pages programs may read: status {status}", shown(&url));
                return Err(ToolError::new("upstream", message).retryable());
            } else {
                return Ok(Rules::default());
            }
        }
        Ok(Rules::default())
    }
}

/// Returns whether a status sends to another address. Not each one that begins with 3 does.
fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

fn next(url: &Url, response: &Response) -> Result<Url, ToolError> {
    let to = response.headers().get(LOCATION).and_then(|it| it.to_str().ok());
    to.and_then(|it| url.join(it).ok()).ok_or_else(|| {
        let message = format!("expected an address with the redirect of {}, but found none", shown(url));
        ToolError::new("upstream", message)
    })
}

async fn body(url: Url, response: Response) -> Result<Body, ToolError> {
    let status = response.status();
    if !status.is_success() {
        let error = match status {
            StatusCode::NOT_FOUND | StatusCode::GONE => {
                ToolError::not_found(format!("{} has no such page: status {status}", shown(&url)))
            }
            _ => ToolError::new("upstream", format!("{} answered with status {status}", shown(&url))),
        };
        let passes = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
        return Err(if passes { error.retryable() } else { error });
    }
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or("");
    let (media_type, parameters) = content_type.split_once(';').unwrap_or((content_type, ""));
    let media_type = media_type.trim().to_ascii_lowercase();
    let charset = parameters.split(';').find_map(|it| {
        let (name, value) = it.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"').to_owned())
    });
    is_text(&url, &media_type)?;
    let coding =
        response.headers().get(CONTENT_ENCODING).and_then(|it| it.to_str().ok()).unwrap_or("identity");
    if !coding.eq_ignore_ascii_case("identity") {
        let found: String = coding.chars().take(40).collect();
        return Err(ToolError::new(
            "unsupported",
            format!("expected a page that is not compressed, but found {found:?}"),
        ));
    }
    let large = |length: Option<u64>| {
        let found = length.map_or("more".to_owned(), |it| format!("{it} bytes"));
        ToolError::invalid_input(format!(
            "expected a page of at most {} MiB, but found {found}",
            MAX_PAGE >> 20
        ))
    };
    if response.content_length().is_some_and(|it| it > MAX_PAGE as u64) {
        return Err(large(response.content_length()));
    }
    let first = |bytes: &[u8]| if bytes.starts_with(b"%PDF-") { Err(pdf(&url)) } else { Ok(()) };
    let bytes = match read(response, MAX_PAGE, first).await {
        Ok(bytes) if bytes.len() > MAX_PAGE => return Err(large(None)),
        Ok(bytes) => bytes,
        Err(failed) => return Err(failed.tell(&url)),
    };
    Ok(Body { url, media_type, charset, bytes })
}

/// Refuses what is no text by its own account.
fn is_text(url: &Url, media_type: &str) -> Result<(), ToolError> {
    match media_type {
        "application/pdf" => Err(pdf(url)),
        "" | "application/xhtml+xml" | "application/xml" | "application/json" => Ok(()),
        it if it.starts_with("text/") => Ok(()),
        it => {
            let found: String = it.chars().take(80).collect();
            Err(ToolError::new("unsupported", format!("expected a page of text, but found {found:?}")))
        }
    }
}

fn pdf(url: &Url) -> ToolError {
    ToolError::new("unsupported", format!("expected a page of text, but {} has a PDF there", shown(url)))
        .hint("save the PDF and read it with a program for PDFs; its address can still be added with add_resource")
}

/// Why a body ended early.
enum Failed {
    Network(reqwest::Error),
    Refused(ToolError),
}

impl Failed {
    fn tell(self, url: &Url) -> ToolError {
        match self {
            Self::Network(error) => unreachable(url, &error),
            Self::Refused(error) => error,
        }
    }
}

/// Reads a body: at most one byte more than `most`, by which the caller knows that there is more. `first` sees its beginning.
async fn read(
    mut response: Response,
    most: usize,
    first: impl Fn(&[u8]) -> Result<(), ToolError>,
) -> Result<Vec<u8>, Failed> {
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(Failed::Network)? {
        if bytes.is_empty() {
            first(&piece).map_err(Failed::Refused)?;
        }
        bytes.extend_from_slice(&piece[..piece.len().min(most + 1 - bytes.len())]);
        if bytes.len() > most {
            break;
        }
    }
    Ok(bytes)
}

fn unreachable(url: &Url, error: &reqwest::Error) -> ToolError {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    if cause.is::<Blocked>() {
        return ToolError::invalid_input(format!("{}: {cause}", shown(url)))
            .hint("only pages of the public web are read");
    }
    ToolError::new("network", format!("{} can't be reached: {cause}", shown(url))).retryable()
}

/// Returns the site of an address, for messages. The rest of it may hold a secret.
fn shown(url: &Url) -> String {
    url.origin().ascii_serialization().chars().take(100).collect()
}
