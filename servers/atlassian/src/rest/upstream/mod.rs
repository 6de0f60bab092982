//! The one error of requests: what failed, whose fault it is, and what to change.
//!
//! In: the failure of a connection, an answer that is refused, or a request that can't be sent. Out:
//! [`Upstream`], and the `ToolError` that a model acts on. Texts of the site are shown shortened, without
//! invisible characters and without secrets.
//!
//! [`Upstream`] has no `Display`: a `ToolError` is made from any type that has one, of its text only, and `?`
//! in a handler would lose the code, the hint and the details.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

mod hint;
mod said;
mod status;
mod tool_error;

use said::Said;
pub(super) use status::refusal;

use super::prepare::Subject;
use super::request::{Effect, Method};

/// A request that failed.
#[derive(Clone, Debug)]
pub struct Upstream(Box<Failure>);

#[derive(Clone, Debug)]
struct Failure {
    kind: Kind,
    /// The reason, in our words. No text of the site.
    cause: Option<String>,
    /// Whether the answer was a web page.
    is_html: bool,
    /// Whether the site took a request with credentials for one of nobody.
    is_ignored: bool,
    /// True if the site refused the token for its scopes.
    lacks_scope: bool,
    request_id: Option<String>,
    retry_after: Option<Duration>,
    said: Said,
    status: Option<u16>,
    subject: Arc<Subject>,
}

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The site wants a CAPTCHA from this user, after several logins that failed.
    Captcha,
    /// The state of the site does not fit the change: 409, 412, 423.
    Conflict,
    /// The answer to a read ended early.
    Cut,
    /// The user may not do this: 403.
    Forbidden,
    /// The API was removed: 410.
    Gone,
    /// The answer is a web page, usually a login.
    Html,
    /// The site refused what the request says: 400, 422, and other 4xx.
    Invalid,
    /// There is no connection, or it was lost. A change that failed so was not sent.
    Network,
    /// There is no such thing, or the user may not see it: 404.
    NotFound,
    /// The answer to a change is lost: the change may have been made.
    OutcomeUnknown,
    /// The site asks for fewer requests: 429.
    RateLimited,
    /// The site sent the request to an address that it may not go to.
    Redirect,
    /// The site failed: 5xx.
    Server,
    /// There was no answer to a read in time.
    Timeout,
    /// There is no safe connection: a certificate that is not trusted, for example.
    Tls,
    /// The answer has more bytes than the settings allow, or the request has more than the site allows (413).
    TooLarge,
    /// The list has more pages than the settings allow.
    TooManyPages,
    /// The site does not accept the credentials, or ignored them: 401.
    Unauthorized,
    /// The answer is not what was expected.
    Unreadable,
    /// The token of a page is none of this list. Nothing was sent.
    Token,
    /// The request can't be sent: for example, the key of an issue is empty. Nothing was sent.
    Unusable,
}

impl Upstream {
    pub(super) fn new(kind: Kind, subject: &Arc<Subject>) -> Self {
        Self(Box::new(Failure {
            kind,
            cause: None,
            is_html: false,
            is_ignored: false,
            lacks_scope: false,
            request_id: None,
            retry_after: None,
            said: Said::default(),
            status: None,
            subject: Arc::clone(subject),
        }))
    }

    /// Adds the reason, in our words.
    pub(super) fn because(mut self, why: impl Into<String>) -> Self {
        self.0.cause = Some(why.into());
        self
    }

    pub(super) fn with_status(mut self, status: u16) -> Self {
        self.0.status = Some(status);
        self
    }

    /// Notes that the answer was a web page.
    pub(super) fn answered_html(mut self) -> Self {
        self.0.is_html = true;
        self
    }

    /// Notes that the site took a request with credentials for one of nobody, which explains every other
    /// refusal.
    pub(super) fn ignored(mut self) -> Self {
        self.0.kind = Kind::Unauthorized;
        self.0.is_ignored = true;
        self
    }

    /// Notes that another host answered, to which a download was redirected. It never saw the credentials.
    pub(super) fn elsewhere(mut self, place: &str) -> Self {
        if self.0.kind == Kind::Unauthorized {
            self.0.kind = Kind::Forbidden;
        }
        self.because(format!("so answered {place}, where the site keeps the file"))
    }

