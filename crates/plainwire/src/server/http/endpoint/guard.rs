//! Access checks: `Host` and `Origin` against attacks through a browser, tokens for every caller.
//!
//! Source: 2025-11-25 and 2026-07-28 transports "Security Warning".

use std::net::IpAddr;
use std::sync::Arc;

use http::HeaderMap;
use http::header::{AUTHORIZATION, HOST, ORIGIN};
use plainwire_proto::json::shorten;
use subtle::ConstantTimeEq as _;

use crate::server::principal::Principal;

/// The access rules of an endpoint: allowed hosts, origins and tokens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guard {
    /// Allowed hosts, in lower case and without a port; if empty, every host.
    pub(crate) hosts: Vec<String>,
    /// Allowed origins, in lower case. Origins of this machine are also allowed if the host of the request is
    /// this machine.
    pub(crate) origins: Vec<String>,
    /// Tokens, each with the principal whose requests have it; if empty, no token is required.
    pub(crate) tokens: Vec<(Token, Arc<Principal>)>,
}

/// A secret token. Its `Debug` output does not contain it.
#[derive(Clone)]
pub(crate) struct Token(pub(crate) String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

impl Guard {
    /// Checks the `Host` and the `Origin` of a request.
    ///
    /// # Errors
    /// The status, and the text of the error.
    pub(crate) fn check_source(&self, head: &http::request::Parts) -> Result<(), (u16, String)> {
        // RFC 9112 section 3.2: with two headers, a proxy that reads the first and a server that reads the
        // last would see different requests.
        let mut headers = head.headers.get_all(HOST).iter();
        let header = headers.next();
        if headers.next().is_some() {
            return Err((400, "expected one `host`, but found several".to_owned()));
        }
        // RFC 9112 section 3.2.2, RFC 9113 section 8.3.1: a host in the request target overrides the header.
        let authority = head.uri.authority().map(|it| it.as_str());
        let host = authority.or_else(|| header?.to_str().ok()).unwrap_or_default();
        if !self.hosts.is_empty() && !self.hosts.iter().any(|it| it.eq_ignore_ascii_case(without_port(host)))
        {
            let why = format!("expected `host` to be one of {:?}, but found {:?}", self.hosts, shorten(host));
            return Err((403, why));
        }
        let Some(origin) = head.headers.get(ORIGIN) else { return Ok(()) };
        let origin = origin.to_str().unwrap_or_default().to_lowercase();
        if self.origins.contains(&origin) || (is_local(&host.to_lowercase()) && is_local_origin(&origin)) {
            return Ok(());
        }
        let found = shorten(&origin);
        Err((403, format!("expected `origin` to be one that is allowed here, but found {found:?}")))
    }

    /// Returns the principal of a request by its token; `Ok(None)` if the endpoint has no tokens.
    ///
    /// # Errors
    /// A description of the credentials that were found, without their text.
    pub(crate) fn authenticate(&self, headers: &HeaderMap) -> Result<Option<Arc<Principal>>, &'static str> {
        if self.tokens.is_empty() {
            return Ok(None);
        }
        match headers.get_all(AUTHORIZATION).iter().count() {
            0 => return Err("nothing"),
            1 => {}
            _ => return Err("several"),
        }
        let found = text(headers, &AUTHORIZATION).unwrap_or_default();
        let (scheme, token) = found.split_once(' ').unwrap_or_default();
        let token = token.trim().as_bytes();
        // HTTP/2 keeps the blank after `Bearer`; HTTP/1.1 strips it.
        if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() {
            return Err("no token");
        }
        // All tokens are compared, so that the time does not reveal which one matched.
        let mut principal = None;
        for (Token(known), who) in &self.tokens {
            if bool::from(known.as_bytes().ct_eq(token)) {
                principal = Some(Arc::clone(who));
            }
        }
        principal.map(Some).ok_or("another one")
    }
}

/// Returns the hosts that a server on a loopback address allows: the names of this machine.
pub(crate) fn local_hosts() -> Vec<String> {
    ["localhost", "127.0.0.1", "[::1]"].map(ToOwned::to_owned).to_vec()
}

