//! The inventory of a small manufacturer, as an MCP server: a ledger in one SQLite file, and all that follows from it.
//!
//! In: the choice of [`Inventory`]. Out: a [`Server`] with tools. Each tool returns a value of a kind; its texts are made from it
//! by [`plainwire::presentation`].

use std::path::PathBuf;
use std::sync::Arc;

use plainwire::prelude::*;
use plainwire::presentation::Presentation;

#[allow(missing_docs, reason = "the arithmetic of amounts needs no words")]
pub mod amount;
#[allow(missing_docs, reason = "the names of fields say what they are; docs/inventory.md has the rest")]
pub mod catalog;
#[allow(missing_docs, reason = "the names of fields say what they are")]
pub mod chart;
pub mod fault;
#[allow(missing_docs, reason = "the names of fields say what they are; docs/inventory.md has the rest")]
pub mod import;
#[allow(missing_docs, reason = "the names of fields say what they are; docs/inventory.md has the rest")]
pub mod kinds;
#[allow(missing_docs, reason = "the names of fields say what they are; docs/inventory.md has the rest")]
pub mod ledger;
#[allow(missing_docs, reason = "the names of fields say what they are; docs/inventory.md has the rest")]
pub mod orders;
#[allow(missing_docs, reason = "the names of fields say what they are; docs/inventory.md has the rest")]
pub mod reports;
mod resources;
mod runtime;
pub mod sample;
pub mod states;
#[allow(missing_docs, reason = "the names of fields say what they are; docs/inventory.md has the rest")]
pub mod store;
pub mod time;
mod tools;
#[allow(missing_docs, reason = "the names of fields say what they are; docs/inventory.md has the rest")]
pub mod work;

use store::{Clock, Store};

/// The largest result, in bytes: its text and its value. Orders with their rows fit, so that no change is made whose answer does not.
const MAX_RESULT: usize = 16 << 20;

/// The settings of the server.
#[derive(Clone, Debug)]
pub struct Inventory {
    /// The file. It is made if it does not exist; `:memory:` is an inventory that is gone when the program ends.
    pub data: PathBuf,
    /// The form of results: JSON only, or a form that each call chooses.
    pub profile: Profile,
    /// The source of the time.
    pub clock: Clock,
    /// Whether an empty inventory is filled with sample data.
    pub sample: bool,
}

/// The form of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// [`Presentation::data`].
    #[default]
    Data,
    /// [`Presentation::gated`].
    Gated,
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

impl Inventory {
    /// Returns the settings of a server with the inventory in `data`.
    pub fn new(data: impl Into<PathBuf>) -> Self {
        Self { data: data.into(), profile: Profile::default(), clock: Clock::default(), sample: false }
    }

    /// Returns the server, ready to be served.
    ///
    /// # Errors
    /// A file that is no inventory, or can't be used. It is left as it is.
    pub fn server(self) -> Result<Server, Unusable> {
        let failed = |error: &dyn std::fmt::Display| Unusable(format!("{}: {error}", self.data.display()));
        let store = Store::open(&self.data, self.clock).map_err(|error| failed(&error))?;
        if self.sample {
            sample::fill(&store).map_err(|error| failed(&error.text()))?;
        }
        let presentation = match self.profile {
            Profile::Data => Presentation::data(),
            Profile::Gated => Presentation::gated(),
        };
        let server = plainwire::server!("inventory")
            .title("Inventory")
            .presentation(presentation.limit(MAX_RESULT).cards());
        Ok(resources::add(tools::add(server)).state(Arc::new(store)))
    }
}
