//! The HTTP clients of a site: connections, proxies, certificates.
//!
//! In: the settings. Out: a client for the site, and one for the files that it redirects to. The second one
//! has no certificate of its own, checks each certificate, and connects to public addresses only. Neither
//! follows redirects or keeps cookies.

use std::sync::Arc;
use std::time::Duration;

use plainwire::client::http::address_guard::AddressGuard;
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, ClientBuilder, Identity, NoProxy};

use super::settings::{Proxies, Proxy, ProxyScope, SettingFault, SiteSettings};
use super::site::fault;

/// The time for which an idle connection is kept. The Apache server in front of many sites closes them after
/// 5 s; a change that is sent just then has an unknown outcome.
const IDLE: Duration = Duration::from_secs(4);

/// Makes the client for the origin of the site.
pub(super) fn for_site(settings: &SiteSettings) -> Result<Client, SettingFault> {
    let mut builder = common(settings)?;
    if settings.dangerous_accept_any_certificate {
        builder = builder.tls_danger_accept_invalid_certs(true);
    }
    if let Some(certificate) = &settings.client_certificate {
        builder = builder.identity(identity(&certificate.chain, certificate.key.reveal())?);
    }
    built(builder)
}

/// Makes the client for the addresses that downloads are redirected to.
pub(super) fn for_files(settings: &SiteSettings) -> Result<Client, SettingFault> {
    let guard = Arc::new(AddressGuard::for_pages(settings.private_downloads));
    built(common(settings)?.dns_resolver(guard.resolver()))
}

fn common(settings: &SiteSettings) -> Result<ClientBuilder, SettingFault> {
    // A process may have a provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .connect_timeout(settings.connect_timeout)
        .pool_idle_timeout(IDLE)
        .redirect(Policy::none())
        .referer(false)
        .user_agent(&settings.user_agent);
    with_authorities(with_proxies(builder, &settings.proxies)?, settings.ca_certificates.as_deref())
}

fn with_proxies(mut builder: ClientBuilder, proxies: &Proxies) -> Result<ClientBuilder, SettingFault> {
    match proxies {
        Proxies::System => {}
        Proxies::Direct => builder = builder.no_proxy(),
        Proxies::Named { proxies, except } => {
            builder = builder.no_proxy();
            for proxy in proxies {
                let except = except.as_deref().and_then(NoProxy::from_string);
                builder = builder.proxy(named(proxy)?.no_proxy(except));
            }
        }
    }
    Ok(builder)
}

impl Proxy {
    /// Refuses an address that no client can use.
    pub(crate) fn check(&self) -> Result<(), SettingFault> {
        named(self).map(drop)
    }
}

fn named(proxy: &Proxy) -> Result<reqwest::Proxy, SettingFault> {
    let address = proxy.address.reveal();
    let schemes = ["http://", "https://", "socks4://", "socks5://", "socks5h://"];
    // Without a scheme, the client would take any text for the name of a host.
    if !schemes.iter().any(|it| address.starts_with(it)) {
        return Err(fault(
            "proxies",
            "expected the address of a proxy of http, https, socks4, socks5 or socks5h",
        ));
    }
    let made = match proxy.scope {
        ProxyScope::All => reqwest::Proxy::all(address),
        ProxyScope::Http => reqwest::Proxy::http(address),
        ProxyScope::Https => reqwest::Proxy::https(address),
    };
    // The text of the error could have the password.
    made.map_err(|_| fault("proxies", "expected the address of a proxy, but found none"))
}

fn with_authorities(builder: ClientBuilder, pem: Option<&[u8]>) -> Result<ClientBuilder, SettingFault> {
    let Some(pem) = pem else { return Ok(builder) };
    let expected = || fault("ca_certificates", "expected certificates in PEM, `-----BEGIN CERTIFICATE-----`");
    let certificates = Certificate::from_pem_bundle(pem).map_err(|_| expected())?;
    if certificates.is_empty() {
        return Err(expected());
    }
    Ok(builder.tls_certs_merge(certificates))
}

fn identity(chain: &[u8], key: &str) -> Result<Identity, SettingFault> {
    if key.contains("BEGIN ENCRYPTED PRIVATE KEY") || key.contains("Proc-Type: 4,ENCRYPTED") {
        let message = "expected a private key without a password, but found one with a password; \
                       `openssl pkey -in key.pem -out plain.pem` removes it";
        return Err(fault("client_certificate", message));
    }
    let pem = [chain, b"\n", key.as_bytes()].concat();
    Identity::from_pem(&pem)
        .map_err(|_| fault("client_certificate", "expected a certificate and its private key, both in PEM"))
}

fn built(builder: ClientBuilder) -> Result<Client, SettingFault> {
    builder.build().map_err(|error| {
        let mut cause: &dyn std::error::Error = &error;
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        fault("client", format!("there is no HTTP client: {cause}"))
    })
}
