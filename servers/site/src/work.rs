//! The surroundings of an operation: the database, the deployment and the time.
//!
//! In: what the request is answered from. Out: rows. A [`Work`] is one transaction; nothing else of the crate reads a clock.

use rusqlite::{Connection, OptionalExtension as _, Params, Row};

use crate::fault::{Fault, Result};

/// A kind of site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deployment {
    /// Jira Cloud: rich text is ADF, people have account ids, epics are parents.
    #[default]
    Cloud,
    /// Jira Data Center: rich text is wiki markup, people have user names and keys, epics have a link field.
    DataCenter,
}

impl Deployment {
    /// Returns the name of the setting: `cloud` or `datacenter`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cloud => "cloud",
            Self::DataCenter => "datacenter",
        }
    }
}

/// One transaction of one operation.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    /// The database, inside of the transaction.
    pub db: &'a Connection,
    /// The kind of the site.
    pub deployment: Deployment,
    /// The time of the operation, in milliseconds since 1970.
    pub now: i64,
}

impl Work<'_> {
    /// Returns whether the site is of the kind Cloud.
    pub fn is_cloud(&self) -> bool {
        self.deployment == Deployment::Cloud
    }

    /// Returns what `read` makes of each row of a query.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.db.prepare_cached(sql)?;
        let rows = statement.query_map(params, read)?;
        rows.collect::<std::result::Result<_, _>>().map_err(Fault::from)
    }

    /// Returns what `read` makes of the first row of a query, if there is one.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.db.prepare_cached(sql)?.query_row(params, read).optional()?)
    }

    /// Runs a statement, and returns the number of rows that it changed.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn run(&self, sql: &str, params: impl Params) -> Result<usize> {
        Ok(self.db.prepare_cached(sql)?.execute(params)?)
    }

    /// Runs a statement that adds a row, and returns the row's id.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add(&self, sql: &str, params: impl Params) -> Result<i64> {
        self.run(sql, params)?;
        Ok(self.db.last_insert_rowid())
    }
}
