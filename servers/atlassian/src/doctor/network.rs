//! The way to the site: the lookup of its name, the proxy, and whether anything listens.

use std::io;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use url::Host;

use super::report::Report;
use crate::rest::{Proxies, ProxyScope, Site, SiteSettings, Url};
use crate::runtime;

/// The time limit of a lookup, and of a connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// The way that requests take.
enum Way {
    Direct,
    /// Through this proxy; its address has no user and no password.
    Proxy(Url),
    /// As the system says. Only its HTTP client knows.
    System,
}

/// Looks at the way to the site. `None` if there is none.
pub(super) async fn examine(settings: &SiteSettings, site: &Site, report: &mut Report) -> Option<()> {
    let target = site.base();
    match way(settings, target) {
        Way::Proxy(proxy) => {
            let shown = place(&proxy);
            report.skipped("host", format!("the proxy looks up {}", place(target)));
            match reach(&proxy).await {
                Ok(_) => report.passed("proxy", format!("{shown} answers")),
                Err(error) => {
                    let advice = "check JIRA_HTTPS_PROXY and the other variables of proxies; JIRA_NO_PROXY names hosts to reach without one";
                    report.failed(
                        "proxy",
                        format!("{shown} does not answer: {error}"),
                        Some(advice.to_owned()),
                    );
                    return None;
                }
            }
        }
        Way::Direct => {
            direct(target, report).await?;
        }
        Way::System => match reach(target).await {
            Ok(address) => {
                report.passed("host", format!("{} is {address}", place(target)));
                report.passed("proxy", "none is set here; the system may have one");
            }
            // A proxy of the system may know the way.
            Err(error) => {
                report.skipped("host", format!("{} is not reached directly: {error}", place(target)));
                report.skipped("proxy", "none is set here; the system may have one");
            }
        },
    }
    Some(())
}

async fn direct(target: &Url, report: &mut Report) -> Option<()> {
    match reach(target).await {
        Ok(address) => {
            report.passed("host", format!("{} is {address}", place(target)));
            report.passed("proxy", "none is used");
            Some(())
        }
        Err(error) => {
            let advice = "check JIRA_URL; if the site is reached through a proxy or a VPN, set JIRA_HTTPS_PROXY or start the VPN";
            report.failed(
                "host",
                format!("{} is not reached: {error}", place(target)),
                Some(advice.to_owned()),
            );
            None
        }
    }
}

/// Returns the way to an address.
fn way(settings: &SiteSettings, target: &Url) -> Way {
    let (proxies, except) = match &settings.proxies {
        Proxies::Direct => return Way::Direct,
        Proxies::System => return Way::System,
        Proxies::Named { proxies, except } => (proxies, except),
    };
    let host = target.host_str().unwrap_or_default();
    if except.as_deref().is_some_and(|it| is_excepted(host, it)) {
        return Way::Direct;
    }
    // Only the HTTP client knows whether an address is in a range.
    let is_address = matches!(target.host(), Some(Host::Ipv4(_) | Host::Ipv6(_)));
    if is_address && except.as_deref().is_some_and(|it| it.contains('/')) {
        return Way::System;
    }
    let fits = |scope| match scope {
        ProxyScope::All => true,
        ProxyScope::Http => target.scheme() == "http",
        ProxyScope::Https => target.scheme() == "https",
    };
    let address =
        proxies.iter().find(|it| fits(it.scope)).and_then(|it| Url::parse(it.address.reveal()).ok());
    match address {
        None => Way::Direct,
        Some(mut url) => {
            let _ = (url.set_username(""), url.set_password(None));
            Way::Proxy(url)
        }
    }
}

/// Returns whether a host is among those that are reached without a proxy. Ranges of addresses are left to the HTTP client.
fn is_excepted(host: &str, except: &str) -> bool {
    except
        .split(',')
        .map(|it| it.trim().trim_start_matches('.'))
        .filter(|it| !it.is_empty())
        .any(|it| it == "*" || host == it || host.strip_suffix(it).is_some_and(|rest| rest.ends_with('.')))
}

/// Looks up an address and connects to it. Returns what was connected to.
async fn reach(url: &Url) -> io::Result<String> {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let socks = if url.scheme().starts_with("socks") { Some(1080) } else { None };
    let port = url.port_or_known_default().or(socks).unwrap_or(443);
    let work = runtime::blocking(move || connect(&host, port));
    let late = || io::Error::new(io::ErrorKind::TimedOut, "it took too long");
    tokio::time::timeout(PATIENCE * 2, work).await.map_err(|_| late())?.map_err(io::Error::other)?
}

fn connect(host: &str, port: u16) -> io::Result<String> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in (host, port).to_socket_addrs()?.take(4) {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(_) => return Ok(address.to_string()),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Returns an address for people: its host and its port.
fn place(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rest::{Product, Proxy, Secret};

    #[test]
    fn the_way_is_that_of_the_requests() {
        let mut settings =
            SiteSettings::new(Product::Jira, "https://jira.example.com".parse().expect("a URL"));
        let proxy = |scope, address: &str| Proxy { scope, address: Secret::new(address) };
        let proxies =
            vec![proxy(ProxyScope::Http, "http://a"), proxy(ProxyScope::All, "socks5h://ada:pw@b:1080")];
        for (except, expected) in [
            (None, Some("socks5h://b:1080")),
            (Some("other.example, .corp"), Some("socks5h://b:1080")),
            (Some("ample.com"), Some("socks5h://b:1080")),
            (Some(".example.com"), None),
            (Some("jira.example.com"), None),
            (Some("*"), None),
        ] {
            settings.proxies =
                Proxies::Named { proxies: proxies.clone(), except: except.map(ToOwned::to_owned) };
            let found = match way(&settings, &settings.base) {
                Way::Proxy(url) => Some(url.to_string()),
                Way::Direct | Way::System => None,
            };
            assert_eq!(found.as_deref(), expected, "{except:?}");
        }
        settings.proxies = Proxies::Named { proxies, except: Some("10.0.0.0/8".to_owned()) };
        settings.base = "https://10.1.2.3".parse().expect("a URL");
        assert!(matches!(way(&settings, &settings.base), Way::System), "only the HTTP client knows");
    }
}
