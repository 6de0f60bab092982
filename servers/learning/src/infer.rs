//! The description of a resource, as far as its address and its title give it.
//!
//! In: an address and what is known. Out: a [`Resource`] in which the rest is inferred: its id, type, category, concepts, difficulty
//! and language. What is known is never replaced.

use url::Url;

use crate::line::{MAX_LINE, one_line};
use crate::ranking::Question;
use crate::resource::{Difficulty, Freshness, Language, Resource, Type};
use crate::words::{is_common, words};

/// The largest number of characters of a description.
const MAX_DESCRIPTION: usize = 1_000;

/// The largest number of bytes of an inferred id, so that a number fits behind it.
const MAX_ID: usize = 50;

/// The members of a resource that are known.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) id: Option<String>,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) author: Option<String>,
    pub(crate) kind: Option<Type>,
    pub(crate) categories: Vec<String>,
    pub(crate) concepts: Vec<String>,
    pub(crate) difficulty: Option<Difficulty>,
    pub(crate) freshness: Option<Freshness>,
    pub(crate) language: Option<Language>,
    pub(crate) official: Option<bool>,
    pub(crate) free: Option<bool>,
    /// Folders and tags.
    pub(crate) labels: Vec<String>,
}

/// Returns the resource at an address.
pub(crate) fn resource(url: &str, known: Known) -> Resource {
    let parsed = Url::parse(url.trim()).ok();
    let host = parsed.as_ref().and_then(Url::host_str).unwrap_or_default().to_owned();
    let title = one_line(&known.title, MAX_LINE).unwrap_or_else(|| named(parsed.as_ref(), url));
    let description = one_line(&known.description, MAX_DESCRIPTION)
        .unwrap_or_else(|| format!("{title}, at {}", if host.is_empty() { url } else { &host }));
    let mut tags: Vec<String> = Vec::new();
    for it in known.labels.iter().filter_map(|it| one_line(&it.to_lowercase(), MAX_LINE)) {
        if !tags.contains(&it) {
            tags.push(it);
        }
    }
    let named = Question::new(&format!("{title} {} {description}", tags.join(" ")));
    let owned = |all: &[&str], most: usize| all.iter().take(most).map(|it| (*it).to_owned()).collect();
    let categories: Vec<String> =
        if known.categories.is_empty() { owned(&named.categories, 3) } else { known.categories };
    let kind = known.kind.unwrap_or_else(|| kind(parsed.as_ref(), &host, &title));
    Resource {
        id: known.id.unwrap_or_else(|| id(&title, &host)),
        // As the parser writes it: without line breaks and the like.
        url: parsed.map_or_else(|| url.trim().to_owned(), String::from),
        description,
        kind,
        categories: if categories.is_empty() { vec!["general".to_owned()] } else { categories },
        concepts: if known.concepts.is_empty() { owned(&named.concepts, 4) } else { known.concepts },
        tags,
        author: known.author.and_then(|it| one_line(&it, MAX_LINE)),
        difficulty: known.difficulty.or(named.difficulty).unwrap_or(Difficulty::Intermediate),
        freshness: known.freshness.unwrap_or(match kind {
            Type::Paper | Type::Book => Freshness::Evergreen,
            _ => Freshness::Current,
        }),
        official: known.official.unwrap_or_else(|| is_official(&host, &title)),
        free: known.free.unwrap_or(true),
        language_applicability: known.language.unwrap_or_else(|| match named.languages[..] {
            [language] => language,
            _ => Language::Universal,
        }),
        source: None,
        added_at: None,
        title,
    }
}

/// Returns a title for an address without one.
fn named(parsed: Option<&Url>, url: &str) -> String {
    let Some(parsed) = parsed else { return url.chars().take(MAX_LINE).collect() };
    let last = parsed.path_segments().and_then(|mut it| it.rfind(|it| !it.is_empty())).unwrap_or_default();
    let host = parsed.host_str().unwrap_or_default();
    if last.is_empty() { host.to_owned() } else { format!("{host}: {last}").chars().take(MAX_LINE).collect() }
}

/// Returns an id of the telling words of a title.
fn id(title: &str, host: &str) -> String {
    let is_ascii = |it: &String| it.is_ascii();
    let telling =
        |text: &str| words(text).into_iter().filter(is_ascii).filter(|it| !is_common(it)).collect::<Vec<_>>();
    let mut all = telling(title);
    if all.is_empty() {
        all = telling(host);
    }
    let mut id = String::new();
    for word in all {
        if id.len() + word.len() >= MAX_ID {
            break;
        }
        if !id.is_empty() {
            id.push('-');
        }
        id.push_str(&word);
    }
    if id.is_empty() { "resource".to_owned() } else { id }
}

