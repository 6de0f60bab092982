//! `import_resources`: bookmarks, OPML, and the export of a vault, all of it or nothing.

use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plainwire::prelude::*;

use super::{Library, failed, lost};
use crate::import::{self, ImportForm, MAX_FILE, Unreadable};
use crate::kinds::ImportReport;
use crate::runtime::blocking;

/// What to import: either a text, or a file.
#[data]
pub(crate) struct ImportArguments {
    /// The contents of a bookmark file, of OPML, or of an export of this server as `json`.
    text: Option<String>,
    /// The path of such a file on the machine of the server. Not over HTTP.
    #[length(..=4000)]
    path: Option<PathBuf>,
    /// The form, if it can't be recognised.
    form: Option<ImportForm>,
}

pub(crate) async fn import_resources(
    args: ImportArguments,
    library: State<Library>,
    ctx: Context,
) -> Result<ImportReport, ToolError> {
    let text = match (args.text, args.path) {
        (Some(text), None) => text,
        (None, Some(_)) if !library.reads_files => {
            return Err(ToolError::invalid_input(
                "expected `text`: over HTTP, no file of the server is read",
            ));
        }
        (None, Some(path)) => blocking(move || file(&path)).await.map_err(|error| lost(&error))??,
        _ => return Err(ToolError::invalid_input("expected either `text` or `path`")),
    };
    let form = args.form;
    let unreadable = |error: Unreadable| ToolError::invalid_input(error.0);
    let read = blocking(move || import::read(&text, form)).await.map_err(|error| lost(&error))?;
    let entries = read.map_err(unreadable)?;
    let (all, skipped) = (entries.resources.len(), entries.skipped);
    ctx.progress(0.0, Some(all as f64), Some("entries read"));
    let vault = Arc::clone(&library.vault);
    // Dropped with the call if it is cancelled: then nothing is added.
    let ends = EndsWithCall::default();
    let (is_cancelled, progress) = (Arc::clone(&ends.0), ctx.clone());
    let imported = blocking(move || {
        vault.import(entries.resources.into_iter(), |done| {
            progress.progress(done as f64, Some(all as f64), Some("entries imported"));
            if is_cancelled.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
    });
    let imported = imported.await.map_err(|error| lost(&error))?.map_err(|error| failed(&error))?;
    let imported =
        imported.ok_or_else(|| ToolError::failed("the import was cancelled; nothing was added"))?;
    Ok(ImportReport { added: imported.added, known: imported.known, skipped })
}

/// A mark that is set when the call ends.
#[derive(Default)]
struct EndsWithCall(Arc<AtomicBool>);

impl Drop for EndsWithCall {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn file(path: &std::path::Path) -> Result<String, ToolError> {
    let failed =
        |error: &std::io::Error| ToolError::invalid_input(format!("the file can't be read: {error}"));
    let mut bytes = Vec::new();
    // A pipe would be waited for, and a device has no end.
    if !std::fs::metadata(path).map_err(|error| failed(&error))?.is_file() {
        return Err(ToolError::invalid_input("expected the path of a file, but found something else"));
    }
    let file = std::fs::File::open(path).map_err(|error| failed(&error))?;
    // One byte more than allowed shows that the file is too large, without reading all of it.
    file.take(MAX_FILE as u64 + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    if bytes.len() > MAX_FILE {
        return Err(ToolError::invalid_input(format!("expected a file of at most {} MiB", MAX_FILE >> 20)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        ToolError::invalid_input(format!("expected UTF-8, but found another byte at offset {at}"))
    })
}
