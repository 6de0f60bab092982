//! `plainwire serve atlassian`: Jira for an assistant; with `--demo`, over the stand-in site.
//!
//! In: the command line, and the settings of `crate::atlassian`. Out: a server, and for the demo the site behind it.

use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueHint};
use plainwire::audit::Audit;
use plainwire::http::Http;
use plainwire_atlassian::rest::{Capture, Credentials, Deployment, Product, Secret, SiteSettings};
use plainwire_atlassian::settings::Config;
use plainwire_atlassian::{Atlassian, Choice, Names};
use plainwire_site::Site;
use tokio::net::TcpListener;

use super::library::{LibraryOptions, refuse};
use super::served::{Shared, serve_http, with_options};
use super::site::{self, SiteOptions};
use crate::atlassian::{ConfigOptions, config, located};
use crate::exit::{Exit, Failure};
use crate::{output, paths, secret_file, visible};

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Options of `serve atlassian`")]
pub(crate) struct AtlassianOptions {
    /// Serve the stand-in site of the program: no account is needed. On a terminal over HTTP, otherwise on stdin and stdout.
    #[arg(long)]
    pub(crate) demo: bool,
    /// Offer these toolsets, as in `issues,comments`; `all` for each tool.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    toolsets: Vec<String>,
    /// Offer only these tools.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    only_tools: Vec<String>,
    /// Do not offer these tools.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    without_tools: Vec<String>,
    /// Offer only tools that change nothing.
    #[arg(long)]
    read_only: bool,
    /// Offer the tools under these names: `v2` as in mcp-atlassian, `v1` for twelve tools with short names, or `v1,v2`. By default v2.
    #[arg(long, value_name = "NAMES")]
    names: Option<Names>,
    /// Touch only these projects, by their keys.
    #[arg(long, value_name = "KEYS", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    projects: Vec<String>,
    /// Record each change as a line of JSON in FILE, or on stderr without FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    audit: Option<Option<PathBuf>>,
    /// Keep every rich text verbatim in FOLDER, as it came from the site and went to it.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    capture: Option<PathBuf>,
    /// Print the tools that the options here offer on Cloud, and end. Files and variables are not read.
    #[arg(long)]
    pub(crate) list_tools: bool,
    /// Check the settings, and end. `plainwire atlassian doctor` also asks the site.
    #[arg(long, conflicts_with = "demo")]
    pub(crate) validate: bool,
    #[command(flatten)]
    config: ConfigOptions,
}

impl AtlassianOptions {
    /// Refuses the options with another server.
    pub(crate) fn refuse_any(&self, server: &str) -> Result<(), Failure> {
        let given = [
            ("--demo", self.demo),
            ("--toolsets", !self.toolsets.is_empty()),
            ("--only-tools", !self.only_tools.is_empty()),
            ("--without-tools", !self.without_tools.is_empty()),
            ("--read-only", self.read_only),
            ("--names", self.names.is_some()),
            ("--projects", !self.projects.is_empty()),
            ("--audit", self.audit.is_some()),
            ("--capture", self.capture.is_some()),
            ("--list-tools", self.list_tools),
            ("--validate", self.validate),
            ("--config", self.config.config.is_some()),
            ("--set", !self.config.set.is_empty()),
        ];
        refuse(&given, "atlassian", server)
    }

    fn choice(&self) -> Choice {
        Choice {
            toolsets: self.toolsets.clone(),
            tools: self.only_tools.clone(),
            without: self.without_tools.clone(),
            read_only: self.read_only,
            names: self.names.unwrap_or_default(),
        }
    }

    /// Returns the settings of all sources: the options here win over files and variables.
    async fn settings(&self) -> Result<Config, Failure> {
        let read_only = if self.read_only { "true".to_owned() } else { String::new() };
        let flags = [
            ("TOOLSETS", self.toolsets.join(",")),
            ("ENABLED_TOOLS", self.only_tools.join(",")),
            ("DISABLED_TOOLS", self.without_tools.join(",")),
            ("READ_ONLY_MODE", read_only),
            ("ATLASSIAN_NAMES", self.names.map_or_else(String::new, |it| it.to_string())),
            ("JIRA_PROJECTS_FILTER", self.projects.join(",")),
        ];
        config(&self.config, flags).await
    }

    /// Checks the settings.
    async fn check(&self) -> Result<Exit, Failure> {
        let config = self.settings().await?;
        output::line(&format!("the settings can be used: {}", visible::line(config.jira.base.as_str())))?;
        Ok(Exit::Done)
    }

    /// Returns the server of the user's own site. What takes changes back is in the folder for the user's data.
    async fn of_user(&self) -> Result<Atlassian, Failure> {
        let mut atlassian = located(self.settings().await?).await?.server();
        let folder = paths::data().ok_or_else(|| {
            Failure::usage("expected a home folder for what takes changes back, but found none".to_owned())
        })?;
        std::fs::create_dir_all(&folder).map_err(Failure::runtime)?;
        atlassian.journal = Some(folder.join("atlassian.db"));
        self.with_options(atlassian)
    }

    /// Applies what the options here say of recording.
    fn with_options(&self, mut atlassian: Atlassian) -> Result<Atlassian, Failure> {
        atlassian.audit = match &self.audit {
            None => Audit::off(),
            Some(None) => Audit::stderr(),
            Some(Some(path)) => {
                let file = secret_file::create(path, File::options().append(true));
                let file =
                    file.map_err(|error| Failure::usage(format!("--audit={}: {error}", path.display())))?;
                Audit::to(file)
            }
        };
        if let Some(folder) = &self.capture {
            let capture = Capture::new(folder)
                .map_err(|error| Failure::usage(format!("--capture {}: {error}", folder.display())))?;
            atlassian.jira.capture = Some(capture);
        }
        Ok(atlassian)
    }

