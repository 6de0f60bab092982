//! The index of a library: which patterns have the words of a query, the best first.
//!
//! In: a [`Library`], and queries. Out: positions in the library, in an order that depends on nothing but the library and the
//! query. The index is SQLite's FTS5, in memory or in a file.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, TransactionBehavior, params};

use crate::library::Library;

mod file;
pub mod query;
mod typos;

pub use plainwire_sqlite::FileError;

/// The weights of the columns title, summary, tags, category and body.
const RANK: &str = "bm25(words, 10.0, 5.0, 4.0, 2.0, 1.0)";

/// `words` finds words by their stems, `spelling` has them as they are written, for the correction of typos.
const TABLES: &str = "
    CREATE TABLE library (digest INTEGER NOT NULL, sum INTEGER NOT NULL);
    CREATE VIRTUAL TABLE words USING fts5(
        title, summary, tags, category, body, content='', prefix='2 3', tokenize='porter unicode61'
    );
    CREATE VIRTUAL TABLE spelling USING fts5(text, content='', detail=none, tokenize='unicode61');
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab(spelling, 'row');
";

/// An index that is ready for queries.
#[derive(Debug)]
pub struct Index {
    connection: Mutex<Connection>,
    /// The digest of the library.
    digest: u64,
}

/// The matches of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// The positions in [`Library::patterns`], the best first; of equal ones that with the smaller id.
    pub positions: Vec<usize>,
    /// The query with other words, if nothing has those of the user and something has these.
    pub corrected: Option<String>,
}

impl Index {
    /// Makes an index in memory.
    ///
    /// # Errors
    /// An error of SQLite, such as too little memory.
    pub fn in_memory(library: &Library) -> Result<Self, FileError> {
        let mut connection = Connection::open_in_memory()?;
        fill(&mut connection, library)?;
        Ok(Self { connection: Mutex::new(connection), digest: library.digest() })
    }

    /// Opens the index in a file, or makes it there. A file with an index of other data is filled anew.
    ///
    /// # Errors
    /// A file that is no index of this version, is damaged, locked or can't be written. It is left as it is.
    pub fn open(path: &Path, library: &Library) -> Result<Self, FileError> {
        Ok(Self { connection: Mutex::new(file::open(path, library)?), digest: library.digest() })
    }

    /// Returns the patterns that have all words of `text`. Only if there are none, words are corrected.
    ///
    /// # Errors
    /// An error of SQLite, such as a damaged file.
    pub fn search(&self, text: &str) -> Result<Matches, FileError> {
        let words = query::words(text);
        if words.is_empty() {
            return Ok(Matches::default());
        }
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        // One state of the file for all of the search. Another program may have filled it with other data since it was opened.
        let _reading = connection.unchecked_transaction()?;
        let digest = connection.query_row("SELECT digest FROM library", [], |row| row.get::<_, i64>(0))?;
        if digest.cast_unsigned() != self.digest {
            return Err(FileError::Unfit("another program has filled it with other data".to_owned()));
        }
        let positions = positions(&connection, &words)?;
        if !positions.is_empty() {
            return Ok(Matches { positions, corrected: None });
        }
        let Some(corrected) = typos::correct(&connection, &words)? else { return Ok(Matches::default()) };
        let positions = self::positions(&connection, &corrected)?;
        let corrected = (!positions.is_empty()).then(|| corrected.join(" "));
        Ok(Matches { positions, corrected })
    }
}

fn positions(connection: &Connection, words: &[String]) -> Result<Vec<usize>, FileError> {
    let sql = format!("SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY {RANK}, rowid");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([query::expression(words)], |row| row.get::<_, i64>(0))?;
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    Ok(rows.into_iter().filter_map(|it| usize::try_from(it).ok()).collect())
}

/// Makes the tables and fills them, as one transaction.
fn fill(connection: &mut Connection, library: &Library) -> Result<(), FileError> {
    // At once, so that of two programs one waits for the other.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(
        "DROP TABLE IF EXISTS vocabulary; DROP TABLE IF EXISTS spelling; DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS library;",
    )?;
    transaction.execute_batch(TABLES)?;
    {
        let sql =
            "INSERT INTO words (rowid, title, summary, tags, category, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let mut insert = transaction.prepare(sql)?;
        let mut spell = transaction.prepare("INSERT INTO spelling (rowid, text) VALUES (?1, ?2)")?;
        for (at, it) in library.patterns().iter().enumerate() {
            // The id is a title too: people search for it.
            let title = format!("{} {}", it.title, it.id);
            let mut body = String::new();
            for section in &it.sections {
                body.extend([&*section.title, "\n", &section.content, "\n"]);
            }
            it.examples.iter().for_each(|example| body.extend([&*example.code, "\n"]));
            let at = i64::try_from(at).unwrap_or(i64::MAX);
            let tags = it.tags.join(" ");
            spell.execute(params![
                at,
                [&title, &it.summary, &tags, &it.category, &body].map(|it| &**it).join(" ")
            ])?;
            insert.execute(params![at, title, it.summary, tags, it.category, body])?;
        }
    }
    // Everything is in the tables behind this, and not only when the transaction ends.
    transaction.execute_batch(
        "INSERT INTO words (words) VALUES ('optimize'); INSERT INTO spelling (spelling) VALUES ('optimize');",
    )?;
    let sum = file::sum(&transaction)?;
    transaction.execute("INSERT INTO library VALUES (?1, ?2)", [library.digest().cast_signed(), sum])?;
    file::mark(&transaction)?;
    transaction.commit()?;
    Ok(())
}
