//! Errors of calls: what was expected, what was found, and what would help.

use plainwire::prelude::*;
use plainwire_sqlite::FileError;

/// The reason for which a call fails. Nothing was changed.
#[derive(Debug)]
pub enum Fault {
    /// An argument that can't be used.
    Input(String),
    /// A thing that does not exist.
    Missing(String),
    /// A call that contradicts an earlier one, or a change since.
    Conflict(String),
    /// An error of the file.
    File(FileError),
}

impl Fault {
    /// Returns the sentence. There is no `Display`, so that no error becomes a [`struct@ToolError`] without its code.
    pub fn text(&self) -> String {
        match self {
            Self::Input(why) | Self::Missing(why) | Self::Conflict(why) => why.clone(),
            Self::File(error) => error.to_string(),
        }
    }

    pub(crate) fn input(why: impl Into<String>) -> Self {
        Self::Input(why.into())
    }

    pub(crate) fn missing(why: impl Into<String>) -> Self {
        Self::Missing(why.into())
    }

    pub(crate) fn conflict(why: impl Into<String>) -> Self {
        Self::Conflict(why.into())
    }
}

impl From<FileError> for Fault {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        match error {
            // An amount that is too large for the file, from arguments or from a function of SQL.
            rusqlite::Error::ToSqlConversionFailure(why) => Self::Input(why.to_string()),
            rusqlite::Error::SqliteFailure(_, Some(why)) if why.contains("expected an amount") => {
                Self::Input(why)
            }
            error => Self::File(error.into()),
        }
    }
}

impl From<Fault> for ToolError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Input(why) => Self::invalid_input(why),
            Fault::Missing(why) => Self::not_found(why),
            Fault::Conflict(why) => Self::new("conflict", why),
            Fault::File(error) => {
                let told = Self::failed(format!("the inventory can't be used: {error}")).logged(&error);
                if error.is_busy() { told.retryable() } else { told }
            }
        }
    }
}

/// Returns a text of others for a message: quoted, and its beginning only if it is long.
pub(crate) fn shown(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}…", &text[..end]),
    }
}
