//! Jira, as plain async functions over [`rest`](crate::rest).
//!
//! In: keys, names and values as people say them. Out: values with what a reader needs. A function that changes something first makes a
//! [`Plan`](crate::write::Plan), which shows the change and can take it back.

pub mod agile;
pub mod allowed;
pub mod attachments;
pub mod changelog;
pub mod desk;
pub mod development;
pub mod dialect;
mod epic;
mod extra;
pub mod fields;
pub mod filters;
pub mod forms;
pub mod hierarchy;
pub mod history;
pub mod hours;
pub mod input;
pub mod issue;
pub mod key;
pub mod links;
pub mod paging;
pub mod people;
pub mod projects;
pub mod question;
pub mod screens;
pub mod search;
pub mod shown;
pub mod sla;
pub mod text;
pub mod versions;
pub mod worklogs;

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::OnceCell;

use crate::rest::{Request, Site, Upstream};
use dialect::Dialect;

/// A Jira site, for one user.
#[derive(Clone, Debug)]
pub struct Jira {
    site: Site,
    dialect: &'static Dialect,
    projects: Arc<[String]>,
    hours: Arc<hours::WorkingHours>,
    metrics: Arc<[String]>,
    kept: Arc<Kept>,
}

/// What is asked once, and kept while the server runs.
#[derive(Debug, Default)]
struct Kept {
    fields: OnceCell<Arc<fields::Fields>>,
    myself: OnceCell<Value>,
    allowed: OnceCell<Vec<key::Allowed>>,
    forms: OnceCell<forms::Gateway>,
}

impl Jira {
    /// Makes it for a site.
    pub fn new(site: Site) -> Self {
        let dialect = Dialect::of(site.deployment());
        Self {
            site,
            dialect,
            projects: Arc::default(),
            hours: Arc::default(),
            metrics: Arc::default(),
            kept: Arc::default(),
        }
    }

    /// Limits it to projects, by their keys. An empty list is no limit.
    pub fn within_projects(self, projects: impl IntoIterator<Item = String>) -> Self {
        Self { projects: projects.into_iter().collect(), ..self }
    }

    /// Returns the projects that it is limited to.
    pub fn projects(&self) -> &[String] {
        &self.projects
    }

    /// Counts time by these working hours.
    pub fn with_hours(self, hours: hours::WorkingHours) -> Self {
        Self { hours: Arc::new(hours), ..self }
    }

    /// Returns the working hours.
    pub fn hours(&self) -> &hours::WorkingHours {
        &self.hours
    }

    /// Computes these metrics of times for a call that names none; an empty list is all.
    pub fn with_metrics(self, metrics: impl IntoIterator<Item = String>) -> Self {
        Self { metrics: metrics.into_iter().collect(), ..self }
    }

    /// Returns the metrics of times for a call that names none; empty is all.
    pub fn usual_metrics(&self) -> &[String] {
        &self.metrics
    }

    /// Returns the site.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Returns the form of its API.
    pub fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// Returns the path of something in the platform's API.
    pub fn path<'a>(&self, rest: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        ["rest", "api", self.dialect.version].into_iter().chain(rest).map(ToOwned::to_owned).collect()
    }

    /// Returns a GET of the platform's API.
    pub fn get<'a>(&self, rest: impl IntoIterator<Item = &'a str>) -> Request {
        Request::get(self.path(rest))
    }

    /// Returns the address of an issue for a browser.
    pub fn browse(&self, key: &str) -> String {
        let base = self.site.web().as_str().trim_end_matches('/');
        format!("{base}/browse/{}", crate::rest::quote(key))
    }

    /// Returns the account that requests are made for. It is asked once.
    ///
    /// # Errors
    /// Those of the site.
    pub async fn myself(&self) -> Result<&Value, Upstream> {
        self.kept.myself.get_or_try_init(|| self.site.json(self.get(["myself"]))).await
    }
}
