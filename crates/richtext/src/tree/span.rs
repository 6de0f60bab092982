//! Where something stands in the text that was read.

use std::ops::Range;

/// Bytes `start..end` of a source, always on character boundaries. A source is shorter than 4 GiB ([`crate::MAX_SOURCE`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Span {
    /// The span of these byte offsets.
    ///
    /// # Panics
    ///
    /// If an offset is over 4 GiB; readers refuse such a source before they measure it.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let offset = |it: usize| u32::try_from(it).expect("a source is under 4 GiB");
        Self { start: offset(start), end: offset(end) }
    }

    /// The empty span at `offset`.
    #[must_use]
    pub fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// The bytes of `source` it covers; nothing if it is not a span of this source.
    #[must_use]
    pub fn of<'a>(&self, source: &'a str) -> &'a str {
        source.get(self.range()).unwrap_or_default()
    }

    /// The same so many bytes further on.
    #[must_use]
    pub(crate) fn shifted(self, by: usize) -> Self {
        Self::new(self.start as usize + by, self.end as usize + by)
    }

    /// As a range of bytes.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// How many bytes it covers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.range().len()
    }

    /// Whether it covers no byte.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    /// Whether all of `other` lies within.
    #[must_use]
    pub fn holds(&self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}
