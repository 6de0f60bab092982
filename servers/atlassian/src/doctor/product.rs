//! What answers at the address: Jira, a login page, another product; on Cloud or in Data Center; by which clock.

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use plainwire::proto::json::visible;
use serde::Deserialize;

use super::anonymous;
use super::report::{Outcome, Report};
use crate::rest::{Answer, Deployment, Kind, Request, SettingFault, Site, SiteSettings, Upstream, Url};

/// The difference of two clocks that is taken for a mistake, in seconds. Tokens of OAuth and certificates suffer from more.
const MAX_DIFFERENCE: i64 = 300;

/// What the rest of the checks needs to know.
pub(super) struct Info {
    pub(super) deployment: Deployment,
}

/// The answer about the server itself.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServerInfo {
    version: String,
    base_url: Option<String>,
    deployment_type: Option<String>,
    server_time: Option<String>,
}

/// Looks at what answers. `None` if it is not Jira.
pub(super) async fn examine(settings: &SiteSettings, site: &Site, report: &mut Report) -> Option<Info> {
    let own = match own(settings, site) {
        Ok(own) => own,
        Err(fault) => {
            report.refused("connection", &fault);
            return None;
        }
    };
    let (answer, info) = match asked(&own).await {
        Ok(it) => it,
        Err(error) if is_about_network(&error) => {
            report.failed("connection", error.message(), connection_advice(settings, &error));
            return None;
        }
        Err(error) => {
            report.passed("connection", transport(settings));
            let found = with_other_path(settings, &error).await;
            let advice = found.or_else(|| error.hint());
            report.failed("product", error.message(), advice);
            return None;
        }
    };
    pass_connection(settings, report);
    let version = visible(&info.version, 40);
    let calls_itself = info.base_url.as_deref().filter(|it| !is_same(it, &settings.base));
    let other = calls_itself.map_or(String::new(), |it| format!("; it calls itself {}", visible(it, 80)));
    report.passed("product", format!("Jira {version} answers{other}"));
    let deployment = examine_deployment(settings, &info, report);
    examine_clock(&answer, &info, report);
    Some(Info { deployment })
}

/// Returns the site at its own address, even if requests go through the gateway.
fn own(settings: &SiteSettings, site: &Site) -> Result<Site, SettingFault> {
    match settings.cloud_id {
        None => Ok(site.clone()),
        Some(_) => Site::new(SiteSettings { cloud_id: None, ..settings.clone() }),
    }
}

/// Asks the server about itself: as nobody first, so that wrong credentials don't matter, then as the user.
async fn asked(site: &Site) -> Result<(Answer, ServerInfo), Upstream> {
    let ask = async |site: &Site| {
        let answer = site.send(Request::get(["rest", "api", "2", "serverInfo"])).await?;
        let info = answer.json()?;
        Ok((answer, info))
    };
    match anonymous(site) {
        None => ask(site).await,
        Some(nobody) => match ask(&nobody).await {
            Err(error) if !is_about_network(&error) => ask(site).await,
            it => it,
        },
    }
}

fn is_about_network(error: &Upstream) -> bool {
    matches!(error.kind(), Kind::Cut | Kind::Network | Kind::Timeout | Kind::Tls)
}

fn transport(settings: &SiteSettings) -> &'static str {
    match (settings.base.scheme(), settings.dangerous_accept_any_certificate) {
        ("http", _) => "it is open, without TLS",
        (_, true) => "it is open, with a certificate that nobody checked",
        (_, false) => "it is open, with a certificate that is trusted",
    }
}

fn pass_connection(settings: &SiteSettings, report: &mut Report) {
    let is_unchecked = settings.dangerous_accept_any_certificate && settings.base.scheme() == "https";
    let advice = is_unchecked.then(|| {
        "set JIRA_CA_FILE to the certificate of the company, and remove JIRA_SSL_VERIFY=false".to_owned()
    });
    report.add("connection", Outcome::Passed, transport(settings), advice);
}

fn connection_advice(settings: &SiteSettings, error: &Upstream) -> Option<String> {
    let text = match error.kind() {
        Kind::Tls => {
            "set JIRA_CA_FILE to the certificate of the company's authority (PEM); if the site wants a certificate of yours, JIRA_CLIENT_CERT"
        }
        Kind::Network if error.status() == Some(407) => {
            "write the user and the password into the address of the proxy: http://user:password@proxy.example:8080"
        }
        Kind::Network | Kind::Cut if settings.base.scheme() == "http" => {
            "the site may want https: write https:// in JIRA_URL"
        }
        Kind::Timeout => "try again, or set JIRA_TIMEOUT; a firewall or a proxy may swallow requests",
        _ => return error.hint(),
    };
    Some(text.to_owned())
}

