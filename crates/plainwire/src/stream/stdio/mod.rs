//! Standard input and output, reserved for the protocol.
//!
//! In: the process's descriptors. Out: a [`Stream`] on private copies of them. Afterwards descriptor 1 writes
//! to stderr, so that a stray `println!` in a tool or library can't break the stream, and descriptor 0 reads
//! `/dev/null`, so that child processes can't steal requests. Both replacements are for Unix (`unix.rs`);
//! other systems use the descriptors unchanged.

use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicBool, Ordering};

use super::Stream;

pub(crate) mod threads;
#[cfg(unix)]
pub(crate) mod unix;

/// The flag that is set once this process has taken its standard input and output. It is a static because a
/// process has only one pair of them.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Takes over standard input and output.
///
/// # Errors
/// An error if they were taken before, or if the system refuses.
pub(crate) fn take() -> io::Result<Stream> {
    if TAKEN.swap(true, Ordering::SeqCst) {
        return Err(io::Error::other(
            "expected stdin and stdout to be free, but this process serves them already",
        ));
    }
    if io::stdin().is_terminal() {
        tracing::info!(
            "stdin is a terminal, but this server expects the messages of a client: give the command of the server \
             to a client, such as `plainwire list -- COMMAND`; Ctrl-C ends the server"
        );
    }
    #[cfg(unix)]
    return unix::take();
    #[cfg(not(unix))]
    return Ok(Stream::new(threads::Reader::new(io::stdin()), threads::Writer::new(io::stdout())));
}
