//! `plainwire atlassian login` and `logout`, and the tokens that the server takes from the sign-in.
//!
//! In: the settings of a sign-in, a store, the user's browser. Out: tokens in the store, and a [`TokenSource`] over it, whose tokens are
//! renewed once for all calls and processes. A token is never printed.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hyper::header::AUTHORIZATION;
use hyper::http::HeaderValue;
use hyper::{HeaderMap, Method, StatusCode};
use plainwire_atlassian::rest::{Asked, Grant, Request, Secret, Site, Token, TokenSource};
use plainwire_atlassian::settings::{Config, SignIn, TokenSite, sites_of_token};
use plainwire_oauth::{
    AuthFault, Authorize as _, Endpoints, LoggedOut, OAuth, OAuthBuilder, Outgoing, Refused, Renewal,
    SignedIn, Url,
};
use serde_json::{Value, json};

use super::{LoginOptions, LogoutOptions};
use crate::exit::{Exit, Failure};
use crate::login::{self, expiry, open};
use crate::terminal::{Terminal, TerminalInput};
use crate::{output, token_store, visible};

/// The hint of errors about tokens that are missing or no longer good.
const AGAIN: &str = "run `plainwire atlassian login`";

/// Returns the address of a site, as people write it.
fn shown(site: &Url) -> String {
    login::shown(site).trim_end_matches('/').to_owned()
}

/// The tokens of a sign-in at a site.
#[derive(Debug)]
struct Tokens {
    oauth: OAuth,
    site: Url,
}

/// Gives the settings their tokens, if these are to come from a sign-in. Reads and sends nothing yet.
pub(super) fn with_tokens(config: Config) -> Result<Config, Failure> {
    let Some(sign_in) = &config.sign_in else { return Ok(config) };
    let mut oauth = endpoints(&config, sign_in)?;
    // Without its secret, the id is of no use: the store has the app that the tokens were issued to.
    if let (Some(id), Some(secret)) = (&sign_in.client_id, &sign_in.client_secret) {
        oauth = oauth.client_id(id).client_secret(secret.reveal());
    }
    let tokens = Tokens { oauth: oauth.build()?, site: config.jira.base.clone() };
    Ok(config.signed_in(Arc::new(tokens)))
}

/// Signs in: opens the page, stores the tokens, and looks at what they are good for.
pub(super) async fn login(it: &LoginOptions) -> Result<Exit, Failure> {
    let config = super::sign_in_config(&it.config).await?;
    let (sign_in, site) = (sign_in(&config)?, config.jira.base.clone());
    let oauth = person(&config, sign_in, it)?.build()?;
    oauth.login(&site).await.map_err(failed)?;
    let tokens = Tokens { oauth: oauth.clone(), site: site.clone() };
    let config = config.signed_in(Arc::new(tokens));
    let is_cloud = config.jira.cloud_id.is_some() || config.finds_cloud_id;
    let found = if is_cloud { Some(allowed_site(&config, &oauth).await?) } else { None };
    let user = user(&config, found.as_ref()).await?;
    let signed_in = oauth.signed_in(&site).await?.ok_or_else(|| {
        Failure::refused("expected stored tokens after the sign-in, but found none".to_owned())
    })?;
    show(
        it.json,
        &Shown { site: &site, user: user.as_deref(), found: found.as_ref(), signed_in: &signed_in },
    )?;
    if super::config(&it.config, []).await.is_ok_and(|it| it.sign_in.is_none()) {
        output::note("other credentials are set, too, and win: set JIRA_AUTH_TYPE=oauth to use this sign-in");
    }
    Ok(Exit::Done)
}

/// Deletes the tokens.
pub(super) async fn logout(it: &LogoutOptions) -> Result<Exit, Failure> {
    let config = super::sign_in_config(&it.config).await?;
    let (oauth, site) = (endpoints(&config, sign_in(&config)?)?.build()?, &config.jira.base);
    let text = match oauth.logout(site).await? {
        LoggedOut::Nothing => format!("you were not signed in at {}", shown(site)),
        _ => format!("signed out of {}: the tokens are deleted", shown(site)),
    };
    output::line(&text)?;
    Ok(Exit::Done)
}

fn sign_in(config: &Config) -> Result<&SignIn, Failure> {
    config.sign_in.as_ref().ok_or_else(|| {
        Failure::usage("expected no JIRA_OAUTH_ACCESS_TOKEN beside a sign-in, but found one: it would be used in its place".to_owned())
    })
}

