//! A connection inside one process, as a pair of streams.

use super::Stream;

/// Bytes that one end may send ahead of the other: as many as a pipe holds.
const CAPACITY: usize = 64 * 1024;

/// Returns two joined streams: bytes written to one are read from the other.
pub fn pair() -> (Stream, Stream) {
    let (left, right) = tokio::io::duplex(CAPACITY);
    let (left_in, left_out) = tokio::io::split(left);
    let (right_in, right_out) = tokio::io::split(right);
    (Stream::new(left_in, left_out), Stream::new(right_in, right_out))
}
