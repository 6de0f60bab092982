//! The state of a login, and the result of a logout, for a program to show to its user.
//!
//! In: held tokens. Out: their issuer, scopes and expiry; never the tokens themselves.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::scope::Scopes;
use super::token::Tokens;

/// The state of a login at a server.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// The authorization server that issued the tokens.
    pub issuer: String,
    /// The scopes of the access token: those that were granted, else those that were requested. In
    /// alphabetical order; empty if neither is known.
    pub scopes: Vec<String>,
    /// The time at which the access token expires; `None` if the authorization server has not stated it.
    pub expires: Option<SystemTime>,
    /// The way to a new access token after the current one has expired.
    pub renewal: Renewal,
}

/// The way to a new access token after the old one has expired.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// With a refresh token, without the user.
    Refresh,
    /// With a new login: by the user, or by the program with its credentials.
    SignIn,
}

/// The result of a logout. The local tokens are deleted in every case.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoggedOut {
    /// There were no tokens for the server.
    Nothing,
    /// The tokens were not revoked: the authorization server has no revocation endpoint, or the MCP server
    /// has moved to another authorization server.
    Forgotten,
    /// The authorization server has revoked the tokens (RFC 7009).
    Revoked,
    /// The revocation failed, for this reason: the tokens remain good until they expire.
    Unrevoked(String),
}

impl SignedIn {
    pub(super) fn of(issuer: &str, tokens: &Tokens) -> Self {
        Self {
            issuer: issuer.to_owned(),
            scopes: Scopes::iter(&tokens.scopes()).map(ToOwned::to_owned).collect(),
            expires: tokens.expires.and_then(|at| UNIX_EPOCH.checked_add(Duration::from_secs(at))),
            renewal: if tokens.refresh.is_some() { Renewal::Refresh } else { Renewal::SignIn },
        }
    }
}
