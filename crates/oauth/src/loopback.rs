//! A loopback listener that receives the redirect of one login (RFC 8252 §7.3).
//!
//! In: requests of the browser, and of any other program that finds the port. Out: the URL of the first
//! request that carries the `state` of this login; a small page for the user. Not a web server: it reads one
//! request per connection. Browsers open connections in advance, so it serves many at once and idle ones
//! block nothing.

use std::future::{Future, poll_fn};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use url::{Host, Url};

use super::fault::{Failure, quoted};

/// A listener on this machine that waits for the redirect of one login.
#[derive(Debug)]
pub(super) struct Loopback {
    /// One listener, or two for `localhost`. Never empty.
    listeners: Vec<TcpListener>,
    redirect_uri: String,
    /// The path of the redirect URI.
    path: String,
}

/// The addresses of a redirect URI that a listener can have.
pub(super) struct Place {
    addresses: &'static [IpAddr],
    port: u16,
    path: String,
}

/// The work on one connection of the browser, which yields the URL of the redirect if the connection brought
/// it.
type Visit<'v> = Pin<Box<dyn Future<Output = Option<Url>> + Send + 'v>>;

impl Loopback {
    /// Listens on a port of `earlier`, the redirect URIs of an earlier registration, or else on any free
    /// port. Binds to the address 127.0.0.1: `localhost` may resolve to an address on which another program
    /// listens.
    pub(super) async fn bind(earlier: &[String]) -> Result<Self, Failure> {
        let ports =
            earlier.iter().filter_map(|it| Url::parse(it).ok()).filter(|it| it.host_str() == Some(HOST));
        for port in ports.filter_map(|it| it.port()).chain([0]) {
            if let Ok(listener) = TcpListener::bind((HOST, port)).await {
                let port = listener.local_addr().map_err(failed)?.port();
                let redirect_uri = format!("http://{HOST}:{port}{PATH}");
                return Ok(Self { listeners: vec![listener], redirect_uri, path: PATH.to_owned() });
            }
        }
        Err(failed(io::Error::from(ErrorKind::AddrNotAvailable)))
    }

    /// Listens at a redirect URI that is registered.
    pub(super) async fn bind_at(redirect_uri: &str) -> Result<Self, Failure> {
        let Place { addresses, port, path } = Self::place(redirect_uri)?;
        let mut listeners = Vec::new();
        for address in addresses {
            match TcpListener::bind((*address, port)).await {
                Ok(listener) => listeners.push(listener),
                // A system without IPv6.
                Err(error)
                    if !listeners.is_empty()
                        && !matches!(error.kind(), ErrorKind::AddrInUse | ErrorKind::PermissionDenied) => {}
                Err(error) => {
                    return Err(Failure::settings(format!(
                        "expected to listen at {}, the registered redirect URI, but found {error}",
                        quoted(redirect_uri)
                    )));
                }
            }
        }
        Ok(Self { listeners, redirect_uri: redirect_uri.to_owned(), path })
    }

