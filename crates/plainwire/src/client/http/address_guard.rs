//! A guard against requests into private networks. Servers, models and pages name URLs, so they could make this program
//! send requests to machines that only this program can reach (server-side request forgery).
//!
//! In: a URL that somebody else named, or the addresses that a name resolves to. Out: whether requests may go
//! there. The guard parses URLs with the parser of the HTTP client, so that both read them alike. A system
//! proxy resolves names itself: behind one, the proxy's rules apply.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use plainwire_proto::json::shorten;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// The addresses that requests on behalf of one server, or for pages of the web, may go to: public ones, the server's own, and
/// private ones only if permitted.
#[derive(Clone, Debug)]
pub struct AddressGuard {
    /// The host of the server's URL. The user chose it, so all of its addresses are allowed. `None` for pages.
    home: Option<Host<String>>,
    /// Whether requests may go to this machine: only if the URL of the server names it.
    loopback: Permission,
    /// Whether requests may go to addresses in private networks.
    private: Permission,
}

/// The permission to send requests to the addresses of private networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Requests may go into private networks.
    Granted,
    /// Requests may not go into private networks.
    Withheld,
}

/// A request that the guard refuses; its `Display` says what was expected and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked(String);

impl AddressGuard {
    /// Makes the guard for requests on behalf of the server at `server`, a URL that the user chose.
    ///
    /// # Errors
    /// [`Blocked`] for a URL without a host.
    pub fn new(server: &Url, private: Permission) -> Result<Self, Blocked> {
        let host =
            server.host().ok_or_else(|| Blocked("expected the URL of a server to have a host".to_owned()))?;
        let loopback = if is_local(&host) { Permission::Granted } else { Permission::Withheld };
        Ok(Self { home: Some(host.to_owned()), loopback, private })
    }

    /// Makes the guard for pages of the web, whose URLs may be `http` too. With the permission, pages may also be on this
    /// machine and in private networks, such as the wiki of a company.
    pub fn for_pages(private: Permission) -> Self {
        Self { home: None, loopback: private, private }
    }

    /// Checks a URL before a request to it: `https` (or `http`, for pages and on this machine), no user name or password
    /// before the host, and no address that the guard refuses. [`Self::resolver`] checks the addresses of a
    /// name.
    ///
    /// # Errors
    /// [`Blocked`], with the origin of the URL.
    pub fn check(&self, url: &Url) -> Result<(), Blocked> {
        let refuse = |expected: &str| {
            let origin = match url.origin() {
                origin if origin.is_tuple() => origin.ascii_serialization(),
                _ => format!("{}:", url.scheme()),
            };
            Err(Blocked(format!("expected {expected}, but found {:?}", shorten(&origin))))
        };
        let Some(host) = url.host() else { return refuse("a URL with a host") };
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("a URL without a user before its host");
        }
        let is_plain_allowed = self.home.is_none() || is_local(&host);
        if url.scheme() != "https" && !(url.scheme() == "http" && is_plain_allowed) {
            return refuse(if self.home.is_none() { "an http or https URL" } else { "an https URL" });
        }
        let is_allowed = match &host {
            Host::Domain(_) => !is_local(&host) || self.loopback == Permission::Granted,
            Host::Ipv4(ip) => self.allows(self.is_home(&host), IpAddr::V4(*ip)),
            Host::Ipv6(ip) => self.allows(self.is_home(&host), IpAddr::V6(*ip)),
        };
        if is_allowed { Ok(()) } else { refuse("a public address") }
    }

    /// Returns a resolver that gives an HTTP client only the addresses that this guard allows. For a name
    /// without such an address it fails with [`Blocked`].
    pub fn resolver(self: Arc<Self>) -> impl Resolve + 'static {
        Resolver(self)
    }

    fn is_home(&self, host: &Host<&str>) -> bool {
        self.home.as_ref().is_some_and(|home| *home == host.to_owned())
    }

    fn allows(&self, is_home: bool, ip: IpAddr) -> bool {
        is_home
            || match network(ip) {
                Network::Loopback => self.loopback == Permission::Granted,
                Network::Private => self.private == Permission::Granted,
                Network::Public => true,
            }
    }

    /// Returns those of the addresses `found` for `name` to which requests may go.
    fn sift(&self, name: &str, found: impl Iterator<Item = SocketAddr>) -> Vec<SocketAddr> {
        let host = Host::Domain(name);
        let is_home = self.is_home(&host);
        let fits = |it: &SocketAddr| match is_local(&host) {
            // Local names may be used without TLS, so their addresses have to be on this machine.
            true => self.loopback == Permission::Granted && network(it.ip()) == Network::Loopback,
            false => self.allows(is_home, it.ip()),
        };
        found.filter(fits).collect()
    }
}

/// The DNS resolver of an HTTP client, which returns only addresses that the guard has checked and allows.
#[derive(Clone, Debug)]
struct Resolver(Arc<AddressGuard>);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = Arc::clone(&self.0);
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let sifted = guard.sift(name.as_str(), found);
            if sifted.is_empty() {
                return Err(Blocked(PRIVATE_ONLY.to_owned()).into());
            }
            Ok(Box::new(sifted.into_iter()) as Addrs)
        })
    }
}

/// The message for a name that has no address to which requests may go.
const PRIVATE_ONLY: &str = "expected a name with a public address, but found private ones";

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Blocked {}

/// Returns whether a host is this machine, without a lookup: `localhost`, a name that ends with `.localhost`,
/// or a loopback address.
pub fn is_local<S: AsRef<str>>(host: &Host<S>) -> bool {
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
enum Network {
    Loopback,
    Private,
    Public,
}

/// Returns the kind of network that an address is in. An address that is neither public nor of this machine
/// counts as private.
fn network(ip: IpAddr) -> Network {
    match ip {
        IpAddr::V4(ip) if ip.is_loopback() => Network::Loopback,
        IpAddr::V4(ip) if PRIVATE_4.iter().any(|&net| in_4(ip, net)) => Network::Private,
        IpAddr::V4(_) => Network::Public,
        IpAddr::V6(ip) if ip.is_loopback() => Network::Loopback,
        IpAddr::V6(ip) => match (ip.to_ipv4_mapped(), behind_nat64(ip)) {
            (Some(inner), _) | (None, Some(inner)) => network(IpAddr::V4(inner)),
            _ if !in_6(ip, GLOBAL_6) || PRIVATE_6.iter().any(|&net| in_6(ip, net)) => Network::Private,
            _ => Network::Public,
        },
    }
}

/// Returns the IPv4 address in a NAT64 address (RFC 6052), by which networks without IPv4 reach IPv4.
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

/// The IPv4 networks that count as private, each with the length of its prefix. From IANA's registry of
/// special addresses: those that are not globally reachable, multicast, and the reserved ones. And one in public space by which
/// machines in Azure reach their host.
const PRIVATE_4: [([u8; 4], u32); 15] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([168, 63, 129, 16], 32),
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

/// The network of all IPv6 addresses that are in use on the Internet.
const GLOBAL_6: ([u16; 8], u32) = ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// The IPv6 networks inside [`GLOBAL_6`] that count as private. From IANA's registry of special addresses:
/// protocols (Teredo among them), documentation, 6to4.
const PRIVATE_6: [([u16; 8], u32); 4] = [
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
];

#[cfg(test)]
mod tests;
