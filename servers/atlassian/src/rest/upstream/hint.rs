//! What to change after a failure.
//!
//! In: the kind of the failure, and the facts about its site. Out: one sentence for the user or the model. It
//! names settings by what they are, not by the names of options, which are the program's.

use super::super::prepare::{Facts, User};
use super::super::request::Effect;
use super::super::settings::Deployment;
use super::{Kind, Upstream};

impl Upstream {
    /// Returns what the user or the model can do about the failure.
    pub fn hint(&self) -> Option<String> {
        let facts = &self.0.subject.facts;
        let site = &facts.site;
        Some(match self.0.kind {
            Kind::Captcha => format!(
                "sign in to {site} with a browser once, which takes the CAPTCHA away, and correct the \
                 configured password"
            ),
            Kind::Conflict => "read the current state, and make the change again on top of it".to_owned(),
            Kind::Cut => "try again; if it happens again, ask for less at once".to_owned(),
            Kind::Forbidden if self.0.lacks_scope => lacking(facts, self.0.subject.scope),
            Kind::Forbidden => forbidden(facts),
            Kind::Gone => "this program is older than the site: look for a new version of it".to_owned(),
            Kind::Html => format!(
                "check the configured address {site}: its context path (such as `/jira`) may be missing, \
                 or a single sign-on in front of it wants a login, and so a token or headers of its own"
            ),
            Kind::Invalid if !self.fields().is_empty() => "correct the fields that are named".to_owned(),
            Kind::Invalid => "correct what the message names".to_owned(),
            Kind::Network => format!(
                "check the configured address {site}, and the proxy, if there is one; or try again later"
            ),
            Kind::NotFound if self.0.is_html => format!(
                "check the configured address {site}: its context path (such as `/jira` or `/confluence`) \
                 may be missing"
            ),
            Kind::NotFound => {
                "check the key or the id; the site also says so about things that this user may not see"
                    .to_owned()
            }
            Kind::OutcomeUnknown => "read whether the change was made before you try again".to_owned(),
            Kind::RateLimited => match self.0.retry_after {
                Some(wait) => format!("try again in {} s", wait.as_secs().max(1)),
                None => "try again in a minute".to_owned(),
            },
            Kind::Redirect => format!(
                "if the other address is the right one, configure it in place of {site}; a file in a private \
                 network needs the setting that allows downloads from there"
            ),
            Kind::Server if self.effect() == Effect::Write => {
                "read whether the change was made before you try again, in a minute".to_owned()
            }
            Kind::Server => {
                "try again in a minute; if it goes on, tell the administrator of the site".to_owned()
            }
            Kind::Timeout => "ask for less at once, such as fewer fields or a smaller page".to_owned(),
            Kind::Tls => {
                "if the site has a certificate of a company, configure the file of its authority".to_owned()
            }
            Kind::Token => {
                "take it from `next_page_token` of the page before, or leave it out to begin".to_owned()
            }
            Kind::TooLarge if self.0.status == Some(413) => {
                "send less at once; the site has the limit".to_owned()
            }
            Kind::TooLarge => "ask for less at once, such as fewer fields or a smaller page".to_owned(),
            Kind::TooManyPages => {
                "ask for a part of the list, such as by a name or a narrower query".to_owned()
            }
            // The reason says what to do.
            Kind::Unauthorized if self.0.status.is_none() && !self.0.is_ignored => return None,
            Kind::Unauthorized => unauthorized(facts, self.0.is_ignored),
            Kind::Unreadable if self.effect() == Effect::Write => {
                "the site accepted the change: read it rather than make it again".to_owned()
            }
            Kind::Unreadable => format!("check whether {site} is the address of the product"),
            Kind::Unusable => return None,
        })
    }
}

/// Returns what to do about a token without a scope.
fn lacking(facts: &Facts, scope: Option<&str>) -> String {
    let scope = scope.map_or_else(|| "the scope for it".to_owned(), |it| format!("the scope `{it}`"));
    match (facts.user, facts.deployment) {
        (User::OAuth, Deployment::DataCenter) => {
            format!("the request needs {scope}: allow it in the application link, and sign in again with it")
        }
        (User::OAuth, Deployment::Cloud) => {
            format!("the request needs {scope}: give it to the app, and sign in again with it")
        }
        _ => format!("the request needs {scope}: make a token that has it"),
    }
}

fn forbidden(facts: &Facts) -> String {
    match facts.is_gateway {
        true => "the token may lack a scope for this; or ask an administrator for the permission".to_owned(),
        false => "ask an administrator for the permission, or use another account".to_owned(),
    }
}

fn unauthorized(facts: &Facts, is_ignored: bool) -> String {
    let text = match (facts.user, facts.deployment) {
        (User::None, _) => "configure a token for this site",
        (User::Basic, Deployment::DataCenter) if is_ignored => {
            "the site may not allow passwords for its API, or a proxy may drop them: use a personal access \
             token"
        }
        (_, _) if is_ignored => {
            "a proxy in front of the site may drop the credentials: ask its administrator"
        }
        (_, Deployment::Cloud) if facts.is_gateway => {
            "check whether the token has expired, is for this site, and has the scopes for this request"
        }
        (User::Basic, Deployment::Cloud) => {
            "check the e-mail address and the API token, which expires after a year at most; a token with \
             scopes also needs the cloud id of the site, so that requests go through api.atlassian.com"
        }
        (_, Deployment::Cloud) => {
            "configure the cloud id of the site: access tokens of OAuth and tokens with scopes work through \
             api.atlassian.com only; an API token without scopes needs the e-mail address too"
        }
        (User::Basic, Deployment::DataCenter) => {
            "check the user and the password; where the site does not allow passwords, use a personal access \
             token"
        }
        (_, Deployment::DataCenter) => "check whether the token has expired or was revoked",
    };
    text.to_owned()
}
