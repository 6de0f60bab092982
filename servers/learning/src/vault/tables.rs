//! The tables of the file, and the resources of the program in them.
//!
//! In: a connection to a file that is a vault, or is empty. Out: the tables of this version, with the program's resources.

use plainwire_sqlite::{FileError, FileForm, digest};
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};

use super::{BUILT_IN, built_in, rows};
use crate::resource::address;

/// The form of the file. Its mark is "PWle" in ASCII.
pub(super) const FORM: FileForm = FileForm { name: "a vault", application: 0x5057_6c65, version: 1 };

/// `postings` has the stems of a resource, each with the weight of the best place in which it stands; `labels` has the words of
/// the vocabulary that describe it, such as `type=book`; `vocabulary` has words as they are written, for typos.
const TABLES: &str = "
    CREATE TABLE resources (
        row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, address TEXT NOT NULL,
        is_built_in INTEGER NOT NULL, record TEXT NOT NULL, sum INTEGER NOT NULL
    );
    CREATE INDEX addresses ON resources (address);
    CREATE TABLE postings (
        stem TEXT NOT NULL, row INTEGER NOT NULL, weight INTEGER NOT NULL, PRIMARY KEY (stem, row)
    ) WITHOUT ROWID;
    CREATE TABLE labels (label TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (label, row)) WITHOUT ROWID;
    CREATE TABLE vocabulary (word TEXT PRIMARY KEY, resources INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE built_in (digest INTEGER NOT NULL);
";

/// Makes the tables if the file is new, and brings the resources of the program up to date.
pub(super) fn prepare(connection: &mut Connection, is_new: bool) -> Result<(), FileError> {
    if is_new {
        // Readers go on while a program writes.
        connection.pragma_update(None, "journal_mode", "wal")?;
    }
    // A commit is on the disk before it is acknowledged.
    connection.pragma_update(None, "synchronous", "full")?;
    let current = digest(0, BUILT_IN.as_bytes()).cast_signed();
    let found = |connection: &Connection| {
        connection.query_row("SELECT digest FROM built_in", [], |row| row.get::<_, i64>(0)).optional()
    };
    if !is_new {
        is_whole(connection)?;
    }
    if !is_new && found(connection)? == Some(current) {
        return Ok(());
    }
    // At once, so that of two programs one waits for the other.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let tables: i64 = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables == 0 {
        transaction.execute_batch(TABLES)?;
        FORM.mark(&transaction)?;
    }
    if found(&transaction)? != Some(current) {
        renew(&transaction, current)?;
    }
    Ok(transaction.commit()?)
}

/// Checks that a file has all tables.
fn is_whole(connection: &Connection) -> Result<(), FileError> {
    for table in ["resources", "postings", "labels", "vocabulary", "built_in"] {
        let sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        if !connection.prepare(sql)?.exists([table])? {
            return Err(FileError::Unfit(format!("it is damaged: the table `{table}` is missing")));
        }
    }
    Ok(())
}

/// Replaces the resources of the program. One whose id or address a user has added is left out: the user's stays.
fn renew(transaction: &Transaction<'_>, current: i64) -> Result<(), FileError> {
    rows::remove_built_in(transaction)?;
    for it in built_in() {
        let address = address(&it.url).unwrap_or_default();
        let sql = "SELECT 1 FROM resources WHERE id = ?1 OR address = ?2";
        if !transaction.prepare_cached(sql)?.exists([&it.id, &address])? {
            rows::insert(transaction, &it, &address, true)?;
        }
    }
    transaction.execute("DELETE FROM built_in", [])?;
    transaction.execute("INSERT INTO built_in VALUES (?1)", [current])?;
    Ok(())
}
