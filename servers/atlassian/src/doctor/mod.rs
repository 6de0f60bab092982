//! The doctor: asks a site step by step, and says what to change where a step fails.
//!
//! In: [`SiteSettings`]. Out: a [`Check`] for each step, in order, always the same ones. It changes nothing on the site. Texts of others
//! are shortened and made visible; secrets are never shown.
//!
//! The files, in reading order: `report` keeps the checks, `network` looks at the way to the site, `product` at what answers, `sign_in` at
//! tokens of OAuth, `account` at the user, and `apis` at what the tools need.

mod account;
mod apis;
mod network;
mod product;
mod report;
mod sign_in;

use std::time::Duration;

use crate::rest::{Credentials, Deployment, Request, Site, SiteSettings};
use report::Report;

pub use report::{Check, Outcome};

/// The time limit of each request, in place of a longer one of the settings: whoever asks the doctor waits for the answer.
const PATIENCE: Duration = Duration::from_secs(15);

/// Checks the settings of a site and the site itself, with at most 15 requests that only read.
///
/// After a failure that explains all others, the rest is skipped. Cancel safe.
pub async fn examine(settings: &SiteSettings) -> Vec<Check> {
    let mut report = Report::default();
    let mut settings = settings.clone();
    settings.max_retries = 0;
    settings.timeout = settings.timeout.min(PATIENCE);
    examined(settings, &mut report).await;
    report.finished()
}

/// Makes the checks, up to one that explains all others.
async fn examined(mut settings: SiteSettings, report: &mut Report) -> Option<()> {
    let site = match Site::new(settings.clone()) {
        Ok(site) => site,
        Err(fault) => {
            report.refused("settings", &fault);
            return None;
        }
    };
    report.passed("settings", "they can be used");
    network::examine(&settings, &site, report).await?;
    let info = product::examine(&settings, &site, report).await?;
    // The other checks should not fail for a deployment that was already reported.
    settings.deployment = Some(if settings.cloud_id.is_some() { Deployment::Cloud } else { info.deployment });
    let site = Site::new(settings.clone()).ok()?;
    sign_in::examine(&settings, &site, report).await?;
    account::examine(&settings, &site, report).await?;
    apis::examine(&site, report).await;
    Some(())
}

/// Returns the same site for nobody.
fn anonymous(site: &Site) -> Option<Site> {
    site.as_user(Credentials::None, &[]).ok()
}

/// Returns a GET of the platform's API, in the version that a site has.
fn platform<'a>(site: &Site, rest: impl IntoIterator<Item = &'a str>) -> Request {
    let version = if site.is_cloud() { "3" } else { "2" };
    Request::get(["rest", "api", version].into_iter().chain(rest))
}
