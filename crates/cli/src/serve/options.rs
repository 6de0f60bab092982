//! The options of `plainwire serve`.

use clap::{Args, ValueEnum};

use super::atlassian::AtlassianOptions;
use super::inventory::InventoryOptions;
use super::learning::LearningOptions;
use super::library::LibraryOptions;
use super::served::Shared;
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
