//! The sign-in by OAuth: who issued the tokens and until when, what they may do, and for which sites.

use std::time::SystemTime;

use plainwire::proto::json::visible;

use super::report::{Outcome, Report};
use crate::rest::{Credentials, Grant, Site, SiteSettings};
use crate::settings::{TokenSite, sites_of_token};

/// The scopes of Cloud that tools need, and what needs them. The first one is for all of them.
const CLOUD: [(&str, &str); 7] = [
    ("read:jira-work", "read issues, projects and fields"),
    ("read:jira-user", "find people"),
    ("write:jira-work", "change issues"),
    ("manage:jira-project", "change versions"),
    ("read:board-scope:jira-software", "read boards"),
    ("read:sprint:jira-software", "read sprints"),
    ("read:servicedesk-request", "read service desks"),
];

/// The scopes of Data Center, and what needs them. Each one includes those before it.
const DATA_CENTER: [(&str, &str); 2] = [("READ", "read"), ("WRITE", "change issues")];

/// The scopes of Data Center from the smallest.
const LEVELS: [&str; 4] = ["READ", "WRITE", "ADMIN", "SYSTEM_ADMIN"];

/// The most sites of a token that are named.
const MAX_SITES: usize = 5;

/// Looks at the sign-in. `None` if nobody is signed in.
pub(super) async fn examine(settings: &SiteSettings, site: &Site, report: &mut Report) -> Option<()> {
    let grant = match &settings.credentials {
        Credentials::OAuth(source) => {
            // Renews a token that has expired, so that the rest is about the one that requests have.
            if let Err(why) = source.current().await {
                report.failed("sign-in", why, None);
                return None;
            }
            source.grant().await.unwrap_or_default()
        }
        _ => None,
    };
    match &grant {
        Some(grant) => {
            examine_expiry(grant, report);
            examine_scopes(grant, site.is_cloud(), report);
        }
        None => {
            report.skipped("sign-in", "the credentials are not from a sign-in by OAuth");
            report.skipped("scopes", "nobody has said which ones the credentials have");
        }
    }
    examine_sites(settings, site, report).await
}

fn examine_expiry(grant: &Grant, report: &mut Report) {
    let issuer = visible(&grant.issuer, 100);
    let until = match grant.expires.map(|it| it.duration_since(SystemTime::now()).unwrap_or_default()) {
        None => "nobody has said when the access token expires".to_owned(),
        Some(left) => format!("the access token expires in {} min", left.as_secs() / 60),
    };
    if grant.is_renewed {
        report.passed("sign-in", format!("at {issuer}; {until}, and is renewed"));
    } else {
        let advice = "the authorization server has given no refresh token, so you have to sign in again then; on Cloud, the app needs the scope `offline_access`";
        let found = format!("at {issuer}; {until}, and is not renewed");
        report.add("sign-in", Outcome::Passed, found, Some(advice.to_owned()));
    }
}

fn examine_scopes(grant: &Grant, is_cloud: bool, report: &mut Report) {
    if grant.scopes.is_empty() {
        return report.skipped("scopes", "nobody has said which ones the token has");
    }
    let level = |it: &str| LEVELS.iter().position(|level| *level == it);
    let highest = grant.scopes.iter().filter_map(|it| level(it)).max();
    let has = |scope: &str| match is_cloud {
        true => grant.scopes.iter().any(|it| it == scope),
        false => highest >= level(scope),
    };
    let needed: &[(&str, &str)] = if is_cloud { &CLOUD } else { &DATA_CENTER };
    let missing: Vec<_> = needed.iter().filter(|(scope, _)| !has(scope)).collect();
    let found = visible(&grant.scopes.join(" "), 200);
    let what: Vec<_> = missing.iter().map(|(scope, what)| format!("`{scope}` to {what}")).collect();
    let advice = format!(
        "give the app {}, set JIRA_OAUTH_SCOPE to all of its scopes, and sign in again",
        what.join(", ")
    );
    match missing.first() {
        None => report.passed("scopes", found),
        Some(first) if first.0 == needed[0].0 => report.failed("scopes", found, Some(advice)),
        Some(_) => report.add("scopes", Outcome::Passed, found, Some(advice)),
    }
}

/// Looks at the sites that a token of OAuth on Cloud is for. `None` if the configured one is not among them.
async fn examine_sites(settings: &SiteSettings, site: &Site, report: &mut Report) -> Option<()> {
    let is_token = matches!(settings.credentials, Credentials::Bearer(_) | Credentials::OAuth(_));
    if !(is_token && site.is_cloud() && settings.cloud_id.is_some()) {
        report.skipped("sites", "only tokens of OAuth on Cloud are for certain sites");
        return Some(());
    }
    match sites_of_token(settings).await {
        Ok(sites) if sites.iter().any(|it| it.is_of(settings)) => {
            report.passed("sites", format!("the token is for {}", named(&sites)));
            Some(())
        }
        Ok(sites) => {
            let id = visible(settings.cloud_id.as_deref().unwrap_or_default(), 60);
            let found = format!(
                "expected a token for the site with the cloud id {id}, but found one for {}",
                named(&sites)
            );
            let advice = "sign in again and choose that site, or correct JIRA_URL and JIRA_CLOUD_ID";
            report.failed("sites", found, Some(advice.to_owned()));
            None
        }
        // The login says more of a token that is refused.
        Err(why) => {
            report.skipped("sites", why);
            Some(())
        }
    }
}

fn named(sites: &[TokenSite]) -> String {
    let names: Vec<_> = sites
        .iter()
        .take(MAX_SITES)
        .map(|it| format!("{} ({})", visible(it.url.trim_end_matches('/'), 80), visible(&it.id, 60)))
        .collect();
    match names.len() {
        0 => "no site".to_owned(),
        shown if shown < sites.len() => format!("{} and {} more", names.join(", "), sites.len() - shown),
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Check;

    fn scopes(scopes: &[&str], is_cloud: bool) -> Check {
        let mut report = Report::default();
        let grant = Grant {
            issuer: "https://auth.example".to_owned(),
            scopes: scopes.iter().map(|it| (*it).to_owned()).collect(),
            expires: None,
            is_renewed: true,
        };
        examine_scopes(&grant, is_cloud, &mut report);
        report.finished().into_iter().find(|it| it.name == "scopes").expect("the check")
    }

    #[test]
    fn scopes_that_tools_need_are_named() {
        let check = scopes(&["read:jira-work", "read:jira-user", "write:jira-work"], true);
        let advice = check.advice.expect("advice");
        assert_eq!(check.outcome, Outcome::Passed);
        assert!(
            advice.contains("`manage:jira-project`") && !advice.contains("`write:jira-work`"),
            "{advice}"
        );
        let check = scopes(&["write:jira-work"], true);
        assert!(
            check.outcome == Outcome::Failed
                && check.advice.is_some_and(|it| it.contains("`read:jira-work`"))
        );
        let all = CLOUD.map(|it| it.0);
        assert_eq!(scopes(&all, true).advice, None);
    }

    #[test]
    fn a_scope_of_data_center_includes_the_smaller_ones() {
        let check = scopes(&["READ"], false);
        assert!(check.outcome == Outcome::Passed && check.advice.is_some_and(|it| it.contains("`WRITE`")));
        for scope in ["WRITE", "ADMIN", "SYSTEM_ADMIN"] {
            assert_eq!(scopes(&[scope], false).advice, None, "{scope}");
        }
    }
}