    /// Returns the kind.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Returns the status of the answer, if there was one.
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// Returns the method of the request.
    pub fn method(&self) -> Method {
        self.0.subject.method
    }

    /// Returns the path of the request, without its query.
    pub fn path(&self) -> &str {
        &self.0.subject.path
    }

    pub(super) fn effect(&self) -> Effect {
        self.0.subject.effect
    }

    /// Returns the messages of the site.
    pub fn messages(&self) -> &[String] {
        &self.0.said.messages
    }

    /// Returns the fields that the site complains about, each with the reason in its words.
    pub fn fields(&self) -> &BTreeMap<String, String> {
        &self.0.said.fields
    }

    /// Returns the id by which administrators find the request in the logs of the site.
    pub fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// Returns the time that the site asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Returns whether the same request may succeed later, and does no harm if it is sent again.
    pub fn is_retryable(&self) -> bool {
        match self.0.kind {
            Kind::Cut | Kind::RateLimited | Kind::Timeout => true,
            // With a status, the proxy refused.
            Kind::Network => self.0.status.is_none(),
            // 501: the site has no such API, and will have none.
            Kind::Server => self.effect() == Effect::Read && self.0.status != Some(501),
            _ => false,
        }
    }

    /// Returns the sentence for people and models: what happened, at which request, and what the site says
    /// about it.
    pub fn message(&self) -> String {
        if self.0.kind == Kind::Token {
            // A mistake of the caller alone: neither the site nor a request has to do with it.
            return self.0.cause.clone().unwrap_or_default();
        }
        let mut message = format!("{} ({})", self.what(), self.place());
        for part in self.0.cause.iter().chain(self.messages()) {
            message += ": ";
            message += part;
        }
        for (n, (field, reason)) in self.fields().iter().enumerate() {
            message += if n == 0 { ": " } else { "; " };
            message += &format!("`{field}`: {reason}");
        }
        message
    }

    /// Returns the request and the status, such as `GET /rest/api/3/issue/ABC-1, status 404`.
    pub(super) fn place(&self) -> String {
        let path = plainwire::proto::json::visible(self.path(), 200);
        let status = self.0.status.map_or(String::new(), |it| format!(", status {it}"));
        format!("{} {path}{status}", self.method())
    }

    fn what(&self) -> &'static str {
        match self.0.kind {
            Kind::Captcha => "the site wants a CAPTCHA from this user before it accepts a login",
            Kind::Conflict => "the site refused the change, since its state is not the expected one",
            Kind::Cut => "the answer of the site ended early",
            Kind::Forbidden if self.0.lacks_scope => "the token lacks the scope for this request",
            Kind::Forbidden => "the site does not allow this to this user",
            Kind::Gone => "the site no longer has this API",
            Kind::Html => "expected JSON, but the site answered with a page for a browser",
            Kind::Invalid => "the site refused the request",
            Kind::Network => "there is no connection to the site",
            Kind::NotFound => "the site has no such thing, or does not show it to this user",
            Kind::OutcomeUnknown => "the answer is lost, so it is unknown whether the change was made",
            Kind::RateLimited => "the site asks for fewer requests",
            Kind::Redirect => "the site sent the request to another address, which is not followed",
            Kind::Server => "the site failed",
            Kind::Timeout => "the site took too long",
            Kind::Tls => "there is no safe connection to the site",
            Kind::TooLarge if self.0.status == Some(413) => "the request is too large for the site",
            Kind::TooLarge => "the answer of the site is too large",
            Kind::TooManyPages => "the list of the site has too many pages",
            Kind::Token => "the token of the page is none of this list",
            Kind::Unauthorized if self.0.is_ignored => {
                "the site ignored the credentials and answered as to a visitor without a name"
            }
            // Nothing was sent.
            Kind::Unauthorized if self.0.status.is_none() => "there is no access token for the request",
            Kind::Unauthorized => "the site does not accept the credentials",
            Kind::Unreadable => "the answer of the site is not the expected one",
            Kind::Unusable => "the request can't be sent",
        }
    }
}
