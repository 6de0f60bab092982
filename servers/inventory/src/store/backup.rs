//! Copies of a file that is in use.

use std::path::Path;

use plainwire_sqlite::{FileError, open_or_create};
use rusqlite::backup::{Backup, StepResult};

use super::{FORM, reading};

/// Copies the inventory in `from` into a new file. Programs may go on to use it: the copy is one state of it.
///
/// # Errors
/// A file that is no inventory; a copy that exists, or can't be written. Then there is no copy.
pub fn backup(from: &Path, to: &Path) -> Result<(), FileError> {
    if FORM.recognised(from)?.is_none() {
        return Err(FileError::Unfit("there is no inventory".to_owned()));
    }
    // Made at once, so that of two backups one fails.
    let made = std::fs::File::create_new(to);
    made.map_err(|error| FileError::Unfit(format!("the copy can't be made: {error}")))?;
    copy(from, to).inspect_err(|_| {
        // The file is ours, and is no copy.
        let _ = std::fs::remove_file(to);
    })
}

fn copy(from: &Path, to: &Path) -> Result<(), FileError> {
    let source = reading(from)?;
    let mut target = open_or_create(to)?;
    // All pages in one step: what is read is one state.
    match Backup::new(&source, &mut target)?.step(-1)? {
        StepResult::Done => Ok(()),
        _ => Err(FileError::Unfit("another program has it locked".to_owned())),
    }
}
