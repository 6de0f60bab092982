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

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::Pin;
    use std::task::Poll;

    use tokio::io::AsyncWrite as _;

    use super::*;

    #[tokio::test]
    async fn a_stream_in_memory_takes_64_kib_before_they_are_read() {
        let (mut stream, _other) = pair();
        let mut write = async || {
            poll_fn(|cx| Poll::Ready(Pin::new(&mut stream.writer).poll_write(cx, &[b'x'; 100_000]))).await
        };
        assert!(matches!(write().await, Poll::Ready(Ok(65_536))));
        assert!(write().await.is_pending());
    }
}
