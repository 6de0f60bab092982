//! Numbers for tests that look random and are the same in each run.

/// A generator with a fixed seed, which is not 0.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below `limit`; 0 if there is none.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}
