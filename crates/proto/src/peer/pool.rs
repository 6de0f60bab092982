//! Buffers of frames that were sent, kept to be reused for later frames.

/// A pool of at most [`COUNT`] buffers with at most [`BYTES`] in total: a burst of answers reuses buffers
/// instead of allocating them, and larger buffers, which are rarely needed, are not kept.
#[derive(Debug, Default)]
pub(super) struct Pool {
    buffers: Vec<Vec<u8>>,
    /// The total capacity of the buffers in bytes.
    bytes: usize,
}

/// Largest number of buffers: enough for the requests that one busy client has in flight.
const COUNT: usize = 64;

/// Largest total capacity in bytes: room for two answers of a megabyte, whose buffers may be twice as large.
const BYTES: usize = 4 << 20;

impl Pool {
    /// Returns an empty buffer.
    pub(super) fn take(&mut self) -> Vec<u8> {
        let buffer = self.buffers.pop().unwrap_or_default();
        self.bytes -= buffer.capacity();
        buffer
    }

    /// Keeps a used buffer, if there is room for it.
    pub(super) fn give(&mut self, mut buffer: Vec<u8>) {
        let bytes = self.bytes + buffer.capacity();
        if self.buffers.len() < COUNT && bytes <= BYTES {
            buffer.clear();
            self.bytes = bytes;
            self.buffers.push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_a_bounded_number_of_bytes_and_buffers() {
        let mut pool = Pool::default();
        for _ in 0..10 {
            pool.give(Vec::with_capacity(1 << 20));
        }
        assert_eq!((pool.buffers.len(), pool.bytes), (4, 4 << 20));
        while pool.bytes > 0 {
            pool.take();
        }
        for _ in 0..100 {
            pool.give(Vec::with_capacity(10));
        }
        assert_eq!(pool.buffers.len(), COUNT);
    }
}
