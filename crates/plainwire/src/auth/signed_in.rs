//! What a program can tell its user about a sign-in: how things stand, and how a farewell went.
//!
//! In: tokens that are held. Out: what they are good for, never the tokens themselves.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::scope::Scopes;
use super::token::Tokens;

/// How things stand with a server that somebody has signed in at.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// The authorization server that the tokens are from.
    pub issuer: String,
    /// What the access token is good for, as far as that is known: what was given, else what was asked for. In alphabetical order.
    pub scopes: Vec<String>,
    /// When the access token ends, if the authorization server has said so.
    pub expires: Option<SystemTime>,
    /// What happens when it ends.
    pub renewal: Renewal,
}

/// What happens when an access token ends.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// It is renewed with a refresh token, and nobody is asked.
    Refresh,
    /// Somebody has to sign in again, or the program to prove itself.
    SignIn,
}

/// What became of tokens at a logout. They are forgotten here in every case.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoggedOut {
    /// There were none.
    Nothing,
    /// Nobody was told: the authorization server takes no revocations.
    Forgotten,
    /// The authorization server takes them no more (RFC 7009).
    Revoked,
    /// The authorization server could not be told, or did not want to hear it, for this reason: the tokens live until they end.
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
