//! A learning resource, and the vocabulary that describes one.
//!
//! In: the members of a record. Out: a [`Resource`] whose words are all known, or the sentence that says which is not.

use plainwire::prelude::*;

use crate::line::{MAX_LINE, is_unseen};

/// A page, a book, a course or another thing from which to learn.
#[data]
#[derive(Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// 1 to 60 of `a-z`, `0-9` and `-`. Unique in a vault.
    pub id: String,
    /// The title, on one line.
    pub title: String,
    /// An address with `http` or `https`.
    pub url: String,
    /// One or two sentences on what a reader learns there.
    pub description: String,
    /// The kind of resource.
    #[serde(rename = "type")]
    pub kind: Type,
    /// 1 to 3 of [`CATEGORIES`].
    pub categories: Vec<String>,
    /// Up to 4 of the concepts in [`DOMAINS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub concepts: Vec<String>,
    /// Further words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Who made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// What a reader should know before.
    pub difficulty: Difficulty,
    /// How well it ages.
    pub freshness: Freshness,
    /// Whether it is by the makers of what it is about.
    pub official: bool,
    /// Whether reading it costs nothing.
    pub free: bool,
    /// The programming language that it is for.
    pub language_applicability: Language,
    /// The page on which a resource of the program was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<FoundIn>,
    /// The time at which a user added it: ISO 8601, in UTC. Resources of the program have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_at: Option<String>,
}

/// The page on which a resource was found.
#[data]
#[derive(Clone, Debug, PartialEq)]
pub struct FoundIn {
    /// The title of the page.
    pub name: String,
    /// Its address.
    pub url: String,
}