/// Returns the client of the authorization server.
fn endpoints(config: &Config, it: &SignIn) -> Result<OAuthBuilder, Failure> {
    let oauth = token_store::oauth()?.endpoints(Endpoints {
        authorization: it.authorization.clone(),
        token: it.token.clone(),
        parameters: it.parameters.clone(),
        scopes: it.offered.clone(),
    });
    Ok(match &config.jira.ca_certificates {
        Some(pem) => oauth.ca_certificates_pem(pem.as_slice()),
        None => oauth,
    })
}

/// Returns the client with which a person signs in.
fn person(config: &Config, sign_in: &SignIn, it: &LoginOptions) -> Result<OAuthBuilder, Failure> {
    let id = sign_in.client_id.as_ref().ok_or_else(|| Failure {
        hint: Some("an app on Cloud is made at developer.atlassian.com/console, in Data Center as an incoming application link".to_owned()),
        ..Failure::usage("JIRA_OAUTH_CLIENT_ID: expected the id of your app, but found nothing".to_owned())
    })?;
    let mut oauth = endpoints(config, sign_in)?.client_id(id).login_timeout(Duration::from_secs(it.timeout));
    if let Some(secret) = &sign_in.client_secret {
        oauth = oauth.client_secret(secret.reveal());
    }
    oauth = sign_in.scopes.iter().fold(oauth, |oauth, scope| oauth.scope(scope));
    let no_browser = it.no_browser;
    Ok(if returns_elsewhere(&sign_in.redirect_uri) {
        oauth.redirect(&sign_in.redirect_uri, move |url| async move {
            open(url, no_browser).await;
            pasted().await
        })
    } else {
        oauth.loopback_at(&sign_in.redirect_uri, move |url| async move {
            open(url, no_browser).await;
            Ok(())
        })
    })
}

/// Returns whether the browser returns to another machine, or to a page with TLS, where this program can't listen.
fn returns_elsewhere(redirect_uri: &str) -> bool {
    Url::parse(redirect_uri).is_ok_and(|url| url.scheme() == "https")
}

/// Asks the user for the address that the browser came to.
async fn pasted() -> Result<Url, String> {
    let prompt = "after the sign-in, paste the address of the page that the browser came to: ";
    match Terminal::default().ask(prompt).await {
        TerminalInput::Line(line) => Url::parse(line.trim())
            .map_err(|_| "expected the address of a page, but found another text".to_owned()),
        _ => Err("expected the address of a page, but found none".to_owned()),
    }
}

/// Returns the site that the user has allowed, which must be that of the settings. For another one, the tokens are deleted.
async fn allowed_site(config: &Config, oauth: &OAuth) -> Result<TokenSite, Failure> {
    let sites = sites_of_token(&config.jira).await.map_err(Failure::refused)?;
    if let Some(found) = sites.iter().find(|it| it.is_of(&config.jira)) {
        return Ok(found.clone());
    }
    // The next sign-in would find good tokens, and not ask which site they should be for.
    oauth.logout(&config.jira.base).await?;
    let names: Vec<_> = sites.iter().map(|it| format!("{} ({})", it.url, it.id)).collect();
    let names = if names.is_empty() { "no site".to_owned() } else { names.join(", ") };
    let expected = match &config.jira.cloud_id {
        Some(id) => format!("the site with the cloud id {id}"),
        None => shown(&config.jira.base),
    };
    Err(Failure {
        hint: Some("sign in again and choose that site, or correct JIRA_URL and the cloud id".to_owned()),
        ..Failure::refused(format!(
            "expected access to {expected}, but found access to {}",
            visible::short_line(&names, 400)
        ))
    })
}

/// Returns the name of the user; `None` if the token may not ask for it.
async fn user(config: &Config, found: Option<&TokenSite>) -> Result<Option<String>, Failure> {
    let mut settings = config.jira.clone();
    settings.cloud_id = found.map(|it| it.id.clone()).or(settings.cloud_id);
    let site = Site::new(settings).map_err(|fault| Failure::usage(fault.to_string()))?;
    let version = if site.is_cloud() { "3" } else { "2" };
    let answer = site.json::<Value>(Request::get(["rest", "api", version, "myself"])).await;
    match answer {
        Ok(user) => Ok(user["displayName"].as_str().map(|it| visible::short_line(it, 80))),
        // The scope to know people is missing, which the doctor says.
        Err(error) if error.status() == Some(401) || error.status() == Some(403) => Ok(None),
        Err(error) => Err(Failure { hint: error.hint(), ..Failure::refused(error.message()) }),
    }
}

/// The result of a sign-in.
struct Shown<'a> {
    site: &'a Url,
    user: Option<&'a str>,
    found: Option<&'a TokenSite>,
    signed_in: &'a SignedIn,
}

