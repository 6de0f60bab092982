//! The user: the kind of the credentials, whether the site accepts them, and what they allow.

use std::collections::BTreeMap;

use plainwire::proto::json::visible;
use serde::Deserialize;

use super::platform;
use super::report::{Outcome, Report};
use crate::rest::{Credentials, Kind, Product, Site, SiteSettings, Upstream};
use crate::settings::cloud_id;

/// The permissions that tools need, and what needs them. The first one is for all of them.
const PERMISSIONS: [(&str, &str); 9] = [
    ("BROWSE_PROJECTS", "read issues"),
    ("CREATE_ISSUES", "create issues"),
    ("EDIT_ISSUES", "edit issues"),
    ("DELETE_ISSUES", "delete issues"),
    ("ADD_COMMENTS", "comment"),
    ("TRANSITION_ISSUES", "move issues through their workflow"),
    ("ASSIGN_ISSUES", "assign issues"),
    ("LINK_ISSUES", "link issues"),
    ("WORK_ON_ISSUES", "log work"),
];

/// The part of an account that people know it by.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Myself {
    display_name: String,
}

#[derive(Debug, Deserialize)]
struct Permissions {
    permissions: BTreeMap<String, Permission>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Permission {
    have_permission: bool,
}

/// Looks at the user. `None` if the site does not accept it.
pub(super) async fn examine(settings: &SiteSettings, site: &Site, report: &mut Report) -> Option<()> {
    examine_kind(settings, site, report);
    if is_nobody(settings) {
        report.skipped("login", "there is none without credentials");
    } else {
        match site.json::<Myself>(platform(site, ["myself"])).await {
            Ok(it) => report
                .passed("login", format!("the site knows this user as {}", visible(&it.display_name, 80))),
            Err(error) => {
                let text = login_advice(settings, site, &error).await;
                report.failed("login", error.message(), text);
                return None;
            }
        }
    }
    examine_permissions(site, report).await;
    Some(())
}

fn is_nobody(settings: &SiteSettings) -> bool {
    matches!(settings.credentials, Credentials::None)
        && settings.headers.is_empty()
        && settings.client_certificate.is_none()
}

fn examine_kind(settings: &SiteSettings, site: &Site, report: &mut Report) {
    let has_gateway = settings.cloud_id.is_some();
    match &settings.credentials {
        Credentials::None if is_nobody(settings) => report.add(
            "credentials",
            Outcome::Passed,
            "none: only what everybody may see",
            Some("set JIRA_USERNAME and JIRA_API_TOKEN, or JIRA_PERSONAL_TOKEN in Data Center, to see more".to_owned()),
        ),
        Credentials::None => report.passed("credentials", "headers or a certificate of this client"),
        Credentials::Basic { user, .. } if site.is_cloud() && !user.contains('@') => report.failed(
            "credentials",
            format!("expected an e-mail address for an API token on Cloud, but found the user {:?}", visible(user, 80)),
            Some("set JIRA_USERNAME to the e-mail address of the account that the token belongs to".to_owned()),
        ),
        Credentials::Basic { .. } if site.is_cloud() && has_gateway => {
            report.passed("credentials", "an API token with an e-mail address, through the gateway");
        }
        Credentials::Basic { .. } if site.is_cloud() => report.passed("credentials", "an API token with an e-mail address"),
        Credentials::Basic { .. } => report.add(
            "credentials",
            Outcome::Passed,
            "a user with a password",
            Some("a personal access token (JIRA_PERSONAL_TOKEN) can be revoked by itself, and never leads to a CAPTCHA".to_owned()),
        ),
        Credentials::Bearer(_) | Credentials::OAuth(_) if site.is_cloud() && !has_gateway => report.failed(
            "credentials",
            "expected an e-mail address with the API token, or a cloud id, but found a token alone, which sites on Cloud refuse at their own address",
            Some("set JIRA_USERNAME and JIRA_API_TOKEN; or, for an access token of OAuth, JIRA_CLOUD_ID=auto".to_owned()),
        ),
        Credentials::Bearer(_) if has_gateway => report.passed("credentials", "an access token, through the gateway"),
        Credentials::Bearer(_) => report.passed("credentials", "a personal access token"),
        Credentials::OAuth(_) => report.passed("credentials", "access tokens of OAuth that are renewed"),
    }
}

/// Returns what to do about a login that failed. For an API token on Cloud, tries whether it is one with scopes.
async fn login_advice(settings: &SiteSettings, site: &Site, error: &Upstream) -> Option<String> {
    let may_have_scopes =
        site.is_cloud() && settings.cloud_id.is_none() && settings.product != Product::Bitbucket;
    if error.kind() == Kind::Unauthorized
        && may_have_scopes
        && let Some(text) = scopes(settings).await
    {
        return Some(text);
    }
    error.hint()
}

/// Tries the credentials behind the gateway, where tokens with scopes work. Returns the advice to go there.
async fn scopes(settings: &SiteSettings) -> Option<String> {
    let id = cloud_id(settings).await.ok()?;
    let shown = visible(&id, 60);
    let site = Site::new(SiteSettings { cloud_id: Some(id), ..settings.clone() }).ok()?;
    let is_accepted = match site.send(platform(&site, ["myself"])).await {
        Ok(_) => true,
        // The gateway knows the token, whatever it may do.
        Err(error) => error.kind() == Kind::Forbidden,
    };
    is_accepted.then(|| {
        format!("the token has scopes, and works through the gateway only: set JIRA_CLOUD_ID={shown}")
    })
}

async fn examine_permissions(site: &Site, report: &mut Report) {
    let keys = PERMISSIONS.map(|(key, _)| key).join(",");
    let request = platform(site, ["mypermissions"]);
    // Data Center has no such parameter, and lists all.
    let request = if site.is_cloud() { request.query("permissions", keys) } else { request };
    let all: Permissions = match site.json(request).await {
        Ok(it) => it,
        Err(error) => {
            report.failed("permissions", error.message(), error.hint());
            return;
        }
    };
    let has = |key: &str| all.permissions.get(key).is_some_and(|it| it.have_permission);
    let of = |wanted: bool| {
        PERMISSIONS
            .iter()
            .filter(|(key, _)| has(key) == wanted)
            .map(|(_, what)| *what)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (may, may_not) = (of(true), of(false));
    if !has("BROWSE_PROJECTS") {
        let text = "an administrator has to give this user the permission BROWSE_PROJECTS in a project, or a role that has it";
        report.failed("permissions", "this user may not read issues in any project", Some(text.to_owned()));
    } else if may_not.is_empty() {
        report.passed("permissions", format!("in some project, this user may {may}"));
    } else {
        let text = "the site will refuse other changes; READ_ONLY_MODE=true and DISABLED_TOOLS take tools away that can't work";
        report.add(
            "permissions",
            Outcome::Passed,
            format!("in some project, this user may {may}; in none: {may_not}"),
            Some(text.to_owned()),
        );
    }
}
