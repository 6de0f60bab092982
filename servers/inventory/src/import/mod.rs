//! CSV in and out: items, customers and stock, as a workshop has them in a spreadsheet.
//!
//! In: the bytes of a file. Out: what was added, or every mistake with its line and column; then nothing was added. What
//! [`export`] writes, [`run`] reads, but for SKUs that several variants have.

use std::fmt;

use plainwire::prelude::*;

mod customers;
mod items;
mod stock;
mod table;

use crate::fault::Fault;
use crate::store::Store;
use crate::work::Work;

pub use table::{MAX_BYTES, MAX_ROWS};

/// The contents of a CSV file.
#[data]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum What {
    Items,
    Customers,
    Stock,
}

impl What {
    pub const ALL: [Self; 3] = [Self::Items, Self::Customers, Self::Stock];

    /// Returns the name, as in the command.
    pub fn name(self) -> &'static str {
        match self {
            Self::Items => "items",
            Self::Customers => "customers",
            Self::Stock => "stock",
        }
    }

    /// Returns the columns: their names, and whether each row needs a value.
    pub fn columns(self) -> &'static [(&'static str, bool)] {
        match self {
            Self::Items => items::COLUMNS,
            Self::Customers => customers::COLUMNS,
            Self::Stock => stock::COLUMNS,
        }
    }
}

/// A mistake in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The number of the line. 1 is the line with the names of the columns.
    pub line: u64,
    /// The name of the column; `None` if the whole line is wrong.
    pub column: Option<String>,
    pub why: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(column) = &self.column {
            write!(f, ", column {column}")?;
        }
        write!(f, ": {}", self.why)
    }
}

/// The result of an import: the rows that were added, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The number of rows.
    pub rows: usize,
    /// Suppliers and locations that were made because a row names them.
    pub made: Vec<String>,
}

/// The end of an import that was not refused as a whole.
pub type Report = Result<Imported, Vec<Mistake>>;

/// Adds what a file has: all of it, or nothing. Without `is_applied`, nothing is added in any case.
///
/// # Errors
/// A file that is too large; an error of the inventory. Mistakes in the file are in the [`Report`].
pub fn run(store: &Store, what: What, bytes: &[u8], is_applied: bool) -> Result<Report, Fault> {
    let table = match table::read(bytes, what.columns())? {
        Ok(table) => table,
        Err(mistakes) => return Ok(Err(mistakes)),
    };
    let told = std::sync::Arc::new(std::sync::Mutex::new(Ok(Imported::default())));
    let report = std::sync::Arc::clone(&told);
    store.change_now(is_applied, move |work: &mut Work<'_>| {
        work.begin(what.name(), None, "import");
        let mut table = table;
        let made = match what {
            What::Items => items::add(work, &mut table),
            What::Customers => customers::add(work, &mut table),
            What::Stock => stock::add(work, &mut table),
        }?;
        let rows = table.rows.len();
        table.mistakes.sort_by_key(|it| it.line);
        let found = if table.mistakes.is_empty() { Ok(Imported { rows, made }) } else { Err(table.mistakes) };
        if found.is_err() {
            // The rows before the mistake are taken back.
            work.block("the file has mistakes");
        }
        *report.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = found;
        Ok(())
    })?;
    let mut told = told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok(std::mem::replace(&mut *told, Ok(Imported::default())))
}

/// Writes what the inventory has as CSV.
///
/// # Errors
/// An error of the inventory.
pub fn export(store: &Store, what: What) -> Result<Vec<u8>, Fault> {
    store.read(move |db| {
        let rows = match what {
            What::Items => items::all(db)?,
            What::Customers => customers::all(db)?,
            What::Stock => stock::all(db)?,
        };
        Ok(table::write(what.columns(), &rows))
    })
}
