//! HTTP requests to authorization servers and for metadata.
//!
//! In: URLs that a server named, each checked by the [`AddressGuard`]. Out: a status and a body, within
//! [`MAX_BYTES`] and [`REQUEST_TIMEOUT`]. Redirects are followed for metadata only, and each is checked: an
//! endpoint that receives secrets must not send them elsewhere.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderValue, StatusCode};
use plainwire::client::http::address_guard::{AddressGuard, Blocked};
use plainwire::proto::revision::Revision;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder};
use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_platform_verifier::{BuilderVerifierExt, Verifier};
use serde::de::DeserializeOwned;
use url::Url;

use super::fault::{Failure, origin, quoted};

/// An HTTP client that sends requests only to addresses that the guard permits.
#[derive(Clone, Debug)]
pub(super) struct GuardedHttp {
    client: Client,
    guard: Arc<AddressGuard>,
}

/// The response to an HTTP request.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
    content_type: Option<HeaderValue>,
    location: Option<String>,
}

impl GuardedHttp {
    /// Makes the client. `authorities` are trusted in addition to those of the system.
    pub(super) fn new(
        guard: Arc<AddressGuard>,
        authorities: &[CertificateDer<'static>],
    ) -> Result<Self, Failure> {
        let builder = Client::builder()
            .tls_backend_preconfigured(tls(authorities)?)
            .dns_resolver(Arc::clone(&guard).resolver())
            .redirect(Policy::none())
            .referer(false)
            .timeout(REQUEST_TIMEOUT)
            .user_agent(concat!("plainwire/", env!("CARGO_PKG_VERSION")));
        let client = builder.build().map_err(|error| {
            Failure::settings(format!("expected to create an HTTP client, but found: {}", root_cause(&error)))
        })?;
        Ok(Self { client, guard })
    }

    /// Checks a URL, such as an endpoint in metadata, with the address guard before any request to the URL.
    pub(super) fn check(&self, url: &Url) -> Result<(), Failure> {
        Ok(self.guard.check(url)?)
    }

    /// Gets the JSON document at `url`; `None` if there is none: the status is 4xx (but not 429), or the body
    /// is not a `T`.
    ///
    /// An HTML page at the URL does not count as metadata: some servers answer every path with their front
    /// page.
    pub(super) async fn document<T: DeserializeOwned>(&self, url: &Url) -> Result<Option<T>, Failure> {
        let answer = self.get(url.clone()).await?;
        if answer.status.is_client_error() && answer.status != StatusCode::TOO_MANY_REQUESTS {
            return Ok(None);
        }
        if answer.status != StatusCode::OK {
            return Err(unexpected(url, answer.status));
        }
        Ok(serde_json::from_slice(&answer.body).ok())
    }

    async fn get(&self, mut url: Url) -> Result<Answer, Failure> {
        for _ in 0..=MAX_REDIRECTS {
            let request = self
                .client
                .get(url.clone())
                .header(ACCEPT, "application/json")
                // Spec: 2025-03-26 authorization "Server Metadata Discovery Headers".
                .header("MCP-Protocol-Version", Revision::NEWEST.as_str());
            let answer = self.send(&url, request).await?;
            let Some(next) = answer.location.as_deref().filter(|_| answer.status.is_redirection()) else {
                return Ok(answer);
            };
            url = url.join(next).map_err(|_| {
                Failure::server(format!("expected a redirect to a URL, but found {}", quoted(next)))
            })?;
        }
        Err(Failure::server(format!(
            "expected at most {MAX_REDIRECTS} redirects, but found more at {}",
            quoted(&origin(&url))
        )))
    }

    /// Posts a JSON document to `url`, and returns the response whatever its status.
    pub(super) async fn post(&self, url: &Url, document: &serde_json::Value) -> Result<Answer, Failure> {
        let request = self.client.post(url.clone()).header(ACCEPT, "application/json");
        let request = request.header(CONTENT_TYPE, "application/json").body(document.to_string());
        self.send(url, request).await
    }

    /// Posts a form to `url`, and returns the response whatever its status. The contents of the form may be
    /// secret and never appear in errors.
    pub(super) async fn post_form(
        &self,
        url: &Url,
        headers: HeaderMap,
        form: String,
    ) -> Result<Answer, Failure> {
        let request = self.client.post(url.clone()).headers(headers).header(ACCEPT, "application/json");
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(form);
        self.send(url, request).await
    }

    /// Sends a request that `oauth2` has written, and returns the response in the form that `oauth2` reads.
    async fn exchange(&self, request: oauth2::HttpRequest) -> Result<oauth2::HttpResponse, Failure> {
        let (head, body) = request.into_parts();
        let url = Url::parse(&head.uri.to_string())
            .map_err(|_| Failure::server("expected the token endpoint to be a URL"))?;
        let request = self.client.request(head.method, url.clone()).headers(head.headers).body(body);
        let answer = self.send(&url, request).await?;
        if answer.status.is_server_error() || answer.status == StatusCode::TOO_MANY_REQUESTS {
            return Err(unexpected(&url, answer.status));
        }
        if answer.status.is_redirection() {
            return Err(Failure::server(format!(
                "expected the token endpoint at {} to answer, but found a redirect",
                quoted(&origin(&url))
            )));
        }
        let mut response = http::Response::new(answer.body);
        *response.status_mut() = if answer.status.is_success() { StatusCode::OK } else { answer.status };
        if let Some(content_type) = answer.content_type {
            response.headers_mut().insert(CONTENT_TYPE, content_type);
        }
        Ok(response)
    }

    async fn send(&self, url: &Url, request: RequestBuilder) -> Result<Answer, Failure> {
        self.check(url)?;
        let failed = |error: reqwest::Error| {
            let why = format!("{} can't be reached: {}", quoted(&origin(url)), root_cause(&error));
            if is_refusal(&error) { Failure::server(why) } else { Failure::unreachable(why) }
        };
        let mut response = request.send().await.map_err(failed)?;
        let header = |name| response.headers().get(name).cloned();
        let location = header(LOCATION).and_then(|it| Some(it.to_str().ok()?.to_owned()));
        let (status, content_type) = (response.status(), header(CONTENT_TYPE));
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(failed)? {
            if body.len() + piece.len() > MAX_BYTES {
                let from = quoted(&origin(url));
                return Err(Failure::server(format!(
                    "expected at most {MAX_BYTES} bytes from {from}, but found more"
                )));
            }
            body.extend_from_slice(&piece);
        }
        Ok(Answer { status, body, content_type, location })
    }
}

impl<'c> oauth2::AsyncHttpClient<'c> for GuardedHttp {
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<oauth2::HttpResponse, Failure>> + Send + 'c>>;

