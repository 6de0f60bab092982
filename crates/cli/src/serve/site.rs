//! `plainwire serve site`: the stand-in Atlassian site, over HTTP.
//!
//! In: the command line. Out: a site that is served until the program is told to stop. On stderr: the accounts that may sign in.

use clap::{Args, ValueEnum};
use plainwire_site::{Deployment, Settings, Site, Unusable};
use tokio::net::TcpListener;

use super::library::{LibraryOptions, refuse};
use crate::exit::{Exit, Failure};
use crate::output;

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Options of `serve site`, and of `serve atlassian --demo`")]
pub(crate) struct SiteOptions {
    /// The kind of the site.
    #[arg(long, value_enum)]
    deployment: Option<DeploymentName>,
    /// Make another company, of this number.
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Let requests to /_plainwire/faults break the next requests, to test clients.
    #[arg(long)]
    faults: bool,
    /// The path of the product at its address, as in `/jira`.
    #[arg(long, value_name = "PATH")]
    context: Option<String>,
    /// Give each account a random token, so that the site may serve other machines.
    #[arg(long)]
    random_tokens: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DeploymentName {
    Cloud,
    Datacenter,
}

impl SiteOptions {
    /// Refuses the options with another server.
    pub(crate) fn refuse_any(&self, server: &str) -> Result<(), Failure> {
        let given = [
            ("--deployment", self.deployment.is_some()),
            ("--seed", self.seed.is_some()),
            ("--faults", self.faults),
            ("--context", self.context.is_some()),
            ("--random-tokens", self.random_tokens),
        ];
        refuse(&given, "site", server)
    }

    /// Returns the settings of the site.
    pub(crate) fn settings(&self, shared: &LibraryOptions) -> Result<Settings, Failure> {
        let today = shared.today.map(|it| it.to_string().parse()).transpose();
        let today =
            today.map_err(|_| Failure::usage("expected --today with a day such as 2026-06-30".to_owned()))?;
        Ok(Settings {
            data: shared.data.clone(),
            deployment: match self.deployment {
                Some(DeploymentName::Datacenter) => Deployment::DataCenter,
                _ => Deployment::Cloud,
            },
            seed: self.seed.unwrap_or(1),
            today,
            faults: self.faults,
            context: self.context.clone().unwrap_or_default(),
            demo_token: !self.random_tokens,
            ..Settings::default()
        })
    }
}

/// Serves the site at an address.
pub(crate) async fn run(
    options: &SiteOptions,
    shared: &LibraryOptions,
    address: Option<&str>,
) -> Result<Exit, Failure> {
    let Some(address) = address else {
        return Err(Failure {
            hint: Some("plainwire serve site --http 127.0.0.1:8080".to_owned()),
            ..Failure::usage("expected --http with the address of the site, but found none".to_owned())
        });
    };
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| Failure::usage(format!("the site can't be served at {address}: {error}")))?;
    let bound = listener.local_addr().map_err(Failure::runtime)?;
    let site = Site::open_aside(options.settings(shared)?).await.map_err(unusable)?;
    output::note(&format!("the site is at http://{bound}{}", options.context.as_deref().unwrap_or_default()));
    for it in site.accounts() {
        output::note(&format!("{}, {} ({}): token {}", it.display_name, it.email, it.name, it.token));
    }
    let stop = async {
        // Without signals there is nothing to wait for but the end of the program.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    site.serve(listener, stop).await.map_err(unusable)?;
    Ok(Exit::Done)
}

pub(crate) fn unusable(error: Unusable) -> Failure {
    Failure::usage(error.0)
}
