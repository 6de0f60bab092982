//! The settings of the server: from names and values, as environments and files have them, to a checked [`Config`].
//!
//! In: [`Layers`] of names and values, and a function that reads the files which they name. Out: a [`Config`], or all [`Problems`] at
//! once. The names are those of mcp-atlassian, so that its settings work here. This module reads neither an environment nor a file by
//! itself, and its messages show no secret.
//!
//! ```
//! use plainwire_atlassian::settings::{Config, Layers, Source};
//!
//! let values = [("JIRA_URL", "https://example.atlassian.net"), ("JIRA_USERNAME", "ada@example.com"), ("JIRA_API_TOKEN", "…")];
//! let values = values.map(|(name, value)| (name.to_owned(), value.to_owned()));
//! let layers = Layers::default().with(Source::Environment, values);
//! let config = Config::read(&layers, &|path| std::fs::read(path))?;
//! assert!(config.warnings.is_empty() && !config.choice.read_only);
//! # Ok::<(), plainwire_atlassian::settings::Problems>(())
//! ```
//!
//! The files, in reading order: `names` has the variables, `no_effect` those of mcp-atlassian that do nothing here, `layers` what holds;
//! `reader` reads one value; `site`, `credentials`, `sign_in`, `network`, `tools` and `hours` read what belongs together, and `config` all of
//! it; `cloud` asks Cloud about sites.

mod cloud;
mod config;
mod credentials;
mod hours;
mod layers;
mod names;
mod network;
mod no_effect;
mod problem;
mod reader;
mod sign_in;
mod site;
mod tools;

pub(crate) use cloud::cloud_id;
pub use cloud::{TokenSite, sites_of_token};
pub use config::Config;
pub use layers::{KEYCHAIN, Layers, Shown, Source};
pub(crate) use names::of_field;
pub use names::{Variable, is_ours, is_path, is_secret, variables};
pub use problem::{Problem, Problems};
pub use reader::ReadFile;
pub use sign_in::SignIn;
