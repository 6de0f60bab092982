//! The options that the servers with a library or an inventory share.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use plainwire_inventory::time::Day;

use crate::exit::Failure;

/// The options of a server that has a library.
#[derive(Debug, Default, Args)]
#[command(
    next_help_heading = "Options of `serve inventory`, `serve learning`, `serve patterns` and `serve site`"
)]
pub(crate) struct LibraryOptions {
    /// Serve the patterns in FILE instead of those of the program; or keep the inventory or the vault in FILE instead of in the
    /// user's folder, or the site in FILE instead of in memory.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) data: Option<PathBuf>,
    /// The form of results: Markdown or JSON, as each call wants, or JSON only. `serve inventory` is JSON only by default.
    #[arg(long, value_enum)]
    profile: Option<ProfileName>,
    /// The day that counts as today, as in `2026-06-30`.
    #[arg(long, value_name = "DATE")]
    pub(crate) today: Option<Day>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProfileName {
    Gated,
    Data,
}

impl LibraryOptions {
    /// Returns whether each call may want Markdown, although the server is JSON only by default.
    pub(crate) fn is_gated(&self) -> bool {
        self.profile == Some(ProfileName::Gated)
    }

    /// Returns whether results are JSON only.
    pub(crate) fn is_data_only(&self) -> bool {
        self.profile == Some(ProfileName::Data)
    }

    /// Refuses a file with a server that keeps nothing in one.
    pub(crate) fn refuse_data(&self, server: &str) -> Result<(), Failure> {
        refuse(&[("--data", self.data.is_some())], "patterns`, `learning`, `inventory` or `site", server)
    }

    /// Refuses the form of results with a server that has one form only.
    pub(crate) fn refuse_profile(&self, server: &str) -> Result<(), Failure> {
        refuse(&[("--profile", self.profile.is_some())], "patterns`, `learning` or `inventory", server)
    }

    /// Refuses a day with a server that does not ask which day it is.
    pub(crate) fn refuse_today(&self, server: &str) -> Result<(), Failure> {
        refuse(&[("--today", self.today.is_some())], "inventory` or `site", server)
    }
}

/// Refuses the first option that is given, if it belongs to another server than that which is served.
pub(crate) fn refuse(given: &[(&str, bool)], belongs_to: &str, server: &str) -> Result<(), Failure> {
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Failure::usage(format!(
            "expected {option} with the server `{belongs_to}`, but found the server `{server}`"
        ))),
        None => Ok(()),
    }
}
