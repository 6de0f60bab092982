//! All settings together: read, checked, and ready for the server.

use std::sync::Arc;

use super::cloud::cloud_id;
use super::layers::Layers;
use super::problem::{Problem, Problems};
use super::reader::{ReadFile, Reader};
use super::sign_in::SignIn;
use super::site::SiteRead;
use super::{hours, names, no_effect, site, tools};
use crate::jira::hours::WorkingHours;
use crate::rest::{Credentials, Site, SiteSettings, TokenSource};
use crate::server::{Atlassian, Unusable};
use crate::tools::Choice;

/// The settings of a server, as they were read.
#[derive(Clone, Debug)]
pub struct Config {
    /// The site of Jira.
    pub jira: SiteSettings,
    /// Whether the site has to be asked for its cloud id, which [`Config::located`] does.
    pub finds_cloud_id: bool,
    /// The sign-in by OAuth that the credentials are to come from; `None` for other credentials. The program has to get tokens, and to
    /// give them to [`Config::signed_in`].
    pub sign_in: Option<SignIn>,
    /// Only these projects, by their keys. Empty is no limit.
    pub projects: Vec<String>,
    /// The tools that are offered.
    pub choice: Choice,
    /// The hours in which people work.
    pub working_hours: WorkingHours,
    /// The metrics of jira_get_issue_sla for a call that names none. Empty is all.
    pub metrics: Vec<String>,
    /// What has no effect, and what is dangerous. Sentences without secrets.
    pub warnings: Vec<String>,
}

impl Config {
    /// Reads the settings. `read_file` reads the files of certificates that they name; nothing else is read, and nothing is sent.
    ///
    /// # Errors
    /// All that is wrong with them, at once.
    pub fn read(layers: &Layers, read_file: ReadFile<'_>) -> Result<Self, Problems> {
        let mut reader = Reader::new(layers, read_file);
        look_at_others(&mut reader, layers);
        for (name, secret) in layers.not_in_keychain() {
            let message = format!("expected a secret in the keychain by the name {secret:?}, but found none");
            reader.problem(name, message);
        }
        let site = site::read(&mut reader);
        let (choice, projects) = (tools::read(&mut reader), tools::projects(&mut reader));
        let (working_hours, metrics) = (hours::read(&mut reader), hours::metrics(&mut reader));
        if let Some(SiteRead { site, .. }) = &site
            && reader.problems.is_empty()
            && let Err(fault) = Site::new(site.clone())
        {
            reader.problem(names::of_field(fault.setting), fault.message);
        }
        match site {
            Some(SiteRead { site: jira, finds_cloud_id, sign_in }) if reader.problems.is_empty() => {
                let warnings = reader.warnings;
                Ok(Self { jira, finds_cloud_id, sign_in, projects, choice, working_hours, metrics, warnings })
            }
            _ => Err(Problems(reader.problems)),
        }
    }

    /// Sets the source of tokens of a [`sign_in`](Self::sign_in).
    #[must_use]
    pub fn signed_in(mut self, tokens: Arc<dyn TokenSource>) -> Self {
        self.jira.credentials = Credentials::OAuth(tokens);
        self
    }

    /// Asks the site for its cloud id, if [`finds_cloud_id`](Self::finds_cloud_id) says so. Otherwise returns at once.
    ///
    /// One request, without credentials. Cancel safe.
    ///
    /// # Errors
    /// The site does not say its id.
    ///
    /// Source: `GET /_edge/tenant_info` of sites on Cloud, which no document describes.
    pub async fn located(mut self) -> Result<Self, Unusable> {
        if self.finds_cloud_id {
            let id = cloud_id(&self.jira).await.map_err(|why| {
                let advice = "set JIRA_CLOUD_ID to the id of the site, which an administrator finds in its address at admin.atlassian.com";
                Unusable(format!("the site does not say its cloud id: {why}; {advice}"))
            })?;
            (self.jira.cloud_id, self.finds_cloud_id) = (Some(id), false);
        }
        Ok(self)
    }

    /// Returns the settings of the server: the site, the projects, the choice of tools and the working hours. All else is as
    /// [`Atlassian::new`] has it.
    pub fn server(self) -> Atlassian {
        Atlassian {
            projects: self.projects,
            choice: self.choice,
            working_hours: self.working_hours,
            metrics: self.metrics,
            ..Atlassian::new(self.jira)
        }
    }
}

/// Looks at the names that are no variables of this server.
fn look_at_others(reader: &mut Reader<'_>, layers: &Layers) {
    let mut idle: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, source) in &layers.others {
        let bare = name.strip_prefix("MCP_").unwrap_or(name);
        if bare == "JIRA_INTERNAL_ONLY_PROJECTS" {
            // It keeps customers from reading comments: to ignore it would do harm.
            let message = "expected none, since this server can't keep the comments of a project internal: \
                           set DISABLED_TOOLS=jira_add_comment,jira_edit_comment instead";
            reader.problems.push(Problem {
                name: name.clone(),
                source: Some(*source),
                message: message.to_owned(),
            });
        } else if let Some(reason) = no_effect::reason(name).or_else(|| no_effect::reason(bare)) {
            match idle.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, names)) => names.push(name),
                None => idle.push((reason, vec![name])),
            }
        } else {
            let near = names::meant(bare);
            let meant = near.map_or(String::new(), |it| format!("; did you mean {it}?"));
            if source.is_for_us() {
                let message = format!("expected the name of a setting, but found another one{meant}");
                let name = plainwire::proto::json::visible(name, 80);
                reader.problems.push(Problem { name, source: Some(*source), message });
            } else if near.is_some() {
                let name = plainwire::proto::json::visible(name, 80);
                reader.warn(format!("{name} has no effect here, because there is no such setting{meant}"));
            }
        }
    }
    for (reason, mut names) in idle {
        names.dedup();
        let (verb, list) = (if names.len() == 1 { "has" } else { "have" }, names.join(", "));
        reader.warn(format!("{list} {verb} no effect here, because {reason}"));
    }
}
