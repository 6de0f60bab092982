//! The tools: what a call asks for, and the value that it gets.
//!
//! In: arguments. Out: values of [`crate::kinds`]; [`plainwire::presentation`] makes all texts from them.

use std::sync::Arc;

use plainwire::prelude::*;
use plainwire_sqlite::FileError;

mod add;
mod browse;
mod discover;
mod export;
mod import;
mod read;
mod search;

pub(crate) use add::{add_resource, add_resource_from_url};
pub(crate) use browse::{browse_vault, get_resource, list_categories};
pub(crate) use discover::discover_resources;
pub(crate) use export::export_results;
pub(crate) use import::import_resources;
pub(crate) use read::{read_url, scrape_url};
pub(crate) use search::search_resources;

use crate::pages::Pages;
use crate::runtime::blocking;
use crate::vault::Vault;

/// The largest number of resources of an answer.
const MAX_LIMIT: usize = 25;

/// What the tools share.
pub(crate) struct Library {
    pub(crate) vault: Arc<Vault>,
    pub(crate) pages: Pages,
    /// The command for PDF and Word.
    pub(crate) pandoc: String,
    /// Whether a call may name a file of this machine.
    pub(crate) reads_files: bool,
}

impl Library {
    /// Asks the vault on a thread of its own.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Vault) -> Result<T, FileError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let vault = Arc::clone(&self.vault);
        let answer = blocking(move || question(&vault)).await.map_err(|error| lost(&error))?;
        answer.map_err(|error| failed(&error))
    }
}

fn lost(error: &tokio::task::JoinError) -> ToolError {
    ToolError::failed("the vault can't be used").logged(error)
}

/// Returns the error of a file for a model: what is wrong, but not where the file is.
fn failed(error: &FileError) -> ToolError {
    let told = ToolError::failed(format!("the file of the vault can't be used: {error}")).logged(error);
    if error.is_busy() { told.retryable() } else { told }
}

/// Returns a query in which words are replaced.
fn reworded(query: &str, corrected: &[(String, String)]) -> Option<String> {
    if corrected.is_empty() {
        return None;
    }
    let words = query.split_whitespace().map(|it| {
        let found = corrected.iter().find(|(word, _)| it.to_lowercase().contains(&**word));
        found.map_or_else(|| it.to_owned(), |(word, meant)| it.to_lowercase().replace(&**word, meant))
    });
    Some(words.collect::<Vec<_>>().join(" "))
}
