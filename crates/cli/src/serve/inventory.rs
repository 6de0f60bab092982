//! The options of `plainwire serve inventory`.
//!
//! In: the command line. Out: a server, whose inventory is in the folder for the user's data.

use std::path::PathBuf;

use clap::Args;
use plainwire::Server;
use plainwire_inventory::store::{Clock, MEMORY};
use plainwire_inventory::{Inventory, Profile};

use super::library::{LibraryOptions, refuse};
use crate::exit::Failure;
use crate::paths;

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Options of `serve inventory`")]
pub(crate) struct InventoryOptions {
    /// Fill an empty inventory with eighteen months of a furniture workshop. Without --data, it is in memory only.
    #[arg(long)]
    sample: bool,
}

impl InventoryOptions {
    /// Refuses the options with another server.
    pub(crate) fn refuse_any(&self, server: &str) -> Result<(), Failure> {
        refuse(&[("--sample", self.sample)], "inventory", server)
    }

    /// Returns the server.
    pub(crate) fn server(self, shared: &LibraryOptions) -> Result<Server, Failure> {
        let data = match &shared.data {
            Some(data) => data.clone(),
            // Sample data never become those of the user.
            None if self.sample => PathBuf::from(MEMORY),
            None => own_file()?,
        };
        let mut inventory = Inventory::new(data);
        inventory.clock = Clock { today: shared.today };
        inventory.sample = self.sample;
        if shared.is_gated() {
            inventory.profile = Profile::Gated;
        }
        inventory.server().map_err(|error| Failure {
            hint: Some("name another file with --data; a new one is made".to_owned()),
            ..Failure::usage(format!("the inventory {error}"))
        })
    }
}

/// Returns the file of the user's own inventory.
pub(crate) fn own_file() -> Result<PathBuf, Failure> {
    let folder = paths::data();
    folder.map(|it| it.join("inventory.db")).ok_or_else(|| {
        Failure::usage(
            "expected a home folder for the inventory, but found none: name a file with --data".to_owned(),
        )
    })
}
