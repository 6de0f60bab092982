//! Paths and queries: the only place where texts become parts of an address.
//!
//! In: the base of a site, the segments of a path, and the pairs of a query. Out: an address below the base.
//! A segment stays one segment, whatever is in it: `a/b`, `..` or `?` in the key of an issue reach no other
//! endpoint.

use std::fmt::Write as _;

use plainwire::proto::json::shorten;
use url::Url;

/// The longest address, in bytes. Servers take 8 KiB for the first line of a request and its headers by
/// default.
const MAX_URL: usize = 7_000;

/// Percent-encodes all but the characters that are never special: `A-Z a-z 0-9 - . _ ~` (RFC 3986, 2.3).
///
/// ```
/// assert_eq!(plainwire_atlassian::rest::quote("a/b c"), "a%2Fb%20c");
/// ```
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for &byte in text.as_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                quoted.push(char::from(byte))
            }
            _ => {
                let _ = write!(quoted, "%{byte:02X}");
            }
        }
    }
    quoted
}

/// Returns the address of a path below `base`.
///
/// # Errors
/// A sentence about a segment that is empty, `.` or `..`: an address can't hold it as one segment, and
/// without it the request would reach another endpoint, such as that of all issues. Or about an address that
/// is too long.
pub(super) fn join(base: &Url, segments: &[String], query: &[(String, String)]) -> Result<Url, String> {
    let mut path = base.path().trim_end_matches('/').to_owned();
    for segment in segments {
        if matches!(segment.as_str(), "" | "." | "..") {
            return Err(format!("expected a name or an id in the path, but found {segment:?}"));
        }
        path.push('/');
        path.push_str(&quote(segment));
    }
    let mut url = base.clone();
    url.set_path(&path);
    url.set_query(joined(query).as_deref());
    limited(url)
}

/// Returns an address, if it is not too long.
pub(super) fn limited(url: Url) -> Result<Url, String> {
    match url.as_str().len() {
        ..=MAX_URL => Ok(url),
        found => Err(format!("expected an address of at most {MAX_URL} bytes, but found {found}")),
    }
}

/// Writes a query; `None` for an empty one. Blanks become `%20`: not every server reads `+` as a blank.
pub(super) fn joined(query: &[(String, String)]) -> Option<String> {
    let pair = |(name, value): &(String, String)| format!("{}={}", quote(name), quote(value));
    (!query.is_empty()).then(|| query.iter().map(pair).collect::<Vec<_>>().join("&"))
}

/// Returns whether a path is `base` or below it.
pub(super) fn is_below(base: &str, path: &str) -> bool {
    let base = base.trim_end_matches('/');
    path.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns an address for messages: without user, query and fragment, and at most 80 characters long.
pub(super) fn place(url: &Url) -> String {
    let text = format!("{}{}", url.origin().ascii_serialization(), url.path().trim_end_matches('/'));
    shorten(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined_at(base: &str, segments: &[&str]) -> Result<String, String> {
        let segments: Vec<_> = segments.iter().map(|&it| it.to_owned()).collect();
        join(&base.parse().expect("a URL"), &segments, &[]).map(|it| it.path().to_owned())
    }

    #[test]
    fn a_segment_stays_one_segment_whatever_is_in_it() {
        for (segment, expected) in [
            ("ABC-1", "/rest/issue/ABC-1"),
            ("a/b", "/rest/issue/a%2Fb"),
            ("../user", "/rest/issue/..%2Fuser"),
            ("%2e%2e", "/rest/issue/%252e%252e"),
            ("..%2f", "/rest/issue/..%252f"),
            ("...", "/rest/issue/..."),
            ("a?b=c", "/rest/issue/a%3Fb%3Dc"),
            ("a#b", "/rest/issue/a%23b"),
            ("a;b", "/rest/issue/a%3Bb"),
            ("a\\b", "/rest/issue/a%5Cb"),
            ("a b+c", "/rest/issue/a%20b%2Bc"),
            ("a\r\nHost: b", "/rest/issue/a%0D%0AHost%3A%20b"),
            ("\t.\n.", "/rest/issue/%09.%0A."),
            ("über", "/rest/issue/%C3%BCber"),
            ("課題", "/rest/issue/%E8%AA%B2%E9%A1%8C"),
        ] {
            let found = joined_at("https://example.com", &["rest", "issue", segment]);
            assert_eq!(found.as_deref(), Ok(expected), "{segment:?}");
        }
    }

    #[test]
    fn a_segment_that_would_reach_another_endpoint_is_refused() {
        for segment in ["", ".", ".."] {
            assert!(joined_at("https://example.com/jira", &["rest", segment, "x"]).is_err(), "{segment:?}");
        }
    }

    #[test]
    fn a_path_is_below_the_context_path_of_its_site() {
        for base in ["https://example.com/a/jira", "https://example.com/a/jira/"] {
            assert_eq!(joined_at(base, &["rest"]).as_deref(), Ok("/a/jira/rest"), "{base}");
        }
        assert!(is_below("/jira", "/jira/x") && is_below("/jira/", "/jira") && is_below("/", "/x"));
        assert!(!is_below("/jira", "/jirax") && !is_below("/jira", "/"));
    }

    /// 20,000 texts of hostile pieces: the parser of addresses finds as many segments as were put in, and
    /// each one whole.
    #[test]
    fn no_text_leaves_its_segment_or_its_pair() {
        let pieces = [
            "..", ".", "/", "\\", "%", "2e", "2f", "?", "#", "&", "=", ";", " ", "\u{0}", "\u{202e}", "é",
            "a",
        ];
        let mut random = fastrand::Rng::with_seed(7);
        let base: Url = "https://example.com/jira".parse().expect("a URL");
        for _ in 0..20_000 {
            let count = random.usize(1..6);
            let text: String = (0..count).map(|_| pieces[random.usize(..pieces.len())]).collect();
            let query = [(text.clone(), text.clone()), ("last".to_owned(), "1".to_owned())];
            let Ok(url) = join(&base, &["rest".to_owned(), text.clone(), "end".to_owned()], &query) else {
                assert!(matches!(text.as_str(), "." | ".."), "{text:?}");
                continue;
            };
            let segments: Vec<_> = url.path_segments().expect("segments").collect();
            assert_eq!((segments.len(), segments[0], segments[3]), (4, "jira", "end"), "{text:?}");
            let pairs: Vec<_> = url.query_pairs().collect();
            assert_eq!((pairs.len(), &*pairs[0].0, &*pairs[0].1), (2, &*text, &*text));
            assert_eq!(url.fragment(), None);
        }
    }
}
