//! The functions that get the stderr of a server in place of the client's stderr.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plainwire_proto::json::shorten;

/// A function that gets the text of a server's stderr, in whole lines; a long line may come in parts.
pub(super) type PassedTo = Arc<dyn Fn(&str) + Send + Sync>;

/// Returns the function that writes lines to the client's stderr, each with `name` before it.
pub(super) fn labelled(name: &str) -> PassedTo {
    let name = shorten(name).escape_debug().to_string();
    // A long line comes in parts.
    let is_within = AtomicBool::new(false);
    Arc::new(move |lines| {
        let mut text = String::new();
        for part in lines.split_inclusive('\n') {
            if !is_within.swap(!part.ends_with('\n'), Ordering::Relaxed) {
                text += &format!("{name}: ");
            }
            text += part;
        }
        // Errors are ignored: stderr may be closed.
        let _ = io::stderr().write_all(text.as_bytes());
    })
}