    /// Prints the tools that would be offered.
    fn print_tools(&self) -> Result<Exit, Failure> {
        let choice = self.choice();
        choice.check().map_err(|error| Failure::usage(error.message().to_owned()))?;
        for (name, toolset, is_write) in Atlassian::tools(&choice) {
            output::line(&format!("{name:<40} {toolset:<20} {}", if is_write { "writes" } else { "reads" }))?;
        }
        Ok(Exit::Done)
    }
}

/// Serves Jira, or does what the options say in its place.
pub(super) async fn run(
    options: &AtlassianOptions,
    site: &SiteOptions,
    library: &LibraryOptions,
    shared: &Shared,
) -> Result<Exit, Failure> {
    if options.list_tools {
        return options.print_tools();
    }
    if options.demo {
        let (atlassian, site) = demo(options, site, library).await?;
        let is_for_a_person = shared.http.is_none() && io::stdin().is_terminal();
        let serving = async {
            if is_for_a_person {
                for_a_person(atlassian, shared).await
            } else {
                serve(atlassian, shared).await
            }
        };
        site.beside(serving).await?;
    } else if options.validate {
        return options.check().await;
    } else {
        serve(options.of_user().await?, shared).await?;
    }
    Ok(Exit::Done)
}

/// Serves on stdin and stdout, or over HTTP, where the URL may choose the tools.
async fn serve(atlassian: Atlassian, shared: &Shared) -> Result<(), Failure> {
    match &shared.http {
        None => {
            let server = atlassian.server().map_err(|error| Failure::usage(error.0))?;
            Ok(with_options(server, shared)?.stdio().await?)
        }
        Some(address) => serve_http(endpoint(atlassian, shared)?, address, shared).await,
    }
}

/// Returns an endpoint whose URL may choose the tools.
fn endpoint(atlassian: Atlassian, shared: &Shared) -> Result<Http, Failure> {
    let (server, by_url) = atlassian.by_url().map_err(|error| Failure::usage(error.0))?;
    Ok(Http::new(with_options(server, shared)?).tools_by_query(move |query| by_url.choose(query)))
}

/// The stand-in site behind the server of a demo.
struct DemoSite {
    listener: TcpListener,
    settings: plainwire_site::Settings,
}

/// Makes the server of a demo, and its site. The site is opened while the server answers already: a call that needs the site waits for it.
async fn demo(
    options: &AtlassianOptions,
    site: &SiteOptions,
    shared: &LibraryOptions,
) -> Result<(Atlassian, DemoSite), Failure> {
    if options.config.config.is_some() || !options.config.set.is_empty() {
        let why = "expected no --config and --set with --demo, which has settings of its own";
        return Err(Failure::usage(why.to_owned()));
    }
    let settings = site.settings(shared)?;
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(Failure::runtime)?;
    let address = listener.local_addr().map_err(Failure::runtime)?;
    let url = format!("http://{address}{}", settings.context);
    let url =
        url.parse().map_err(|_| Failure::usage("expected --context with a path such as /jira".to_owned()))?;
    let mut jira = SiteSettings::new(Product::Jira, url);
    // Nothing of a demo goes to Atlassian.
    jira.gateway = jira.base.clone();
    let token = Secret::new("demo-token");
    (jira.deployment, jira.credentials) = match settings.deployment {
        plainwire_site::Deployment::Cloud => {
            let user = plainwire_site::seed::DEMO_EMAIL.to_owned();
            (Some(Deployment::Cloud), Credentials::Basic { user, secret: token })
        }
        plainwire_site::Deployment::DataCenter => (Some(Deployment::DataCenter), Credentials::Bearer(token)),
    };
    let mut atlassian = Atlassian::new(jira);
    atlassian.choice = options.choice();
    atlassian.projects = options.projects.clone();
    Ok((options.with_options(atlassian)?, DemoSite { listener, settings }))
}

impl DemoSite {
    /// Serves the site until `serving` has ended.
    async fn beside(self, serving: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
        let site = async {
            let site = Site::open_aside(self.settings).await.map_err(site::unusable)?;
            site.serve(self.listener, std::future::pending()).await.map_err(site::unusable)
        };
        // The site ends first only if it can't be served.
        tokio::select! {
            served = serving => served,
            failed = site => failed,
        }
    }
}

/// Serves the demo over HTTP on a free port, and prints what a person at the terminal may try.
async fn for_a_person(atlassian: Atlassian, shared: &Shared) -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(Failure::runtime)?;
    let url = format!("http://{}/mcp", listener.local_addr().map_err(Failure::runtime)?);
    for line in [
        format!("Jira of a small company, at {url} until Ctrl-C. In another terminal, try"),
        format!("  plainwire call jira_search 'jql=assignee = currentUser() AND status != Done' --url {url}"),
        format!("  plainwire call jira_get_issue issue_key=SHOP-1 --url {url}"),
        format!("  plainwire call jira_assign_issue issue_key=SHOP-1 assignee=me preview=true --url {url}"),
        format!("  claude mcp add --transport http jira-demo {url}"),
    ] {
        output::note(&line);
    }
    let stop = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    endpoint(atlassian, shared)?.serve_on(listener, stop).await.map_err(Failure::from)
}
