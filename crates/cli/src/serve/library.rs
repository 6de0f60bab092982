//! The options that the servers with a library or an inventory share.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use crate::exit::Failure;

/// The options of a server that has a library.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Options of `serve inventory`, `serve learning` and `serve patterns`")]
pub(crate) struct LibraryOptions {
    /// Serve the patterns in FILE instead of those of the program; or keep the inventory or the vault in FILE instead of in the
    /// user's folder.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) data: Option<PathBuf>,
    /// The form of results: Markdown or JSON, as each call wants, or JSON only. `serve inventory` is JSON only by default.
    #[arg(long, value_enum)]
    profile: Option<ProfileName>,
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

    /// Refuses the options with another server.
    pub(crate) fn refuse_any(&self, server: &str) -> Result<(), Failure> {
        let given = [("--data", self.data.is_some()), ("--profile", self.profile.is_some())];
        refuse(&given, "patterns`, `learning` or `inventory", server)
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
