//! Revokes tokens at their authorization server (RFC 7009).
//!
//! In: tokens that were deleted here. Out: whether the authorization server has revoked them. Revokes the
//! refresh token, which ends the whole grant; without one, the access token. The request is written here
//! because `oauth2` sends no revocation without TLS, not even to this machine.

use http::StatusCode;
use http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use plainwire::proto::base64::encode;
use url::{Url, form_urlencoded};

use super::fault::{Failure, quoted};
use super::fetch::unexpected;
use super::registration::AuthMethod;
use super::token::{TokenEndpoint, Tokens};

/// Revokes `tokens` at `endpoint`, authenticated as the client of `at`.
///
/// # Errors
/// If the authorization server can't be reached, or refuses.
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

/// Returns the header for `client_secret_basic`.
///
/// Spec: RFC 6749 §2.3.1: id and secret are each form-encoded before they are joined.
fn basic(id: &str, secret: &str) -> Result<HeaderValue, Failure> {
    let form = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let value = format!("Basic {}", encode(format!("{}:{}", form(id), form(secret)).as_bytes()));
    let mut value = HeaderValue::from_str(&value)
        .map_err(|_| Failure::settings("expected a client id that fits a header"))?;
    value.set_sensitive(true);
    Ok(value)
}
