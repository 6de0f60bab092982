//! The credentials: which of those that are set are used.
//!
//! The order is that of mcp-atlassian: on Cloud an access token of OAuth, then a sign-in, then an API token; in Data Center a personal
//! access token comes first. An app counts if its secret is set, too. `JIRA_AUTH_TYPE` decides otherwise.

use super::reader::Reader;
use crate::rest::{Credentials, Deployment, Secret, SiteSettings};

/// A kind of credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An e-mail address and an API token, or a user and a password.
    ApiToken,
    None,
    /// An access token of OAuth that another program renews.
    OAuth,
    Personal,
    /// A sign-in by OAuth.
    SignIn,
}

/// The credentials that are set.
struct Set<'a> {
    user: Option<&'a str>,
    api_token: Option<(&'static str, Secret)>,
    oauth: Option<(&'static str, Secret)>,
    /// The secret of the app of OAuth, if its id is set as well.
    app: Option<(&'static str, Secret)>,
    personal: Option<(&'static str, Secret)>,
}

/// Sets the credentials of a site, and returns their kind.
pub(super) fn read(reader: &mut Reader<'_>, deployment: Deployment, site: &mut SiteSettings) -> Kind {
    let asked = asked(reader);
    let set = set(reader, deployment, asked);
    let has_others = site.client_certificate.is_some() || !site.headers.is_empty();
    let kind = match asked {
        Some(Kind::OAuth) if set.oauth.is_none() => Kind::SignIn,
        Some(asked) => asked,
        None => best(&set, deployment),
    };
    let missing = |reader: &mut Reader<'_>, name: &str, what: &str| {
        reader.problem(name, format!("expected {what}, but found nothing"))
    };
    match kind {
        Kind::ApiToken => match (set.user, &set.api_token) {
            (Some(user), Some((_, secret))) => {
                site.credentials = Credentials::Basic { user: user.to_owned(), secret: secret.clone() };
            }
            (None, Some((name, _))) => missing(reader, "JIRA_USERNAME", &format!("the {} that {name} belongs to", user_of(deployment))),
            (_, None) => missing(reader, "JIRA_API_TOKEN", "an API token or a password"),
        },
        Kind::Personal => match &set.personal {
            Some((name, _)) if deployment == Deployment::Cloud && asked.is_none() => reader.problem(
                name,
                "expected none on Cloud, where no personal access tokens are: set JIRA_USERNAME and JIRA_API_TOKEN",
            ),
            Some((_, secret)) => site.credentials = Credentials::Bearer(secret.clone()),
            None => missing(reader, "JIRA_PERSONAL_TOKEN", "a personal access token"),
        },
        Kind::OAuth => {
            if let Some((_, secret)) = &set.oauth {
                site.credentials = Credentials::Bearer(secret.clone());
            }
        }
        Kind::None if asked.is_none() && !has_others => {
            let (name, what) = match deployment {
                Deployment::Cloud => ("JIRA_API_TOKEN", "an API token, with its e-mail address as JIRA_USERNAME"),
                Deployment::DataCenter => ("JIRA_PERSONAL_TOKEN", "a personal access token, or JIRA_USERNAME and JIRA_API_TOKEN"),
            };
            missing(reader, name, &format!("{what} (or JIRA_AUTH_TYPE=none, to read what everybody may see)"));
        }
        Kind::None | Kind::SignIn => {}
    }
    warn_of_others(reader, &set, kind);
    if kind != Kind::SignIn {
        warn_of_half_an_app(reader);
    }
    kind
}

fn user_of(deployment: Deployment) -> &'static str {
    match deployment {
        Deployment::Cloud => "e-mail address of the account",
        Deployment::DataCenter => "name of the user",
    }
}

fn asked(reader: &mut Reader<'_>) -> Option<Kind> {
    let name = "JIRA_AUTH_TYPE";
    match reader.text(name)?.to_ascii_lowercase().as_str() {
        "api_token" | "basic" | "password" => Some(Kind::ApiToken),
        "pat" | "personal_access_token" => Some(Kind::Personal),
        "oauth" => Some(Kind::OAuth),
        "none" => Some(Kind::None),
        _ => {
            reader.unexpected(name, "`api_token`, `pat`, `oauth` or `none`");
            None
        }
    }
}

fn set<'a>(reader: &Reader<'a>, deployment: Deployment, asked: Option<Kind>) -> Set<'a> {
    let named = |name: &'static str| reader.secret(name).map(|it| (name, it));
    let either = named("ATLASSIAN_TOKEN");
    let is_personal = match asked {
        Some(kind) => kind == Kind::Personal,
        None => deployment == Deployment::DataCenter,
    };
    let (for_api, personal) = if is_personal { (None, either) } else { (either, None) };
    Set {
        user: reader.text("JIRA_USERNAME"),
        api_token: named("JIRA_API_TOKEN").or(for_api),
        oauth: named("JIRA_OAUTH_ACCESS_TOKEN"),
        app: named("JIRA_OAUTH_CLIENT_SECRET").filter(|_| reader.has("JIRA_OAUTH_CLIENT_ID")),
        personal: named("JIRA_PERSONAL_TOKEN").or(personal),
    }
}

fn best(set: &Set<'_>, deployment: Deployment) -> Kind {
    let is_cloud = deployment == Deployment::Cloud;
    match () {
        () if !is_cloud && set.personal.is_some() => Kind::Personal,
        () if set.oauth.is_some() => Kind::OAuth,
        () if set.app.is_some() => Kind::SignIn,
        () if set.api_token.is_some() => Kind::ApiToken,
        () if set.personal.is_some() => Kind::Personal,
        () => Kind::None,
    }
}

/// Says that the id or the secret of an app does nothing alone.
fn warn_of_half_an_app(reader: &mut Reader<'_>) {
    let (id, secret) = ("JIRA_OAUTH_CLIENT_ID", "JIRA_OAUTH_CLIENT_SECRET");
    for (name, other) in [(id, secret), (secret, id)] {
        if reader.has(name) && !reader.has(other) {
            reader.warn(format!("{name} has no effect here, because {other} is not set"));
        }
    }
}

/// Says which credentials are set but not used.
fn warn_of_others(reader: &mut Reader<'_>, set: &Set<'_>, used: Kind) {
    let rows = [
        (Kind::ApiToken, &set.api_token),
        (Kind::OAuth, &set.oauth),
        (Kind::Personal, &set.personal),
        (Kind::SignIn, &set.app),
    ];
    let used_name =
        rows.iter().find(|(kind, _)| *kind == used).and_then(|(_, it)| it.as_ref()).map(|it| it.0);
    let other = if used == Kind::SignIn { "JIRA_AUTH_TYPE=oauth" } else { "JIRA_AUTH_TYPE=none" };
    let used_name = used_name.unwrap_or(other);
    for (kind, other) in rows {
        if let Some((name, _)) = other
            && kind != used
        {
            reader.warn(format!("{name} has no effect here, because {used_name} is used"));
        }
    }
}
