//! Where requests for the sake of authorization may go: servers name the addresses, so a server could have us ask our own
//! network (server-side request forgery).
//!
//! In: a URL that a server named, or the addresses that a name resolves to. Out: whether to go there. URLs are read by the parser
//! that the HTTP client connects by, so that both read the same. Behind a proxy of the system names are resolved by the proxy,
//! and its rules count.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use super::fault::{Failure, quoted};

/// Which addresses may be asked for one server's sake.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    /// The host that the user named. Its addresses are the user's choice.
    home: Host<String>,
    /// Whether this machine may be asked: only if the server is on it.
    loopback: Permission,
    /// Whether private networks may be asked.
    private: Permission,
}

/// Whether something may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Permission {
    Granted,
    Withheld,
}

impl Guard {
    /// Makes the guard for the requests that `server` leads to.
    ///
    /// # Errors
    /// If the server itself can't be trusted with tokens: no HTTPS, and not on this machine.
    pub(super) fn new(server: &Url, private: Permission) -> Result<Self, Failure> {
        let home =
            server.host().ok_or_else(|| Failure::settings("expected the URL of a server to have a host"))?;
        let is_local = is_local(&home);
        if server.scheme() != "https" && !is_local {
            let found = quoted(&origin(server));
            return Err(Failure::settings(format!(
                "expected a server that needs tokens to have an https URL, but found {found}"
            )));
        }
        let loopback = if is_local { Permission::Granted } else { Permission::Withheld };
        Ok(Self { home: home.to_owned(), loopback, private })
    }

    /// Checks a URL before it is asked.
    pub(super) fn check(&self, url: &Url) -> Result<(), Failure> {
        let refuse = |expected: &str| {
            Err(Failure::server(format!("expected {expected}, but found {}", quoted(&origin(url)))))
        };
        let Some(host) = url.host() else { return refuse("a URL with a host") };
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("a URL without a user before its host");
        }
        if url.scheme() != "https" && !(url.scheme() == "http" && is_local(&host)) {
            return refuse("an https URL");
        }
        let may_go = match &host {
            Host::Domain(_) => !is_local(&host) || self.loopback == Permission::Granted,
            Host::Ipv4(ip) => self.allows(self.home == host.to_owned(), IpAddr::V4(*ip)),
            Host::Ipv6(ip) => self.allows(self.home == host.to_owned(), IpAddr::V6(*ip)),
        };
        if may_go { Ok(()) } else { refuse("a public address") }
    }

    fn allows(&self, is_home: bool, ip: IpAddr) -> bool {
        is_home
            || match place(ip) {
                Place::Loopback => self.loopback == Permission::Granted,
                Place::Private => self.private == Permission::Granted,
                Place::Public => true,
            }
    }

    /// The addresses of `name` that may be asked.
    fn sift(&self, name: &str, found: impl Iterator<Item = SocketAddr>) -> Vec<SocketAddr> {
        let host = Host::Domain(name);
        let is_home = self.home == host.to_owned();
        let fits = |it: &SocketAddr| match is_local(&host) {
            // It may be asked without TLS, so it has to be this machine.
            true => self.loopback == Permission::Granted && place(it.ip()) == Place::Loopback,
            false => self.allows(is_home, it.ip()),
        };
        found.filter(fits).collect()
    }
}

/// Resolves names for the HTTP client, so that it connects to nothing else than what was checked.
#[derive(Clone, Debug)]
pub(super) struct Resolver(pub(super) Arc<Guard>);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = Arc::clone(&self.0);
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let sifted = guard.sift(name.as_str(), found);
            if sifted.is_empty() {
                return Err(Refused.into());
            }
            Ok(Box::new(sifted.into_iter()) as Addrs)
        })
    }
}

/// A name with addresses that may not be asked only.
#[derive(Debug)]
pub(super) struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a name with a public address, but found private ones")
    }
}

impl std::error::Error for Refused {}

/// The part of a URL that may stand in messages: paths and queries hold secrets at times.
pub(super) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Whether a host is this machine, by its name alone.
pub(super) fn is_local<S: AsRef<str>>(host: &Host<S>) -> bool {
    match host {
        Host::Domain(name) => {
            let name = name.as_ref().trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        Host::Ipv4(ip) => ip.is_loopback(),
        Host::Ipv6(ip) => ip.is_loopback(),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Loopback,
    Private,
    Public,
}

/// Where an address is. What is neither public nor this machine counts as private.
fn place(ip: IpAddr) -> Place {
    match ip {
        IpAddr::V4(ip) if ip.is_loopback() => Place::Loopback,
        IpAddr::V4(ip) if PRIVATE_4.iter().any(|&net| in_4(ip, net)) => Place::Private,
        IpAddr::V4(_) => Place::Public,
        IpAddr::V6(ip) if ip.is_loopback() => Place::Loopback,
        IpAddr::V6(ip) => match (ip.to_ipv4_mapped(), behind_nat64(ip)) {
            (Some(inner), _) | (None, Some(inner)) => place(IpAddr::V4(inner)),
            _ if !in_6(ip, GLOBAL_6) || PRIVATE_6.iter().any(|&net| in_6(ip, net)) => Place::Private,
            _ => Place::Public,
        },
    }
}

/// Networks without IPv4 reach it by these addresses (RFC 6052).
fn behind_nat64(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let [.., a, b, c, d] = ip.octets();
    in_6(ip, ([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96)).then(|| Ipv4Addr::new(a, b, c, d))
}

fn in_4(ip: Ipv4Addr, (net, bits): ([u8; 4], u32)) -> bool {
    (ip.to_bits() ^ Ipv4Addr::from(net).to_bits()).leading_zeros() >= bits
}

fn in_6(ip: Ipv6Addr, (net, bits): ([u16; 8], u32)) -> bool {
    (ip.to_bits() ^ Ipv6Addr::from(net).to_bits()).leading_zeros() >= bits
}

/// IANA's registry of special IPv4 addresses: those that are not globally reachable, multicast, and what is reserved.
const PRIVATE_4: [([u8; 4], u32); 14] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];

/// All of IPv6 that is in use on the Internet.
const GLOBAL_6: ([u16; 8], u32) = ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// IANA's registry of special IPv6 addresses, inside [`GLOBAL_6`]: protocols (Teredo among them), documentation, 6to4.
const PRIVATE_6: [([u16; 8], u32); 4] = [
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
];

#[cfg(test)]
mod tests;
