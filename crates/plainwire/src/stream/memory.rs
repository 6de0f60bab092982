//! Two ends of a connection inside one process.

use super::Stream;

/// Bytes that one end may be ahead of the other: as much as a pipe holds.
const CAPACITY: usize = 64 * 1024;

/// Returns two joined connections: what is written to one is read from the other.
pub fn pair() -> (Stream, Stream) {
    let (left, right) = tokio::io::duplex(CAPACITY);
    let (left_in, left_out) = tokio::io::split(left);
    let (right_in, right_out) = tokio::io::split(right);
    (Stream::new(left_in, left_out), Stream::new(right_in, right_out))
}
