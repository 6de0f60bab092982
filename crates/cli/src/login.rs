//! `plainwire login` and `plainwire logout`: obtain, store, revoke and delete tokens for a server over HTTP.
//!
//! In: a server, and options of the OAuth client. Out: the result on stdout, never a token; the URL of the
//! sign-in page on stderr. `login` connects to the server first, as any command does, because the server's
//! refusal names the authorization server and the scopes.

use std::time::{Duration, SystemTime};

use plainwire::Client;
use plainwire::client::Target;
use plainwire::client::http::Remote;
use plainwire::proto::peer::RequestOptions;
use plainwire_oauth::{LoggedOut, OAuth, Renewal, SignedIn, Url};
use serde_json::{Value, json};

use crate::args::{Login, Logout, Site};
use crate::exit::{Exit, Failure, ServerChoice};
use crate::{output, target, token_store, visible};

/// The time for the server to answer, in addition to the time that the user has to sign in.
const ANSWER: Duration = Duration::from_secs(60);

pub(crate) async fn login(it: Login) -> Result<Exit, Failure> {
    let (remote, url) = remote(&it.site)?;
    let patience = Duration::from_secs(it.timeout);
    let oauth = client(&it)?;
    let was_open = is_open(remote, &oauth, patience).await.map_err(|failure| hinted(failure, false))?;
    oauth.login(&url).await.map_err(|error| hinted(error.into(), was_open))?;
    let signed_in = oauth
        .signed_in(&url)
        .await?
        .ok_or_else(|| Failure::unreachable("expected stored tokens after the login, but found none"))?;
    show(&it, &url, &signed_in)?;
    Ok(Exit::Done)
}

pub(crate) async fn logout(it: Logout) -> Result<Exit, Failure> {
    let (_, url) = remote(&it.site)?;
    let name = shown(&url);
    let text = match token_store::oauth()?.build()?.logout(&url).await? {
        LoggedOut::Nothing => format!("you were not signed in at {name}"),
        LoggedOut::Revoked => format!("signed out of {name}: the tokens are revoked"),
        LoggedOut::Unrevoked(why) => {
            output::to_stderr(&format!(
                "the tokens were not revoked, and stay valid until they expire: {why}\n"
            ));
            format!("signed out of {name}: the tokens are deleted")
        }
        _ => format!("signed out of {name}: the tokens are deleted"),
    };
    output::line(&text)?;
    Ok(Exit::Done)
}

/// Returns the server over HTTP that the command line names.
fn remote(site: &Site) -> Result<(Remote, Url), Failure> {
    let Site { url, server, config, input_env } = site.clone();
    match target::of(&ServerChoice { url, server, config, input_env, ..ServerChoice::default() })? {
        Target::Remote(remote) if remote.has_header("authorization") => Err(Failure::usage(
            "expected a server without an `Authorization` header of its own, but found one with it".into(),
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
    let mut oauth = token_store::oauth()?.login_timeout(Duration::from_secs(it.timeout));
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

/// Prints the URL of the page, and opens it in a browser unless `no_browser` is set. A browser that can't be
/// opened is no error: the user can open the page elsewhere.
pub(crate) async fn open(url: Url, no_browser: bool) {
    // The URL comes from a server. It is percent-encoded, but still untrusted text for a terminal.
    let page = visible::line(url.as_str());
    if no_browser {
        return output::to_stderr(&format!("open this page to sign in: {page}\n"));
    }
    output::to_stderr(&format!("a browser should open to sign in; if none does, open this page: {page}\n"));
    if let Err(error) = plainwire::handler::blocking(move || open::that_detached(url.as_str())).await {
        output::to_stderr(&format!("opening a browser failed: {error}\n"));
    }
}

/// Connects to the server. If the server refuses, this starts the sign-in. Returns whether the server
/// answered without a token.
async fn is_open(remote: Remote, oauth: &OAuth, patience: Duration) -> Result<bool, Failure> {
    let url = remote.url()?;
    let options = RequestOptions { idle: patience + ANSWER, ..RequestOptions::default() };
    let client = Client::builder().deadlines(options).connect(remote.authorize(oauth.clone())).await?;
    client.close().await;
    Ok(oauth.signed_in(&url).await?.is_none())
}

fn hinted(failure: Failure, was_open: bool) -> Failure {
    let hint = match (was_open, failure.exit) {
        (true, _) => "the server answers without a token, so it may not need one",
        (false, Exit::Refused) => {
            "a server without OAuth takes a token: `--bearer-env VARIABLE` and `--token-file FILE` send one"
        }
        _ => return failure,
    };
    Failure { hint: failure.hint.filter(|_| !was_open).or_else(|| Some(hint.to_owned())), ..failure }
}

fn show(it: &Login, url: &Url, signed_in: &SignedIn) -> Result<(), Failure> {
    if it.json {
        return Ok(output::json(&as_json(url, signed_in))?);
    }
    let scopes = signed_in.scopes.join(" ");
    let scopes = if scopes.is_empty() { "not stated" } else { &scopes };
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

/// Returns the URL of a server without the parts that may be secret.
pub(crate) fn shown(url: &Url) -> String {
    visible::line(&format!("{}{}", url.origin().ascii_serialization(), url.path()))
}

/// Returns the time that an access token is still good for, and what comes after it.
pub(crate) fn expiry(it: &SignedIn, now: SystemTime) -> String {
    let then = if it.renewal == Renewal::Refresh { "renewed automatically" } else { "then sign in again" };
    match it.expires {
        None => "not stated".to_owned(),
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
