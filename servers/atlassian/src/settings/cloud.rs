//! Questions to Cloud about sites: the id of one, and those that a token is good for.

use serde::Deserialize;

use super::names::told;
use crate::rest::{Credentials, Request, Site, SiteSettings, Url};

/// A site that a token of OAuth is good for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TokenSite {
    /// The cloud id.
    pub id: String,
    /// The address, as people open it.
    pub url: String,
    /// The name.
    #[serde(default)]
    pub name: String,
    /// The scopes that the token has there.
    #[serde(default)]
    pub scopes: Vec<String>,
}

impl TokenSite {
    /// Returns whether this is the site of the settings: by its cloud id, or else by its address.
    pub fn is_of(&self, settings: &SiteSettings) -> bool {
        match &settings.cloud_id {
            Some(id) => id.eq_ignore_ascii_case(&self.id),
            None => Url::parse(&self.url).is_ok_and(|it| it.origin() == settings.base.origin()),
        }
    }
}

/// Asks the gateway of Cloud which sites the credentials, which are a token of OAuth, are good for. The error is a sentence.
///
/// One request, two after an expired token. Cancel safe.
///
/// # Errors
/// The gateway can't be reached, or refuses the token.
///
/// Source: "OAuth 2.0 (3LO) apps", `GET https://api.atlassian.com/oauth/token/accessible-resources`.
pub async fn sites_of_token(settings: &SiteSettings) -> Result<Vec<TokenSite>, String> {
    let gateway = Site::new(settings.clone()).and_then(|it| it.gateway()).map_err(|it| told(&it))?;
    let found = gateway.json(Request::get(["oauth", "token", "accessible-resources"])).await;
    found.map_err(|error| error.message())
}

/// Asks a site for its cloud id, as nobody. The error is a sentence.
pub(crate) async fn cloud_id(site: &SiteSettings) -> Result<String, String> {
    #[derive(Deserialize)]
    struct Tenant {
        #[serde(rename = "cloudId")]
        id: String,
    }
    let settings = SiteSettings { cloud_id: None, credentials: Credentials::None, ..site.clone() };
    let site = Site::new(settings).map_err(|it| told(&it))?;
    let tenant = site.json(Request::get(["_edge", "tenant_info"])).await;
    tenant.map(|it: Tenant| it.id).map_err(|error| error.message())
}
