//! The file: one SQLite database, whose ledger is the truth.
//!
//! In: closures that read or change it. Out: what they return. A change that was acknowledged is on the disk. Reads see one
//! state of the file and wait for nobody; changes go through one thread, which writes those that wait in one commit.

use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use plainwire_sqlite::{FileError, FileForm, open_or_create};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use tokio::sync::oneshot;

pub mod backup;
mod functions;
mod writer;

pub use writer::MAX_WAITING;

use crate::fault::Fault;
use crate::runtime;
use crate::time::{Day, Time};
use crate::work::{Outcome, Work};

/// The form of the file. Its mark is "PWin" in ASCII.
const FORM: FileForm =
    FileForm { name: "an inventory", application: 0x5057_696e, version: MIGRATIONS.len() as i64 };

/// The tables, as changes from each version to the next one. Version 0 is an empty file.
const MIGRATIONS: &[&str] = &[include_str!("tables.sql")];

/// The largest number of connections that are kept for reading.
const MAX_READERS: usize = 4;

/// The time between two tries to begin a change while another program makes one, and the number of tries: 5 s.
const PAUSE: Duration = Duration::from_millis(2);
const TRIES: i32 = 2_500;

/// The name of an inventory that is in memory only.
pub const MEMORY: &str = ":memory:";

/// The source of the time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// The day that counts as today. By default, that of the machine.
    pub today: Option<Day>,
}

impl Clock {
    /// Returns the time: now, or noon of the day that counts as today.
    pub fn now(self) -> Time {
        self.today.map_or_else(Time::now, |it| it.at(12, 0, 0))
    }

    /// Returns the day that counts as today.
    pub fn today(self) -> Day {
        self.now().day()
    }
}

/// An inventory that is open.
#[derive(Debug)]
pub struct Store {
    /// `None` if it is in memory: then the connection that writes reads, too.
    path: Option<PathBuf>,
    readers: Mutex<Vec<Connection>>,
    writer: writer::Writer,
    clock: Clock,
}

impl Store {
    /// Opens the inventory in a file, or makes an empty one there; `:memory:` is one that is gone when the program ends.
    ///
    /// # Errors
    /// A file that is no inventory, is newer, locked, or can't be written. It is left as it is.
    pub fn open(path: &Path, clock: Clock) -> Result<Self, FileError> {
        if path == Path::new(MEMORY) {
            let mut connection = Connection::open_in_memory()?;
            functions::add(&connection)?;
            migrate(&mut connection, 0, MIGRATIONS)?;
            let writer = writer::Writer::start(connection, clock)?;
            return Ok(Self { path: None, readers: Mutex::default(), writer, clock });
        }
        if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
            let made = std::fs::create_dir_all(folder);
            made.map_err(|error| FileError::Unfit(format!("its folder can't be made: {error}")))?;
        }
        let version = FORM.recognised(path)?.map_or(0, |(_, version)| version);
        let mut connection = open_or_create(path)?;
        connection.busy_handler(Some(patience))?;
        if connection.is_readonly("main")? {
            return Err(FileError::Unfit("it can't be written".to_owned()));
        }
        if version == 0 {
            // Readers go on while a program writes.
            connection.pragma_update(None, "journal_mode", "wal")?;
        }
        if version < FORM.version {
            migrate(&mut connection, version, MIGRATIONS)?;
        }
        // A commit is on the disk before it is acknowledged.
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        functions::add(&connection)?;
        let writer = writer::Writer::start(connection, clock)?;
        Ok(Self { path: Some(path.to_owned()), readers: Mutex::default(), writer, clock })
    }

    /// Returns the source of the time.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Reads one state of the file, on this thread.
    ///
    /// # Errors
    /// Those of `question`; an error of the file.
    pub fn read<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        if self.path.is_none() {
            return wait(|answer| self.writer.ask(question, answer));
        }
        let connection = self.reader()?;
        let transaction = connection.unchecked_transaction()?;
        let answer = question(&transaction);
        drop(transaction);
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < MAX_READERS {
            readers.push(connection);
        }
        answer
    }

    /// Reads one state of the file, on a thread of its own.
    ///
    /// # Errors
    /// Those of `question`; an error of the file.
    pub async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        question: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let store = Arc::clone(self);
        let answer = runtime::blocking(move || store.read(question)).await;
        answer.unwrap_or_else(|_| Err(writer::ended()))
    }

    /// Makes a change, or tries it out: without `is_applied`, and if it is blocked, nothing is written. What is returned after
    /// a change that was applied is on the disk.
    ///
    /// # Errors
    /// Those of `change`; an error of the file. Nothing is changed then.
    pub async fn change(
        &self,
        is_applied: bool,
        change: impl FnOnce(&mut Work<'_>) -> Result<(), Fault> + Send + 'static,
    ) -> Result<Outcome, Fault> {
        let (send, receive) = oneshot::channel();
        // A caller that has left needs no answer.
        self.writer.change(is_applied, change, |outcome| drop(send.send(outcome)));
        receive.await.unwrap_or_else(|_| Err(writer::ended()))
    }

    /// Makes a change, like [`Self::change`], and waits on this thread.
    ///
    /// # Errors
    /// Those of `change`; an error of the file. Nothing is changed then.
    pub fn change_now(
        &self,
        is_applied: bool,
        change: impl FnOnce(&mut Work<'_>) -> Result<(), Fault> + Send + 'static,
    ) -> Result<Outcome, Fault> {
        self.writer.change_here(is_applied, change)
    }

    fn reader(&self) -> Result<Connection, FileError> {
        let kept = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(connection) = kept {
            return Ok(connection);
        }
        let path = self.path.as_deref().unwrap_or(Path::new(MEMORY));
        let connection = reading(path)?;
        functions::add(&connection)?;
        Ok(connection)
    }
}

/// Waits for an answer on this thread. Only a signal goes through the channel: a channel of each `T` would be a tenth of what is
/// compiled of this crate.
fn wait<T: Send + 'static>(ask: impl FnOnce(Box<dyn FnOnce(Result<T, Fault>) + Send>)) -> Result<T, Fault> {
    let kept = Arc::new(Mutex::new(None));
    let own = Arc::clone(&kept);
    let (send, receive) = sync_channel::<()>(1);
    ask(Box::new(move |answer| {
        *own.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        drop(send);
    }));
    // It ends when the sender is gone, answered or not.
    let _ = receive.recv();
    let answer = kept.lock().unwrap_or_else(PoisonError::into_inner).take();
    answer.unwrap_or_else(|| Err(writer::ended()))
}

