//! Checks the URLs that servers ask the user to open. Never opens one.

/// Checks that a URL may be shown to the user.
///
/// Spec: 2025-11-25 and 2026-07-28 `elicitation` "Safe URL Handling". This is not a full parser: it refuses
/// text that browsers and parsers may read differently. It also refuses a user name before the host (RFC 9110
/// §4.2.4), which can make one host look like another.
pub(super) fn check(url: &str) -> Result<(), String> {
    let refuse = |expected: &str| {
        let found = plainwire_proto::json::shorten(url);
        Err(format!("expected {expected}, but found {found:?}"))
    };
    let strange =
        |c: char| !c.is_ascii_graphic() || matches!(c, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}');
    if url.chars().any(strange) {
        return refuse("a URL of the characters that URLs have");
    }
    let Some((scheme, rest)) = url.split_once("://") else {
        return refuse("a URL that begins with `https://` or `http://`");
    };
    if !scheme.eq_ignore_ascii_case("https") && !scheme.eq_ignore_ascii_case("http") {
        return refuse("a URL that begins with `https://` or `http://`");
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return refuse("a URL without a user before its host");
    }
    let (host, port) = match authority.strip_prefix('[').and_then(|it| it.split_once(']')) {
        Some((address, port)) if address.parse::<std::net::Ipv6Addr>().is_ok() => ("[]", port),
        Some(_) => return refuse("a URL with a host"),
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let name = host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'));
    if host.is_empty() || !name && host != "[]" {
        return refuse("a URL with a host");
    }
    match port.strip_prefix(':') {
        None if port.is_empty() => Ok(()),
        Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) && digits.parse::<u16>().is_ok() => Ok(()),
        _ => refuse("a URL with a port from 0 to 65535"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_pages_of_the_web() {
        for url in [
            "https://example.com",
            "HTTP://localhost:8080/a?b=c&d=%20#e",
            "https://[::1]:8/",
            "https://xn--bcher-kva.example./@x",
            "http://127.0.0.1?x=a@b",
        ] {
            assert_eq!(check(url), Ok(()), "{url}");
        }
    }

    #[test]
    fn refuses_whatever_else_a_program_might_open() {
        for url in [
            "",
            "example.com",
            "https:",
            "https://",
            "https:///path",
            "https:/example.com",
            "javascript:alert(1)",
            "javascript://example.com/%0aalert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "ftp://example.com",
            " https://example.com",
            "https://exa mple.com",
            "https://example.com/\n",
            "https://bank.example@evil.example/",
            "https://user:secret@example.com",
            "https://evil.example\\@bank.example",
            "https://b\u{0430}nk.example",
            "https://example.com:99999",
            "https://example.com:x",
            "https://example.com:+80",
            "https://[::1/",
            "https://[x]/",
            "https://[::1]8/",
            "https://ex%61mple.com",
        ] {
            assert!(check(url).is_err(), "{url}");
        }
    }
}
