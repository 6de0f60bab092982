//! Handles that take a change back: short texts, for a caller to keep.
//!
//! In: what would take a change back. Out: a handle; and later, for the same principal at the same site, what it stands for. The record is in a
//! file, sealed with a key that is made of the handle: without the handle nobody reads it, and a handle outlives a restart.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plainwire::prelude::*;
use plainwire_sqlite::{FileError, FileForm, open_or_create};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};
use rusqlite::{Connection, OptionalExtension as _};

/// The form of the file. Its mark is "PWun" in ASCII.
const FORM: FileForm = FileForm { name: "a file of undo handles", application: 0x5057_756e, version: 1 };

const TABLES: &str = "CREATE TABLE handle (id BLOB PRIMARY KEY, expires INTEGER NOT NULL, record BLOB NOT NULL) WITHOUT ROWID;
    CREATE INDEX handle_by_time ON handle (expires);
    CREATE TABLE repeat (place INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, arguments BLOB NOT NULL, change TEXT);";

/// The time for which a handle works, in seconds: a week.
const LIFETIME: i64 = 7 * 24 * 60 * 60;

/// The largest number of handles. The oldest go first.
const MAX_HANDLES: i64 = 10_000;

/// The largest record, in bytes.
pub const MAX_RECORD: usize = 4 << 20;

/// The largest number of bytes of all records. The oldest go first.
const MAX_BYTES: i64 = 256 << 20;

/// What takes a change back.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub enum Inverse {
    /// Nothing does, for this reason.
    None(String),
    /// These steps, in their order.
    Steps(Vec<Restore>),
}

/// A step that takes a part of a change back.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Restore {
    /// The path of the thing, in segments. `{name}` is replaced by the id in the answer that was kept under the name.
    pub path: Vec<String>,
    /// The way.
    pub how: How,
}

/// A way to take a part of a change back.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub enum How {
    /// Deletes what was made.
    Delete {
        /// The query of the request.
        query: Vec<(String, String)>,
    },
    /// Sends a body.
    Send {
        /// `POST` or `PUT`.
        method: String,
        /// The body.
        body: Value,
    },
    /// Gives fields of an issue their former values, if they still have those of the change.
    Fields {
        /// The values before, by the id of the field.
        before: Value,
        /// The values after, as the site answers them. Null until the change was made.
        after: Value,
        /// The newest entry of the changelog before the change.
        seen: u64,
    },
    /// Brings an issue back to a status, by whichever transition leads there.
    Status {
        /// The id of the former status.
        before: String,
        /// The name of the former status.
        name: String,
        /// The id of the status of the change.
        after: String,
    },
    /// Gives a body of rich text its former value, if it still has that of the change.
    Body {
        /// The member of the thing that has the body.
        member: String,
        /// The value before.
        before: Value,
        /// The value after, as the site answers it. Null until the change was made.
        after: Value,
    },
    /// Gives members of a thing their former values with `PUT`, if they still have those of the change.
    Members {
        /// The values before, by the name of the member.
        before: Value,
        /// The values after, as the site answers them. Empty until the change was made.
        after: Value,
    },
    /// Deletes the link between two issues, whose id the site did not tell. The path is that of links.
    Unlink {
        /// The path of the issue at one end.
        issue: Vec<String>,
        /// The id of the type.
        kind: String,
        /// The member of the link, in the answer about that issue, which has the other end.
        end: String,
        /// The id of the issue at the other end.
        other: String,
    },
    /// Puts a whole thing in its former form, if the members that were changed still have the values of the change: for things whose `PUT`
    /// empties what its body lacks.
    Whole {
        /// The former form.
        body: Value,
        /// The members that were changed, with their values before.
        before: Value,
        /// Their values after, as the site answers them. Empty until the change was made.
        after: Value,
    },
    /// Sends a request, if some values are still those of the change.
    Checked {
        /// `DELETE`, `POST` or `PUT`.
        method: String,
        /// The values.
        checks: Vec<super::Check>,
        /// The body; null for none.
        body: Value,
    },
    /// Puts a body, if some issues are still in the order of the change.
    Ranked {
        /// The issues. None where another step has looked at them, or where their order can't be read.
        order: super::Order,
        /// The body.
        body: Value,
    },
}

/// A change that a handle takes back.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Record {
    /// The tool that made it.
    pub tool: String,
    /// What was changed.
    pub target: String,
    /// What was done.
    pub summary: String,
    /// The fields that changed.
    pub changes: Vec<super::FieldChange>,
    /// What takes it back.
    pub inverse: Inverse,
}