fn show(is_json: bool, it: &Shown<'_>) -> Result<(), Failure> {
    let (id, signed_in) = (it.found.map(|it| it.id.as_str()), it.signed_in);
    if is_json {
        let expires = signed_in.expires.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        return Ok(output::json(&json!({
            "cloud_id": id,
            "expires": expires.map(|it| it.as_secs()),
            "issuer": signed_in.issuer,
            "renewed": signed_in.renewal == Renewal::Refresh,
            "scopes": signed_in.scopes,
            "site": shown(it.site),
            "user": it.user,
        }))?);
    }
    let user = it.user.map_or_else(String::new, |it| format!(" as {it}"));
    output::line(&format!("signed in at {}{user}", shown(it.site)))?;
    output::line(&format!("  issuer    {}", visible::line(&signed_in.issuer)))?;
    if let Some(id) = id {
        output::line(&format!("  cloud id  {}", visible::short_line(id, 80)))?;
    }
    output::line(&format!("  scopes    {}", visible::line(&signed_in.scopes.join(" "))))?;
    output::line(&format!("  expires   {}", expiry(signed_in, SystemTime::now())))?;
    Ok(())
}

/// Returns the failure of a sign-in.
fn failed(error: plainwire::Error) -> Failure {
    let hint = match &error {
        plainwire::Error::Auth { fault: AuthFault::Denied, .. } => {
            "check JIRA_OAUTH_CLIENT_ID, the secret, and whether the app has the scopes and the callback URL of the settings"
        }
        plainwire::Error::Auth { fault: AuthFault::LoginNeeded, .. } => {
            "an app without this callback URL or these scopes leads to a page with an error, and not back: look at what the browser shows"
        }
        _ => return error.into(),
    };
    Failure { hint: Some(hint.to_owned()), ..error.into() }
}

impl Tokens {
    /// Returns the access token that requests have now; `None` without a good one. Renews one that is about to expire.
    async fn held(&self) -> Result<Option<Secret>, String> {
        let (server, method) = (&self.site, &Method::GET);
        let headers = self.oauth.headers(Outgoing { server, url: server, method }).await;
        let headers = headers.map_err(|error| self.why(&error))?;
        let value = headers.get(AUTHORIZATION).and_then(|it| it.to_str().ok()?.strip_prefix("Bearer "));
        Ok(value.map(Secret::new))
    }

    /// Gets other tokens in place of the refused one, or of none: from the store, or from the authorization server.
    async fn replace(&self, refused: Option<&Secret>) -> Result<(), String> {
        let value = |it: &Secret| HeaderValue::from_str(&format!("Bearer {}", it.reveal())).ok();
        let sent: HeaderMap = refused.and_then(value).map(|it| (AUTHORIZATION, it)).into_iter().collect();
        let (server, status, headers) = (&self.site, StatusCode::UNAUTHORIZED, &HeaderMap::new());
        let refusal = Refused { server, status, headers, sent: &sent, attempt: 0 };
        self.oauth.challenged(refusal).await.map_err(|error| self.why(&error))
    }

    fn nobody(&self) -> String {
        format!("nobody is signed in at {}, or the sign-in has ended: {AGAIN}", shown(&self.site))
    }

    /// Returns an error as a sentence for the user.
    fn why(&self, error: &plainwire::Error) -> String {
        match error {
            plainwire::Error::Auth { fault: AuthFault::LoginNeeded, .. } => self.nobody(),
            plainwire::Error::Auth { fault: AuthFault::Denied, message } => format!("{message}; {AGAIN}"),
            plainwire::Error::Auth { message, .. } => message.clone(),
            other => other.to_string(),
        }
    }
}

impl TokenSource for Tokens {
    fn current(&self) -> Token<'_> {
        Box::pin(async {
            if let Some(token) = self.held().await? {
                return Ok(token);
            }
            // The user may have signed in meanwhile, in another process.
            self.replace(None).await?;
            self.held().await?.ok_or_else(|| self.nobody())
        })
    }

    fn renewed<'a>(&'a self, refused: &'a Secret) -> Token<'a> {
        Box::pin(async {
            self.replace(Some(refused)).await?;
            self.current().await
        })
    }

    fn grant(&self) -> Asked<'_> {
        Box::pin(async {
            let found = self.oauth.signed_in(&self.site).await.map_err(|error| self.why(&error))?;
            Ok(found.map(|it| Grant {
                is_renewed: it.renewal == Renewal::Refresh,
                issuer: it.issuer,
                scopes: it.scopes,
                expires: it.expires,
            }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_returns_to_a_page_with_tls_elsewhere() {
        for (uri, expected) in [
            ("http://localhost:8080/callback", false),
            ("https://app.example.com/callback", true),
            ("https://localhost:8443/callback", true),
            ("callback", false),
        ] {
            assert_eq!(returns_elsewhere(uri), expected, "{uri}");
        }
    }
}
