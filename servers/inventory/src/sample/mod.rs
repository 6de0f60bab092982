//! Sample data: eighteen months of a furniture workshop, up to the day that counts as today.
//!
//! In: an inventory without items. Out: the same entities and movements in each run, made by the operations of
//! [`crate::orders`], so that each rule that they keep holds.

use rusqlite::Connection;

mod catalog;
mod history;
mod random;

pub use random::Random;

use crate::fault::Fault;
use crate::store::Store;
use crate::time::Time;
use crate::work::Work;

/// The number from which the data follow.
const SEED: u64 = 20_260_101;

/// Fills an inventory with sample data, unless it has items. Returns whether it did.
///
/// # Errors
/// An error of the file.
pub fn fill(store: &Store) -> Result<bool, Fault> {
    let has_items = |db: &Connection| db.prepare("SELECT 1 FROM item")?.exists([]);
    if store.read(move |db| Ok(has_items(db)?))? {
        return Ok(false);
    }
    let today = store.clock().today();
    store.change_now(true, move |work| {
        work.begin("sample data", None, "make");
        // Another program may have been faster.
        if has_items(work.db)? {
            return Ok(());
        }
        let mut random = Random::new(SEED);
        let first = today.plus(-history::DAYS);
        let catalog = catalog::make(work.db, first.at(6, 0, 0), &mut random)?;
        history::make(work.db, first, &catalog, random)
    })?;
    Ok(true)
}

/// Makes a change of its own at a time. `None` if it is blocked; then nothing was changed.
fn attempt<T>(
    db: &Connection,
    at: Time,
    change: impl FnOnce(&mut Work<'_>) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    db.prepare_cached("SAVEPOINT attempt")?.execute([])?;
    let mut work = Work::new(db, at);
    work.is_silent = true;
    let made = change(&mut work)?;
    let is_blocked = work.is_blocked();
    if is_blocked {
        db.prepare_cached("ROLLBACK TO attempt")?.execute([])?;
    }
    db.prepare_cached("RELEASE attempt")?.execute([])?;
    Ok((!is_blocked).then_some(made))
}
