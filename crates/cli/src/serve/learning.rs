//! The options of `plainwire serve learning`.
//!
//! In: the command line. Out: a server, whose vault is in the folder for the user's data.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use plainwire::Server;
use plainwire::client::http::address_guard::Permission;
use plainwire_learning::{Learning, Profile};

use super::library::{LibraryOptions, refuse};
use crate::exit::Failure;
use crate::paths;

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Options of `serve learning`")]
pub(crate) struct LearningOptions {
    /// Also read pages on this machine and in private networks, such as the wiki of a company.
    #[arg(long)]
    allow_private_addresses: bool,
    /// The command that makes PDF and Word; `pandoc` by default.
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::ExecutablePath)]
    pandoc: Option<String>,
}

impl LearningOptions {
    /// Refuses the options with another server.
    pub(crate) fn refuse_any(&self, server: &str) -> Result<(), Failure> {
        let given = [
            ("--allow-private-addresses", self.allow_private_addresses),
            ("--pandoc", self.pandoc.is_some()),
        ];
        refuse(&given, "learning", server)
    }

    /// Returns the server. Over HTTP, its callers may be on other machines.
    pub(crate) fn server(self, shared: &LibraryOptions, is_http: bool) -> Result<Server, Failure> {
        let data = shared.data.clone().map_or_else(own_file, Ok)?;
        let mut learning = Learning::new(data);
        learning.reads_files = !is_http;
        if shared.is_data_only() {
            learning.profile = Profile::Data;
        }
        if self.allow_private_addresses {
            learning.private_pages = Permission::Granted;
        }
        if let Some(pandoc) = self.pandoc {
            learning.pandoc = pandoc;
        }
        learning.server().map_err(|error| Failure {
            hint: Some("name another file with --data; a new one is made".to_owned()),
            ..Failure::usage(format!("the vault {error}"))
        })
    }
}

fn own_file() -> Result<PathBuf, Failure> {
    let folder = paths::data();
    folder.map(|it| it.join("learning.db")).ok_or_else(|| {
        Failure::usage(
            "expected a home folder for the vault, but found none: name a file with --data".to_owned(),
        )
    })
}
