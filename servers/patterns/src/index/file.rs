//! An index in a file: opened if it is what it should be, and otherwise left as it is.
//!
//! In: a path. Out: a connection whose tables are those of the library, or the reason why not.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::library::Library;

/// The version of the tables, in `user_version`.
const VERSION: i64 = 1;

/// The mark of our files, in `application_id`: "PWpi" in ASCII.
const APPLICATION: i64 = 0x5057_7069;

/// How long a locked file is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// An index that can't be opened, filled or read.
#[derive(Debug)]
pub enum IndexError {
    /// The file is not what it should be.
    Unfit(String),
    /// An error of SQLite.
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for IndexError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = match self {
            Self::Unfit(why) => return f.write_str(why),
            Self::Sqlite(error) => error,
        };
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                f.write_str("another program has it locked")
            }
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => f.write_str("it can't be written"),
            Some(ErrorCode::CannotOpen) => f.write_str("it can't be opened"),
            Some(ErrorCode::DiskFull) => f.write_str("the disk is full"),
            Some(ErrorCode::DatabaseCorrupt) => f.write_str("it is damaged"),
            Some(ErrorCode::NotADatabase) => f.write_str("it is no SQLite database"),
            Some(ErrorCode::SystemIoFailure) => f.write_str("it can't be read or written"),
            _ => f.write_str("SQLite failed"),
        }
    }
}

impl std::error::Error for IndexError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unfit(_) => None,
            Self::Sqlite(error) => Some(error),
        }
    }
}

pub(super) fn open(path: &Path, library: &Library) -> Result<Connection, IndexError> {
    if let Some(connection) = existing(path, library)? {
        return Ok(connection);
    }
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
    super::fill(&mut connection, library)?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", VERSION)?;
    Ok(connection)
}

/// Opens a file that has the index of this library. `None` if there is no file yet, or one with an index of other data.
fn existing(path: &Path, library: &Library) -> Result<Option<Connection>, IndexError> {
    if !path.exists() {
        return Ok(None);
    }
    // Reading changes nothing in the file, whatever it is.
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let (application, version) = (number("application_id")?, number("user_version")?);
    if tables == 0 && application == 0 {
        return Ok(None);
    }
    if application != APPLICATION {
        return Err(IndexError::Unfit("it is a database of another program".to_owned()));
    }
    if version > VERSION {
        let why = format!("expected an index of version {VERSION}, but found the newer version {version}");
        return Err(IndexError::Unfit(why));
    }
    let health: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    if health != "ok" {
        return Err(IndexError::Unfit("it is damaged".to_owned()));
    }
    let digest = connection.query_row("SELECT digest FROM library", [], |row| row.get::<_, i64>(0));
    let is_same = version == VERSION && digest? == library.digest().cast_signed();
    if is_same {
        // Damage in the index itself shows only when it is compared with its own sums.
        connection.query_row("SELECT count(*) FROM vocabulary", [], |_| Ok(()))?;
    }
    Ok(is_same.then_some(connection))
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, IndexError> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}
