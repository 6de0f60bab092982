//! The server: tools over one site of Jira.
//!
//! In: the choice of [`Atlassian`]. Out: a [`Server`].

use std::path::PathBuf;
use std::time::Duration;

use plainwire::audit::Audit;
use plainwire::prelude::*;
use plainwire::presentation::Presentation;

use crate::jira::Jira;
use crate::jira::hours::WorkingHours;
use crate::prompts;
use crate::resources::{self, watch::watch};
use crate::rest::{Site, SiteSettings};
use crate::tools::{self, ByUrl, Choice};
use crate::write::{Handles, Journal};

/// The largest result, in bytes: its text and its value.
const MAX_RESULT: usize = 4 << 20;

/// How often subscribed issues are asked for changes: what a person who waits for an answer still finds soon.
const WATCH_EVERY: Duration = Duration::from_secs(60);

/// The settings of the server.
#[derive(Debug)]
pub struct Atlassian {
    /// The site of Jira.
    pub jira: SiteSettings,
    /// Only these projects, by their keys. Empty is no limit.
    pub projects: Vec<String>,
    /// The hours in which people work, for jira_get_issue_sla and for days without a time.
    pub working_hours: WorkingHours,
    /// The metrics of jira_get_issue_sla for a call that names none. Empty is all.
    pub metrics: Vec<String>,
    /// The tools that are offered.
    pub choice: Choice,
    /// The file of undo handles and idempotency keys. Without one, they end with the program.
    pub journal: Option<PathBuf>,
    /// Where changes are recorded.
    pub audit: Audit,
    /// How often issues that clients are subscribed to are asked for changes; 60 s by default. Zero is never: then clients hear of changes by
    /// tools of this server only.
    pub watch_every: Duration,
    /// Whether lists have output schemas.
    pub lists_output_schemas: bool,
}

/// A setting that can't be used, with a sentence that says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable(pub String);

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unusable {}

impl Atlassian {
    /// Returns the settings of a server for a site of Jira: its usual tools, and no limit to projects.
    pub fn new(jira: SiteSettings) -> Self {
        Self {
            jira,
            projects: Vec::new(),
            working_hours: WorkingHours::default(),
            metrics: Vec::new(),
            choice: Choice::default(),
            journal: None,
            audit: Audit::off(),
            watch_every: WATCH_EVERY,
            lists_output_schemas: false,
        }
    }

    /// Returns a server with each tool that a URL may choose, and the choice by URL, to be served over HTTP:
    /// `Http::new(server).tools_by_query(move |query| by_url.choose(query))`.
    ///
    /// # Errors
    /// Like [`Self::server`].
    pub fn by_url(mut self) -> Result<(Server, ByUrl), Unusable> {
        self.choice.check().map_err(|error| Unusable(error.message().to_owned()))?;
        let by_url = ByUrl::new(self.choice);
        self.choice = by_url.most();
        Ok((self.server()?, by_url))
    }

    /// Returns the server, ready to be served. Nothing is sent to the site yet.
    ///
    /// # Errors
    /// A setting that can't be used; a file of undo handles that is none. It is left as it is.
    pub fn server(self) -> Result<Server, Unusable> {
        let site = Site::new(self.jira).map_err(|error| Unusable(error.to_string()))?;
        self.choice.check().map_err(|error| Unusable(error.message().to_owned()))?;
        let handles = Handles::open(self.journal.as_deref()).map_err(|error| {
            let name =
                self.journal.as_ref().map_or_else(|| "memory".to_owned(), |it| it.display().to_string());
            Unusable(format!("{name}: {error}"))
        })?;
        let jira = Jira::new(site)
            .within_projects(self.projects)
            .with_hours(self.working_hours)
            .with_metrics(self.metrics);
        let is_cloud = jira.dialect().has_cloud_tools;
        let choice = self.choice;
        let entries = tools::entries(choice.names).retain_tools(|name| choice.has(name, is_cloud));
        let mut presentation = Presentation::data().limit(MAX_RESULT).cards_where_shown();
        if !self.lists_output_schemas {
            presentation = presentation.hide_output_schemas();
        }
        let watched = jira.clone();
        let server = plainwire::server!("atlassian")
            .title("Atlassian")
            .instructions(INSTRUCTIONS)
            .presentation(presentation)
            .with(resources::entries(&jira))
            .with(prompts::entries(&jira))
            .state(jira)
            .state(Journal { handles, audit: self.audit })
            .with(entries);
        Ok(match self.watch_every {
            Duration::ZERO => server,
            every => {
                server.while_subscribed(move |subscriptions| watch(watched.clone(), every, subscriptions))
            }
        })
    }

    /// Returns the name, the toolset and the kind of each tool that a choice offers on Cloud: for `--list-tools`.
    pub fn tools(choice: &Choice) -> Vec<(&'static str, &'static str, bool)> {
        let all = choice.names.tools().filter(|it| choice.has(it.name, true));
        all.map(|it| (it.name, it.toolset, it.is_write)).collect()
    }
}

/// What a model should know of all tools.
const INSTRUCTIONS: &str = "Jira. Rich text is Markdown both ways: to change a description, send it back as it was read, with the edit; \
what you leave untouched is kept. Each write takes `preview: true`, and returns an `undo` handle for atlassian_undo. People may be named \
as `me`, by name, e-mail address or id; fields by name.";
