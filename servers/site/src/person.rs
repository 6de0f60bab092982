//! People: finding them by what the deployment calls them.
//!
//! In: JSON or a parameter that names a person. Out: the person's id.

use serde_json::Value;

use crate::fault::Result;
use crate::work::Work;

/// Returns the person that a JSON value names: `{"accountId": …}` on Cloud, `{"name": …}` or `{"key": …}` on Data Center.
pub(crate) fn of_json(work: &Work<'_>, value: &Value) -> Result<Option<i64>> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    if work.is_cloud() {
        return text("accountId").or_else(|| text("id")).map_or(Ok(None), |it| by_account(work, it));
    }
    match (text("name"), text("key")) {
        (Some(name), _) => by_name(work, name),
        (None, Some(key)) => by_key(work, key),
        (None, None) => Ok(None),
    }
}

pub(crate) fn by_account(work: &Work<'_>, account: &str) -> Result<Option<i64>> {
    work.one("SELECT id FROM person WHERE account_id = ?1", [account], |row| row.get(0))
}

pub(crate) fn by_name(work: &Work<'_>, name: &str) -> Result<Option<i64>> {
    work.one("SELECT id FROM person WHERE name = ?1 COLLATE NOCASE", [name], |row| row.get(0))
}

pub(crate) fn by_key(work: &Work<'_>, key: &str) -> Result<Option<i64>> {
    work.one("SELECT id FROM person WHERE key = ?1", [key], |row| row.get(0))
}

/// Returns the people whose display name, user name or e-mail has a word that begins with the words of `query`, in the order of names.
pub(crate) fn search(work: &Work<'_>, query: &str) -> Result<Vec<i64>> {
    let rows =
        work.all("SELECT id, display_name, name, email FROM person ORDER BY display_name, id", [], |row| {
            Ok((row.get::<_, i64>(0)?, [row.get::<_, String>(1)?, row.get(2)?, row.get(3)?]))
        })?;
    let query = query.to_lowercase();
    let fits = |texts: &[String; 3]| {
        let whole = texts.iter().map(|it| it.to_lowercase());
        whole.into_iter().any(|it| {
            it.starts_with(&query)
                || it.split([' ', '.', '@', '-', '\'']).any(|word| word.starts_with(&query))
        })
    };
    Ok(rows.into_iter().filter(|(_, texts)| query.is_empty() || fits(texts)).map(|(id, _)| id).collect())
}
