//! `plainwire login` and `plainwire logout`: tokens for a server over HTTP, and their end.
//!
//! In: a server, and who the client is. Out: on stdout what was obtained, never a token; on stderr where to sign in. The server is
//! asked first, as any command would: its refusal says best what it wants.

use std::time::{Duration, SystemTime};

use plainwire::auth::{LoggedOut, OAuth, Renewal, SignedIn, Url};
use plainwire::proto::peer::RequestOptions;
use plainwire::transport::http_client::Remote;
use plainwire::{Client, Error, Target};
use serde_json::{Value, json};

use crate::args::{Login, Logout, Site, Whom};
use crate::exit::{Exit, Failure};
use crate::{keep, output, target, visible};

/// How long the server may take on top of the person.
const ANSWER: Duration = Duration::from_secs(60);

pub(crate) async fn login(it: Login) -> Result<Exit, Failure> {
    let (remote, url) = remote(&it.site)?;
    let patience = Duration::from_secs(it.timeout);
    let oauth = client(&it)?;
    let was_open = is_open(remote, &oauth, patience).await?;
    oauth.login(&url).await.map_err(|error| hinted(error, was_open))?;
    let signed_in = oauth.signed_in(&url).await?.ok_or_else(|| Failure::gone("the tokens are gone again"))?;
    show(&it, &url, &signed_in)?;
    Ok(Exit::Done)
}

pub(crate) async fn logout(it: Logout) -> Result<Exit, Failure> {
    let (_, url) = remote(&it.site)?;
    let name = shown(&url);
    let text = match keep::oauth()?.build()?.logout(&url).await? {
        LoggedOut::Nothing => format!("nobody was signed in at {name}"),
        LoggedOut::Revoked => format!("signed out of {name}: the tokens are revoked"),
        LoggedOut::Unrevoked(why) => {
            output::words(&format!("the tokens were not revoked, and live until they end: {why}\n"));
            format!("signed out of {name}: the tokens are forgotten")
        }
        _ => format!("signed out of {name}: the tokens are forgotten"),
    };
    output::line(&text)?;
    Ok(Exit::Done)
}

/// The server over HTTP that the command line names.
fn remote(site: &Site) -> Result<(Remote, Url), Failure> {
    let Site { url, server, config, input_env } = site.clone();
    match target::of(&Whom { url, server, config, input_env, ..Whom::default() })? {
        Target::Remote(remote) if remote.has_header("authorization") => Err(Failure::usage(
            "expected a server that has to be signed in at, but found one with an `Authorization` of its own"
                .into(),
        )),
        Target::Remote(remote) => {
            let url = remote.url()?;
            Ok((remote, url))
        }
        _ => Err(Failure::usage(
            "expected a server at a URL, but found a command: it signs in by itself".into(),
        )),
    }
}

fn client(it: &Login) -> Result<OAuth, Failure> {
    let mut oauth = keep::oauth()?.login_timeout(Duration::from_secs(it.timeout));
    if let Some(id) = &it.client_id {
        oauth = oauth.client_id(id);
    }
    if let Some(name) = &it.client_secret_env {
        let secret = target::variable(name).filter(|it| !it.is_empty()).ok_or_else(|| {
            Failure::usage(format!("--client-secret-env {name}: expected a secret, but found nothing"))
        })?;
        oauth = oauth.client_secret(secret);
    }
    if let Some(url) = &it.client_id_metadata {
        oauth = oauth.client_metadata_url(url);
    }
    oauth = it.scope.iter().fold(oauth, |oauth, scope| oauth.scope(scope));
    let no_browser = it.no_browser;
    let oauth = if it.client_credentials {
        oauth.client_credentials()
    } else {
        oauth.loopback(move |url| async move {
            open(url, no_browser).await;
            Ok(())
        })
    };
    Ok(oauth.build()?)
}

/// Shows the page, and has a browser open it if one is wanted. A browser that can't be opened is no end: there are others.
async fn open(url: Url, no_browser: bool) {
    // Written by a server: percent-encoded, and still not to be trusted with a terminal.
    let page = visible::line(url.as_str());
    if no_browser {
        return output::words(&format!("open this page to sign in: {page}\n"));
    }
    output::words(&format!("a browser should open to sign in; if none does, open this page: {page}\n"));
    if let Err(error) = plainwire::blocking(move || open::that_detached(url.as_str())).await {
        output::words(&format!("no browser could be opened: {error}\n"));
    }
}

/// Asks the server, which signs in if it refuses. Returns whether it let us in without a token.
async fn is_open(remote: Remote, oauth: &OAuth, patience: Duration) -> Result<bool, Failure> {
    let url = remote.url()?;
    let options = RequestOptions { idle: patience + ANSWER, ..RequestOptions::default() };
    let client = Client::builder().deadlines(options).connect(remote.authorize(oauth.clone())).await?;
    client.close().await;
    Ok(oauth.signed_in(&url).await?.is_none())
}

fn hinted(error: Error, was_open: bool) -> Failure {
    let failure = Failure::from(error);
    let hint = "the server answers without a token, and may want none";
    Failure { hint: was_open.then(|| hint.to_owned()).or(failure.hint), ..failure }
}

fn show(it: &Login, url: &Url, signed_in: &SignedIn) -> Result<(), Failure> {
    if it.json {
        return Ok(output::json(&as_json(url, signed_in))?);
    }
    let scopes = signed_in.scopes.join(" ");
    let scopes = if scopes.is_empty() { "not said" } else { &scopes };
    output::line(&format!("signed in at {}", shown(url)))?;
    output::line(&format!("  issuer   {}", visible::line(&signed_in.issuer)))?;
    output::line(&format!("  scopes   {}", visible::line(scopes)))?;
    output::line(&format!("  expires  {}", expiry(signed_in, SystemTime::now())))?;
    Ok(())
}

fn as_json(url: &Url, it: &SignedIn) -> Value {
    let expires = it.expires.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
    json!({
        "expires": expires.map(|it| it.as_secs()),
        "issuer": it.issuer,
        "renewed": it.renewal == Renewal::Refresh,
        "scopes": it.scopes,
        "server": shown(url),
    })
}

/// A server, without what may be secret in its URL.
fn shown(url: &Url) -> String {
    visible::line(&format!("{}{}", url.origin().ascii_serialization(), url.path()))
}

fn expiry(it: &SignedIn, now: SystemTime) -> String {
    let then = if it.renewal == Renewal::Refresh { "renewed without asking" } else { "then sign in again" };
    match it.expires {
        None => "not said".to_owned(),
        Some(at) => {
            let left = at.duration_since(now).unwrap_or_default().as_secs();
            let left = match left {
                0..120 => format!("{left} s"),
                120..7_200 => format!("{} min", left / 60),
                7_200..172_800 => format!("{} h", left / 3_600),
                _ => format!("{} days", left / 86_400),
            };
            format!("in {left}, {then}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_nothing_of_a_url_that_may_be_secret() {
        let url = Url::parse("https://ada:s3cret@a.example/mcp?token=s3cret#s3cret").expect("a URL");
        assert_eq!(shown(&url), "https://a.example/mcp");
    }
}
