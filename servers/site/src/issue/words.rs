//! The words of issues, for `~` in JQL.
//!
//! In: the text of a field or a comment. Out: nothing; the index has it.

use crate::fault::Result;
use crate::text;
use crate::work::Work;

/// Puts the words of a text into the index, in the place of those that it had. `owner` is the id of a comment, or the issue's.
///
/// # Errors
/// Those of SQLite.
pub fn set(work: &Work<'_>, issue: i64, field: &str, owner: i64, text: Option<&str>) -> Result<()> {
    let sql = "SELECT id FROM text_of WHERE issue_id = ?1 AND field_id = ?2 AND owner_id = ?3";
    let id: Option<i64> = work.one(sql, (issue, field, owner), |row| row.get(0))?;
    if let Some(id) = id {
        work.run("DELETE FROM words WHERE rowid = ?1", [id])?;
    }
    let Some(text) = text else {
        work.run("DELETE FROM text_of WHERE id = ?1", [id])?;
        return Ok(());
    };
    let id = match id {
        Some(id) => id,
        None => work.add(
            "INSERT INTO text_of (issue_id, field_id, owner_id) VALUES (?1, ?2, ?3)",
            (issue, field, owner),
        )?,
    };
    work.run("INSERT INTO words (rowid, text) VALUES (?1, ?2)", (id, text::plain(work.deployment, text)))?;
    Ok(())
}
