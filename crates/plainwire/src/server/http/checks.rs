//! Checks of the arguments of [`Http`](super::Http): hosts, origins, paths and tokens.
//!
//! In: the argument. Out: the text of a declaration error, if the argument can never work. The text never
//! contains a token.

use http::HeaderName;
use http::header::{AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION};
use http::uri::{Authority, PathAndQuery};

/// The paths of the health checks. An endpoint can't have one of these paths.
const TAKEN: [&str; 2] = ["/healthz", "/readyz"];

/// Checks that `host` can be the value of a `Host` header without its port. The error is the text for the
/// user.
pub(super) fn host(host: &str) -> Result<(), String> {
    let parsed = host.parse::<Authority>();
    if parsed.is_ok_and(|it| it.host() == host && !host.contains('*')) {
        return Ok(());
    }
    let example = "`mcp.example.com` or `[::1]`";
    Err(format!("expected a host without scheme, port and path, as in {example}, but found {host:?}"))
}

/// Checks that `origin` can be the value that a browser sends in an `Origin` header. The error is the text
/// for the user.
pub(super) fn origin(origin: &str) -> Result<(), String> {
    let is_legal = origin.split_once("://").is_some_and(|(scheme, authority)| {
        let default = match scheme {
            "https" => ":443",
            "http" => ":80",
            _ => "@",
        };
        let is_odd = authority.contains(['*', '@']) || authority.ends_with(default);
        !scheme.is_empty() && !is_odd && authority.parse::<Authority>().is_ok()
    });
    if is_legal || origin == "null" {
        return Ok(());
    }
    let form = "an origin as browsers send it, without path and default port, as in `https://app.example`";
    Err(format!("expected {form}, but found {origin:?}"))
}

/// Checks that `path` is the path of a URL, without a query, and not the path of a health check. The error is
/// the text for the user.
pub(super) fn path(path: &str) -> Result<(), String> {
    if TAKEN.contains(&path) {
        return Err(format!("expected `path` to be none of {TAKEN:?}, but found {path:?}"));
    }
    let is_path = path.parse::<PathAndQuery>().is_ok_and(|it| it.path() == path);
    if is_path && path.starts_with('/') {
        return Ok(());
    }
    Err(format!("expected `path` to begin with `/` and to have no query, as in `/mcp`, but found {path:?}"))
}

/// Checks that `name` is the name of a header that handlers may read. The error is the text for the user.
pub(super) fn passed_header(name: &str) -> Result<HeaderName, String> {
    let Ok(parsed) = name.parse::<HeaderName>() else {
        return Err(format!("expected the name of a header, as in `x-tenant`, but found {name:?}"));
    };
    if [AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION].contains(&parsed) || parsed == "mcp-session-id" {
        return Err(format!(
            "expected a header without secrets, but found `{parsed}`; handlers take a `Principal`"
        ));
    }
    Ok(parsed)
}

/// Checks that the principal's `name` is not empty, and that `token` is visible ASCII characters. The error
/// is the text for the user.
pub(super) fn token(name: &str, token: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("expected the principal of a token to have a name, but found none".to_owned());
    }
    let found = match token {
        "" => "none",
        token if token.bytes().all(|byte| byte.is_ascii_graphic()) => return Ok(()),
        _ => "blanks or other characters",
    };
    Err(format!("expected the token of {name:?} to be visible ASCII characters, but found {found}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_can_work_and_nothing_else() {
        for legal in ["localhost", "mcp.example.com", "127.0.0.1", "[::1]"] {
            assert_eq!(host(legal), Ok(()));
        }
        for wrong in
            ["", "localhost:7805", "https://a.example", "a.example/mcp", "::1", "*.example", "a b", "u@a"]
        {
            assert!(host(wrong).is_err_and(|it| it.ends_with(&format!("but found {wrong:?}"))), "{wrong}");
        }
        for legal in ["https://app.example", "http://localhost:6274", "null", "vscode-webview://0a1b"] {
            assert_eq!(origin(legal), Ok(()));
        }
        for wrong in [
            "",
            "*",
            "https://app.example/",
            "app.example",
            "https://*.example",
            "https://a:443",
            "http://a:80",
            "://a",
        ] {
            assert!(origin(wrong).is_err(), "{wrong}");
        }
        for legal in ["/", "/mcp", "/a/b/", "/healthz/mcp"] {
            assert_eq!(path(legal), Ok(()));
        }
        for wrong in ["", "mcp", "/mcp?a=b", "/mcp#a", "/a b", "/healthz", "/readyz", "http://a/mcp"] {
            assert!(path(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_token_is_visible_ascii_and_never_repeated() {
        assert_eq!(token("ada", "s3cret-._~+/="), Ok(()));
        for (name, wrong) in
            [("", "s3cret"), ("ada", ""), ("ada", "s3cret\n"), ("ada", "s3 cret"), ("ada", "s3crét")]
        {
            assert!(token(name, wrong).is_err_and(|it| !it.contains("s3")), "{wrong:?}");
        }
    }
}