    /// Returns the addresses of a redirect URI.
    ///
    /// # Errors
    /// If it is not one of this machine that a listener without TLS can have.
    pub(super) fn place(redirect_uri: &str) -> Result<Place, Failure> {
        const V4: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
        const V6: IpAddr = IpAddr::V6(Ipv6Addr::LOCALHOST);
        let place = |url: &Url| {
            let addresses: &'static [IpAddr] = match url.host()? {
                Host::Domain("localhost") => &[V4, V6],
                Host::Ipv4(Ipv4Addr::LOCALHOST) => &[V4],
                Host::Ipv6(Ipv6Addr::LOCALHOST) => &[V6],
                _ => return None,
            };
            let port = url.port_or_known_default().filter(|it| *it != 0)?;
            let is_plain = url.scheme() == "http" && url.query().is_none() && url.fragment().is_none();
            let is_open = url.username().is_empty() && url.password().is_none();
            (is_plain && is_open).then(|| Place { addresses, port, path: url.path().to_owned() })
        };
        Url::parse(redirect_uri).ok().as_ref().and_then(place).ok_or_else(|| {
            Failure::settings(format!(
                "expected a redirect URI such as `http://localhost:8080/callback`, but found {}",
                quoted(redirect_uri)
            ))
        })
    }

    pub(super) fn redirect_uri(&self) -> &str {
        &self.redirect_uri
    }

    /// Waits for the redirect with `state`. There is no deadline here: the login as a whole has one.
    pub(super) async fn wait(self, state: &str) -> Result<Url, Failure> {
        let mut visits: Vec<Visit<'_>> = Vec::new();
        poll_fn(|cx| {
            loop {
                let mut accepted = false;
                for listener in &self.listeners {
                    match listener.poll_accept(cx) {
                        Poll::Ready(Ok((stream, _))) => {
                            // The oldest has said nothing so far, and the redirect may be in the newest.
                            if visits.len() == MAX_VISITS {
                                drop(visits.remove(0));
                            }
                            visits.push(Box::pin(self.visit(stream, state)));
                            accepted = true;
                        }
                        Poll::Ready(Err(error)) => return Poll::Ready(Err(failed(error))),
                        Poll::Pending => {}
                    }
                }
                if let Some(url) = poll_all(&mut visits, cx) {
                    return Poll::Ready(Ok(url));
                }
                if !accepted {
                    return Poll::Pending;
                }
            }
        })
        .await
    }

    /// Answers one request. Returns its URL if it is the redirect of this login.
    async fn visit(&self, mut stream: TcpStream, state: &str) -> Option<Url> {
        let target = timeout(VISIT_TIMEOUT, read_target(&mut stream)).await.ok()??;
        let url = Url::parse(&self.redirect_uri).ok()?.join(&target).ok()?;
        let is_ours = url.path() == self.path
            && url.query_pairs().any(|(name, value)| name == "state" && value == state);
        let went_wrong = url.query_pairs().any(|(name, _)| name == "error");
        let page = match (is_ours, went_wrong) {
            (false, _) => page("404 Not Found", "There is no page at this address."),
            (true, false) => page("200 OK", "You can close this window and go back to the program."),
            // The page does not show the text of the error: its sender is checked only later.
            (true, true) => page("200 OK", "The login failed. Go back to the program: it shows the reason."),
        };
        let answered = async {
            stream.write_all(page.as_bytes()).await?;
            stream.shutdown().await
        };
        // If the browser closes the connection before the page arrives, it has delivered the code
        // nevertheless.
        let _ = timeout(VISIT_TIMEOUT, answered).await;
        is_ours.then_some(url)
    }
}

/// Polls all connections. Returns the URL of the redirect if one of them brought it, and drops those that
/// ended without it.
fn poll_all(visits: &mut Vec<Visit<'_>>, cx: &mut Context<'_>) -> Option<Url> {
    let mut at = 0;
    while let Some(visit) = visits.get_mut(at) {
        match visit.as_mut().poll(cx) {
            Poll::Ready(Some(url)) => return Some(url),
            Poll::Ready(None) => drop(visits.remove(at)),
            Poll::Pending => at += 1,
        }
    }
    None
}

/// Reads a request up to the end of its head, and returns its target; `None` for anything but a GET of a
/// path.
async fn read_target(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|it| it == b"\r\n\r\n") {
        let read = stream.read_buf(&mut head).await.ok()?;
        if read == 0 || head.len() > MAX_HEAD {
            return None;
        }
    }
    let line = head.split(|&byte| byte == b'\r').next()?;
    let target = std::str::from_utf8(line).ok()?.strip_prefix("GET ")?.split(' ').next()?;
    // Only a path: two slashes would begin another host.
    (target.starts_with('/') && !target.starts_with("//")).then(|| target.to_owned())
}

fn page(status: &str, text: &str) -> String {
    let body = format!("<!doctype html><meta charset=\"utf-8\"><title>Sign in</title><p>{text}</p>\n");
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\
         cache-control: no-store\r\ncontent-security-policy: default-src 'none'; frame-ancestors 'none'\r\n\
         referrer-policy: no-referrer\r\nx-content-type-options: nosniff\r\n\r\n{body}",
        body.len()
    )
}

fn failed(error: io::Error) -> Failure {
    Failure::settings(format!("expected to listen on {HOST} for the end of the login, but found {error}"))
}

