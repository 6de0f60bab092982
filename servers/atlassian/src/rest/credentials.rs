//! Credentials: what a request says about its user.
//!
//! In: an e-mail address with an API token, a personal access token, or a source of OAuth tokens. Out: the
//! value of `Authorization`, which goes to the origin of the site only. A `.netrc` is never read.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::secret::Secret;

/// The credentials of a user at a site.
#[derive(Clone, Debug, Default)]
pub enum Credentials {
    /// None: the request is anonymous, or the extra headers of the settings hold a session.
    #[default]
    None,
    /// `Authorization: Basic`: e-mail address and API token on Cloud, user and password on Data Center.
    Basic {
        /// The e-mail address or the name of the user.
        user: String,
        /// The API token or the password.
        secret: Secret,
    },
    /// `Authorization: Bearer`: a personal access token of Data Center, or an access token that somebody else
    /// renews.
    Bearer(Secret),
    /// `Authorization: Bearer` with tokens that are renewed when they are refused.
    OAuth(Arc<dyn TokenSource>),
}

/// The future of a token. Its error is a sentence for the user, such as "sign in again", and holds no token.
pub type Token<'a> = Pin<Box<dyn Future<Output = Result<Secret, String>> + Send + 'a>>;

/// The future of what is known of a sign-in.
pub type Asked<'a> = Pin<Box<dyn Future<Output = Result<Option<Grant>, String>> + Send + 'a>>;

/// A sign-in by OAuth, for people: never its tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The authorization server.
    pub issuer: String,
    /// The scopes of the access token; empty if nobody has said.
    pub scopes: Vec<String>,
    /// When the access token expires; `None` if nobody has said.
    pub expires: Option<SystemTime>,
    /// True if a new access token comes without the user.
    pub is_renewed: bool,
}

/// A source of OAuth access tokens.
///
/// A request may drop the futures before they are ready.
pub trait TokenSource: fmt::Debug + Send + Sync {
    /// Returns the current access token. Called before each request.
    fn current(&self) -> Token<'_>;

    /// Returns a token after `refused` was answered with 401. Called once per request at most, also by
    /// several requests at once: whichever comes second finds a current token that is no longer `refused`,
    /// and returns that one.
    fn renewed<'a>(&'a self, refused: &'a Secret) -> Token<'a>;

    /// Returns what is known of the sign-in; `None` if nothing is. Sends nothing.
    fn grant(&self) -> Asked<'_> {
        Box::pin(async { Ok(None) })
    }
}

/// The header `Authorization` of one attempt, and the secrets in it.
#[derive(Debug)]
pub(super) struct Authorization {
    /// The value of the header; `None` for an anonymous request.
    pub(super) value: Option<Secret>,
    /// The token of OAuth that is in the value.
    pub(super) token: Option<Secret>,
}

impl Credentials {
    /// Returns whether requests name a user.
    pub(super) fn are_given(&self) -> bool {
        !matches!(self, Self::None)
    }

    pub(super) async fn authorization(&self) -> Result<Authorization, String> {
        match self {
            Self::None => Ok(Authorization { value: None, token: None }),
            Self::Basic { user, secret } => {
                let pair = STANDARD.encode(format!("{user}:{}", secret.reveal()));
                let value = Secret::new(format!("Basic {pair}"));
                Ok(Authorization { value: Some(value), token: None })
            }
            Self::Bearer(secret) => Ok(Authorization { token: None, ..bearer(secret) }),
            Self::OAuth(source) => Ok(bearer(&source.current().await?)),
        }
    }

    /// Returns a new header after the first one was refused. Without a token of OAuth, it is the same one.
    pub(super) async fn renewed(&self, refused: &Authorization) -> Result<Authorization, String> {
        match (self, &refused.token) {
            (Self::OAuth(source), Some(token)) => Ok(bearer(&source.renewed(token).await?)),
            _ => self.authorization().await,
        }
    }

    /// Returns the texts that no message may hold.
    pub(super) fn secrets(&self) -> Vec<&str> {
        match self {
            Self::Basic { secret, .. } | Self::Bearer(secret) => vec![secret.reveal()],
            Self::None | Self::OAuth(_) => Vec::new(),
        }
    }
}

fn bearer(token: &Secret) -> Authorization {
    Authorization {
        value: Some(Secret::new(format!("Bearer {}", token.reveal()))),
        token: Some(token.clone()),
    }
}
