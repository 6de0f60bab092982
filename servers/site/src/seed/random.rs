//! Numbers that look random and are the same in each run: SplitMix64, by Steele, Lea and Flood.

/// A source of numbers.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// Creates a source: equal seeds give equal numbers.
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns another source, so that what one part draws does not change what another one gets.
    pub(super) fn branch(&mut self) -> Self {
        Self(self.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `count` − 1.
    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    /// Returns a number in a range.
    pub(super) fn within(&mut self, range: std::ops::RangeInclusive<i64>) -> i64 {
        range.start() + self.below((range.end() - range.start() + 1).max(1) as usize) as i64
    }

    /// Returns true in so many of a hundred calls.
    pub(super) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of the elements. Panics if there is none, which no table of this room is.
    pub(super) fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Returns up to `count` different elements, in their order.
    pub(super) fn some<T: Clone>(&mut self, all: &[T], count: usize) -> Vec<T> {
        let mut left = count.min(all.len());
        let mut found = Vec::with_capacity(left);
        for (at, it) in all.iter().enumerate() {
            if self.below(all.len() - at) < left {
                left -= 1;
                found.push(it.clone());
            }
        }
        found
    }

    /// Returns a UUID.
    pub(super) fn uuid(&mut self) -> String {
        let (high, low) = (self.next(), self.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xfff,
            0x8000 | ((low >> 48) & 0x3fff),
            low & 0xffff_ffff_ffff,
        )
    }

    /// Returns twelve hexadecimal digits, as the editor names the nodes of a document.
    pub(super) fn local_id(&mut self) -> String {
        format!("{:012x}", self.next() >> 16)
    }
}
