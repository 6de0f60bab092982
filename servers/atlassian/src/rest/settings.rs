//! The settings of a site: where it is, who asks, and the limits of requests.
//!
//! In: values of a configuration. Out: [`SiteSettings`], which `Site::new` checks. This module reads no files
//! and no environment: whoever reads the configuration does that.

use std::fmt;
use std::time::Duration;

use plainwire::client::http::address_guard::Permission;
use url::{Host, Url};

use super::capture::Capture;
use super::credentials::Credentials;
use super::secret::Secret;

/// A product of Atlassian. It decides the path behind the gateway of Cloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// Bitbucket. It is not behind the gateway.
    Bitbucket,
    /// Confluence.
    Confluence,
    /// Jira, with Jira Software and Jira Service Management.
    Jira,
}

/// Where a product runs, which decides the paths and the shapes of its API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deployment {
    /// At Atlassian.
    Cloud,
    /// On machines of its users: Data Center, or the older Server.
    DataCenter,
}

impl Deployment {
    /// Returns the deployment that an address suggests: Cloud for `*.atlassian.net`, `*.jira.com`,
    /// `bitbucket.org`, and `api.atlassian.com/ex`; Data Center for all others. A site of Cloud with a domain
    /// of its own needs the setting.
    pub fn of(base: &Url) -> Self {
        let Some(Host::Domain(name)) = base.host() else { return Self::DataCenter };
        let name = name.trim_end_matches('.');
        let is_cloud = [".atlassian.net", ".jira.com"].iter().any(|it| name.ends_with(it))
            || (name == "api.atlassian.com" && base.path().starts_with("/ex/"))
            || matches!(name, "bitbucket.org" | "api.bitbucket.org");
        if is_cloud { Self::Cloud } else { Self::DataCenter }
    }
}

/// The settings of one site. [`SiteSettings::new`] has the defaults.
#[derive(Clone, Debug)]
pub struct SiteSettings {
    /// The address of the site, as people open it, with its context path: `https://example.atlassian.net`,
    /// `https://example.com/jira`.
    pub base: Url,
    /// The product at this address.
    pub product: Product,
    /// Cloud or Data Center. Default: what [`Deployment::of`] says.
    pub deployment: Option<Deployment>,
    /// The user. Default: none.
    pub credentials: Credentials,
    /// The id of a site of Cloud. With it, requests go through the gateway, as scoped API tokens and OAuth
    /// demand. Default: none.
    pub cloud_id: Option<String>,
    /// The gateway of Cloud. Default: `https://api.atlassian.com`. Tests stand in for it.
    pub gateway: Url,
    /// Headers for each request to the site, such as those of a proxy in front of it. Their values are never
    /// logged. The credentials win over an `Authorization` among them. Default: none.
    pub headers: Vec<(String, Secret)>,
    /// The proxies. Default: those of the system.
    pub proxies: Proxies,
    /// Certificates, in PEM, that are trusted in addition to those of the system. Default: none.
    pub ca_certificates: Option<Vec<u8>>,
    /// A certificate by which this client proves who it is. Only the site gets it. Default: none.
    pub client_certificate: Option<ClientCertificate>,
    /// Whether any certificate of the site is accepted. Whoever is between this program and the site can then
    /// read the credentials. Default: no.
    pub dangerous_accept_any_certificate: bool,
    /// Whether credentials may be sent without TLS to another machine. Default: no. Without TLS, everybody in
    /// the network can read them.
    pub dangerous_plain_http: bool,
    /// The time limit of an attempt, from the connection to the last byte. Default: 75 s, as in
    /// mcp-atlassian.
    pub timeout: Duration,
    /// The time limit of a connection. Default: 10 s.
    pub connect_timeout: Duration,
    /// The time limit of a download, as `timeout`. Default: 10 min, which is 64 MiB at 1 Mbit/s.
    pub download_timeout: Duration,
    /// The largest answer in JSON, in bytes. Default: 16 MiB, since its values take several times as much
    /// memory.
    pub max_json_bytes: usize,
    /// The largest download, in bytes. Default: 64 MiB, since it is held in memory.
    pub max_download_bytes: usize,
    /// The largest number of attempts after the first. Default: 3.
    pub max_retries: u32,
    /// The wait before the second attempt, which doubles with each further one. Default: 500 ms.
    pub backoff: Duration,
    /// The longest time that one request waits between its attempts, in all. Default: 60 s. A site that asks
    /// for more gets no further attempt.
    pub max_wait: Duration,
    /// The largest number of pages that are read for one list. Default: 100.
    pub max_pages: usize,
    /// The largest number of requests at once; others wait for their turn. Default: 8.
    pub max_concurrent: usize,
    /// Whether a download may be redirected into a private network, such as to the file store of a company.
    /// Default: no, because the site could make this program ask machines that only this program reaches.
    pub private_downloads: Permission,
    /// The value of `User-Agent`. Default: `plainwire-atlassian/` and the version. The name of a browser
    /// may make Data Center check requests against forgery and refuse them.
    pub user_agent: String,
    /// Where rich text is kept verbatim as it comes and goes, to look at. Default: nowhere.
    pub capture: Option<Capture>,
}