    fn call(&'c self, request: oauth2::HttpRequest) -> Self::Future {
        Box::pin(self.exchange(request))
    }
}

/// Returns the error for an HTTP status that is no answer to the request.
pub(super) fn unexpected(url: &Url, status: StatusCode) -> Failure {
    let message = format!("expected an answer from {}, but found status {status}", quoted(&origin(url)));
    let passes = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
    if passes { Failure::unreachable(message) } else { Failure::server(message) }
}

/// Returns the innermost error of a chain of sources. The outer ones repeat the URL, with its path and query.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

/// Returns whether a request failed because the guard refused all addresses that the host's name resolves to.
fn is_refusal(error: &reqwest::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    std::iter::from_fn(|| {
        let now = cause?;
        cause = now.source();
        Some(now)
    })
    .any(|it| it.is::<Blocked>())
}

/// Returns the TLS configuration that all of Plainwire uses: `ring`, and the certificates that the system
/// trusts, with `authorities` on top.
fn tls(authorities: &[CertificateDer<'static>]) -> Result<ClientConfig, Failure> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let failed =
        |error: rustls::Error| Failure::settings(format!("expected to set up TLS, but found: {error}"));
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    if authorities.is_empty() {
        return Ok(builder.with_platform_verifier().map_err(failed)?.with_no_client_auth());
    }
    let verifier = Verifier::new_with_extra_roots(authorities.iter().cloned(), provider).map_err(failed)?;
    let builder = builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    Ok(builder.with_no_client_auth())
}

/// Reads certificates in PEM.
pub(super) fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, Failure> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    found.ok().filter(|it| !it.is_empty()).ok_or_else(|| {
        Failure::settings("expected certificates in PEM, `-----BEGIN CERTIFICATE-----`, but found none")
    })
}

/// Longest response body. 1 MiB. Metadata with all its languages and keys takes a tenth of it.
pub(super) const MAX_BYTES: usize = 1 << 20;
/// Time limit for one request, including connecting and reading.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Most redirects: one from a bare name to `www`, one to another path, and one to spare.
const MAX_REDIRECTS: usize = 3;

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use plainwire::client::http::AuthFault;
    use plainwire::client::http::address_guard::Permission;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::time::{Instant, pause, resume};