/// The handles of a server.
#[derive(Clone, Debug)]
pub struct Handles(Arc<Mutex<Connection>>);

/// A handle, and the time at which it ends, in seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handle {
    /// The text.
    pub text: String,
    /// The time.
    pub expires: i64,
}

impl Handles {
    /// Opens the handles in a file; without one, they end with the program.
    ///
    /// # Errors
    /// A file of another form. It is left as it is.
    pub fn open(path: Option<&Path>) -> Result<Self, FileError> {
        let connection = match path {
            None => Connection::open_in_memory()?,
            Some(path) => {
                FORM.recognised(path)?;
                open_or_create(path)?
            }
        };
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if tables == 0 {
            connection.execute_batch(TABLES)?;
            connection.pragma_update(None, "application_id", FORM.application)?;
            connection.pragma_update(None, "user_version", FORM.version)?;
        }
        Ok(Self(Arc::new(Mutex::new(connection))))
    }

    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a record for a principal at a site, and returns its handle. Blocks while the file is written.
    ///
    /// # Errors
    /// A record that is too large; an error of the file.
    pub fn keep(&self, owner: &str, record: &Record, now: i64) -> Result<Handle, String> {
        let plain = serde_json::to_vec(record).map_err(|error| error.to_string())?;
        if plain.len() > MAX_RECORD {
            return Err(format!(
                "the values before are {} bytes, and at most {MAX_RECORD} are kept",
                plain.len()
            ));
        }
        let mut secret = [0_u8; 16];
        SystemRandom::new().fill(&mut secret).map_err(|_| "the system has no random bytes".to_owned())?;
        let text = format!("undo-{}", hex(&secret));
        let expires = now + LIFETIME;
        let sealed = seal(&text, owner, expires, plain)?;
        let connection = self.connection();
        let kept = connection
            .execute(
                "INSERT INTO handle (id, expires, record) VALUES (?1, ?2, ?3)",
                (id(&text), expires, sealed),
            )
            .and_then(|_| connection.execute("DELETE FROM handle WHERE expires <= ?1", [now]))
            .and_then(|_| bound(&connection));
        kept.map_err(|error| error.to_string())?;
        Ok(Handle { text, expires })
    }

    /// Returns the record of a handle, if it is of this principal and site.
    ///
    /// # Errors
    /// A handle that is unknown, has expired, was used, or is somebody else's: which one is not said.
    pub fn read(&self, owner: &str, text: &str, now: i64) -> Result<Record, ToolError> {
        let unknown = || {
            ToolError::not_found(
                "this undo handle is unknown, has expired, or belongs to another account or site",
            )
            .hint("a handle works for a week, once, for the account and the site that made the change")
        };
        let connection = self.connection();
        let found: Option<(i64, Vec<u8>)> = connection
            .query_row("SELECT expires, record FROM handle WHERE id = ?1", [id(text)], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()
            .map_err(|_| unknown())?;
        let (expires, sealed) = found.filter(|(expires, _)| *expires > now).ok_or_else(unknown)?;
        let plain = open(text, owner, expires, sealed).ok_or_else(unknown)?;
        serde_json::from_slice(&plain).map_err(|_| unknown())
    }

    /// Ends a handle.
    pub fn end(&self, text: &str) {
        let connection = self.connection();
        // A handle that stays is refused by the comparison of values.
        let _ = connection.execute("DELETE FROM handle WHERE id = ?1", [id(text)]);
    }
}

/// Deletes the oldest records beyond the limits. One after the other: a query that finds them all would sort the records themselves,
/// 256 MiB for each change.
fn bound(connection: &Connection) -> rusqlite::Result<()> {
    loop {
        let sql = "SELECT count(*) <= ?1 AND ifnull(sum(length(record)), 0) <= ?2 FROM handle";
        if connection.query_row(sql, [MAX_HANDLES, MAX_BYTES], |row| row.get(0))? {
            return Ok(());
        }
        let oldest =
            "DELETE FROM handle WHERE id = (SELECT id FROM handle ORDER BY expires, id DESC LIMIT 1)";
        connection.execute(oldest, [])?;
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The name of a record in the file, from which its handle can't be told.
fn id(text: &str) -> Vec<u8> {
    digest(&SHA256, format!("id {text}").as_bytes()).as_ref().to_vec()
}

fn key(text: &str) -> Option<LessSafeKey> {
    let key = digest(&SHA256, format!("key {text}").as_bytes());
    Some(LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, key.as_ref()).ok()?))
}

/// The owner and the end of a handle, which are sealed with the record.
fn bound_to(owner: &str, expires: i64) -> Aad<Vec<u8>> {
    Aad::from(format!("{expires} {owner}").into_bytes())
}

fn seal(text: &str, owner: &str, expires: i64, mut plain: Vec<u8>) -> Result<Vec<u8>, String> {
    let fault = || "the record can't be sealed".to_owned();
    // A key of its own for each record: its one nonce may be zero.
    let nonce = Nonce::assume_unique_for_key([0; NONCE_LEN]);
    let key = key(text).ok_or_else(fault)?;
    key.seal_in_place_append_tag(nonce, bound_to(owner, expires), &mut plain).map_err(|_| fault())?;
    Ok(plain)
}

fn open(text: &str, owner: &str, expires: i64, mut sealed: Vec<u8>) -> Option<Vec<u8>> {
    let nonce = Nonce::assume_unique_for_key([0; NONCE_LEN]);
    let plain = key(text)?.open_in_place(nonce, bound_to(owner, expires), &mut sealed).ok()?;
    Some(plain.to_vec())
}

#[cfg(test)]
mod tests {
    use super::{Handles, Inverse, LIFETIME, Record};

