//! Pseudo-random numbers for tests, equal in each run.

/// A generator (xorshift) with its state. The seed must not be 0.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// Returns a number below `limit`; 0 if `limit` is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}