fn kind(url: Option<&Url>, host: &str, title: &str) -> Type {
    let path = url.map(|it| it.path().to_ascii_lowercase()).unwrap_or_default();
    let ends = |all: &[&str]| all.iter().any(|it| host == *it || host.ends_with(&format!(".{it}")));
    let has = |all: &[&str]| all.iter().any(|it| path.contains(it));
    let segments = path.split('/').filter(|it| !it.is_empty()).count();
    match () {
        () if ends(&["youtube.com", "youtu.be", "vimeo.com"]) => Type::Video,
        () if ends(&["arxiv.org", "dl.acm.org", "usenix.org"]) => Type::Paper,
        () if ends(&["rfc-editor.org", "datatracker.ietf.org", "w3.org", "whatwg.org"]) => {
            Type::Specification
        }
        () if ends(&["github.com", "gitlab.com", "codeberg.org"]) && segments == 2 => Type::Repository,
        () if ends(&["docs.rs", "readthedocs.io"])
            || host.starts_with("docs.")
            || has(&["/docs/", "/reference/", "/manual/"]) =>
        {
            Type::Documentation
        }
        () if ends(&["coursera.org", "udemy.com", "edx.org"]) || has(&["/course"]) => Type::Course,
        () if has(&["/tutorial", "/getting-started", "/learn/"]) => Type::Tutorial,
        () => Question::new(title).types.first().copied().unwrap_or(Type::Article),
    }
}

/// Sites that host the pages of others. Their names stand in all titles.
const HOSTS: [&str; 16] = [
    "amazon",
    "bitbucket",
    "blogspot",
    "codeberg",
    "dev",
    "github",
    "gitlab",
    "google",
    "hashnode",
    "medium",
    "reddit",
    "stackoverflow",
    "substack",
    "wikipedia",
    "wordpress",
    "youtube",
];

/// Returns whether the name of the site is that of the thing: `tokio.rs` for a page about Tokio.
fn is_official(host: &str, title: &str) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    let Some(name) = labels.len().checked_sub(2).and_then(|at| labels.get(at)) else { return false };
    !HOSTS.contains(name) && words(title).iter().any(|it| it.len() > 2 && it == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str, title: &str) -> Resource {
        resource(url, Known { title: title.to_owned(), ..Known::default() })
    }

    #[test]
    fn what_an_address_and_a_title_say_is_used() {
        let it = of("https://tokio.rs/tokio/tutorial", "Tutorial | Tokio - An asynchronous Rust runtime");
        assert_eq!(
            (&*it.id, it.kind, it.official),
            ("tutorial-tokio-asynchronous-rust-runtime", Type::Tutorial, true)
        );
        assert_eq!((it.language_applicability, &*it.categories), (Language::Rust, &["rust".to_owned()][..]));
        assert_eq!(it.concepts, ["async"]);
        assert_eq!(it.check(), Ok(()));
        assert_eq!(of("https://github.com/a/b", "b").kind, Type::Repository);
        assert_eq!(of("https://github.com/a/b/issues", "b").kind, Type::Article);
        assert_eq!(of("https://arxiv.org/abs/1", "On locks").kind, Type::Paper);
        assert!(!of("https://blog.example.com/tokio", "Tokio").official);
    }

    #[test]
    fn an_address_alone_is_enough() {
        for (url, id) in
            [("https://example.com/a%20b/", "example-com-20-b"), ("https://例え.jp/", "xn-r-8-jz-45-g-jp")]
        {
            let it = of(url, " \n ");
            assert_eq!((it.check(), &*it.id), (Ok(()), id), "{url}");
        }
        assert_eq!(of("https://example.com/", "日本").id, "example-com");
        assert!(of("javascript:alert(1)", "x").check().is_err());
        assert_eq!(of("https://example.com/", &"word ".repeat(1_000)).check(), Ok(()));
    }

    #[test]
    fn what_is_known_stays() {
        let known = Known {
            title: "Rust for beginners".to_owned(),
            categories: vec!["web".to_owned()],
            difficulty: Some(Difficulty::Expert),
            labels: vec!["Toolbar".to_owned(), "toolbar ".to_owned()],
            ..Known::default()
        };
        let it = resource("https://example.com/", known);
        assert_eq!((it.categories, it.difficulty), (vec!["web".to_owned()], Difficulty::Expert));
        assert_eq!(it.tags, ["toolbar"]);
    }
}
