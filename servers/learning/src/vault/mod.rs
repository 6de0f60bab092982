//! The vault: the resources of the program and those of its user, in one SQLite file.
//!
//! In: resources, words and filters. Out: resources. What was added is on the disk when the function returns, and two programs
//! may use a file at once: every answer is read from the file. How good a match is, is decided by [`crate::ranking`].

use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use plainwire_sqlite::{FileError, open_or_create};
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

mod filter;
mod rows;
mod search;
mod tables;

pub use filter::Filter;
pub use search::Wanted;

use crate::resource::{Resource, address};

/// The resources of the program, one JSON object per line.
const BUILT_IN: &str = include_str!("../../data/vault.jsonl");

/// The number of resources after which an import tells how far it is.
const STEP: usize = 500;

/// Returns the resources of the program, sorted by id.
///
/// # Panics
/// If the data of the program are damaged; a test reads them.
pub fn built_in() -> Vec<Resource> {
    let read = |line: &str| serde_json::from_str(line).expect("the data of the program are resources");
    BUILT_IN.lines().map(read).collect()
}

/// A file with resources.
#[derive(Debug)]
pub struct Vault {
    /// Reading never waits for writing.
    reading: Mutex<Connection>,
    writing: Mutex<Connection>,
}

/// A resource that can't be added.
#[derive(Debug)]
pub enum AddError {
    /// The vault has this id, or another resource with this address. Contains the id of that resource.
    Exists(String),
    /// The file failed.
    File(FileError),
}

/// The end of an import.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The number of resources that were added.
    pub added: usize,
    /// The number of resources whose address was in the vault before, or earlier in the import.
    pub known: usize,
}

impl Vault {
    /// Opens the vault in a file, or makes it there. The resources of the program are brought up to date.
    ///
    /// # Errors
    /// A file that is no vault of this version, is damaged, locked or can't be written. It is left as it is.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
            let made = std::fs::create_dir_all(folder);
            made.map_err(|error| FileError::Unfit(format!("its folder can't be made: {error}")))?;
        }
        let is_new = tables::FORM.existing(path)?.is_none();
        let mut writing = open_or_create(path)?;
        tables::prepare(&mut writing, is_new)?;
        let reading = open_or_create(path)?;
        Ok(Self { reading: Mutex::new(reading), writing: Mutex::new(writing) })
    }

    /// Returns the resource with an id.
    ///
    /// # Errors
    /// An error of the file.
    pub fn get(&self, id: &str) -> Result<Option<Resource>, FileError> {
        let connection = self.reading();
        let mut statement =
            connection.prepare_cached("SELECT record, sum, id FROM resources WHERE id = ?1")?;
        statement.query_row([id], |row| Ok(rows::read(row))).optional()?.transpose()
    }

    /// Returns the id of the resource with an address, however the address is written.
    ///
    /// # Errors
    /// An error of the file.
    pub fn id_of_address(&self, url: &str) -> Result<Option<String>, FileError> {
        let Ok(address) = address(url) else { return Ok(None) };
        id_of_address(&self.reading(), &address)
    }

    /// Adds a resource, which was checked. It is on the disk when this returns.
    ///
    /// # Errors
    /// An id or an address that the vault has; an error of the file.
    pub fn add(&self, resource: &Resource) -> Result<(), AddError> {
        let mut connection = self.writing();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let address = address(&resource.url).unwrap_or_default();
        let by_id: Option<String> = transaction
            .query_row("SELECT id FROM resources WHERE id = ?1", [&resource.id], |row| row.get(0))
            .optional()?;
        if let Some(id) = by_id.map_or_else(|| id_of_address(&transaction, &address), |id| Ok(Some(id)))? {
            return Err(AddError::Exists(id));
        }
        rows::insert(&transaction, resource, &address, false)?;
        Ok(transaction.commit()?)
    }

    /// Adds all of `resources`, or none: each that has an address which is new. An id that the vault has gets a number.
    /// `step` is called with the number of those that are done, after each 500 of them; if it breaks, nothing is added.
    ///
    /// # Errors
    /// An error of the file. `None` if `step` broke.
    pub fn import(
        &self,
        resources: impl Iterator<Item = Resource>,
        mut step: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Option<Imported>, FileError> {
        let mut connection = self.writing();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut imported = Imported::default();
        // The largest number behind each id, so that equal titles are not counted for each entry again.
        let mut numbers = HashMap::new();
        for (done, mut it) in resources.enumerate() {
            if done % STEP == 0 && step(done).is_break() {
                return Ok(None);
            }
            let address = address(&it.url).unwrap_or_default();
            if id_of_address(&transaction, &address)?.is_some() {
                imported.known += 1;
                continue;
            }
            it.id = free_id(&transaction, &it.id, &mut numbers)?;
            rows::insert(&transaction, &it, &address, false)?;
            imported.added += 1;
        }
        if step(imported.added + imported.known).is_break() {
            return Ok(None);
        }
        transaction.commit()?;
        Ok(Some(imported))
    }

    /// Returns an id that the vault does not have: `id`, or `id` with a number.
    ///
    /// # Errors
    /// An error of the file.
    pub fn free_id(&self, id: &str) -> Result<String, FileError> {
        free_id(&self.reading(), id, &mut HashMap::new())
    }

    fn reading(&self) -> MutexGuard<'_, Connection> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writing(&self) -> MutexGuard<'_, Connection> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn id_of_address(connection: &Connection, address: &str) -> Result<Option<String>, FileError> {
    let mut statement =
        connection.prepare_cached("SELECT id FROM resources WHERE address = ?1 ORDER BY row")?;
    Ok(statement.query_row([address], |row| row.get(0)).optional()?)
}

/// Returns an id that no resource has. `numbers` has the largest number behind each id that was asked for, and is
/// brought up to date.
fn free_id(
    connection: &Connection,
    id: &str,
    numbers: &mut HashMap<String, i64>,
) -> Result<String, FileError> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM resources WHERE id = ?1")?;
    if !statement.exists([id])? {
        return Ok(id.to_owned());
    }
    let short = &id[..id.len().min(50)];
    if !numbers.contains_key(short) {
        numbers.insert(short.to_owned(), largest_number(connection, short)?);
    }
    let largest = numbers.entry(short.to_owned()).or_insert(1);
    // An entry of the same import may have the id of the next number as its own.
    loop {
        *largest += 1;
        let free = format!("{short}-{largest}");
        if !statement.exists([&free])? {
            return Ok(free);
        }
    }
}

/// Returns the largest number behind an id, at least 1.
fn largest_number(connection: &Connection, id: &str) -> Result<i64, FileError> {
    let sql = "SELECT max(CAST(substr(id, ?2) AS INTEGER)) FROM resources
        WHERE id >= ?1 || '-' AND id < ?1 || '.' AND substr(id, ?2) NOT GLOB '*[^0-9]*' AND length(id) < ?2 + 9";
    let mut statement = connection.prepare_cached(sql)?;
    let largest: Option<i64> = statement.query_row(params![id, id.len() as u32 + 2], |row| row.get(0))?;
    Ok(largest.unwrap_or(1).max(1))
}

impl From<FileError> for AddError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<rusqlite::Error> for AddError {
    fn from(error: rusqlite::Error) -> Self {
        Self::File(error.into())
    }
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists(id) => write!(f, "the vault has it as {id:?}"),
            Self::File(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AddError {}
