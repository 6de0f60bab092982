//! A server at a URL, and the headers of each request to it.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use plainwire_proto::json::shorten;
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;

use super::Authorize;
use super::address_guard::is_local;
use crate::error::{Error, Result};

/// Time limit for a connection, including the TLS handshake. 10 s: a reachable server answers within 1 s.
const CONNECT: Duration = Duration::from_secs(10);

/// The most redirects that are followed, within the same origin. 5: one for a slash, one for a version, and
/// some to spare.
pub(super) const MOST_REDIRECTS: usize = 5;

/// A server at a URL, and the headers or credentials for it.
///
/// ```no_run
/// # async fn run() -> plainwire::Result<()> {
/// use plainwire::Client;
/// use plainwire::client::http::Remote;
///
/// let remote = Remote::new("https://mcp.example.com/mcp").bearer_token("s3cret-s3cret-s3cret");
/// let client = Client::builder().remote(remote).await?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use = "a remote does nothing until a client connects to it"]
pub struct Remote {
    pub(super) authorize: Option<Arc<dyn Authorize>>,
    headers: Vec<(String, String)>,
    /// Whether secrets may go to another machine over `http`.
    unencrypted: bool,
    url: String,
}

impl Remote {
    /// Describes a server at an `http` or `https` URL. A user name or password in the URL is a secret, like
    /// [`Self::bearer_token`]. A parameter in the query of the URL is a secret if its name says so: see
    /// [`Self::header`].
    ///
    /// The client uses the proxies of the environment or of the system (`HTTPS_PROXY`, `NO_PROXY`), and the
    /// certificates that the system trusts. It follows redirects within the same origin only, so that no
    /// header or message goes to another origin.
    pub fn new(url: impl Into<String>) -> Self {
        Self { authorize: None, headers: Vec::new(), unencrypted: false, url: url.into() }
    }

    /// Adds a header that the client sends with each request. A header whose name says that it holds a secret needs
    /// an `https` URL or [`Self::allow_unencrypted`], like [`Self::bearer_token`]. Such a name contains `auth`, `cookie`,
    /// `credential`, `key`, `password`, `secret`, `session` or `token`.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets a header that the client sends with each request, in place of all headers of this name. Case is ignored.
    /// Otherwise like [`Self::header`].
    pub fn set_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let name = name.into();
        self.headers.retain(|(it, _)| !it.eq_ignore_ascii_case(&name));
        self.header(name, value)
    }

    /// Sets the token that the client sends with each request, as `Authorization: Bearer`. It replaces one that was set
    /// before, and a header of this name. Connecting to another
    /// machine over `http` fails then, since everybody on the way could read the token: use `https`, or
    /// [`Self::allow_unencrypted`].
    pub fn bearer_token(self, token: impl AsRef<str>) -> Self {
        self.set_header("authorization", format!("Bearer {}", token.as_ref()))
    }

    /// Uses the credentials of `authorize`, and lets it replace them when the server refuses them:
    /// `OAuth` of the crate `plainwire-oauth`, or your own.
    pub fn authorize(mut self, authorize: impl Authorize + 'static) -> Self {
        self.authorize = Some(Arc::new(authorize));
        self
    }

    /// Allows tokens and other secrets in headers to be sent to another machine over `http`, where everybody on
    /// the way can read them. For networks that are encrypted by other means.
    pub fn allow_unencrypted(mut self) -> Self {
        self.unencrypted = true;
        self
    }

    pub(crate) fn url_text(&self) -> &str {
        &self.url
    }

    #[cfg(test)]
    pub(crate) fn header_texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns whether [`Self::header`] or [`Self::bearer_token`] has set a header of this name. Case is
    /// ignored.
    pub fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|(it, _)| it.eq_ignore_ascii_case(name))
    }

    /// Returns the parsed URL.
    ///
    /// # Errors
    /// [`Error::Target`] if it is not an `http` or `https` URL.
    pub fn url(&self) -> Result<Url> {
        let invalid = |why: String| Error::Target {
            message: format!(
                "expected a URL with `http://` or `https://`, but found {:?}{why}",
                shown(&self.url)
            ),
        };
        let url = Url::parse(&self.url).map_err(|error| invalid(format!(": {error}")))?;
        match url.scheme() {
            "http" | "https" if url.has_host() => Ok(url),
            _ => Err(invalid(String::new())),
        }
    }

    /// Returns the headers for a server at `url`.
    ///
    /// # Errors
    /// [`Error::Target`] for a header that is not legal in HTTP, and for a secret that would be sent to another
    /// machine unencrypted.
    pub(super) fn headers(&self, url: &Url) -> Result<HeaderMap> {
        let mut headers = HeaderMap::new();
        let is_safe =
            self.unencrypted || url.scheme() == "https" || url.host().is_some_and(|it| is_local(&it));
        if let Some((what, it)) = self.secret(url).filter(|_| !is_safe) {
            let found = shown(&self.url);
            return Err(Error::Target {
                message: format!(
                    "expected an https URL to send {what}, but found {found:?}: over http everybody on the way can \
                     read {it}. If that is all right, use `Remote::allow_unencrypted`, `--allow-unencrypted`, or \
                     \"allowUnencrypted\": true in the entry of a configuration file"
                ),
            });
        }
        for (name, value) in &self.headers {
            let invalid =
                |what: &str| Error::Target { message: format!("expected {what} for the header {name:?}") };
            let known = HeaderName::try_from(name).map_err(|_| invalid("a legal name"))?;
            let mut value = HeaderValue::try_from(value).map_err(|_| invalid("a legal value"))?;
            // Any header may be secret, so `Debug` shows the value of none.
            value.set_sensitive(true);
            headers.append(known, value);
        }
        Ok(headers)
    }

    /// Returns a description of the first secret in the requests to `url`, and the pronoun for the secret in an
    /// error text: `it` or `them`.
    fn secret(&self, url: &Url) -> Option<(String, &'static str)> {
        if !url.username().is_empty() || url.password().is_some() {
            return Some(("the user name and password in it to".to_owned(), "them"));
        }
        if let Some((name, _)) = url.query_pairs().find(|(name, value)| is_secret(name) && !value.is_empty())
        {
            return Some((format!("{:?} in its query to, which holds a secret", shorten(&name)), "it"));
        }
        let (name, _) = self.headers.iter().find(|(name, _)| is_secret(name))?;
        Some((format!("the header {name:?} to, which holds a secret"), "it"))
    }
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Remote")
            .field("url", &shown(&self.url))
            .field("headers", &names)
            .field("unencrypted", &self.unencrypted)
            .finish_non_exhaustive()
    }
}

