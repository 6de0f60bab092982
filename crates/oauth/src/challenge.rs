//! Parses the `WWW-Authenticate` header of a refusal: RFC 9110 §11.6.1, as far as RFC 6750 and 9728 use it.
//!
//! In: header values, with one or several challenges in each. Out: the `Bearer` challenge. Other schemes are
//! skipped; malformed text is skipped up to the next comma.

use http::HeaderMap;
use http::header::WWW_AUTHENTICATE;

use super::scope::Scopes;

/// A `Bearer` challenge. All of it is untrusted text from a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Challenge {
    /// The error code: `invalid_token`, `insufficient_scope`, …
    pub(super) error: Option<String>,
    /// The URL of the MCP server's metadata as a protected resource (RFC 9728).
    pub(super) resource_metadata: Option<String>,
    /// The scopes that the refused request requires. `None` if the list is missing or empty.
    pub(super) scope: Option<Scopes>,
}

impl Challenge {
    /// Returns the first `Bearer` challenge of a response; an empty one if it has none.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let values = headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|it| it.to_str().ok());
        let mut challenges = values.filter(|it| it.len() <= MAX_BYTES).flat_map(parse);
        let found = challenges.find(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        found.map(|(_, parameters)| Self::from_parameters(&parameters)).unwrap_or_default()
    }

    fn from_parameters(parameters: &[(String, String)]) -> Self {
        // Spec: RFC 6750 §3: no parameter may appear twice. If one does, the first counts.
        let get = |name: &str| parameters.iter().find(|(it, _)| it.eq_ignore_ascii_case(name));
        let text = |name| get(name).map(|(_, value)| value.clone());
        Self {
            error: text("error"),
            resource_metadata: text("resource_metadata"),
            scope: get("scope").map(|(_, value)| Scopes::parse(value)).filter(|it| !it.is_empty()),
        }
    }
}

type Parameters = Vec<(String, String)>;

/// Splits a header value into challenges, each a scheme with its parameters.
fn parse(value: &str) -> Vec<(String, Parameters)> {
    let mut challenges: Vec<(String, Parameters)> = Vec::new();
    let mut rest = value;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return challenges;
        }
        let (word, behind) = token(rest);
        let Some(equals) = behind.trim_start_matches(BLANKS).strip_prefix('=') else {
            if word.is_empty() {
                rest = past_comma(behind);
            } else {
                challenges.push((word.to_owned(), Vec::new()));
                rest = behind;
            }
            continue;
        };
        let Some((content, behind)) = parameter_value(equals.trim_start_matches(BLANKS)) else {
            rest = past_comma(equals);
            continue;
        };
        if let Some((_, parameters)) = challenges.last_mut() {
            parameters.push((word.to_owned(), content));
        }
        rest = behind;
    }
}

/// Parses the value of a parameter, a token or a quoted string, and returns it with the remaining text.
/// `None` for a `token68`, which is no parameter.
fn parameter_value(text: &str) -> Option<(String, &str)> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let (word, behind) = token(text);
        return (!word.is_empty()).then(|| (word.to_owned(), behind));
    };
    let mut content = String::new();
    loop {
        let end = rest.find(['"', '\\'])?;
        content.push_str(&rest[..end]);
        if rest[end..].starts_with('"') {
            return Some((content, &rest[end + 1..]));
        }
        let escaped = rest[end + 1..].chars().next()?;
        content.push(escaped);
        rest = &rest[end + 1 + escaped.len_utf8()..];
    }
}

/// Splits `text` into the token at its start, which may be empty, and the remaining text.
fn token(text: &str) -> (&str, &str) {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    text.split_at(text.find(|c| !is_token(c)).unwrap_or(text.len()))
}

fn past_comma(text: &str) -> &str {
    text.find(',').map_or("", |at| &text[at + 1..])
}

const BLANKS: [char; 2] = [' ', '\t'];
/// Longest header value that is parsed, in bytes: as much as this library permits for all headers of a
/// request.
const MAX_BYTES: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check(values: &[&str], error: &str, metadata: &str, scope: &str) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(WWW_AUTHENTICATE, HeaderValue::from_str(value).expect("a header value"));
        }
        let found = Challenge::of(&headers);
        let found_scope = found.scope.map(|it| it.to_string()).unwrap_or_default();
        let found =
            [found.error.unwrap_or_default(), found.resource_metadata.unwrap_or_default(), found_scope];
        assert_eq!(found, [error, metadata, scope], "{values:?}");
    }

    #[test]
    fn reads_challenges_however_they_are_written() {
        check(&[], "", "", "");
        check(&["Bearer"], "", "", "");
        check(&["Bearer error=invalid_token"], "invalid_token", "", "");
        check(&["bearer  Scope = \"a b\" , ERROR=\"x\""], "x", "", "a b");
        check(&[r#"Bearer realm="a, b=\"c\"", scope="s""#], "", "", "s");
        check(&["Bearer resource_metadata=\"https://x/y?z=1\""], "", "https://x/y?z=1", "");
        check(&["Bearer scope=\"\""], "", "", "");
        check(&["Bearer scope=\"a\", scope=\"b\""], "", "", "a");
    }

    #[test]
    fn finds_bearer_among_other_schemes() {
        check(&["Basic realm=\"x\", Bearer scope=\"a\""], "", "", "a");
        check(&["Negotiate YWJj==, Bearer scope=\"a\""], "", "", "a");
        check(&["Basic scope=\"no\"", "Bearer scope=\"a\""], "", "", "a");
        check(&["Bearer scope=\"a\", Basic error=\"no\""], "", "", "a");
        check(&["DPoP error=\"no\""], "", "", "");
    }

    #[test]
    fn steps_over_what_is_no_challenge() {
        check(&["=,;;, Bearer error=\"x\""], "x", "", "");
        check(&["Bearer error=\"never closed"], "", "", "");
        check(&["Bearer error=, scope=\"a\""], "", "", "a");
        check(&["Bearer error=\"a\\"], "", "", "");
        check(&[&format!("Bearer error=\"{}\"", "x".repeat(MAX_BYTES))], "", "", "");
    }
}