/// Makes an enum of the words of a vocabulary, in their order.
macro_rules! words {
    ($(#[$about:meta])* $name:ident: $($(#[$says:meta])* $variant:ident = $word:literal),+ $(,)?) => {
        $(#[$about])*
        #[data]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$says])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            /// All values, in their order.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the word for the value, as it stands in data.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}

words! {
    /// The kind of a resource.
    Type:
        /// Pages by the makers or the community that say how a thing is used.
        Documentation = "documentation",
        /// A text that says how a thing has to be.
        Specification = "specification",
        /// Steps to follow.
        Tutorial = "tutorial",
        /// A book, on paper or as pages.
        Book = "book",
        /// A single text.
        Article = "article",
        /// A scientific text.
        Paper = "paper",
        /// Lessons with exercises.
        Course = "course",
        /// A film.
        Video = "video",
        /// A repository of code.
        Repository = "repository",
        /// A program.
        Tool = "tool",
}

words! {
    /// What a reader should know before, from little to much.
    Difficulty:
        /// Nothing.
        Beginner = "beginner",
        /// The basics.
        Intermediate = "intermediate",
        /// Years of practice.
        Advanced = "advanced",
        /// The field.
        Expert = "expert",
}

words! {
    /// How well a resource ages.
    Freshness:
        /// It is kept up to date.
        Current = "current",
        /// What it says does not age.
        Evergreen = "evergreen",
        /// Parts of it are out of date.
        Aging = "aging",
        /// It tells how things were.
        Historical = "historical",
}

words! {
    /// The programming language that a resource is for.
    Language:
        /// All of them, or none.
        Universal = "universal",
        /// Rust.
        Rust = "rust",
        /// Java.
        Java = "java",
        /// JavaScript or TypeScript.
        Javascript = "javascript",
        /// Python.
        Python = "python",
        /// Go.
        Go = "go",
}

/// The categories.
pub const CATEGORIES: [&str; 15] = [
    "ai",
    "architecture",
    "databases",
    "devops",
    "distributed-systems",
    "general",
    "java",
    "mcp",
    "networking",
    "observability",
    "protocols",
    "rust",
    "security",
    "testing",
    "web",
];

/// The domains, each with its concepts.
pub const DOMAINS: [(&str, &[&str]); 8] = [
    ("ai", &["agents", "prompting"]),
    ("concurrency", &["actors", "locks", "memory-model", "threads"]),
    ("data", &["indexing", "search", "sql", "transactions"]),
    ("distributed", &["consensus", "consistency", "fault-tolerance", "messaging", "replication"]),
    ("engineering", &["observability", "performance", "testing"]),
    ("languages", &["async", "error-handling", "macros", "ownership", "type-systems"]),
    ("protocols", &["http", "json-rpc", "mcp", "serialization", "streaming"]),
    ("security", &["authentication", "authorization", "cryptography", "supply-chain", "web-security"]),
];

/// Returns all concepts, sorted within their domains.
pub fn concepts() -> impl Iterator<Item = &'static str> {
    DOMAINS.iter().flat_map(|(_, concepts)| *concepts).copied()
}

/// Returns the domain of a concept.
pub fn domain(concept: &str) -> Option<&'static str> {
    DOMAINS.iter().find(|(_, concepts)| concepts.contains(&concept)).map(|(domain, _)| *domain)
}

/// The largest number of characters of a description.
const MAX_DESCRIPTION: usize = 2_000;

/// The largest number of characters of an address.
const MAX_URL: usize = 2_000;

/// The largest number of tags.
pub(crate) const MAX_TAGS: usize = 20;

impl Resource {
    /// Checks what the types of the members leave open.
    ///
    /// # Errors
    /// A sentence with the member, what was expected and what was found.
    pub fn check(&self) -> Result<(), String> {
        let is_id = |it: &str| {
            (1..=60).contains(&it.len())
                && it.bytes().all(|it| matches!(it, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        };
        if !is_id(&self.id) {
            return Err(expected("id", "1 to 60 of a-z, 0-9 and -", &self.id));
        }
        line("title", &self.title)?;
        if let Some(author) = &self.author {
            line("author", author)?;
        }
        text("description", &self.description, MAX_DESCRIPTION)?;
        address(&self.url)?;
        if !(1..=3).contains(&self.categories.len()) {
            return Err(expected("categories", "1 to 3 of them", &self.categories.len().to_string()));
        }
        if self.concepts.len() > 4 {
            return Err(expected("concepts", "at most 4 of them", &self.concepts.len().to_string()));
        }
        if self.tags.len() > MAX_TAGS {
            return Err(expected("tags", "at most 20 of them", &self.tags.len().to_string()));
        }
        for it in &self.categories {
            if !CATEGORIES.contains(&&**it) {
                return Err(expected("categories", &format!("of {}", CATEGORIES.join(", ")), it));
            }
        }
        for it in &self.concepts {
            if domain(it).is_none() {
                let all = concepts().collect::<Vec<_>>().join(", ");
                return Err(expected("concepts", &format!("of {all}"), it));
            }
        }
        if let Some(time) = &self.added_at
            && time.parse::<jiff::Timestamp>().is_err()
        {
            return Err(expected("addedAt", "a time such as 2026-01-31T12:00:00Z", time));
        }
        if let Some(source) = &self.source {
            line("source.name", &source.name)?;
            address(&source.url).map_err(|why| why.replacen("`url`", "`source.url`", 1))?;
        }
        self.tags.iter().try_for_each(|it| line("tags", it))
    }
}

/// Checks an address, and returns it as it is compared: without what leads to the same page.
pub(crate) fn address(url: &str) -> Result<String, String> {
    let wanted = "an address such as https://example.com/page";
    if url.chars().count() > MAX_URL {
        return Err(expected("url", &format!("at most {MAX_URL} characters"), url));
    }
    let parsed = url::Url::parse(url).map_err(|_| expected("url", wanted, url))?;
    if !matches!(parsed.scheme(), "http" | "https") || parsed.host().is_none() {
        return Err(expected("url", wanted, url));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err("`url`: expected no user and no password before the host".to_owned());
    }
    let host = parsed.host_str().unwrap_or_default().trim_end_matches('.');
    let host = host.strip_prefix("www.").filter(|it| it.contains('.')).unwrap_or(host);
    let port = parsed.port().map(|it| format!(":{it}")).unwrap_or_default();
    let path = parsed.path().trim_end_matches('/');
    let query = parsed.query().map(|it| format!("?{it}")).unwrap_or_default();
    // A page that is an application has its pages behind the `#`.
    let page = parsed.fragment().filter(|it| it.starts_with(['/', '!'])).map(|it| format!("#{it}"));
    Ok(format!("{host}{port}{path}{query}{}", page.unwrap_or_default()))
}

fn line(member: &str, it: &str) -> Result<(), String> {
    text(member, it, MAX_LINE)?;
    match it.contains(['\n', '\r']) {
        true => Err(expected(member, "one line", it)),
        false => Ok(()),
    }
}

fn text(member: &str, it: &str, most: usize) -> Result<(), String> {
    match it.chars().count() {
        _ if it.trim().is_empty() => Err(expected(member, "a text", it)),
        _ if it.chars().any(|it| is_unseen(it) && it != '\n' && it != '\r') => {
            Err(expected(member, "a text without control characters", it))
        }
        length if length > most => {
            Err(expected(member, &format!("at most {most} characters"), &format!("{length} of them")))
        }
        _ => Ok(()),
    }
}

fn expected(member: &str, expected: &str, found: &str) -> String {
    let found: String = found.chars().take(80).collect();
    format!("`{member}`: expected {expected}, but found {found:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::built_in;

    #[test]
    fn each_resource_of_the_program_is_checked_and_has_a_source() {
        let all = built_in();
        assert!(all.len() >= 120, "{}", all.len());
        assert!(all.is_sorted_by(|a, b| a.id < b.id));
        for it in &all {
            assert_eq!(it.check(), Ok(()), "{}", it.id);
            assert!(it.source.is_some(), "{}", it.id);
        }
        let mut addresses: Vec<String> = all.iter().filter_map(|it| address(&it.url).ok()).collect();
        addresses.sort_unstable();
        assert!(addresses.is_sorted_by(|a, b| a < b), "each address once");
    }

    #[test]
    fn addresses_that_lead_to_the_same_page_are_equal() {
        let same = address("https://www.example.com/a/?q=1").expect("an address");
        assert_eq!(address("http://EXAMPLE.com/a?q=1#part").expect("an address"), same);
        for (one, other) in
            [("https://www.com/", "https://com/"), ("https://app.example/#/one", "https://app.example/#/two")]
        {
            assert_ne!(address(one), address(other), "{one}");
        }
        assert_eq!(address("https://x.example./"), address("https://x.example/"));
        for url in
            ["", "example.com", "ftp://example.com/", "javascript:alert(1)", "https://u:p@example.com/"]
        {
            assert!(address(url).is_err(), "{url}");
        }
        let secret = address("https://u:s3cret@example.com/").expect_err("a password");
        assert!(!secret.contains("s3cret"));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_member() {
        let good = built_in().remove(0);
        let wrong = |change: fn(&mut Resource)| {
            let mut it = good.clone();
            change(&mut it);
            it.check().expect_err("a mistake")
        };
        assert_eq!(
            wrong(|it| it.id = "A b".to_owned()),
            "`id`: expected 1 to 60 of a-z, 0-9 and -, but found \"A b\""
        );
        assert_eq!(wrong(|it| it.title = " ".to_owned()), "`title`: expected a text, but found \" \"");
        assert_eq!(
            wrong(|it| it.tags = vec!["a\nb".into()]),
            "`tags`: expected one line, but found \"a\\nb\""
        );
        assert!(
            wrong(|it| it.title = "a\u{202e}b".into())
                .starts_with("`title`: expected a text without control")
        );
        assert!(wrong(|it| it.added_at = Some("now".into())).starts_with("`addedAt`: expected a time"));
        let source = Some(FoundIn { name: "n".into(), url: "javascript:alert(1)".into() });
        let it = Resource { source, ..good.clone() };
        assert!(it.check().is_err_and(|why| why.starts_with("`source.url`: expected an address")));
        assert!(wrong(|it| it.concepts = vec!["fun".into()]).contains("consensus"));
        assert!(wrong(|it| it.categories.clear()).starts_with("`categories`: expected 1 to 3"));
        assert!(wrong(|it| it.description = "x".repeat(2_001)).contains("2001 of them"));
    }
}