fn is_local_origin(origin: &str) -> bool {
    let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    rest.is_some_and(is_local)
}

fn is_local(host: &str) -> bool {
    let host = without_port(host);
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Returns a host without its port: `example.com` for `example.com:8000`, `[::1]` for `[::1]:8000`.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &http::HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn checked(guard: &Guard, host: &str, origin: Option<&str>) -> bool {
        let mut request = Request::builder().uri("/mcp").header(HOST, host);
        if let Some(origin) = origin {
            request = request.header(ORIGIN, origin);
        }
        guard.check_source(&request.body(()).expect("a request").into_parts().0).is_ok()
    }

    #[test]
    fn a_local_server_serves_this_machine_only() {
        let guard = Guard { hosts: local_hosts(), ..Guard::default() };
        for host in ["localhost", "localhost:8000", "127.0.0.1:1", "[::1]:8000", "[::1]", "LOCALHOST"] {
            assert!(checked(&guard, host, None), "{host}");
            assert!(checked(&guard, host, Some("http://localhost:6274")), "{host}");
            assert!(!checked(&guard, host, Some("http://evil.example")), "{host}");
        }
        for host in
            ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "evil.example:127"]
        {
            assert!(!checked(&guard, host, None), "{host}");
        }
        for origin in
            ["null", "", "localhost", "http://localhost.evil.example", "file://localhost", "http://[::1"]
        {
            assert!(!checked(&guard, "localhost", Some(origin)), "{origin}");
        }
    }

    #[test]
    fn a_public_server_serves_the_origins_that_it_was_told() {
        let guard = Guard { origins: vec!["https://app.example".to_owned()], ..Guard::default() };
        assert!(checked(&guard, "mcp.example", None));
        assert!(checked(&guard, "mcp.example", Some("https://APP.example")));
        for origin in ["https://app.example.evil", "http://app.example", "http://localhost", "null"] {
            assert!(!checked(&guard, "mcp.example", Some(origin)), "{origin}");
        }
    }

    #[test]
    fn the_host_of_the_target_counts_and_two_headers_are_none() {
        let guard = Guard { hosts: local_hosts(), ..Guard::default() };
        let status = |target: &str, hosts: &[&str]| {
            let request =
                hosts.iter().fold(Request::builder().uri(target), |it, host| it.header(HOST, *host));
            let head = request.body(()).expect("a request").into_parts().0;
            guard.check_source(&head).map_err(|(status, _)| status)
        };
        assert_eq!(status("http://localhost/mcp", &["evil.example"]), Ok(()));
        assert_eq!(status("http://evil.example/mcp", &["localhost"]), Err(403));
        assert_eq!(status("/mcp", &["localhost", "localhost"]), Err(400));
        assert_eq!(status("/mcp", &["localhost", "evil.example"]), Err(400));
    }

    #[test]
    fn a_token_stands_for_its_principal_and_nothing_else_does() {
        let ada = Arc::new(Principal { name: "ada".to_owned() });
        let tokens = vec![(Token("secret".to_owned()), Arc::clone(&ada))];
        let guard = Guard { tokens, ..Guard::default() };
        let who = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, value.parse().expect("a value"));
            }
            guard.authenticate(&headers)
        };
        assert_eq!(who(&["Bearer secret"]), Ok(Some(Arc::clone(&ada))));
        assert_eq!(who(&["bearer  secret"]), Ok(Some(ada)));
        for wrong in
            [&[][..], &["Bearer secre"], &["Bearer secrets"], &["Basic secret"], &["secret"], &["Bearer"]]
        {
            assert!(who(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(who(&["Bearer secret", "Bearer secret"]), Err("several"));
        assert_eq!(Guard::default().authenticate(&HeaderMap::new()), Ok(None));
        let open = Guard {
            tokens: vec![(Token(String::new()), Arc::new(Principal { name: "a".into() }))],
            ..Guard::default()
        };
        let mut empty = HeaderMap::new();
        empty.insert(AUTHORIZATION, http::HeaderValue::from_static("Bearer "));
        assert_eq!(open.authenticate(&empty), Err("no token"), "as HTTP/2 hands it on");
        assert!(!format!("{guard:?}").contains("secret"));
    }
}
