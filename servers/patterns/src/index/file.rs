//! An index in a file: opened if it is what it should be, and otherwise left as it is.
//!
//! In: a path. Out: a connection whose tables are those of the library, or the reason why not.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _};

use crate::library::{Library, digest};

/// The version of the tables, in `user_version`.
const VERSION: i64 = 1;

/// The mark of our files, in `application_id`: "PWpi" in ASCII.
const APPLICATION: i64 = 0x5057_7069;

/// The time for which a locked file is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

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
    // Free pages are none of the index. Another program that uses the file keeps them there.
    let _ = connection.execute_batch("VACUUM");
    Ok(connection)
}

/// Marks a file as an index of this version.
pub(super) fn mark(connection: &Connection) -> Result<(), IndexError> {
    connection.pragma_update(None, "application_id", APPLICATION)?;
    Ok(connection.pragma_update(None, "user_version", VERSION)?)
}

/// Returns a sum of what the index is made of. SQLite's own checks do not look into it. Row 1 of a table of data has averages, which
/// FTS5 writes when a transaction ends.
pub(super) fn sum(connection: &Connection) -> Result<i64, IndexError> {
    let mut sum = 0;
    for sql in [
        "SELECT id, block FROM words_data WHERE id > 1 ORDER BY id",
        "SELECT segid, term FROM words_idx ORDER BY segid, term",
        "SELECT id, sz FROM words_docsize ORDER BY id",
        "SELECT id, block FROM spelling_data WHERE id > 1 ORDER BY id",
        "SELECT segid, term FROM spelling_idx ORDER BY segid, term",
        "SELECT id, sz FROM spelling_docsize ORDER BY id",
    ] {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (id, block): (i64, rusqlite::types::ValueRef<'_>) = (row.get(0)?, row.get_ref(1)?);
            sum = digest(sum, &id.to_le_bytes());
            sum = digest(sum, block.as_bytes_or_null().ok().flatten().unwrap_or_default());
        }
    }
    Ok(sum.cast_signed())
}

/// Opens a file that has the index of this library. `None` if there is no file yet, or one with an index of other data.
fn existing(path: &Path, library: &Library) -> Result<Option<Connection>, IndexError> {
    if !path.exists() {
        return Ok(None);
    }
    // Reading changes nothing in the file, whatever it is.
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    if let Err(rusqlite::Error::SqliteFailure(error, _)) =
        connection.pragma_query_value(None, "user_version", |_| Ok(()))
        && error.extended_code == rusqlite::ffi::SQLITE_READONLY_ROLLBACK
    {
        // A program ended while it was writing. To read the file, its last transaction has to be taken back.
        connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    }
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
    if version != VERSION {
        return Ok(None);
    }
    let sql = "SELECT digest, sum FROM library";
    let sums = connection.query_row(sql, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)));
    let Some((digest, expected)) = sums.optional()? else { return Ok(None) };
    if sum(&connection)? != expected {
        return Err(IndexError::Unfit("it is damaged".to_owned()));
    }
    let is_same = digest == library.digest().cast_signed();
    Ok(is_same.then_some(connection))
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, IndexError> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}
