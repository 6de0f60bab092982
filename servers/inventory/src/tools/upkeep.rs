//! Upkeep of the file: making anew what follows from the ledger.

use std::sync::{Arc, Mutex, PoisonError};

use plainwire::Entries;
use plainwire::prelude::*;

use super::Store;
use crate::kinds::Rebuild;
use crate::ledger::{check, projections};

pub(super) fn entries() -> Entries {
    Entries::new().tool(rebuild_cache)
}

/// Checks the file against its ledger, and makes stock, promises and the words of the search anew. `drift` is what was wrong.
#[tool(destructive, idempotent, closed_world, title = "Rebuild projections")]
async fn rebuild_cache(
    #[argument("Whether only to check.", default = true)] preview: bool,
    store: State<Store>,
    context: Context,
) -> Result<Rebuild, ToolError> {
    context.progress(0.0, Some(2.0), Some("checking the ledger"));
    let drift = store.ask(|db| Ok(check::check(db)?)).await?;
    context.progress(1.0, Some(2.0), Some("making the projections anew"));
    // What was made anew is told by the change itself.
    let rebuilt = Arc::new(Mutex::new(std::collections::BTreeMap::new()));
    let told = Arc::clone(&rebuilt);
    let outcome = store.change(!preview, move |work| {
        work.begin("projections", None, "rebuild");
        *told.lock().unwrap_or_else(PoisonError::into_inner) = projections::rebuild(work.db)?;
        Ok(())
    });
    let outcome = outcome.await?;
    context.progress(2.0, Some(2.0), None);
    let rebuilt = std::mem::take(&mut *rebuilt.lock().unwrap_or_else(PoisonError::into_inner));
    let message = match (drift.is_empty(), preview) {
        (true, true) => "sound: a rebuild would change nothing",
        (true, false) => "sound, and made anew",
        (false, true) => "there is drift: rebuild with preview=false",
        (false, false) => "made anew; check again, for drift that is not of projections",
    };
    Ok(Rebuild { is_preview: outcome.is_preview, rebuilt, drift, message: message.to_owned() })
}