/// Looks for Jira at another path of the same host. Returns the advice to use it.
async fn with_other_path(settings: &SiteSettings, error: &Upstream) -> Option<String> {
    if !matches!(error.kind(), Kind::Html | Kind::NotFound | Kind::Redirect) {
        return None;
    }
    for path in ["/jira", ""] {
        let mut base = settings.base.clone();
        base.set_path(path);
        if base.path().trim_end_matches('/') == settings.base.path().trim_end_matches('/') {
            continue;
        }
        let other = SiteSettings { base: base.clone(), cloud_id: None, ..settings.clone() };
        // As nobody: the credentials are for the configured address.
        let Some(site) = Site::new(other).ok().as_ref().and_then(anonymous) else { continue };
        let info = site.json::<ServerInfo>(Request::get(["rest", "api", "2", "serverInfo"])).await;
        if info.is_ok() {
            return Some(format!(
                "Jira answers at another path of this host: set JIRA_URL={}",
                base.as_str().trim_end_matches('/')
            ));
        }
    }
    None
}

/// Returns whether two addresses are the same site.
fn is_same(text: &str, base: &Url) -> bool {
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    Url::parse(text).is_ok_and(|it| it.origin() == base.origin() && path(&it) == path(base))
}

fn examine_deployment(settings: &SiteSettings, info: &ServerInfo, report: &mut Report) -> Deployment {
    let kind = info.deployment_type.as_deref().unwrap_or("Server");
    let found = if kind.eq_ignore_ascii_case("cloud") { Deployment::Cloud } else { Deployment::DataCenter };
    let expected = settings.deployment.unwrap_or_else(|| match settings.cloud_id {
        Some(_) => Deployment::Cloud,
        None => Deployment::of(&settings.base),
    });
    let name = |it| match it {
        Deployment::Cloud => "Cloud",
        Deployment::DataCenter => "Data Center or Server",
    };
    if found == expected {
        report.passed("deployment", name(found));
    } else {
        let value = match found {
            Deployment::Cloud => "JIRA_DEPLOYMENT=cloud".to_owned(),
            Deployment::DataCenter => "JIRA_DEPLOYMENT=data_center, and no cloud id".to_owned(),
        };
        let text =
            format!("expected {}, but found {} (`{}`)", name(expected), name(found), visible(kind, 40));
        report.failed("deployment", text, Some(format!("set {value}")));
    }
    found
}

fn examine_clock(answer: &Answer, info: &ServerInfo, report: &mut Report) {
    let header = answer.header("date").and_then(|it| rfc2822::DateTimeParser::new().parse_timestamp(it).ok());
    let theirs = header.or_else(|| time_of(info.server_time.as_deref()?));
    let Some(theirs) = theirs else {
        report.skipped("clock", "the site does not say its time");
        return;
    };
    let difference = Timestamp::now().duration_since(theirs).as_secs();
    let found = match difference {
        0 => "the same as that of the site".to_owned(),
        1.. => format!("{difference} s ahead of that of the site"),
        _ => format!("{} s behind that of the site", difference.unsigned_abs()),
    };
    if difference.abs() <= MAX_DIFFERENCE {
        report.passed("clock", found);
    } else {
        let advice = "set the clock of this machine, or that of the site: tokens and certificates are refused before and after their time";
        report.failed("clock", found, Some(advice.to_owned()));
    }
}

/// Reads the time of Jira, such as `2026-03-02T10:00:00.000+0100`.
fn time_of(text: &str) -> Option<Timestamp> {
    text.parse().ok().or_else(|| Timestamp::strptime("%Y-%m-%dT%H:%M:%S%.f%z", text).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_jira_is_read() {
        for text in ["2026-03-02T10:00:00.000+0100", "2026-03-02T09:00:00.000+0000", "2026-03-02T09:00:00Z"] {
            assert_eq!(
                time_of(text).map(|it| it.to_string()).as_deref(),
                Some("2026-03-02T09:00:00Z"),
                "{text}"
            );
        }
        assert_eq!(time_of("soon"), None);
    }

    #[test]
    fn a_site_may_call_itself_by_another_name() {
        let base = "https://a.example/jira".parse().expect("a URL");
        assert!(is_same("https://a.example:443/jira/", &base));
        assert!(
            !is_same("https://b.example/jira", &base)
                && !is_same("https://a.example", &base)
                && !is_same("x", &base)
        );
    }
}
