//! Reports: stock now and at other times, what sells, and what is used up. Computed in SQL.

pub mod sales;
pub mod stock;
pub mod velocity;
pub mod verify;

use serde_json::Value;

use crate::catalog::Reference;
use crate::catalog::reading::{Visible, find};
use crate::fault::Fault;

/// Returns the variants that a caller names, in that order, and the names that mean none. A SKU of several means all of them.
pub(crate) fn named(
    db: &rusqlite::Connection,
    given: &[Reference],
    visible: Visible,
) -> Result<(Vec<i64>, Vec<Value>), Fault> {
    if given.is_empty() {
        return Err(Fault::input("expected at least one SKU or id, but found an empty list"));
    }
    let (mut ids, mut not_found) = (Vec::new(), Vec::new());
    for it in given {
        let found = find(db, it, visible)?;
        if found.is_empty() {
            not_found.push(serde_json::json!(it));
        }
        ids.extend(found);
    }
    Ok((ids, not_found))
}
