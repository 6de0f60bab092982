//! `plainwire patterns` and the options of `plainwire serve patterns`.
//!
//! In: the command line. Out: a server, or the mistakes of a data file on stdout.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueHint};
use plainwire::Server;
use plainwire_patterns::library::{Library, Mistake};
use plainwire_patterns::{Environment, Patterns, Profile, Unusable};

use crate::exit::{Exit, Failure};
use crate::serve::library::{LibraryOptions, refuse};
use crate::{output, secret_file, visible};

/// The largest number of mistakes that are printed.
const MAX_MISTAKES: usize = 100;

#[derive(Debug, Args)]
pub(crate) struct PatternsCommand {
    #[command(subcommand)]
    pub(crate) command: PatternsDo,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PatternsDo {
    /// Check a data file, and print each mistake with its place.
    Check {
        /// The data file.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
}

/// The options of `plainwire serve patterns`.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Options of `serve patterns`")]
pub(crate) struct PatternsOptions {
    /// Keep the index in FILE instead of in memory. It is made if it does not exist.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    database: Option<PathBuf>,
    /// Ask the REST API at URL for patterns, as in `https://patterns.example`.
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    upstream: Option<String>,
    /// Send the key in FILE to the API.
    #[arg(long, value_name = "FILE", requires = "upstream", value_hint = ValueHint::FilePath)]
    upstream_key_file: Option<PathBuf>,
    /// Answer from the patterns of the program while the API can't be reached.
    #[arg(long, requires = "upstream")]
    fallback: bool,
    /// Add the tool `get_mcp_config`, as MCP_DEBUG=true and MCP_ENV=local do too.
    #[arg(long)]
    debug: bool,
}

impl PatternsOptions {
    /// Refuses the options with another server.
    pub(crate) fn refuse_any(&self, server: &str) -> Result<(), Failure> {
        let given = [
            ("--database", self.database.is_some()),
            ("--upstream", self.upstream.is_some()),
            ("--debug", self.debug),
        ];
        refuse(&given, "patterns", server)
    }

    /// Returns the server.
    pub(crate) fn server(self, shared: &LibraryOptions) -> Result<Server, Failure> {
        let library = shared.data.as_deref().map(read).transpose()?.unwrap_or_else(Library::embedded);
        let key = self.upstream_key_file.as_deref().map(key).transpose()?;
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let environment = Environment {
            is_debug: self.debug || variable("MCP_DEBUG") == "true",
            name: Some(variable("MCP_ENV"))
                .filter(|it| !it.is_empty())
                .unwrap_or_else(|| "production".to_owned()),
        };
        let profile = if shared.is_data_only() { Profile::Data } else { Profile::Gated };
        let patterns = Patterns {
            database: self.database,
            environment,
            falls_back: self.fallback,
            library,
            profile,
            upstream: self.upstream.map(|base| (base, key)),
        };
        patterns.server().map_err(|error| match error {
            Unusable::Upstream(why) => Failure::usage(format!("--upstream: {why}")),
            Unusable::Database(why) => Failure {
                hint: Some(
                    "name another file, or leave --database out: the index is then in memory".to_owned(),
                ),
                ..Failure::usage(format!("--database {why}"))
            },
        })
    }
}

/// Reads the key in a file. No message shows it.
fn key(path: &Path) -> Result<String, Failure> {
    let failed = |why: String| Failure::usage(format!("--upstream-key-file {}: {why}", path.display()));
    let text = secret_file::read(path).map_err(|error| failed(error.to_string()))?;
    match text.trim() {
        "" => Err(failed("expected a key, but found none".to_owned())),
        key if key.chars().all(|it| it.is_ascii_graphic()) => Ok(key.to_owned()),
        _ => Err(failed("expected a key of visible ASCII characters, but found others".to_owned())),
    }
}

fn read(path: &Path) -> Result<Library, Failure> {
    Library::read(path).map_err(|mistakes| {
        let first = mistakes.first().map(shown).unwrap_or_default();
        let more = mistakes.len().saturating_sub(1);
        let more = if more == 0 { String::new() } else { format!(", and {more} more") };
        let hint = format!("`plainwire patterns check {}` prints all mistakes", path.display());
        Failure { hint: Some(hint), ..Failure::usage(format!("--data {}: {first}{more}", path.display())) }
    })
}

/// Runs `plainwire patterns`.
pub(crate) fn run(it: &PatternsCommand) -> Result<Exit, Failure> {
    let PatternsDo::Check { file } = &it.command;
    match Library::read(file) {
        Ok(library) => {
            let (patterns, categories) = (library.patterns().len(), library.categories().len());
            let patterns = counted(patterns, "pattern", "patterns");
            let categories = counted(categories, "category", "categories");
            output::to_stdout(&format!("{patterns} in {categories}, no mistakes\n"))?;
            Ok(Exit::Done)
        }
        Err(mistakes) => {
            let mut text: String = mistakes.iter().take(MAX_MISTAKES).map(|it| shown(it) + "\n").collect();
            if let Some(more) = mistakes.len().checked_sub(MAX_MISTAKES).filter(|it| *it > 0) {
                text += &format!("and {more} more\n");
            }
            output::to_stdout(&text)?;
            Ok(Exit::CheckFailed)
        }
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Returns a mistake for a terminal.
fn shown(mistake: &Mistake) -> String {
    visible::line(&mistake.to_string())
}
