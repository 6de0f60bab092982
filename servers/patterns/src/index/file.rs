//! An index in a file: opened if it is what it should be, and otherwise left as it is.
//!
//! In: a path. Out: a connection whose tables are those of the library, or the reason why not.

use std::path::Path;

use plainwire_sqlite::{FileError, FileForm, digest, open_or_create};
use rusqlite::{Connection, OptionalExtension as _};

use crate::library::Library;

/// The form of the file. Its mark is "PWpi" in ASCII.
const FORM: FileForm = FileForm { name: "an index", application: 0x5057_7069, version: 1 };

pub(super) fn open(path: &Path, library: &Library) -> Result<Connection, FileError> {
    if let Some(connection) = existing(path, library)? {
        return Ok(connection);
    }
    let mut connection = open_or_create(path)?;
    super::fill(&mut connection, library)?;
    // Free pages are none of the index. Another program that uses the file keeps them there.
    let _ = connection.execute_batch("VACUUM");
    Ok(connection)
}

/// Marks a file as an index of this version.
pub(super) fn mark(connection: &Connection) -> Result<(), FileError> {
    FORM.mark(connection)
}

/// Returns a sum of what the index is made of. SQLite's own checks do not look into it. Row 1 of a table of data has averages, which
/// FTS5 writes when a transaction ends.
pub(super) fn sum(connection: &Connection) -> Result<i64, FileError> {
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
fn existing(path: &Path, library: &Library) -> Result<Option<Connection>, FileError> {
    let Some((connection, version)) = FORM.existing(path)? else { return Ok(None) };
    if version != FORM.version {
        return Ok(None);
    }
    let sql = "SELECT digest, sum FROM library";
    let sums = connection.query_row(sql, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)));
    let Some((digest, expected)) = sums.optional()? else { return Ok(None) };
    if sum(&connection)? != expected {
        return Err(FileError::Unfit("it is damaged".to_owned()));
    }
    let is_same = digest == library.digest().cast_signed();
    Ok(is_same.then_some(connection))
}
