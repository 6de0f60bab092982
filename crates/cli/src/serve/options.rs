//! The options of `plainwire serve`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::atlassian::AtlassianOptions;
use super::inventory::InventoryOptions;
use super::learning::LearningOptions;
use super::library::LibraryOptions;
use super::site::SiteOptions;
use crate::exit::Failure;
use crate::patterns::PatternsOptions;

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The built-in server.
    pub(crate) server: Builtin,
    #[command(flatten)]
    pub(crate) shared: Shared,
    #[command(flatten)]
    pub(crate) library: LibraryOptions,
    #[command(flatten)]
    pub(crate) patterns: PatternsOptions,
    #[command(flatten)]
    pub(crate) inventory: InventoryOptions,
    #[command(flatten)]
    pub(crate) learning: LearningOptions,
    #[command(flatten)]
    pub(crate) atlassian: AtlassianOptions,
    #[command(flatten)]
    pub(crate) site: SiteOptions,
}

/// The options that each server has.
#[derive(Debug, Args)]
pub(crate) struct Shared {
    /// Serve http://ADDRESS/mcp instead of stdin and stdout, as in `127.0.0.1:8000`.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<String>,
    /// Also serve HTTP+SSE of 2024-11-05, at /sse.
    #[arg(long, requires = "http")]
    pub(crate) sse: bool,
    /// Require a token from clients over HTTP: FILE has a name, a blank and a token per line.
    #[arg(long, value_name = "FILE", requires = "http", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,
    /// Serve https:// with the certificates in FILE (PEM), the server's own certificate first.
    #[arg(long, value_name = "FILE", requires_all = ["http", "tls_key"], value_hint = ValueHint::FilePath)]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The private key of the certificate (PEM, no passphrase).
    #[arg(long, value_name = "FILE", requires = "tls_cert", value_hint = ValueHint::FilePath)]
    pub(crate) tls_key: Option<PathBuf>,
    /// How the log on stderr is written: lines of text, or JSON objects for programs that read them.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) log: LogFormat,
    /// Write every frame to FILE, or to stderr without FILE; secrets are masked with `*`.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub(crate) trace: Option<Option<PathBuf>>,
    /// Keep large results whole in FOLDER, and send a short form with links. The folder is made if it does not exist.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) outputs: Option<PathBuf>,
    /// The largest result that is sent as it is, in bytes.
    #[arg(long, value_name = "BYTES", requires = "outputs", default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(512..))]
    pub(crate) outputs_threshold: u32,
}

impl Serve {
    /// Refuses options that belong to another server than that which is served.
    pub(crate) fn refuse_others(&self) -> Result<(), Failure> {
        use Builtin::{Atlassian, Inventory, Learning, Patterns, Site};
        let name = self.server.to_possible_value();
        let name = name.as_ref().map_or("", |it| it.get_name());
        let is = |servers: &[Builtin]| servers.contains(&self.server);
        let has_site = is(&[Site]) || (is(&[Atlassian]) && self.atlassian.demo);
        for (is_own, refused) in [
            (is(&[Atlassian]), self.atlassian.refuse_any(name)),
            (is(&[Inventory]), self.inventory.refuse_any(name)),
            (is(&[Learning]), self.learning.refuse_any(name)),
            (is(&[Patterns]), self.patterns.refuse_any(name)),
            (has_site, self.site.refuse_any(name)),
            (is(&[Inventory, Learning, Patterns]) || has_site, self.library.refuse_data(name)),
            (is(&[Inventory, Learning, Patterns]), self.library.refuse_profile(name)),
            (is(&[Inventory]) || has_site, self.library.refuse_today(name)),
        ] {
            if !is_own {
                refused?;
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Builtin {
    /// jira_search, jira_get_issue, jira_update_issue, jira_transition_issue, atlassian_undo and more: Jira for an assistant
    Atlassian,
    /// check_inventory, create_purchase_order, fulfill_order, sales_summary and 41 more: items, orders and stock in a file
    Inventory,
    /// search_resources, discover_resources, read_url, add_resource, export_results and 6 more; keeps what it adds in a file
    Learning,
    /// search_patterns, get_pattern, list_skills, get_skill, list_analysis_rules, pattern://{id}, skill://{slug}
    Patterns,
    /// calculate, get_timestamp, sleep, count, ask, server://info, server://calculations
    Reference,
    /// No tools: a stand-in Atlassian site over HTTP, with a small company in it
    Site,
}