/// Returns whether a header or a parameter of a query of this name holds a secret, as far as names tell.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["auth", "cookie", "credential", "key", "password", "secret", "session", "token"]
        .iter()
        .any(|part| name.contains(part))
}

/// Returns a URL as errors and logs may show it. The user info, the values in the query, and parts of the
/// query without `=` may be secret and become `…`. The fragment is left out.
///
/// `url` need not be valid: errors show invalid URLs to their author, and they may contain variables of a
/// configuration file.
pub fn shown(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default();
    let (before, query) = url.split_once('?').map_or((url, None), |(before, query)| (before, Some(query)));
    let rest = before.split_once("//").map_or(before, |(_, rest)| rest);
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let mut out = before[..before.len() - rest.len()].to_owned();
    match authority.rsplit_once('@') {
        Some((_, host)) => out.push_str(&format!("…@{host}")),
        None => out.push_str(authority),
    }
    out.push_str(path);
    for (n, pair) in query.into_iter().flat_map(|it| it.split('&')).enumerate() {
        out.push(if n == 0 { '?' } else { '&' });
        // A query without names may be a token.
        out.push_str(pair.split_once('=').map_or("", |(name, _)| name));
        out.push_str(if pair.contains('=') { "=…" } else { "…" });
    }
    out
}

