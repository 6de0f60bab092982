//! A site: one product at one address, for one user.
//!
//! In: [`SiteSettings`]. Out: [`Site`], which sends requests, reads lists and downloads files. The settings
//! are checked here, once; a site can't lack a part later.

use std::fmt;
use std::sync::Arc;

use plainwire::client::http::address_guard::is_local;
use reqwest::Client;
use reqwest::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderName, HeaderValue};
use serde::de::DeserializeOwned;
use tokio::sync::{OnceCell, Semaphore};
use url::Url;

use super::answer::{Answer, Download};
use super::client;
use super::credentials::Credentials;
use super::pages::{Pages, Style};
use super::path::{self, quote};
use super::prepare::{Facts, Purpose, User};
use super::request::Request;
use super::secret::Secret;
use super::settings::{Deployment, Product, SettingFault, SiteSettings};
use super::upstream::Upstream;

/// A product at an address, for a user. Clones share connections and limits.
#[derive(Clone)]
pub struct Site {
    pub(super) shared: Arc<Shared>,
    pub(super) user: Arc<Account>,
}

/// The parts of a site that all of its users share.
pub(super) struct Shared {
    pub(super) settings: SiteSettings,
    /// Where requests go: the address of the settings, or the gateway.
    pub(super) base: Url,
    pub(super) deployment: Deployment,
    /// The extra headers of the settings, without those that name a user.
    pub(super) headers: HeaderMap,
    /// The client for the origin of the base.
    pub(super) client: Client,
    /// The client for the addresses that downloads are redirected to. Most sites never need it.
    pub(super) files: OnceCell<Client>,
    /// The turns of requests.
    pub(super) turns: Semaphore,
}

/// A user of a site.
pub(super) struct Account {
    pub(super) credentials: Credentials,
    /// The extra headers.
    pub(super) headers: HeaderMap,
}

impl Site {
    /// Checks the settings. Sends nothing.
    ///
    /// # Errors
    /// The first setting that can't be used.
    pub fn new(settings: SiteSettings) -> Result<Self, SettingFault> {
        check_address(&settings.base, "base")?;
        check_address(&settings.gateway, "gateway")?;
        let base = base(&settings)?;
        check_transport(&base, &settings)?;
        let account = Account::new(settings.credentials.clone(), HeaderMap::new(), &settings.headers)?;
        let deployment = settings.deployment.unwrap_or_else(|| match settings.cloud_id {
            Some(_) => Deployment::Cloud,
            None => Deployment::of(&settings.base),
        });
        let client = client::for_site(&settings)?;
        let turns = Semaphore::new(settings.max_concurrent.clamp(1, Semaphore::MAX_PERMITS));
        let mut headers = account.headers.clone();
        headers.remove(AUTHORIZATION);
        headers.remove(COOKIE);
        let shared = Shared { settings, base, deployment, headers, client, files: OnceCell::new(), turns };
        Ok(Self { shared: Arc::new(shared), user: Arc::new(account) })
    }

    /// Returns the same site for another user. Connections and limits are shared. The headers of the settings
    /// stay, without `Authorization` and `Cookie`, which would name their user; `headers` come on top, and
    /// win.
    ///
    /// # Errors
    /// A header that is none, or credentials for a site without TLS.
    pub fn as_user(
        &self,
        credentials: Credentials,
        headers: &[(String, Secret)],
    ) -> Result<Self, SettingFault> {
        let account = Account::new(credentials, self.shared.headers.clone(), headers)?;
        let has_secrets = account.credentials.are_given() || !account.headers.is_empty();
        check_secrecy(&self.shared.base, has_secrets, self.shared.settings.dangerous_plain_http)?;
        Ok(Self { shared: Arc::clone(&self.shared), user: Arc::new(account) })
    }

    /// Returns the product.
    pub fn product(&self) -> Product {
        self.shared.settings.product
    }

    /// Returns whether the site is on Cloud or in Data Center.
    pub fn deployment(&self) -> Deployment {
        self.shared.deployment
    }

    /// Returns whether the site is on Cloud.
    pub fn is_cloud(&self) -> bool {
        self.deployment() == Deployment::Cloud
    }

    /// Returns the address that requests go to: that of the settings, or one behind the gateway.
    pub fn base(&self) -> &Url {
        &self.shared.base
    }

    /// Returns the address of the site for people, as in the settings.
    pub fn web(&self) -> &Url {
        &self.shared.settings.base
    }

    /// Returns the id of the site on Cloud, if the settings have it.
    pub fn cloud_id(&self) -> Option<&str> {
        self.shared.settings.cloud_id.as_deref()
    }

    /// Returns the gateway of Cloud as a site, for APIs that only it has. The user is the same; headers and certificates that are for the site
    /// alone do not go there.
    ///
    /// # Errors
    /// A gateway without TLS on another machine.
    pub fn gateway(&self) -> Result<Self, SettingFault> {
        let mut settings = self.shared.settings.clone();
        settings.base = settings.gateway.clone();
        settings.deployment = Some(self.deployment());
        settings.cloud_id = None;
        settings.headers = Vec::new();
        settings.client_certificate = None;
        settings.credentials = self.user.credentials.clone();
        Self::new(settings).map_err(|it| if it.setting == "base" { fault("gateway", it.message) } else { it })
    }

    /// Sends a request, and again after failures that pass. Returns the answer with a status of success.
    ///
    /// Dropping the future ends the request; whether the site has acted on it is then unknown.
    ///
    /// # Errors
    /// Each kind of [`Upstream`].
    pub async fn send(&self, request: Request) -> Result<Answer, Upstream> {
        self.deliver(&self.prepare(request, Purpose::Api)?).await
    }

