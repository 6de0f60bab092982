//! SQLite files of servers: opened if they are what they should be, and otherwise left as they are.
//!
//! In: a path, and the [`FileForm`] that the file should have. Out: a connection, or a [`FileError`] whose text says what is wrong.
//! The contents of the tables are up to the server.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

/// The time for which a locked file is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// The marks by which a server knows a file of its own.
#[derive(Clone, Copy, Debug)]
pub struct FileForm {
    /// The name of such a file in errors, with its article, such as `an index`.
    pub name: &'static str,
    /// The mark in `application_id`.
    pub application: i64,
    /// The version of the tables, in `user_version`. From 1.
    pub version: i64,
}

/// A file that can't be opened, filled or read.
#[derive(Debug)]
pub enum FileError {
    /// The file is not what it should be.
    Unfit(String),
    /// An error of SQLite.
    Sqlite(rusqlite::Error),
}

impl FileForm {
    /// Opens a file that has this form, for reading. `None` if there is no file, or an empty one. The version is at most that
    /// of the form. Reads the whole file.
    ///
    /// # Errors
    /// A file of another program, of a newer version, or one that SQLite finds damaged. It is left as it is.
    pub fn existing(&self, path: &Path) -> Result<Option<(Connection, i64)>, FileError> {
        let found = self.recognised(path)?;
        if let Some((connection, _)) = &found {
            let health: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
            if health != "ok" {
                return Err(FileError::Unfit("it is damaged".to_owned()));
            }
        }
        Ok(found)
    }

    /// Opens a file that has this form, for reading, like [`Self::existing`]. Reads only its marks: damage is found by whoever
    /// reads the damaged part.
    ///
    /// # Errors
    /// A file of another program or of a newer version. It is left as it is.
    pub fn recognised(&self, path: &Path) -> Result<Option<(Connection, i64)>, FileError> {
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
        if application != self.application {
            return Err(FileError::Unfit("it is a database of another program".to_owned()));
        }
        if version > self.version {
            let (name, expected) = (self.name, self.version);
            let why = format!("expected {name} of version {expected}, but found the newer version {version}");
            return Err(FileError::Unfit(why));
        }
        Ok(Some((connection, version)))
    }

    /// Marks a file as one of this form.
    ///
    /// # Errors
    /// An error of SQLite, such as a full disk.
    pub fn mark(&self, connection: &Connection) -> Result<(), FileError> {
        connection.pragma_update(None, "application_id", self.application)?;
        Ok(connection.pragma_update(None, "user_version", self.version)?)
    }
}

/// Opens a file for reading and writing, or makes an empty one. Waits up to 5 s for another program that has it locked.
///
/// # Errors
/// An error of SQLite, such as a folder in which no file can be made.
pub fn open_or_create(path: &Path) -> Result<Connection, FileError> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
}

/// Returns the FNV-1a hash of `bytes` behind those of `before`: the same in each build, unlike a hasher of the standard library.
pub fn digest(before: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(before ^ 0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, FileError> {
    // Below a folder, a name such as `:memory:` is a name.
    let path = &Path::new(".").join(path);
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

impl FileError {
    /// Returns whether another program has the file locked, so that it may be free later.
    pub fn is_busy(&self) -> bool {
        let Self::Sqlite(error) = self else { return false };
        matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }
}

impl From<rusqlite::Error> for FileError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl fmt::Display for FileError {
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

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unfit(_) => None,
            Self::Sqlite(error) => Some(error),
        }
    }
}