const HOST: &str = "127.0.0.1";
const PATH: &str = "/callback";
/// Most connections of the listener at a time; one more takes the place of the oldest. A browser opens six.
const MAX_VISITS: usize = 16;
/// Longest head of a request, in bytes. Browsers also send the cookies of other programs on this host.
const MAX_HEAD: usize = 32 << 10;
/// Time limit for a request to arrive, and for its answer to be sent.
const VISIT_TIMEOUT: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    async fn send(redirect_uri: &str, request: &str) -> String {
        let url = Url::parse(redirect_uri).expect("a URL");
        let mut stream = TcpStream::connect((HOST, url.port().expect("a port"))).await.expect("a connection");
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        answer
    }

    #[tokio::test]
    async fn waits_for_the_redirect_of_this_login_among_other_requests() {
        let listener = Loopback::bind(&[]).await.expect("a listener");
        let uri = listener.redirect_uri().to_owned();
        let browser = async {
            // Browsers open connections in advance that they never use.
            let idle = TcpStream::connect(
                uri.strip_prefix("http://").and_then(|it| it.split('/').next()).expect("a host"),
            );
            let _idle = idle.await.expect("a connection");
            for strange in [
                "GET /favicon.ico",
                "GET /callback?state=other&code=x",
                "GET /other?state=mine",
                "GET //h/callback?state=mine",
            ] {
                let answer = send(&uri, &format!("{strange} HTTP/1.1\r\n\r\n")).await;
                assert!(!answer.contains("200 OK"), "{strange}: {answer}");
            }
            assert_eq!(send(&uri, "POST /callback?state=mine HTTP/1.1\r\n\r\n").await, "");
            send(&uri, "GET /callback?code=a%20b&state=mine HTTP/1.1\r\nhost: x\r\n\r\n").await
        };
        let (found, page) = tokio::join!(listener.wait("mine"), browser);
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("close this window"), "{page}");
        assert_eq!(found.expect("a URL").query(), Some("code=a%20b&state=mine"));
    }

    #[tokio::test]
    async fn idle_connections_delay_no_login() {
        let listener = Loopback::bind(&[]).await.expect("a listener");
        let uri = listener.redirect_uri().to_owned();
        let host =
            uri.strip_prefix("http://").and_then(|it| it.split('/').next()).expect("a host").to_owned();
        let browser = async {
            let mut idle = Vec::new();
            for _ in 0..3 * MAX_VISITS {
                idle.push(TcpStream::connect(&host).await.expect("a connection"));
            }
            let began = Instant::now();
            send(&uri, "GET /callback?code=a&state=mine HTTP/1.1\r\n\r\n").await;
            began.elapsed()
        };
        let (found, took) = tokio::join!(listener.wait("mine"), browser);
        assert!(found.is_ok() && took < VISIT_TIMEOUT / 2, "{took:?}");
    }

    #[tokio::test]
    async fn the_seventeenth_connection_takes_the_place_of_the_oldest() {
        let listener = Loopback::bind(&[]).await.expect("a listener");
        let uri = listener.redirect_uri().to_owned();
        let host = listener.listeners[0].local_addr().expect("an address");
        let browser = async {
            let mut idle = Vec::new();
            for _ in 0..16 {
                idle.push(TcpStream::connect(host).await.expect("a connection"));
            }
            // The answer shows that the listener has accepted this connection and all before it.
            let answer = send(&uri, "GET /other HTTP/1.1\r\n\r\n").await;
            assert!(answer.starts_with("HTTP/1.1 404 Not Found"), "{answer}");
            let oldest = timeout(VISIT_TIMEOUT / 2, idle[0].read(&mut [0; 1])).await;
            assert!(matches!(oldest, Ok(Ok(0))), "expected the oldest to be closed, but found {oldest:?}");
            let redirect = b"GET /callback?code=a&state=mine HTTP/1.1\r\n\r\n";
            idle[1].write_all(redirect).await.expect("sent on the second oldest");
            let mut page = String::new();
            idle[1].read_to_string(&mut page).await.expect("an answer");
            assert!(page.starts_with("HTTP/1.1 200 OK"), "{page}");
        };
        let (found, ()) = tokio::join!(listener.wait("mine"), browser);
        assert!(found.is_ok());
    }

    #[tokio::test]
    async fn a_request_with_a_head_of_more_than_32_kib_is_not_answered() {
        let listener = Loopback::bind(&[]).await.expect("a listener");
        let uri = listener.redirect_uri().to_owned();
        let request = |bytes: usize| {
            let (start, end) = ("GET /callback?code=a&state=mine HTTP/1.1\r\ncookie: ", "\r\n\r\n");
            format!("{start}{}{end}", "x".repeat(bytes - start.len() - end.len()))
        };
        let browser = async {
            assert_eq!(send(&uri, &request(32_769)).await, "");
            let page = send(&uri, &request(32_768)).await;
            assert!(page.starts_with("HTTP/1.1 200 OK"), "{page}");
        };
        let (found, ()) = tokio::join!(listener.wait("mine"), browser);
        assert!(found.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_has_10_s_to_arrive() {
        let listener = Loopback::bind(&[]).await.expect("a listener");
        let host = listener.listeners[0].local_addr().expect("an address");
        let _idle = TcpStream::connect(host).await.expect("a connection");
        let (stream, _) = listener.listeners[0].accept().await.expect("a connection");
        let began = Instant::now();
        let found = timeout(Duration::from_secs(60), listener.visit(stream, "mine")).await;
        assert_eq!(found, Ok(None));
        assert_eq!(began.elapsed().as_secs(), 10);
    }

    #[tokio::test]
    async fn says_on_an_error_that_it_did_not_work_and_nothing_of_the_error() {
        let listener = Loopback::bind(&[]).await.expect("a listener");
        let uri = listener.redirect_uri().to_owned();
        let request = "GET /callback?state=s&error=access_denied&error_description=Call+555 HTTP/1.1\r\n\r\n";
        let (found, page) = tokio::join!(listener.wait("s"), send(&uri, request));
        assert!(page.contains("login failed") && !page.contains("555"), "{page}");
        assert!(found.is_ok());
    }

    #[tokio::test]
    async fn listens_where_it_did_before_if_that_is_free() {
        let first = Loopback::bind(&[]).await.expect("a listener");
        let uri = first.redirect_uri().to_owned();
        let second = Loopback::bind(std::slice::from_ref(&uri)).await.expect("another port");
        assert_ne!(second.redirect_uri(), uri);
        drop(first);
        let third = Loopback::bind(std::slice::from_ref(&uri)).await.expect("a listener");
        assert_eq!(third.redirect_uri(), uri);
    }

    #[tokio::test]
    async fn a_registered_redirect_uri_is_kept_and_a_taken_port_is_told() {
        let free = TcpListener::bind((HOST, 0)).await.expect("a port");
        let port = free.local_addr().expect("an address").port();
        let uri = format!("http://localhost:{port}/sign/in");
        let taken = Loopback::bind_at(&uri).await.expect_err("an error");
        assert!(taken.message.contains("the registered redirect URI"), "{taken}");
        drop(free);
        let listener = Loopback::bind_at(&uri).await.expect("a listener");
        assert_eq!(listener.redirect_uri(), uri);
        let (found, page) = tokio::join!(
            listener.wait("mine"),
            send(&uri, "GET /sign/in?code=a&state=mine HTTP/1.1\r\nhost: x\r\n\r\n")
        );
        assert!(page.starts_with("HTTP/1.1 200 OK"), "{page}");
        assert_eq!(found.expect("a URL").as_str(), format!("{uri}?code=a&state=mine"));
    }

    #[tokio::test]
    async fn localhost_is_served_at_both_addresses() {
        let free = TcpListener::bind((HOST, 0)).await.expect("a port");
        let port = free.local_addr().expect("an address").port();
        if TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await.is_err() {
            return;
        }
        drop(free);
        let uri = format!("http://localhost:{port}/callback");
        let listener = Loopback::bind_at(&uri).await.expect("a listener");
        let browser = async {
            let mut stream = TcpStream::connect((Ipv6Addr::LOCALHOST, port)).await.expect("a connection");
            stream.write_all(b"GET /callback?code=a&state=mine HTTP/1.1\r\n\r\n").await.expect("sent");
            let mut page = String::new();
            stream.read_to_string(&mut page).await.expect("an answer");
            page
        };
        let (found, page) = tokio::join!(listener.wait("mine"), browser);
        assert!(page.starts_with("HTTP/1.1 200 OK") && found.is_ok(), "{page}");
    }
}
