//! A sign-in by OAuth: the app, where it signs in, and what it asks for.
//!
//! In: values of the layers. Out: a [`SignIn`], from which a program gets tokens with an OAuth client. This crate has none: it takes
//! tokens from a [`TokenSource`].

use super::reader::Reader;
use super::site::address;
use crate::rest::{Deployment, Secret, Token, TokenSource, Url};

/// The redirect URI of an app by default, as in the documentation of mcp-atlassian.
const REDIRECT_URI: &str = "http://localhost:8080/callback";

/// The scopes on Cloud by default: issues, their changes, and people.
const CLOUD_SCOPES: &str = "read:jira-work read:jira-user write:jira-work";

/// The scope in Data Center by default. It includes `READ`.
const DATA_CENTER_SCOPES: &str = "WRITE";

/// The scope with which Cloud gives tokens that can be renewed.
const OFFLINE: &str = "offline_access";

/// The settings with which a program signs in by OAuth, and renews tokens.
///
/// Source: "OAuth 2.0 (3LO) apps" for Cloud; "Jira OAuth 2.0 provider API" for Data Center.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// The id of the app. Only a sign-in needs it: tokens are renewed with the app that they were issued to.
    pub client_id: Option<String>,
    /// The secret of the app.
    pub client_secret: Option<Secret>,
    /// The page on which the user signs in.
    pub authorization: Url,
    /// The address of requests for tokens.
    pub token: Url,
    /// Further parameters of the page.
    pub parameters: Vec<(String, String)>,
    /// The address that the browser returns to, as it is registered with the app.
    pub redirect_uri: String,
    /// The scopes to ask for.
    pub scopes: Vec<String>,
    /// The scopes that the authorization server knows beside those of products.
    pub offered: Vec<String>,
}

impl SignIn {
    /// Reads what a sign-in needs. `base` is the address of the site.
    pub(super) fn read(reader: &mut Reader<'_>, deployment: Deployment, base: &Url) -> Self {
        let is_cloud = deployment == Deployment::Cloud;
        let server = if is_cloud { cloud_server(reader) } else { instance(reader, base) };
        let at = |path: &str| {
            let mut url = server.clone();
            url.set_path(&format!("{}{path}", server.path().trim_end_matches('/')));
            url
        };
        let paths = if is_cloud {
            ["/authorize", "/oauth/token"]
        } else {
            ["/rest/oauth2/latest/authorize", "/rest/oauth2/latest/token"]
        };
        let pair = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let parameters = [("audience", "api.atlassian.com"), ("prompt", "consent")].map(pair);
        let default = if is_cloud { CLOUD_SCOPES } else { DATA_CENTER_SCOPES };
        let scopes = reader.text("JIRA_OAUTH_SCOPE").unwrap_or(default);
        Self {
            client_id: reader.text("JIRA_OAUTH_CLIENT_ID").map(ToOwned::to_owned),
            client_secret: reader.secret("JIRA_OAUTH_CLIENT_SECRET"),
            authorization: at(paths[0]),
            token: at(paths[1]),
            parameters: if is_cloud { parameters.into() } else { Vec::new() },
            redirect_uri: redirect_uri(reader),
            // Lists are written with blanks, as OAuth has them; some write commas.
            scopes: scopes
                .split([' ', ','])
                .filter(|it| !it.is_empty() && *it != OFFLINE)
                .map(ToOwned::to_owned)
                .collect(),
            offered: if is_cloud { vec![OFFLINE.to_owned()] } else { Vec::new() },
        }
    }
}

/// Returns the callback URL, to the letter: the authorization server compares it so.
fn redirect_uri(reader: &mut Reader<'_>) -> String {
    let text = reader.text("JIRA_OAUTH_REDIRECT_URI").unwrap_or(REDIRECT_URI);
    let is_fit = |url: Url| url.has_host() && url.fragment().is_none();
    if !Url::parse(text).is_ok_and(is_fit) {
        reader.unexpected(
            "JIRA_OAUTH_REDIRECT_URI",
            "the callback URL of the app, such as `http://localhost:8080/callback`",
        );
    }
    text.to_owned()
}

/// Returns the address of the authorization server of Cloud.
fn cloud_server(reader: &mut Reader<'_>) -> Url {
    if reader.has("ATLASSIAN_OAUTH_INSTANCE_URL") {
        reader
            .warn("ATLASSIAN_OAUTH_INSTANCE_URL has no effect here, because JIRA_URL is the address of a site on Cloud");
    }
    let server = address(reader, "ATLASSIAN_AUTHORIZATION_URL");
    server.unwrap_or_else(|| Url::parse("https://auth.atlassian.com").expect("the constant is a URL"))
}

/// Returns the address of the site in Data Center for a sign-in.
fn instance(reader: &mut Reader<'_>, base: &Url) -> Url {
    address(reader, "ATLASSIAN_OAUTH_INSTANCE_URL").unwrap_or_else(|| base.clone())
}

/// A source without tokens, until a program has given its own.
#[derive(Debug)]
pub(super) struct Nobody;

impl TokenSource for Nobody {
    fn current(&self) -> Token<'_> {
        Box::pin(async { Err("nobody is signed in: this program has no source of tokens".to_owned()) })
    }

    fn renewed<'a>(&'a self, _: &'a Secret) -> Token<'a> {
        self.current()
    }
}
