//! Standard input and output, kept for the protocol alone.
//!
//! In: the process's descriptors. Out: a [`Stream`] on private copies of them. Afterwards descriptor 1 is stderr, so
//! that a stray `println!` in a tool or in a library can't break the stream, and descriptor 0 is empty, so that child
//! processes can't steal requests. What only Unix has is in `unix.rs`; elsewhere the descriptors are used as they are.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Stream;

pub(crate) mod threads;
#[cfg(unix)]
pub(crate) mod unix;

/// A process has one standard input. Not a setting: it records that the descriptors are gone.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Takes over standard input and output.
///
/// # Errors
/// If they were taken before, or the system refuses.
pub(crate) fn take() -> io::Result<Stream> {
    if TAKEN.swap(true, Ordering::SeqCst) {
        return Err(io::Error::other(
            "expected stdin and stdout to be free, but this process serves them already",
        ));
    }
    #[cfg(unix)]
    return unix::take();
    #[cfg(not(unix))]
    return Ok(Stream::new(threads::Reader::new(io::stdin()), threads::Writer::new(io::stdout())));
}
