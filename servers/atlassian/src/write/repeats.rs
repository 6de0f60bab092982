//! Idempotency keys: a call that is repeated with its key makes nothing a second time.
//!
//! In: a key that a caller chose, and the arguments of the call. Out: whether the call is new, or the result that it had. A call is claimed
//! before its request is sent, so that two at once make one thing.

use plainwire::prelude::*;
use ring::digest::{SHA256, digest};
use rusqlite::OptionalExtension as _;

use super::{Change, Handles};

/// The longest key, in characters.
const MAX_KEY: usize = 200;

/// The largest number of keys. The oldest go first.
const MAX_KEYS: i64 = 10_000;

/// A call with a key.
#[derive(Debug)]
pub struct Call {
    id: Vec<u8>,
    arguments: Vec<u8>,
}

/// The state of a call with a key.
#[derive(Debug)]
pub enum Claim {
    /// The call is new: it may be made, and its end has to be told.
    New(Call),
    /// The call was made before, with this result.
    Earlier(Box<Change>),
}

impl Handles {
    /// Claims a call.
    ///
    /// # Errors
    /// A key that belongs to another call, or to one whose end is not known.
    pub fn claim(&self, owner: &str, tool: &str, key: &str, arguments: &Value) -> Result<Claim, ToolError> {
        if !(1..=MAX_KEY).contains(&key.chars().count()) {
            let found = key.chars().count();
            let message =
                format!("expected `idempotency_key` with 1 to {MAX_KEY} characters, but found {found}");
            return Err(ToolError::invalid_input(message));
        }
        let hash = |text: String| digest(&SHA256, text.as_bytes()).as_ref().to_vec();
        let call =
            Call { id: hash(format!("{owner}\0{tool}\0{key}")), arguments: hash(arguments.to_string()) };
        let connection = self.connection();
        let fault = |error: rusqlite::Error| {
            ToolError::failed(format!("the idempotency keys can't be read: {error}"))
        };
        let added = connection
            .execute(
                "INSERT OR IGNORE INTO repeat (id, arguments) VALUES (?1, ?2)",
                (&call.id, &call.arguments),
            )
            .map_err(fault)?;
        if added == 1 {
            let sql = "DELETE FROM repeat WHERE place <= (SELECT max(place) FROM repeat) - ?1";
            connection.execute(sql, [MAX_KEYS]).map_err(fault)?;
            return Ok(Claim::New(call));
        }
        let found: Option<(Vec<u8>, Option<String>)> = connection
            .query_row("SELECT arguments, change FROM repeat WHERE id = ?1", [&call.id], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()
            .map_err(fault)?;
        let (arguments, change) = found.unwrap_or_default();
        if arguments != call.arguments {
            let message = format!(
                "expected the arguments that `idempotency_key` {key:?} was used with, but found others"
            );
            return Err(ToolError::new("conflict", message).hint("use a new key for another call"));
        }
        let unknown = || {
            let message =
                format!("the call with `idempotency_key` {key:?} is not over, or its end is not known");
            ToolError::new("conflict", message)
                .hint("look whether the issue was made, with jira_search, before you use a new key")
        };
        let change = change.and_then(|it| serde_json::from_str::<Change>(&it).ok());
        let mut change = change.ok_or_else(unknown)?;
        change
            .warnings
            .push(format!("the call with the idempotency key {key:?} was made before: this is its result"));
        Ok(Claim::Earlier(Box::new(change)))
    }

    /// Keeps the result of a call.
    pub fn made(&self, call: &Call, change: &Change) {
        let sql = "UPDATE repeat SET change = ?2 WHERE id = ?1";
        // Without the result, a repeated call is refused, which is safe.
        let _ = self.connection().execute(sql, (&call.id, json!(change).to_string()));
    }

    /// Forgets a call that has made nothing.
    pub fn forget(&self, call: &Call) {
        let _ = self.connection().execute("DELETE FROM repeat WHERE id = ?1", [&call.id]);
    }
}

#[cfg(test)]
mod tests {
    use plainwire::prelude::json;

    use super::{Claim, Handles};
    use crate::write::Change;

    #[test]
    fn a_repeated_call_has_the_result_of_the_first_one() {
        let handles = Handles::open(None).unwrap();
        let arguments = json!({ "summary": "a" });
        let Claim::New(call) = handles.claim("ada", "make", "k", &arguments).unwrap() else {
            panic!("not new")
        };
        assert!(handles.claim("ada", "make", "k", &arguments).is_err(), "the first one is not over");
        handles.made(&call, &Change { key: Some("SHOP-1".to_owned()), ..Change::default() });
        let Claim::Earlier(change) = handles.claim("ada", "make", "k", &arguments).unwrap() else {
            panic!("new")
        };
        assert_eq!(change.key.as_deref(), Some("SHOP-1"));
        assert!(handles.claim("ada", "make", "k", &json!({ "summary": "b" })).is_err());
        assert!(matches!(handles.claim("eve", "make", "k", &arguments), Ok(Claim::New(_))));
    }

    #[test]
    fn a_call_that_made_nothing_may_be_made_again() {
        let handles = Handles::open(None).unwrap();
        let Claim::New(call) = handles.claim("ada", "make", "k", &json!(1)).unwrap() else {
            panic!("not new")
        };
        handles.forget(&call);
        assert!(matches!(handles.claim("ada", "make", "k", &json!(2)), Ok(Claim::New(_))));
    }

    #[test]
    fn a_key_has_a_length() {
        let handles = Handles::open(None).unwrap();
        assert!(handles.claim("ada", "make", "", &json!(1)).is_err());
        assert!(handles.claim("ada", "make", &"k".repeat(super::MAX_KEY + 1), &json!(1)).is_err());
    }
}
