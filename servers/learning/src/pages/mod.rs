//! Reading pages of the web that a user names.
//!
//! In: an address. Out: a [`Page`] with readable text, or a sentence that says why there is none. Requests go only where the
//! guard allows, and where the site's robots.txt does. Nothing is fetched that the user did not name, but for that file and
//! the addresses to which a site redirects.

use plainwire::prelude::*;
use url::Url;

mod decode;
mod fetch;
mod outline;
mod readable;
mod robots;

pub use fetch::Pages;

use crate::runtime::blocking;

/// A page with its readable text.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The address after all redirects.
    pub url: String,
    /// The title.
    pub title: String,
    /// What the page says about itself, or how its text begins.
    pub description: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// The name of the site.
    pub site: Option<String>,
    /// The language, as the page names it, such as `en`.
    pub language: Option<String>,
    /// The time of publication, as the page writes it.
    pub published: Option<String>,
    /// The text in Markdown, without menus and advertisements.
    pub text: String,
    /// The media type, such as `text/html`.
    pub media_type: String,
    /// The pages of the same site below this page to which it links, at most 20: address and text of the link.
    pub below: Vec<(String, String)>,
}

impl Pages {
    /// Reads a page.
    ///
    /// # Errors
    /// An address that is none or that requests may not go to; a page that can't be reached, is too large, is no text, or that
    /// robots may not read.
    pub async fn read(&self, address: &str) -> Result<Page, ToolError> {
        let url = Url::parse(address).map_err(|_| {
            let found: String = address.chars().take(80).collect();
            ToolError::invalid_input(format!(
                "expected an address such as https://example.com/page, but found {found:?}"
            ))
        })?;
        let body = self.fetch(url).await?;
        let failed =
            |error: tokio::task::JoinError| ToolError::failed("the page can't be read").logged(&error);
        blocking(move || readable::page(&body)).await.map_err(failed)?
    }
}
