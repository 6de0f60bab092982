//! Telling an authorization server that tokens are not needed any more (RFC 7009).
//!
//! In: tokens that were forgotten here. Out: whether the authorization server takes them no more. The refresh token goes, if there is
//! one: with it ends the whole grant. The request is ours: `oauth2` makes none without TLS, not even to this machine.

use http::StatusCode;
use http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use plainwire_proto::base64::encode;
use url::{Url, form_urlencoded};

use super::fault::{Failure, quoted};
use super::fetch::unexpected;
use super::registration::AuthMethod;
use super::token::{TokenEndpoint, Tokens};

/// Revokes `tokens` at `endpoint`, in the name of the client that `at` has.
///
/// # Errors
/// If the authorization server can't be asked, or says no.
pub(super) async fn revoke(at: &TokenEndpoint<'_>, endpoint: &Url, tokens: &Tokens) -> Result<(), Failure> {
    let (token, hint) = match &tokens.refresh {
        Some(refresh) => (refresh, "refresh_token"),
        None => (&tokens.access, "access_token"),
    };
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("token", token.reveal()).append_pair("token_type_hint", hint);
    let mut headers = HeaderMap::new();
    let (id, secret) = (&at.client.id, at.client.secret.as_ref().map_or("", |it| it.reveal()));
    match at.client.method {
        AuthMethod::Basic => {
            headers.insert(AUTHORIZATION, basic(id, secret)?);
        }
        AuthMethod::None => {
            form.append_pair("client_id", id);
        }
        AuthMethod::Post => {
            form.append_pair("client_id", id).append_pair("client_secret", secret);
        }
        AuthMethod::PrivateKeyJwt => {
            form.append_pair("client_id", id).extend_pairs(at.assertion()?);
        }
    }
    let answer = at.web.post_form(endpoint, headers, form.finish()).await?;
    match answer.status {
        StatusCode::OK => Ok(()),
        status if status.is_client_error() => Err(Failure::denied(format!(
            "{} does not revoke the tokens: status {status}",
            quoted(&at.server.issuer)
        ))),
        status => Err(unexpected(endpoint, status)),
    }
}

/// Spec: RFC 6749 §2.3.1: both are written as a form writes them, and then put together.
fn basic(id: &str, secret: &str) -> Result<HeaderValue, Failure> {
    let form = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let value = format!("Basic {}", encode(format!("{}:{}", form(id), form(secret)).as_bytes()));
    let mut value = HeaderValue::from_str(&value)
        .map_err(|_| Failure::settings("expected a client id that fits a header"))?;
    value.set_sensitive(true);
    Ok(value)
}
