//! The readable text of a page.
//!
//! In: the bytes of a page. Out: a [`Page`]. Readability (`dom_smoothie`) finds what is worth reading; a page that it can't read,
//! such as a short one, gives all of its visible text.

use dom_smoothie::{Config, Readability, TextMode};
use plainwire::prelude::*;
use url::Url;

use super::Page;
use super::decode::{decode, is_binary};
use super::fetch::Body;
use super::outline::{Outline, outline};
use super::tree::tree;
use crate::line::{MAX_LINE, one_line};

/// The largest number of links to pages below a page.
const MAX_BELOW: usize = 20;

pub(super) fn page(body: &Body) -> Result<Page, ToolError> {
    if is_binary(&body.bytes, body.charset.as_deref()) {
        return Err(ToolError::new(
            "unsupported",
            format!("expected a page of text, but found other bytes (said to be {:?})", body.media_type),
        ));
    }
    let text = decode(&body.bytes, body.charset.as_deref());
    let looks_like_html = || {
        let start: String = text.trim_start().chars().take(200).collect::<String>().to_ascii_lowercase();
        start.starts_with("<!doctype html") || start.starts_with("<html")
    };
    let page = match &*body.media_type {
        "text/html" | "application/xhtml+xml" => of_html(&text, &body.url),
        "" | "text/plain" | "application/xml" | "text/xml" if looks_like_html() => of_html(&text, &body.url),
        _ => of_text(text, &body.url),
    };
    Ok(Page { media_type: body.media_type.clone(), ..page })
}

fn of_text(text: String, url: &Url) -> Page {
    let first = text.lines().map(|it| it.trim_start_matches('#')).find(|it| !it.trim().is_empty());
    Page {
        title: line(first.unwrap_or(url.as_str())).unwrap_or_else(|| url.to_string()),
        url: url.to_string(),
        description: None,
        author: None,
        site: None,
        language: None,
        published: None,
        text,
        media_type: String::new(),
        below: Vec::new(),
    }
}

fn of_html(html: &str, url: &Url) -> Page {
    let outline = outline(html);
    let below = below(&outline, url);

    let config = Config { text_mode: TextMode::Markdown, ..Config::default() };
    let article = tree(html)
        .and_then(|it| Readability::with_document(it, Some(url.as_str()), Some(config)).ok())
        .and_then(|mut it| it.parse().ok());
    let own = |it: &Option<String>| it.as_deref().and_then(line);
    let title = article.as_ref().and_then(|it| line(&it.title)).or_else(|| line(&outline.title));
    Page {
        url: url.to_string(),
        title: title.unwrap_or_else(|| url.to_string()),
        description: line(&outline.description).or_else(|| article.as_ref().and_then(|it| own(&it.excerpt))),
        author: article.as_ref().and_then(|it| own(&it.byline)),
        site: article.as_ref().and_then(|it| own(&it.site_name)),
        language: article.as_ref().and_then(|it| own(&it.lang)).or_else(|| line(&outline.language)),
        published: article.as_ref().and_then(|it| own(&it.published_time)),
        text: article.map_or(outline.text, |it| it.text_content.to_string()).trim().to_owned(),
        media_type: String::new(),
        below,
    }
}

fn line(text: &str) -> Option<String> {
    one_line(text, MAX_LINE)
}

/// Returns the links to pages of the same site whose path begins as that of the page does.
fn below(outline: &Outline, url: &Url) -> Vec<(String, String)> {
    let folder = &url.path()[..=url.path().rfind('/').unwrap_or(0)];
    let mut found: Vec<(String, String)> = Vec::new();
    for (href, text) in &outline.links {
        let Ok(mut link) = url.join(href) else { continue };
        link.set_fragment(None);
        let is_below = link.origin() == url.origin()
            && link.path().starts_with(folder)
            && link.path().trim_end_matches('/') != url.path().trim_end_matches('/');
        if is_below && found.len() < MAX_BELOW && found.iter().all(|(known, _)| known != link.as_str()) {
            found.push((link.to_string(), line(text).unwrap_or_else(|| link.path().to_owned())));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tree::MAX_NODES;
    use super::*;

    fn read(media_type: &str, bytes: &[u8]) -> Result<Page, ToolError> {
        let url = Url::parse("https://example.com/book/index.html").expect("an address");
        let (media_type, charset) = (media_type.to_owned(), None);
        page(&Body { url, media_type, charset, bytes: bytes.to_vec() })
    }

    #[test]
    fn the_text_of_a_page_has_no_menus() {
        let paragraph =
            "Locks protect data that several threads change, and a reader should know why. ".repeat(12);
        let html = format!(
            "<!doctype html><html lang=en><head><title>Locks | A site</title>
            <meta name=description content='On locks.'><meta name=author content='Ada'></head><body>
            <nav><a href=/>Home</a> <a href=/shop>Buy now</a></nav>
            <article><h1>Locks</h1><p>{paragraph}</p><p>{paragraph}</p><a href='ch1.html#a'>Chapter 1</a>
            <a href='/book/ch1.html'>again</a><a href='https://other.example/x'>away</a></article>
            <script>alert('no')</script></body></html>"
        );
        let page = read("text/html", html.as_bytes()).expect("a page");
        assert!(page.title.starts_with("Locks"), "{}", page.title);
        assert_eq!(page.description.as_deref(), Some("On locks."));
        assert_eq!(page.language.as_deref(), Some("en"));
        assert_eq!(page.below, [("https://example.com/book/ch1.html".to_owned(), "Chapter 1".to_owned())]);
        assert!(page.text.contains("Locks protect data"));
        assert!(!page.text.contains("Buy now") && !page.text.contains("alert"), "{}", page.text);
    }

    #[test]
    fn a_page_that_is_hard_to_read_gives_its_visible_text() {
        let short = read(
            "text/html",
            b"<title>T</title><style>p{}</style><script>'<a href=x>p{}'</script><p>One &amp; two</p>",
        )
        .expect("a page");
        assert!(short.text.contains("One & two") && !short.text.contains("p{}"), "{}", short.text);
        let deep = format!("<title>Deep</title>{}words{}", "<div>".repeat(200_000), "</div>".repeat(200_000));
        assert_eq!(read("text/html", deep.as_bytes()).expect("a page").text, "words");
        let wide = "<b>x</b> ".repeat(MAX_NODES);
        assert!(read("text/html", wide.as_bytes()).expect("a page").text.starts_with("x x"));
    }

    #[test]
    fn what_a_type_says_is_checked() {
        let image = read("text/html", b"GIF89a\0\0\0").expect_err("no page");
        assert_eq!(image.code(), "unsupported");
        assert!(image.message().contains("other bytes (said to be \"text/html\")"), "{}", image.message());
        assert_eq!(read("text/plain", b"<!doctype html><title>T</title>x").expect("a page").title, "T");
        let plain = read("text/plain", b"# Notes\n\nText").expect("a page");
        assert_eq!((&*plain.title, &*plain.text), ("Notes", "# Notes\n\nText"));
    }
}
