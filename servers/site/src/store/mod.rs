//! The database of a site: one SQLite file, or memory.
//!
//! In: closures that read or change it, each a transaction. Out: what they return. One connection serves all requests in turn, so what
//! was answered is what the next request reads.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use plainwire_sqlite::{FileError, FileForm, open_or_create};
use rusqlite::Connection;

use crate::fault::{Fault, Result};
use crate::runtime;
use crate::work::{Deployment, Work};

/// The form of the file. Its mark is "PWsi" in ASCII.
const FORM: FileForm = FileForm { name: "a site", application: 0x5057_7369, version: 1 };

/// The number of statements that are kept ready.
const STATEMENTS: usize = 256;

/// A database that is open.
#[derive(Clone, Debug)]
pub struct Store {
    connection: Arc<Mutex<Connection>>,
    deployment: Deployment,
}

impl Store {
    /// Opens a site in a file, or makes one there; without a file it is gone when the program ends. Returns whether it is new.
    ///
    /// # Errors
    /// A file that is no site, is newer, locked, or of the other deployment. It is left as it is.
    pub fn open(path: Option<&Path>, deployment: Deployment) -> std::result::Result<(Self, bool), FileError> {
        let connection = match path {
            None => Connection::open_in_memory()?,
            Some(path) => {
                FORM.recognised(path)?;
                open_or_create(path)?
            }
        };
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        connection.pragma_update(None, "journal_mode", if path.is_some() { "wal" } else { "memory" })?;
        connection.pragma_update(None, "synchronous", "normal")?;
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        let is_new = tables == 0;
        if is_new {
            connection.execute_batch(&format!("BEGIN; {}; COMMIT;", include_str!("tables.sql")))?;
            connection.pragma_update(None, "application_id", FORM.application)?;
            connection.pragma_update(None, "user_version", FORM.version)?;
            connection.execute("INSERT INTO setting VALUES ('deployment', ?1)", [deployment.name()])?;
        }
        let found: String =
            connection
                .query_row("SELECT value FROM setting WHERE name = 'deployment'", [], |row| row.get(0))?;
        if found != deployment.name() {
            let expected = deployment.name();
            return Err(FileError::Unfit(format!(
                "expected a site of the deployment {expected}, but found {found}"
            )));
        }
        Ok((Self { connection: Arc::new(Mutex::new(connection)), deployment }, is_new))
    }

    /// Returns the kind of the site.
    pub fn deployment(&self) -> Deployment {
        self.deployment
    }

    /// Runs an operation in a transaction of its own, on this thread. What it changed counts if it returns without an error.
    ///
    /// # Errors
    /// Those of `operation`; an error of SQLite.
    pub fn run<T>(&self, now: i64, operation: impl FnOnce(&Work<'_>) -> Result<T>) -> Result<T> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction = connection.unchecked_transaction()?;
        let done = operation(&Work { db: &transaction, deployment: self.deployment, now })?;
        transaction.commit()?;
        Ok(done)
    }

    /// Runs an operation as [`Self::run`] does, on a thread for work that blocks.
    ///
    /// # Errors
    /// Those of `operation`; an error of SQLite.
    pub async fn ask<T: Send + 'static>(
        &self,
        now: i64,
        operation: impl FnOnce(&Work<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let store = self.clone();
        let done = runtime::blocking(move || store.run(now, operation)).await;
        done.unwrap_or_else(|error| {
            tracing::error!(%error, "an operation of the site panicked");
            Err(Fault::new(500, "Internal server error"))
        })
    }
}
