//! A connection inside one process, as a pair of streams.

use super::Stream;

/// Largest number of bytes that one end may write before the other end reads them: as many as a pipe holds.
const CAPACITY: usize = 64 * 1024;

/// Returns the two ends of a connection in memory: bytes that are written to one stream are read from the
/// other.
pub fn pair() -> (Stream, Stream) {
    let (left, right) = tokio::io::duplex(CAPACITY);
    let (left_in, left_out) = tokio::io::split(left);
    let (right_in, right_out) = tokio::io::split(right);
    (Stream::new(left_in, left_out), Stream::new(right_in, right_out))
}