    fn record(target: &str) -> Record {
        let inverse = Inverse::None("for a test".to_owned());
        Record { tool: "t".into(), target: target.into(), summary: "s".into(), changes: vec![], inverse }
    }

    #[test]
    fn a_handle_outlives_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("undo.db");
        let handle = Handles::open(Some(&file)).unwrap().keep("ada@site", &record("SHOP-1"), 100).unwrap();
        let handles = Handles::open(Some(&file)).unwrap();
        assert_eq!(handles.read("ada@site", &handle.text, 101).unwrap(), record("SHOP-1"));
        assert_eq!(handle.expires, 100 + LIFETIME);
    }

    #[test]
    fn a_handle_works_for_its_owner_alone_and_not_for_ever() {
        let handles = Handles::open(None).unwrap();
        let handle = handles.keep("ada@site", &record("SHOP-1"), 100).unwrap();
        assert!(handles.read("eve@site", &handle.text, 101).is_err());
        assert!(handles.read("ada@other", &handle.text, 101).is_err());
        assert!(handles.read("ada@site", &handle.text, 100 + LIFETIME).is_err());
        assert!(handles.read("ada@site", "undo-00", 101).is_err());
        handles.end(&handle.text);
        assert!(handles.read("ada@site", &handle.text, 101).is_err());
    }

    #[test]
    fn the_file_does_not_tell_what_was_changed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("undo.db");
        let handles = Handles::open(Some(&file)).unwrap();
        handles.keep("ada@site", &record("a secret of the company"), 100).unwrap();
        drop(handles);
        let bytes = std::fs::read(&file).unwrap();
        assert!(!bytes.windows(8).any(|it| it == b"a secret"));
    }

    #[test]
    fn a_record_that_is_too_large_is_refused_and_many_push_out_the_oldest() {
        let handles = Handles::open(None).unwrap();
        assert!(handles.keep("a", &record(&"x".repeat(super::MAX_RECORD)), 100).is_err());
        let first = handles.keep("a", &record("first"), 100).unwrap();
        // As `keep` would, which takes a debug build a quarter of a second for each: it writes 3 MiB of JSON.
        let fill = |count, now| {
            let sql =
                "WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?1)
                INSERT INTO handle (id, expires, record) SELECT randomblob(32), ?2, zeroblob(3 << 20) FROM n";
            handles.connection().execute(sql, [count, now + LIFETIME]).unwrap();
        };
        fill(80, 101);
        handles.keep("a", &record("second"), 102).unwrap();
        assert!(handles.read("a", &first.text, 105).is_ok());
        fill(10, 110);
        let last = handles.keep("a", &record("last"), 111).unwrap();
        assert!(handles.read("a", &first.text, 112).is_err());
        assert!(handles.read("a", &last.text, 112).is_ok());
        let left: i64 =
            handles.connection().query_row("SELECT count(*) FROM handle", [], |row| row.get(0)).unwrap();
        assert_eq!(left, 87, "85 of 3 MiB and two small ones are less than 256 MiB");
    }
}
