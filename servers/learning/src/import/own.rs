//! The export of a vault: JSON with all members of its resources.
//!
//! In: JSON. Out: resources, all of which are checked.

use plainwire::prelude::*;

use super::{Entries, Unreadable};
use crate::resource::Resource;

/// The mark of the form.
pub(crate) const SCHEMA: &str = "learning:v1";

/// The export of a vault.
#[data]
pub(crate) struct Export {
    /// [`SCHEMA`].
    pub(crate) schema: String,
    /// The resources.
    pub(crate) resources: Vec<Resource>,
}

pub(super) fn read(text: &str) -> Result<Entries, Unreadable> {
    let export: Export = serde_json::from_str(text)
        .map_err(|error| Unreadable(format!("expected an export of this server, but found: {error}")))?;
    if export.schema != SCHEMA {
        let found: String = export.schema.chars().take(40).collect();
        return Err(Unreadable(format!("expected \"schema\": {SCHEMA:?}, but found {found:?}")));
    }
    for (at, it) in export.resources.iter().enumerate() {
        it.check().map_err(|why| Unreadable(format!("resource {}: {why}", at + 1)))?;
    }
    Ok(Entries { resources: export.resources, skipped: 0 })
}