/// Opens a file for reading.
fn reading(path: &Path) -> Result<Connection, FileError> {
    // Below a folder, a name such as `:memory:` is a name. A file of WAL needs its index, which readers write, too.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(Path::new(".").join(path), flags)?;
    connection.busy_handler(Some(patience))?;
    connection.pragma_update(None, "query_only", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Waits while another program has the file locked. Of programs that all wait, each has its turn: none waits longer than others.
fn patience(tries: i32) -> bool {
    std::thread::sleep(PAUSE);
    tries < TRIES
}

/// Brings the tables of a file from a version to that of the last migration, in one transaction.
fn migrate(connection: &mut Connection, from: i64, migrations: &[&str]) -> Result<(), FileError> {
    // At once, so that of two programs one waits for the other.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let from = usize::try_from(from.max(found)).unwrap_or_default();
    for migration in migrations.iter().skip(from) {
        transaction.execute_batch(migration)?;
    }
    FileForm { version: migrations.len() as i64, ..FORM }.mark(&transaction)?;
    Ok(transaction.commit()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_brought_from_each_version_to_the_next() {
        let mut connection = Connection::open_in_memory().expect("a database");
        let steps = ["CREATE TABLE a (b TEXT)", "ALTER TABLE a ADD c TEXT", "ALTER TABLE a ADD d TEXT"];
        let columns = |connection: &Connection| {
            let count = "SELECT count(*) FROM pragma_table_info('a')";
            connection.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap_or_default()
        };
        migrate(&mut connection, 0, &steps[..1]).expect("version 1");
        assert_eq!(columns(&connection), 1);
        migrate(&mut connection, 1, &steps).expect("version 3");
        assert_eq!(columns(&connection), 3);
        // Another program was faster.
        migrate(&mut connection, 1, &steps).expect("still version 3");
        let wrong = ["", "", "", "CREATE TABLE e (f TEXT); CREATE TABLE a (b TEXT)"];
        assert!(migrate(&mut connection, 3, &wrong).is_err());
        let version: i64 =
            connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap_or_default();
        let half = connection.prepare("SELECT * FROM e").is_ok();
        assert_eq!((version, half), (3, false), "a migration that fails leaves the file as it was");
    }
}
