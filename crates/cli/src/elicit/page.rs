//! Shows the address of a page that a server asks the user to open: the full URL, its host, and warnings.
//! Nothing here opens the page.

use crate::terminal::Terminal;
use crate::visible;

/// Prints the URL, the host on a line of its own, and warnings.
///
/// Spec: `elicitation` "Safe URL Handling": the full URL, the domain highlighted, warnings about ambiguous
/// URLs.
pub(super) fn show(url: &str, terminal: &mut Terminal) {
    let host = visible::line(Parts::of(url).host);
    terminal.say(&format!("\n{}\n\nits host:\n\n    {host}\n\n", visible::line(url)));
    for warning in warnings(url) {
        terminal.say(&format!("warning: {warning}\n"));
    }
}

/// Returns the URL, its host and warnings in one line.
pub(crate) fn in_one_line(url: &str) -> String {
    let host = visible::line(Parts::of(url).host);
    let warnings: String = warnings(url).iter().map(|it| format!("; warning: {it}")).collect();
    format!("{} (its host: {host}{warnings})", visible::line(url))
}

/// The parts of a URL before its path.
struct Parts<'u> {
    has_user: bool,
    host: &'u str,
    port: Option<&'u str>,
    scheme: &'u str,
}

impl<'u> Parts<'u> {
    fn of(url: &'u str) -> Self {
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        // Browsers read `\` as `/`.
        let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
        let (user, place) =
            authority.rsplit_once('@').map_or((None, authority), |(user, it)| (Some(user), it));
        let colon = place.rfind(':').filter(|at| !place[*at..].contains(']'));
        let (host, port) = colon.map_or((place, None), |at| (&place[..at], Some(&place[at + 1..])));
        Self { has_user: user.is_some(), host, port, scheme }
    }
}

/// Returns warnings about a URL. The library refuses some of these URLs earlier, but this check does not rely
/// on that.
fn warnings(url: &str) -> Vec<String> {
    let parts = Parts::of(url);
    let mut found = Vec::new();
    if !parts.scheme.eq_ignore_ascii_case("https") {
        found.push("it is not https: others can read and change what is sent".to_owned());
    }
    let is_puny = |label: &str| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--"));
    if !parts.host.is_ascii() || parts.host.split('.').any(is_puny) {
        found.push("the host has letters that can look like other letters".to_owned());
    }
    if parts.has_user {
        found.push("the part before the `@` is a user name, not the host".to_owned());
    }
    if let Some(port) = parts.port {
        found.push(format!("it uses port {} instead of the default port", visible::short_line(port, 10)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, host: &str, warned: &[&str]) {
        let found = warnings(url);
        assert_eq!(Parts::of(url).host, host, "{url}");
        assert_eq!(found.len(), warned.len(), "{url}: {found:?}");
        for (found, part) in found.iter().zip(warned) {
            assert!(found.contains(part), "{url}: {found}");
        }
    }

    #[test]
    fn finds_the_host_and_what_is_odd() {
        check("https://example.com/a:b@c?d", "example.com", &[]);
        check("HTTPS://example.com", "example.com", &[]);
        check("http://example.com/", "example.com", &["not https"]);
        check("https://example.com:8443?x", "example.com", &["port 8443"]);
        check("https://[::1]/", "[::1]", &[]);
        check("https://[::1]:8/", "[::1]", &["port 8"]);
        check("https://bank.example@evil.example/", "evil.example", &["before the `@`"]);
        check("https://evil.example\\@bank.example", "evil.example", &[]);
        check("https://b\u{430}nk.example", "b\u{430}nk.example", &["letters"]);
        check("https://login.XN--bcher-kva.example", "login.XN--bcher-kva.example", &["letters"]);
        check("javascript:alert(1)", "javascript", &["not https", "port alert(1)"]);
    }
}
