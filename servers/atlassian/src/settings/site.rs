//! The site: its address, where it runs, and its id behind the gateway of Cloud.

use std::sync::Arc;

use super::credentials;
use super::layers::safe;
use super::network;
use super::reader::Reader;
use super::sign_in::{Nobody, SignIn};
use crate::rest::{Credentials, Deployment, Product, SiteSettings, Url};

/// The value of a cloud id that stands for a question to the site.
const ASK: &str = "auto";

/// The site as it was read.
pub(super) struct SiteRead {
    pub(super) site: SiteSettings,
    /// True if the site has to be asked for its cloud id.
    pub(super) finds_cloud_id: bool,
    /// The sign-in that the credentials come from.
    pub(super) sign_in: Option<SignIn>,
}

/// Reads the settings of the site. `None` without an address.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<SiteRead> {
    let base = address(reader, "JIRA_URL");
    if base.is_none() && !reader.has("JIRA_URL") {
        reader.problem(
            "JIRA_URL",
            "expected the address of the site, such as `https://example.atlassian.net`, but found nothing",
        );
    }
    // The other settings are read all the same: their problems belong to the same list.
    let mut site = SiteSettings::new(Product::Jira, base.clone().unwrap_or_else(placeholder));
    site.deployment = deployment(reader);
    if let Some(gateway) = address(reader, "ATLASSIAN_GATEWAY_URL") {
        site.gateway = gateway;
    }
    site.dangerous_plain_http = reader.switch("JIRA_DANGEROUS_PLAIN_HTTP") == Some(true);
    network::read(reader, &mut site);
    let has_cloud_id = reader.has("JIRA_CLOUD_ID");
    let likely = if has_cloud_id { Deployment::Cloud } else { Deployment::of(&site.base) };
    let deployment = site.deployment.unwrap_or(likely);
    // Without an address nobody knows what credentials it needs.
    base.as_ref()?;
    let kind = credentials::read(reader, deployment, &mut site);
    let sign_in = (kind == credentials::Kind::SignIn).then(|| SignIn::read(reader, deployment, &site.base));
    if sign_in.is_some() {
        site.credentials = Credentials::OAuth(Arc::new(Nobody));
    }
    let finds_cloud_id = read_cloud_id(reader, deployment, kind, &mut site);
    Some(SiteRead { site, finds_cloud_id, sign_in })
}

fn placeholder() -> Url {
    Url::parse("https://example.invalid").expect("the constant is a URL")
}

/// Reads an address.
pub(super) fn address(reader: &mut Reader<'_>, name: &str) -> Option<Url> {
    let text = reader.text(name)?;
    let expected =
        "an address of http or https, such as `https://example.atlassian.net` or `https://example.com/jira`";
    let url = Url::parse(text).ok().filter(|it| matches!(it.scheme(), "http" | "https") && it.has_host());
    let Some(mut url) = url else {
        reader.unexpected(name, expected);
        return None;
    };
    let path = url.path().trim_end_matches('/').to_owned();
    if let Some(page) = page(&path) {
        let context = path.split(page.trim_end_matches('/')).next().unwrap_or_default();
        let site = format!("{}{}", safe(&url.origin().ascii_serialization()), safe(context));
        let found = format!("that of a page of it, with `{page}`");
        reader
            .problem(name, format!("expected the address of the site, such as `{site}`, but found {found}"));
        return None;
    }
    url.set_path(&path);
    Some(url)
}

/// Returns the part of a path that only pages and the API have, below the address of the site.
fn page(path: &str) -> Option<&'static str> {
    let parts = [
        "/browse/",
        "/issues/",
        "/jira/for-you",
        "/jira/projects",
        "/jira/software",
        "/projects/",
        "/rest/",
        "/secure/",
        "/wiki/",
    ];
    parts.into_iter().find(|it| format!("{path}/").contains(it))
}

fn deployment(reader: &mut Reader<'_>) -> Option<Deployment> {
    let name = "JIRA_DEPLOYMENT";
    match reader.text(name)?.to_ascii_lowercase().replace(['-', ' '], "_").as_str() {
        "cloud" => Some(Deployment::Cloud),
        "data_center" | "datacenter" | "dc" | "server" => Some(Deployment::DataCenter),
        // Of ATLASSIAN_VARIANT: any address, with the credentials that are set.
        "custom" | "auto" => None,
        _ => {
            reader.unexpected(name, "`cloud` or `data_center`");
            None
        }
    }
}

/// Sets the cloud id. Returns whether the site has to be asked for it.
fn read_cloud_id(
    reader: &mut Reader<'_>,
    deployment: Deployment,
    kind: credentials::Kind,
    site: &mut SiteSettings,
) -> bool {
    let is_oauth = matches!(kind, credentials::Kind::OAuth | credentials::Kind::SignIn);
    let (name, text) = match (reader.text("JIRA_CLOUD_ID"), reader.text("ATLASSIAN_OAUTH_CLOUD_ID")) {
        (Some(id), _) => ("JIRA_CLOUD_ID", id),
        (None, Some(id)) if is_oauth => ("ATLASSIAN_OAUTH_CLOUD_ID", id),
        (None, Some(_)) => {
            let why = "no access token of OAuth is used; for an API token with scopes, set JIRA_CLOUD_ID";
            reader.warn(format!("ATLASSIAN_OAUTH_CLOUD_ID has no effect here, because {why}"));
            return false;
        }
        // An access token works behind the gateway only.
        (None, None) => return is_oauth && deployment == Deployment::Cloud,
    };
    if deployment == Deployment::DataCenter {
        reader.problem(
            name,
            "expected none for a site in Data Center; JIRA_DEPLOYMENT=cloud says that it is on Cloud",
        );
        return false;
    }
    if text.eq_ignore_ascii_case(ASK) {
        return true;
    }
    site.cloud_id = Some(text.to_owned());
    false
}
