//! Reading pages of the web that a user names.
//!
//! In: an address. Out: a [`Page`] with readable text, or a sentence that says why there is none. Requests go only where the
//! guard allows, and where the site's robots.txt does. Nothing is fetched that the user did not name, but for that file and
//! the addresses to which a site redirects.

use std::sync::Arc;
use std::time::Duration;

use plainwire::prelude::*;
use tokio::time::timeout;
use url::Url;

mod decode;
mod fetch;
mod outline;
mod readable;
mod robots;
mod tree;

pub use fetch::Pages;

use crate::runtime::blocking;

/// The time for a page: with its redirects, the rules for robots, and the search for its text.
const PATIENCE: Duration = Duration::from_secs(20);

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
        let seconds = PATIENCE.as_secs();
        let late = || {
            ToolError::timeout(format!("the page was not there after {seconds} s")).hint("try it again later")
        };
        timeout(PATIENCE, self.readable(url)).await.map_err(|_| late())?
    }

    async fn readable(&self, url: Url) -> Result<Page, ToolError> {
        let failed =
            |error: &dyn std::error::Error| ToolError::failed("the page can't be read").logged(error);
        let body = self.fetch(url).await?;
        // Held until the work is done, also if nobody waits for it any more.
        let turn = Arc::clone(&self.readers).acquire_owned().await.map_err(|error| failed(&error))?;
        let read = blocking(move || {
            let page = readable::page(&body);
            drop(turn);
            page
        });
        read.await.map_err(|error| failed(&error))?
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use plainwire::client::http::address_guard::Permission;

    use super::*;

    #[tokio::test]
    async fn a_third_page_waits_for_its_turn() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/page", listener.local_addr().expect("an address"));
        // The rules of the site, and then the page.
        let site = std::thread::spawn(move || {
            for body in ["", "<title>T</title>text"] {
                let (mut stream, _) = listener.accept().expect("a request");
                let _ = stream.read(&mut [0; 4_096]);
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close";
                let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            }
        });
        let pages = Pages::new(Permission::Granted).expect("a reader");
        let turns: Vec<_> =
            (0..2).map(|_| Arc::clone(&pages.readers).try_acquire_owned().expect("a turn")).collect();
        assert!(pages.readers.try_acquire().is_err(), "two at once");
        let mut reading = std::pin::pin!(pages.read(&url));
        assert!(timeout(Duration::from_secs(1), &mut reading).await.is_err(), "it waits");
        drop(turns);
        assert_eq!(reading.await.expect("a page").text, "text");
        site.join().expect("the site has ended");
    }
}