/// Creates the HTTP client for a server at `url`. It follows redirects within the same origin only.
pub(super) fn client(url: &Url) -> Result<Client> {
    let failed = |why: String| Error::Target {
        message: format!("expected to create an HTTPS client, but found: {why}"),
    };
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|it| match url.scheme() {
            "https" => it.with_platform_verifier(),
            // Reading the system's certificates takes longer than ten calls.
            _ => Ok(it.with_root_certificates(RootCertStore::empty())),
        })
        .map_err(|error| failed(error.to_string()))?
        .with_no_client_auth();
    Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(CONNECT)
        .redirect(Policy::custom(|attempt| {
            let same =
                attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
            if same && attempt.previous().len() <= MOST_REDIRECTS { attempt.follow() } else { attempt.stop() }
        }))
        .build()
        .map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;
    use tokio::time::{Instant, timeout};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_tls_handshake_without_an_answer_is_given_up_after_ten_seconds() {
        // The system accepts the connection, and nobody answers.
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("https://{}/mcp", listener.local_addr().expect("an address"));
        // A client for `http` does without the certificates of the system, and can connect by TLS, too.
        let client = client(&Url::parse("http://127.0.0.1/mcp").expect("a URL")).expect("a client");
        let began = Instant::now();
        let connected = timeout(Duration::from_secs(300), client.get(url).send()).await.expect("an end");
        let error = connected.expect_err("no server");
        assert!(error.is_connect(), "{error:?}");
        assert_eq!(began.elapsed().as_secs(), 10);
    }

    #[test]
    fn no_user_and_no_value_of_a_query_is_shown() {
        for (url, expected) in [
            ("https://a.example:8/mcp", "https://a.example:8/mcp"),
            ("https://u:s3cret@a.example/mcp?k=s3cret&b=s3cret#s3cret", "https://…@a.example/mcp?k=…&b=…"),
            ("https://s3cret@s3cret@a.example?s3cret", "https://…@a.example?…"),
            ("u:s3cret@a.example/x?y=", "…@a.example/x?y=…"),
            ("my-server", "my-server"),
            ("", ""),
        ] {
            assert_eq!(shown(url), expected);
            let remote = Remote::new(url).bearer_token("s3cret");
            let text = format!("{remote:?} {:?}", remote.url().map(|_| "a URL"));
            assert!(!text.contains("s3cret"), "{text}");
        }
    }

    #[test]
    fn a_secret_needs_https_or_this_machine_or_permission() {
        let sends = |url: &str, name: &str, allowed: bool| {
            let remote = Remote::new(url).header(name, "s3cret");
            let remote = if allowed { remote.allow_unencrypted() } else { remote };
            remote.headers(&remote.url().expect("a URL")).map_err(|error| error.to_string())
        };
        let there = "http://mcp.example/mcp";
        for (url, name, allowed) in [
            ("https://mcp.example/mcp", "Authorization", false),
            ("http://127.0.0.1:8000/mcp", "Authorization", false),
            ("http://[::1]/mcp", "X-Api-Key", false),
            ("http://localhost/mcp", "authorization", false),
            (there, "authorization", true),
            (there, "Accept-Language", false),
        ] {
            assert!(sends(url, name, allowed).is_ok(), "{url} {name}");
        }
        for name in [
            "authorization",
            "Cookie",
            "X-Api-Key",
            "Private-Token",
            "client-secret",
            "X-Auth",
            "X-AUTH-Id",
            "Proxy-Authorization",
            "X-Credential",
            "Session-Id",
            "X-Password",
        ] {
            let why = sends(there, name, false).expect_err("it is no secret then");
            assert!(
                why.contains(&format!("to send the header {name:?} to")) && !why.contains("s3cret"),
                "{why}"
            );
        }
    }

    #[test]
    fn a_parameter_of_a_query_is_a_secret_by_its_name() {
        let sends = |url: &str| {
            let remote = Remote::new(url);
            remote.headers(&remote.url().expect("a URL")).map_err(|error| error.to_string())
        };
        for url in [
            "http://192.0.2.2/mcp?lang=en&key=",
            "https://192.0.2.2/mcp?api_key=s3cret",
            "http://127.0.0.1/mcp?token=s3cret",
        ] {
            assert!(sends(url).is_ok(), "{url}");
        }
        for name in ["api_key", "access%5Ftoken", "Password"] {
            let why = sends(&format!("http://192.0.2.2/mcp?lang=en&{name}=s3cret")).expect_err("a secret");
            let name = name.replace("%5F", "_");
            let begins =
                format!("expected an https URL to send {name:?} in its query to, which holds a secret, but");
            assert!(why.starts_with(&begins) && !why.contains("s3cret"), "{why}");
        }
    }

    #[test]
    fn a_user_in_a_url_is_a_secret() {
        let sends = |url: &str, allowed: bool| {
            let remote = Remote::new(url);
            let remote = if allowed { remote.allow_unencrypted() } else { remote };
            remote.headers(&remote.url().expect("a URL")).map_err(|error| error.to_string())
        };
        for (url, allowed) in [
            ("https://ada:s3cret@mcp.example/mcp", false),
            ("http://ada:s3cret@127.0.0.1:8000/mcp", false),
            ("http://ada:s3cret@localhost/mcp", false),
            ("http://ada:s3cret@192.0.2.2/mcp", true),
            ("http://@192.0.2.2/mcp", false),
        ] {
            assert!(sends(url, allowed).is_ok(), "{url}");
        }
        for url in
            ["http://ada:s3cret@192.0.2.2/mcp", "http://s3cret@192.0.2.2/mcp", "http://:s3cret@192.0.2.2/mcp"]
        {
            let why = sends(url, false).expect_err("it is no secret then");
            let begins = "expected an https URL to send the user name and password in it to, but found \"http://…@192.0.2.2/mcp\": over http everybody on the way can read them.";
            assert!(why.starts_with(begins) && !why.contains("s3cret"), "{why}");
        }
    }
}