impl SiteSettings {
    /// Returns the default settings for a product at an address.
    pub fn new(product: Product, base: Url) -> Self {
        Self {
            base,
            product,
            deployment: None,
            credentials: Credentials::None,
            cloud_id: None,
            gateway: Url::parse("https://api.atlassian.com").expect("the constant is a URL"),
            headers: Vec::new(),
            proxies: Proxies::System,
            ca_certificates: None,
            client_certificate: None,
            dangerous_accept_any_certificate: false,
            dangerous_plain_http: false,
            timeout: Duration::from_secs(75),
            connect_timeout: Duration::from_secs(10),
            download_timeout: Duration::from_secs(600),
            max_json_bytes: 16 << 20,
            max_download_bytes: 64 << 20,
            max_retries: 3,
            backoff: Duration::from_millis(500),
            max_wait: Duration::from_secs(60),
            max_pages: 100,
            max_concurrent: 8,
            private_downloads: Permission::Withheld,
            user_agent: concat!("plainwire-atlassian/", env!("CARGO_PKG_VERSION")).to_owned(),
            capture: None,
        }
    }
}

/// The certificate of this client, in PEM.
#[derive(Clone, Debug)]
pub struct ClientCertificate {
    /// The certificate, followed by those between it and its root.
    pub chain: Vec<u8>,
    /// The private key, without a password.
    pub key: Secret,
}

/// The proxies that requests go through.
#[derive(Clone, Debug, Default)]
pub enum Proxies {
    /// No proxies.
    Direct,
    /// These proxies; the first that fits is used.
    Named {
        /// The proxies.
        proxies: Vec<Proxy>,
        /// Hosts that are reached without a proxy, such as `localhost,10.0.0.0/8,.corp.example`.
        except: Option<String>,
    },
    /// The proxies of the system: variables such as `HTTPS_PROXY` and `NO_PROXY`, or the settings of macOS
    /// and Windows.
    #[default]
    System,
}

/// A proxy.
#[derive(Clone, Debug)]
pub struct Proxy {
    /// The requests that it is for.
    pub scope: ProxyScope,
    /// Its address: `http`, `https`, `socks4`, `socks5` or `socks5h`, with or without `user:password@`.
    pub address: Secret,
}

/// The requests that a proxy is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyScope {
    /// All requests.
    All,
    /// Requests to addresses of `http`.
    Http,
    /// Requests to addresses of `https`.
    Https,
}

/// A setting that can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingFault {
    /// The name of the field in [`SiteSettings`].
    pub setting: &'static str,
    /// What was expected, and what was found. Never a secret.
    pub message: String,
}

impl fmt::Display for SettingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.setting, self.message)
    }
}

impl std::error::Error for SettingFault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_suggests_its_deployment() {
        for (base, expected) in [
            ("https://example.atlassian.net", Deployment::Cloud),
            ("https://example.atlassian.net./", Deployment::Cloud),
            ("https://EXAMPLE.jira.com/", Deployment::Cloud),
            ("https://api.atlassian.com/ex/jira/1", Deployment::Cloud),
            ("https://api.bitbucket.org/2.0", Deployment::Cloud),
            ("https://api.atlassian.com/", Deployment::DataCenter),
            ("https://atlassian.net.evil.example/", Deployment::DataCenter),
            ("https://evil-atlassian.net/", Deployment::DataCenter),
            ("https://jira.example.com/jira", Deployment::DataCenter),
            ("http://127.0.0.1:8080/", Deployment::DataCenter),
        ] {
            assert_eq!(Deployment::of(&base.parse().expect("a URL")), expected, "{base}");
        }
    }
}