    /// Sends a request as [`Self::send`] does, and reads the JSON of the answer. An answer without a body is
    /// read as `null`.
    ///
    /// # Errors
    /// As [`Self::send`]; `Unreadable` for JSON of another shape.
    pub async fn json<T: DeserializeOwned>(&self, request: Request) -> Result<T, Upstream> {
        self.send(request).await?.json()
    }

    /// Reads a file: the bytes at the path of a `GET`, or where the site redirects to. Only downloads follow
    /// redirects: at most 5, to addresses of the public Internet with `https`, and without credentials once
    /// they leave the origin of the site.
    ///
    /// # Errors
    /// As [`Self::send`]; `TooLarge` for more bytes than the settings allow, `Redirect` for a redirect that
    /// is not followed.
    pub async fn download(&self, request: Request) -> Result<Download, Upstream> {
        let answer = self.deliver(&self.prepare(request, Purpose::Download)?).await?;
        Ok(answer.into_download())
    }

    /// Returns the pages of a list. Sends nothing before the first page is asked for.
    pub fn pages(&self, request: Request, style: Style) -> Pages {
        self.pages_of(request, style)
    }

    /// Like [`Self::pages`], with items of a type.
    pub fn pages_of<T: DeserializeOwned>(&self, request: Request, style: Style) -> Pages<T> {
        Pages::new(self.clone(), request, style)
    }

    /// Returns what error messages say about the site.
    pub(super) fn facts(&self) -> Facts {
        Facts {
            deployment: self.deployment(),
            is_gateway: self.shared.settings.cloud_id.is_some() || self.base().path().starts_with("/ex/"),
            site: path::place(self.web()),
            user: match &self.user.credentials {
                Credentials::None => User::None,
                Credentials::Basic { .. } => User::Basic,
                Credentials::Bearer(_) => User::Bearer,
                Credentials::OAuth(_) => User::OAuth,
            },
        }
    }
}

impl Account {
    /// Makes a user with `headers` on top of those in `map`.
    fn new(
        credentials: Credentials,
        mut map: HeaderMap,
        headers: &[(String, Secret)],
    ) -> Result<Self, SettingFault> {
        for (name, value) in headers {
            let (name, mut value) = header(name, value.reveal()).map_err(|it| fault("headers", it))?;
            value.set_sensitive(true);
            map.insert(name, value);
        }
        if credentials.are_given() {
            map.remove(AUTHORIZATION);
        }
        Ok(Self { credentials, headers: map })
    }
}

/// Headers of the connection, which only the HTTP client may set: others would let a request be read in two
/// ways.
const RESERVED: [&str; 7] =
    ["connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade"];

/// Reads a header. The error never has its value.
pub(super) fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let shown = || plainwire::proto::json::visible(name, 80);
    let parsed = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| format!("expected the name of a header, but found {:?}", shown()))?;
    if RESERVED.contains(&parsed.as_str()) {
        return Err(format!("expected a header that is not about the connection, but found `{}`", shown()));
    }
    let value = HeaderValue::from_str(value)
        .map_err(|_| format!("expected visible characters in the header `{}`, but found others", shown()))?;
    Ok((parsed, value))
}

pub(super) fn fault(setting: &'static str, message: impl Into<String>) -> SettingFault {
    SettingFault { setting, message: message.into() }
}

fn check_address(url: &Url, setting: &'static str) -> Result<(), SettingFault> {
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(fault(setting, "expected an address of http or https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(fault(setting, "expected an address without a user or a password before its host"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(fault(setting, "expected an address without `?` and `#`"));
    }
    Ok(())
}

/// Returns the address that requests go to.
fn base(settings: &SiteSettings) -> Result<Url, SettingFault> {
    let Some(cloud_id) = &settings.cloud_id else { return Ok(settings.base.clone()) };
    let product = match settings.product {
        Product::Bitbucket => return Err(fault("cloud_id", "expected none, since Bitbucket has no gateway")),
        Product::Confluence => "confluence",
        Product::Jira => "jira",
    };
    let is_id = |it: char| it.is_ascii_alphanumeric() || it == '-';
    if cloud_id.is_empty() || !cloud_id.chars().all(is_id) {
        let found = plainwire::proto::json::visible(cloud_id, 80);
        let expected = "expected the id of a site, such as `11223344-a1b2-3b33-c444-def123456789`";
        return Err(fault("cloud_id", format!("{expected}, but found {found:?}")));
    }
    let mut url = settings.gateway.clone();
    url.set_path(&format!("{}/ex/{product}/{}", url.path().trim_end_matches('/'), quote(cloud_id)));
    Ok(url)
}

fn check_transport(base: &Url, settings: &SiteSettings) -> Result<(), SettingFault> {
    let has_secrets = settings.credentials.are_given() || !settings.headers.is_empty();
    let checked = check_secrecy(base, has_secrets, settings.dangerous_plain_http);
    checked.map_err(
        |it| if settings.cloud_id.is_some() { SettingFault { setting: "gateway", ..it } } else { it },
    )
}

/// Refuses to send secrets without TLS to another machine.
fn check_secrecy(base: &Url, has_secrets: bool, is_plain_allowed: bool) -> Result<(), SettingFault> {
    let is_here = base.host().is_some_and(|it| is_local(&it));
    if has_secrets && base.scheme() == "http" && !is_here && !is_plain_allowed {
        let message = "expected an address of https, since credentials are sent, but found one of http";
        return Err(fault("base", message));
    }
    Ok(())
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site")
            .field("base", &path::place(self.base()))
            .field("product", &self.product())
            .field("deployment", &self.deployment())
            .field("credentials", &self.user.credentials)
            .finish_non_exhaustive()
    }
}
