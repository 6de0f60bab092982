//! Numbers that look random and are the same in each run: SplitMix64, by Steele, Lea and Flood.

/// A source of numbers.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a source: equal seeds give equal numbers.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `count` − 1.
    pub fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    /// Returns a number in a range.
    pub fn within(&mut self, range: std::ops::RangeInclusive<i64>) -> i64 {
        range.start() + self.below((range.end() - range.start() + 1) as usize) as i64
    }

    /// Returns true in so many of a hundred calls.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of the elements.
    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}