    use super::*;

    #[tokio::test]
    async fn an_authorization_server_has_30_s_for_its_whole_answer() {
        // The server says nothing, or sends only the start of its answer.
        for start in ["", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"] {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let url = format!("http://{}/token", listener.local_addr().expect("an address"));
            let url = Url::parse(&url).expect("a URL");
            let guard = AddressGuard::new(&url, Permission::Withheld).expect("a guard");
            let web = GuardedHttp::new(Arc::new(guard), &[]).expect("a client");
            let server = async {
                let (mut stream, _) = listener.accept().await.expect("a connection");
                assert!(stream.read(&mut [0; 1024]).await.expect("a request") > 0);
                stream.write_all(start.as_bytes()).await.expect("sent");
                (stream, Instant::now())
            };
            let mut asking = pin!(web.document::<serde_json::Value>(&url));
            let (_stream, began) = tokio::select! {
                it = server => it,
                done = &mut asking => panic!("expected a client that waits, but found {done:?}"),
            };
            // From here on, the clock jumps to the next deadline.
            pause();
            let failure = asking.await.expect_err("no answer");
            let waited = began.elapsed().as_secs();
            resume();
            assert_eq!(failure.fault, AuthFault::Unreachable);
            assert!(failure.message.ends_with("can't be reached: operation timed out"), "{failure}");
            // The client began to wait a moment earlier than the server noticed.
            assert!((20..=30).contains(&waited), "{waited}");
        }
    }

    #[tokio::test]
    async fn a_certificate_of_a_company_is_trusted_if_its_authority_is() {
        let key = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        let server = serve_tls(&key);
        let url = Url::parse(&format!("https://localhost:{server}/x")).expect("a URL");
        let guard = Arc::new(AddressGuard::new(&url, Permission::Withheld).expect("a guard"));
        let web = |authorities: &[_]| GuardedHttp::new(Arc::clone(&guard), authorities).expect("a client");
        let failure = web(&[]).document::<serde_json::Value>(&url).await.expect_err("nobody knows it");
        assert!(failure.message.contains("certificate"), "{failure}");
        let authorities = certificates(key.cert.pem().as_bytes()).expect("a certificate");
        let found = web(&authorities).document::<serde_json::Value>(&url).await.expect("an answer");
        assert_eq!(found, Some(serde_json::json!({})));
        assert!(certificates(b"none").is_err());
    }

    /// Answers two connections with an empty object, over TLS. Returns the port.
    fn serve_tls(key: &rcgen::CertifiedKey<rcgen::KeyPair>) -> u16 {
        use std::io::{Read as _, Write as _};
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let secret = key.signing_key.serialize_der().try_into().expect("a key");
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![key.cert.der().clone()], secret)
            .expect("a certificate");
        let config = Arc::new(config);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        std::thread::spawn(move || {
            for stream in listener.incoming().take(2) {
                let session = rustls::ServerConnection::new(Arc::clone(&config)).expect("a session");
                let mut tls = rustls::StreamOwned::new(session, stream.expect("a connection"));
                if tls.read(&mut [0; 4096]).is_ok() {
                    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
                    tls.write_all(answer).and_then(|()| tls.flush()).expect("sent");
                }
            }
        });
        port
    }
}
